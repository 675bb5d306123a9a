/*
 * Makes schemas: from the metadata of a TraceLogging event and from packed bytes (etl/schema.h draws
 * both). Nothing in either is believed: a field refers only to earlier ones, a struct only to later
 * ones, so that no walk ever comes back.
 */
#include "etl/schema.h"

#include "core/schema/schema_make.h"
#include "core/schema/schema_writer.h"
#include "etl/tracelogging.h"

#include <stdlib.h>
#include <string.h>

#define UTF8_PER_BYTE 3
#define EXTRA_TEXT    16

/* What in and out type are together shown as; COUNT: by the in type alone. */
static const enum etl_type plain_types[ETL_IN_COUNT] = {
    [ETL_IN_NULL] = ETL_TYPE_BYTES,
    [ETL_IN_UNICODE_STRING] = ETL_TYPE_UTF16,
    [ETL_IN_ANSI_STRING] = ETL_TYPE_ANSI,
    [ETL_IN_INT8] = ETL_TYPE_I8,
    [ETL_IN_UINT8] = ETL_TYPE_U8,
    [ETL_IN_INT16] = ETL_TYPE_I16,
    [ETL_IN_UINT16] = ETL_TYPE_U16,
    [ETL_IN_INT32] = ETL_TYPE_I32,
    [ETL_IN_UINT32] = ETL_TYPE_U32,
    [ETL_IN_INT64] = ETL_TYPE_I64,
    [ETL_IN_UINT64] = ETL_TYPE_U64,
    [ETL_IN_FLOAT] = ETL_TYPE_FLOAT,
    [ETL_IN_DOUBLE] = ETL_TYPE_DOUBLE,
    [ETL_IN_BOOL32] = ETL_TYPE_BOOL32,
    [ETL_IN_BINARY] = ETL_TYPE_BYTES,
    [ETL_IN_GUID] = ETL_TYPE_GUID,
    [ETL_IN_POINTER] = ETL_TYPE_POINTER,
    [ETL_IN_FILETIME] = ETL_TYPE_FILETIME,
    [ETL_IN_SYSTEMTIME] = ETL_TYPE_SYSTEMTIME,
    [ETL_IN_SID] = ETL_TYPE_SID,
    [ETL_IN_HEX_INT32] = ETL_TYPE_HEX32,
    [ETL_IN_HEX_INT64] = ETL_TYPE_HEX64,
    [ETL_IN_COUNTED_STRING] = ETL_TYPE_UTF16,
    [ETL_IN_COUNTED_ANSI_STRING] = ETL_TYPE_ANSI,
    [ETL_IN_STRUCT] = ETL_TYPE_STRUCT,
    [ETL_IN_COUNTED_BINARY] = ETL_TYPE_BYTES,
    [ETL_IN_SIZE] = ETL_TYPE_SIZE,
};

/* By width 1, 2, 4, 8; COUNT: the out type changes nothing. */
struct number_types {
    enum etl_type by_width[4];
};

#define SAME ETL_TYPE_COUNT

static const struct number_types number_types[ETL_OUT_COUNT] = {
    [ETL_OUT_DEFAULT] = {{SAME, SAME, SAME, SAME}},
    [ETL_OUT_STRING] = {{ETL_TYPE_ANSI, ETL_TYPE_UTF16, SAME, SAME}},
    [ETL_OUT_BOOLEAN] = {{ETL_TYPE_BOOL8, ETL_TYPE_BOOL16, ETL_TYPE_BOOL32, SAME}},
    [ETL_OUT_HEX] = {{ETL_TYPE_HEX8, ETL_TYPE_HEX16, ETL_TYPE_HEX32, ETL_TYPE_HEX64}},
    [ETL_OUT_PID] = {{SAME, SAME, ETL_TYPE_U32, SAME}},
    [ETL_OUT_TID] = {{SAME, SAME, ETL_TYPE_U32, SAME}},
    [ETL_OUT_PORT] = {{SAME, ETL_TYPE_PORT, SAME, SAME}},
    [ETL_OUT_IPV4] = {{SAME, SAME, ETL_TYPE_IPV4, SAME}},
    [ETL_OUT_IPV6] = {{SAME, SAME, SAME, SAME}},
    [ETL_OUT_SOCKET_ADDRESS] = {{SAME, SAME, SAME, SAME}},
    [ETL_OUT_UTF8] = {{SAME, SAME, SAME, SAME}},
    [ETL_OUT_WIN32_ERROR] = {{SAME, SAME, ETL_TYPE_WIN32ERROR, SAME}},
    [ETL_OUT_NTSTATUS] = {{SAME, SAME, ETL_TYPE_NTSTATUS, SAME}},
    [ETL_OUT_HRESULT] = {{SAME, SAME, ETL_TYPE_HRESULT, SAME}},
    [ETL_OUT_FILETIME] = {{SAME, SAME, SAME, ETL_TYPE_FILETIME}},
    [ETL_OUT_SIGNED] = {{ETL_TYPE_I8, ETL_TYPE_I16, ETL_TYPE_I32, ETL_TYPE_I64}},
    [ETL_OUT_UNSIGNED] = {{ETL_TYPE_U8, ETL_TYPE_U16, ETL_TYPE_U32, ETL_TYPE_U64}},
    [ETL_OUT_XML] = {{SAME, SAME, SAME, SAME}},
    [ETL_OUT_JSON] = {{SAME, SAME, SAME, SAME}},
};

static enum etl_type type_of_number(enum etl_type plain, enum etl_out out)
{
    static const uint8_t place_of_width[9] = {[2] = 1, [4] = 2, [8] = 3};
    enum etl_type type = number_types[out].by_width[place_of_width[etl_type_facts(plain)->width]];
    return type != SAME ? type : plain;
}

enum etl_type etl_schema_type(enum etl_in in, enum etl_out out)
{
    enum etl_type plain = plain_types[in];
    switch (in) {
    case ETL_IN_ANSI_STRING:
    case ETL_IN_COUNTED_ANSI_STRING:
        return out == ETL_OUT_UTF8 || out == ETL_OUT_XML || out == ETL_OUT_JSON ? ETL_TYPE_UTF8
                                                                                : plain;
    case ETL_IN_BINARY:
    case ETL_IN_COUNTED_BINARY:
        return out == ETL_OUT_IPV6             ? ETL_TYPE_IPV6
               : out == ETL_OUT_SOCKET_ADDRESS ? ETL_TYPE_SOCKADDR
                                               : plain;
    case ETL_IN_POINTER:
    case ETL_IN_SIZE:
    case ETL_IN_NULL:
    case ETL_IN_STRUCT:
    case ETL_IN_GUID:
    case ETL_IN_SYSTEMTIME:
    case ETL_IN_SID:
    case ETL_IN_UNICODE_STRING:
    case ETL_IN_COUNTED_STRING:
    case ETL_IN_BOOL32:
    case ETL_IN_FLOAT:
    case ETL_IN_DOUBLE:
    case ETL_IN_FILETIME:
        return plain;
    default:
        return type_of_number(plain, out);
    }
}

/* Types that have their length before them whatever the field says, and characters. */
static void settle_length(struct etl_schema_field *field)
{
    bool text = etl_type_facts(field->row.type)->shape == ETL_SHAPE_TEXT;
    bool string = field->in == ETL_IN_UNICODE_STRING || field->in == ETL_IN_ANSI_STRING;
    if (field->in == ETL_IN_COUNTED_STRING || field->in == ETL_IN_COUNTED_ANSI_STRING ||
        field->in == ETL_IN_COUNTED_BINARY) {
        field->length_mode = ETL_QUANTITY_PREFIX;
    } else if (text && !string && field->in != ETL_IN_BINARY) {
        /* A character; an array of them is one text. */
        bool one = field->count_mode == ETL_QUANTITY_NATURAL;
        field->length_mode = one ? ETL_QUANTITY_FIXED : field->count_mode;
        field->length = one ? 1 : field->count;
        field->count_mode = ETL_QUANTITY_NATURAL;
    } else if (field->row.type == ETL_TYPE_IPV6 && field->length_mode == ETL_QUANTITY_NATURAL) {
        field->length_mode = ETL_QUANTITY_FIXED;
        field->length = 16;
    } else if (!string && field->in != ETL_IN_BINARY) {
        field->length_mode = ETL_QUANTITY_NATURAL;
    }
}

void etl_schema_settle(struct etl_schema_field *field, enum etl_in in, enum etl_out out)
{
    field->in = in;
    field->row.type = etl_schema_type(in, out);
    field->row.width = etl_type_facts(field->row.type)->width;
    field->row.filter = field->row.label; /* until somebody gives it a longer one */
    field->row.described = true;
    field->row.count_row = -1;
    field->row.when_row = -1;
    field->row.key = out == ETL_OUT_PID   ? ETL_KEY_PROCESS
                     : out == ETL_OUT_TID ? ETL_KEY_THREAD
                                          : ETL_KEY_NONE;
    if (etl_type_facts(field->row.type)->shape == ETL_SHAPE_TEXT) {
        field->row.markup = out == ETL_OUT_XML    ? ETL_MARKUP_XML
                            : out == ETL_OUT_JSON ? ETL_MARKUP_JSON
                                                  : ETL_MARKUP_NONE;
    }
    settle_length(field);
}

struct etl_schema *etl_schema_new(enum etl_schema_source source, size_t fields, size_t maps,
                                  size_t text_size)
{
    struct etl_schema *schema = calloc(1, sizeof *schema);
    if (schema == NULL) {
        return NULL;
    }
    schema->source = source;
    schema->fields = calloc(fields + 1, sizeof *schema->fields);
    schema->maps = calloc(maps + 1, sizeof *schema->maps);
    schema->arena = malloc(text_size);
    if (schema->fields == NULL || schema->maps == NULL || schema->arena == NULL) {
        etl_schema_free(schema);
        return NULL;
    }
    schema->text_at = schema->arena;
    schema->text_end = schema->arena + text_size;
    schema->text_at[0] = '\0';
    for (size_t i = 0; i < ETL_SCHEMA_TEXT_COUNT; i++) {
        schema->texts[i] = schema->text_at;
    }
    schema->text_at++;
    return schema;
}

void etl_schema_free(struct etl_schema *schema)
{
    if (schema == NULL) {
        return;
    }
    for (size_t i = 0; schema->maps != NULL && i < schema->map_count; i++) {
        free((void *)schema->maps[i].rows);
    }
    free(schema->arena);
    free(schema->maps);
    free(schema->fields);
    free(schema);
}

/* The text, UTF-8 whatever the bytes are. The room was made for all of them. */
static const char *keep_text(struct etl_schema *schema, struct etl_span text)
{
    size_t room = (size_t)(schema->text_end - schema->text_at);
    if (room < 2) {
        return "";
    }
    char *kept = schema->text_at;
    schema->text_at += etl_utf8_of_ansi(text.at, text.size, kept, room) + 1;
    return kept;
}

static void refer_to(struct etl_schema *schema, enum etl_quantity mode, uint16_t field)
{
    if (mode == ETL_QUANTITY_REFERENCE) {
        schema->fields[field].referred = true;
    }
}

/* TraceLogging's out types; what is missing changes nothing. */
static enum etl_out out_of_tracelogging(uint8_t out)
{
    static const uint8_t outs[] = {
        [2] = ETL_OUT_STRING,    [3] = ETL_OUT_BOOLEAN,   [4] = ETL_OUT_HEX,
        [5] = ETL_OUT_PID,       [6] = ETL_OUT_TID,       [7] = ETL_OUT_PORT,
        [8] = ETL_OUT_IPV4,      [9] = ETL_OUT_IPV6,      [10] = ETL_OUT_SOCKET_ADDRESS,
        [11] = ETL_OUT_XML,      [12] = ETL_OUT_JSON,     [13] = ETL_OUT_WIN32_ERROR,
        [14] = ETL_OUT_NTSTATUS, [15] = ETL_OUT_HRESULT,  [16] = ETL_OUT_FILETIME,
        [17] = ETL_OUT_SIGNED,   [18] = ETL_OUT_UNSIGNED, [35] = ETL_OUT_UTF8,
        [37] = ETL_OUT_HEX,
    };
    return out < sizeof outs ? (enum etl_out)outs[out] : ETL_OUT_DEFAULT;
}

static void add_tracelogging_field(struct etl_schema *schema,
                                   const struct etl_tracelogging_field *from)
{
    struct etl_schema_field *field = &schema->fields[schema->field_count++];
    bool custom = from->count_mode == ETL_TRACELOGGING_CUSTOM;
    enum etl_in in = custom ? ETL_IN_COUNTED_BINARY : (enum etl_in)from->in_type;
    bool structure = in == ETL_IN_STRUCT;
    field->row.label = keep_text(schema, from->name);
    if (from->count_mode == ETL_TRACELOGGING_CONSTANT) {
        field->count_mode = ETL_QUANTITY_FIXED;
        field->count = from->count;
    } else if (from->count_mode == ETL_TRACELOGGING_VARIABLE) {
        field->count_mode = ETL_QUANTITY_PREFIX;
    }
    if (in == ETL_IN_BINARY) { /* a count is that of its bytes */
        bool counted = field->count_mode != ETL_QUANTITY_NATURAL;
        field->length_mode = counted ? field->count_mode : ETL_QUANTITY_PREFIX;
        field->length = field->count;
        field->count_mode = ETL_QUANTITY_NATURAL;
    }
    etl_schema_settle(field, in,
                      structure || custom ? ETL_OUT_DEFAULT : out_of_tracelogging(from->out_type));
    field->first = schema->field_count;
    field->next = schema->field_count;
    field->members = structure ? from->out_type : 0;
}

/* Where the members of each struct end: members of members stand among them. */
static uint16_t link_members(struct etl_schema *schema, uint16_t at, unsigned depth)
{
    struct etl_schema_field *field = &schema->fields[at];
    uint16_t next = (uint16_t)(at + 1);
    if (depth > ETL_SCHEMA_DEPTH_MAX) {
        schema->incomplete = true;
        schema->field_count = at; /* nothing behind it can be decoded */
        return at;
    }
    for (uint16_t i = 0; i < field->members; i++) {
        if (next >= schema->field_count) {
            schema->incomplete |= i < field->members;
            field->members = i;
            break;
        }
        next = link_members(schema, next, depth + 1);
    }
    field->next = next;
    return next;
}

struct etl_schema *etl_schema_of_tracelogging(struct etl_span item)
{
    struct etl_tracelogging_event event;
    struct etl_tracelogging_field field;
    if (!etl_tracelogging_read(item, &event)) {
        return NULL;
    }
    size_t fields = 0;
    struct etl_bytes rest = event.fields;
    while (fields < ETL_SCHEMA_FIELDS_MAX && etl_tracelogging_next_field(&rest, &field) &&
           field.in_type < ETL_IN_SIZE) {
        fields++;
    }
    struct etl_schema *schema = etl_schema_new(ETL_SCHEMA_TRACELOGGING, fields, 0,
                                               item.size * UTF8_PER_BYTE + fields + EXTRA_TEXT);
    if (schema == NULL) {
        return NULL;
    }
    schema->texts[ETL_SCHEMA_EVENT] = keep_text(schema, event.name);
    rest = event.fields;
    while (schema->field_count < fields && etl_tracelogging_next_field(&rest, &field)) {
        add_tracelogging_field(schema, &field);
    }
    schema->incomplete = etl_bytes_left(&rest) > 0;
    for (uint16_t at = 0; at < schema->field_count; schema->top_count++) {
        at = link_members(schema, at, 1);
    }
    return schema;
}

static struct etl_span unpack_span(struct etl_bytes *bytes, size_t size)
{
    const uint8_t *at = etl_bytes_take(bytes, size);
    return (struct etl_span){.at = at, .size = at != NULL ? size : 0};
}

/* False when a field refers to what isn't before it, or a struct to what isn't behind it. */
static bool unpack_field(struct etl_schema *schema, struct etl_bytes *bytes, size_t fields,
                         size_t maps, uint16_t *ret_map)
{
    struct etl_schema_field *field = &schema->fields[schema->field_count];
    uint8_t in = etl_bytes_u8(bytes);
    uint8_t out = etl_bytes_u8(bytes);
    uint8_t modes = etl_bytes_u8(bytes);
    uint8_t name_size = etl_bytes_u8(bytes);
    field->count_mode = (enum etl_quantity)(modes & 15);
    field->length_mode = (enum etl_quantity)(modes >> 4);
    field->count = etl_bytes_u16(bytes);
    field->length = etl_bytes_u16(bytes);
    uint16_t map = etl_bytes_u16(bytes);
    struct etl_span name = unpack_span(bytes, name_size);
    bool count_refers = field->count_mode == ETL_QUANTITY_REFERENCE;
    bool length_refers = field->length_mode == ETL_QUANTITY_REFERENCE;
    if (bytes->failed || in >= ETL_IN_COUNT || out >= ETL_OUT_COUNT ||
        field->count_mode >= ETL_QUANTITY_REST || field->length_mode >= ETL_QUANTITY_REST ||
        (count_refers && field->count >= schema->field_count) ||
        (length_refers && in != ETL_IN_STRUCT && field->length >= schema->field_count)) {
        return false;
    }
    field->row.label = keep_text(schema, name);
    refer_to(schema, field->count_mode, field->count);
    if (in == ETL_IN_STRUCT) {
        if (map <= schema->field_count || (size_t)map + field->length > fields) {
            return false;
        }
        field->first = map;
        field->members = field->length;
        map = 0;
    } else {
        refer_to(schema, field->length_mode, field->length);
    }
    etl_schema_settle(field, (enum etl_in)in, (enum etl_out)out);
    field->next = (uint16_t)(schema->field_count + 1);
    *ret_map = map;
    schema->field_count++;
    return map <= maps;
}

static bool unpack_map(struct etl_schema *schema, struct etl_bytes *bytes)
{
    struct etl_names *map = &schema->maps[schema->map_count];
    uint8_t kind = etl_bytes_u8(bytes);
    etl_bytes_u8(bytes);
    size_t count = etl_bytes_u16(bytes);
    if (bytes->failed || kind > ETL_NAMES_FLAGS || count > etl_bytes_left(bytes) / 5) {
        return false;
    }
    struct etl_name *rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    schema->map_count++;
    *map = (struct etl_names){.id = "", .source = "", .kind = (enum etl_names_kind)kind};
    map->rows = rows;
    for (size_t i = 0; i < count; i++) {
        rows[i].value = etl_bytes_u32(bytes);
        size_t size = etl_bytes_u8(bytes);
        rows[i].text = keep_text(schema, unpack_span(bytes, size));
    }
    map->count = count;
    return !bytes->failed;
}

static bool unpack(struct etl_schema *schema, struct etl_bytes *bytes, size_t fields, size_t maps,
                   uint16_t *map_of_field)
{
    for (size_t i = 0; i < ETL_SCHEMA_TEXT_COUNT; i++) {
        size_t size = etl_bytes_u16(bytes);
        schema->texts[i] = keep_text(schema, unpack_span(bytes, size));
    }
    while (schema->field_count < fields) {
        if (!unpack_field(schema, bytes, fields, maps, &map_of_field[schema->field_count])) {
            return false;
        }
    }
    while (schema->map_count < maps) {
        if (!unpack_map(schema, bytes)) {
            return false;
        }
    }
    for (size_t i = 0; i < fields; i++) {
        schema->fields[i].row.map = map_of_field[i] > 0 ? &schema->maps[map_of_field[i] - 1] : NULL;
    }
    return !bytes->failed;
}

struct etl_schema *etl_schema_unpack(struct etl_span packed)
{
    uint16_t map_of_field[ETL_SCHEMA_FIELDS_MAX];
    struct etl_bytes bytes = etl_bytes_of(packed.at, packed.size);
    uint8_t version = etl_bytes_u8(&bytes);
    uint8_t source = etl_bytes_u8(&bytes);
    size_t fields = etl_bytes_u16(&bytes);
    uint16_t top = etl_bytes_u16(&bytes);
    size_t maps = etl_bytes_u16(&bytes);
    if (bytes.failed || version != ETL_SCHEMA_PACKED_VERSION || source >= ETL_SCHEMA_SOURCE_COUNT ||
        source > ETL_SCHEMA_EVENTSOURCE || /* nobody packs the others */
        fields > ETL_SCHEMA_FIELDS_MAX || top > fields || maps > ETL_SCHEMA_MAPS_MAX ||
        packed.size > ETL_SCHEMA_SIZE_MAX) {
        return NULL;
    }
    struct etl_schema *schema = etl_schema_new((enum etl_schema_source)source, fields, maps,
                                               packed.size * (UTF8_PER_BYTE + 1) + EXTRA_TEXT);
    if (schema == NULL) {
        return NULL;
    }
    schema->top_count = top;
    if (!unpack(schema, &bytes, fields, maps, map_of_field)) {
        etl_schema_free(schema);
        return NULL;
    }
    return schema;
}

const char *etl_schema_source_name(enum etl_schema_source source)
{
    static const char *const names[ETL_SCHEMA_SOURCE_COUNT] = {
        [ETL_SCHEMA_TRACELOGGING] = "TraceLogging",
        [ETL_SCHEMA_EMBEDDED] = "embedded",
        [ETL_SCHEMA_EVENTSOURCE] = "EventSource",
        [ETL_SCHEMA_USER] = "user manifest",
        [ETL_SCHEMA_USER_OLDER] = "user manifest older version",
        [ETL_SCHEMA_BUILTIN] = "built-in",
        [ETL_SCHEMA_BUILTIN_OLDER] = "built-in older version",
    };
    return names[source];
}

uint64_t etl_schema_hash(struct etl_span bytes)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ bytes.size;
    size_t at = 0;
    for (; at + 8 <= bytes.size; at += 8) {
        hash = (hash ^ etl_load_u64(bytes.at + at)) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    for (; at < bytes.size; at++) {
        hash = (hash ^ bytes.at[at]) * UINT64_C(0x100000001B3);
    }
    return hash ^ hash >> 29;
}
