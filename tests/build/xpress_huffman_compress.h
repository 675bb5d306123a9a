/*
 * Packs bytes as LZ77 with Huffman codes ("XPRESS_HUFF"), for captures that are built and for
 * tests.
 */
#ifndef ETL_BUILD_XPRESS_HUFFMAN_COMPRESS_H
#define ETL_BUILD_XPRESS_HUFFMAN_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many bytes it wrote to `room`, 0 when they do not fit. Both are borrowed. */
size_t etl_xpress_huffman_compress(const uint8_t *data, size_t size, uint8_t *room,
                                   size_t room_size);

#endif
