/*
 * Walks and shows the extended items of an event. Which rows belong to a type is in
 * plugin/layouts/items.def, which also draws an item.
 */
#include "etl/items.h"

#include "etl/decode.h"
#include "etl/rows.h"
#include "etl/tracelogging.h"
#include "etl/traits.h"

#include <stdio.h>

#define FLAG_EXTENDED_INFO 0x0001 /* EVENT_HEADER.Flags */
#define LINKAGE            0x0001

/* How the data of a type is shown: by the rows of its layout, or by a function. */
struct item_facts {
    const char *title;
    enum etl_layout_id layout;
    size_t group; /* place in item_groups */
    void (*show)(struct etl_span data, struct etl_sink *sink);
};

static void show_container_id(struct etl_span data, struct etl_sink *sink);

static const struct item_facts facts_of_type[] = {
#define ITEM(type, id, text, layout_id, label)  \
    [type] = {.title = (text),                  \
              .layout = ETL_LAYOUT_##layout_id, \
              .group = offsetof(struct etl_rows_of_item_groups, label)},
#define COMPUTED_ITEM(type, id, text, layout_id, label, function)       \
    [type] = {.title = (text),                                          \
              .layout = ETL_LAYOUT_##layout_id,                         \
              .group = offsetof(struct etl_rows_of_item_groups, label), \
              .show = (function)},
#include "layouts/all.def"
};

/* NULL for types that nobody has described. */
static const struct item_facts *facts_of(uint16_t type)
{
    bool known = type < sizeof facts_of_type / sizeof facts_of_type[0] &&
                 facts_of_type[type].title != NULL;
    return known ? &facts_of_type[type] : NULL;
}

const struct etl_layout *etl_item_layout(uint16_t type)
{
    const struct item_facts *facts = facts_of(type);
    return facts != NULL && facts->show == NULL ? etl_layout(facts->layout) : NULL;
}

bool etl_item_next(struct etl_bytes *bytes, struct etl_item *ret_item)
{
    size_t left = etl_bytes_left(bytes);
    const uint8_t *at = bytes->at;
    size_t size = left >= ETL_ITEM_HEADER_SIZE ? etl_load_u16(at) : 0;
    if (size < ETL_ITEM_HEADER_SIZE || size > left) {
        return false;
    }
    uint16_t bits = etl_load_u16(at + 4);
    uint16_t data_size = etl_load_u16(at + 6);
    size_t room = size - ETL_ITEM_HEADER_SIZE;
    etl_bytes_take(bytes, size);
    *ret_item = (struct etl_item){
        .whole = {.at = at, .size = size},
        .data = {.at = at + ETL_ITEM_HEADER_SIZE, .size = data_size < room ? data_size : room},
        .type = etl_load_u16(at + 2),
        .data_size = data_size,
        .reserved = bits >> 1,
        .linked = (bits & LINKAGE) != 0};
    return true;
}

bool etl_item_find(struct etl_span items, uint16_t type, struct etl_span *ret_data)
{
    struct etl_bytes bytes = etl_bytes_of(items.at, items.size);
    struct etl_item item;
    while (etl_item_next(&bytes, &item)) {
        if (item.type == type) {
            *ret_data = item.data;
            return true;
        }
        if (!item.linked) {
            break;
        }
    }
    return false;
}

bool etl_items_find(const struct etl_event *event, uint16_t type, struct etl_span *ret_data)
{
    return etl_item_find(event->items, type, ret_data);
}

static void show_header(const struct etl_item *item, struct etl_sink *sink)
{
    const uint8_t *at = item->whole.at;
    etl_decode_number(sink, ETL_ROW(item_header, TotalSize), at, 2, item->whole.size);
    if (item->whole.size % 8 != 0) {
        sink->note(sink, ETL_NOTE_ITEM_UNALIGNED, at, 2, NULL);
    }
    etl_decode_number(sink, ETL_ROW(item_header, ExtType), at + 2, 2, item->type);
    etl_decode_number(sink, ETL_ROW(item_header, Linkage), at + 4, 2, item->linked);
    etl_decode_number(sink, ETL_ROW(item_header, Reserved), at + 4, 2, item->reserved);
    if (item->reserved != 0) {
        sink->note(sink, ETL_NOTE_ITEM_RESERVED, at + 4, 2, NULL);
    }
    etl_decode_number(sink, ETL_ROW(item_header, DataSize), at + 6, 2, item->data_size);
    if (item->data_size > item->data.size) {
        sink->note(sink, ETL_NOTE_ITEM_DATA_SIZE, at + 6, 2, NULL);
    }
}

/* Text without its NUL, which nobody has promised either way: all of the data. */
static void show_container_id(struct etl_span data, struct etl_sink *sink)
{
    size_t length = data.size;
    while (length > 0 && data.at[length - 1] == 0) {
        length--;
    }
    struct etl_value value = {.at = data.at,
                              .size = data.size,
                              .bytes = data.at,
                              .length = length,
                              .encoding = ETL_ENCODING_ANSI};
    etl_sink_value(sink, ETL_ROW(item_container_id, ContainerId), &value);
}

/* What the rows need at least: items have no versions that end earlier, as payloads do. */
static size_t least_size(const struct etl_layout *layout)
{
    size_t size = 0;
    for (size_t row = 0; row < layout->count; row++) {
        const struct etl_field *field = &layout->fields[row];
        size_t width = etl_type_facts(field->type)->width;
        if (!field->part && field->count == NULL) {
            size += width > 0 ? width : 1;
        }
    }
    return size;
}

/* Rows, then what they leave. */
static void show_rows(const struct etl_layout *layout, struct etl_span data,
                      const struct etl_decoder *decoder)
{
    struct etl_sink *sink = decoder->sink;
    size_t covered = etl_decode_layout(decoder, layout, data.at, data.size);
    const uint8_t *rest = data.at + covered;
    size_t left = data.size - covered;
    if (*decoder->truncated) {
        etl_decode_bytes(sink, ETL_ROW(item_header, Data), rest, left);
    } else if (left > 0) {
        etl_decode_bytes(sink, ETL_ROW(item_header, Data), rest, left);
        sink->note(sink, ETL_NOTE_SURPLUS, rest, left, NULL);
    } else if (data.size < least_size(layout)) {
        sink->note(sink, ETL_NOTE_TRUNCATED, rest, 0, NULL);
    }
}

static void show_data(const struct etl_item *item, const struct item_facts *facts,
                      const struct etl_event *event, const struct etl_context *context,
                      struct etl_sink *sink)
{
    bool truncated = false;
    struct etl_decoder decoder = {.sink = sink,
                                  .clock = &context->clock,
                                  .pointer_size = event->pointer_size,
                                  .truncated = &truncated};
    if (facts == NULL) {
        etl_decode_bytes(sink, ETL_ROW(item_header, Data), item->data.at, item->data.size);
        sink->note(sink, ETL_NOTE_UNKNOWN_ITEM, item->whole.at, item->whole.size, NULL);
    } else if (facts->show != NULL) {
        facts->show(item->data, sink);
    } else {
        show_rows(etl_layout(facts->layout), item->data, &decoder);
    }
    if (item->type == ETL_ITEM_PSM_KEY) {
        sink->note(sink, ETL_NOTE_OPAQUE_ITEM, item->data.at, item->data.size, NULL);
    }
}

static void show_item(const struct etl_item *item, const struct etl_event *event,
                      const struct etl_context *context, struct etl_sink *sink)
{
    const struct item_facts *facts = facts_of(item->type);
    const struct etl_layout *groups = etl_layout(ETL_LAYOUT_item_groups);
    sink->begin(sink, &groups->fields[facts != NULL ? facts->group : 0],
                facts != NULL ? facts->title : "Unknown type of extended item", item->whole.at,
                item->whole.size);
    show_header(item, sink);
    show_data(item, facts, event, context, sink);
    const uint8_t *padding = item->data.at + item->data.size;
    etl_decode_bytes(sink, ETL_ROW(item_header, Padding), padding,
                     (size_t)(item->whole.at + item->whole.size - padding));
    sink->end(sink);
}

/*
 * A chain that says that an item follows where none can be. Reading has taken its bytes, if there
 * are any, for the payload's first.
 */
static void note_missing_item(const struct etl_event *event, struct etl_sink *sink)
{
    const struct etl_span *payload = &event->payload;
    char detail[80];
    if (payload->size < ETL_ITEM_HEADER_SIZE) {
        snprintf(detail, sizeof detail, "an item needs 8 bytes, %zu are left", payload->size);
    } else {
        snprintf(detail, sizeof detail, "it says %u bytes, %zu are left",
                 (unsigned)etl_load_u16(payload->at), payload->size);
    }
    size_t size = payload->size < ETL_ITEM_HEADER_SIZE ? payload->size : ETL_ITEM_HEADER_SIZE;
    sink->note(sink, ETL_NOTE_BAD_ITEM, payload->at, size, detail);
}

void etl_items_show(const struct etl_event *event, const struct etl_context *context,
                    struct etl_sink *sink)
{
    struct etl_bytes bytes = etl_bytes_of(event->items.at, event->items.size);
    struct etl_item item;
    bool more = event->kind->family == ETL_FAMILY_MODERN && event->items.at != NULL &&
                (event->flags & FLAG_EXTENDED_INFO) != 0;
    bool any = more || event->items.size > 0;
    while (any && etl_item_next(&bytes, &item)) {
        show_item(&item, event, context, sink);
        more = item.linked;
        any = more;
    }
    size_t left = etl_bytes_left(&bytes);
    if (left > 0) { /* only in a record: the chain of an event ends where its items do */
        etl_decode_bytes(sink, ETL_ROW(item_header, Data), bytes.at, left);
        sink->note(sink, more ? ETL_NOTE_BAD_ITEM : ETL_NOTE_SURPLUS, bytes.at, left, NULL);
    } else if (more) {
        note_missing_item(event, sink);
    }
}
