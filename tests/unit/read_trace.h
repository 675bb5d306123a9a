/*
 * Reads the traces of trace.h through the core: what comes is collected in `seen`, so that a suite
 * can say what it expects of all of it and every event can be read a second time by its position.
 */
#ifndef ETL_TESTS_READ_TRACE_H
#define ETL_TESTS_READ_TRACE_H

#include "etl/file.h"

#include "trace.h"
#include "unit.h"

static struct etl_file_options open_options;

static inline struct etl_file *open_bytes(const uint8_t *bytes, size_t size)
{
    struct etl_file *file = NULL;
    char message[200] = "";
    struct etl_source *source = etl_source_of_memory(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    enum etl_status status = etl_file_open(source, &open_options, &file, message, sizeof message);
    if (status != ETL_OK) {
        CU_ASSERT_PTR_NULL(file);
        etl_source_close(source);
    }
    return file;
}

static inline struct etl_file *open_trace(const struct trace *trace)
{
    struct etl_file *file = open_bytes(trace->bytes, trace->size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    return file;
}

/* What of an entry must be the same when it is read again. */
struct seen {
    uint64_t position;
    int64_t raw_time;
    uint32_t running_thread;
    uint32_t buffer;
    uint16_t cpu;
    uint16_t size;
    uint16_t hookid;
    bool out_of_order;
    size_t remark_count;
    enum etl_note first_note;
    char first_detail[120];
};

static inline struct seen seen_of(const struct etl_entry *entry)
{
    struct seen seen = {.position = etl_position(&entry->place),
                        .raw_time = entry->raw_time,
                        .running_thread = entry->running_thread,
                        .buffer = entry->place.buffer,
                        .cpu = entry->place.cpu,
                        .size = entry->event.size,
                        .hookid = entry->event.hookid,
                        .out_of_order = entry->place.out_of_order,
                        .remark_count = entry->remark_count};
    if (entry->remark_count > 0) {
        seen.first_note = entry->remarks[0].note;
        snprintf(seen.first_detail, sizeof seen.first_detail, "%s", entry->remarks[0].detail);
    }
    return seen;
}

#define SEEN_MAX 4096

static struct seen seen[SEEN_MAX];
static size_t seen_count;
static enum etl_status last_status;

static inline void read_all(struct etl_file *file)
{
    struct etl_entry entry;
    seen_count = 0;
    while ((last_status = etl_file_next(file, &entry)) == ETL_OK && seen_count < SEEN_MAX) {
        seen[seen_count++] = seen_of(&entry);
    }
}

static inline bool same(const struct seen *a, const struct seen *b)
{
    return a->position == b->position && a->raw_time == b->raw_time &&
           a->running_thread == b->running_thread && a->buffer == b->buffer && a->cpu == b->cpu &&
           a->size == b->size && a->hookid == b->hookid && a->out_of_order == b->out_of_order &&
           a->remark_count == b->remark_count && a->first_note == b->first_note &&
           strcmp(a->first_detail, b->first_detail) == 0;
}

/* Every event again by its position: backwards, in strides, and forwards. */
static inline void check_at(struct etl_file *file)
{
    static const size_t strides[] = {1, 7, 0};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < seen_count; i++) {
            size_t index = strides[k] == 0   ? seen_count - 1 - i
                           : strides[k] == 1 ? i
                                             : i * strides[k] % seen_count;
            struct etl_entry entry;
            CU_ASSERT_EQUAL_FATAL(etl_file_at(file, seen[index].position, &entry), ETL_OK);
            struct seen again = seen_of(&entry);
            CU_ASSERT_TRUE(same(&again, &seen[index]));
        }
    }
}

static inline void read_trace(const struct trace *trace)
{
    struct etl_file *file = open_trace(trace);
    etl_file_random_access(file);
    read_all(file);
    check_at(file);
    etl_file_close(file);
}

static inline bool in_time_order(void)
{
    for (size_t i = 1; i < seen_count; i++) {
        if (seen[i].raw_time < seen[i - 1].raw_time && !seen[i].out_of_order) {
            return false;
        }
    }
    return true;
}

static inline const struct seen *seen_at_time(int64_t raw_time)
{
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i].raw_time == raw_time) {
            return &seen[i];
        }
    }
    CU_FAIL_FATAL("no event of this time");
    return NULL;
}

static inline bool has_note(const struct etl_entry *entry, enum etl_note note, const char *detail)
{
    for (size_t i = 0; i < entry->remark_count; i++) {
        if (entry->remarks[i].note == note && strcmp(entry->remarks[i].detail, detail) == 0) {
            return true;
        }
    }
    return false;
}

/* The remarks of the file, which its first event has. */
static inline void expect_file_note(const struct trace *trace, enum etl_note note,
                                    const char *detail, bool expected)
{
    struct etl_entry entry;
    struct etl_file *file = open_trace(trace);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    CU_ASSERT_EQUAL(has_note(&entry, note, detail), expected);
    etl_file_close(file);
}

/* Buffers of `cpus` processors, each with events at every tick that is its own, `rounds` times. */
static inline void fill_cpus(struct trace *trace, unsigned cpus, unsigned rounds, bool compressed)
{
    int64_t time = 2000;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned cpu = 0; cpu < cpus; cpu++) {
            trace_begin_buffer(trace, (uint16_t)cpu);
            for (int i = 0; i < 4; i++) {
                trace_mark(trace, time + cpu + (int64_t)i * cpus, 3 + (unsigned)i);
            }
            if (compressed) {
                trace_end_compressed(trace);
            } else {
                trace_end_buffer(trace);
            }
        }
        time += (int64_t)4 * cpus;
    }
}

#endif
