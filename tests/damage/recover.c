/*
 * Hides the buffers of a trace at odd places in noise and looks for them:
 *
 *     recover FILE MEBIBYTES
 *
 * Every event of the trace has to come out as it does of the trace itself. Prints one line of
 * numbers; the exit status is 1 if anything is missing or another. The noise is made once and repeats.
 */
#include "whole_file.h"

#include "etl/recovery.h"

#include "core/file/buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOISE_SIZE ((size_t)16 << 20)

#define BUFFERS_MAX 20000

struct hidden {
    uint64_t at;     /* in the noise */
    uint64_t offset; /* in the trace */
    size_t size;
};

/* Noise with the buffers of a trace in it. */
struct haystack {
    struct etl_source source;
    uint8_t *noise;
    const uint8_t *trace;
    struct hidden *hidden;
    size_t count;
};

struct digest {
    uint64_t events;
    uint64_t buffers;
    uint64_t hash;
};

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int64_t read_haystack(struct etl_source *source, uint64_t offset, void *room, size_t size,
                             int *ret_errno)
{
    struct haystack *self = (struct haystack *)source;
    (void)ret_errno;
    if (offset >= source->size) {
        return 0;
    }
    size = size < source->size - offset ? size : (size_t)(source->size - offset);
    for (size_t done = 0; done < size;) {
        size_t inside = (size_t)((offset + done) % NOISE_SIZE);
        size_t piece = size - done < NOISE_SIZE - inside ? size - done : NOISE_SIZE - inside;
        memcpy((uint8_t *)room + done, self->noise + inside, piece);
        done += piece;
    }
    for (size_t i = 0; i < self->count; i++) {
        const struct hidden *one = &self->hidden[i];
        uint64_t first = one->at > offset ? one->at : offset;
        uint64_t last = one->at + one->size < offset + size ? one->at + one->size : offset + size;
        if (first < last) {
            memcpy((uint8_t *)room + (first - offset),
                   self->trace + one->offset + (first - one->at), (size_t)(last - first));
        }
    }
    return (int64_t)size;
}

static void close_haystack(struct etl_source *source)
{
    (void)source;
}

/* Each buffer at an odd place of its own stretch of the noise. */
static bool hide(struct haystack *haystack, const uint8_t *trace, size_t trace_size, uint64_t size)
{
    struct etl_buffer_header header;
    haystack->source = (struct etl_source){
        .read = read_haystack, .close = close_haystack, .size = size};
    haystack->trace = trace;
    haystack->noise = malloc(NOISE_SIZE);
    haystack->hidden = calloc(BUFFERS_MAX, sizeof *haystack->hidden);
    if (haystack->noise == NULL || haystack->hidden == NULL) {
        return false;
    }
    for (size_t i = 0; i < NOISE_SIZE; i += 8) {
        uint64_t eight = next_random();
        memcpy(haystack->noise + i, &eight, 8);
    }
    for (size_t at = 0; at + ETL_BUFFER_HEADER_SIZE <= trace_size; at += header.size) {
        if (haystack->count == BUFFERS_MAX || !etl_buffer_header_read(trace + at, 0, &header) ||
            header.size > trace_size - at) {
            return false;
        }
        haystack->hidden[haystack->count++] = (struct hidden){.offset = at, .size = header.size};
    }
    uint64_t stretch = size / (haystack->count + 1);
    for (size_t i = 0; i < haystack->count; i++) {
        struct hidden *one = &haystack->hidden[i];
        if (one->size >= stretch) {
            return false;
        }
        one->at = (i * stretch + next_random() % (stretch - one->size)) | 1;
    }
    return true;
}

static void add(struct digest *digest, const struct etl_entry *entry)
{
    const struct etl_span *spans[] = {&entry->event.header, &entry->event.items,
                                      &entry->event.payload};
    digest->events++;
    digest->buffers += entry->place.offset == ETL_BUFFER_HEADER_SIZE;
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < spans[i]->size; k++) {
            digest->hash = (digest->hash ^ spans[i]->at[k]) * UINT64_C(1099511628211);
        }
    }
    int64_t filetime = 0;
    etl_clock_filetime(&entry->context->clock, entry->raw_time, &filetime);
    digest->hash = (digest->hash ^ (uint64_t)filetime) * UINT64_C(1099511628211);
}

static struct digest plain(const uint8_t *trace, size_t size)
{
    struct digest digest = {0};
    const struct etl_file_options options = {0};
    struct etl_source *source = etl_source_of_memory(trace, size);
    struct etl_file *file;
    struct etl_entry entry;
    char message[200];
    if (source != NULL &&
        etl_file_open(source, &options, &file, message, sizeof message) == ETL_OK) {
        while (etl_file_next(file, &entry) == ETL_OK) {
            add(&digest, &entry);
        }
        etl_file_close(file);
    }
    return digest;
}

static struct digest recovered(struct haystack *haystack)
{
    struct digest digest = {0};
    const struct etl_file_options options = {0};
    struct etl_recovery *recovery;
    struct etl_entry entry;
    if (etl_recovery_open(&haystack->source, &options, &recovery) == ETL_OK) {
        while (etl_recovery_next(recovery, &entry) == ETL_OK) {
            add(&digest, &entry);
        }
        etl_recovery_close(recovery);
    }
    return digest;
}

int main(int argc, char **argv)
{
    static struct haystack haystack;
    size_t trace_size = 0;
    uint8_t *trace = argc == 3 ? read_file(argv[1], &trace_size) : NULL;
    uint64_t size = argc == 3 ? strtoull(argv[2], NULL, 10) << 20 : 0;
    if (trace == NULL || !hide(&haystack, trace, trace_size, size)) {
        fprintf(stderr, "usage: recover FILE MEBIBYTES, of a whole trace that is much smaller\n");
        return 2;
    }
    struct digest expected = plain(trace, trace_size);
    clock_t start = clock();
    struct digest found = recovered(&haystack);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    bool same = found.events == expected.events && found.hash == expected.hash;
    printf("%zu buffers hidden, %" PRIu64 " of %" PRIu64 " events found, %s; %.0f MB/s\n",
           haystack.count, found.events, expected.events, same ? "all the same" : "not the same",
           (double)size / 1e6 / seconds);
    free(trace);
    free(haystack.noise);
    free(haystack.hidden);
    return !same;
}
