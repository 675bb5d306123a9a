/*
 * Expands LZNT1, which Windows also uses inside the payloads of a few events.
 * Facts: [MS-XCA] 2.5.
 *
 *   chunk   u16  15         | 14..12      | 11..0
 *                compressed | always 3    | bytes that follow - 1       0 as a whole: the end
 *           the bytes that follow, which are the data itself or groups
 *   group   u8 flags, used from bit 0 up, one for each of the next 8 tokens
 *   token, flag 0:  one byte, itself
 *   token, flag 1:  u16  distance - 1 | length - 3
 *           distance has as many bits as can be of use so far in this chunk, 4 to 12; length the
 * rest
 *
 * A chunk expands to 4096 bytes and refers to nothing outside itself. When one that is not the last
 * is shorter, zeros fill it up: the next one still starts at a multiple of 4096.
 */
#include "core/expand/decompressors.h"

#define CHUNK_SIZE          4096
#define CHUNK_COMPRESSED    0x8000
#define CHUNK_SIGNATURE     3
#define DISTANCE_BITS_LEAST 4
#define TOKEN_BITS          16
#define LENGTH_LEAST        3

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

static bool expand_match(struct etl_bytes *in, struct etl_room *chunk)
{
    unsigned token = etl_bytes_u16(in);
    size_t position = (size_t)(chunk->at - chunk->start);
    if (in->failed || position == 0) {
        return false;
    }
    unsigned length_bits = TOKEN_BITS - DISTANCE_BITS_LEAST;
    for (size_t reach = (position - 1) >> DISTANCE_BITS_LEAST; reach > 0; reach >>= 1) {
        length_bits--;
    }
    size_t distance = (token >> length_bits) + 1;
    size_t length = (token & ((1U << length_bits) - 1)) + LENGTH_LEAST;
    return etl_room_copy_match(chunk, distance, length);
}

/* `chunk` is the room of this chunk alone; input that does not fit in it is ignored. */
static bool expand_groups(struct etl_bytes in, struct etl_room *chunk)
{
    while (etl_bytes_left(&in) > 0 && etl_room_left(chunk) > 0) {
        unsigned flags = etl_bytes_u8(&in);
        for (int i = 0; i < 8 && etl_bytes_left(&in) > 0 && etl_room_left(chunk) > 0; i++) {
            if ((flags >> i & 1) == 0) {
                *chunk->at++ = etl_bytes_u8(&in);
            } else if (!expand_match(&in, chunk)) {
                return false;
            }
        }
    }
    return true;
}

static void copy_plain(struct etl_bytes in, struct etl_room *chunk)
{
    size_t size = smaller(etl_bytes_left(&in), etl_room_left(chunk));
    if (size > 0) {
        memcpy(chunk->at, in.at, size);
        chunk->at += size;
    }
}

static bool expand_chunk(struct etl_bytes *in, unsigned header, struct etl_room *room)
{
    struct etl_room chunk = {.start = room->at, .at = room->at, .end = room->end};
    chunk.end = chunk.at + smaller(CHUNK_SIZE, etl_room_left(room));
    size_t size = (header & (CHUNK_SIZE - 1)) + 1;
    bool whole = size <= etl_bytes_left(in);
    struct etl_bytes content = etl_bytes_sub(in, smaller(size, etl_bytes_left(in)));
    bool good = true;
    if ((header & CHUNK_COMPRESSED) != 0) {
        good = expand_groups(content, &chunk);
    } else {
        copy_plain(content, &chunk);
    }
    room->at = chunk.at;
    return good && (whole || chunk.at == chunk.end);
}

/* The chunk before may have been shorter than 4096 bytes. */
static void fill_up(struct etl_room *room)
{
    size_t used = (size_t)(room->at - room->start) % CHUNK_SIZE;
    if (used > 0) {
        size_t missing = smaller(CHUNK_SIZE - used, etl_room_left(room));
        memset(room->at, 0, missing);
        room->at += missing;
    }
}

bool etl_lznt1_expand(struct etl_bytes in, struct etl_room *room)
{
    while (etl_room_left(room) > 0 && etl_bytes_left(&in) > 0) {
        unsigned header = etl_bytes_u16(&in);
        if (in.failed) {
            return false;
        }
        if (header == 0) {
            return true;
        }
        if ((header >> 12 & 7) != CHUNK_SIGNATURE) {
            return false;
        }
        fill_up(room);
        if (!expand_chunk(&in, header, room)) {
            return false;
        }
    }
    return true;
}
