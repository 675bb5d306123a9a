/*
 * The processes and threads that an event speaks of, for the names that its record carries and for events whose
 * header has no ids: an image that is loaded says whose it is, a stack whose thread it is.
 */
#include "etl/keys.h"

#include "etl/decode.h"
#include "etl/packet.h"

/* Group of the Thread class: its high byte of the hook id. */
#define GROUP_THREAD 0x05

struct collector {
    struct etl_sink sink;
    struct etl_payload_ids *ids;
};

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    (void)sink;
    return (field->key == ETL_KEY_PROCESS || field->key == ETL_KEY_THREAD) && !field->hidden;
}

static void add_id(struct etl_payload_ids *ids, const struct etl_field *field,
                   const struct etl_value *value)
{
    if (ids->count < ETL_PAYLOAD_IDS_MAX) {
        ids->ids[ids->count].key = field->key;
        ids->ids[ids->count].id = (uint32_t)value->number;
        ids->count++;
    }
}

static void value(struct etl_sink *sink, const struct etl_field *field,
                  const struct etl_value *value)
{
    add_id(((struct collector *)sink)->ids, field, value);
}

/*
 * Two processes in one event: neither is its own. A thread alone is whose disk access or sample it is; but what the
 * Thread class tells of a thread, another one may have done to it.
 */
static void choose(const struct etl_event *event, const struct etl_layout *layout,
                   struct etl_payload_ids *ids)
{
    bool one_process = layout->process_rows == 1;
    bool own_thread = layout->thread_rows == 1 &&
                      (one_process ||
                       (layout->process_rows == 0 && event->hookid >> 8 != GROUP_THREAD));
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->ids[i].key == ETL_KEY_PROCESS && one_process) {
            ids->has_process = true;
            ids->process_id = ids->ids[i].id;
        } else if (ids->ids[i].key == ETL_KEY_THREAD && own_thread) {
            ids->has_thread = true;
            ids->thread_id = ids->ids[i].id;
        }
    }
}

/* Wherever they are. */
static void collect(const struct etl_decoder *decoder, const struct etl_layout *layout,
                    const struct etl_span *payload, struct etl_payload_ids *ids)
{
    struct collector collector = {.sink = {.wants = wants,
                                           .value = value,
                                           .begin = etl_ignore_begin,
                                           .end = etl_ignore_end,
                                           .note = etl_ignore_note},
                                  .ids = ids};
    struct etl_decoder own = *decoder;
    own.sink = &collector.sink;
    etl_decode_layout(&own, layout, payload->at, payload->size);
}

void etl_payload_ids(const struct etl_event *event, const struct etl_clock *clock,
                     struct etl_payload_ids *ret_ids)
{
    const struct etl_layout *layout = etl_layout_of_event(event);
    ret_ids->count = 0;
    ret_ids->has_process = false;
    ret_ids->has_thread = false;
    if (layout == NULL || layout->process_rows + layout->thread_rows == 0) {
        return;
    }
    struct etl_decoder decoder = {.clock = clock, .pointer_size = event->pointer_size};
    if (layout->ids_fixed && etl_decode_reaches(&decoder, layout, event->payload.size)) {
        struct etl_value value;
        for (size_t i = 0; i < layout->id_row_count; i++) {
            const struct etl_field *field = &layout->fields[layout->id_rows[i]];
            etl_decode_fixed(&decoder, field, event->payload.at, &value);
            add_id(ret_ids, field, &value);
        }
    } else {
        collect(&decoder, layout, &event->payload, ret_ids);
    }
    choose(event, layout, ret_ids);
}

static void add_name(struct etl_event_names *names, enum etl_key key, uint32_t id, const char *text)
{
    if (text != NULL) {
        names->names[names->count].key = key;
        names->names[names->count].id = id;
        names->names[names->count].text = text;
        names->count++;
    }
}

static void add_thread_name(struct etl_event_names *names, const struct etl_keys *keys,
                            uint32_t thread, int64_t raw_time)
{
    uint32_t process;
    if (etl_keys_process_of_thread(keys, thread, raw_time, &process)) {
        add_name(names, ETL_KEY_THREAD, thread, etl_keys_process_name(keys, process, raw_time));
    }
}

/* Where the packet was seen. */
static void add_component_name(struct etl_event_names *names, const struct etl_event *event,
                               const struct etl_keys *keys, int64_t raw_time)
{
    struct etl_packet packet;
    if (etl_packet_of_event(event, &packet) && packet.has_group) {
        add_name(names, ETL_KEY_COMPONENT, packet.component,
                 etl_keys_component_name(keys, packet.component, raw_time));
    }
}

static void choose_ids(struct etl_event_names *names, const struct etl_event *event,
                       const struct etl_payload_ids *payload, const struct etl_keys *keys,
                       int64_t raw_time, uint32_t running_thread)
{
    names->process_id = names->thread_id = ETL_ID_UNKNOWN;
    if (event->has_ids) {
        names->thread_id = event->thread_id;
        names->process_id = event->process_id;
    } else if (payload->has_process) {
        names->process_id = payload->process_id;
        names->thread_id = payload->has_thread ? payload->thread_id : ETL_ID_UNKNOWN;
    } else if (payload->has_thread && event->has_hook) {
        names->thread_id = payload->thread_id;
        etl_keys_process_of_thread(keys, payload->thread_id, raw_time, &names->process_id);
    } else if (event->kind->family == ETL_FAMILY_PERFINFO && running_thread != ETL_ID_UNKNOWN) {
        names->thread_id = running_thread;
        etl_keys_process_of_thread(keys, running_thread, raw_time, &names->process_id);
    }
}

void etl_event_names(const struct etl_event *event, const struct etl_context *context,
                     const struct etl_keys *keys, int64_t raw_time, uint32_t running_thread,
                     struct etl_event_names *ret_names)
{
    struct etl_payload_ids payload;
    etl_payload_ids(event, &context->clock, &payload);
    ret_names->count = 0;
    choose_ids(ret_names, event, &payload, keys, raw_time, running_thread);
    uint32_t own = ret_names->process_id;
    if (own != ETL_ID_UNKNOWN) {
        add_name(ret_names, ETL_KEY_PROCESS, own, etl_keys_process_name(keys, own, raw_time));
    }
    for (size_t i = 0; i < payload.count; i++) {
        uint32_t id = payload.ids[i].id;
        if (payload.ids[i].key == ETL_KEY_PROCESS && id != own) {
            add_name(ret_names, ETL_KEY_PROCESS, id, etl_keys_process_name(keys, id, raw_time));
        } else if (payload.ids[i].key == ETL_KEY_THREAD && !payload.has_thread) {
            add_thread_name(ret_names, keys, id, raw_time);
        }
    }
    add_component_name(ret_names, event, keys, raw_time);
}
