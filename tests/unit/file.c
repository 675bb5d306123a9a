/* Opening a trace: what its first event says of it, and what is refused. */
#include "etl/file.h"

#include "read_trace.h"

#define BUFFER_SIZE 0x400

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

static void expect_open(const uint8_t *bytes, size_t size, enum etl_status status,
                        const char *sentence)
{
    struct etl_file *file = (struct etl_file *)&seen;
    char message[200] = "";
    struct etl_source *source = etl_source_of_memory(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL(etl_file_open(source, &open_options, &file, message, sizeof message), status);
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
           {"what is nearly a trace is refused with a sentence", test_refusals},
           {"a logfile header must reach its StartTime", test_short_header},
           {"each clock type has its kind and frequency", test_clocks},
           {"local time is that at StartTime", test_local_time},
           {"files of Windows 2000 to 2003 are read by the session's buffer size", test_old_files},
           {"progress is told once a buffer", test_progress})
