/* Text files of symbols, as they may lie in anybody's folder. */
#include "etl/symbols.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_symbols *symbols = etl_symbols_parse((const char *)data, size,
                                                    "33221100554477668899AABBCCDDEEFF1");
    uint64_t into;
    for (uint64_t offset = 1; symbols != NULL && offset != 0; offset <<= 1) {
        etl_symbols_find(symbols, offset, &into);
    }
    etl_symbols_free(symbols);
    return 0;
}
