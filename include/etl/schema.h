/*
 * Payloads that somebody describes: TraceLogging events carry their description, merged traces hold
 * those of other events. All become the same rows, and one interpreter decodes with them.
 *
 *   etl_schema ── fields[] ── row     what a sink sees: label, type, names (struct etl_field)
 *                          ── count   one, fixed, a u16 before the elements, or an earlier field
 *                          ── length  of each element, likewise
 *
 * All fields are one array. Members of a struct are `members` fields from `first` on, each followed
 * by fields[i].next.
 *
 * Packed (what a record carries, plugin/FORMAT.md), all texts UTF-8:
 *
 *   u8 version 2, u8 source, u16 fields, u16 top-level fields, u16 maps
 *   8 texts: u16 length, bytes: event, provider, task, opcode, level, keywords, message, channel
 *   field …: u8 in type, u8 out type, u8 count mode:4 length mode:4, u8 length of name,
 *            u16 count, u16 length, u16 map + 1 (0: none), name
 *            struct: length is the number of members, map is the first member's index
 *   map …:   u8 kind (enum etl_names_kind), u8 0, u16 entries; entry …: u32 value, u8 length, text
 *
 * Knows nothing of where descriptions are kept. Schemas are allocated when they are made; decoding
 * with one allocates nothing.
 */
#ifndef ETL_SCHEMA_H
#define ETL_SCHEMA_H

#include "etl/info.h"

/* Windows' own decoder stops at 128 fields. */
#define ETL_SCHEMA_FIELDS_MAX 1024
/* One event's values: an event has at most 65,535 bytes. */
#define ETL_SCHEMA_VALUES_MAX 65536
#define ETL_SCHEMA_DEPTH_MAX  8
/* Packed; so that an event of 65,535 bytes, its schema and its names fit a record. */
#define ETL_SCHEMA_SIZE_MAX 16384
#define ETL_SCHEMA_MAPS_MAX 64

enum etl_schema_source {
    ETL_SCHEMA_TRACELOGGING,
    ETL_SCHEMA_EMBEDDED,
    ETL_SCHEMA_EVENTSOURCE,
    ETL_SCHEMA_USER,
    ETL_SCHEMA_USER_OLDER, /* of a lower version of the event */
    ETL_SCHEMA_BUILTIN,
    ETL_SCHEMA_BUILTIN_OLDER, /* of a lower version of the event */
    ETL_SCHEMA_SOURCE_COUNT
};

/* Numbers of in types are Windows' own, the same in TraceLogging and in manifests. */
enum etl_in {
    ETL_IN_NULL,
    ETL_IN_UNICODE_STRING,
    ETL_IN_ANSI_STRING,
    ETL_IN_INT8,
    ETL_IN_UINT8,
    ETL_IN_INT16,
    ETL_IN_UINT16,
    ETL_IN_INT32,
    ETL_IN_UINT32,
    ETL_IN_INT64,
    ETL_IN_UINT64,
    ETL_IN_FLOAT,
    ETL_IN_DOUBLE,
    ETL_IN_BOOL32,
    ETL_IN_BINARY,
    ETL_IN_GUID,
    ETL_IN_POINTER,
    ETL_IN_FILETIME,
    ETL_IN_SYSTEMTIME,
    ETL_IN_SID,
    ETL_IN_HEX_INT32,
    ETL_IN_HEX_INT64,
    ETL_IN_COUNTED_STRING,
    ETL_IN_COUNTED_ANSI_STRING,
    ETL_IN_STRUCT,
    ETL_IN_COUNTED_BINARY,
    ETL_IN_SIZE, /* 308 there */
    ETL_IN_COUNT
};

/* The two worlds number out types differently; these are those that change what is shown. */
enum etl_out {
    ETL_OUT_DEFAULT,
    ETL_OUT_STRING,
    ETL_OUT_BOOLEAN,
    ETL_OUT_HEX,
    ETL_OUT_PID,
    ETL_OUT_TID,
    ETL_OUT_PORT,
    ETL_OUT_IPV4,
    ETL_OUT_IPV6,
    ETL_OUT_SOCKET_ADDRESS,
    ETL_OUT_UTF8,
    ETL_OUT_WIN32_ERROR,
    ETL_OUT_NTSTATUS,
    ETL_OUT_HRESULT,
    ETL_OUT_FILETIME,
    ETL_OUT_SIGNED,
    ETL_OUT_UNSIGNED,
    ETL_OUT_XML, /* UTF-8 too, where the in type is one of bytes */
    ETL_OUT_JSON,
    ETL_OUT_COUNT
};

enum etl_quantity {
    ETL_QUANTITY_NATURAL, /* one element; a length that the value itself tells */
    ETL_QUANTITY_FIXED,
    ETL_QUANTITY_PREFIX,    /* a u16 before it says */
    ETL_QUANTITY_REFERENCE, /* the field of that index says */
    ETL_QUANTITY_REST,      /* what the fields after it leave, whose widths are known */
};

enum etl_schema_text {
    ETL_SCHEMA_EVENT,
    ETL_SCHEMA_PROVIDER,
    ETL_SCHEMA_TASK,
    ETL_SCHEMA_OPCODE,
    ETL_SCHEMA_LEVEL,
    ETL_SCHEMA_KEYWORDS,
    ETL_SCHEMA_MESSAGE, /* "%1 connects to %2": fields by place, from 1 */
    ETL_SCHEMA_CHANNEL,
    ETL_SCHEMA_TEXT_COUNT
};

struct etl_schema_field {
    struct etl_field row; /* .filter and .number are the adapter's to set */
    enum etl_in in;
    enum etl_quantity count_mode;
    enum etl_quantity length_mode;
    uint16_t count;
    uint16_t length; /* UTF-16 code units or bytes */
    uint16_t first;
    uint16_t members;
    uint16_t next;
    bool referred; /* a later field's count or length is its value */
};

struct etl_schema {
    enum etl_schema_source source;
    const char *texts[ETL_SCHEMA_TEXT_COUNT]; /* UTF-8, "": none */
    struct etl_schema_field *fields;
    uint16_t field_count;
    uint16_t top_count; /* of fields that are no members, from 0 on by .next */
    struct etl_names *maps;
    uint16_t map_count;
    char *arena;   /* owned: all texts */
    char *text_at; /* while it is made: where the next text goes */
    char *text_end;
    bool incomplete;  /* the description could not be read to its end */
    uint8_t version;  /* USER_OLDER, BUILTIN_OLDER: which one it describes */
    const char *file; /* USER: borrowed; the name of the file that it is from. NULL: none */
};

/* Both NULL when the bytes are no schema, or when out of memory. The result is owned. */
struct etl_schema *etl_schema_of_tracelogging(struct etl_span item);
struct etl_schema *etl_schema_unpack(struct etl_span packed);
void etl_schema_free(struct etl_schema *schema); /* NULL is fine */

/*
 * Whether the fields cover the payload and nothing is missing: for descriptions that are not the
 * trace's own. Of an incomplete one it suffices that nothing is missing.
 */
bool etl_schema_fits(const struct etl_schema *schema, struct etl_span payload,
                     uint8_t pointer_size);

/* "TraceLogging", "embedded", "EventSource", "user manifest", "built-in", "built-in older version" */
const char *etl_schema_source_name(enum etl_schema_source source);

/*
 * Shows the fields over `bytes`; returns how many bytes they covered. What does not fit has its
 * note; what is left is for the caller to show.
 */
size_t etl_schema_decode(const struct etl_decoder *decoder, const struct etl_schema *schema,
                         const uint8_t *at, size_t size);

/*
 * The event in one line: its message with the values in it, else the first fields as Name=value.
 * Returns the length of what is in the room, which is always terminated.
 */
size_t etl_schema_info(const struct etl_info_source *source, const struct etl_schema *schema,
                       struct etl_span payload, char *room, size_t size);

/* A hash to find equal bytes by; not to be trusted against whoever wants two to collide. */
uint64_t etl_schema_hash(struct etl_span bytes);

#endif
