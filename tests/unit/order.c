/* The order of events, and what is known at each of them: running threads, names, positions. */
#include "etl/file.h"

#include "read_trace.h"

#define BUFFER_SIZE 0x400

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
    CU_ASSERT_EQUAL(seen_at_time(2000)->running_thread, ETL_ID_UNKNOWN);
    CU_ASSERT_EQUAL(seen_at_time(2010)->running_thread, ETL_ID_UNKNOWN);
    CU_ASSERT_EQUAL(seen_at_time(2020)->running_thread, 700);
    CU_ASSERT_EQUAL(seen_at_time(2025)->running_thread, ETL_ID_UNKNOWN); /* another processor */
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
    open_options.no_keys = true;
    file = open_trace(&trace);
    read_all(file);
    CU_ASSERT_PTR_NULL(etl_keys_process_name(etl_file_keys(file), 100, 2000));
    etl_file_close(file);
    open_options.no_keys = false;
    trace_free(&trace);
}

static void test_file_order(void)
{
    struct trace trace;
    trace_start(&trace, BUFFER_SIZE, NULL);
    fill_cpus(&trace, 3, 4, false);
    open_options.file_order = true;
    read_trace(&trace);
    CU_ASSERT_EQUAL(seen_count, 1 + 3 * 4 * 4);
    for (size_t i = 1; i < seen_count; i++) {
        CU_ASSERT_TRUE(seen[i].position > seen[i - 1].position);
    }
    expect_file_note(&trace, ETL_NOTE_FILE_ORDER, "", true);
    open_options.file_order = false;
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

UNIT_SUITE("order", {"events of 1 to 9 processors come in the order of time", test_time_order},
           {"equal times come as they lie in the file", test_equal_times},
           {"a wrapped circular log begins with its oldest buffer", test_circular},
           {"an event before an earlier one comes right after it and says so", test_out_of_order},
           {"events without a time come where they stand", test_untimed},
           {"the first and the last time that there can be are in order too", test_extreme_times},
           {"the running thread is that of the last switch on the processor", test_running_thread},
           {"names are known wherever in the file they stand", test_keys},
           {"the order of the file is kept on demand, with a note", test_file_order},
           {"a step and its entry are one event", test_steps},
           {"a position that is no event's gives none", test_wrong_positions})
