/* Lists of named values and flags: lint of the rows, and look-up. */
#include "etl/names.h"
#include "etl/snake.h"

#include "unit.h"

static bool one_bit(uint64_t mask)
{
    return mask != 0 && (mask & (mask - 1)) == 0;
}

/* Is the mask one unbroken run of bits? */
static bool one_run(uint64_t mask)
{
    uint64_t lowest = mask & (~mask + 1);
    return mask != 0 && (mask & (mask + lowest)) == 0;
}

static void test_lists(void)
{
    CU_ASSERT_PTR_NULL(etl_names_list(ETL_NAMES_NONE));
    for (int id = ETL_NAMES_NONE + 1; id < ETL_NAMES_COUNT; id++) {
        const struct etl_names *list = etl_names_list((enum etl_names_id)id);
        CU_ASSERT_PTR_NOT_NULL_FATAL(list);
        CU_ASSERT_TRUE(list->count > 0 && list->source[0] != '\0');
        char room[64];
        CU_ASSERT_TRUE(etl_snake_case(list->id, room, sizeof room) < sizeof room);
        CU_ASSERT_STRING_EQUAL(room, list->id);
        for (int other = ETL_NAMES_NONE + 1; other < id; other++) {
            CU_ASSERT_STRING_NOT_EQUAL(list->id, etl_names_list((enum etl_names_id)other)->id);
        }
    }
}

static void test_ascending(void)
{
    for (int id = ETL_NAMES_NONE + 1; id < ETL_NAMES_COUNT; id++) {
        const struct etl_names *list = etl_names_list((enum etl_names_id)id);
        for (size_t i = 1; i < list->count; i++) {
            CU_ASSERT_TRUE(list->rows[i - 1].value < list->rows[i].value);
        }
    }
}

static void test_masks(void)
{
    for (int id = ETL_NAMES_NONE + 1; id < ETL_NAMES_COUNT; id++) {
        const struct etl_names *list = etl_names_list((enum etl_names_id)id);
        uint64_t seen = 0;
        for (size_t i = 0; i < list->count; i++) {
            const struct etl_name *row = &list->rows[i];
            if (list->kind == ETL_NAMES_VALUES) {
                CU_ASSERT_FALSE(row->multi_bit);
                continue;
            }
            CU_ASSERT_EQUAL(row->multi_bit, !one_bit(row->value));
            CU_ASSERT_TRUE(one_run(row->value));
            CU_ASSERT_EQUAL(seen & row->value, 0);
            seen |= row->value;
        }
    }
}

static void check_snake_names(const struct etl_names *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char name[256];
        size_t length = etl_snake_case(list->rows[i].text, name, sizeof name);
        CU_ASSERT_TRUE(length > 0 && length < sizeof name);
        /* Flags are filters of their own; two values may mean the same. */
        for (size_t j = 0; j < i && list->kind == ETL_NAMES_FLAGS; j++) {
            char other[256];
            etl_snake_case(list->rows[j].text, other, sizeof other);
            CU_ASSERT_STRING_NOT_EQUAL(name, other);
        }
    }
}

static void test_labels(void)
{
    for (int id = ETL_NAMES_NONE + 1; id < ETL_NAMES_COUNT; id++) {
        check_snake_names(etl_names_list((enum etl_names_id)id));
    }
}

/* Compares the snake names of a list of flags with words parted by blanks. */
static void check_filter_words(enum etl_names_id id, const char *expected)
{
    char words[512] = "";
    const struct etl_names *list = etl_names_list(id);
    CU_ASSERT_EQUAL(list->kind, ETL_NAMES_FLAGS);
    for (size_t i = 0; i < list->count; i++) {
        size_t used = strlen(words);
        if (used > 0) {
            words[used++] = ' ';
        }
        etl_snake_case(list->rows[i].text, words + used, sizeof words - used);
    }
    CU_ASSERT_STRING_EQUAL(words, expected);
}

static void test_filter_words(void)
{
    check_filter_words(ETL_NAMES_event_flags,
                       "extended_info private_session string_only trace_message no_cputime "
                       "32_bit_header 64_bit_header decode_guid classic_header processor_index");
    check_filter_words(ETL_NAMES_event_property, "xml forwarded_xml legacy_eventlog reloggable");
    check_filter_words(ETL_NAMES_wnode_flags, "use_timestamp traced_guid log_wnode use_guid_ptr "
                                              "use_mof_ptr no_header");
    check_filter_words(ETL_NAMES_header_version, "version counters pebs");
    check_filter_words(ETL_NAMES_message_flags, "sequence guid component_id timestamp "
                                                "performance_timestamp system_info pointer32 "
                                                "pointer64");
}

static void test_find(void)
{
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_event_level, 2), "Error");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_opcode, 240), "Receive");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_classic_event_type, 2), "End");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_channel, 11), "TraceLogging");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_header_type, 0x14), "FULL_HEADER64");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_wait_reason, 30), "WrQuantumEnd");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_clock_type, 1), "PERFCOUNTER");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_service_state, 4), "RUNNING");
}

static void test_find_every_row(void)
{
    for (int id = ETL_NAMES_NONE + 1; id < ETL_NAMES_COUNT; id++) {
        const struct etl_names *list = etl_names_list((enum etl_names_id)id);
        for (size_t i = 0; i < list->count; i++) {
            const char *expected = list->kind == ETL_NAMES_VALUES ? list->rows[i].text : NULL;
            CU_ASSERT_PTR_EQUAL(etl_names_find((enum etl_names_id)id, list->rows[i].value),
                                expected);
        }
    }
}

static void test_unknown(void)
{
    CU_ASSERT_PTR_NULL(etl_names_find(ETL_NAMES_NONE, 0));
    CU_ASSERT_PTR_NULL(etl_names_find(ETL_NAMES_event_level, 16));
    CU_ASSERT_PTR_NULL(etl_names_find(ETL_NAMES_channel, 1));
    CU_ASSERT_PTR_NULL(etl_names_find(ETL_NAMES_opcode, UINT64_MAX));
    CU_ASSERT_PTR_NULL(etl_names_find(ETL_NAMES_trait_type, 0));
}

UNIT_SUITE("names", {"every list has an id in snake case, a source and rows", test_lists},
           {"values and masks are unique and in ascending order", test_ascending},
           {"masks are unbroken, don't overlap, and BITS only where there are several", test_masks},
           {"texts give unique names in snake case", test_labels},
           {"flags of headers give the words of the filters", test_filter_words},
           {"known values have names", test_find},
           {"every row of a list of values is found, and none of a list of flags",
            test_find_every_row},
           {"a value without a name gives NULL", test_unknown})
