/*
 * Growing bytes and the arena.
 */
#include "blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    max_align_t first;
};

static void *require(void *memory)
{
    if (memory == NULL) {
        fputs("etlbuild: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void blob_reserve(struct blob *blob, size_t more)
{
    if (blob->room - blob->size >= more) {
        return;
    }
    blob->room = (blob->size + more) * 2;
    blob->data = require(realloc(blob->data, blob->room));
}

void blob_put(struct blob *blob, const void *data, size_t size)
{
    if (size == 0) {
        return;
    }
    blob_reserve(blob, size);
    memcpy(blob->data + blob->size, data, size);
    blob->size += size;
}

void blob_fill(struct blob *blob, uint8_t byte, size_t count)
{
    if (count == 0) {
        return;
    }
    blob_reserve(blob, count);
    memset(blob->data + blob->size, byte, count);
    blob->size += count;
}

void blob_set_number(struct blob *blob, size_t at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        blob->data[at + i] = (uint8_t)(value >> 8 * i);
    }
}

void blob_set_big(struct blob *blob, size_t at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        blob->data[at + width - 1 - i] = (uint8_t)(value >> 8 * i);
    }
}

void blob_put_number(struct blob *blob, uint64_t value, size_t width)
{
    blob_fill(blob, 0, width);
    blob_set_number(blob, blob->size - width, value, width);
}

void blob_put_big(struct blob *blob, uint64_t value, size_t width)
{
    blob_fill(blob, 0, width);
    blob_set_big(blob, blob->size - width, value, width);
}

void blob_align(struct blob *blob, size_t unit)
{
    if (unit > 0) {
        blob_fill(blob, 0, (unit - blob->size % unit) % unit);
    }
}

void blob_free(struct blob *blob)
{
    free(blob->data);
    *blob = (struct blob){0};
}

void *arena_allocate(struct arena *arena, size_t size)
{
    struct arena_block *block = require(calloc(1, sizeof *block + size));
    block->next = arena->blocks;
    arena->blocks = block;
    return &block->first;
}

char *arena_text(struct arena *arena, const char *text, size_t size)
{
    char *copy = arena_allocate(arena, size + 1);
    if (size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
