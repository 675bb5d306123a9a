/*
 * The ids that an event speaks of, for what its record tells of them and for events whose header has no ids: an
 * image that is loaded says whose it is, a stack whose thread it is.
 */
#include "etl/event_names.h"

#include "core/decode/scalars.h"
#include "etl/decode.h"
#include "etl/items.h"
#include "etl/traffic.h"

/* Groups of classes: the high byte of the hook id. */
#define GROUP_PROCESS 0x03
#define GROUP_THREAD  0x05

/* Types of the Process class that tell of one process: start, end and the rundowns. */
#define TYPE_PROCESS_LAST 4

struct collector {
    struct etl_sink sink;
    struct etl_payload_ids *ids;
};

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    (void)sink;
    return (field->key == ETL_KEY_PROCESS || field->key == ETL_KEY_THREAD) && !field->hidden;
}

static void add_id(struct etl_payload_ids *ids, const struct etl_field *field, uint64_t id)
{
    if (ids->count < ETL_PAYLOAD_IDS_MAX) {
        ids->ids[ids->count].key = field->key;
        ids->ids[ids->count].id = (uint32_t)id;
        ids->count++;
    }
}

static void take_id(struct etl_sink *sink, const struct etl_field *field,
                    const struct etl_value *value)
{
    add_id(((struct collector *)sink)->ids, field, value->number);
}

/*
 * Two processes in one event: neither is its own, but of a process and its parent. A thread alone is whose disk
 * access or sample it is; but what the Thread class tells of a thread, another one may have done to it.
 */
static void choose(const struct etl_event *event, const struct etl_layout *layout,
                   struct etl_payload_ids *ids)
{
    unsigned group = event->hookid >> 8;
    bool one_process = layout->process_rows == 1 ||
                       (event->has_hook && group == GROUP_PROCESS && layout->process_rows == 2 &&
                        (event->hookid & 0xFF) <= TYPE_PROCESS_LAST);
    bool own_thread = layout->thread_rows == 1 &&
                      (one_process || (layout->process_rows == 0 && group != GROUP_THREAD));
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->ids[i].key == ETL_KEY_PROCESS && one_process && !ids->has_process) {
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
                                           .value = take_id,
                                           .begin = etl_ignore_begin,
                                           .end = etl_ignore_end,
                                           .note = etl_ignore_note},
                                  .ids = ids};
    struct etl_decoder own = *decoder;
    own.sink = &collector.sink;
    etl_decode_layout(&own, layout, payload->at, payload->size);
}

static void find_payload_ids(const struct etl_event *event, const struct etl_clock *clock,
                             const struct etl_layout *layout, struct etl_payload_ids *ret_ids)
{
    ret_ids->count = 0;
    ret_ids->has_process = false;
    ret_ids->has_thread = false;
    if (layout == NULL || layout->process_rows + layout->thread_rows == 0) {
        return;
    }
    struct etl_decoder decoder = {.clock = clock, .pointer_size = event->pointer_size};
    if (layout->ids_fixed && etl_decode_reaches(&decoder, layout, event->payload.size)) {
        for (size_t i = 0; i < layout->id_row_count; i++) {
            const struct etl_field *field = &layout->fields[layout->id_rows[i]];
            add_id(ret_ids, field, etl_fixed_number(field, event->payload.at, event->pointer_size));
        }
    } else {
        collect(&decoder, layout, &event->payload, ret_ids);
    }
    choose(event, layout, ret_ids);
}

void etl_payload_ids(const struct etl_event *event, const struct etl_clock *clock,
                     struct etl_payload_ids *ret_ids)
{
    find_payload_ids(event, clock, etl_layout_of_event(event), ret_ids);
}

enum etl_ids_source etl_ids_source(const struct etl_event *event, const struct etl_clock *clock,
                                   uint32_t process_id)
{
    struct etl_payload_ids payload;
    if (event->has_ids && event->process_id == process_id) {
        return ETL_IDS_HEADER;
    }
    etl_payload_ids(event, clock, &payload);
    if (payload.has_process || (payload.has_thread && event->has_hook)) {
        return ETL_IDS_PAYLOAD;
    }
    if (event->has_ids && event->thread_id != ETL_ID_UNKNOWN) {
        return ETL_IDS_THREAD;
    }
    return ETL_IDS_RUNNING;
}

/* What is collected, and what is asked for it. */
struct naming {
    struct etl_sink sink; /* over payload and items */
    struct etl_event_names *names;
    const struct etl_keys *keys;
    int64_t raw_time;
    uint32_t scope; /* the process whose addresses and tags these are */
    uint8_t pointer_size;
    bool has_images;
};

static void add_name(struct etl_event_names *names, enum etl_key key, uint64_t id, const char *text)
{
    if (text != NULL && names->count < ETL_EVENT_NAMES_MAX) {
        names->names[names->count].key = key;
        names->names[names->count].id = id;
        names->names[names->count].text = text;
        names->count++;
    }
}

/* Modules come in runs: the last ones are the likeliest. */
static bool has_image(const struct etl_event_names *names, uint64_t address)
{
    for (size_t i = names->image_count; i > 0; i--) {
        if (address - names->images[i - 1].base < names->images[i - 1].size) {
            return true;
        }
    }
    return false;
}

static void name_address(struct naming *self, uint64_t address)
{
    struct etl_event_names *names = self->names;
    struct etl_image image;
    if (self->has_images && names->image_count < ETL_EVENT_IMAGES_MAX &&
        !has_image(names, address) &&
        etl_keys_image(self->keys, self->scope, address, self->pointer_size, self->raw_time,
                       &image)) {
        names->images[names->image_count++] = image;
    }
}

static void name_stack(struct naming *self, uint64_t key)
{
    struct etl_event_names *names = self->names;
    struct etl_span addresses;
    if (names->stack_count == ETL_EVENT_STACKS_MAX ||
        !etl_keys_stack(self->keys, key, self->raw_time, &addresses)) {
        return;
    }
    names->stacks[names->stack_count].key = key;
    names->stacks[names->stack_count].addresses = addresses;
    names->stack_count++;
    for (size_t at = 0; at + 8 <= addresses.size; at += 8) {
        name_address(self, etl_load_u64(addresses.at + at));
    }
}

static void name_id(struct naming *self, const struct etl_field *field, uint64_t id)
{
    switch (field->key) {
    case ETL_KEY_NONE:
    case ETL_KEY_PROCESS:
    case ETL_KEY_THREAD:
        break;
    case ETL_KEY_CODE:
    case ETL_KEY_IMAGE:
    case ETL_KEY_RETURN_ADDRESS:
        name_address(self, id);
        break;
    case ETL_KEY_STACK:
        name_stack(self, id);
        break;
    case ETL_KEY_FILE_OBJECT: {
        const char *path = etl_keys_name(self->keys, field->key, 0, id, self->raw_time);
        /* Before files had keys, requests to disks and name events spoke of the object. */
        path = path != NULL ? path
                            : etl_keys_name(self->keys, ETL_KEY_FILE_KEY, 0, id, self->raw_time);
        add_name(self->names, field->key, id, path);
        break;
    }
    default:
        add_name(self->names, field->key, id,
                 etl_keys_name(self->keys, field->key, self->scope, id, self->raw_time));
    }
}

static void name_value(struct etl_sink *sink, const struct etl_field *field,
                       const struct etl_value *value)
{
    name_id((struct naming *)sink, field, value->number);
}

/* Stacks are most of what big traces hold. */
static void name_numbers(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                         size_t width, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        name_id((struct naming *)sink, field, etl_load_number(at + i * width, width));
    }
}

static bool wants_key(struct etl_sink *sink, const struct etl_field *field)
{
    (void)sink;
    return field->key != ETL_KEY_NONE && field->key != ETL_KEY_PROCESS &&
           field->key != ETL_KEY_THREAD && !field->hidden;
}

/* Ids other than processes and threads, where the trace knows anything of such. */
static void name_keys(struct naming *self, const struct etl_event *event,
                      const struct etl_clock *clock, const struct etl_layout *layout)
{
    struct etl_decoder decoder = {
        .sink = &self->sink, .clock = clock, .pointer_size = event->pointer_size};
    if (layout->keys_fixed && etl_decode_reaches(&decoder, layout, event->payload.size)) {
        for (size_t i = 0; i < layout->key_row_count; i++) {
            const struct etl_field *field = &layout->fields[layout->key_rows[i]];
            name_id(self, field, etl_fixed_number(field, event->payload.at, event->pointer_size));
        }
    } else {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    }
}

/* Stacks, and keys of stacks. */
static void name_items(struct naming *self, const struct etl_event *event,
                       const struct etl_clock *clock)
{
    struct etl_decoder decoder = {
        .sink = &self->sink, .clock = clock, .pointer_size = event->pointer_size};
    struct etl_bytes bytes = etl_bytes_of(event->items.at, event->items.size);
    struct etl_item item;
    while (etl_item_next(&bytes, &item)) {
        const struct etl_layout *layout = etl_item_layout(item.type);
        if (layout != NULL && layout->has_keys) {
            etl_decode_layout(&decoder, layout, item.data.at, item.data.size);
        }
    }
}

static void add_thread_names(struct etl_event_names *names, const struct etl_keys *keys,
                             uint32_t thread, int64_t raw_time)
{
    uint32_t process;
    if (etl_keys_process_of_thread(keys, thread, raw_time, &process)) {
        add_name(names, ETL_KEY_THREAD, thread, etl_keys_process_name(keys, process, raw_time));
    }
    add_name(names, ETL_KEY_THREAD_NAME, thread,
             etl_keys_name(keys, ETL_KEY_THREAD_NAME, 0, thread, raw_time));
}

static void choose_ids(struct etl_event_names *names, const struct etl_event *event,
                       const struct etl_payload_ids *payload, const struct etl_keys *keys,
                       int64_t raw_time, uint32_t running_thread)
{
    names->process_id = names->thread_id = ETL_ID_UNKNOWN;
    if (event->has_ids) {
        names->thread_id = event->thread_id;
        names->process_id = event->process_id;
    }
    bool modern = event->kind->family == ETL_FAMILY_MODERN; /* its own header stays as it is */
    if (names->process_id != ETL_ID_UNKNOWN || modern) {
        return;
    }
    bool unknown = names->thread_id == ETL_ID_UNKNOWN;
    if (payload->has_process) {
        names->process_id = payload->process_id;
        names->thread_id = payload->has_thread ? payload->thread_id : names->thread_id;
        return;
    }
    bool kernel = event->kind->family <= ETL_FAMILY_PERFINFO;
    if (payload->has_thread && event->has_hook) {
        names->thread_id = payload->thread_id;
    } else if (unknown && kernel) {
        names->thread_id = running_thread;
    }
    if (names->thread_id != ETL_ID_UNKNOWN) {
        etl_keys_process_of_thread(keys, names->thread_id, raw_time, &names->process_id);
    }
}

static void name_processes(struct etl_event_names *names, const struct etl_payload_ids *payload,
                           const struct etl_keys *keys, int64_t raw_time)
{
    uint32_t own = names->process_id;
    names->has_process = own != ETL_ID_UNKNOWN &&
                         etl_keys_process(keys, own, raw_time, &names->process);
    if (names->has_process) {
        add_name(names, ETL_KEY_PROCESS, own, names->process.name);
    } else if (own != ETL_ID_UNKNOWN) {
        add_name(names, ETL_KEY_PROCESS, own, etl_keys_process_name(keys, own, raw_time));
    }
    if (names->thread_id != ETL_ID_UNKNOWN) {
        add_name(names, ETL_KEY_THREAD_NAME, names->thread_id,
                 etl_keys_name(keys, ETL_KEY_THREAD_NAME, 0, names->thread_id, raw_time));
    }
    for (size_t i = 0; i < payload->count; i++) {
        uint32_t id = payload->ids[i].id;
        if (payload->ids[i].key == ETL_KEY_PROCESS && id != own) {
            add_name(names, ETL_KEY_PROCESS, id, etl_keys_process_name(keys, id, raw_time));
        } else if (payload->ids[i].key == ETL_KEY_THREAD && !payload->has_thread) {
            add_thread_names(names, keys, id, raw_time);
        }
    }
}

void etl_event_names(const struct etl_event *event, const struct etl_context *context,
                     const struct etl_keys *keys, int64_t raw_time, uint32_t running_thread,
                     struct etl_event_names *ret_names)
{
    const struct etl_layout *layout = etl_layout_of_event(event);
    struct etl_payload_ids payload;
    find_payload_ids(event, &context->clock, layout, &payload);
    ret_names->count = ret_names->image_count = ret_names->stack_count = 0;
    choose_ids(ret_names, event, &payload, keys, raw_time, running_thread);
    name_processes(ret_names, &payload, keys, raw_time);
    bool keyed = layout != NULL && layout->has_keys;
    if ((keyed || event->items.size > 0) && etl_keys_has_names(keys)) {
        struct naming naming = {.sink = {.wants = wants_key,
                                         .value = name_value,
                                         .numbers = name_numbers,
                                         .begin = etl_ignore_begin,
                                         .end = etl_ignore_end,
                                         .note = etl_ignore_note},
                                .names = ret_names,
                                .keys = keys,
                                .raw_time = raw_time,
                                .scope = payload.has_process ? payload.process_id
                                                             : ret_names->process_id,
                                .pointer_size = event->pointer_size,
                                .has_images = etl_keys_has_images(keys)};
        if (event->items.size > 0) {
            name_items(&naming, event, &context->clock);
        }
        if (keyed) {
            name_keys(&naming, event, &context->clock, layout);
        }
    }
}

/* What the trace calls an interface: as the user does, else as its hardware is called. */
static const char *interface_name(const struct etl_keys *keys, uint32_t index, int64_t raw_time)
{
    const struct etl_interface *interface = etl_traffic_interface(etl_keys_known_traffic(keys),
                                                                  index);
    return interface != NULL && interface->name[0] != '\0'
               ? interface->name
               : etl_keys_name(keys, ETL_KEY_INTERFACE, 0, index, raw_time);
}

void etl_packet_names(const struct etl_packet *packet, uint32_t owner, const struct etl_keys *keys,
                      int64_t raw_time, struct etl_event_names *names)
{
    if (owner != ETL_ID_UNKNOWN && owner != names->process_id) {
        add_name(names, ETL_KEY_PROCESS, owner, etl_keys_process_name(keys, owner, raw_time));
    }
    if (packet->has_interface) {
        add_name(names, ETL_KEY_INTERFACE, packet->interface_index,
                 interface_name(keys, packet->interface_index, raw_time));
    }
    if (packet->has_group) {
        uint32_t edge = etl_packet_edge_id(packet->component, packet->edge);
        add_name(names, ETL_KEY_COMPONENT, packet->component,
                 etl_keys_name(keys, ETL_KEY_COMPONENT, 0, packet->component, raw_time));
        add_name(names, ETL_KEY_EDGE, edge, etl_keys_name(keys, ETL_KEY_EDGE, 0, edge, raw_time));
    }
}
