/*
 * Schemas of TraceLogging events: every part of a field, those that lie, and the vectors that
 * another reader's authors made, where their table is at hand.
 */
#include "etl/tracelogging.h"

#include "null_sink.h"
#include "text_sink.h"
#include "vectors.h"

static void check(const uint8_t *data, size_t size, const char *expected)
{
    unit_same_text(text_sink_of(etl_tracelogging_show, data, size), expected);
}

#define CHECK(expected, ...)                         \
    do {                                             \
        static const uint8_t data[] = {__VA_ARGS__}; \
        check(data, sizeof data, (expected));        \
    } while (0)

#define EVENT       "Tags=0x0 EventName=\"E\""
#define FIELD(rest) EVENT " Field{Name=\"F\" " rest "}"

static void test_event(void)
{
    CHECK("Size=5 " EVENT, 5, 0, 0, 'E', 0);
    CHECK("Size=4 Tags=0x0 EventName=\"\"", 4, 0, 0, 0);
}

static void test_tags(void)
{
    CHECK("Size=5 Tags=0x1000000 EventName=\"E\"", 5, 0, 0x08, 'E', 0);
    CHECK("Size=6 Tags=0x80000 EventName=\"E\"", 6, 0, 0x80, 0x20, 'E', 0);
    CHECK("Size=8 Tags=0xabcdef EventName=\"E\"", 8, 0, 0x85, 0xAF, 0x9B, 0x6F, 'E', 0);
    CHECK("Size=8 Tags=0xfffffff EventName=\"E\"", 8, 0, 0xFF, 0xFF, 0xFF, 0x7F, 'E', 0);
    CHECK("Size=9 Tags=0xfffffff !LONG_TAGS(5) EventName=\"E\"", 9, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F,
          'E', 0);
}

static void test_field(void)
{
    CHECK("Size=8 " FIELD("InType=8 CountMode=0"), 8, 0, 0, 'E', 0, 'F', 0, 8);
    CHECK("Size=9 " FIELD("InType=8 CountMode=0 OutType=4"), 9, 0, 0, 'E', 0, 'F', 0, 0x88, 4);
    CHECK("Size=11 " FIELD("InType=8 CountMode=0 OutType=4 Tags=0x80000"), 11, 0, 0, 'E', 0, 'F', 0,
          0x88, 0x84, 0x80, 0x20);
    CHECK("Size=10 " FIELD("InType=8 CountMode=0 OutType=0 Tags=0x0"), 10, 0, 0, 'E', 0, 'F', 0,
          0x88, 0x80, 0);
    CHECK("Size=8 " FIELD("InType=31 CountMode=0"), 8, 0, 0, 'E', 0, 'F', 0, 31);
}

static void test_counts(void)
{
    CHECK("Size=10 " FIELD("InType=4 CountMode=1 Count=258"), 10, 0, 0, 'E', 0, 'F', 0, 0x24, 2, 1);
    CHECK("Size=8 " FIELD("InType=4 CountMode=2"), 8, 0, 0, 'E', 0, 'F', 0, 0x44);
    CHECK("Size=12 " FIELD("InType=4 CountMode=3 TypeInfo=[07 08]"), 12, 0, 0, 'E', 0, 'F', 0, 0x64,
          2, 0, 7, 8);
    CHECK("Size=10 " FIELD("InType=4 CountMode=3"), 10, 0, 0, 'E', 0, 'F', 0, 0x64, 0, 0);
    CHECK("Size=12 " FIELD("InType=4 CountMode=1 OutType=1 Tags=0x200000 Count=3"), 12, 0, 0, 'E',
          0, 'F', 0, 0xA4, 0x81, 0x01, 3, 0);
}

static void test_struct(void)
{
    CHECK("Size=12 " EVENT " Field{Name=\"S\" InType=24 CountMode=0 Members=1} "
          "Field{Name=\"F\" InType=4 CountMode=0}",
          12, 0, 0, 'E', 0, 'S', 0, 0x98, 1, 'F', 0, 4);
}

static void test_names_of_types(void)
{
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_tracelogging_in_type, 24), "STRUCT");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_tracelogging_out_type, 35), "UTF8");
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_tracelogging_count_mode, 3), "Custom");
    CU_ASSERT_PTR_NULL(etl_names_find(ETL_NAMES_tracelogging_in_type, 31));
}

static void test_bad_event(void)
{
    check(NULL, 0, "!BAD_SCHEMA(0)");
    CHECK("Data=[05] !BAD_SCHEMA(1)", 5);
    CHECK("Size=2 !BAD_SCHEMA(0)", 2, 0);
    CHECK("Size=5 !ITEM_SIZES_DIFFER(2) Data=[00] !BAD_SCHEMA(1)", 5, 0, 0);
    CHECK("Size=4 Data=[00 45] !BAD_SCHEMA(2)", 4, 0, 0, 'E');
    CHECK("Size=5 Data=[ff ff ff] !BAD_SCHEMA(3)", 5, 0, 0xFF, 0xFF, 0xFF);
}

static void test_sizes(void)
{
    CHECK("Size=5 !ITEM_SIZES_DIFFER(2) " EVENT " Data=[46 00 04]", 5, 0, 0, 'E', 0, 'F', 0, 4);
    CHECK("Size=65535 !ITEM_SIZES_DIFFER(2) " EVENT, 0xFF, 0xFF, 0, 'E', 0);
    CHECK("Size=0 !ITEM_SIZES_DIFFER(2) Data=[00 45 00] !BAD_SCHEMA(3)", 0, 0, 0, 'E', 0);
}

static void test_bad_field(void)
{
    CHECK("Size=7 " EVENT " Data=[46 00] !BAD_SCHEMA(2)", 7, 0, 0, 'E', 0, 'F', 0);
    CHECK("Size=6 " EVENT " Data=[46] !BAD_SCHEMA(1)", 6, 0, 0, 'E', 0, 'F');
    CHECK("Size=8 " EVENT " Data=[46 00 84] !BAD_SCHEMA(3)", 8, 0, 0, 'E', 0, 'F', 0, 0x84);
    CHECK("Size=9 " EVENT " Data=[46 00 24 01] !BAD_SCHEMA(4)", 9, 0, 0, 'E', 0, 'F', 0, 0x24, 1);
    CHECK("Size=11 " EVENT " Data=[46 00 64 ff ff 01] !BAD_SCHEMA(6)", 11, 0, 0, 'E', 0, 'F', 0,
          0x64, 0xFF, 0xFF, 1);
    CHECK("Size=10 " EVENT " Data=[46 00 84 80 ff] !BAD_SCHEMA(5)", 10, 0, 0, 'E', 0, 'F', 0, 0x84,
          0x80, 0xFF);
}

/* A schema of `count` nameless fields of type NULL; returns its size. */
static size_t make_many(uint8_t *room, size_t count)
{
    size_t size = 5 + 2 * count;
    memset(room, 0, size);
    etl_store_u16(room, (uint16_t)size);
    room[3] = 'E';
    return size;
}

static size_t fields_in(const struct etl_tracelogging_event *event)
{
    struct etl_bytes fields = event->fields;
    struct etl_tracelogging_field field;
    size_t count = 0;
    while (etl_tracelogging_next_field(&fields, &field)) {
        count++;
    }
    return count;
}

static void test_many(void)
{
    static uint8_t data[UINT16_MAX];
    struct etl_tracelogging_event event;
    size_t size = make_many(data, ETL_TRACELOGGING_FIELDS_MAX);
    CU_ASSERT_PTR_NULL(strstr(text_sink_of(etl_tracelogging_show, data, size), "MANY_FIELDS"));
    size = make_many(data, ETL_TRACELOGGING_FIELDS_MAX + 1);
    struct null_sink sink = null_sink_new();
    etl_tracelogging_show((struct etl_span){.at = data, .size = size}, &sink.sink);
    null_sink_check(&sink);
    CU_ASSERT_TRUE(etl_tracelogging_read((struct etl_span){.at = data, .size = size}, &event));
    CU_ASSERT_EQUAL(fields_in(&event), ETL_TRACELOGGING_FIELDS_MAX + 1);
}

static void test_event_name(void)
{
    static const uint8_t good[] = {9, 0, 0x80, 0x20, 'E', 'v', 0, 'F', 0};
    static const uint8_t empty[] = {4, 0, 0, 0};
    struct etl_span name = {0};
    CU_ASSERT_FALSE(
        etl_tracelogging_event_name((struct etl_span){.at = empty, .size = sizeof empty}, &name));
    CU_ASSERT_FALSE(etl_tracelogging_event_name((struct etl_span){.at = good, .size = 6}, &name));
    CU_ASSERT_PTR_NULL(name.at);
    CU_ASSERT_TRUE(
        etl_tracelogging_event_name((struct etl_span){.at = good, .size = sizeof good}, &name));
    CU_ASSERT_EQUAL(name.size, 2);
    CU_ASSERT_PTR_EQUAL(name.at, good + 4);
}

static void show_truncated(const uint8_t *data, size_t size)
{
    struct null_sink sink = null_sink_new();
    etl_tracelogging_show((struct etl_span){.at = data, .size = size}, &sink.sink);
    null_sink_check(&sink);
}

static void test_truncations(void)
{
    static const uint8_t data[] = {36,   0, 0x80, 0x20, 'E', 0,   'S', 0,    0x98, 0x83, 0x80, 0x20,
                                   'A',  0, 0xA4, 0x81, 1,   3,   0,   'B',  0,    0x44, 'C',  0,
                                   0x64, 2, 0,    7,    8,   'D', 0,   0x81, 2,    'X',  0,    1};
    CU_ASSERT_EQUAL(sizeof data, 36);
    CU_ASSERT_PTR_NULL(strchr(text_sink_of(etl_tracelogging_show, data, sizeof data), '!'));
    unit_every_truncation(data, sizeof data, show_truncated);
}

/* ---- the table of vectors ---- */

static const struct {
    const char *name;
    const char *shown;
} vectors[] = {
    {"airbus_test_tracelogging_wstring_meta",
     "Size=16 Tags=0x0 EventName=\"Test\" Field{Name=\"Engine\" InType=1 CountMode=0}"},
    {"airbus_test_wrong_meta_meta", "!BAD_SCHEMA(0)"},
    /* Whose name says "tag"; it is the in-type that nobody knows. */
    {"airbus_test_invalid_tag_meta",
     "Size=16 Tags=0x0 EventName=\"Test\" Field{Name=\"Engine\" InType=31 CountMode=0}"},
    {"airbus_test_tracelogging_guid_meta",
     "Size=16 Tags=0x0 EventName=\"Test\" Field{Name=\"Engine\" InType=15 CountMode=0}"},
    /* The next two have constant counts without the count: their reader takes it from the payload,
     * as of variable counts. TraceLoggingProvider.h has a u16 after the in-type here. */
    {"airbus_test_array_uint8_meta",
     "Size=16 Tags=0x0 EventName=\"Test\" Data=[45 6e 67 69 6e 65 00 23] !BAD_SCHEMA(8)"},
    {"airbus_test_array_uint16_meta",
     "Size=16 Tags=0x0 EventName=\"Test\" Data=[45 6e 67 69 6e 65 00 26] !BAD_SCHEMA(8)"},
    /* The same, and its Size is one less than its bytes. */
    {"airbus_test_extended_flag_meta", "Size=16 !ITEM_SIZES_DIFFER(2) Tags=0x0 EventName=\"Test\" "
                                       "Data=[45 6e 67 69 6e 65 00] !BAD_SCHEMA(7) Data=[26]"},
};

static void check_vector(const struct vector *vector)
{
    size_t size;
    uint8_t *data = vectors_bytes(vector->columns[HEX], &size);
    const char *expected = NULL;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        expected = strcmp(vectors[i].name, vector->columns[NAME]) == 0 ? vectors[i].shown
                                                                       : expected;
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
    check(data, size, expected);
    free(data);
}

static void test_vectors(void)
{
    char *text = vectors_read();
    char *at = text;
    struct vector vector;
    size_t count = 0;
    while (text != NULL && vectors_next(&at, &vector)) {
        if (strcmp(vector.columns[TYPE], "ext item 11 SCHEMA_TL data") == 0) {
            check_vector(&vector);
            count++;
        }
    }
    if (text != NULL) {
        CU_ASSERT_EQUAL(count, sizeof vectors / sizeof vectors[0]);
    }
    free(text);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"an event without fields has tags and a name", test_event},
        {"tags are 28 bits of which the first byte has the highest", test_tags},
        {"a field has what the bits of its bytes announce", test_field},
        {"each way of counting has its own bytes", test_counts},
        {"a struct says how many members follow", test_struct},
        {"types have names", test_names_of_types},
        {"a schema without a whole name is shown as bytes", test_bad_event},
        {"Size bounds what is read, and is noted when it is wrong", test_sizes},
        {"from a field that is not whole on, all is bytes", test_bad_field},
        {"there is a limit to the fields that are shown", test_many},
        {"the event's name is found where there is a whole one", test_event_name},
        {"no schema that ends early is read past its end", test_truncations},
        {"schemas of another reader's tests are shown as they are", test_vectors},
    };
    etl_layouts_start();
    return unit_run("tracelogging", tests, sizeof tests / sizeof tests[0]);
}
