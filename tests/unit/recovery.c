/* Traces inside of other files: found, one after the other, with positions that hold. */
#include "etl/recovery.h"

#include "read_trace.h"

#define BUFFER_SIZE ((size_t)0x400)
#define JUNK_SIZE   ((size_t)12345)

static uint8_t *bytes;
static size_t size;

static void append(const void *more, size_t length)
{
    bytes = realloc(bytes, size + length);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    memcpy(bytes + size, more, length);
    size += length;
}

static void append_junk(void)
{
    static uint8_t junk[JUNK_SIZE];
    for (size_t i = 0; i < sizeof junk; i++) {
        junk[i] = (uint8_t)(i * 7 % 251);
    }
    append(junk, sizeof junk);
}

/* Two traces of other clocks, and a buffer without its first before them. */
static void make_file(void)
{
    struct trace first;
    struct trace second;
    const struct trace_header header = {.start_time = TRACE_START_TIME + 1000000, .start_raw = 500};
    free(bytes);
    bytes = NULL;
    size = 0;
    trace_start(&first, BUFFER_SIZE, NULL);
    fill_cpus(&first, 2, 2, false);
    trace_start(&second, BUFFER_SIZE, &header);
    fill_cpus(&second, 1, 3, true);
    append_junk();
    append(first.bytes + BUFFER_SIZE, BUFFER_SIZE);
    append_junk();
    append(first.bytes, first.size);
    append_junk();
    append(second.bytes, second.size);
    append_junk();
    trace_free(&first);
    trace_free(&second);
}

static struct etl_recovery *open_recovery(void)
{
    const struct etl_file_options options = {0};
    struct etl_recovery *recovery = NULL;
    struct etl_source *source = etl_source_of_memory(bytes, size);
    CU_ASSERT_EQUAL_FATAL(etl_recovery_open(source, &options, &recovery), ETL_OK);
    return recovery;
}

static void collect(struct etl_recovery *recovery)
{
    struct etl_entry entry;
    seen_count = 0;
    while ((last_status = etl_recovery_next(recovery, &entry)) == ETL_OK) {
        seen[seen_count++] = seen_of(&entry);
    }
}

static void test_parts(void)
{
    make_file();
    struct etl_recovery *recovery = open_recovery();
    etl_recovery_random_access(recovery);
    CU_ASSERT_EQUAL(etl_file_info(etl_recovery_file(recovery))->start_time, 0);
    collect(recovery);
    CU_ASSERT_EQUAL(last_status, ETL_END);
    CU_ASSERT_EQUAL_FATAL(seen_count, 4 + (1 + 4 * 4) + (1 + 3 * 4));
    /* Numbers of buffers go on, and each part has its clock. */
    CU_ASSERT_EQUAL(seen[4].buffer, 1);
    CU_ASSERT_EQUAL(seen[21].buffer, 1 + 5);
    CU_ASSERT_EQUAL(seen[21].raw_time, 500);
    CU_ASSERT_EQUAL(etl_file_info(etl_recovery_file(recovery))->start_time,
                    TRACE_START_TIME + 1000000);
    for (size_t i = 0; i < seen_count; i++) {
        struct etl_entry entry;
        size_t back = seen_count - 1 - i * 5 % seen_count;
        CU_ASSERT_EQUAL_FATAL(etl_recovery_at(recovery, seen[back].position, &entry), ETL_OK);
        struct seen again = seen_of(&entry);
        CU_ASSERT_TRUE(same(&again, &seen[back]));
        int64_t start = etl_file_info(etl_recovery_file(recovery))->start_time;
        CU_ASSERT_EQUAL(start, back < 4    ? 0
                               : back < 21 ? TRACE_START_TIME
                                           : TRACE_START_TIME + 1000000);
    }
    struct etl_entry entry;
    CU_ASSERT_EQUAL(etl_recovery_at(recovery, UINT64_MAX >> 1, &entry), ETL_END);
    etl_recovery_close(recovery);
}

/* Nothing there, and every cut of something. */
static void test_nothing(void)
{
    const struct etl_file_options options = {0};
    struct etl_recovery *recovery;
    make_file();
    struct etl_source *source = etl_source_of_memory(bytes, JUNK_SIZE);
    CU_ASSERT_EQUAL(etl_recovery_open(source, &options, &recovery), ETL_NOT_MINE);
    CU_ASSERT_PTR_NULL(recovery);
    etl_source_close(source);
    size_t whole = size;
    size_t before = 0;
    for (size = JUNK_SIZE + BUFFER_SIZE; size <= whole; size += 97) {
        recovery = open_recovery();
        collect(recovery);
        CU_ASSERT_TRUE(last_status == ETL_END && seen_count >= before);
        before = seen_count;
        etl_recovery_close(recovery);
    }
    etl_recovery_close(NULL);
    free(bytes);
    bytes = NULL;
}

UNIT_SUITE("recovery", {"traces with junk between come one after the other", test_parts},
           {"without a buffer there is none, and cuts cost what they cut", test_nothing})
