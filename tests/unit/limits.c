/* What a file may make us keep: budgets, and traces that meet them. */
#include "etl/limits.h"

#include "etl/recovery.h"

#include "files.h"
#include "read_trace.h"

static void test_rows(void)
{
    struct etl_limits limits = {0};
    for (unsigned i = 0; i < ETL_LIMIT_COUNT; i++) {
        const struct etl_limit_row *row = &etl_limit_rows[i];
        CU_ASSERT_TRUE(row->mebibytes > 0);
        CU_ASSERT_EQUAL(etl_limit_bytes(NULL, (enum etl_limit)i), (uint64_t)row->mebibytes << 20);
        CU_ASSERT_EQUAL(etl_limit_bytes(&limits, (enum etl_limit)i),
                        (uint64_t)row->mebibytes << 20);
        limits.bytes[i] = 5;
        CU_ASSERT_EQUAL(etl_limit_bytes(&limits, (enum etl_limit)i), 5);
    }
    CU_ASSERT_STRING_EQUAL(etl_limit_rows[ETL_LIMIT_MAPS].preference, "maps_limit");
    CU_ASSERT_STRING_EQUAL(etl_limit_rows[ETL_LIMIT_MAPS].variable, "ETL_MAPS_LIMIT");
}

static void test_parse(void)
{
    CU_ASSERT_EQUAL(etl_limit_parse(NULL), 0);
    CU_ASSERT_EQUAL(etl_limit_parse(""), 0);
    CU_ASSERT_EQUAL(etl_limit_parse("0"), 0);
    CU_ASSERT_EQUAL(etl_limit_parse("12"), 12U << 20);
    CU_ASSERT_EQUAL(etl_limit_parse("12 "), 0);
    CU_ASSERT_EQUAL(etl_limit_parse("-1"), 0);
    CU_ASSERT_EQUAL(etl_limit_parse("1e3"), 0);
    CU_ASSERT_EQUAL(etl_limit_parse("4294967295"), UINT64_C(4294967295) << 20);
    CU_ASSERT_EQUAL(etl_limit_parse("99999999999999999999999999"), UINT64_MAX >> 20 << 20);
}

static void test_take(void)
{
    struct etl_budget budget = {.limit = 100};
    CU_ASSERT_TRUE(etl_budget_take(&budget, 60) && etl_budget_take(&budget, 40));
    CU_ASSERT_FALSE(budget.met);
    CU_ASSERT_FALSE(etl_budget_take(&budget, 1));
    CU_ASSERT_TRUE(budget.met);
    etl_budget_give(&budget, 10);
    CU_ASSERT_TRUE(etl_budget_take(&budget, 10) && budget.met && budget.used == 100);
    CU_ASSERT_FALSE(etl_budget_take(&budget, SIZE_MAX));
    CU_ASSERT_TRUE(etl_budget_take(NULL, SIZE_MAX));
    etl_budget_give(NULL, 1);
}

/* An array takes what there is to the last row, and no more. */
static void test_room(void)
{
    struct etl_budget budget = {.limit = 1000 * sizeof(uint32_t) + 3};
    uint32_t *rows = NULL;
    size_t room = 0;
    size_t count = 0;
    for (uint32_t *grown;
         (grown = etl_budget_room(&budget, rows, count, 1, &room, sizeof *rows)) != NULL;) {
        rows = grown;
        rows[count] = (uint32_t)count;
        count++;
    }
    CU_ASSERT_EQUAL(count, 1000);
    CU_ASSERT_TRUE(budget.met && budget.used == 1000 * sizeof *rows && rows[999] == 999);
    etl_budget_free(&budget, rows, room, sizeof *rows);
    CU_ASSERT_EQUAL(budget.used, 0);
    rows = NULL;
    room = 0;
    CU_ASSERT_PTR_NULL(etl_budget_room(&budget, rows, 0, 1001, &room, sizeof *rows));
    CU_ASSERT_PTR_NULL(etl_budget_room(NULL, rows, 0, SIZE_MAX / 2, &room, sizeof *rows));
    CU_ASSERT_PTR_NULL(etl_budget_room(NULL, rows, 0, SIZE_MAX, &room, sizeof *rows));
    CU_ASSERT_PTR_NULL(etl_budget_table(NULL, 0, SIZE_MAX, sizeof *rows));
    CU_ASSERT_EQUAL(room, 0);
    rows = etl_budget_room(&budget, rows, 0, 1000, &room, sizeof *rows);
    CU_ASSERT_TRUE(rows != NULL && room == 1000);
    etl_budget_free(&budget, rows, room, sizeof *rows);
    budget.limit = 300;
    uint8_t *table = etl_budget_table(&budget, 0, 100, 2);
    CU_ASSERT_TRUE(table != NULL && table[199] == 0 && budget.used == 200);
    CU_ASSERT_PTR_NULL(etl_budget_table(&budget, 100, 200, 2));
    etl_budget_free(&budget, table, 100, 2);
    CU_ASSERT_EQUAL(budget.used, 0);
}

/* Reads a capture with one limit of that many bytes; how many events, and the remark of it on the first. */
static size_t read_with(const char *name, enum etl_limit limit, uint64_t bytes, bool *ret_met,
                        uint64_t *ret_used)
{
    char path[500];
    char detail[100];
    size_t size;
    struct etl_entry entry;
    snprintf(path, sizeof path, "%s/captures/%s.etl", ETL_SOURCE_DIR, name);
    snprintf(detail, sizeof detail, "etl.%s", etl_limit_rows[limit].preference);
    uint8_t *capture = files_read(path, &size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(capture);
    open_options.limits = (struct etl_limits){0};
    open_options.limits.bytes[limit] = bytes;
    struct etl_file *file = open_bytes(capture, size);
    open_options.limits = (struct etl_limits){0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    size_t count = 0;
    for (; etl_file_next(file, &entry) == ETL_OK; count++) {
        if (count == 0) {
            *ret_met = has_note(&entry, ETL_NOTE_LIMIT, detail);
        }
    }
    *ret_used = etl_keys_budget(etl_file_keys(file), limit)->used;
    etl_file_close(file);
    free(capture);
    return count;
}

/* Every event comes, whatever the limit; what is used is never more; what was enough once is enough again. */
static void expect_limit(const char *name, enum etl_limit limit)
{
    bool met = true;
    uint64_t whole;
    uint64_t used;
    size_t count = read_with(name, limit, 64 << 20, &met, &whole);
    CU_ASSERT_TRUE(count > 0 && !met && whole > 0);
    uint64_t peak = 64 << 20; /* what is given back once all is known was used too */
    for (uint64_t bytes = 1; bytes < peak; bytes *= 2) {
        CU_ASSERT_EQUAL(read_with(name, limit, bytes, &met, &used), count);
        CU_ASSERT_TRUE(used <= bytes);
        CU_ASSERT_TRUE(bytes > 1 || met);
        peak = met ? peak : bytes;
    }
    CU_ASSERT_TRUE(peak >= whole / 2 && peak < 64 << 20);
}

static void test_traces(void)
{
    expect_limit("names-64", ETL_LIMIT_MAPS);
    expect_limit("names-64", ETL_LIMIT_STRINGS);
    expect_limit("packets-owners", ETL_LIMIT_MAPS);
    expect_limit("tracelogging", ETL_LIMIT_STRINGS);
    expect_limit("tour", ETL_LIMIT_SCHEMAS);
    expect_limit("event-source", ETL_LIMIT_SCHEMAS);
}

/* The index of 10 buffers: what is behind them is counted as unread, and said. */
static void test_index(void)
{
    struct trace trace;
    trace_start(&trace, 0x400, NULL);
    fill_cpus(&trace, 2, 20, false);
    open_options.limits.bytes[ETL_LIMIT_INDEX] = 10 * 48;
    struct etl_file *file = open_trace(&trace);
    read_all(file);
    CU_ASSERT_EQUAL(last_status, ETL_END);
    CU_ASSERT_EQUAL(etl_file_info(file)->buffers, 10);
    CU_ASSERT_EQUAL(etl_file_info(file)->skipped_bytes, trace.size - (size_t)10 * 0x400);
    check_at(file);
    etl_file_close(file);
    expect_file_note(&trace, ETL_NOTE_MANY_BUFFERS, "etl.index_limit", true);
    open_options.limits = (struct etl_limits){0};
    trace_free(&trace);
}

/* Traces in one file share the limits: the second gets what the first has left. */
static void test_recovery(void)
{
    struct trace trace;
    struct etl_recovery *recovery;
    struct etl_entry entry;
    struct etl_file_options options = {0};
    options.limits.bytes[ETL_LIMIT_INDEX] = 30 * 48;
    trace_start(&trace, 0x400, NULL);
    fill_cpus(&trace, 2, 10, false);
    size_t size = trace.size;
    uint8_t *twice = malloc(2 * size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(twice);
    memcpy(twice, trace.bytes, size);
    memcpy(twice + size, trace.bytes, size);
    CU_ASSERT_EQUAL_FATAL(size, 21 * 0x400);
    struct etl_source *source = etl_source_of_memory(twice, 2 * size);
    CU_ASSERT_EQUAL_FATAL(etl_recovery_open(source, &options, &recovery), ETL_OK);
    uint64_t buffers = 0;
    while (etl_recovery_next(recovery, &entry) == ETL_OK) {
        buffers += entry.place.offset == ETL_BUFFER_HEADER_SIZE;
    }
    CU_ASSERT_EQUAL(buffers, 30);
    etl_recovery_close(recovery);
    free(twice);
    trace_free(&trace);
}

UNIT_SUITE("limits", {"every limit has a preference, a variable and a default", test_rows},
           {"a number of MiB is digits and nothing else", test_parse},
           {"a budget gives what it has and no more", test_take},
           {"arrays and tables grow within their budget", test_room},
           {"where a limit is met all events come, and the first one says so", test_traces},
           {"buffers that have no room in the index are not read, which is said", test_index},
           {"traces in one file share the limits", test_recovery})
