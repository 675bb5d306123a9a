/*
 * Fuzzes etl_decompress(): no input may make it leave its room, and what comes out is what another decompressor, slow
 * and written for this only, makes of it: status, size and bytes.
 *
 *   byte 0: which format; from 80 on, the room is 3 times as large | u16 size of the room | the packed bytes
 */
#include "etl/bytes.h"
#include "etl/compression.h"

#include "lznt1_compress.h"
#include "xpress_compress.h"
#include "xpress_huffman_compress.h"

#include "fuzz.h"
#include "slow_decompress.h"

#define HEADER_SIZE 3
#define FORMATS     6

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static bool expand_slowly(enum etl_compression format, struct slow *slow)
{
    switch (format) {
    case ETL_COMPRESSION_NONE:
        for (; slow->in_at < slow->in_size && slow->size < slow->room; slow->in_at++) {
            slow_write(slow, slow->room, slow->in[slow->in_at]);
        }
        return true;
    case ETL_COMPRESSION_LZNT1:
        return slow_lznt1(slow);
    case ETL_COMPRESSION_XPRESS:
        return slow_xpress(slow);
    case ETL_COMPRESSION_XPRESS_HUFFMAN:
        return slow_xpress_huffman(slow);
    default:
        return false;
    }
}

static void compare(enum etl_compression format, const uint8_t *packed, size_t size,
                    size_t room_size)
{
    /* All in heap blocks of their own size, so that AddressSanitizer sees the first byte outside. */
    uint8_t *copy = fuzz_copy(packed, size);
    uint8_t *room = malloc(room_size > 0 ? room_size : 1);
    uint8_t *other = malloc(room_size > 0 ? room_size : 1);
    if (copy != NULL && room != NULL && other != NULL) {
        size_t came_out = SIZE_MAX;
        bool good = etl_decompress(format, copy, size, room, room_size, &came_out);
        struct slow slow = {.in = copy, .in_size = size, .out = other, .room = room_size};
        fuzz_require(came_out <= room_size);
        fuzz_require(expand_slowly(format, &slow) == good);
        fuzz_require(slow.size == came_out && memcmp(room, other, came_out) == 0);
    }
    free(copy);
    free(room);
    free(other);
}

static size_t room_of(const uint8_t *data)
{
    return (size_t)etl_load_u16(data + 1) * (data[0] >= 0x80 ? 3 : 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= HEADER_SIZE) {
        compare((enum etl_compression)(data[0] % FORMATS), data + HEADER_SIZE, size - HEADER_SIZE,
                room_of(data));
    }
    return 0;
}

static size_t pack(enum etl_compression format, const uint8_t *data, size_t size, uint8_t *room,
                   size_t room_size)
{
    switch (format) {
    case ETL_COMPRESSION_LZNT1:
        return etl_lznt1_compress(data, size, room, room_size);
    case ETL_COMPRESSION_XPRESS:
        return etl_xpress_compress(data, size, room, room_size);
    case ETL_COMPRESSION_XPRESS_HUFFMAN:
        return etl_xpress_huffman_compress(data, size, room, room_size);
    default:
        return 0;
    }
}

/* Every second time what the bytes expand to is changed, and packed again. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static uint8_t expanded[1 << 16];
    size_t count = 0;
    if (size < HEADER_SIZE || seed % 2 != 0) {
        return LLVMFuzzerMutate(data, size, room);
    }
    enum etl_compression format = (enum etl_compression)(data[0] % FORMATS);
    size_t most = room_of(data) < sizeof expanded ? room_of(data) : sizeof expanded;
    etl_decompress(format, data + HEADER_SIZE, size - HEADER_SIZE, expanded, most, &count);
    count = LLVMFuzzerMutate(expanded, count, sizeof expanded / 4);
    size_t packed = pack(format, expanded, count, data + HEADER_SIZE, room - HEADER_SIZE);
    if (packed == 0) {
        return LLVMFuzzerMutate(data, size, room);
    }
    if (seed % 4 == 0) {
        data[0] = (uint8_t)format;
        etl_store_u16(data + 1, (uint16_t)count);
    }
    return HEADER_SIZE + packed;
}
