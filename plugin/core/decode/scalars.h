/*
 * Values at a place in a payload, for both interpreters: of rows (decode.c) and of schemas
 * (schema/schema_decode.c). Knows nothing of fields.
 */
#ifndef ETL_CORE_SCALARS_H
#define ETL_CORE_SCALARS_H

#include "etl/bytes.h"

#include <string.h>

/* `width` is 1, 2, 4 or 8 bytes, which the caller has seen to be there. */
static inline uint64_t etl_load_number(const uint8_t *at, size_t width)
{
    switch (width) {
    case 1:
        return at[0];
    case 2:
        return etl_load_u16(at);
    case 4:
        return etl_load_u32(at);
    default:
        return etl_load_u64(at);
    }
}

/* Of a row that has a fixed place (etl_decode_reaches): the number that its bytes are. */
static inline uint64_t etl_fixed_number(const struct etl_field *field, const uint8_t *start,
                                        uint8_t pointer_size)
{
    size_t width = field->width > 0 ? field->width : pointer_size;
    return etl_load_number(start + field->fixed_at[pointer_size == 8], width);
}

/* Bytes before the first NUL of `unit` bytes (1 or 2); SIZE_MAX when there is none. */
static inline size_t etl_length_to_nul(const uint8_t *at, size_t size, size_t unit)
{
    if (unit == 1) {
        const uint8_t *nul = size > 0 ? memchr(at, 0, size) : NULL;
        return nul != NULL ? (size_t)(nul - at) : SIZE_MAX;
    }
    for (size_t i = 0; i + 1 < size; i += 2) {
        if (at[i] == 0 && at[i + 1] == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

#endif
