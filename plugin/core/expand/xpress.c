/*
 * Expands plain LZ77 ("XPRESS"), the format of every compressed trace buffer seen so far.
 * Facts: [MS-XCA] 2.4.
 *
 *   u32 flags, used from bit 31 down, one for each of the next 32 tokens; then the next u32 flags
 *   token, flag 0:  one byte, itself
 *   token, flag 1:  u16  15 ............ 3 | 2 .. 0
 *                        distance - 1      | length - 3, 7: more follows
 *      7:   + a nibble: the low half of a new byte, or the high half left over from the last one
 *      15:  + u8, counted from 7 + 15
 *      255:   u16 instead, which is the whole length - 3
 *      0:     u32 instead of that u16
 *
 * The end is a set flag where no input is left: packers set the flags that they do not use.
 *
 * A trace is read twice by Wireshark and expanded each time, so this is worth some speed: a fast
 * loop runs while both ends are far, a careful one does the rest. The fast one trusts its one check
 * of both distances and therefore moves the cursor by hand.
 */
#include "core/expand/decompressors.h"

#define FLAG_COUNT 32

/* Flags sit in the upper half of a word, next one topmost; this bit follows the last one. */
#define FLAGS_USED_UP (UINT64_C(1) << 63)

/* One round of the fast loop takes u32 flags, 32 literals and a match of 2+1+1+2+4 bytes. */
#define FAST_INPUT 64
/* It writes at most 32 literals and a short match, or leaves the bounds to etl_room_copy_match().
 */
#define FAST_ROOM 64

#define SHORT_LENGTH_MORE 7
#define NIBBLE_MORE       15
#define BYTE_MORE         255
#define LENGTH_LEAST      3

struct xpress {
    struct etl_bytes in;
    struct etl_room room;
    uint64_t flags;
    uint8_t nibble; /* the half of a byte that is left over */
    bool has_nibble;
};

static uint64_t flags_of(uint32_t flags)
{
    return (uint64_t)flags << FLAG_COUNT | UINT64_C(1) << (FLAG_COUNT - 1);
}

static unsigned leading_zeros(uint64_t word)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_clzll(word);
#else
    unsigned count = 0;
    for (; (word & FLAGS_USED_UP) == 0; word <<= 1) {
        count++;
    }
    return count;
#endif
}

static uint8_t take_nibble(struct xpress *x)
{
    if (x->has_nibble) {
        x->has_nibble = false;
        return x->nibble;
    }
    uint8_t both = etl_bytes_u8(&x->in);
    x->nibble = both >> 4;
    x->has_nibble = true;
    return both & 0x0F;
}

/* The length - 3 of a match whose token says that more follows. */
static size_t take_long_length(struct xpress *x)
{
    size_t length = take_nibble(x);
    if (length < NIBBLE_MORE) {
        return length + SHORT_LENGTH_MORE;
    }
    length = etl_bytes_u8(&x->in);
    if (length < BYTE_MORE) {
        return length + NIBBLE_MORE + SHORT_LENGTH_MORE;
    }
    length = etl_bytes_u16(&x->in);
    if (length == 0) {
        length = etl_bytes_u32(&x->in);
    }
    if (length < NIBBLE_MORE + SHORT_LENGTH_MORE) {
        x->in.failed = true; /* a shorter form exists and must have been used */
    }
    return length;
}

static bool expand_match(struct xpress *x, unsigned token)
{
    size_t distance = (token >> 3) + 1;
    size_t length = token & 7;
    if (length == SHORT_LENGTH_MORE) {
        length = take_long_length(x);
    }
    return !x->in.failed && etl_room_copy_match(&x->room, distance, length + LENGTH_LEAST);
}

/* The same far from both ends: a short match, at most 9 bytes, is always two words. */
static inline bool expand_match_fast(struct xpress *x)
{
    unsigned token = etl_load_u16(x->in.at);
    x->in.at += 2;
    if ((token & 7) == SHORT_LENGTH_MORE) {
        return expand_match(x, token);
    }
    size_t distance = (token >> 3) + 1;
    if (distance > (size_t)(x->room.at - x->room.start)) {
        return false;
    }
    if (distance >= 8) {
        memcpy(x->room.at, x->room.at - distance, 8);
        memcpy(x->room.at + 8, x->room.at + 8 - distance, 8);
    } else {
        etl_room_copy_pattern(x->room.at, distance, SHORT_LENGTH_MORE - 1 + LENGTH_LEAST);
    }
    x->room.at += (token & 7) + LENGTH_LEAST;
    return true;
}

/* Works on a copy, which lives in registers: a store through a byte pointer could be anything. */
static bool expand_fast(struct xpress *shared)
{
    struct xpress x = *shared;
    bool good = true;
    while (good && etl_bytes_left(&x.in) >= FAST_INPUT && etl_room_left(&x.room) >= FAST_ROOM) {
        if (x.flags == FLAGS_USED_UP) {
            x.flags = flags_of(etl_load_u32(x.in.at));
            x.in.at += 4;
        }
        unsigned literals = leading_zeros(x.flags);
        memcpy(x.room.at, x.in.at, 16);
        if (literals > 16) {
            memcpy(x.room.at + 16, x.in.at + 16, FLAG_COUNT - 16);
        }
        x.in.at += literals;
        x.room.at += literals;
        x.flags <<= literals;
        if (x.flags != FLAGS_USED_UP) {
            x.flags <<= 1;
            good = expand_match_fast(&x);
        }
    }
    *shared = x;
    return good;
}

static bool expand_careful(struct xpress *x)
{
    while (x->room.at < x->room.end) {
        if (x->flags == FLAGS_USED_UP) {
            x->flags = flags_of(etl_bytes_u32(&x->in));
        }
        bool is_match = (x->flags & FLAGS_USED_UP) != 0;
        x->flags <<= 1;
        if (!is_match) {
            uint8_t literal = etl_bytes_u8(&x->in);
            if (!x->in.failed) {
                *x->room.at++ = literal;
            }
        } else if (!x->in.failed && etl_bytes_left(&x->in) == 0) {
            return true;
        } else if (!expand_match(x, etl_bytes_u16(&x->in))) {
            return false;
        }
        if (x->in.failed) {
            return false;
        }
    }
    return true;
}

bool etl_xpress_expand(struct etl_bytes in, struct etl_room *room)
{
    struct xpress x = {.in = in, .room = *room, .flags = FLAGS_USED_UP};
    bool good = expand_fast(&x) && expand_careful(&x);
    *room = x.room;
    return good;
}
