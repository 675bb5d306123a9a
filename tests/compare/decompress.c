/*
 * Our decompressors against those that Wireshark has for SMB: where both expand, the bytes must be
 * the same. Differences that are known, and that are therefore kept out of the inputs:
 *
 *   plain LZ77   theirs reads only 16 of the 32 bits of the longest length form
 *   XPRESS_HUFF  theirs takes every symbol 256 for the end, knows one block only, knows no 32-bit
 *                lengths and accepts lengths in longer forms than needed, and tables with too many
 *                codes
 *   LZNT1        theirs looks neither at the signature nor at the mark of the end, lets a chunk
 *                expand to any size, and does not fill up a short chunk with zeros
 *
 * Theirs goes on to the end of its input and gives all or nothing, ours stops at the end of a room.
 * So it is ours that gets the size that theirs found.
 */
#include "unit.h"

#include "etl/bytes.h"
#include "etl/compression.h"
#include "lznt1_compress.h"
#include "xpress_compress.h"
#include "xpress_huffman_compress.h"

#include <epan/tvbuff.h>
#include <stdio.h>
#include <wsutil/wmem/wmem.h>

#define DATA_MOST   60000 /* below 64 KiB: one block of XPRESS_HUFF, no 32-bit length */
#define PACKED_MOST (2 * DATA_MOST)
#define ROUNDS      20000

struct pair {
    enum etl_compression format;
    size_t (*compress)(const uint8_t *data, size_t size, uint8_t *room, size_t room_size);
    tvbuff_t *(*theirs)(tvbuff_t *packed, const int offset, int size);
    size_t table_size;        /* bytes at the start that are not mutated: header or table */
    unsigned long_form_below; /* FF and a u16 below this one: a length form of the list above */
    size_t mutated_most;      /* what mutated input may expand to */
};

static const struct pair plain = {
    ETL_COMPRESSION_XPRESS, etl_xpress_compress, tvb_uncompress_lz77, 0, 1, DATA_MOST};
static const struct pair huffman = {ETL_COMPRESSION_XPRESS_HUFFMAN,
                                    etl_xpress_huffman_compress,
                                    tvb_uncompress_lz77huff,
                                    256,
                                    15,
                                    DATA_MOST};
static const struct pair chunks = {
    ETL_COMPRESSION_LZNT1, etl_lznt1_compress, tvb_uncompress_lznt1, 2, 0, 4096};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Pieces of noise, of letters, and of what was there before, near and far. */
static void fill(uint8_t *data, size_t size, uint32_t *state)
{
    for (size_t at = 0; at < size;) {
        size_t piece = 1 + next_random(state) % (next_random(state) % 16 == 0 ? 900 : 12);
        size_t distance = at > 0 ? 1 + next_random(state) % at : 0;
        distance = next_random(state) % 2 == 0 && distance > 0 ? 1 + distance % 24 : distance;
        distance = distance <= at ? distance : 0;
        unsigned what = next_random(state) % 4;
        for (; piece > 0 && at < size; piece--, at++) {
            if (what > 1 && distance > 0) {
                data[at] = data[at - distance];
            } else {
                data[at] = (uint8_t)(what == 0 ? next_random(state) : 'a' + next_random(state) % 5);
            }
        }
    }
}

static bool has_long_form(const struct pair *pair, const uint8_t *packed, size_t size)
{
    for (size_t i = pair->table_size; i + 3 <= size; i++) {
        if (packed[i] == 0xFF && etl_load_u16(packed + i + 1) < pair->long_form_below) {
            return true;
        }
    }
    return false;
}

/* Returns what theirs expanded to, 0 when it refused. */
static size_t compare(const struct pair *pair, const uint8_t *packed, size_t size, size_t most)
{
    tvbuff_t *in = tvb_new_real_data(packed, (guint)size, (gint)size);
    tvbuff_t *theirs = pair->theirs(in, 0, (int)size);
    size_t expected = theirs != NULL ? tvb_captured_length(theirs) : 0;
    if (expected > 0 && expected <= most) {
        uint8_t *room = malloc(expected);
        CU_ASSERT_PTR_NOT_NULL_FATAL(room);
        size_t ours = 0;
        CU_ASSERT_TRUE(etl_decompress(pair->format, packed, size, room, expected, &ours));
        CU_ASSERT_EQUAL(ours, expected);
        CU_ASSERT_EQUAL(tvb_memeql(theirs, 0, room, ours), 0);
        free(room);
    }
    if (theirs != NULL) {
        tvb_free(theirs);
    }
    tvb_free(in);
    return expected;
}

/* Sizes of all magnitudes, packed by us; returns how often theirs expanded all of it. */
static int compare_packed(const struct pair *pair, int rounds)
{
    static uint8_t data[DATA_MOST];
    static uint8_t packed[PACKED_MOST];
    uint32_t state = 1;
    int whole = 0;
    for (int round = 0; round < rounds; round++) {
        size_t size = 1 + next_random(&state) % (DATA_MOST >> next_random(&state) % 16);
        fill(data, size, &state);
        size_t packed_size = pair->compress(data, size, packed, sizeof packed);
        CU_ASSERT_FATAL(packed_size > 0);
        whole += compare(pair, packed, packed_size, DATA_MOST) == size;
    }
    return whole;
}

static void compare_mutated(const struct pair *pair)
{
    static uint8_t data[4000];
    static uint8_t packed[PACKED_MOST];
    uint32_t state = 2;
    int expanded = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = 20 + next_random(&state) % (sizeof data - 20);
        size = round % 2 == 0 ? size : size / 16 + 2;
        fill(data, size, &state);
        size_t packed_size = pair->compress(data, size, packed, sizeof packed);
        CU_ASSERT_FATAL(packed_size > pair->table_size);
        for (unsigned i = next_random(&state) % 3 + 1; i > 0; i--) {
            size_t place = next_random(&state) % (packed_size - pair->table_size);
            packed[pair->table_size + place] = (uint8_t)next_random(&state);
        }
        if (!has_long_form(pair, packed, packed_size)) {
            expanded += compare(pair, packed, packed_size, pair->mutated_most) > 0;
        }
    }
    printf("theirs expands %d of %d ", expanded, ROUNDS);
    CU_ASSERT_TRUE(expanded > ROUNDS / 100);
}

static void plain_lz77_is_the_same(void)
{
    CU_ASSERT_EQUAL(compare_packed(&plain, 1000), 1000);
}

static void mutated_plain_lz77_is_the_same(void)
{
    compare_mutated(&plain);
}

static void xpress_huffman_is_the_same(void)
{
    int whole = compare_packed(&huffman, 1000);
    printf("theirs expands %d of 1000 to the end ", whole);
    CU_ASSERT_TRUE(whole > 100);
}

static void mutated_xpress_huffman_is_the_same(void)
{
    compare_mutated(&huffman);
}

static void lznt1_is_the_same(void)
{
    CU_ASSERT_EQUAL(compare_packed(&chunks, 1000), 1000);
}

static void mutated_lznt1_is_the_same(void)
{
    compare_mutated(&chunks);
}

/* All that theirs needs of Wireshark's own initialization. */
static void wireshark_memory_starts(void)
{
    wmem_init();
}

UNIT_SUITE("decompressors against Wireshark's",
           {"Wireshark's memory management starts", wireshark_memory_starts},
           {"plain LZ77 packed by us expands the same", plain_lz77_is_the_same},
           {"mutated plain LZ77 expands the same", mutated_plain_lz77_is_the_same},
           {"XPRESS_HUFF packed by us expands the same", xpress_huffman_is_the_same},
           {"mutated XPRESS_HUFF expands the same", mutated_xpress_huffman_is_the_same},
           {"LZNT1 packed by us expands the same", lznt1_is_the_same},
           {"mutated LZNT1 expands the same", mutated_lznt1_is_the_same})
