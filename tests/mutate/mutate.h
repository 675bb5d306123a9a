/*
 * Changes traces where their structure is, for the fuzz targets of whole files and for tests of damaged captures:
 * fields of buffer headers and of event headers; events that grow, shrink, come twice or go, with the buffer around
 * them kept right, so that what lies behind is reached; buffers that come twice, go, are packed and expanded.
 *
 * Knows how a trace is built, and nothing of what a reader makes of it.
 */
#ifndef ETL_TESTS_MUTATE_H
#define ETL_TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct etl_mutator {
    uint64_t random; /* a seed at first, never 0 */
    /* Changes `size` bytes in any way; returns how many they are then, at most `room`. libFuzzer has one. */
    size_t (*change_bytes)(uint8_t *data, size_t size, size_t room);
};

uint64_t etl_mutator_random(struct etl_mutator *mutator);

/* Makes one change to the trace; returns its new size, at most `room`. What is no trace is changed as bytes are. */
size_t etl_mutate_trace(struct etl_mutator *mutator, uint8_t *data, size_t size, size_t room);

/* Puts a buffer of `other` behind the trace; returns the new size, at most `room`. */
size_t etl_mutate_join(struct etl_mutator *mutator, uint8_t *data, size_t size, size_t room,
                       const uint8_t *other, size_t other_size);

#endif
