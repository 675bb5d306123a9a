/* Damaged traces: what is lost, what is not, and what is said of it. */
#include "etl/file.h"

#include "read_trace.h"

#define BUFFER_SIZE ((size_t)0x400)

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
    CU_ASSERT_EQUAL_FATAL(seen_count, 5);
    const struct seen *last = seen_at_time(2010);
    CU_ASSERT_TRUE(last->remark_count == 1 && last->first_note == ETL_NOTE_DAMAGED_AFTER);
    CU_ASSERT_STRING_EQUAL(last->first_detail, "16 bytes of buffer 1");
    expect_file_note(&trace, ETL_NOTE_SKIPPED_BYTES, "16", true);
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    open_options.file_order = true;
    read_trace(&trace);
    CU_ASSERT_EQUAL_FATAL(seen_count, 5);
    const struct seen *next = seen_at_time(2030);
    CU_ASSERT_TRUE(next->remark_count == 1 && next->first_note == ETL_NOTE_DAMAGED_BEFORE);
    CU_ASSERT_STRING_EQUAL(next->first_detail, "16 bytes of buffer 1");
    CU_ASSERT_EQUAL(seen_at_time(2010)->remark_count, 0);
    /* Nothing behind it in its buffer: the next buffer's first event says so. */
    memset(trace.bytes + BUFFER_SIZE + bad, 0xEE, 32);
    read_trace(&trace);
    CU_ASSERT_EQUAL_FATAL(seen_count, 4);
    next = seen_at_time(2040);
    CU_ASSERT_TRUE(next->remark_count == 1 && next->first_note == ETL_NOTE_DAMAGED_BEFORE);
    CU_ASSERT_STRING_EQUAL(next->first_detail, "32 bytes of buffer 1");
    open_options.file_order = false;
    trace_free(&trace);
}

static void test_gap_at_the_start(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    for (int i = 0; i < 5; i++) {
        trace_mark(&trace, 2000 + i, 8);
    }
    trace_end_buffer(&trace);
    memset(trace.bytes + BUFFER_SIZE + 0x48, 0xAA, 40); /* the first, and half of the second */
    for (int order = 0; order < 2; order++) {
        open_options.file_order = order == 1;
        read_trace(&trace);
        CU_ASSERT_EQUAL_FATAL(seen_count, 4);
        const struct seen *first = seen_at_time(2002);
        CU_ASSERT_TRUE(first->remark_count == 1 && first->first_note == ETL_NOTE_DAMAGED_BEFORE);
        CU_ASSERT_STRING_EQUAL(first->first_detail, "48 bytes of buffer 1");
    }
    open_options.file_order = false;
    trace_free(&trace);
}

/* Windows does not clear a buffer that it uses again: behind fill there are older events. */
static void test_stale_events(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 3000, 0);
    uint32_t end = trace_offset(&trace);
    trace_mark(&trace, 2000, 0);
    trace_mark(&trace, 2010, 0);
    trace_mark(&trace, 2020, 0);
    trace_end_buffer(&trace);
    etl_store_u32(trace.bytes + BUFFER_SIZE + end, UINT32_MAX);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 2);
    trace_free(&trace);
}

/* More holes than a buffer of events has. */
static void test_many_gaps(void)
{
    struct trace trace;
    trace_start(&trace, 0x4000, NULL);
    trace_begin_buffer(&trace, 0);
    uint32_t first = trace_offset(&trace);
    for (int i = 0; i < 400; i++) {
        trace_mark(&trace, 2000 + i, 0);
    }
    trace_end_buffer(&trace);
    for (uint32_t i = 2; i < 400; i += 4) {
        trace.bytes[0x4000 + first + i * 16 + 3] = 0;
    }
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 1 + 2 + 64 * 3);
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
    /* No size: the rhythm of the others is its own. */
    etl_store_u32(trace.bytes + 2 * BUFFER_SIZE, 7);
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 1 + 5 * 4 && last_status == ETL_END);
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    /* Sizes that can be and are not. */
    for (uint32_t size = 0x48; size < 4 * BUFFER_SIZE; size += 0x98) {
        etl_store_u32(trace.bytes + 2 * BUFFER_SIZE, size);
        read_trace(&trace);
        CU_ASSERT_TRUE(seen_count >= 1 + 4 * 4 && last_status == ETL_END);
    }
    trace_free(&trace);
}

/* A sector or more of something else. */
static void test_lost_buffers(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 1, 6, false);
    memset(trace.bytes + 2 * BUFFER_SIZE, 0xE5, 2 * BUFFER_SIZE);
    for (int order = 0; order < 2; order++) {
        open_options.file_order = order == 1;
        read_trace(&trace);
        CU_ASSERT_TRUE(seen_count == 1 + 4 * 4 && last_status == ETL_END);
        const struct seen *next = &seen[5];
        CU_ASSERT_TRUE(next->remark_count == 1 && next->first_note == ETL_NOTE_SKIPPED);
        CU_ASSERT_STRING_EQUAL(next->first_detail, "2048 bytes");
    }
    open_options.file_order = false;
    expect_file_note(&trace, ETL_NOTE_SEQUENCE_GAP, "2", true);
    expect_file_note(&trace, ETL_NOTE_SKIPPED_BYTES, "2048", true);
    /* Behind bytes that are missing nothing is at the rhythm. */
    memmove(trace.bytes + 2 * BUFFER_SIZE, trace.bytes + 4 * BUFFER_SIZE - 123,
            trace.size - 4 * BUFFER_SIZE + 123);
    trace.size -= 2 * BUFFER_SIZE - 123;
    read_trace(&trace);
    CU_ASSERT_TRUE(seen_count == 1 + 4 * 4 && last_status == ETL_END);
    expect_file_note(&trace, ETL_NOTE_SKIPPED_BYTES, "123", true);
    trace_free(&trace);
}

static void test_sizes_of_packed_buffers(void)
{
    struct trace trace;
    const struct trace_header header = {.mode = 0x04000000, .state = 3};
    trace_start(&trace, BUFFER_SIZE, &header);
    fill_cpus(&trace, 2, 3, true);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 1 + 6 * 4);
    uint32_t size = etl_load_u32(trace.bytes + BUFFER_SIZE);
    size_t second = BUFFER_SIZE + size;
    static const uint32_t sizes[] = {0, 0x48, 0x60, 0x100, 0x1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        /* The first packed one, and the one behind it. */
        etl_store_u32(trace.bytes + BUFFER_SIZE, sizes[i]);
        read_trace(&trace);
        CU_ASSERT_TRUE(seen_count >= 1 + 5 * 4);
        etl_store_u32(trace.bytes + BUFFER_SIZE, size);
        uint32_t saved = etl_load_u32(trace.bytes + second);
        etl_store_u32(trace.bytes + second, sizes[i]);
        read_trace(&trace);
        CU_ASSERT_TRUE(seen_count >= 1 + 5 * 4);
        etl_store_u32(trace.bytes + second, saved);
    }
    trace_free(&trace);
}

static void test_salvage(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 2, 3, false);
    /* The header event's marker: what it says is still there. */
    trace.bytes[0x4B] = 0;
    CU_ASSERT_PTR_NULL(open_bytes(trace.bytes, trace.size));
    open_options.search = ETL_SEARCH_NEAR;
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_info(file)->start_time, TRACE_START_TIME);
    read_all(file);
    CU_ASSERT_EQUAL(seen_count, 6 * 4);
    etl_file_close(file);
    /* The first buffer is lost: ticks and pointers are guessed. */
    memset(trace.bytes, 0x33, BUFFER_SIZE);
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 6 * 4);
    expect_file_note(&trace, ETL_NOTE_NO_LOGFILE_HEADER, "", true);
    expect_file_note(&trace, ETL_NOTE_SKIPPED, "1024 bytes", true);
    file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_context(file)->pointer_size, 8);
    CU_ASSERT_EQUAL(etl_file_info(file)->clock_type, ETL_CLOCK_PERFORMANCE_COUNTER);
    etl_file_close(file);
    /* Nothing of a trace. */
    memset(trace.bytes, 0x33, trace.size);
    CU_ASSERT_PTR_NULL(open_bytes(trace.bytes, trace.size));
    open_options.search = ETL_SEARCH_NONE;
    trace_free(&trace);
}

/* Times that can be FILETIMEs are some. */
static void test_salvaged_clock(void)
{
    struct trace trace;
    const struct trace_header header = {.clock_type = 2};
    trace_start(&trace, BUFFER_SIZE, &header);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, TRACE_START_TIME, 0);
    trace_mark(&trace, TRACE_START_TIME + 5, 0);
    trace_end_buffer(&trace);
    open_options.search = ETL_SEARCH_NEAR;
    struct etl_file *file = open_bytes(trace.bytes + BUFFER_SIZE, trace.size - BUFFER_SIZE);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(etl_file_info(file)->clock_type, ETL_CLOCK_SYSTEM_TIME);
    read_all(file);
    CU_ASSERT_EQUAL(seen_count, 2);
    etl_file_close(file);
    open_options.search = ETL_SEARCH_NONE;
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
    CU_ASSERT_EQUAL(seen_count, 1 + 3 * 4);
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
        uint8_t *copy = unit_copy(trace.bytes, cut);
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
    open_options.search = ETL_SEARCH_NEAR;
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
    open_options.search = ETL_SEARCH_NONE;
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

UNIT_SUITE(
    "damage",
    {"the event before damage says so, in file order the one after it", test_damage_notes},
    {"events at a buffer's start that cannot be read cost only themselves", test_gap_at_the_start},
    {"older events behind the last one are not taken for events", test_stale_events},
    {"a buffer with very many holes is given up", test_many_gaps},
    {"buffers that are overwritten or missing cost only themselves", test_lost_buffers},
    {"sizes of packed buffers that are wrong cost one of them", test_sizes_of_packed_buffers},
    {"a lost logfile header is read without its event, or guessed", test_salvage},
    {"times of a lost clock that can be FILETIMEs are some", test_salvaged_clock},
    {"damage after the very first event is said with the file's remarks",
     test_first_buffer_damaged},
    {"a bad buffer header costs no event", test_bad_buffer_header},
    {"a compressed buffer that lies costs what is missing", test_lying_compression},
    {"a kernel's buffer state is not taken for a compression", test_kernel_state_is_no_format},
    {"a tail of zeros was never used", test_zero_tail},
    {"a cut at any byte keeps every whole event before it", test_cuts},
    {"no changed byte does harm", test_corrupted},
    {"lost events, buffers and missing sequence numbers are said", test_losses})
