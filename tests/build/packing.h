/*
 * What the three compressors share: an output that does not outgrow its room, and a search for
 * matches. For tests, where clear is better than fast; the formats are drawn in plugin/core/.
 */
#ifndef ETL_BUILD_PACKING_H
#define ETL_BUILD_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETL_MATCH_LEAST 3

/* Once `full`, nothing more is written. Borrowed. */
struct etl_output {
    uint8_t *start;
    uint8_t *at;
    uint8_t *end;
    bool full;
};

struct etl_output etl_output_of(uint8_t *room, size_t size);

/* The next `size` bytes, to be written by the caller; NULL when there is no room for them. */
uint8_t *etl_output_reserve(struct etl_output *out, size_t size);

void etl_output_u8(struct etl_output *out, uint8_t value);
void etl_output_u16(struct etl_output *out, uint16_t value);
void etl_output_u32(struct etl_output *out, uint32_t value);
void etl_output_bytes(struct etl_output *out, const uint8_t *data, size_t size);

/* How many bytes were written, 0 when there was no room for all. */
size_t etl_output_size(const struct etl_output *out);

/* A match of `length` 0 is none. */
struct etl_match {
    size_t length;
    size_t distance;
};

/* Positions by a hash of their next three bytes, the latest first. `data` is borrowed. */
struct etl_matcher {
    const uint8_t *data;
    size_t size;
    size_t known;       /* positions before this one can be found */
    uint32_t *heads;    /* owned; a position + 1 by hash, 0 for none */
    uint32_t *previous; /* owned; the next older one by position, as in `heads` */
};

/* False when there is no memory; to be freed in any case. */
bool etl_matcher_start(struct etl_matcher *matcher, const uint8_t *data, size_t size);
void etl_matcher_free(struct etl_matcher *matcher);

/* The longest match found for `position`, which must not be smaller than in the call before. */
struct etl_match etl_matcher_find(struct etl_matcher *matcher, size_t position,
                                  size_t distance_most, size_t length_most);

#endif
