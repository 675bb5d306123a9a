/*
 * The decompressors behind etl_decompress(), and what the three of them share: the room that they
 * fill, and the copy of a match, which is where hostile input is stopped and most time is spent.
 *
 *   start ---------- at ---------------------- end
 *   |  came out     |  room left              |
 *        ^--distance-^  a match repeats what lies `distance` bytes back
 *
 * Knows nothing of how a match is coded.
 */
#ifndef ETL_CORE_DECOMPRESSORS_H
#define ETL_CORE_DECOMPRESSORS_H

#include "etl/bytes.h"

#include <string.h>

/* What a wide copy may write past the end of a match: its last store begins before that end. */
#define ETL_ROOM_SLACK 16

/* All borrowed from the caller of etl_decompress(). */
struct etl_room {
    uint8_t *start;
    uint8_t *at;
    uint8_t *end;
};

static inline size_t etl_room_left(const struct etl_room *room)
{
    return (size_t)(room->end - room->at);
}

/*
 * Repeats the `distance` (below 8) bytes before `out` without ever loading what it has just stored:
 * they are multiplied into a word, and the word is stored as often as needed. A store advances by
 * the whole repetitions in a word, so that the pattern stays in step.
 */
static inline void etl_room_copy_pattern(uint8_t *out, size_t distance, size_t length)
{
    static const uint64_t repeat[8] = {
        0,
        0x0101010101010101,
        0x0001000100010001,
        0x0001000001000001,
        0x0000000100000001,
        0x0000010000000001,
        0x0001000000000001,
        0x0100000000000001,
    };
    static const uint8_t advance[8] = {8, 8, 8, 6, 8, 5, 6, 7};
    uint64_t once = etl_load_u64(out - distance) & ((UINT64_C(1) << 8 * distance) - 1);
    uint64_t pattern = once * repeat[distance];
    const uint8_t *end = out + length;
    do {
        etl_store_u64(out, pattern);
        out += advance[distance];
    } while (out < end);
}

/* Copies a match in words; writes up to ETL_ROOM_SLACK - 1 bytes more than `length`. */
static inline void etl_room_copy_wide(uint8_t *out, size_t distance, size_t length)
{
    const uint8_t *end = out + length;
    if (distance >= 16) {
        do {
            memcpy(out, out - distance, 16);
            out += 16;
        } while (out < end);
    } else if (distance >= 8) {
        do {
            memcpy(out, out - distance, 8);
            out += 8;
        } while (out < end);
    } else {
        etl_room_copy_pattern(out, distance, length);
    }
}

/*
 * Repeats `length` bytes from `distance` (at least 1) bytes back, as many as the room holds.
 * False, and nothing is written, when `distance` reaches before the start.
 */
static inline bool etl_room_copy_match(struct etl_room *room, size_t distance, size_t length)
{
    if (distance > (size_t)(room->at - room->start)) {
        return false;
    }
    size_t left = etl_room_left(room);
    if (left >= ETL_ROOM_SLACK && length <= left - ETL_ROOM_SLACK) {
        etl_room_copy_wide(room->at, distance, length);
        room->at += length;
        return true;
    }
    length = length < left ? length : left;
    if (length > ETL_ROOM_SLACK) {
        etl_room_copy_wide(room->at, distance, length - ETL_ROOM_SLACK);
        room->at += length - ETL_ROOM_SLACK;
        length = ETL_ROOM_SLACK;
    }
    for (size_t i = 0; i < length; i++) {
        room->at[i] = *(room->at + i - distance);
    }
    room->at += length;
    return true;
}

/*
 * Each expands `in` from `room->at` on until the room is full or the input ends. `room->at` is then
 * after the last good byte. False when the input is damaged or ends in the middle.
 */
bool etl_xpress_expand(struct etl_bytes in, struct etl_room *room);
bool etl_lznt1_expand(struct etl_bytes in, struct etl_room *room);
bool etl_xpress_huffman_expand(struct etl_bytes in, struct etl_room *room);

#endif
