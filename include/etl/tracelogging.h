/*
 * The schema that a TraceLogging event carries (extended item 11):
 *
 *   u16 Size | tags | UTF-8 event name, NUL | field …
 *   field:  UTF-8 name, NUL | u8 in | u8 out, if in & 80 | tags, if out & 80
 *           | u16 count, if in & 60 is 20 | u16 length, type information, if in & 60 is 60
 *   in:     0-4 type, 5-6 way of counting, 7 out follows      out: 0-6 type or number of members, 7
 * tags follow tags:   1 to 4 bytes of 7 bits, the top bits first; bit 7 says that another byte
 * follows
 *
 * Source: TraceLoggingProvider.h, checked on 17,668 items of real files. Knows nothing of the
 * payload that it describes.
 */
#ifndef ETL_TRACELOGGING_H
#define ETL_TRACELOGGING_H

#include "etl/event.h"

/* In-types that change how the schema itself is read. */
#define ETL_TRACELOGGING_STRUCT 24

/* The rest is shown as bytes. Windows' own decoder stops at 128 fields. */
#define ETL_TRACELOGGING_FIELDS_MAX 1024

enum etl_tracelogging_count_mode {
    ETL_TRACELOGGING_SCALAR,
    ETL_TRACELOGGING_CONSTANT, /* count values */
    ETL_TRACELOGGING_VARIABLE, /* the payload says how many */
    ETL_TRACELOGGING_CUSTOM, /* the payload says how many bytes; type information says what they are
                              */
};

struct etl_tracelogging_tags {
    struct etl_span bytes; /* empty: none */
    uint32_t value;        /* 28 bits */
};

struct etl_tracelogging_event {
    uint16_t size; /* as it says */
    struct etl_tracelogging_tags tags;
    struct etl_span name;    /* UTF-8, without its NUL */
    struct etl_bytes fields; /* for etl_tracelogging_next_field */
};

struct etl_tracelogging_field {
    struct etl_span whole;
    struct etl_span
        name; /* UTF-8, without its NUL; the byte of in-type and count mode follows that */
    const uint8_t *out_at; /* NULL: no out byte; out_type is 0 */
    uint8_t in_type;
    uint8_t count_mode; /* enum etl_tracelogging_count_mode */
    uint8_t out_type;   /* of a struct: how many of the following fields are its members */
    struct etl_tracelogging_tags tags;
    uint16_t count;            /* CONSTANT */
    struct etl_span type_info; /* CUSTOM */
};

/* The part before the fields; false when that is not whole. Fields end where Size says. */
bool etl_tracelogging_read(struct etl_span data, struct etl_tracelogging_event *ret_event);

/* The next field; false at the end, and when the rest is no field: `fields` has bytes left then. */
bool etl_tracelogging_next_field(struct etl_bytes *fields,
                                 struct etl_tracelogging_field *ret_field);

/* False if the schema has no whole name or an empty one. */
bool etl_tracelogging_event_name(struct etl_span data, struct etl_span *ret_utf8);

/* Shows the schema; what is not understood, as bytes. */
void etl_tracelogging_show(struct etl_span data, struct etl_sink *sink);

#endif
