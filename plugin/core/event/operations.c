/*
 * Which events begin and end what. Keys are hashes over the kind of operation, the trace and
 * whatever tells operations of one kind apart.
 */
#include "etl/operations.h"

#include "etl/decode.h"

#include <string.h>

#define OPCODE_START 1
#define OPCODE_STOP  2

enum by { BY_ACTIVITY, BY_TEXT_HERE, BY_NUMBER };

struct hook_row {
    enum etl_operation_role role;
    const char *kind;
    uint16_t hookid;
    const char *name;
    const char *label;
};

static const struct hook_row hook_rows[] = {
#define BEGINS(kind, hook, name, label) {ETL_OPERATION_BEGINS, #kind, hook, name, label},
#define ENDS(kind, hook, label)         {ETL_OPERATION_ENDS, #kind, hook, NULL, label},
#define LASTS(hook, name, label)        {ETL_OPERATION_LASTED, "", hook, name, label},
#define BEGINS_EVENT(kind, provider, id, name, by)
#define ENDS_EVENT(kind, provider, id, by)
#include "layouts/operations.def"
};

struct event_row {
    enum etl_operation_role role;
    const char *kind;
    struct etl_guid provider;
    uint16_t id;
    const char *name;
    enum by by;
};

#define GUID ETL_GUID
static const struct event_row event_rows[] = {
#define BEGINS(kind, hook, name, label)
#define ENDS(kind, hook, label)
#define LASTS(hook, name, label)
#define BEGINS_EVENT(kind, provider, id, name, by) \
    {ETL_OPERATION_BEGINS, #kind, provider, id, name, BY_##by},
#define ENDS_EVENT(kind, provider, id, by) {ETL_OPERATION_ENDS, #kind, provider, id, NULL, BY_##by},
#include "layouts/operations.def"
};
#undef GUID

#define HOOK_ROWS  (sizeof hook_rows / sizeof hook_rows[0])
#define EVENT_ROWS (sizeof event_rows / sizeof event_rows[0])

/* FNV-1a, 64 bits. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * HASH_PRIME;
    }
    return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return hash_bytes(hash, &number, sizeof number);
}

/* 1 + the row of each hook; 0: none. Most events are of hooks without. */
static const struct hook_row *row_of_hook(uint16_t hookid)
{
    static uint8_t rows[UINT16_MAX + 1];
    static bool filled;
    if (!filled) {
        for (size_t i = 0; i < HOOK_ROWS; i++) {
            rows[hook_rows[i].hookid] = (uint8_t)(1 + i);
        }
        filled = true;
    }
    return rows[hookid] > 0 ? &hook_rows[rows[hookid] - 1] : NULL;
}

static const struct event_row *row_of_event(const struct etl_event *event)
{
    for (size_t i = 0; i < EVENT_ROWS; i++) {
        if (event_rows[i].id == event->id &&
            etl_guid_equal(&event_rows[i].provider, &event->provider)) {
            return &event_rows[i];
        }
    }
    return NULL;
}

static bool has_activity(const struct etl_event *event)
{
    static const struct etl_guid none;
    return !etl_guid_equal(&event->activity, &none);
}

static bool is_start_or_stop(const struct etl_event *event)
{
    return (event->opcode == OPCODE_START || event->opcode == OPCODE_STOP) && has_activity(event);
}

bool etl_operation_may_be(const struct etl_event *event)
{
    if (event->has_hook) {
        return row_of_hook(event->hookid) != NULL;
    }
    return event->kind->family == ETL_FAMILY_MODERN &&
           (is_start_or_stop(event) || row_of_event(event) != NULL);
}

/* The value of a row whose place is known; false where the payload ends before. */
static bool find_value(const struct etl_event *event, const struct etl_context *context,
                       const char *label, struct etl_value *ret_value)
{
    const struct etl_layout *layout = etl_layout_of_event(event);
    struct etl_decoder decoder = {.clock = &context->clock, .pointer_size = event->pointer_size};
    size_t row = 0;
    if (layout == NULL || !etl_decode_reaches(&decoder, layout, event->payload.size)) {
        return false;
    }
    while (row < layout->fixed_rows && strcmp(layout->fields[row].label, label) != 0) {
        row++;
    }
    if (row == layout->fixed_rows) {
        return false;
    }
    etl_decode_fixed(&decoder, &layout->fields[row], event->payload.at, ret_value);
    return !ret_value->unknown;
}

static bool of_hook(const struct etl_event *event, const struct etl_context *context,
                    struct etl_operation *operation)
{
    const struct hook_row *row = row_of_hook(event->hookid);
    struct etl_value value = {.number = 0};
    int64_t now = 0;
    if (row == NULL || !find_value(event, context, row->label, &value)) {
        return false;
    }
    operation->role = row->role;
    operation->name = row->name;
    operation->key = hash_number(hash_bytes(operation->key, row->kind, strlen(row->kind)),
                                 value.number);
    if (row->role == ETL_OPERATION_LASTED) {
        bool known = event->has_time &&
                     etl_clock_filetime(&context->clock, event->raw_time, &now) &&
                     now >= (int64_t)value.number;
        operation->duration = known ? (uint64_t)now - value.number : 0;
        return known;
    }
    return true;
}

/* Bytes of the UTF-16 text that the payload begins with. */
static size_t text_size(struct etl_span payload)
{
    size_t size = 0;
    while (size + 2 <= payload.size && (payload.at[size] | payload.at[size + 1]) != 0) {
        size += 2;
    }
    return size;
}

static bool of_event_row(const struct etl_event *event, const struct event_row *row,
                         uint32_t process_id, struct etl_operation *operation)
{
    uint64_t hash = hash_bytes(operation->key, row->kind, strlen(row->kind));
    operation->role = row->role;
    operation->name = row->name;
    switch (row->by) {
    case BY_ACTIVITY:
        operation->key = hash_bytes(hash, event->activity.bytes, sizeof event->activity.bytes);
        return has_activity(event);
    case BY_TEXT_HERE:
        hash = hash_number(hash, process_id);
        operation->key = hash_bytes(hash, event->payload.at, text_size(event->payload));
        return event->payload.size > 0;
    case BY_NUMBER:
        if (event->payload.size < sizeof(uint32_t)) {
            return false;
        }
        operation->key = hash_bytes(hash, event->payload.at, sizeof(uint32_t));
        return true;
    }
    return false;
}

static bool of_activity(const struct etl_event *event, struct etl_operation *operation)
{
    uint64_t hash = hash_bytes(operation->key, event->provider.bytes, sizeof event->provider.bytes);
    hash = hash_bytes(hash, event->activity.bytes, sizeof event->activity.bytes);
    operation->role = event->opcode == OPCODE_START ? ETL_OPERATION_BEGINS : ETL_OPERATION_ENDS;
    operation->name = NULL;
    operation->key = hash_number(hash, event->task);
    return is_start_or_stop(event);
}

bool etl_operation_of_event(const struct etl_event *event, const struct etl_context *context,
                            uint32_t process_id, struct etl_operation *ret_operation)
{
    *ret_operation = (struct etl_operation){.key = hash_number(HASH_START, context->trace_id)};
    if (event->has_hook) {
        return of_hook(event, context, ret_operation);
    }
    if (event->kind->family != ETL_FAMILY_MODERN) {
        return false;
    }
    const struct event_row *row = row_of_event(event);
    return row != NULL ? of_event_row(event, row, process_id, ret_operation)
                       : of_activity(event, ret_operation);
}
