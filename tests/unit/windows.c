/* Reading through windows: large buffers, little memory, and sources that fail. */
#include "etl/file.h"

#include "read_trace.h"

#include <errno.h>

static void test_windows(void)
{
    struct trace trace;
    trace_start(&trace, 0x50000, NULL); /* five windows */
    for (uint16_t cpu = 0; cpu < 2; cpu++) {
        trace_begin_buffer(&trace, cpu);
        for (int64_t i = 0; i < 12; i++) { /* over window borders, the largest event among them */
            trace_mark(&trace, 2000 + i * 2 + cpu, i == 5 ? 0xFFFF - 16 : 0x3000 + (size_t)i);
        }
        trace_end_buffer(&trace);
    }
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 25 && in_time_order());
    trace_free(&trace);
}

static void test_interleaved(void)
{
    struct trace trace;
    trace_start(&trace, 0x50000, NULL);
    for (uint16_t cpu = 0; cpu < 2; cpu++) {
        trace_begin_buffer(&trace, cpu);
        for (int64_t i = 0; i < 40; i++) {
            trace_mark(&trace, 2000 + i * 2 + cpu, 0x1C00);
        }
        trace_end_buffer(&trace);
    }
    struct etl_file *file = open_trace(&trace);
    read_all(file);
    etl_file_close(file);
    CU_ASSERT_EQUAL_FATAL(seen_count, 81);
    /* Between two events somebody looks at others, far from where the lanes stand. */
    file = open_trace(&trace);
    etl_file_random_access(file);
    struct etl_entry entry;
    for (size_t i = 0; i < seen_count; i++) {
        CU_ASSERT_EQUAL_FATAL(etl_file_next(file, &entry), ETL_OK);
        struct seen one = seen_of(&entry);
        CU_ASSERT_TRUE(same(&one, &seen[i]));
        size_t other = (i * 37 + 40) % seen_count;
        CU_ASSERT_EQUAL_FATAL(etl_file_at(file, seen[other].position, &entry), ETL_OK);
        one = seen_of(&entry);
        CU_ASSERT_TRUE(same(&one, &seen[other]));
    }
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_END);
    etl_file_close(file);
    trace_free(&trace);
}

static void test_small_memory(void)
{
    struct trace trace;
    const struct trace_header header = {.mode = 0x04000000, .state = 3, .version = {10, 0, 2, 0}};
    trace_start(&trace, 0x30000, &header);
    for (unsigned i = 0; i < 24; i++) { /* 4 overlap at a time, 128 KiB each when expanded */
        trace_begin_buffer(&trace, (uint16_t)(i % 4));
        for (int64_t k = 0; k < 8; k++) {
            trace_mark(&trace, 2000 + (int64_t)(i / 4) * 100 + k * 4 + i % 4, 0x4000);
        }
        trace_end_compressed(&trace);
    }
    static const size_t limits[] = {0, 1, 0x100000, 0x80000};
    for (size_t i = 0; i < 4; i++) {
        open_options.limits.bytes[ETL_LIMIT_MEMORY] = limits[i];
        read_trace(&trace);
        CU_ASSERT_EQUAL(seen_count, 1 + 24 * 8);
        /* Too little for four buffers and two more: the file's order, and a note. */
        bool merged = limits[i] == 0 || limits[i] == 0x100000;
        CU_ASSERT_EQUAL(in_time_order(), merged);
        expect_file_note(&trace, ETL_NOTE_FILE_ORDER, "etl.memory_limit", !merged);
    }
    open_options.limits.bytes[ETL_LIMIT_MEMORY] = 0;
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_info(file)->compression, ETL_COMPRESSION_XPRESS);
    etl_file_close(file);
    trace_free(&trace);
}

/* A huge file of which only the headers exist: buffers of 16 MiB with one event each. */
struct sparse_source {
    struct etl_source source;
    const struct trace *first; /* the header buffer */
    uint8_t buffer[ETL_BUFFER_HEADER_SIZE + 16];
    size_t largest_read;
};

#define SPARSE_SIZE 0x1000000U
#define SPARSE_CPUS 2047U

static int64_t read_sparse(struct etl_source *source, uint64_t offset, void *room, size_t size,
                           int *ret_errno)
{
    struct sparse_source *self = (struct sparse_source *)source;
    (void)ret_errno;
    if (offset >= source->size) {
        return 0;
    }
    size = size < source->size - offset ? size : (size_t)(source->size - offset);
    self->largest_read = size > self->largest_read ? size : self->largest_read;
    uint64_t number = offset / SPARSE_SIZE;
    uint64_t inside = offset % SPARSE_SIZE;
    const uint8_t *bytes = self->buffer;
    size_t length = sizeof self->buffer;
    if (number == 0) {
        bytes = self->first->bytes;
        length = self->first->size;
    } else {
        etl_store_u16(self->buffer + 0x28, (uint16_t)(number - 1));
        etl_store_u64(self->buffer + 0x50, 5000 - number);
    }
    memset(room, 0, size);
    if (inside < length) {
        size_t taken = length - inside < size ? length - inside : size;
        memcpy(room, bytes + inside, taken);
    }
    return (int64_t)size;
}

static void close_sparse(struct etl_source *source)
{
    (void)source;
}

static void test_sparse(void)
{
    struct trace first;
    struct trace one;
    trace_start(&first, 0x800, NULL);
    etl_store_u32(first.bytes, SPARSE_SIZE);
    trace_start(&one, 0x800, NULL);
    trace_begin_buffer(&one, 0);
    trace_mark(&one, 0, 0);
    static struct sparse_source self;
    self.source = (struct etl_source){
        .read = read_sparse, .close = close_sparse, .size = (uint64_t)SPARSE_SIZE * 2048};
    self.first = &first;
    memcpy(self.buffer, one.bytes + 0x800, sizeof self.buffer);
    etl_store_u32(self.buffer, SPARSE_SIZE);
    etl_store_u32(self.buffer + 0x30, SPARSE_SIZE);
    struct etl_file *file;
    char message[200];
    CU_ASSERT_EQUAL_FATAL(
        etl_file_open(&self.source, &open_options, &file, message, sizeof message), ETL_OK);
    read_all(file);
    CU_ASSERT_EQUAL(seen_count, 1 + SPARSE_CPUS);
    CU_ASSERT_TRUE(in_time_order());
    CU_ASSERT_EQUAL(etl_file_info(file)->damaged_buffers, SPARSE_CPUS); /* zeros after an event */
    CU_ASSERT_TRUE(self.largest_read <= 0x10048);
    etl_file_close(file);
    trace_free(&first);
    trace_free(&one);
}

/* ---- read errors ---- */

/* A source over memory that fails from its nth read on, or at offsets from `fail_at`. */
struct failing_source {
    struct etl_source source;
    const uint8_t *data;
    int reads_left;
    uint64_t fail_at;
    int *closed;
};

static int64_t read_failing(struct etl_source *source, uint64_t offset, void *room, size_t size,
                            int *ret_errno)
{
    struct failing_source *self = (struct failing_source *)source;
    if (self->reads_left-- <= 0 || offset + size > self->fail_at) {
        *ret_errno = EIO;
        return -1;
    }
    size_t left = offset < source->size ? (size_t)(source->size - offset) : 0;
    size_t taken = size < left ? size : left;
    if (taken > 0) {
        memcpy(room, self->data + offset, taken);
    }
    return (int64_t)taken;
}

static void close_failing(struct etl_source *source)
{
    ++*((struct failing_source *)source)->closed;
}

static void test_failing_sources(void)
{
    struct trace trace;
    trace_start(&trace, 0x20000, NULL); /* two windows a buffer */
    for (uint16_t cpu = 0; cpu < 3; cpu++) {
        trace_begin_buffer(&trace, cpu);
        for (int64_t i = 0; i < 8; i++) {
            trace_mark(&trace, 2000 + i * 3 + cpu, 0x3000);
        }
        trace_end_buffer(&trace);
    }
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2100, 10);
    trace_end_compressed(&trace);
    trace_grow(&trace, 100)[0] = 1; /* no header: looks for the next one */
    for (int file_order = 0; file_order <= 1; file_order++) {
        open_options.file_order = file_order != 0;
        bool done = false;
        for (int reads = 0; !done && reads < 1000; reads++) {
            int closed = 0;
            struct failing_source self = {
                .source = {.read = read_failing, .close = close_failing, .size = trace.size},
                .data = trace.bytes,
                .reads_left = reads,
                .fail_at = UINT64_MAX,
                .closed = &closed};
            struct etl_file *file;
            char message[200];
            enum etl_status status = etl_file_open(&self.source, &open_options, &file, message,
                                                   sizeof message);
            CU_ASSERT_EQUAL(status, reads == 0 ? ETL_READ_FAILED : ETL_OK);
            if (status != ETL_OK) {
                CU_ASSERT_EQUAL(closed, 0);
                continue;
            }
            read_all(file);
            done = last_status != ETL_READ_FAILED;
            if (!done) {
                struct etl_entry entry;
                CU_ASSERT_EQUAL(etl_file_errno(file), EIO);
                CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_READ_FAILED); /* and stays so */
            }
            etl_file_close(file);
            CU_ASSERT_EQUAL(closed, 1);
        }
        CU_ASSERT_TRUE(done && seen_count == 26);
    }
    open_options.file_order = false;
    trace_free(&trace);
}

static void test_failing_place(void)
{
    struct trace trace;
    trace_start(&trace, 0x20000, NULL);
    trace_begin_buffer(&trace, 0);
    for (int64_t i = 0; i < 8; i++) {
        trace_mark(&trace, 2000 + i, 0x3000);
    }
    trace_end_buffer(&trace);
    int closed = 0;
    struct failing_source self = {
        .source = {.read = read_failing, .close = close_failing, .size = trace.size},
        .data = trace.bytes,
        .reads_left = 100000,
        .fail_at = UINT64_MAX,
        .closed = &closed};
    struct etl_file *file;
    char message[200];
    CU_ASSERT_EQUAL_FATAL(
        etl_file_open(&self.source, &open_options, &file, message, sizeof message), ETL_OK);
    read_all(file);
    CU_ASSERT_EQUAL_FATAL(seen_count, 9);
    struct etl_entry entry;
    self.fail_at = 0x2A000; /* inside the buffer */
    CU_ASSERT_EQUAL(etl_file_at(file, seen[8].position, &entry), ETL_READ_FAILED);
    self.fail_at = UINT64_MAX; /* it was a moment's trouble */
    CU_ASSERT_EQUAL(etl_file_at(file, seen[8].position, &entry), ETL_OK);
    etl_file_close(file);
    CU_ASSERT_EQUAL(closed, 1);
    trace_free(&trace);
}

static void test_shrinking(void)
{
    struct trace trace;
    trace_start(&trace, 0x20000, NULL);
    for (uint16_t cpu = 0; cpu < 2; cpu++) {
        trace_begin_buffer(&trace, cpu);
        for (int64_t i = 0; i < 8; i++) {
            trace_mark(&trace, 2000 + i, 0x3000);
        }
        trace_end_buffer(&trace);
    }
    struct etl_source *source = etl_source_of_memory(trace.bytes, trace.size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    struct etl_file *file;
    char message[200];
    struct etl_entry entry;
    CU_ASSERT_EQUAL_FATAL(etl_file_open(source, &open_options, &file, message, sizeof message),
                          ETL_OK);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    source->size = 0x38000; /* inside the first of both */
    read_all(file);
    CU_ASSERT_TRUE(seen_count < 16 && last_status != ETL_OK);
    etl_file_close(file);
    trace_free(&trace);
}

UNIT_SUITE("windows", {"buffers larger than a window are read through it", test_windows},
           {"a random reader does not disturb the one in order", test_interleaved},
           {"too little memory costs the order of time and no event", test_small_memory},
           {"2,047 processors of 16 MiB buffers take a window each", test_sparse},
           {"a source that fails at any read gives an error and leaks nothing",
            test_failing_sources},
           {"an error while reading at a position passes", test_failing_place},
           {"a file that shrinks ends earlier", test_shrinking})
