/* What the parts of the packer share: pools of bytes, and the end of the build when a line is wrong. */
#ifndef ETL_BUILTIN_POOL_H
#define ETL_BUILTIN_POOL_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; equal pieces are kept once where they are interned. */
struct pool {
    uint8_t *bytes;
    size_t size;
    size_t room;
    struct piece {
        size_t at;
        size_t size;
    } * slots; /* open addressing; .size 0 is free */
    size_t slot_count;
    size_t used;
};

/* The line that is read, for messages. */
extern const char *path;
extern size_t line_number;

/* Ends the program with a sentence. */
_Noreturn void fail(const char *what, const char *which);

/* realloc that does not fail. */
void *grown(void *old, size_t size);

/* Both return where in the pool the bytes are; the second keeps equal ones once. */
size_t append(struct pool *pool, const void *bytes, size_t size);
size_t intern(struct pool *pool, const void *bytes, size_t size);

/* Equal pieces from now on are others than before. */
void pool_forget(struct pool *pool);

#endif
