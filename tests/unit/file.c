/* Traces, built in memory: which events come, in which order, and what is said of damage. */
#include "etl/file.h"

#include "trace.h"
#include "unit.h"

#include <errno.h>

#define BUFFER_SIZE 0x400
#define SECOND      10000000

/* ---- sources ---- */

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

/* ---- reading ---- */

static struct etl_file_options options;

static struct etl_file *open_bytes(const uint8_t *bytes, size_t size)
{
    struct etl_file *file = NULL;
    char message[200] = "";
    struct etl_source *source = etl_source_of_memory(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    enum etl_status status = etl_file_open(source, &options, &file, message, sizeof message);
    if (status != ETL_OK) {
        CU_ASSERT_PTR_NULL(file);
        etl_source_close(source);
    }
    return file;
}

static struct etl_file *open_trace(const struct trace *trace)
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

static struct seen seen_of(const struct etl_entry *entry)
{
    struct seen seen;
    memset(&seen, 0, sizeof seen);
    seen.position = etl_position(&entry->place);
    seen.raw_time = entry->raw_time;
    seen.running_thread = entry->running_thread;
    seen.buffer = entry->place.buffer;
    seen.cpu = entry->place.cpu;
    seen.size = entry->event.size;
    seen.hookid = entry->event.hookid;
    seen.out_of_order = entry->place.out_of_order;
    seen.remark_count = entry->remark_count;
    if (entry->remark_count > 0) {
        seen.first_note = entry->remarks[0].note;
        strcpy(seen.first_detail, entry->remarks[0].detail);
    }
    return seen;
}

#define SEEN_MAX 4096

static struct seen seen[SEEN_MAX];
static size_t seen_count;
static enum etl_status last_status;

static void read_all(struct etl_file *file)
{
    struct etl_entry entry;
    seen_count = 0;
    while ((last_status = etl_file_next(file, &entry)) == ETL_OK && seen_count < SEEN_MAX) {
        seen[seen_count++] = seen_of(&entry);
    }
}

static bool same(const struct seen *a, const struct seen *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Every event again by its position: backwards, in strides, and forwards. */
static void check_at(struct etl_file *file)
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

static void read_trace(const struct trace *trace)
{
    struct etl_file *file = open_trace(trace);
    etl_file_random_access(file);
    read_all(file);
    check_at(file);
    etl_file_close(file);
}

static bool in_time_order(void)
{
    for (size_t i = 1; i < seen_count; i++) {
        if (seen[i].raw_time < seen[i - 1].raw_time && !seen[i].out_of_order) {
            return false;
        }
    }
    return true;
}

static const struct seen *seen_at_time(int64_t raw_time)
{
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i].raw_time == raw_time) {
            return &seen[i];
        }
    }
    CU_FAIL_FATAL("no event of this time");
    return NULL;
}

static bool has_note(const struct etl_entry *entry, enum etl_note note, const char *detail)
{
    for (size_t i = 0; i < entry->remark_count; i++) {
        if (entry->remarks[i].note == note && strcmp(entry->remarks[i].detail, detail) == 0) {
            return true;
        }
    }
    return false;
}

/* The remarks of the file, which its first event has. */
static void expect_file_note(const struct trace *trace, enum etl_note note, const char *detail,
                             bool expected)
{
    struct etl_entry entry;
    struct etl_file *file = open_trace(trace);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    CU_ASSERT_EQUAL(has_note(&entry, note, detail), expected);
    etl_file_close(file);
}

/* Buffers of `cpus` processors, each with events at every tick that is its own, `rounds` times. */
static void fill_cpus(struct trace *trace, unsigned cpus, unsigned rounds, bool compressed)
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
        time += 4 * cpus;
    }
}

/* ---- order ---- */

static void test_header(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    struct etl_file *file = open_trace(&trace);
    const struct etl_file_info *info = etl_file_info(file);
    CU_ASSERT_TRUE(info->buffer_size == BUFFER_SIZE && info->pointer_size == 8);
    CU_ASSERT_TRUE(info->version[0] == 10 && info->version[3] == 5 && info->build == 19045);
    CU_ASSERT_TRUE(info->frequency == 10000000 && info->start_time == TRACE_START_TIME);
    CU_ASSERT_STRING_EQUAL(info->logger_name, "T");
    CU_ASSERT_STRING_EQUAL(info->file_name, "f.e");
    const struct etl_context *context = etl_file_context(file);
    CU_ASSERT_TRUE(context->clock.base_raw == 1000 && context->clock.frequency == 10000000);
    CU_ASSERT_TRUE(context->pointer_size == 8 && !context->old_instances);
    CU_ASSERT_TRUE(context->trace_id != 0);
    read_all(file);
    CU_ASSERT_TRUE(seen_count == 1 && last_status == ETL_END && info->buffers == 1);
    struct etl_entry entry;
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_END); /* and again */
    etl_file_close(file);
    trace_free(&trace);
}

static void test_time_order(void)
{
    for (int compressed = 0; compressed <= 1; compressed++) {
        for (unsigned cpus = 1; cpus <= 9; cpus++) {
            struct trace trace;
            trace_start(&trace, BUFFER_SIZE, NULL);
            fill_cpus(&trace, cpus, 5, compressed != 0);
            read_trace(&trace);
            CU_ASSERT_EQUAL(last_status, ETL_END);
            CU_ASSERT_EQUAL(seen_count, 1 + cpus * 5 * 4);
            CU_ASSERT_TRUE(in_time_order());
            CU_ASSERT_EQUAL(seen_at_time(2000 + cpus - 1)->cpu, cpus - 1);
            trace_free(&trace);
        }
    }
}

static void test_equal_times(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    for (uint16_t cpu = 0; cpu < 3; cpu++) {
        trace_begin_buffer(&trace, cpu);
        trace_mark(&trace, 2000, 1);
        trace_mark(&trace, 2000, 2);
        trace_end_buffer(&trace);
    }
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 7);
    for (size_t i = 1; i < 7; i++) { /* as they lie in the file */
        CU_ASSERT_EQUAL(seen[i].buffer, (i + 1) / 2);
    }
    trace_free(&trace);
}

static void test_circular(void)
{
    struct trace trace;
    const struct trace_header header = {.mode = 2};
    static const int64_t starts[] = {5000, 6000, 7000, 2000, 3000, 4000}; /* wrapped after 3 */
    trace_start(&trace, BUFFER_SIZE, &header);
    for (size_t i = 0; i < 6; i++) {
        trace_begin_buffer(&trace, 0);
        trace_mark(&trace, starts[i], 0);
        trace_mark(&trace, starts[i] + 900, 0);
        trace_end_buffer(&trace);
    }
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 13 && in_time_order());
    CU_ASSERT_TRUE(seen[1].raw_time == 2000 && seen[12].raw_time == 7900);
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "1", false);
    trace_free(&trace);
}

static void test_out_of_order(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 3000, 0);
    trace_mark(&trace, 2500, 0); /* the clock was set back */
    trace_mark(&trace, 2700, 0);
    trace_mark(&trace, 3100, 0);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 1);
    trace_mark(&trace, 2600, 0);
    trace_mark(&trace, 3050, 0);
    trace_end_buffer(&trace);
    read_trace(&trace);
    static const int64_t expected[] = {1000, 2600, 3000, 2500, 2700, 3050, 3100};
    CU_ASSERT_EQUAL_FATAL(seen_count, 7);
    for (size_t i = 0; i < 7; i++) {
        CU_ASSERT_EQUAL(seen[i].raw_time, expected[i]);
        CU_ASSERT_EQUAL(seen[i].out_of_order, expected[i] == 2500 || expected[i] == 2700);
    }
    trace_free(&trace);
}

static void test_untimed(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_message(&trace); /* before any time: that of the first that has one */
    trace_mark(&trace, 3000, 0);
    trace_message(&trace);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 1); /* no time at all: where its neighbour is */
    trace_message(&trace);
    trace_end_buffer(&trace);
    read_trace(&trace);
    CU_ASSERT_EQUAL_FATAL(seen_count, 5);
    CU_ASSERT_TRUE(seen[1].raw_time == 3000 && seen[2].raw_time == 3000);
    CU_ASSERT_EQUAL(seen[3].raw_time, 3000);
    CU_ASSERT_TRUE(seen[4].buffer == 2 && seen[4].raw_time == INT64_MIN);
    trace_free(&trace);
}

static void test_extreme_times(void)
{
    static const int64_t times[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
    struct trace trace;
    const struct trace_header header = {.start_raw = INT64_MIN};
    trace_start(&trace, BUFFER_SIZE, &header);
    for (uint16_t cpu = 0; cpu < 6; cpu++) {
        trace_begin_buffer(&trace, cpu);
        trace_mark(&trace, times[5 - cpu], 0);
        trace_mark(&trace, INT64_MAX, 0);
        trace_end_buffer(&trace);
    }
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 13 && in_time_order());
    trace_free(&trace);
}

static void test_running_thread(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2000, 0);
    trace_switch(&trace, 2010, 700);
    trace_mark(&trace, 2020, 0);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 1);
    trace_mark(&trace, 2025, 0);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2030, 0);
    trace_switch(&trace, 2040, 0); /* to the idle thread */
    trace_mark(&trace, 2050, 0);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2060, 0);
    trace_kernel(&trace, 0x11, 0x0524, 2, 2070, "\1\2\3", 3); /* cut: says nothing */
    trace_mark(&trace, 2080, 0);
    trace_end_buffer(&trace);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_at_time(2000)->running_thread, ETL_THREAD_UNKNOWN);
    CU_ASSERT_EQUAL(seen_at_time(2010)->running_thread, ETL_THREAD_UNKNOWN);
    CU_ASSERT_EQUAL(seen_at_time(2020)->running_thread, 700);
    CU_ASSERT_EQUAL(seen_at_time(2025)->running_thread, ETL_THREAD_UNKNOWN); /* another processor */
    CU_ASSERT_EQUAL(seen_at_time(2030)->running_thread, 700);
    CU_ASSERT_EQUAL(seen_at_time(2050)->running_thread, 0);
    CU_ASSERT_EQUAL(seen_at_time(2060)->running_thread, 0);
    CU_ASSERT_EQUAL(seen_at_time(2080)->running_thread, 0);
    trace_free(&trace);
}

static void test_keys(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2000, 0);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 1); /* at the end of the file, as rundowns are */
    trace_process(&trace, 4, 9000, 100, "late.exe");
    trace_thread(&trace, 4, 9010, 100, 556);
    trace_end_buffer(&trace);
    struct etl_file *file = open_trace(&trace);
    read_all(file);
    const char *name = etl_keys_process_name(etl_file_keys(file), 100, 2000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(name);
    CU_ASSERT_STRING_EQUAL(name, "late.exe");
    uint32_t pid = 0;
    CU_ASSERT_TRUE(etl_keys_process_of_thread(etl_file_keys(file), 556, 2000, &pid));
    CU_ASSERT_EQUAL(pid, 100);
    etl_file_close(file);
    options.no_keys = true;
    file = open_trace(&trace);
    read_all(file);
    CU_ASSERT_PTR_NULL(etl_keys_process_name(etl_file_keys(file), 100, 2000));
    etl_file_close(file);
    options.no_keys = false;
    trace_free(&trace);
}

static void test_file_order(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 3, 4, false);
    options.file_order = true;
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 1 + 3 * 4 * 4);
    for (size_t i = 1; i < seen_count; i++) {
        CU_ASSERT_TRUE(seen[i].position > seen[i - 1].position);
    }
    expect_file_note(&trace, ETL_NOTE_FILE_ORDER, "", true);
    options.file_order = false;
    expect_file_note(&trace, ETL_NOTE_FILE_ORDER, "", false);
    trace_free(&trace);
}

static void test_steps(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 3, 4, false);
    struct etl_file *file = open_trace(&trace);
    read_all(file);
    etl_file_close(file);
    file = open_trace(&trace);
    struct etl_step step;
    struct etl_entry entry;
    for (size_t i = 0; i < seen_count; i++) {
        CU_ASSERT_EQUAL_FATAL(etl_file_step(file, &step), ETL_OK);
        etl_file_entry(file, &entry);
        CU_ASSERT_PTR_EQUAL(step.at, entry.event.header.at);
        CU_ASSERT_TRUE(step.offset == entry.place.offset && step.buffer == entry.place.buffer);
        CU_ASSERT_TRUE(step.cpu == entry.place.cpu && step.measure.size == entry.event.size);
    }
    CU_ASSERT_EQUAL(etl_file_step(file, &step), ETL_END);
    etl_file_close(file);
    trace_free(&trace);
}

/* ---- windows and memory ---- */

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
        options.memory_limit = limits[i];
        read_trace(&trace);
        CU_ASSERT_EQUAL(seen_count, 1 + 24 * 8);
        /* Too little for four buffers and two more: the file's order, and a note. */
        bool merged = limits[i] == 0 || limits[i] == 0x100000;
        CU_ASSERT_EQUAL(in_time_order(), merged);
        expect_file_note(&trace, ETL_NOTE_FILE_ORDER, "", !merged);
    }
    options.memory_limit = 0;
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_info(file)->compression, ETL_COMPRESSION_XPRESS);
    etl_file_close(file);
    trace_free(&trace);
}

static void test_lying_compression(void)
{
    struct trace trace;
    const struct trace_header header = {.mode = 0x04000000, .state = 3};
    trace_start(&trace, 0x1000, &header);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2000, 30);
    trace_mark(&trace, 2010, 30);
    trace_end_compressed(&trace);
    size_t second = trace.size;
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2020, 30);
    trace_end_compressed(&trace);
    uint32_t packed = etl_load_u32(trace.bytes + BUFFER_SIZE * 4);
    CU_ASSERT_EQUAL(packed, second - 0x1000);
    /* It says more than comes out: what does is good. */
    etl_store_u32(trace.bytes + 0x1000 + 0x30, 0x2000000);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 4);
    CU_ASSERT_EQUAL(seen[2].first_note, ETL_NOTE_DAMAGED_AFTER);
    /* A buffer of only its header. */
    etl_store_u32(trace.bytes + second, ETL_BUFFER_HEADER_SIZE);
    etl_store_u32(trace.bytes + second + 0x30, ETL_BUFFER_HEADER_SIZE);
    trace.size = second + ETL_BUFFER_HEADER_SIZE;
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 3 && last_status == ETL_END);
    /* No format is named. */
    etl_store_u32(trace.bytes + 0x2C, 0);
    etl_store_u32(trace.bytes + 0x1000 + 0x30, 0x48 + 96);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 3);
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
    CU_ASSERT_EQUAL_FATAL(etl_file_open(&self.source, &options, &file, message, sizeof message),
                          ETL_OK);
    read_all(file);
    CU_ASSERT_EQUAL(seen_count, 1 + SPARSE_CPUS);
    CU_ASSERT_TRUE(in_time_order());
    CU_ASSERT_EQUAL(etl_file_info(file)->damaged_buffers, SPARSE_CPUS); /* zeros after an event */
    CU_ASSERT_TRUE(self.largest_read <= 0x10048);
    etl_file_close(file);
    trace_free(&first);
    trace_free(&one);
}

/* ---- damage ---- */

static void test_damage_notes(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2000, 0);
    trace_mark(&trace, 2010, 0);
    uint32_t bad = trace_offset(&trace);
    trace_mark(&trace, 2020, 0);
    trace_mark(&trace, 2030, 0);
    trace_end_buffer(&trace);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2040, 0);
    trace_end_buffer(&trace);
    trace.bytes[BUFFER_SIZE + bad + 4] = 3; /* a size less than its header */
    read_trace(&trace);
    CU_ASSERT_EQUAL_FATAL(seen_count, 4);
    const struct seen *last = seen_at_time(2010);
    CU_ASSERT_TRUE(last->remark_count == 1 && last->first_note == ETL_NOTE_DAMAGED_AFTER);
    CU_ASSERT_STRING_EQUAL(last->first_detail, "32 bytes of buffer 1");
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    options.file_order = true;
    read_trace(&trace);
    CU_ASSERT_EQUAL_FATAL(seen_count, 4);
    const struct seen *next = seen_at_time(2040);
    CU_ASSERT_TRUE(next->remark_count == 1 && next->first_note == ETL_NOTE_DAMAGED_BEFORE);
    CU_ASSERT_STRING_EQUAL(next->first_detail, "32 bytes of buffer 1");
    CU_ASSERT_EQUAL(seen_at_time(2010)->remark_count, 0);
    options.file_order = false;
    trace_free(&trace);
}

static void test_first_buffer_damaged(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    uint32_t filled = etl_load_u32(trace.bytes + 0x30);
    etl_store_u32(trace.bytes + 0x30, filled + 16); /* fill where an event should be */
    expect_file_note(&trace, ETL_NOTE_DAMAGED_AFTER, "16 bytes of buffer 0", true);
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    trace_free(&trace);
}

static void test_bad_buffer_header(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 1, 5, false);
    etl_store_u32(trace.bytes + 2 * BUFFER_SIZE, 7); /* no size */
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 1 + 4 * 4 && last_status == ETL_END);
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "1", true);
    /* Where nothing further is found the rest is lost, and said so. */
    etl_store_u32(trace.bytes + 3 * BUFFER_SIZE, 7);
    etl_store_u32(trace.bytes + 4 * BUFFER_SIZE, 7);
    etl_store_u32(trace.bytes + 5 * BUFFER_SIZE, 7);
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 5 && last_status == ETL_END);
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    trace_free(&trace);
}

static void test_kernel_state_is_no_format(void)
{
    struct trace trace;
    const struct trace_header header = {.state = 3}; /* Flush, as kernels write it */
    trace_start(&trace, BUFFER_SIZE, &header);
    fill_cpus(&trace, 1, 3, false);
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_info(file)->compression, ETL_COMPRESSION_NONE);
    etl_file_close(file);
    etl_store_u32(trace.bytes + 2 * BUFFER_SIZE, 0);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 1 + 2 * 4);
    trace_free(&trace);
}

static void test_zero_tail(void)
{
    struct trace trace;
    const struct trace_header header = {.end_time = -1, .mode = 0x20};
    trace_start(&trace, BUFFER_SIZE, &header);
    fill_cpus(&trace, 2, 2, false);
    for (size_t tail = 8; tail < 3 * BUFFER_SIZE; tail += 56) {
        size_t size = trace.size;
        trace_grow(&trace, tail);
        read_trace(&trace);
        CU_ASSERT_TRUE(seen_count == 17 && last_status == ETL_END);
        expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", false);
        trace.size = size;
    }
    expect_file_note(&trace, ETL_NOTE_NOT_CLOSED, "", true);
    trace_free(&trace);
}

/* Whole events that end at or before `cut`. */
static size_t whole_events(size_t cut)
{
    size_t count = 0;
    for (size_t i = 0; i < seen_count; i++) {
        uint64_t end = (uint64_t)seen[i].buffer * BUFFER_SIZE +
                       (seen[i].position & (ETL_BUFFER_SIZE_MAX - 1)) + seen[i].size;
        count += end <= cut;
    }
    return count;
}

static void test_cuts(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 2, 1, false);
    read_trace(&trace);
    size_t wholes[3 * BUFFER_SIZE + 1];
    for (size_t cut = 0; cut <= trace.size; cut++) {
        wholes[cut] = whole_events(cut);
    }
    for (size_t cut = 0; cut <= trace.size; cut++) {
        uint8_t *copy = malloc(cut > 0 ? cut : 1);
        CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
        memcpy(copy, trace.bytes, cut);
        struct etl_file *file = open_bytes(copy, cut);
        CU_ASSERT_EQUAL(file != NULL, wholes[cut] > 0);
        if (file != NULL) {
            read_all(file);
            check_at(file);
            CU_ASSERT_EQUAL(seen_count, wholes[cut]);
            /* The first byte of a buffer's size is zero here, and zeros are no loss. */
            bool whole = cut % BUFFER_SIZE <= 1;
            CU_ASSERT_EQUAL(last_status, whole ? ETL_END : ETL_CUT_SHORT);
            etl_file_close(file);
        }
        free(copy);
    }
    trace.size -= 5;
    expect_file_note(&trace, ETL_NOTE_CUT_SHORT, "", true);
    trace_free(&trace);
}

static void test_corrupted(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_switch(&trace, 2000, 5);
    trace_process(&trace, 1, 2010, 100, "a.exe");
    trace_modern(&trace, 2020, 1, "\10\0\14\0\0\0\0\0z", 9);
    trace_classic(&trace, 2030, 0x001A0200);
    trace_message(&trace);
    trace_end_buffer(&trace);
    static const uint8_t values[] = {0x00, 0x01, 0x40, 0x80, 0xFF};
    for (size_t i = 0; i < trace.size; i++) {
        for (size_t k = 0; k < sizeof values; k++) {
            uint8_t saved = trace.bytes[i];
            trace.bytes[i] = values[k];
            struct etl_file *file = open_bytes(trace.bytes, trace.size);
            if (file != NULL) {
                read_all(file);
                check_at(file);
                etl_file_close(file);
            }
            trace.bytes[i] = saved;
        }
    }
    trace_free(&trace);
}

static void test_losses(void)
{
    struct trace trace;
    const struct trace_header header = {.events_lost = 41, .buffers_lost = 2};
    trace_start(&trace, BUFFER_SIZE, &header);
    expect_file_note(&trace, ETL_NOTE_EVENTS_LOST, "41", true);
    expect_file_note(&trace, ETL_NOTE_BUFFERS_LOST, "2", true);
    expect_file_note(&trace, ETL_NOTE_NOT_CLOSED, "", false);
    fill_cpus(&trace, 1, 3, false);
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "1", false);
    etl_store_u64(trace.bytes + 2 * BUFFER_SIZE + 0x18, 1); /* twice the same hides nothing */
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "1", false);
    etl_store_u64(trace.bytes + 2 * BUFFER_SIZE + 0x18, 1001);
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "998", true);
    etl_store_u64(trace.bytes + 2 * BUFFER_SIZE + 0x18, UINT64_C(1) << 63);
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "9223372036854775809", true);
    trace_free(&trace);
}

/* ---- positions ---- */

static void test_wrong_positions(void)
{
    struct trace trace;
    struct etl_entry entry;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 2, 1, false);
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_at(file, 0x48, &entry), ETL_END); /* before the index */
    read_all(file);
    size_t found = 0;
    for (uint64_t buffer = 0; buffer < 5; buffer++) {
        for (uint64_t offset = 0; offset < BUFFER_SIZE + 16; offset++) {
            found += etl_file_at(file, buffer << 25 | offset, &entry) == ETL_OK;
        }
    }
    CU_ASSERT_EQUAL(found, seen_count);
    CU_ASSERT_EQUAL(etl_file_at(file, UINT64_MAX, &entry), ETL_END);
    CU_ASSERT_EQUAL(etl_file_at(file, 0, &entry), ETL_END);
    etl_file_close(file);
    trace_free(&trace);
}

/* ---- opening ---- */

static void expect_open(const uint8_t *bytes, size_t size, enum etl_status status,
                        const char *sentence)
{
    struct etl_file *file = (struct etl_file *)&seen;
    char message[200] = "";
    struct etl_source *source = etl_source_of_memory(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL(etl_file_open(source, &options, &file, message, sizeof message), status);
    CU_ASSERT_PTR_NULL(file);
    CU_ASSERT_STRING_EQUAL(message, sentence);
    etl_source_close(source);
}

static void test_refusals(void)
{
    static uint8_t bytes[0x400];
    struct trace trace;
    expect_open(bytes, 0, ETL_NOT_MINE, "");
    expect_open(
        bytes, sizeof bytes, ETL_REFUSED,
        "the file holds only zero bytes: it was preallocated and never written, or lost its contents");
    memset(bytes, 'x', sizeof bytes);
    expect_open(bytes, sizeof bytes, ETL_NOT_MINE, "");
    expect_open(bytes, 20, ETL_NOT_MINE, "");
    trace_start(&trace, 0x400, NULL);
    memcpy(bytes, trace.bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = bytes[i] == 0 ? ' ' : bytes[i];
    }
    expect_open(bytes, sizeof bytes, ETL_REFUSED,
                "its zero bytes have been replaced by spaces: it was copied as text");
    memcpy(bytes, trace.bytes, sizeof bytes);
    memcpy(bytes + 0x4A, "\xEF\xBF\xBD\xEF\xBF\xBD", 6);
    expect_open(bytes, sizeof bytes, ETL_REFUSED,
                "its bytes have been replaced by U+FFFD characters: it was copied as text");
    memcpy(bytes, trace.bytes, sizeof bytes);
    bytes[0x4B] = 0;
    expect_open(bytes, sizeof bytes, ETL_REFUSED,
                "its first buffer holds no readable logfile header");
    memset(bytes, 0, 0x48);
    expect_open(bytes, sizeof bytes, ETL_REFUSED, "its first buffer header is all zero bytes");
    memcpy(bytes, trace.bytes, sizeof bytes);
    bytes[0x4E] = 0x50; /* the first event is another one */
    expect_open(bytes, sizeof bytes, ETL_REFUSED,
                "its first buffer holds no readable logfile header");
    memcpy(bytes, trace.bytes, sizeof bytes);
    memset(bytes, 0, 4); /* neither the buffer nor the logfile header has a size */
    memset(bytes + 0x68, 0, 4);
    expect_open(bytes, sizeof bytes, ETL_NOT_MINE, "");
    trace_free(&trace);
}

static void test_short_header(void)
{
    for (uint8_t pointer = 4; pointer <= 8; pointer += 4) {
        struct trace trace;
        const struct trace_header header = {.pointer_size = pointer};
        trace_start(&trace, 0x400, &header);
        struct etl_file *file = open_trace(&trace);
        CU_ASSERT_EQUAL(etl_file_info(file)->pointer_size, pointer);
        CU_ASSERT_EQUAL(etl_file_info(file)->start_time, TRACE_START_TIME);
        CU_ASSERT_EQUAL(etl_file_context(file)->pointer_size, pointer);
        etl_file_close(file);
        uint16_t enough = (uint16_t)(0x20 + 0x100 + 2 * pointer); /* to the end of StartTime */
        etl_store_u16(trace.bytes + 0x4C, enough);
        file = open_bytes(trace.bytes, trace.size);
        CU_ASSERT_PTR_NOT_NULL(file);
        etl_file_close(file);
        etl_store_u16(trace.bytes + 0x4C, (uint16_t)(enough - 1));
        expect_open(trace.bytes, trace.size, ETL_REFUSED,
                    "its first buffer holds no readable logfile header");
        trace_free(&trace);
    }
}

static void test_clocks(void)
{
    static const struct {
        uint32_t type;
        uint8_t major;
        enum etl_clock_kind kind;
        uint64_t frequency;
        bool note;
    } rows[] = {
        {1, 10, ETL_CLOCK_PERFORMANCE_COUNTER, 10000000, false},
        {2, 10, ETL_CLOCK_SYSTEM_TIME, 10000000, false},
        {3, 10, ETL_CLOCK_CYCLES, 2808000000, false},
        {4, 10, ETL_CLOCK_UNKNOWN, 10000000, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct trace trace;
        const struct trace_header header = {.clock_type = rows[i].type,
                                            .version = {rows[i].major, 0, 1, 5}};
        trace_start(&trace, 0x400, &header);
        struct etl_file *file = open_trace(&trace);
        CU_ASSERT_EQUAL(etl_file_context(file)->clock.kind, rows[i].kind);
        CU_ASSERT_EQUAL(etl_file_context(file)->clock.frequency, rows[i].frequency);
        etl_file_close(file);
        expect_file_note(&trace, ETL_NOTE_NO_CLOCK, "", rows[i].note);
        trace_free(&trace);
    }
    struct trace trace;
    trace_start(&trace, 0x400, NULL);
    memset(trace.bytes + 0x68 + 0x100, 0, 8); /* a frequency of 0 */
    expect_file_note(&trace, ETL_NOTE_NO_CLOCK, "", true);
    memset(trace.bytes + 0x68 + 0x110, 0, 4); /* clock 0: "default" */
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_context(file)->clock.kind, ETL_CLOCK_SYSTEM_TIME);
    etl_file_close(file);
    memset(trace.bytes + 0x68 + 0x110, 0, 4);
    trace.bytes[0x68 + 4] = 5; /* before Vista 0 is the system's time, and 1 the counter */
    file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_context(file)->clock.kind, ETL_CLOCK_SYSTEM_TIME);
    etl_file_close(file);
    trace_free(&trace);
}

/* Berlin: UTC = local - 60, an hour more from the last Sunday of March to that of October. */
static void make_zone(uint8_t *zone, bool old)
{
    memset(zone, 0, 172);
    etl_store_u32(zone, (uint32_t)-60);
    etl_store_u32(zone + 168, (uint32_t)-60);
    for (int daylight = 0; daylight <= 1; daylight++) {
        uint8_t *date = zone + (daylight ? 152 : 68);
        etl_store_u16(date + 2, daylight ? 3 : 10);
        etl_store_u16(date + (old ? 4 : 6), 5);
        etl_store_u16(date + (old ? 6 : 8), daylight ? 2 : 3);
    }
}

static int bias_at(const uint8_t *zone, int64_t start, uint8_t major)
{
    struct trace trace;
    const struct trace_header header = {
        .zone = zone, .start_time = start, .version = {major, 0, 1, 5}};
    trace_start(&trace, 0x400, &header);
    struct etl_file *file = open_trace(&trace);
    const struct etl_context *context = etl_file_context(file);
    int bias = context->local_time_known ? context->local_time_bias : 9999;
    etl_file_close(file);
    trace_free(&trace);
    return bias;
}

static void test_local_time(void)
{
    uint8_t zone[172];
    const int64_t march = INT64_C(134192196000000000);   /* 2026-03-29 01:00 UTC */
    const int64_t october = INT64_C(134373636000000000); /* 2026-10-25 01:00 UTC */
    make_zone(zone, false);
    CU_ASSERT_EQUAL(bias_at(zone, march - 1, 10), -60);
    CU_ASSERT_EQUAL(bias_at(zone, march, 10), -120);
    CU_ASSERT_EQUAL(bias_at(zone, october - 1, 10), -120);
    CU_ASSERT_EQUAL(bias_at(zone, october, 10), -60);
    /* In the south it is summer over the turn of the year. */
    make_zone(zone, false);
    etl_store_u16(zone + 68 + 2, 4);
    etl_store_u16(zone + 152 + 2, 10);
    CU_ASSERT_EQUAL(bias_at(zone, TRACE_START_TIME, 10), -120);
    CU_ASSERT_EQUAL(bias_at(zone, INT64_C(134252000000000000), 10), -60);
    make_zone(zone, true);
    CU_ASSERT_EQUAL(bias_at(zone, march - 1, 5), -60);
    CU_ASSERT_EQUAL(bias_at(zone, march, 5), -120);
    /* No rule, a rule for one year, an impossible one, an impossible bias. */
    memset(zone + 4, 0, 168);
    CU_ASSERT_EQUAL(bias_at(zone, march, 10), -60);
    make_zone(zone, false);
    etl_store_u16(zone + 68, 2026);
    CU_ASSERT_EQUAL(bias_at(zone, march, 10), -60);
    make_zone(zone, false);
    etl_store_u16(zone + 152 + 2, 13);
    CU_ASSERT_EQUAL(bias_at(zone, march, 10), -60);
    etl_store_u32(zone, 1441);
    CU_ASSERT_EQUAL(bias_at(zone, march, 10), 9999);
    make_zone(zone, false);
    etl_store_u32(zone + 84, INT32_MAX);
    CU_ASSERT_EQUAL(bias_at(zone, march - 1, 10), 9999);
    CU_ASSERT_EQUAL(bias_at(zone, INT64_MAX, 10), -120); /* the summer of 30828 */
    CU_ASSERT_EQUAL(bias_at(zone, -5, 10), 9999);
}

static void test_old_files(void)
{
    struct trace trace;
    const struct trace_header header = {.version = {5, 0, 1, 0}, .pointer_size = 4};
    trace_start(&trace, BUFFER_SIZE, &header);
    fill_cpus(&trace, 2, 2, false);
    for (size_t i = 0; i < 5; i++) {
        uint8_t *buffer = trace.bytes + i * BUFFER_SIZE;
        etl_store_u32(buffer, i % 2 == 0 ? 0 : 0x4800); /* a reference count, or what it was */
        etl_store_u32(buffer + 0x34, 0x40);             /* events lost: not "compressed" */
        if (i > 2) {
            etl_store_u32(buffer + 0x30, 0); /* only SavedOffset */
        }
    }
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 17 && in_time_order() && last_status == ETL_END);
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_TRUE(etl_file_context(file)->old_instances);
    CU_ASSERT_EQUAL(etl_file_context(file)->clock.kind, ETL_CLOCK_PERFORMANCE_COUNTER);
    etl_file_close(file);
    trace_free(&trace);
}

/* ---- read errors ---- */

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
        options.file_order = file_order != 0;
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
            enum etl_status status = etl_file_open(&self.source, &options, &file, message,
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
    options.file_order = false;
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
    CU_ASSERT_EQUAL_FATAL(etl_file_open(&self.source, &options, &file, message, sizeof message),
                          ETL_OK);
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
    CU_ASSERT_EQUAL_FATAL(etl_file_open(source, &options, &file, message, sizeof message), ETL_OK);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    source->size = 0x38000; /* inside the first of both */
    read_all(file);
    CU_ASSERT_TRUE(seen_count < 16 && last_status != ETL_OK);
    etl_file_close(file);
    trace_free(&trace);
}

static void count_progress(void *data, uint64_t bytes)
{
    uint64_t *last = data;
    CU_ASSERT_TRUE(bytes > *last);
    *last = bytes;
}

static void test_progress(void)
{
    struct trace trace;
    uint64_t last = 0;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 2, 2, false);
    trace.size -= 100;
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_index(file, count_progress, &last), ETL_OK);
    CU_ASSERT_EQUAL(last, trace.size);
    CU_ASSERT_EQUAL(etl_file_index(file, count_progress, &last), ETL_OK); /* once */
    etl_file_close(file);
    etl_file_close(NULL);
    etl_source_close(NULL);
    trace_free(&trace);
}

UNIT_SUITE("file", {"the first event says what the trace is", test_header},
           {"events of 1 to 9 processors come in the order of time", test_time_order},
           {"equal times come as they lie in the file", test_equal_times},
           {"a wrapped circular log begins with its oldest buffer", test_circular},
           {"an event before an earlier one comes right after it and says so", test_out_of_order},
           {"events without a time come where they stand", test_untimed},
           {"the first and the last time that there can be are in order too", test_extreme_times},
           {"the running thread is that of the last switch on the processor", test_running_thread},
           {"names are known wherever in the file they stand", test_keys},
           {"the order of the file is kept on demand, with a note", test_file_order},
           {"a step and its entry are one event", test_steps},
           {"buffers larger than a window are read through it", test_windows},
           {"a random reader does not disturb the one in order", test_interleaved},
           {"too little memory costs the order of time and no event", test_small_memory},
           {"a compressed buffer that lies costs what is missing", test_lying_compression},
           {"2,047 processors of 16 MiB buffers take a window each", test_sparse},
           {"the event before damage says so, in file order the one after it", test_damage_notes},
           {"damage after the very first event is said with the file's remarks",
            test_first_buffer_damaged},
           {"after a bad buffer header the next one is found", test_bad_buffer_header},
           {"a kernel's buffer state is not taken for a compression",
            test_kernel_state_is_no_format},
           {"a tail of zeros was never used", test_zero_tail},
           {"a cut at any byte keeps every whole event before it", test_cuts},
           {"no changed byte does harm", test_corrupted},
           {"lost events, buffers and missing sequence numbers are said", test_losses},
           {"a position that is no event's gives none", test_wrong_positions},
           {"what is nearly a trace is refused with a sentence", test_refusals},
           {"a logfile header must reach its StartTime", test_short_header},
           {"each clock type has its kind and frequency", test_clocks},
           {"local time is that at StartTime", test_local_time},
           {"files of Windows 2000 to 2003 are read by the session's buffer size", test_old_files},
           {"a source that fails at any read gives an error and leaks nothing",
            test_failing_sources},
           {"an error while reading at a position passes", test_failing_place},
           {"a file that shrinks ends earlier", test_shrinking},
           {"progress is told once a buffer", test_progress})
