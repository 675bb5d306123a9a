/*
 * Packs LZNT1. Facts: [MS-XCA] 2.5; the format is drawn in plugin/core/expand/lznt1.c.
 */
#include "lznt1_compress.h"

#include "etl/bytes.h"
#include "packing.h"

#define CHUNK_SIZE       4096
#define CHUNK_PLAIN      0x3000
#define CHUNK_COMPRESSED 0xB000

/* How many bits of a token are the length, at this position in its chunk. */
static unsigned length_bits_at(size_t position)
{
    unsigned bits = 12;
    for (size_t reach = 16; reach < position; reach *= 2) {
        bits--;
    }
    return bits;
}

/* One token at `at`; returns how many bytes of data it stands for. */
static size_t put_token(struct etl_output *out, struct etl_matcher *matcher, size_t at,
                        size_t start, size_t end, uint8_t *flag)
{
    unsigned length_bits = length_bits_at(at - start);
    size_t length_most = ((size_t)1 << length_bits) - 1 + ETL_MATCH_LEAST;
    length_most = length_most < end - at ? length_most : end - at;
    struct etl_match match = etl_matcher_find(matcher, at, at - start, length_most);
    *flag = match.length > 0;
    if (match.length == 0) {
        etl_output_u8(out, matcher->data[at]);
        return 1;
    }
    size_t token = (match.distance - 1) << length_bits | (match.length - ETL_MATCH_LEAST);
    etl_output_u16(out, (uint16_t)token);
    return match.length;
}

static void put_groups(struct etl_output *out, struct etl_matcher *matcher, size_t start,
                       size_t end)
{
    for (size_t at = start; at < end && !out->full;) {
        uint8_t *flags_at = etl_output_reserve(out, 1);
        uint8_t flags = 0;
        for (int i = 0; i < 8 && at < end; i++) {
            uint8_t flag = 0;
            at += put_token(out, matcher, at, start, end, &flag);
            flags |= (uint8_t)(flag << i);
        }
        if (flags_at != NULL) {
            *flags_at = flags;
        }
    }
}

static void put_chunk(struct etl_output *out, struct etl_matcher *matcher, size_t start, size_t end)
{
    uint8_t packed[CHUNK_SIZE];
    struct etl_output groups = etl_output_of(packed, end - start);
    put_groups(&groups, matcher, start, end);
    size_t size = etl_output_size(&groups);
    if (size > 0) {
        etl_output_u16(out, (uint16_t)(CHUNK_COMPRESSED | (size - 1)));
        etl_output_bytes(out, packed, size);
    } else {
        etl_output_u16(out, (uint16_t)(CHUNK_PLAIN | (end - start - 1)));
        etl_output_bytes(out, matcher->data + start, end - start);
    }
}

size_t etl_lznt1_compress(const uint8_t *data, size_t size, uint8_t *room, size_t room_size)
{
    struct etl_output out = etl_output_of(room, room_size);
    struct etl_matcher matcher;
    if (!etl_matcher_start(&matcher, data, size)) {
        etl_matcher_free(&matcher);
        return 0;
    }
    for (size_t start = 0; start < size && !out.full; start += CHUNK_SIZE) {
        size_t left = size - start;
        put_chunk(&out, &matcher, start, start + (left < CHUNK_SIZE ? left : CHUNK_SIZE));
    }
    if (size == 0) {
        etl_output_u16(&out, 0); /* the mark of the end, so that even nothing is something */
    }
    etl_matcher_free(&matcher);
    return etl_output_size(&out);
}
