/*
 * A growing run of bytes, and an arena for what lives as long as one build.
 *
 * Knows nothing of traces. Running out of memory ends the program: the builder is a tool, and its
 * inputs are a few kilobytes of the project's own text.
 */
#ifndef ETLBUILD_BLOB_H
#define ETLBUILD_BLOB_H

#include <stddef.h>
#include <stdint.h>

/* `data` is owned; blob_free() gives it back. */
struct blob {
    uint8_t *data;
    size_t size;
    size_t room;
};

void blob_put(struct blob *blob, const void *data, size_t size);
void blob_fill(struct blob *blob, uint8_t byte, size_t count);

/* The `width` low bytes of value, little-endian and in network order. */
void blob_put_number(struct blob *blob, uint64_t value, size_t width);
void blob_put_big(struct blob *blob, uint64_t value, size_t width);

/* Overwrites `width` bytes that are already there. */
void blob_set_number(struct blob *blob, size_t at, uint64_t value, size_t width);
void blob_set_big(struct blob *blob, size_t at, uint64_t value, size_t width);

/* Zeros until the size is a multiple of `unit`. */
void blob_align(struct blob *blob, size_t unit);
void blob_free(struct blob *blob);

/* Everything allocated from an arena is freed at once, by arena_free(). */
struct arena {
    struct arena_block *blocks;
};

void *arena_allocate(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);

#endif
