/*
 * Names from hook ids, from the metadata that TraceLogging events carry, from the frame's own
 * provider name and from the built-in list.
 */
#include "epan/labels.h"

#include "epan/strings.h"
#include "etl/decode.h"
#include "etl/hooks.h"
#include "etl/providers.h"

/* Types of extended items. */
#define ITEM_EVENT_SCHEMA_TL 11
#define ITEM_PROVIDER_TRAITS 12
#define ITEM_HEADER_SIZE     8

#define UTF8_PER_BYTE 3

/* The data of the first extended item of a type; empty if there is none. */
static struct etl_bytes find_item(const struct etl_event *event, unsigned wanted)
{
    struct etl_bytes items = etl_bytes_of(event->items.at, event->items.size);
    while (etl_bytes_left(&items) >= ITEM_HEADER_SIZE) {
        size_t size = etl_load_u16(items.at);
        unsigned type = etl_load_u16(items.at + 2);
        size_t data_size = etl_load_u16(items.at + 6);
        if (size < ITEM_HEADER_SIZE) {
            break;
        }
        struct etl_bytes item = etl_bytes_sub(&items, size);
        etl_bytes_take(&item, ITEM_HEADER_SIZE);
        if (type == wanted) {
            return etl_bytes_sub(&item, data_size);
        }
    }
    return etl_bytes_of(NULL, 0);
}

static const char *copy_text(wmem_allocator_t *pool, const uint8_t *at, size_t size)
{
    size_t room_size = size * UTF8_PER_BYTE + 1;
    char *room = wmem_alloc(pool, room_size);
    etl_utf8_of_ansi(at, size, room, room_size);
    return room;
}

/* Text up to its NUL; NULL where it is empty or has no end. */
static const char *take_text(wmem_allocator_t *pool, struct etl_bytes *bytes)
{
    size_t left = etl_bytes_left(bytes);
    const uint8_t *nul = left > 0 ? memchr(bytes->at, 0, left) : NULL;
    if (nul == NULL || nul == bytes->at) {
        return NULL;
    }
    return copy_text(pool, bytes->at, (size_t)(nul - bytes->at));
}

/* u16 size, tags of 7 bits a byte, name. */
static const char *trace_logging_name(wmem_allocator_t *pool, const struct etl_event *event)
{
    struct etl_bytes metadata = find_item(event, ITEM_EVENT_SCHEMA_TL);
    etl_bytes_u16(&metadata);
    while (etl_bytes_u8(&metadata) & 0x80) {
    }
    return take_text(pool, &metadata);
}

bool etl_is_kernel_event(const struct etl_record *record)
{
    return record->event.has_hook && record->event.kind->family != ETL_FAMILY_INSTANCE;
}

const char *etl_event_name(wmem_allocator_t *pool, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    if (etl_is_kernel_event(record)) {
        return etl_hook_text(event->hookid);
    }
    return event->items.size > 0 ? trace_logging_name(pool, event) : NULL;
}

static void add_unnamed_hook(struct etl_line *line, uint16_t hookid)
{
    const struct etl_group *group = etl_group_find((uint8_t)(hookid >> 8));
    if (group != NULL) {
        etl_line_text(line, group->class_name);
    } else {
        etl_line_text(line, "Group ");
        etl_line_number(line, hookid >> 8);
    }
    etl_line_text(line, "/Type ");
    etl_line_number(line, hookid & 0xFF);
}

/* What tells an event without a name from the others of its provider. */
static void add_number(struct etl_line *line, const struct etl_event *event)
{
    switch (event->kind->family) {
    case ETL_FAMILY_MODERN:
        etl_line_text(line, "Id ");
        etl_line_number(line, event->id);
        break;
    case ETL_FAMILY_MESSAGE:
        etl_line_text(line, "Message ");
        etl_line_number(line, event->id);
        break;
    case ETL_FAMILY_FULL:
    case ETL_FAMILY_INSTANCE:
        etl_line_text(line, "Type ");
        etl_line_number(line, event->opcode);
        break;
    default:
        etl_line_text(line, "Event");
    }
}

void etl_line_event_title(struct etl_line *line, wmem_allocator_t *pool,
                          const struct etl_record *record)
{
    const char *name = etl_event_name(pool, record);
    if (name != NULL) {
        etl_line_text(line, name);
    } else if (etl_is_kernel_event(record)) {
        add_unnamed_hook(line, record->event.hookid);
    } else {
        add_number(line, &record->event);
    }
}

const char *etl_event_title(wmem_allocator_t *pool, const struct etl_record *record)
{
    struct etl_line line;
    etl_line_start(&line);
    etl_line_event_title(&line, pool, record);
    return wmem_strdup(pool, line.text);
}

const char *etl_event_provider_name(wmem_allocator_t *pool, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    const char *name = NULL;
    if (event->items.size > 0) {
        struct etl_bytes traits = find_item(event, ITEM_PROVIDER_TRAITS);
        etl_bytes_u16(&traits);
        name = take_text(pool, &traits);
    }
    if (name == NULL && record->provider_name.size > 2) {
        size_t room_size = record->provider_name.size / 2 * UTF8_PER_BYTE + 1;
        char *room = wmem_alloc(pool, room_size);
        etl_utf8_of_utf16(record->provider_name.at, record->provider_name.size, room, room_size);
        name = room[0] != '\0' ? room : NULL;
    }
    if (name == NULL && event->has_provider) {
        name = etl_provider_name(&event->provider);
    }
    return name;
}
