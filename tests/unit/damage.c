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
    CU_ASSERT_EQUAL_FATAL(seen_count, 4);
    const struct seen *last = seen_at_time(2010);
    CU_ASSERT_TRUE(last->remark_count == 1 && last->first_note == ETL_NOTE_DAMAGED_AFTER);
    CU_ASSERT_STRING_EQUAL(last->first_detail, "32 bytes of buffer 1");
    expect_file_note(&trace, ETL_NOTE_DAMAGED_BUFFERS, "1", true);
    open_options.file_order = true;
    read_trace(&trace);
    CU_ASSERT_EQUAL_FATAL(seen_count, 4);
    const struct seen *next = seen_at_time(2040);
    CU_ASSERT_TRUE(next->remark_count == 1 && next->first_note == ETL_NOTE_DAMAGED_BEFORE);
    CU_ASSERT_STRING_EQUAL(next->first_detail, "32 bytes of buffer 1");
    CU_ASSERT_EQUAL(seen_at_time(2010)->remark_count, 0);
    open_options.file_order = false;
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

UNIT_SUITE("damage",
           {"the event before damage says so, in file order the one after it", test_damage_notes},
           {"damage after the very first event is said with the file's remarks",
            test_first_buffer_damaged},
           {"after a bad buffer header the next one is found", test_bad_buffer_header},
           {"a compressed buffer that lies costs what is missing", test_lying_compression},
           {"a kernel's buffer state is not taken for a compression",
            test_kernel_state_is_no_format},
           {"a tail of zeros was never used", test_zero_tail},
           {"a cut at any byte keeps every whole event before it", test_cuts},
           {"no changed byte does harm", test_corrupted},
           {"lost events, buffers and missing sequence numbers are said", test_losses})
