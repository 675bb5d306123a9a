/*
 * Damages a trace in every way that damage.py asks for, in memory, and counts what still comes out:
 *
 *     damage FILE POSITIONS SEED <LIST
 *
 * LIST, of the independent reader: "b position size compressed" for each buffer, "e offset size" for each of
 * its events. The trace is cut at every 1/64 of its length and at every byte of its first and last
 * 256, and at POSITIONS places, from byte 0 on, one byte is changed. Each time every event of a
 * buffer that the damage does not touch has to come, and of a buffer that is cut those before the
 * cut. Prints one line of numbers; the exit status is 1 if an event is missing.
 */
#include "whole_file.h"

#include "etl/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Nothing may take longer. */
#define SECONDS_MAX 5

#define EDGE      256
#define FRACTIONS 64

/* Missing events that are told one by one. */
#define SHOWN_MAX 5

struct buffer {
    uint64_t position;
    uint64_t size;
    bool compressed;
    size_t first_event;
    size_t event_count;
};

struct event {
    uint32_t offset;
    uint32_t size;
    uint32_t seen; /* by which run */
};

struct list {
    struct buffer *buffers;
    size_t buffer_count;
    struct event *events;
    size_t event_count;
};

struct totals {
    uint32_t runs;
    uint64_t expected;
    uint64_t missing;
    uint64_t delivered;
    double slowest;
};

static void *grown(void *list, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0) {
        return list;
    }
    list = realloc(list, (count > 0 ? 2 * count : 1) * size);
    if (list == NULL) {
        abort();
    }
    return list;
}

static bool read_list(struct list *list)
{
    char line[100];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct buffer buffer = {.first_event = list->event_count};
        struct event event = {0};
        int compressed;
        if (sscanf(line, "b %" SCNu64 " %" SCNu64 " %d", &buffer.position, &buffer.size,
                   &compressed) == 3) {
            buffer.compressed = compressed != 0;
            list->buffers = grown(list->buffers, list->buffer_count, sizeof *list->buffers);
            list->buffers[list->buffer_count++] = buffer;
        } else if (list->buffer_count > 0 &&
                   sscanf(line, "e %" SCNu32 " %" SCNu32, &event.offset, &event.size) == 2) {
            list->events = grown(list->events, list->event_count, sizeof *list->events);
            list->events[list->event_count++] = event;
            list->buffers[list->buffer_count - 1].event_count++;
        } else {
            return false;
        }
    }
    return list->buffer_count > 0;
}

static struct buffer *find_buffer(struct list *list, uint64_t position)
{
    size_t low = 0;
    size_t high = list->buffer_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->buffers[middle].position < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < list->buffer_count && list->buffers[low].position == position;
    return found ? &list->buffers[low] : NULL;
}

static void mark(struct list *list, const struct etl_place *place, uint32_t run)
{
    uint64_t position = place->position - (place->compressed ? 0 : place->offset);
    struct buffer *buffer = find_buffer(list, position);
    size_t low = buffer != NULL ? buffer->first_event : 0;
    size_t end = buffer != NULL ? low + buffer->event_count : 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->events[middle].offset < place->offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < end && list->events[low].offset == place->offset) {
        list->events[low].seen = run;
    }
}

/* Everything that the reader and the record do with a file. */
static uint64_t read_all(struct list *list, const uint8_t *bytes, size_t size, uint32_t run)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    const struct etl_file_options options = {.search = ETL_SEARCH_NEAR};
    const struct etl_record_options record_options = {.no_names = false};
    char message[200];
    uint64_t count = 0;
    struct etl_file *file;
    struct etl_source *source = etl_source_of_memory(bytes, size);
    if (source == NULL) {
        abort();
    }
    if (etl_file_open(source, &options, &file, message, sizeof message) != ETL_OK) {
        etl_source_close(source);
        return 0;
    }
    struct etl_entry entry;
    for (; etl_file_next(file, &entry) == ETL_OK; count++) {
        mark(list, &entry.place, run);
        if (etl_record_pack(&entry, etl_file_keys(file), &record_options, room) > sizeof room) {
            abort();
        }
    }
    etl_file_close(file);
    return count;
}

/* The events that have to come when [from, to) of the file is no longer what it was. */
static void count(const struct list *list, uint64_t from, uint64_t to, bool cut, uint32_t run,
                  struct totals *totals)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < list->buffer_count; i++) {
        const struct buffer *buffer = &list->buffers[i];
        uint64_t end = buffer->position + buffer->size;
        bool touched = buffer->position < to && from < end;
        bool before_cut = cut && !buffer->compressed && from > buffer->position;
        for (size_t k = 0; k < buffer->event_count && (!touched || before_cut); k++) {
            const struct event *event = &list->events[buffer->first_event + k];
            if (touched && buffer->position + event->offset + event->size > from) {
                break;
            }
            totals->expected++;
            if (event->seen != run) {
                missing++;
                if (totals->missing + missing <= SHOWN_MAX) {
                    printf("  %s at %" PRIu64 ": missing offset %" PRIu32
                           " of the buffer at %" PRIu64 "\n",
                           cut ? "cut" : "changed", from, event->offset, buffer->position);
                }
            }
        }
    }
    totals->missing += missing;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run(struct list *list, const uint8_t *bytes, size_t size, uint64_t from, uint64_t to,
                bool cut, struct totals *totals)
{
    totals->runs++;
    double start = now();
    alarm(SECONDS_MAX);
    totals->delivered += read_all(list, bytes, size, totals->runs);
    alarm(0);
    double took = now() - start;
    totals->slowest = took > totals->slowest ? took : totals->slowest;
    count(list, from, to, cut, totals->runs, totals);
}

/* In a block of its own size, so that a sanitizer sees what is read behind it. */
static void cut_at(struct list *list, const uint8_t *bytes, size_t size, size_t whole,
                   struct totals *totals)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    run(list, copy, size, size, whole + 1, true, totals);
    free(copy);
}

static void cut_everywhere(struct list *list, const uint8_t *bytes, size_t size,
                           struct totals *totals)
{
    for (size_t i = 0; i <= FRACTIONS; i++) {
        cut_at(list, bytes, size * i / FRACTIONS, size, totals);
    }
    for (size_t i = 0; i < EDGE && i < size; i++) {
        cut_at(list, bytes, i, size, totals);
        cut_at(list, bytes, size - i, size, totals);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* The first places are the first bytes, where a file says what it is. */
static void change_bytes(struct list *list, uint8_t *bytes, size_t size, unsigned positions,
                         uint64_t seed, struct totals *totals)
{
    for (unsigned i = 0; i < positions; i++) {
        size_t at = i < positions / 4 ? i % size : next_random(&seed) % size;
        uint8_t saved = bytes[at];
        bytes[at] ^= (uint8_t)(1 + next_random(&seed) % 255);
        run(list, bytes, size, at, at + 1, false, totals);
        bytes[at] = saved;
    }
}

int main(int argc, char **argv)
{
    struct list list = {0};
    struct totals totals = {0};
    size_t size = 0;
    uint8_t *bytes = argc == 4 ? read_file(argv[1], &size) : NULL;
    if (bytes == NULL || !read_list(&list)) {
        fprintf(stderr, "usage: damage FILE POSITIONS SEED <LIST\n");
        return 2;
    }
    cut_everywhere(&list, bytes, size, &totals);
    change_bytes(&list, bytes, size, (unsigned)strtoul(argv[2], NULL, 10),
                 strtoull(argv[3], NULL, 10), &totals);
    printf("runs %" PRIu32 " expected %" PRIu64 " missing %" PRIu64 " delivered %" PRIu64
           " slowest %.3f\n",
           totals.runs, totals.expected, totals.missing, totals.delivered, totals.slowest);
    free(bytes);
    free(list.buffers);
    free(list.events);
    return totals.missing > 0;
}
