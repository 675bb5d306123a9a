/* What the fuzz targets share: an input in a heap block of its own size, for AddressSanitizer. */
#ifndef ETL_TESTS_FUZZ_H
#define ETL_TESTS_FUZZ_H

#include "null_sink.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NULL when out of memory; freed by the caller. */
static inline uint8_t *fuzz_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

static inline void fuzz_require(bool holds)
{
    if (!holds) {
        abort();
    }
}

#endif
