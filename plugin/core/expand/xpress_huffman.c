/*
 * Expands LZ77 with Huffman codes ("XPRESS_HUFF"). No trace with it has been seen so far.
 * Facts: [MS-XCA] 2.2.
 *
 *   block   256 bytes: the code lengths of 512 symbols, two in each byte, the low half first
 *           u16 units: the codes, topmost bit first; expands to 65536 bytes, the last block to less
 *   symbol  0..255:  that byte
 *           256..511:  8 | 7 .. 4         | 3 .. 0
 *                      1 | distance bits  | length - 3, 15: more follows
 *               15:  + u8, counted from 15
 *               255:   u16 instead, which is the whole length - 3
 *               0:     u32 instead of that u16
 *               then the distance without its topmost bit, in the bit stream
 *   The last symbol of all is 256, which is also the match of 3 bytes at distance 1.
 *
 * The bytes of a long length stand between the units, where a reader comes past that always holds
 * more than 16 bits. So `struct bits` fetches a unit exactly when its 17th bit is used, no sooner.
 */
#include "core/expand/decompressors.h"

#define BLOCK_SIZE   65536
#define TABLE_SIZE   256
#define SYMBOL_COUNT 512
#define SYMBOL_MATCH 256
#define SYMBOL_END   256
#define CODE_BITS    15
#define UNIT_BITS    16
#define WORD_BITS    32
#define SHORT_MORE   15
#define BYTE_MORE    255
#define LENGTH_LEAST 3

struct bits {
    struct etl_bytes in;
    uint32_t word; /* the next bits, topmost first */
    int beyond;    /* how many bits the word holds beyond 16: 0..16 */
    int absent;    /* how many of its last bits are not from the input, which has ended */
};

/*
 * Canonical codes, compared as if all had 15 bits: those of length n are limit[n - 1] up to but
 * without limit[n], and the first of them stands for symbols[first[n]].
 */
struct code {
    uint32_t limit[CODE_BITS + 1];
    uint16_t first[CODE_BITS + 1];
    uint16_t symbols[SYMBOL_COUNT];
    uint16_t symbol_count;
};

struct huffman {
    struct bits bits;
    struct code code;
    struct etl_room *room; /* borrowed */
    uint8_t *perhaps_end;  /* NULL, or where a symbol came out that only the room can tell apart */
};

static uint32_t next_unit(struct bits *bits)
{
    if (etl_bytes_left(&bits->in) < 2) {
        bits->in.at = bits->in.end; /* half a unit is not a length either */
        bits->absent += UNIT_BITS;
        return 0;
    }
    return etl_bytes_u16(&bits->in);
}

static void start_bits(struct bits *bits)
{
    bits->absent = 0;
    bits->word = next_unit(bits) << UNIT_BITS;
    bits->word |= next_unit(bits);
    bits->beyond = UNIT_BITS;
}

/* At most 15 bits. */
static uint32_t peek_bits(const struct bits *bits, unsigned count)
{
    return count > 0 ? bits->word >> (WORD_BITS - count) : 0;
}

/* At most 15 bits. The cursor fails when the input has not had them. */
static void skip_bits(struct bits *bits, unsigned count)
{
    bits->word <<= count;
    bits->beyond -= (int)count;
    if (bits->beyond < 0) {
        bits->word |= next_unit(bits) << -bits->beyond;
        bits->beyond += UNIT_BITS;
    }
    if (bits->absent > bits->beyond + UNIT_BITS) {
        bits->in.failed = true;
    }
}

static unsigned length_in_table(const uint8_t *table, unsigned symbol)
{
    return symbol % 2 == 0 ? table[symbol / 2] & 0x0F : table[symbol / 2] >> 4;
}

/* False when the lengths ask for more codes than there are. */
static bool build_code(struct code *code, const uint8_t *table)
{
    uint16_t count[CODE_BITS + 1] = {0};
    uint16_t next[CODE_BITS + 1] = {0};
    for (unsigned symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
        count[length_in_table(table, symbol)]++;
    }
    code->symbol_count = 0;
    code->limit[0] = 0;
    for (unsigned n = 1; n <= CODE_BITS; n++) {
        code->first[n] = next[n] = code->symbol_count;
        code->symbol_count += count[n];
        code->limit[n] = code->limit[n - 1] + ((uint32_t)count[n] << (CODE_BITS - n));
    }
    for (unsigned symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
        unsigned n = length_in_table(table, symbol);
        if (n > 0) {
            code->symbols[next[n]++] = (uint16_t)symbol;
        }
    }
    return code->limit[CODE_BITS] <= UINT32_C(1) << CODE_BITS;
}

/* False when the next bits are no code, or are not there. */
static bool take_symbol(struct huffman *x, unsigned *ret_symbol)
{
    uint32_t next = peek_bits(&x->bits, CODE_BITS);
    unsigned n = 1;
    while (n <= CODE_BITS && next >= x->code.limit[n]) {
        n++;
    }
    if (n > CODE_BITS) {
        return false;
    }
    uint32_t index = (next - x->code.limit[n - 1]) >> (CODE_BITS - n);
    *ret_symbol = x->code.symbols[x->code.first[n] + index];
    skip_bits(&x->bits, n);
    return !x->bits.in.failed;
}

static size_t take_long_length(struct etl_bytes *in)
{
    size_t length = etl_bytes_u8(in);
    if (length < BYTE_MORE) {
        return length + SHORT_MORE;
    }
    length = etl_bytes_u16(in);
    if (length == 0) {
        length = etl_bytes_u32(in);
    }
    if (length < SHORT_MORE) {
        in->failed = true; /* a shorter form exists and must have been used */
    }
    return length;
}

static bool expand_match(struct huffman *x, unsigned symbol)
{
    size_t length = symbol & 0x0F;
    unsigned distance_bits = symbol >> 4 & 0x0F;
    if (length == SHORT_MORE) {
        length = take_long_length(&x->bits.in);
    }
    size_t distance = ((size_t)1 << distance_bits) + peek_bits(&x->bits, distance_bits);
    skip_bits(&x->bits, distance_bits);
    return !x->bits.in.failed && etl_room_copy_match(x->room, distance, length + LENGTH_LEAST);
}

/*
 * Whether this symbol 256 is the last of all: only padding follows it, at least one unit. Where 256
 * has the code of zeros only, padding looks like more of it; then it stays a match unless the input
 * ends before the room is full.
 */
static bool is_end(struct huffman *x, unsigned symbol)
{
    const struct bits *bits = &x->bits;
    if (symbol != SYMBOL_END || etl_bytes_left(&bits->in) > 0 || bits->absent > 0 ||
        bits->word != 0) {
        return false;
    }
    if (x->perhaps_end == NULL) {
        x->perhaps_end = x->room->at;
    }
    return x->code.symbols[0] != SYMBOL_END;
}

/* True when the block is complete, the room is full, or the end has come, which `*ret_ended` tells.
 */
static bool expand_block(struct huffman *x, bool *ret_ended)
{
    const uint8_t *start = x->room->at;
    while (etl_room_left(x->room) > 0 && x->room->at - start < BLOCK_SIZE) {
        unsigned symbol = 0;
        if (!take_symbol(x, &symbol)) {
            return false;
        }
        if (symbol < SYMBOL_MATCH) {
            *x->room->at++ = (uint8_t)symbol;
        } else if (is_end(x, symbol)) {
            *ret_ended = true;
            return true;
        } else if (!expand_match(x, symbol)) {
            return false;
        }
    }
    return true;
}

/* After a full block the end mark may still be there, in a unit that was not needed yet. */
static bool nothing_follows(const struct huffman *x)
{
    return x->room->at > x->room->start && etl_bytes_left(&x->bits.in) <= 2;
}

bool etl_xpress_huffman_expand(struct etl_bytes in, struct etl_room *room)
{
    struct huffman x = {.bits = {.in = in}, .room = room};
    bool ended = false;
    while (etl_room_left(room) > 0 && !ended && !nothing_follows(&x)) {
        const uint8_t *table = etl_bytes_take(&x.bits.in, TABLE_SIZE);
        if (table == NULL || !build_code(&x.code, table)) {
            return false;
        }
        start_bits(&x.bits);
        if (!expand_block(&x, &ended)) {
            if (x.perhaps_end == NULL) {
                return false;
            }
            room->at = x.perhaps_end;
            ended = true;
        }
    }
    return true;
}
