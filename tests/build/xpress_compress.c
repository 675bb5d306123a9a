/*
 * Packs plain LZ77. Facts: [MS-XCA] 2.3; the format is drawn in plugin/core/expand/xpress.c.
 * Flags are kept until there are 32, and then go where a place was left for them.
 */
#include "xpress_compress.h"

#include "etl/bytes.h"
#include "packing.h"

#define FLAG_COUNT    32
#define DISTANCE_MOST 8192

struct packer {
    struct etl_output out;
    uint8_t *flags_at;
    uint32_t flags;
    unsigned flag_count;
    uint8_t *nibble_at; /* the byte whose high half is free, NULL for none */
};

static void start_flags(struct packer *packer)
{
    packer->flags_at = etl_output_reserve(&packer->out, 4);
    packer->flags = 0;
    packer->flag_count = 0;
}

/* After the token that it is for. */
static void put_flag(struct packer *packer, unsigned flag)
{
    packer->flags = packer->flags << 1 | flag;
    packer->flag_count++;
    if (packer->flag_count == FLAG_COUNT) {
        if (packer->flags_at != NULL) {
            etl_store_u32(packer->flags_at, packer->flags);
        }
        start_flags(packer);
    }
}

static void put_nibble(struct packer *packer, unsigned nibble)
{
    if (packer->nibble_at != NULL) {
        *packer->nibble_at |= (uint8_t)(nibble << 4);
        packer->nibble_at = NULL;
        return;
    }
    packer->nibble_at = etl_output_reserve(&packer->out, 1);
    if (packer->nibble_at != NULL) {
        *packer->nibble_at = (uint8_t)nibble;
    }
}

/* What follows a token when `length`, which is the match's - 3, is 7 or more. */
static void put_long_length(struct packer *packer, size_t length)
{
    if (length < 7 + 15) {
        put_nibble(packer, (unsigned)length - 7);
        return;
    }
    put_nibble(packer, 15);
    if (length < 7 + 15 + 255) {
        etl_output_u8(&packer->out, (uint8_t)(length - 7 - 15));
        return;
    }
    etl_output_u8(&packer->out, 255);
    if (length <= UINT16_MAX) {
        etl_output_u16(&packer->out, (uint16_t)length);
    } else {
        etl_output_u16(&packer->out, 0);
        etl_output_u32(&packer->out, (uint32_t)length);
    }
}

static void put_match(struct packer *packer, struct etl_match match)
{
    size_t length = match.length - ETL_MATCH_LEAST;
    unsigned token = (unsigned)(match.distance - 1) << 3;
    etl_output_u16(&packer->out, (uint16_t)(token | (length < 7 ? (unsigned)length : 7)));
    if (length >= 7) {
        put_long_length(packer, length);
    }
    put_flag(packer, 1);
}

/* Flags that stand for nothing are set: that is how a reader knows the end. */
static void finish_flags(struct packer *packer)
{
    while (packer->flag_count < FLAG_COUNT - 1) {
        packer->flags = packer->flags << 1 | 1;
        packer->flag_count++;
    }
    if (packer->flags_at != NULL) {
        etl_store_u32(packer->flags_at, packer->flags << 1 | 1);
    }
}

size_t etl_xpress_compress(const uint8_t *data, size_t size, uint8_t *room, size_t room_size)
{
    struct packer packer = {.out = etl_output_of(room, room_size)};
    struct etl_matcher matcher;
    if (!etl_matcher_start(&matcher, data, size)) {
        etl_matcher_free(&matcher);
        return 0;
    }
    start_flags(&packer);
    for (size_t at = 0; at < size && !packer.out.full;) {
        struct etl_match match = etl_matcher_find(&matcher, at, DISTANCE_MOST, size - at);
        if (match.length > 0) {
            put_match(&packer, match);
            at += match.length;
        } else {
            etl_output_u8(&packer.out, data[at++]);
            put_flag(&packer, 0);
        }
    }
    finish_flags(&packer);
    etl_matcher_free(&matcher);
    return etl_output_size(&packer.out);
}
