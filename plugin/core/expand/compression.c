/*
 * Picks the decompressor for a format number, and copies what is not compressed.
 * Knows nothing of the formats themselves.
 */
#include "etl/compression.h"

#include "core/expand/decompressors.h"

/* Not compressed: what came out is what went in. */
static bool copy_expand(struct etl_bytes in, struct etl_room *room)
{
    size_t left = etl_bytes_left(&in);
    size_t size = left < etl_room_left(room) ? left : etl_room_left(room);
    if (size > 0) {
        memcpy(room->at, in.at, size);
        room->at += size;
    }
    return true;
}

static bool expand(enum etl_compression format, struct etl_bytes in, struct etl_room *room)
{
    switch (format) {
    case ETL_COMPRESSION_NONE:
        return copy_expand(in, room);
    case ETL_COMPRESSION_LZNT1:
        return etl_lznt1_expand(in, room);
    case ETL_COMPRESSION_XPRESS:
        return etl_xpress_expand(in, room);
    case ETL_COMPRESSION_XPRESS_HUFFMAN:
        return etl_xpress_huffman_expand(in, room);
    }
    return false; /* a number from a file that is no format we know */
}

bool etl_decompress(enum etl_compression format, const uint8_t *packed, size_t packed_size,
                    uint8_t *room, size_t room_size, size_t *ret_size)
{
    static const uint8_t nothing[1]; /* NULL cannot be counted on, not even by 0 */
    packed = packed != NULL ? packed : nothing;
    struct etl_room space = {
        .start = room, .at = room, .end = room_size > 0 ? room + room_size : room};
    bool good = expand(format, etl_bytes_of(packed, packed_size), &space);
    *ret_size = (size_t)(space.at - space.start);
    return good;
}
