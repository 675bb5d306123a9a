/*
 * Fuzzes the decoder of rows: any layout over any bytes.
 *
 *   u16: which layout | byte: pointer size and clock | the payload
 */
#include "etl/decode.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_bytes in = etl_bytes_of(data, size);
    unsigned id = 1 + etl_bytes_u16(&in) % (ETL_LAYOUT_COUNT - 1);
    uint8_t choice = etl_bytes_u8(&in);
    if (in.failed) {
        return 0;
    }
    etl_layouts_start();
    struct etl_clock clock = {.kind = (enum etl_clock_kind)(choice & 3), .frequency = 10000000};
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {
        .sink = &sink.sink, .clock = &clock, .pointer_size = choice & 4 ? 8 : 4};
    size_t left = etl_bytes_left(&in);
    uint8_t *copy = fuzz_copy(in.at, left);
    if (copy != NULL) {
        size_t covered = etl_decode_layout(&decoder, etl_layout((enum etl_layout_id)id), copy,
                                           left);
        fuzz_require(covered <= left);
        null_sink_check(&sink);
    }
    free(copy);
    return 0;
}
