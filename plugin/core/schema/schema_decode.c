/*
 * The interpreter of schemas: fields over a payload into a sink.
 */
#include "etl/schema.h"

#include "core/decode/scalars.h"

#include "etl/info.h"

#include <stdio.h>
#include <string.h>

/* SOCKADDR: u16 family, u16 port (big-endian); 4: IPv4 address; 8: IPv6 address. */
#define FAMILY_IPV4 2
#define FAMILY_IPV6 23
#define IPV4_SIZE   8
#define IPV6_SIZE   24

struct walk {
    const struct etl_decoder *decoder;
    const struct etl_schema *schema;
    struct etl_bytes bytes;
    unsigned depth;
    size_t values;
    uint64_t numbers[ETL_SCHEMA_FIELDS_MAX]; /* of referred fields */
};

static bool decode_field(struct walk *walk, uint16_t index);

/* The field does not fit: a note over what is left, and no more fields. */
static bool truncated(struct walk *walk)
{
    struct etl_sink *sink = walk->decoder->sink;
    walk->bytes.failed = false;
    sink->note(sink, ETL_NOTE_TRUNCATED, walk->bytes.at, etl_bytes_left(&walk->bytes), NULL);
    if (walk->decoder->truncated != NULL) {
        *walk->decoder->truncated = true;
    }
    return false;
}

static void show(struct walk *walk, const struct etl_schema_field *field, struct etl_value value)
{
    etl_sink_value(walk->decoder->sink, &field->row, &value);
}

static uint64_t interpret(const struct etl_field *row, uint64_t raw, size_t width)
{
    uint64_t sign = UINT64_C(1) << ((width * 8 - 1) & 63);
    switch (etl_type_facts(row->type)->shape) {
    case ETL_SHAPE_SIGNED:
        return (raw ^ sign) - sign;
    case ETL_SHAPE_BOOLEAN:
        return raw != 0;
    default:
        return row->type == ETL_TYPE_PORT ? (raw & 0xFF) << 8 | raw >> 8 : raw;
    }
}

static bool decode_scalar(struct walk *walk, uint16_t index)
{
    const struct etl_schema_field *field = &walk->schema->fields[index];
    size_t width = field->row.width > 0 ? field->row.width : walk->decoder->pointer_size;
    const uint8_t *at = etl_bytes_take(&walk->bytes, width);
    if (at == NULL) {
        return truncated(walk);
    }
    uint64_t raw = width <= 8 ? etl_load_number(at, width) : 0;
    walk->numbers[index] = raw;
    show(walk, field,
         (struct etl_value){.at = at,
                            .size = width,
                            .number = interpret(&field->row, raw, width),
                            .bytes = at,
                            .length = width});
    return true;
}

/* How many elements or units there are; false when the u16 that says so is not there. */
static bool quantity(struct walk *walk, enum etl_quantity mode, uint16_t number, size_t *ret_count)
{
    uint64_t count;
    switch (mode) {
    case ETL_QUANTITY_PREFIX:
        *ret_count = etl_bytes_u16(&walk->bytes);
        return !walk->bytes.failed || truncated(walk);
    case ETL_QUANTITY_REFERENCE:
        count = walk->numbers[number];
        *ret_count = count < SIZE_MAX / 4 ? (size_t)count : SIZE_MAX / 4;
        return true;
    case ETL_QUANTITY_FIXED:
        *ret_count = number;
        return true;
    default:
        *ret_count = SIZE_MAX;
        return true;
    }
}

static enum etl_encoding encoding_of(enum etl_type type)
{
    return type == ETL_TYPE_UTF16  ? ETL_ENCODING_UTF16
           : type == ETL_TYPE_UTF8 ? ETL_ENCODING_UTF8
                                   : ETL_ENCODING_ANSI;
}

/*
 * Text up to its NUL, or of a length that is known before: what follows a NUL in that is padding.
 * One that the payload's end cuts is legal, and said so.
 */
static bool decode_text(struct walk *walk, const struct etl_schema_field *field)
{
    struct etl_sink *sink = walk->decoder->sink;
    const uint8_t *whole = walk->bytes.at;
    size_t units;
    if (!quantity(walk, field->length_mode, field->length, &units)) {
        return false;
    }
    size_t unit = field->row.type == ETL_TYPE_UTF16 ? 2 : 1;
    size_t left = etl_bytes_left(&walk->bytes);
    bool to_nul = units == SIZE_MAX;
    bool in_bytes = field->in == ETL_IN_COUNTED_STRING || field->in == ETL_IN_COUNTED_ANSI_STRING;
    size_t room = to_nul ? left : in_bytes ? units : units * unit;
    if (room > left || (to_nul && left == 0)) {
        return truncated(walk);
    }
    const uint8_t *text = walk->bytes.at;
    size_t length = etl_length_to_nul(text, room, unit);
    bool terminated = length != SIZE_MAX;
    length = terminated ? length : room - room % unit;
    etl_bytes_take(&walk->bytes, to_nul && terminated ? length + unit : room);
    show(walk, field,
         (struct etl_value){.at = whole,
                            .size = (size_t)(walk->bytes.at - whole),
                            .bytes = text,
                            .length = length,
                            .encoding = encoding_of(field->row.type)});
    if (to_nul && !terminated) {
        sink->note(sink, ETL_NOTE_NO_TERMINATOR, text, room, NULL);
    }
    return true;
}

/* "10.0.0.1:53", "[fe80::1]:53"; what is no address, as bytes in hexadecimal. */
static size_t write_socket_address(const uint8_t *at, size_t size, char *room, size_t room_size)
{
    struct etl_field row = {.type = ETL_TYPE_BYTES};
    struct etl_value value = {.bytes = at, .length = size};
    unsigned family = size >= 4 ? etl_load_u16(at) : 0;
    bool ipv4 = family == FAMILY_IPV4 && size >= IPV4_SIZE;
    bool ipv6 = family == FAMILY_IPV6 && size >= IPV6_SIZE;
    if (!ipv4 && !ipv6) {
        return etl_value_format(&row, &value, room, room_size);
    }
    char address[64];
    row.type = ipv4 ? ETL_TYPE_IPV4 : ETL_TYPE_IPV6;
    value.bytes = ipv4 ? at + 4 : at + 8;
    etl_value_format(&row, &value, address, sizeof address);
    int length = snprintf(room, room_size, ipv4 ? "%s:%u" : "[%s]:%u", address,
                          (unsigned)(at[2] << 8 | at[3]));
    return length > 0 ? (size_t)length : 0;
}

/* What is left before the fields that follow; false when they need more than that. */
static bool rest(struct walk *walk, const struct etl_schema_field *field, size_t *ret_size)
{
    size_t after = 0;
    for (uint16_t i = field->next; i < walk->schema->top_count; i++) {
        size_t width = walk->schema->fields[i].row.width;
        after += width > 0 ? width : walk->decoder->pointer_size;
    }
    size_t left = etl_bytes_left(&walk->bytes);
    *ret_size = left - after;
    return after <= left || truncated(walk);
}

/* Bytes, and what is kept in bytes: socket addresses, IPv6 addresses. */
static bool decode_bytes(struct walk *walk, const struct etl_schema_field *field)
{
    const uint8_t *whole = walk->bytes.at;
    size_t size;
    bool known = field->length_mode == ETL_QUANTITY_REST
                     ? rest(walk, field, &size)
                     : quantity(walk, field->length_mode, field->length, &size);
    if (!known) {
        return false;
    }
    size = size == SIZE_MAX ? etl_bytes_left(&walk->bytes) : size;
    const uint8_t *at = etl_bytes_take(&walk->bytes, size);
    if (at == NULL) {
        return truncated(walk);
    }
    char text[128];
    struct etl_value value = {
        .at = whole, .size = (size_t)(walk->bytes.at - whole), .bytes = at, .length = size};
    if (field->row.type == ETL_TYPE_SOCKADDR) {
        value.encoding = ETL_ENCODING_UTF8;
        value.length = write_socket_address(at, size, text, sizeof text);
        value.bytes = (const uint8_t *)text;
        value.number = (uint64_t)(at - whole); /* where the address begins */
    }
    bool whole_address = field->row.type != ETL_TYPE_IPV6 || size == 16;
    if (size > 0 && whole_address) {
        show(walk, field, value);
    }
    return true;
}

static bool decode_sid(struct walk *walk, const struct etl_schema_field *field)
{
    size_t left = etl_bytes_left(&walk->bytes);
    size_t size = left >= 8 ? 8 + 4 * (size_t)walk->bytes.at[1] : SIZE_MAX;
    if (size > left || walk->bytes.at[0] != 1 || walk->bytes.at[1] > 15) {
        return truncated(walk);
    }
    const uint8_t *at = etl_bytes_take(&walk->bytes, size);
    show(walk, field, (struct etl_value){.at = at, .size = size, .bytes = at, .length = size});
    return true;
}

static bool decode_structure(struct walk *walk, const struct etl_schema_field *field)
{
    struct etl_sink *sink = walk->decoder->sink;
    if (walk->depth >= ETL_SCHEMA_DEPTH_MAX) {
        return truncated(walk);
    }
    walk->depth++;
    sink->begin(sink, &field->row, field->row.label, walk->bytes.at, etl_bytes_left(&walk->bytes));
    bool whole = true;
    uint16_t index = field->first;
    for (uint16_t i = 0; i < field->members && whole; i++) {
        whole = decode_field(walk, index);
        index = walk->schema->fields[index].next;
    }
    sink->end(sink);
    walk->depth--;
    return whole;
}

static bool decode_element(struct walk *walk, uint16_t index)
{
    const struct etl_schema_field *field = &walk->schema->fields[index];
    if (field->in == ETL_IN_NULL) {
        return true;
    }
    if (field->row.type == ETL_TYPE_SOCKADDR || field->row.type == ETL_TYPE_IPV6) {
        return decode_bytes(walk, field);
    }
    switch (etl_type_facts(field->row.type)->shape) {
    case ETL_SHAPE_TEXT:
        return decode_text(walk, field);
    case ETL_SHAPE_BYTES:
        return decode_bytes(walk, field);
    case ETL_SHAPE_SID:
        return decode_sid(walk, field);
    case ETL_SHAPE_STRUCT:
        return decode_structure(walk, field);
    default:
        return decode_scalar(walk, index);
    }
}

static bool decode_field(struct walk *walk, uint16_t index)
{
    if (index >= walk->schema->field_count) {
        return false;
    }
    const struct etl_schema_field *field = &walk->schema->fields[index];
    size_t count;
    if (!quantity(walk, field->count_mode, field->count, &count)) {
        return false;
    }
    count = count == SIZE_MAX ? 1 : count;
    for (size_t done = 0; done < count; done++) {
        const uint8_t *before = walk->bytes.at;
        if (walk->values++ >= ETL_SCHEMA_VALUES_MAX || !decode_element(walk, index)) {
            return false;
        }
        if (walk->bytes.at == before) { /* elements without bytes: one is as good as all */
            break;
        }
    }
    return true;
}

static void ignore_value(struct etl_sink *sink, const struct etl_field *row,
                         const struct etl_value *value)
{
    (void)sink, (void)row, (void)value;
}

size_t etl_schema_decode(const struct etl_decoder *decoder, const struct etl_schema *schema,
                         const uint8_t *at, size_t size)
{
    struct walk walk;
    walk.decoder = decoder;
    walk.schema = schema;
    walk.bytes = etl_bytes_of(at, size);
    walk.depth = 0;
    walk.values = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].referred) {
            walk.numbers[i] = 0;
        }
    }
    bool whole = true;
    uint16_t index = 0;
    for (uint16_t i = 0; i < schema->top_count && whole; i++) {
        whole = decode_field(&walk, index);
        index = index < schema->field_count ? schema->fields[index].next : index;
    }
    return (size_t)(walk.bytes.at - at);
}

bool etl_schema_fits(const struct etl_schema *schema, struct etl_span payload, uint8_t pointer_size)
{
    static const struct etl_sink functions = {.value = ignore_value,
                                              .begin = etl_ignore_begin,
                                              .end = etl_ignore_end,
                                              .note = etl_ignore_note};
    static const struct etl_clock unknown = {.kind = ETL_CLOCK_UNKNOWN};
    struct etl_sink sink = functions;
    bool truncated = false;
    struct etl_decoder decoder = {
        .sink = &sink, .clock = &unknown, .pointer_size = pointer_size, .truncated = &truncated};
    size_t covered = etl_schema_decode(&decoder, schema, payload.at, payload.size);
    return !truncated && (covered == payload.size || schema->incomplete);
}
