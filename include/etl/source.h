/*
 * Where a file's bytes come from: "n bytes at an offset". Knows nothing of buffers.
 */
#ifndef ETL_SOURCE_H
#define ETL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct etl_source {
    /*
     * Reads up to `size` bytes at `offset` into `room`; fewer only where the source ends.
     * Returns how many, or -1 with an errno value in `*ret_errno`.
     */
    int64_t (*read)(struct etl_source *source, uint64_t offset, void *room, size_t size,
                    int *ret_errno);
    void (*close)(struct etl_source *source); /* frees the source itself too */
    uint64_t size;                            /* bytes when it was opened */
};

/*
 * A source over an open file descriptor, which it owns from then on and reads with pread. No
 * mapping: a file that shrinks would kill the process. NULL, errno set and the descriptor untouched
 * on failure.
 */
struct etl_source *etl_source_of_descriptor(int descriptor);

/* A source over memory, borrowed until it is closed. NULL when out of memory. */
struct etl_source *etl_source_of_memory(const void *data, size_t size);

void etl_source_close(struct etl_source *source); /* NULL is fine */

#endif
