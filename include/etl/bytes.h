/*
 * A bounded cursor over borrowed bytes: the only way the core reads input.
 *
 *   at ----------------------- end
 *   |  taken by the next call   |
 *
 * A cursor that is asked for more than it has fails, and stays failed: every later call returns
 * zero or NULL. So a decoder reads what it expects and looks at `failed` once, after the last read.
 * Knows nothing of where the bytes are from. All numbers are little-endian.
 */
#ifndef ETL_BYTES_H
#define ETL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `at` and `end` are borrowed: they live as long as the buffer they point into. */
struct etl_bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

/*
 * Little-endian to the machine's own and back. Put together byte by byte, compilers do not always see that it is
 * one load or one store.
 */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ETL_LITTLE16(number) __builtin_bswap16(number)
#define ETL_LITTLE32(number) __builtin_bswap32(number)
#define ETL_LITTLE64(number) __builtin_bswap64(number)
#else
#define ETL_LITTLE16(number) (number)
#define ETL_LITTLE32(number) (number)
#define ETL_LITTLE64(number) (number)
#endif

/* Loads and stores for places whose bounds the caller has already checked. */
static inline uint16_t etl_load_u16(const uint8_t *p)
{
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return ETL_LITTLE16(value);
}

static inline uint32_t etl_load_u32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return ETL_LITTLE32(value);
}

static inline uint64_t etl_load_u64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return ETL_LITTLE64(value);
}

static inline void etl_store_u16(uint8_t *p, uint16_t value)
{
    value = ETL_LITTLE16(value);
    memcpy(p, &value, sizeof value);
}

static inline void etl_store_u32(uint8_t *p, uint32_t value)
{
    value = ETL_LITTLE32(value);
    memcpy(p, &value, sizeof value);
}

static inline void etl_store_u64(uint8_t *p, uint64_t value)
{
    value = ETL_LITTLE64(value);
    memcpy(p, &value, sizeof value);
}

static inline struct etl_bytes etl_bytes_of(const void *data, size_t size)
{
    const uint8_t *at = data;
    return (struct etl_bytes){.at = at, .end = size > 0 ? at + size : at, .failed = false};
}

static inline size_t etl_bytes_left(const struct etl_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

/* The next `size` bytes, borrowed; NULL when there are fewer, and the cursor has then failed. */
static inline const uint8_t *etl_bytes_take(struct etl_bytes *bytes, size_t size)
{
    if (bytes->failed || etl_bytes_left(bytes) < size) {
        bytes->failed = true;
        return NULL;
    }
    const uint8_t *taken = bytes->at;
    if (size > 0) {
        bytes->at += size;
    }
    return taken;
}

/* A cursor over the next `size` bytes, which this one skips; failed when there are fewer. */
static inline struct etl_bytes etl_bytes_sub(struct etl_bytes *bytes, size_t size)
{
    const uint8_t *taken = etl_bytes_take(bytes, size);
    struct etl_bytes sub = etl_bytes_of(taken, taken != NULL ? size : 0);
    sub.failed = bytes->failed;
    return sub;
}

static inline uint8_t etl_bytes_u8(struct etl_bytes *bytes)
{
    const uint8_t *taken = etl_bytes_take(bytes, 1);
    return taken != NULL ? taken[0] : 0;
}

static inline uint16_t etl_bytes_u16(struct etl_bytes *bytes)
{
    const uint8_t *taken = etl_bytes_take(bytes, 2);
    return taken != NULL ? etl_load_u16(taken) : 0;
}

static inline uint32_t etl_bytes_u32(struct etl_bytes *bytes)
{
    const uint8_t *taken = etl_bytes_take(bytes, 4);
    return taken != NULL ? etl_load_u32(taken) : 0;
}

static inline uint64_t etl_bytes_u64(struct etl_bytes *bytes)
{
    const uint8_t *taken = etl_bytes_take(bytes, 8);
    return taken != NULL ? etl_load_u64(taken) : 0;
}

#endif
