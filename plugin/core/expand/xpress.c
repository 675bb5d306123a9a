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
/* It writes at most 32 literals and a match of 24 bytes in words, or leaves the bounds to etl_room_copy_match().
 */
#define FAST_ROOM 64

#define SHORT_LENGTH_MORE 7
#define NIBBLE_MORE       15
#define BYTE_MORE         255
#define LENGTH_LEAST      3

/* The longest match whose length needs no more than a nibble. */
#define MEDIUM_LENGTH (LENGTH_LEAST + SHORT_LENGTH_MORE + NIBBLE_MORE - 1)

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

/* The length - 3 of a match whose token says that more follows, the first of which is the nibble. */
static size_t take_long_length(struct xpress *x, uint8_t nibble)
{
    if (nibble < NIBBLE_MORE) {
        return (size_t)nibble + SHORT_LENGTH_MORE;
    }
    size_t length = etl_bytes_u8(&x->in);
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
        length = take_long_length(x, take_nibble(x));
    }
    return !x->in.failed && etl_room_copy_match(&x->room, distance, length + LENGTH_LEAST);
}

/* A short match, at most 9 bytes, far from both ends: always two words. */
static inline void copy_short_match(uint8_t *out, size_t distance)
{
    if (distance >= 8) {
        memcpy(out, out - distance, 8);
        memcpy(out + 8, out + 8 - distance, 8);
    } else {
        etl_room_copy_pattern(out, distance, SHORT_LENGTH_MORE - 1 + LENGTH_LEAST);
    }
}

/* A match of at most MEDIUM_LENGTH bytes far from both ends: as many words, however long it is. */
static inline void copy_medium_match(uint8_t *out, size_t distance)
{
    if (distance >= 8) {
        memcpy(out, out - distance, 8);
        memcpy(out + 8, out + 8 - distance, 8);
        memcpy(out + 16, out + 16 - distance, 8);
    } else {
        etl_room_copy_pattern(out, distance, MEDIUM_LENGTH);
    }
}

/* As many bytes as a row of literals can have, in words. */
static inline void copy_literals(uint8_t *out, const uint8_t *in, unsigned count)
{
    memcpy(out, in, 16);
    if (count > 16) {
        memcpy(out + 16, in + 16, FLAG_COUNT - 16);
    }
}

/* The half of a byte that is left over, where it stays in registers. */
struct half {
    unsigned nibble;
    unsigned left_over; /* 1, or 0 */
};

/*
 * Takes the nibble at `in`, or the one that is left over: that is as likely, and so worked out
 * without a jump. Returns how many bytes it took.
 */
static inline unsigned take_nibble_fast(struct half *half, const uint8_t *in, unsigned *ret_nibble)
{
    unsigned both = *in;
    unsigned taken = 1 - half->left_over;
    *ret_nibble = (both & 0x0F) ^ (((both & 0x0F) ^ half->nibble) & (0 - half->left_over));
    *half = (struct half){.nibble = both >> 4, .left_over = taken};
    return taken;
}

/* A match that is longer yet: *in and *out move behind it. */
static bool expand_long_match(struct xpress *x, size_t distance, const uint8_t **in, uint8_t **out)
{
    x->in.at = *in;
    x->room.at = *out;
    size_t length = take_long_length(x, NIBBLE_MORE);
    bool good = !x->in.failed && etl_room_copy_match(&x->room, distance, length + LENGTH_LEAST);
    *in = x->in.at;
    *out = x->room.at;
    return good;
}

/*
 * Far from both ends. Where it is lives in variables of its own, which stay in registers: what is
 * reached through a pointer would be stored and loaded at every match, since a store of bytes could
 * have changed it.
 */
static bool expand_fast(struct xpress *x)
{
    const uint8_t *in = x->in.at;
    const uint8_t *in_end = in + etl_bytes_left(&x->in);
    const uint8_t *start = x->room.start;
    const uint8_t *out_end = x->room.end;
    uint8_t *out = x->room.at;
    uint64_t flags = x->flags;
    struct half half = {.nibble = x->nibble, .left_over = x->has_nibble};
    bool good = true;
    while (good && in_end - in >= FAST_INPUT && out_end - out >= FAST_ROOM) {
        if (flags == FLAGS_USED_UP) {
            flags = flags_of(etl_load_u32(in));
            in += 4;
        }
        unsigned literals = leading_zeros(flags);
        copy_literals(out, in, literals);
        in += literals;
        out += literals;
        flags <<= literals;
        if (flags == FLAGS_USED_UP) {
            continue;
        }
        flags <<= 1;
        unsigned token = etl_load_u16(in);
        in += 2;
        size_t distance = (token >> 3) + 1;
        unsigned nibble = 0;
        if ((token & 7) == SHORT_LENGTH_MORE) {
            in += take_nibble_fast(&half, in, &nibble);
        }
        if (distance > (size_t)(out - start)) {
            good = false;
        } else if ((token & 7) != SHORT_LENGTH_MORE) {
            copy_short_match(out, distance);
            out += (token & 7) + LENGTH_LEAST;
        } else if (nibble < NIBBLE_MORE) {
            copy_medium_match(out, distance);
            out += (token & 7) + nibble + LENGTH_LEAST;
        } else {
            good = expand_long_match(x, distance, &in, &out);
        }
    }
    x->in.at = in;
    x->room.at = out;
    x->flags = flags;
    x->nibble = (uint8_t)half.nibble;
    x->has_nibble = half.left_over != 0;
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
