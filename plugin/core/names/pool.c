/* Open addressing over the strings' hashes; places are doubled when two thirds are taken. */
#include "core/names/pool.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_BYTES 4

void etl_pool_free(struct etl_pool *pool)
{
    etl_budget_free(pool->budget, pool->bytes, pool->room, 1);
    etl_budget_free(pool->budget, pool->places, pool->place_count, sizeof *pool->places);
    memset(pool, 0, sizeof *pool);
}

/* FNV-1a. */
static uint32_t hash_of(const uint8_t *bytes, size_t size)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619U;
    }
    return hash;
}

/* The place of the string, or the empty one where it would be. */
static uint32_t *place_of(const struct etl_pool *pool, const uint8_t *bytes, size_t size)
{
    size_t at = hash_of(bytes, size) & (pool->place_count - 1);
    while (pool->places[at] != 0) {
        const uint8_t *known = pool->bytes + pool->places[at] - 1;
        if (etl_load_u32(known) == size &&
            (size == 0 || memcmp(known + SIZE_BYTES, bytes, size) == 0)) {
            break;
        }
        at = (at + 1) & (pool->place_count - 1);
    }
    return &pool->places[at];
}

static bool grow_places(struct etl_pool *pool)
{
    uint32_t *old = pool->places;
    size_t old_count = pool->place_count;
    size_t count = old_count > 0 ? old_count * 2 : 256;
    uint32_t *grown = etl_budget_table(pool->budget, old_count, count, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    pool->places = grown;
    pool->place_count = count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] != 0) {
            const uint8_t *known = pool->bytes + old[i] - 1;
            *place_of(pool, known + SIZE_BYTES, etl_load_u32(known)) = old[i];
        }
    }
    free(old);
    return true;
}

static bool make_room(struct etl_pool *pool, size_t size)
{
    if (size > UINT32_MAX - 1 - pool->size) { /* offsets are as wide */
        return false;
    }
    uint8_t *bytes = etl_budget_room(pool->budget, pool->bytes, pool->size, size, &pool->room, 1);
    pool->bytes = bytes != NULL ? bytes : pool->bytes;
    return bytes != NULL;
}

bool etl_pool_add(struct etl_pool *pool, const void *bytes, size_t size, uint32_t *ret_offset)
{
    bool room = pool->count * 3 < pool->place_count * 2 || grow_places(pool);
    if (pool->place_count == 0) {
        return false;
    }
    uint32_t *place = place_of(pool, bytes, size);
    if (*place == 0) {
        if (!room || !make_room(pool, SIZE_BYTES + size)) {
            return false;
        }
        *place = (uint32_t)pool->size + 1;
        etl_store_u32(pool->bytes + pool->size, (uint32_t)size);
        if (size > 0) {
            memcpy(pool->bytes + pool->size + SIZE_BYTES, bytes, size);
        }
        pool->size += SIZE_BYTES + size;
        pool->count++;
    }
    *ret_offset = *place - 1 + SIZE_BYTES;
    return true;
}

bool etl_pool_add_text(struct etl_pool *pool, const char *text, uint32_t *ret_offset)
{
    return etl_pool_add(pool, text, strlen(text) + 1, ret_offset);
}
