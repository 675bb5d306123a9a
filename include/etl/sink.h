/*
 * Where decoded fields go: a tree, a text, a counter, nothing. The core decodes and calls; a sink
 * shows.
 *
 * A sink knows how to show, count or print a field and not how it is decoded. It sees values in the
 * order of the rows and cannot look ahead. Everything it is given is borrowed for the length of the
 * call.
 */
#ifndef ETL_SINK_H
#define ETL_SINK_H

#include "etl/layout.h"

enum etl_note {
#define NOTE(id, severity, group, sentence) ETL_NOTE_##id,
#include "etl/notes.def"
#undef NOTE
    ETL_NOTE_COUNT
};

struct etl_value {
    const uint8_t *at; /* the value's own bytes, terminator and padding included; NULL: generated */
    size_t size;
    uint64_t number;            /* NUMBER, SIGNED, BOOLEAN, TIME */
    const uint8_t *bytes;       /* TEXT: without the terminator; SID: the SID alone; else as `at` */
    size_t length;              /* of `bytes`, in bytes */
    enum etl_encoding encoding; /* TEXT */
    bool unknown; /* TIME: the clock that would convert it is unknown; number is the raw value */
};

struct etl_sink {
    /* Whether anybody will look at this field. NULL: always. Asked once per field, before `value`.
     */
    bool (*wants)(struct etl_sink *sink, const struct etl_field *field);
    void (*value)(struct etl_sink *sink, const struct etl_field *field,
                  const struct etl_value *value);
    /*
     * All of an array of plain numbers, of `width` bytes each, for who needs less than a value of each. NULL: each
     * comes to `value`.
     */
    void (*numbers)(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                    size_t width, size_t count);
    /* A group: an element of a STRUCT field, or a part of the frame named by `title`. */
    void (*begin)(struct etl_sink *sink, const struct etl_field *field, const char *title,
                  const uint8_t *at, size_t size);
    void (*end)(struct etl_sink *sink);
    /* `detail` completes the note's sentence; may be NULL. */
    void (*note)(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                 const char *detail);
};

/* Shows a value unless nobody looks at it. */
static inline void etl_sink_value(struct etl_sink *sink, const struct etl_field *field,
                                  const struct etl_value *value)
{
    if (sink->wants == NULL || sink->wants(sink, field)) {
        sink->value(sink, field, value);
    }
}

/* For sinks to which groups or notes mean nothing. */
static inline void etl_ignore_begin(struct etl_sink *sink, const struct etl_field *field,
                                    const char *title, const uint8_t *at, size_t size)
{
    (void)sink, (void)field, (void)title, (void)at, (void)size;
}

static inline void etl_ignore_end(struct etl_sink *sink)
{
    (void)sink;
}

static inline void etl_ignore_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at,
                                   size_t size, const char *detail)
{
    (void)sink, (void)note, (void)at, (void)size, (void)detail;
}

/* The note's sentence, borrowed, never NULL. */
const char *etl_note_sentence(enum etl_note note);

#endif
