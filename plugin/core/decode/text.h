/*
 * Text made piece by piece in a room that somebody else has, and values as text (etl/info.h): UTF-8, cut between
 * characters where the room ends. Every line of a listing is made by this, so pieces are put in line and the NUL
 * comes at the end.
 */
#ifndef ETL_CORE_DECODE_TEXT_H
#define ETL_CORE_DECODE_TEXT_H

#include "etl/decode.h"

#include <string.h>

#define ELLIPSIS "…"

struct text {
    char *start;
    char *at;
    char *end; /* where the NUL must go at the latest; comes down to `at` when something was cut */
};

/* `size` is at least 1. */
static inline struct text text_in(char *room, size_t size)
{
    return (struct text){.start = room, .at = room, .end = room + size - 1};
}

/* Terminates; returns the length. */
static inline size_t text_finish(struct text *text)
{
    *text->at = '\0';
    return (size_t)(text->at - text->start);
}

/* What does not fit: nothing comes after it. */
void etl_text_put_cut(struct text *text, const char *from);

/* After a piece that somebody else cut to the room: where less than a character is left, it may have been. */
static inline void etl_text_end_if_full(struct text *text)
{
    if (text->end - text->at < 4) {
        text->end = text->at;
    }
}

static inline void put(struct text *text, const char *from, size_t length)
{
    if (length > (size_t)(text->end - text->at)) {
        etl_text_put_cut(text, from);
        return;
    }
    memcpy(text->at, from, length);
    text->at += length;
}

static inline void put_text(struct text *text, const char *from)
{
    put(text, from, strlen(from));
}

/* Between two of a list, of which one begins at `begin`. */
static inline void put_separator(struct text *text, const char *begin, const char *separator)
{
    if (text->at > begin) {
        put_text(text, separator);
    }
}

void etl_text_put_decimal(struct text *text, uint64_t number);

void etl_text_put_value(struct text *text, const struct etl_field *field,
                        const struct etl_value *value);

#endif
