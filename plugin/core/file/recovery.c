/*
 * One trace after the other out of a file that is none: each is an etl_file over a part of the
 * source, which ends where it meets another first buffer.
 */
#include "etl/recovery.h"

#include "core/file/file_private.h"

#include <stdlib.h>

/* Further first buffers are buffers of the last part: each part costs some 20 KB. */
#define PARTS_MAX 1000

/* What a part that was read keeps in memory for who comes back to it. */
#define REST_LIMIT ((size_t)4 << 20)

struct part {
    struct etl_file *file; /* owned */
    uint64_t start;        /* in the source */
    uint64_t first_buffer; /* number of buffers before it */
};

struct etl_recovery {
    struct etl_source *source; /* owned */
    struct etl_file_options options;
    bool random_access;
    void (*progress)(void *data, uint64_t bytes);
    void *progress_data;
    struct part *parts;
    size_t count;
    size_t current; /* of the last event */
};

/* The source from some place on. */
struct part_source {
    struct etl_source source;
    struct etl_source *whole; /* borrowed */
    uint64_t start;
};

static int64_t read_part(struct etl_source *source, uint64_t offset, void *room, size_t size,
                         int *ret_errno)
{
    struct part_source *self = (struct part_source *)source;
    return self->whole->read(self->whole, self->start + offset, room, size, ret_errno);
}

static void close_part(struct etl_source *source)
{
    free(source);
}

static struct etl_source *part_of(struct etl_source *whole, uint64_t start)
{
    struct part_source *self = malloc(sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    *self = (struct part_source){
        .source = {.read = read_part, .close = close_part, .size = whole->size - start},
        .whole = whole,
        .start = start,
    };
    return &self->source;
}

static enum etl_status open_part(struct etl_recovery *recovery, uint64_t start)
{
    char message[1];
    struct part *part = &recovery->parts[recovery->count];
    struct etl_source *source = part_of(recovery->source, start);
    if (source == NULL) {
        return ETL_NO_MEMORY;
    }
    struct etl_file_options options = recovery->options;
    for (size_t i = 0; i < recovery->count; i++) {
        etl_file_spend(recovery->parts[i].file, &options.limits);
    }
    options.search = recovery->count + 1 < PARTS_MAX ? ETL_SEARCH_ALL : ETL_SEARCH_REST;
    enum etl_status status = etl_file_open(source, &options, &part->file, message, sizeof message);
    if (status != ETL_OK) {
        etl_source_close(source);
        return status == ETL_REFUSED ? ETL_NOT_MINE : status;
    }
    part->start = start;
    part->first_buffer = 0;
    if (recovery->count > 0) {
        const struct part *before = part - 1;
        part->first_buffer = before->first_buffer + etl_file_info(before->file)->buffers;
    }
    if (recovery->random_access) {
        etl_file_random_access(part->file);
    }
    recovery->current = recovery->count++;
    return ETL_OK;
}

enum etl_status etl_recovery_open(struct etl_source *source, const struct etl_file_options *options,
                                  struct etl_recovery **ret_recovery)
{
    struct etl_recovery *recovery = calloc(1, sizeof *recovery);
    enum etl_status status = ETL_NO_MEMORY;
    *ret_recovery = NULL;
    if (recovery != NULL &&
        (recovery->parts = calloc(PARTS_MAX, sizeof *recovery->parts)) != NULL) {
        recovery->source = source;
        recovery->options = *options;
        status = open_part(recovery, 0);
    }
    if (status != ETL_OK) {
        if (recovery != NULL) {
            recovery->source = NULL; /* it stays the caller's */
        }
        etl_recovery_close(recovery);
        return status;
    }
    *ret_recovery = recovery;
    return ETL_OK;
}

void etl_recovery_close(struct etl_recovery *recovery)
{
    if (recovery == NULL) {
        return;
    }
    for (size_t i = 0; i < recovery->count; i++) {
        etl_file_close(recovery->parts[i].file);
    }
    free(recovery->parts);
    etl_source_close(recovery->source);
    free(recovery);
}

struct etl_file *etl_recovery_file(struct etl_recovery *recovery)
{
    return recovery->parts[recovery->current].file;
}

void etl_recovery_random_access(struct etl_recovery *recovery)
{
    recovery->random_access = true;
    for (size_t i = 0; i < recovery->count; i++) {
        etl_file_random_access(recovery->parts[i].file);
    }
}

static void report(void *data, uint64_t bytes)
{
    struct etl_recovery *recovery = data;
    if (recovery->progress != NULL) {
        recovery->progress(recovery->progress_data,
                           recovery->parts[recovery->count - 1].start + bytes);
    }
}

enum etl_status etl_recovery_index(struct etl_recovery *recovery,
                                   void (*progress)(void *, uint64_t), void *progress_data)
{
    recovery->progress = progress;
    recovery->progress_data = progress_data;
    return etl_file_index(recovery->parts[recovery->count - 1].file, report, recovery);
}

static void set_place(const struct part *part, struct etl_entry *entry)
{
    entry->place.position += part->start;
    entry->place.buffer += (uint32_t)part->first_buffer;
}

/* Goes to a part. One that was read to its end keeps no buffers for who does not ask for it. */
static void turn_to(struct etl_recovery *recovery, size_t number)
{
    struct etl_file *left = recovery->parts[recovery->current].file;
    if (number != recovery->current && recovery->current + 1 < recovery->count) {
        etl_pages_free(&left->pages);
        left->pages.limit = REST_LIMIT;
    }
    recovery->current = number;
}

/* The part behind the last one, which was read to its end. */
static enum etl_status next_part(struct etl_recovery *recovery)
{
    const struct part *last = &recovery->parts[recovery->count - 1];
    uint64_t stop = last->file->stop;
    if (stop == 0) {
        return ETL_END;
    }
    etl_pages_free(&last->file->pages);
    last->file->pages.limit = REST_LIMIT;
    enum etl_status status = open_part(recovery, last->start + stop);
    if (status == ETL_OK) {
        status = etl_recovery_index(recovery, recovery->progress, recovery->progress_data);
    }
    return status == ETL_NOT_MINE ? ETL_END : status;
}

enum etl_status etl_recovery_next(struct etl_recovery *recovery, struct etl_entry *ret_entry)
{
    enum etl_status status;
    do {
        turn_to(recovery, recovery->count - 1);
        status = etl_file_next(recovery->parts[recovery->current].file, ret_entry);
    } while (status == ETL_END && (status = next_part(recovery)) == ETL_OK);
    if (status == ETL_OK) {
        set_place(&recovery->parts[recovery->current], ret_entry);
    }
    return status;
}

enum etl_status etl_recovery_at(struct etl_recovery *recovery, uint64_t position,
                                struct etl_entry *ret_entry)
{
    uint64_t buffer = position >> ETL_POSITION_OFFSET_BITS;
    size_t i = recovery->count - 1;
    while (i > 0 && recovery->parts[i].first_buffer > buffer) {
        i--;
    }
    const struct part *part = &recovery->parts[i];
    turn_to(recovery, i);
    position -= part->first_buffer << ETL_POSITION_OFFSET_BITS;
    enum etl_status status = etl_file_at(part->file, position, ret_entry);
    if (status == ETL_OK) {
        set_place(part, ret_entry);
    }
    return status;
}
