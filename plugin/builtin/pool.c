/* Pools: bytes one after another, found again by hash. */
#include "builtin/pool.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *path;
size_t line_number;

_Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "%s:%zu: %s: %s\n", path, line_number, what, which);
    exit(EXIT_FAILURE);
}

void *grown(void *old, size_t size)
{
    void *bytes = realloc(old, size);
    if (bytes == NULL) {
        fail("out of memory", "");
    }
    return bytes;
}

size_t append(struct pool *pool, const void *bytes, size_t size)
{
    if (pool->size + size > pool->room) {
        pool->room = (pool->size + size) * 2;
        pool->bytes = grown(pool->bytes, pool->room);
    }
    memcpy(pool->bytes + pool->size, bytes, size);
    pool->size += size;
    return pool->size - size;
}

/* FNV-1a */
static size_t hash_of(const uint8_t *bytes, size_t size)
{
    uint32_t hash = 0x811C9DC5;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x01000193;
    }
    return hash;
}

static struct piece *slot_of(struct pool *pool, const void *bytes, size_t size)
{
    size_t slot = hash_of(bytes, size);
    while (true) {
        struct piece *piece = &pool->slots[slot++ & (pool->slot_count - 1)];
        if (piece->size == 0 ||
            (piece->size == size && memcmp(pool->bytes + piece->at, bytes, size) == 0)) {
            return piece;
        }
    }
}

static void rehash(struct pool *pool)
{
    struct piece *old = pool->slots;
    size_t count = pool->slot_count;
    pool->slot_count = count > 0 ? count * 2 : 1024;
    pool->slots = grown(NULL, pool->slot_count * sizeof *pool->slots);
    memset(pool->slots, 0, pool->slot_count * sizeof *pool->slots);
    for (size_t i = 0; i < count; i++) {
        if (old[i].size > 0) {
            *slot_of(pool, pool->bytes + old[i].at, old[i].size) = old[i];
        }
    }
    free(old);
}

size_t intern(struct pool *pool, const void *bytes, size_t size)
{
    if (pool->used * 2 >= pool->slot_count) {
        rehash(pool);
    }
    struct piece *piece = slot_of(pool, bytes, size);
    if (piece->size == 0) {
        *piece = (struct piece){.at = append(pool, bytes, size), .size = size};
        pool->used++;
    }
    return piece->at;
}

void pool_forget(struct pool *pool)
{
    free(pool->slots);
    pool->slots = NULL;
    pool->slot_count = pool->used = 0;
}
