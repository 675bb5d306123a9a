/*
 * A sink that shows nothing and reads every byte it is given, so that AddressSanitizer, valgrind
 * and the fuzzer see a value or a note that lies outside its input.
 */
#ifndef ETL_TESTS_NULL_SINK_H
#define ETL_TESTS_NULL_SINK_H

#include "etl/sink.h"

#include <stdlib.h>
#include <string.h>

struct null_sink {
    struct etl_sink sink;
    volatile uint64_t sum; /* written, so that no read is optimised away */
    int depth;             /* groups that are open */
};

static inline void null_sink_touch(struct null_sink *sink, const uint8_t *at, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; at != NULL && i < size; i++) {
        sum = sum * 31 + at[i];
    }
    sink->sum += sum;
}

static inline void null_sink_value(struct etl_sink *sink, const struct etl_field *field,
                                   const struct etl_value *value)
{
    struct null_sink *self = (struct null_sink *)sink;
    null_sink_touch(self, value->at, value->size);
    null_sink_touch(self, value->bytes, value->length);
    self->sum += value->number + strlen(field->label) + strlen(field->filter);
}

static inline void null_sink_begin(struct etl_sink *sink, const struct etl_field *field,
                                   const char *title, const uint8_t *at, size_t size)
{
    struct null_sink *self = (struct null_sink *)sink;
    null_sink_touch(self, at, size < 64 ? size : 64);
    self->sum += (field != NULL ? strlen(field->label) : 0) + (title != NULL ? strlen(title) : 0);
    self->depth++;
}

static inline void null_sink_end(struct etl_sink *sink)
{
    ((struct null_sink *)sink)->depth--;
}

static inline void null_sink_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at,
                                  size_t size, const char *detail)
{
    struct null_sink *self = (struct null_sink *)sink;
    null_sink_touch(self, at, size);
    self->sum += strlen(etl_note_sentence(note)) + (detail != NULL ? strlen(detail) : 0);
}

static inline struct null_sink null_sink_new(void)
{
    return (struct null_sink){
        .sink = {.value = null_sink_value,
                 .begin = null_sink_begin,
                 .end = null_sink_end,
                 .note = null_sink_note},
    };
}

/* Every group that was begun must have been ended. */
static inline void null_sink_check(const struct null_sink *sink)
{
    if (sink->depth != 0) {
        abort();
    }
}

#endif
