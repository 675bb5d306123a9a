/*
 * The three decompressors once more, from the text of [MS-XCA] and without any thought of speed: a byte or a bit at a
 * time, every read and write checked where it is made. What the fast ones give has to be the same, to the byte.
 *
 * What [MS-XCA] leaves open is as plugin/core/expand says: reading ends where the room is full; input that ends in the
 * middle is an error; the mark at the end of XPRESS_HUFF is told from a match by what is left of the input.
 */
#ifndef ETL_TESTS_FUZZ_SLOW_DECOMPRESS_H
#define ETL_TESTS_FUZZ_SLOW_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slow {
    const uint8_t *in;
    size_t in_size;
    size_t in_at;
    bool failed; /* there was no input left */
    uint8_t *out;
    size_t room;
    size_t size;
};

static inline uint32_t slow_read(struct slow *slow, size_t bytes)
{
    uint32_t value = 0;
    if (slow->failed || slow->in_size - slow->in_at < bytes) {
        slow->failed = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint32_t)slow->in[slow->in_at++] << 8 * i;
    }
    return value;
}

/* A byte that comes out; where the room is full it is dropped. */
static inline void slow_write(struct slow *slow, size_t room, uint8_t byte)
{
    if (slow->size < room) {
        slow->out[slow->size++] = byte;
    }
}

/* False where the match reaches before `start`. */
static inline bool slow_match(struct slow *slow, size_t start, size_t room, size_t distance,
                              size_t length)
{
    if (distance > slow->size - start) {
        return false;
    }
    for (size_t i = 0; i < length && slow->size < room; i++) {
        slow_write(slow, room, slow->out[slow->size - distance]);
    }
    return true;
}

/* [MS-XCA] 2.4.4, plain LZ77 */
static inline bool slow_xpress(struct slow *slow)
{
    uint32_t flags = 0;
    unsigned flag_count = 0;
    size_t half_byte = 0; /* LastLengthHalfByte: 0, or where it is */
    while (slow->size < slow->room) {
        if (flag_count == 0) {
            flags = slow_read(slow, 4);
            flag_count = 32;
        }
        flag_count--;
        if (slow->failed) {
            return false;
        }
        if ((flags >> flag_count & 1) == 0) {
            uint8_t byte = (uint8_t)slow_read(slow, 1);
            if (slow->failed) {
                return false;
            }
            slow_write(slow, slow->room, byte);
            continue;
        }
        if (slow->in_at == slow->in_size) {
            return true;
        }
        uint32_t token = slow_read(slow, 2);
        size_t length = token % 8;
        size_t distance = token / 8 + 1;
        if (length == 7) {
            if (half_byte == 0) {
                half_byte = slow->in_at;
                length = slow_read(slow, 1) % 16;
            } else {
                length = slow->in[half_byte] / 16;
                half_byte = 0;
            }
            if (length == 15) {
                length = slow_read(slow, 1);
                if (length == 255) {
                    length = slow_read(slow, 2);
                    if (length == 0) {
                        length = slow_read(slow, 4);
                    }
                    if (length < 15 + 7) {
                        return false;
                    }
                    length -= 15 + 7;
                }
                length += 15;
            }
            length += 7;
        }
        if (slow->failed || !slow_match(slow, 0, slow->room, distance, length + 3)) {
            return false;
        }
    }
    return true;
}

/* One chunk of [MS-XCA] 2.5.1; `end` is the end of its bytes, `room` that of what they expand to. */
static inline bool slow_lznt1_chunk(struct slow *slow, size_t end, size_t room)
{
    size_t start = slow->size;
    while (slow->in_at < end && slow->size < room) {
        uint8_t flags = slow->in[slow->in_at++];
        for (unsigned i = 0; i < 8 && slow->in_at < end && slow->size < room; i++) {
            if ((flags >> i & 1) == 0) {
                slow_write(slow, room, slow->in[slow->in_at++]);
                continue;
            }
            size_t position = slow->size - start;
            if (end - slow->in_at < 2 || position == 0) {
                return false;
            }
            uint32_t token = slow_read(slow, 2);
            unsigned distance_bits = 4;
            while ((UINT32_C(1) << distance_bits) < position) {
                distance_bits++;
            }
            unsigned length_bits = 16 - distance_bits;
            size_t distance = (token >> length_bits) + 1;
            size_t length = (token & ((UINT32_C(1) << length_bits) - 1)) + 3;
            if (!slow_match(slow, start, room, distance, length)) {
                return false;
            }
        }
    }
    return true;
}

static inline bool slow_lznt1(struct slow *slow)
{
    while (slow->size < slow->room && slow->in_at < slow->in_size) {
        uint32_t header = slow_read(slow, 2);
        if (slow->failed || (header != 0 && (header >> 12 & 7) != 3)) {
            return false;
        }
        if (header == 0) {
            return true;
        }
        while (slow->size % 4096 != 0 && slow->size < slow->room) {
            slow_write(slow, slow->room, 0);
        }
        size_t told = slow->in_at + (header & 0xFFF) + 1;
        size_t end = told < slow->in_size ? told : slow->in_size;
        size_t room = slow->size + 4096 < slow->room ? slow->size + 4096 : slow->room;
        bool good = true;
        if ((header & 0x8000) != 0) {
            good = slow_lznt1_chunk(slow, end, room);
        } else {
            while (slow->in_at < end && slow->size < room) {
                slow_write(slow, room, slow->in[slow->in_at++]);
            }
        }
        if (!good || (told > slow->in_size && slow->size < room)) {
            return false;
        }
        slow->in_at = end;
    }
    return true;
}

/* Bits that were read ahead, the next one first; whether each was in the input. */
struct slow_bits {
    uint8_t bits[64];
    bool real[64];
    unsigned count;
};

static inline void slow_fetch(struct slow *slow, struct slow_bits *bits)
{
    bool real = slow->in_size - slow->in_at >= 2;
    uint32_t unit = real ? slow_read(slow, 2) : 0;
    if (!real) {
        slow->in_at = slow->in_size;
    }
    for (int i = 15; i >= 0; i--) {
        bits->bits[bits->count] = unit >> i & 1;
        bits->real[bits->count++] = real;
    }
}

static inline uint32_t slow_bit(struct slow *slow, struct slow_bits *bits)
{
    uint32_t bit = bits->bits[0];
    slow->failed = slow->failed || !bits->real[0];
    bits->count--;
    memmove(bits->bits, bits->bits + 1, bits->count);
    memmove(bits->real, bits->real + 1, bits->count);
    return bit;
}

static inline uint32_t slow_take(struct slow *slow, struct slow_bits *bits, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value = value << 1 | slow_bit(slow, bits);
    }
    if (bits->count < 16) {
        slow_fetch(slow, bits);
    }
    return value;
}

#define SLOW_NONE 512

/* [MS-XCA] 2.2.4: which symbol the next 15 bits begin with. False: more codes than there are. */
static inline bool slow_table(const uint8_t *lengths, uint16_t *table)
{
    size_t at = 0;
    for (unsigned length = 1; length <= 15; length++) {
        for (unsigned symbol = 0; symbol < 512; symbol++) {
            unsigned of_symbol = symbol % 2 == 0 ? lengths[symbol / 2] % 16
                                                 : lengths[symbol / 2] / 16;
            for (size_t i = 0; of_symbol == length && i < (size_t)1 << (15 - length); i++) {
                if (at == 32768) {
                    return false;
                }
                table[at++] = (uint16_t)symbol;
            }
        }
    }
    while (at < 32768) {
        table[at++] = SLOW_NONE;
    }
    return true;
}

static inline bool slow_all_zero_and_real(const struct slow_bits *bits)
{
    for (unsigned i = 0; i < bits->count; i++) {
        if (bits->bits[i] != 0 || !bits->real[i]) {
            return false;
        }
    }
    return true;
}

static inline bool slow_huffman_match(struct slow *slow, struct slow_bits *bits, unsigned symbol)
{
    size_t length = symbol % 16;
    unsigned distance_bits = symbol / 16 % 16;
    if (length == 15) {
        length = slow_read(slow, 1);
        if (length == 255) {
            length = slow_read(slow, 2);
            if (length == 0) {
                length = slow_read(slow, 4);
            }
            if (length < 15) {
                return false;
            }
        } else {
            length += 15;
        }
    }
    size_t distance = ((size_t)1 << distance_bits) + slow_take(slow, bits, distance_bits);
    return !slow->failed && slow_match(slow, 0, slow->room, distance, length + 3);
}

static inline bool slow_xpress_huffman(struct slow *slow)
{
    static uint16_t table[32768];
    size_t perhaps_end = SIZE_MAX; /* where the first mark of the end may have been */
    while (slow->size < slow->room && !(slow->size > 0 && slow->in_size - slow->in_at <= 2)) {
        struct slow_bits bits = {.count = 0};
        const uint8_t *lengths = slow->in + slow->in_at;
        if (slow->in_size - slow->in_at < 256 || !slow_table(lengths, table)) {
            return false;
        }
        slow->in_at += 256;
        slow_fetch(slow, &bits);
        slow_fetch(slow, &bits);
        for (size_t start = slow->size; slow->size < slow->room && slow->size - start < 65536;) {
            unsigned next = 0;
            for (unsigned i = 0; i < 15; i++) {
                next = next << 1 | bits.bits[i];
            }
            unsigned symbol = table[next];
            unsigned length = symbol % 2 == 0 ? lengths[symbol / 2 % 256] % 16
                                              : lengths[symbol / 2 % 256] / 16;
            bool good = symbol != SLOW_NONE;
            if (good) {
                slow_take(slow, &bits, length);
                good = !slow->failed;
            }
            if (good && symbol == 256 && slow->in_at == slow->in_size &&
                slow_all_zero_and_real(&bits)) {
                perhaps_end = perhaps_end == SIZE_MAX ? slow->size : perhaps_end;
                if (table[0] != 256) {
                    return true;
                }
            }
            if (good && symbol < 256) {
                slow_write(slow, slow->room, (uint8_t)symbol);
            } else if (!good || !slow_huffman_match(slow, &bits, symbol - 256)) {
                if (perhaps_end == SIZE_MAX) {
                    return false;
                }
                slow->size = perhaps_end;
                return true;
            }
        }
    }
    return true;
}

#endif
