/*
 * The output and the search for matches that the three compressors share.
 */
#include "packing.h"

#include "etl/bytes.h"

#include <stdlib.h>
#include <string.h>

#define HASH_BITS 14

/* How many earlier positions are tried: more packs better and takes longer. */
#define TRIES_MOST 8

struct etl_output etl_output_of(uint8_t *room, size_t size)
{
    return (struct etl_output){.start = room, .at = room, .end = size > 0 ? room + size : room};
}

uint8_t *etl_output_reserve(struct etl_output *out, size_t size)
{
    if (out->full || (size_t)(out->end - out->at) < size) {
        out->full = true;
        return NULL;
    }
    uint8_t *reserved = out->at;
    out->at += size;
    return reserved;
}

void etl_output_u8(struct etl_output *out, uint8_t value)
{
    uint8_t *at = etl_output_reserve(out, 1);
    if (at != NULL) {
        *at = value;
    }
}

void etl_output_u16(struct etl_output *out, uint16_t value)
{
    uint8_t *at = etl_output_reserve(out, 2);
    if (at != NULL) {
        etl_store_u16(at, value);
    }
}

void etl_output_u32(struct etl_output *out, uint32_t value)
{
    uint8_t *at = etl_output_reserve(out, 4);
    if (at != NULL) {
        etl_store_u32(at, value);
    }
}

void etl_output_bytes(struct etl_output *out, const uint8_t *data, size_t size)
{
    uint8_t *at = etl_output_reserve(out, size);
    if (at != NULL && size > 0) {
        memcpy(at, data, size);
    }
}

size_t etl_output_size(const struct etl_output *out)
{
    return out->full ? 0 : (size_t)(out->at - out->start);
}

bool etl_matcher_start(struct etl_matcher *matcher, const uint8_t *data, size_t size)
{
    *matcher = (struct etl_matcher){.data = data, .size = size};
    matcher->heads = calloc((size_t)1 << HASH_BITS, sizeof *matcher->heads);
    matcher->previous = calloc(size > 0 ? size : 1, sizeof *matcher->previous);
    return matcher->heads != NULL && matcher->previous != NULL;
}

void etl_matcher_free(struct etl_matcher *matcher)
{
    free(matcher->heads);
    free(matcher->previous);
}

/* Any odd multiplier that spreads three bytes over the topmost bits does. */
static uint32_t hash_at(const uint8_t *p)
{
    uint32_t three = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return (three * 2654435761U) >> (32 - HASH_BITS);
}

static void learn_until(struct etl_matcher *matcher, size_t position)
{
    for (; matcher->known < position; matcher->known++) {
        if (matcher->size - matcher->known >= ETL_MATCH_LEAST) {
            uint32_t *head = &matcher->heads[hash_at(matcher->data + matcher->known)];
            matcher->previous[matcher->known] = *head;
            *head = (uint32_t)matcher->known + 1;
        }
    }
}

static size_t common_length(const uint8_t *one, const uint8_t *other, size_t most)
{
    size_t length = 0;
    while (length < most && one[length] == other[length]) {
        length++;
    }
    return length;
}

struct etl_match etl_matcher_find(struct etl_matcher *matcher, size_t position,
                                  size_t distance_most, size_t length_most)
{
    struct etl_match best = {0};
    learn_until(matcher, position);
    if (matcher->size - position < ETL_MATCH_LEAST) {
        return best;
    }
    const uint8_t *here = matcher->data + position;
    uint32_t candidate = matcher->heads[hash_at(here)];
    for (int i = 0; i < TRIES_MOST && candidate != 0; i++) {
        size_t distance = position - (candidate - 1);
        if (distance > distance_most || best.length >= length_most) {
            break;
        }
        size_t length = common_length(here - distance, here, length_most);
        if (length >= ETL_MATCH_LEAST && length > best.length) {
            best = (struct etl_match){.length = length, .distance = distance};
        }
        candidate = matcher->previous[candidate - 1];
    }
    return best;
}
