/*
 * Expands what RtlCompressBuffer packed: compressed trace buffers, and the XML inside some events.
 *
 * Facts: [MS-XCA] 2.1 (XPRESS_HUFF), 2.4 (plain LZ77, "XPRESS"), 2.5 (LZNT1). Format numbers are
 * RtlCompressBuffer's; a trace file has them in the State field of its first buffer.
 * Knows nothing of buffers or events. Never writes past the room it is given, whatever the input
 * says.
 */
#ifndef ETL_COMPRESSION_H
#define ETL_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum etl_compression {
    ETL_COMPRESSION_NONE = 0,
    ETL_COMPRESSION_LZNT1 = 2,
    ETL_COMPRESSION_XPRESS = 3,
    ETL_COMPRESSION_XPRESS_HUFFMAN = 4,
};

/*
 * Expands `packed_size` bytes at `packed` (borrowed) into `room`, which holds `room_size` bytes.
 * `*ret_size` is how many bytes came out, also when the input ends early or is damaged (false is
 * returned then, and what came out is good up to there). Expansion ends, with true, when the room
 * is full: the caller gives exactly the size that the container declares; input left over is
 * ignored. An input that ends cleanly before the room is full is true as well, with `*ret_size` <
 * room_size.
 */
bool etl_decompress(enum etl_compression format, const uint8_t *packed, size_t packed_size,
                    uint8_t *room, size_t room_size, size_t *ret_size);

#endif
