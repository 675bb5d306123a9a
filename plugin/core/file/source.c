/*
 * Two sources: a file descriptor, read with pread, and a piece of memory.
 */
#include "etl/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct descriptor_source {
    struct etl_source source;
    int descriptor; /* owned */
};

struct memory_source {
    struct etl_source source;
    const uint8_t *data; /* borrowed */
};

static int64_t read_descriptor(struct etl_source *source, uint64_t offset, void *room, size_t size,
                               int *ret_errno)
{
    struct descriptor_source *self = (struct descriptor_source *)source;
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(self->descriptor, (uint8_t *)room + done, size - done,
                            (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            *ret_errno = errno;
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return (int64_t)done;
}

static void close_descriptor(struct etl_source *source)
{
    struct descriptor_source *self = (struct descriptor_source *)source;
    close(self->descriptor);
    free(self);
}

struct etl_source *etl_source_of_descriptor(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return NULL;
    }
    struct descriptor_source *self = malloc(sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->source.read = read_descriptor;
    self->source.close = close_descriptor;
    self->source.size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    self->descriptor = descriptor;
    return &self->source;
}

static int64_t read_memory(struct etl_source *source, uint64_t offset, void *room, size_t size,
                           int *ret_errno)
{
    struct memory_source *self = (struct memory_source *)source;
    (void)ret_errno;
    if (offset >= source->size) {
        return 0;
    }
    size_t left = (size_t)(source->size - offset);
    size_t taken = size < left ? size : left;
    if (taken > 0) { /* room may be NULL then */
        memcpy(room, self->data + offset, taken);
    }
    return (int64_t)taken;
}

static void close_memory(struct etl_source *source)
{
    free(source);
}

struct etl_source *etl_source_of_memory(const void *data, size_t size)
{
    struct memory_source *self = malloc(sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->source.read = read_memory;
    self->source.close = close_memory;
    self->source.size = size;
    self->data = data;
    return &self->source;
}

void etl_source_close(struct etl_source *source)
{
    if (source != NULL) {
        source->close(source);
    }
}
