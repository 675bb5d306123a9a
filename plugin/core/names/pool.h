/*
 * Byte strings that are kept once each, however often they are said: names, paths, stacks.
 *
 *     | u32 size | bytes | u32 size | bytes | …
 *
 * A string is known by its offset, so that growing moves nothing that others hold. Knows nothing of what
 * the strings mean.
 */
#ifndef ETL_CORE_POOL_H
#define ETL_CORE_POOL_H

#include "etl/bytes.h"
#include "etl/limits.h"

struct etl_pool {
    struct etl_budget *budget; /* borrowed; NULL: memory alone is the limit, and 4 GiB */
    uint8_t *bytes;            /* owned */
    size_t size;
    size_t room;
    uint32_t *places; /* owned; by hash: 1 + the offset of a string's size, or 0 */
    size_t place_count;
    size_t count;
};

/* Zeroed is empty. Gives back to the budget. */
void etl_pool_free(struct etl_pool *pool);

/* False when the budget is used up, or memory: then the string is not kept, and who asks later does not know it. */
bool etl_pool_add(struct etl_pool *pool, const void *bytes, size_t size, uint32_t *ret_offset);

/* Text with its NUL. */
bool etl_pool_add_text(struct etl_pool *pool, const char *text, uint32_t *ret_offset);

static inline const char *etl_pool_text(const struct etl_pool *pool, uint32_t offset)
{
    return (const char *)pool->bytes + offset;
}

static inline size_t etl_pool_size_of(const struct etl_pool *pool, uint32_t offset)
{
    return etl_load_u32(pool->bytes + offset - 4);
}

#endif
