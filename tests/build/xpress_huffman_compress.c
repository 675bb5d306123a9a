/*
 * Packs LZ77 with Huffman codes, block by block: the tokens first, then a code from how often each
 * symbol occurs, then the table and the tokens in that code.
 * Facts: [MS-XCA] 2.1; the format is drawn in plugin/core/expand/xpress_huffman.c.
 */
#include "xpress_huffman_compress.h"

#include "etl/bytes.h"
#include "packing.h"

#include <stdlib.h>

#define BLOCK_SIZE    65536
#define DISTANCE_MOST 65535
#define SYMBOL_COUNT  512
#define SYMBOL_END    256
#define NODE_COUNT    (2 * SYMBOL_COUNT)
#define CODE_BITS     15
#define UNIT_BITS     16

/* A literal has distance 0 and is in `length`; else as in a match. */
struct token {
    uint32_t length;
    uint32_t distance;
};

struct code {
    uint32_t often[SYMBOL_COUNT];
    uint8_t length[SYMBOL_COUNT];
    uint16_t bits[SYMBOL_COUNT];
};

/* Two units are always reserved ahead, as the reader fetches them; bytes go after those. */
struct bit_output {
    struct etl_output *out; /* borrowed */
    uint8_t *unit;
    uint8_t *next_unit;
    uint32_t bits;
    unsigned free_bits;
};

static unsigned distance_bits_of(uint32_t distance)
{
    unsigned bits = 0;
    while (distance >> bits > 1) {
        bits++;
    }
    return bits;
}

static unsigned symbol_of(struct token token)
{
    if (token.distance == 0) {
        return token.length;
    }
    uint32_t length = token.length - ETL_MATCH_LEAST;
    return 256 | distance_bits_of(token.distance) << 4 | (length < 15 ? length : 15);
}

static size_t find_tokens(struct etl_matcher *matcher, size_t start, size_t end,
                          struct token *tokens)
{
    size_t count = 0;
    for (size_t at = start; at < end;) {
        struct etl_match match = etl_matcher_find(matcher, at, DISTANCE_MOST, end - at);
        if (match.length == 0) {
            tokens[count++] = (struct token){.length = matcher->data[at++]};
        } else {
            tokens[count++] = (struct token){.length = (uint32_t)match.length,
                                             .distance = (uint32_t)match.distance};
            at += match.length;
        }
    }
    return count;
}

/* The rarest of the nodes that have no parent yet; NODE_COUNT when there is none. */
static unsigned find_rarest(const uint32_t *often, unsigned count)
{
    unsigned rarest = NODE_COUNT;
    for (unsigned i = 0; i < count; i++) {
        if (often[i] != 0 && (rarest == NODE_COUNT || often[i] < often[rarest])) {
            rarest = i;
        }
    }
    return rarest;
}

/* Huffman's algorithm; returns the longest length. A node is a symbol, or the parent of two. */
static unsigned find_lengths(struct code *code)
{
    uint32_t often[NODE_COUNT] = {0};
    unsigned parent[NODE_COUNT] = {0};
    unsigned depth[NODE_COUNT] = {0};
    unsigned count = SYMBOL_COUNT;
    for (unsigned i = 0; i < SYMBOL_COUNT; i++) {
        often[i] = code->often[i];
    }
    for (;;) {
        unsigned one = find_rarest(often, count);
        uint32_t sum = often[one];
        often[one] = 0;
        unsigned other = find_rarest(often, count);
        if (other == NODE_COUNT) {
            break; /* `one` is the root, depth 0 */
        }
        parent[one] = parent[other] = count;
        sum += often[other];
        often[other] = 0;
        often[count++] = sum;
    }
    unsigned longest = 0;
    for (unsigned i = count; i-- > 0;) {
        depth[i] = parent[i] != 0 ? depth[parent[i]] + 1 : 0;
        if (i < SYMBOL_COUNT) {
            code->length[i] = (uint8_t)depth[i];
            longest = depth[i] > longest ? depth[i] : longest;
        }
    }
    return longest;
}

/* Codes in order of length, then of symbol, as the reader numbers them. */
static void number_codes(struct code *code)
{
    unsigned next = 0;
    for (unsigned length = 1; length <= CODE_BITS; length++) {
        next <<= 1;
        for (unsigned i = 0; i < SYMBOL_COUNT; i++) {
            if (code->length[i] == length) {
                code->bits[i] = (uint16_t)next++;
            }
        }
    }
}

/* Symbols too rare for a code of at most 15 bits are counted as if they were less rare. */
static void build_code(struct code *code, const struct token *tokens, size_t count)
{
    *code = (struct code){0};
    for (size_t i = 0; i < count; i++) {
        code->often[symbol_of(tokens[i])]++;
    }
    code->often[SYMBOL_END]++;
    if (count == 0) {
        code->often[0]++; /* a code of one symbol would be incomplete */
    }
    while (find_lengths(code) > CODE_BITS) {
        for (unsigned i = 0; i < SYMBOL_COUNT; i++) {
            code->often[i] = (code->often[i] + 1) / 2;
        }
    }
    number_codes(code);
}

static void put_table(struct etl_output *out, const struct code *code)
{
    for (unsigned i = 0; i < SYMBOL_COUNT; i += 2) {
        etl_output_u8(out, (uint8_t)(code->length[i] | code->length[i + 1] << 4));
    }
}

static struct bit_output start_bits(struct etl_output *out)
{
    struct bit_output bits = {.out = out, .free_bits = UNIT_BITS};
    bits.unit = etl_output_reserve(out, 2);
    bits.next_unit = etl_output_reserve(out, 2);
    return bits;
}

static void store_unit(uint8_t *unit, uint32_t bits)
{
    if (unit != NULL) {
        etl_store_u16(unit, (uint16_t)bits);
    }
}

static void put_bits(struct bit_output *out, uint32_t bits, unsigned count)
{
    if (out->free_bits >= count) {
        out->free_bits -= count;
        out->bits = out->bits << count | bits;
        return;
    }
    unsigned rest = count - out->free_bits;
    store_unit(out->unit, out->bits << out->free_bits | bits >> rest);
    out->unit = out->next_unit;
    out->next_unit = etl_output_reserve(out->out, 2);
    out->bits = bits & ((1U << rest) - 1);
    out->free_bits = UNIT_BITS - rest;
}

static void finish_bits(struct bit_output *out)
{
    store_unit(out->unit, out->bits << out->free_bits);
    store_unit(out->next_unit, 0);
}

/* What follows a symbol when `length`, which is the match's - 3, is 15 or more. */
static void put_long_length(struct etl_output *out, uint32_t length)
{
    if (length < 15 + 255) {
        etl_output_u8(out, (uint8_t)(length - 15));
        return;
    }
    etl_output_u8(out, 255);
    if (length <= UINT16_MAX) {
        etl_output_u16(out, (uint16_t)length);
    } else {
        etl_output_u16(out, 0);
        etl_output_u32(out, length);
    }
}

static void put_token(struct bit_output *out, const struct code *code, struct token token)
{
    unsigned symbol = symbol_of(token);
    put_bits(out, code->bits[symbol], code->length[symbol]);
    if (token.distance == 0) {
        return;
    }
    if ((symbol & 15) == 15) {
        put_long_length(out->out, token.length - ETL_MATCH_LEAST);
    }
    unsigned bits = distance_bits_of(token.distance);
    put_bits(out, token.distance & ((1U << bits) - 1), bits);
}

static void put_block(struct etl_output *out, const struct token *tokens, size_t count,
                      bool is_last)
{
    struct code code;
    build_code(&code, tokens, count);
    put_table(out, &code);
    struct bit_output bits = start_bits(out);
    for (size_t i = 0; i < count; i++) {
        put_token(&bits, &code, tokens[i]);
    }
    if (is_last) {
        put_bits(&bits, code.bits[SYMBOL_END], code.length[SYMBOL_END]);
    }
    finish_bits(&bits);
}

size_t etl_xpress_huffman_compress(const uint8_t *data, size_t size, uint8_t *room,
                                   size_t room_size)
{
    struct etl_output out = etl_output_of(room, room_size);
    struct token *tokens = malloc(BLOCK_SIZE * sizeof *tokens);
    struct etl_matcher matcher;
    bool ready = etl_matcher_start(&matcher, data, size) && tokens != NULL;
    size_t start = 0;
    bool is_last = !ready;
    while (!is_last && !out.full) {
        size_t end = size - start < BLOCK_SIZE ? size : start + BLOCK_SIZE;
        is_last = end == size;
        put_block(&out, tokens, find_tokens(&matcher, start, end, tokens), is_last);
        start = end;
    }
    etl_matcher_free(&matcher);
    free(tokens);
    return ready ? etl_output_size(&out) : 0;
}
