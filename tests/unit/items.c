/* Extended items: every type, and chains that lie. */
#include "etl/items.h"
#include "etl/rows.h"

#include "null_sink.h"
#include "text_sink.h"
#include "unit.h"

#define HEADER_SIZE ETL_EVENT_HEADER_SIZE

#define GUID_BYTES \
    0x6e, 0x00, 0xd6, 0x2e, 0x29, 0x47, 0x09, 0x46, 0xb4, 0x23, 0x3e, 0xe7, 0xbc, 0xd6, 0x78, 0xef
#define GUID_TEXT "2ed6006e-4729-4609-b423-3ee7bcd678ef"
#define U64(byte) byte, 0, 0, 0, 0, 0, 0, 0

static const struct etl_context context = {.pointer_size = 8};
static struct text_sink text;
static struct etl_span none;

/* An item: header, data, padding to a multiple of 8. Returns its size. */
static size_t make_item(uint8_t *at, unsigned type, bool linked, const uint8_t *data, size_t size)
{
    size_t whole = (ETL_ITEM_HEADER_SIZE + size + 7) & ~(size_t)7;
    memset(at, 0, whole);
    etl_store_u16(at, (uint16_t)whole);
    etl_store_u16(at + 2, (uint16_t)type);
    etl_store_u16(at + 4, linked);
    etl_store_u16(at + 6, (uint16_t)size);
    if (size > 0) {
        memcpy(at + ETL_ITEM_HEADER_SIZE, data, size);
    }
    return whole;
}

/* An event of these items and payload, read as from a file. Valid until the next call. */
static struct etl_event make_event(struct etl_span items, struct etl_span payload)
{
    static uint8_t bytes[4096];
    size_t size = HEADER_SIZE + items.size + payload.size;
    CU_ASSERT_FATAL(size <= sizeof bytes);
    memset(bytes, 0, HEADER_SIZE);
    etl_store_u32(bytes, 0xC0130000 | (uint32_t)size);
    bytes[4] = 1; /* EXTENDED_INFO */
    if (items.size > 0) {
        memcpy(bytes + HEADER_SIZE, items.at, items.size);
    }
    if (payload.size > 0) {
        memcpy(bytes + HEADER_SIZE + items.size, payload.at, payload.size);
    }
    struct etl_measure measure;
    struct etl_event event;
    CU_ASSERT_FATAL(etl_event_measure(bytes, size, &context, &measure) == ETL_MEASURED_EVENT);
    etl_event_read(bytes, &measure, &context, &event);
    return event;
}

/* What is shown of the event, without the header's rows that say nothing new. */
static const char *shown(const struct etl_event *event)
{
    text_sink_start(&text);
    etl_items_show(event, &context, &text.sink);
    return text.text;
}

static void check_items(struct etl_span items, struct etl_span payload, const char *expected)
{
    struct etl_event event = make_event(items, payload);
    unit_same_text(shown(&event), expected);
}

/* One item of the type, whose group is `group` and whose data is shown as `expected`. */
static void check_data(unsigned type, const uint8_t *data, size_t size, const char *group,
                       const char *expected)
{
    static struct text_sink line;
    uint8_t item[512];
    size_t whole = make_item(item, type, false, data, size);
    size_t padding = whole - ETL_ITEM_HEADER_SIZE - size;
    text_sink_start(&line);
    text_sink_add(&line, "%s{TotalSize=%zu ExtType=%u Linkage=false Reserved=0x0 DataSize=%zu%s%s",
                  group, whole, type, size, expected[0] != '\0' ? " " : "", expected);
    if (padding > 0) {
        text_sink_add(&line, " Padding=");
        text_sink_hex(&line, item + ETL_ITEM_HEADER_SIZE + size, padding);
    }
    text_sink_add(&line, "}");
    check_items((struct etl_span){.at = item, .size = whole}, none, line.text);
}

#define CHECK(type, group, expected, ...)                                  \
    do {                                                                   \
        static const uint8_t data[] = {__VA_ARGS__};                       \
        check_data(ETL_ITEM_##type, data, sizeof data, group, (expected)); \
    } while (0)

static void test_one_value(void)
{
    CHECK(RELATED_ACTIVITYID, "Item",
          "RelatedActivityId=" GUID_TEXT " RelatedActivityID=" GUID_TEXT, GUID_BYTES);
    CHECK(SID, "Item", "Sid=[01 01 00 00 00 00 00 05 12 00 00 00]", 1, 1, 0, 0, 0, 0, 0, 5, 0x12, 0,
          0, 0);
    CHECK(TS_ID, "Item", "SessionId=2", 2, 0, 0, 0);
    CHECK(PEBS_INDEX, "Item", "PebsIndex=7", U64(7));
    CHECK(PSM_KEY, "Item", "PsmKey=[01 02 03] !OPAQUE_ITEM(3)", 1, 2, 3);
    CHECK(EVENT_KEY, "Item", "EventKey=0x8", U64(8));
    CHECK(PROCESS_START_KEY, "Item", "ProcessStartKey=0x9", U64(9));
    CHECK(CONTROL_GUID, "Item", "ControlGuid=" GUID_TEXT, GUID_BYTES);
    CHECK(QPC_DELTA, "Item", "QpcDelta=10", U64(10));
}

static void test_several_values(void)
{
    CHECK(INSTANCE_INFO, "InstanceInfo", "InstanceId=17 ParentInstanceId=3 ParentGuid=" GUID_TEXT,
          17, 0, 0, 0, 3, 0, 0, 0, GUID_BYTES);
    CHECK(STACK_TRACE32, "Stack", "MatchId=0x1 Address=0x2 Address=0x80000003", U64(1), 2, 0, 0, 0,
          3, 0, 0, 0x80);
    CHECK(STACK_TRACE64, "Stack", "MatchId=0x0 Address=0x2 Address=0x3", U64(0), U64(2), U64(3));
    CHECK(STACK_TRACE64, "Stack", "MatchId=0x5", U64(5));
    CHECK(PMC_COUNTERS, "PmcCounters", "Counter=1 Counter=2 Counter=3", U64(1), U64(2), U64(3));
    CHECK(STACK_KEY32, "StackKey", "MatchId=0x1 StackKey=0x2 Padding=0x3", U64(1), 2, 0, 0, 0, 3, 0,
          0, 0);
    CHECK(STACK_KEY64, "StackKey", "MatchId=0x1 StackKey=0x2", U64(1), U64(2));
}

static void test_container(void)
{
    CHECK(CONTAINER_ID, "Item", "ContainerId=\"d9ff\"", 'd', '9', 'f', 'f');
    CHECK(CONTAINER_ID, "Item", "ContainerId=\"d9\"", 'd', '9', 0, 0);
    check_data(ETL_ITEM_CONTAINER_ID, NULL, 0, "Item", "ContainerId=\"\"");
}

static void test_computed(void)
{
    CHECK(PROV_TRAITS, "ProvTraits", "TraitsSize=4 ProviderName=\"A\"", 4, 0, 'A', 0);
    CHECK(EVENT_SCHEMA_TL, "SchemaTl", "Size=5 Tags=0x0 EventName=\"E\"", 5, 0, 0, 'E', 0);
}

static void test_unknown(void)
{
    check_data(19, (const uint8_t[]){1, 2}, 2, "Item", "Data=[01 02] !UNKNOWN_ITEM(16)");
    check_data(0, NULL, 0, "Item", "!UNKNOWN_ITEM(8)");
    check_data(0xFFFF, NULL, 0, "Item", "!UNKNOWN_ITEM(8)");
}

static void test_titles(void)
{
    static const char *const names[] = {
#define ITEM(type, id, name, layout, group) [type] = (name),
#include "layouts/all.def"
    };
    for (size_t type = 1; type <= 18; type++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(names[type]);
        const char *short_name = etl_names_find(ETL_NAMES_item_type, type);
        CU_ASSERT_PTR_NOT_NULL_FATAL(short_name);
        CU_ASSERT_STRING_EQUAL(names[type] + strlen("EVENT_HEADER_EXT_TYPE_"), short_name);
    }
    CU_ASSERT_EQUAL(sizeof names / sizeof names[0], 19);
}

static void test_short_data(void)
{
    CHECK(RELATED_ACTIVITYID, "Item", "!TRUNCATED(3) Data=[01 02 03]", 1, 2, 3);
    CHECK(SID, "Item", "!TRUNCATED(8) Data=[01 0f 00 00 00 00 00 05]", 1, 15, 0, 0, 0, 0, 0, 5);
    CHECK(TS_ID, "Item", "!TRUNCATED(1) Data=[01]", 1);
    CHECK(STACK_TRACE64, "Stack", "MatchId=0x0 Address=0x1 !TRUNCATED(1) Data=[77]", U64(0), U64(1),
          0x77);
    CHECK(STACK_KEY64, "StackKey", "MatchId=0x1 !TRUNCATED(0)", U64(1));
    CHECK(INSTANCE_INFO, "InstanceInfo", "InstanceId=1 !TRUNCATED(0)", 1, 0, 0, 0);
    check_data(ETL_ITEM_SID, NULL, 0, "Item", "!TRUNCATED(0)");
    check_data(ETL_ITEM_EVENT_KEY, NULL, 0, "Item", "!TRUNCATED(0)");
    check_data(ETL_ITEM_PMC_COUNTERS, NULL, 0, "PmcCounters", "");
}

static void test_long_data(void)
{
    CHECK(EVENT_KEY, "Item", "EventKey=0x1 Data=[02] !SURPLUS(1)", U64(1), 2);
    CHECK(SID, "Item", "Sid=[01 00 00 00 00 00 00 05] Data=[09 09] !SURPLUS(2)", 1, 0, 0, 0, 0, 0,
          0, 5, 9, 9);
}

static void test_chain(void)
{
    static const uint8_t session[] = {2, 0, 0, 0};
    static const uint8_t key[] = {U64(1)};
    static const uint8_t payload[] = {42, 0, 0, 0};
    uint8_t items[64];
    size_t size = make_item(items, ETL_ITEM_TS_ID, true, session, sizeof session);
    size += make_item(items + size, ETL_ITEM_EVENT_KEY, false, key, sizeof key);
    check_items((struct etl_span){.at = items, .size = size},
                (struct etl_span){.at = payload, .size = sizeof payload},
                "Item{TotalSize=16 ExtType=3 Linkage=true Reserved=0x0 DataSize=4 SessionId=2 "
                "Padding=[00 00 00 00]} "
                "Item{TotalSize=16 ExtType=10 Linkage=false Reserved=0x0 DataSize=8 EventKey=0x1}");
}

/* The item says `word` at byte `at` of its header; the rest is an event key of 1. */
static void check_lie(size_t at, uint16_t word, const char *expected)
{
    static const uint8_t key[] = {U64(1)};
    static const uint8_t payload[] = {42, 0, 0, 0};
    uint8_t item[16];
    make_item(item, ETL_ITEM_EVENT_KEY, false, key, sizeof key);
    etl_store_u16(item + at, word);
    check_items((struct etl_span){.at = item, .size = sizeof item},
                (struct etl_span){.at = payload, .size = sizeof payload}, expected);
}

static void test_lies(void)
{
    check_lie(0, 0, "!BAD_ITEM(8)");
    check_lie(0, 7, "!BAD_ITEM(8)");
    check_lie(0, 21, "!BAD_ITEM(8)");
    check_lie(0, 0xFFFF, "!BAD_ITEM(8)");
    check_lie(0, 20,
              "Item{TotalSize=20 !ITEM_UNALIGNED(2) ExtType=10 Linkage=false Reserved=0x0 "
              "DataSize=8 EventKey=0x1 Padding=[2a 00 00 00]}");
    check_lie(4, 1,
              "Item{TotalSize=16 ExtType=10 Linkage=true Reserved=0x0 DataSize=8 EventKey=0x1} "
              "!BAD_ITEM(4)");
    check_lie(4, 0xFFFE,
              "Item{TotalSize=16 ExtType=10 Linkage=false Reserved=0x7fff !ITEM_RESERVED(2) "
              "DataSize=8 EventKey=0x1}");
    check_lie(6, 9,
              "Item{TotalSize=16 ExtType=10 Linkage=false Reserved=0x0 DataSize=9 "
              "!ITEM_DATA_SIZE(2) EventKey=0x1}");
    check_lie(6, 0,
              "Item{TotalSize=16 ExtType=10 Linkage=false Reserved=0x0 DataSize=0 "
              "!TRUNCATED(0) Padding=[01 00 00 00 00 00 00 00]}");
}

static void test_announced(void)
{
    static const uint8_t payload[] = {42, 0, 0, 0};
    check_items(none, none, "!BAD_ITEM(0)");
    check_items(none, (struct etl_span){.at = payload, .size = sizeof payload}, "!BAD_ITEM(4)");
    struct etl_event event = make_event(none, none);
    event.items = none; /* a record that somebody else made */
    CU_ASSERT_STRING_EQUAL(shown(&event), "");
    event = make_event(none, none);
    event.flags = 0;
    CU_ASSERT_STRING_EQUAL(shown(&event), "");
}

/* What a record has as items need not be a chain. */
static void test_record(void)
{
    uint8_t items[32];
    make_item(items, 19, false, NULL, 0);
    make_item(items + 8, 19, false, NULL, 0);
    struct etl_event event = make_event(none, none);
    event.items = (struct etl_span){.at = items, .size = 16};
    CU_ASSERT_PTR_NOT_NULL(strstr(shown(&event), "} Data=[08 00 13 00 00 00 00 00] !SURPLUS(8)"));
    items[4] = 1;
    event.items.size = 12;
    CU_ASSERT_PTR_NOT_NULL(strstr(shown(&event), "} Data=[08 00 13 00] !BAD_ITEM(4)"));
}

static void test_find(void)
{
    static const uint8_t one[] = {1};
    uint8_t items[64];
    struct etl_span found;
    size_t size = make_item(items, ETL_ITEM_TS_ID, true, NULL, 0);
    size += make_item(items + size, ETL_ITEM_SID, false, one, 1);
    size += make_item(items + size, ETL_ITEM_EVENT_KEY, false, one, 1);
    struct etl_event event = make_event((struct etl_span){.at = items, .size = size}, none);
    CU_ASSERT_TRUE(etl_items_find(&event, ETL_ITEM_TS_ID, &found));
    CU_ASSERT_EQUAL(found.size, 0);
    CU_ASSERT_TRUE(etl_items_find(&event, ETL_ITEM_SID, &found));
    CU_ASSERT_EQUAL(found.size, 1);
    CU_ASSERT_EQUAL(found.at[0], 1);
    found = none;
    CU_ASSERT_FALSE(etl_items_find(&event, ETL_ITEM_EVENT_KEY, &found));
    CU_ASSERT_PTR_NULL(found.at);
}

/* Every type with data that any of them could read as theirs, all in one chain. */
static size_t make_all(uint8_t *room)
{
    static const uint8_t data[] = {24, 0, 1, 0, 0, 0, 0, 0, 4,   0,    1,    'A',
                                   0,  3, 0, 1, 4, 0, 2, 3, 'x', 0x88, 0x81, 0x80};
    size_t size = 0;
    for (unsigned type = 0; type <= 19; type++) {
        size += make_item(room + size, type, type < 19, data, sizeof data);
    }
    return size;
}

static void show_truncated(const uint8_t *data, size_t size)
{
    struct null_sink sink = null_sink_new();
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .flags = 1,
                              .items = {.at = data, .size = size},
                              .payload = {.at = data + size, .size = 0},
                              .pointer_size = 8};
    etl_items_show(&event, &context, &sink.sink);
    null_sink_check(&sink);
}

static void test_truncations(void)
{
    uint8_t items[1024];
    size_t size = make_all(items);
    unit_every_truncation(items, size, show_truncated);
}

/* As above, but it is an item's data that ends early. */
static void test_data_truncations(void)
{
    static const uint8_t sid[] = {1, 2, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 2, 0, 0, 0};
    for (unsigned type = 0; type <= 19; type++) {
        for (size_t size = 0; size <= sizeof sid; size++) {
            uint8_t item[64];
            size_t whole = make_item(item, type, false, sid, size);
            unit_every_truncation(item, whole, show_truncated);
        }
    }
}

static void test_rows(void)
{
    CU_ASSERT_STRING_EQUAL(ETL_ROW(provider_traits, ProviderName)->filter,
                           "etl.traits.provider_name");
    CU_ASSERT_STRING_EQUAL(ETL_ROW(item_header, Padding)->filter, "etl.ext.padding");
    CU_ASSERT_STRING_EQUAL(ETL_ROW(item_header, TotalSize)->filter, "etl.ext.total_size");
    CU_ASSERT_STRING_EQUAL(ETL_ROW(schema_tl_field, TypeInfo)->filter,
                           "etl.ext.schema_tl.field.type_info");
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"an item with one value shows it", test_one_value},
        {"an item with several values has a group of its own", test_several_values},
        {"a container id is all of the data, with NULs or without", test_container},
        {"traits and schemas are shown by their own code", test_computed},
        {"an unknown type is shown as bytes, with a note", test_unknown},
        {"all 18 types have Microsoft's names", test_titles},
        {"data that ends early has a note, and its rest is shown", test_short_data},
        {"data that goes on after the last row is shown, with a note", test_long_data},
        {"items follow each other by Size, not by DataSize", test_chain},
        {"an item that lies about sizes or bits is noted", test_lies},
        {"an event that announces items and has none is noted, but not in others' records",
         test_announced},
        {"in a record, bytes after the last item are shown", test_record},
        {"an item is found by type within the chain", test_find},
        {"no chain that ends early is read past its end", test_truncations},
        {"no data that ends early is read past its end", test_data_truncations},
        {"a row is found by layout and label", test_rows},
    };
    etl_layouts_start();
    return unit_run("items", tests, sizeof tests / sizeof tests[0]);
}
