/*
 * Schemas of TraceLogging events (etl/tracelogging.h draws them): nearly every part is there only
 * if a bit before it says so. Rows: schema_tl and schema_tl_field of plugin/layouts/items.def.
 */
#include "etl/tracelogging.h"

#include "etl/decode.h"
#include "etl/rows.h"

#include <stdio.h>
#include <string.h>

#define SIZE_BYTES      2
#define IN_TYPE_MASK    0x1F
#define IN_COUNT_MASK   0x60
#define IN_COUNT_SHIFT  5
#define IN_OUT_FOLLOWS  0x80
#define OUT_TYPE_MASK   0x7F
#define OUT_TAGS_FOLLOW 0x80
#define TAG_MORE        0x80
#define TAG_BYTES_MAX   4
#define TAG_BITS        28

/* A chain of tag bytes, to its end however long; bytes after the fourth have no place in the value.
 */
static struct etl_tracelogging_tags read_tags(struct etl_bytes *bytes)
{
    struct etl_tracelogging_tags tags = {.bytes = {.at = bytes->at}};
    unsigned shift = TAG_BITS;
    uint8_t byte = TAG_MORE;
    while ((byte & TAG_MORE) != 0 && !bytes->failed) {
        byte = etl_bytes_u8(bytes);
        if (shift > 0) {
            shift -= 7;
            tags.value |= (uint32_t)(byte & ~TAG_MORE) << shift;
        }
    }
    tags.bytes.size = (size_t)(bytes->at - tags.bytes.at);
    return tags;
}

/* Text up to a NUL, which is taken too; failed if there is none. */
static struct etl_span read_text(struct etl_bytes *bytes)
{
    struct etl_span text = {.at = bytes->at};
    size_t left = etl_bytes_left(bytes);
    const uint8_t *nul = left > 0 && !bytes->failed ? memchr(bytes->at, 0, left) : NULL;
    text.size = nul != NULL ? (size_t)(nul - text.at) : 0;
    etl_bytes_take(bytes, nul != NULL ? text.size + 1 : SIZE_MAX);
    return text;
}

bool etl_tracelogging_read(struct etl_span data, struct etl_tracelogging_event *ret_event)
{
    struct etl_bytes bytes = etl_bytes_of(data.at, data.size);
    struct etl_tracelogging_event event = {.size = etl_bytes_u16(&bytes)};
    if (!bytes.failed && event.size < data.size) {
        size_t size = event.size > SIZE_BYTES ? event.size : SIZE_BYTES;
        bytes.end = data.at + size;
    }
    event.tags = read_tags(&bytes);
    event.name = read_text(&bytes);
    event.fields = bytes;
    if (bytes.failed) {
        return false;
    }
    *ret_event = event;
    return true;
}

bool etl_tracelogging_next_field(struct etl_bytes *fields, struct etl_tracelogging_field *ret_field)
{
    struct etl_bytes bytes = *fields;
    struct etl_tracelogging_field field = {.whole = {.at = bytes.at}, .name = read_text(&bytes)};
    uint8_t in = etl_bytes_u8(&bytes);
    field.in_type = in & IN_TYPE_MASK;
    field.count_mode = (in & IN_COUNT_MASK) >> IN_COUNT_SHIFT;
    if (in & IN_OUT_FOLLOWS) {
        field.out_at = bytes.at;
        uint8_t out = etl_bytes_u8(&bytes);
        field.out_type = out & OUT_TYPE_MASK;
        if (out & OUT_TAGS_FOLLOW) {
            field.tags = read_tags(&bytes);
        }
    }
    if (field.count_mode == ETL_TRACELOGGING_CONSTANT) {
        field.count = etl_bytes_u16(&bytes);
    } else if (field.count_mode == ETL_TRACELOGGING_CUSTOM) {
        field.type_info.size = etl_bytes_u16(&bytes);
        field.type_info.at = etl_bytes_take(&bytes, field.type_info.size);
    }
    if (bytes.failed) {
        return false;
    }
    field.whole.size = (size_t)(bytes.at - field.whole.at);
    *fields = bytes;
    *ret_field = field;
    return true;
}

bool etl_tracelogging_event_name(struct etl_span data, struct etl_span *ret_utf8)
{
    struct etl_tracelogging_event event;
    if (!etl_tracelogging_read(data, &event) || event.name.size == 0) {
        return false;
    }
    *ret_utf8 = event.name;
    return true;
}

static void show_text(struct etl_span text, const struct etl_field *row, struct etl_sink *sink)
{
    struct etl_value value = {.at = text.at,
                              .size = text.size + 1,
                              .bytes = text.at,
                              .length = text.size,
                              .encoding = ETL_ENCODING_UTF8};
    etl_sink_value(sink, row, &value);
}

static void show_tags(const struct etl_tracelogging_tags *tags, const struct etl_field *row,
                      struct etl_sink *sink)
{
    etl_decode_number(sink, row, tags->bytes.at, tags->bytes.size, tags->value);
    if (tags->bytes.size > TAG_BYTES_MAX) {
        sink->note(sink, ETL_NOTE_LONG_TAGS, tags->bytes.at, tags->bytes.size, NULL);
    }
}

/* What follows the in byte, as far as the field has it. */
static void show_field_rest(const struct etl_tracelogging_field *field, struct etl_sink *sink)
{
    const uint8_t *end = field->whole.at + field->whole.size;
    if (field->out_at != NULL) {
        const struct etl_field *row = field->in_type == ETL_TRACELOGGING_STRUCT
                                          ? ETL_ROW(schema_tl_field, Members)
                                          : ETL_ROW(schema_tl_field, OutType);
        etl_decode_number(sink, row, field->out_at, 1, field->out_type);
    }
    if (field->tags.bytes.size > 0) {
        show_tags(&field->tags, ETL_ROW(schema_tl_field, Tags), sink);
    }
    if (field->count_mode == ETL_TRACELOGGING_CONSTANT) {
        etl_decode_number(sink, ETL_ROW(schema_tl_field, Count), end - 2, 2, field->count);
    } else if (field->count_mode == ETL_TRACELOGGING_CUSTOM) {
        etl_decode_bytes(sink, ETL_ROW(schema_tl_field, TypeInfo), field->type_info.at,
                         field->type_info.size);
    }
}

static void show_field(const struct etl_tracelogging_field *field, struct etl_sink *sink)
{
    const uint8_t *in_at = field->name.at + field->name.size + 1;
    sink->begin(sink, ETL_ROW(schema_tl, Field), ETL_ROW(schema_tl, Field)->label, field->whole.at,
                field->whole.size);
    show_text(field->name, ETL_ROW(schema_tl_field, Name), sink);
    etl_decode_number(sink, ETL_ROW(schema_tl_field, InType), in_at, 1, field->in_type);
    etl_decode_number(sink, ETL_ROW(schema_tl_field, CountMode), in_at, 1, field->count_mode);
    show_field_rest(field, sink);
    sink->end(sink);
}

/* What cannot be read, or is too much. */
static void show_rest(const uint8_t *at, size_t size, enum etl_note note, struct etl_sink *sink)
{
    etl_decode_bytes(sink, ETL_ROW(item_header, Data), at, size);
    sink->note(sink, note, at, size, NULL);
}

static void show_fields(struct etl_bytes fields, struct etl_sink *sink)
{
    struct etl_tracelogging_field field;
    size_t count = 0;
    while (count < ETL_TRACELOGGING_FIELDS_MAX && etl_bytes_left(&fields) > 0 &&
           etl_tracelogging_next_field(&fields, &field)) {
        show_field(&field, sink);
        count++;
    }
    if (etl_bytes_left(&fields) > 0) {
        bool many = count == ETL_TRACELOGGING_FIELDS_MAX;
        show_rest(fields.at, etl_bytes_left(&fields),
                  many ? ETL_NOTE_MANY_FIELDS : ETL_NOTE_BAD_SCHEMA, sink);
    }
}

void etl_tracelogging_show(struct etl_span data, struct etl_sink *sink)
{
    struct etl_tracelogging_event event;
    if (data.size < SIZE_BYTES) {
        show_rest(data.at, data.size, ETL_NOTE_BAD_SCHEMA, sink);
        return;
    }
    unsigned size = etl_load_u16(data.at);
    etl_decode_number(sink, ETL_ROW(schema_tl, Size), data.at, SIZE_BYTES, size);
    if (size != data.size) {
        sink->note(sink, ETL_NOTE_ITEM_SIZES_DIFFER, data.at, SIZE_BYTES, NULL);
    }
    if (!etl_tracelogging_read(data, &event)) {
        show_rest(data.at + SIZE_BYTES, data.size - SIZE_BYTES, ETL_NOTE_BAD_SCHEMA, sink);
        return;
    }
    show_tags(&event.tags, ETL_ROW(schema_tl, Tags), sink);
    show_text(event.name, ETL_ROW(schema_tl, EventName), sink);
    show_fields(event.fields, sink);
    const uint8_t *end = event.fields.end;
    etl_decode_bytes(sink, ETL_ROW(item_header, Data), end, (size_t)(data.at + data.size - end));
}
