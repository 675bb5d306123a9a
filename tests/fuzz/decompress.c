/*
 * Fuzzes etl_decompress(): no input may make it leave its room, or say that it did.
 *
 *   byte 0: which format | u16 size of the room | the packed bytes
 */
#include "etl/bytes.h"
#include "etl/compression.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_bytes in = etl_bytes_of(data, size);
    enum etl_compression format = etl_bytes_u8(&in) % 6;
    size_t room_size = etl_bytes_u16(&in);
    if (in.failed) {
        return 0;
    }
    /* Both in heap blocks of their own size, so that AddressSanitizer sees the first byte outside.
     */
    uint8_t *room = malloc(room_size > 0 ? room_size : 1);
    if (room == NULL) {
        return 0;
    }
    size_t ret_size = SIZE_MAX;
    etl_decompress(format, in.at, etl_bytes_left(&in), room, room_size, &ret_size);
    if (ret_size > room_size) {
        abort();
    }
    free(room);
    return 0;
}
