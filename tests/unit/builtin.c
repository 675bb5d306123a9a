/*
 * The built-in table: what is found for an event, what its rows mean, and that every row of it is
 * one that can be decoded with.
 */
#include "etl/builtin.h"

#include "null_sink.h"
#include "text_sink.h"
#include "unit.h"

static const struct etl_clock clock_of_test = {.kind = ETL_CLOCK_SYSTEM_TIME};

/* Microsoft-Windows-Kernel-General: event 1 has the versions 0 to 4. */
static const char kernel_general[] = "a68ca8b7-004f-d7b6-a698-07e2de0f1f5d";
/* Microsoft-Windows-DotNETRuntime: event 15 has an array of structs with an array in them. */
static const char dotnet_runtime[] = "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4";

static bool find(const char *guid, uint16_t id, uint8_t version, struct etl_builtin_match *match)
{
    struct etl_guid provider;
    CU_ASSERT_TRUE_FATAL(etl_guid_parse(guid, &provider));
    return etl_builtin_find(&provider, id, version, match);
}

static struct etl_schema *schema_of(const char *guid, uint16_t id, uint8_t version)
{
    struct etl_builtin_match match;
    CU_ASSERT_TRUE_FATAL(find(guid, id, version, &match));
    struct etl_schema *schema = etl_builtin_schema(&match);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    return schema;
}

static void check(const struct etl_schema *schema, const uint8_t *payload, size_t size,
                  const char *expected)
{
    static struct text_sink text;
    text_sink_start(&text);
    struct etl_decoder decoder = {.sink = &text.sink, .clock = &clock_of_test, .pointer_size = 8};
    etl_schema_decode(&decoder, schema, payload, size);
    unit_same_text(text.text, expected);
}

static void test_versions(void)
{
    struct etl_builtin_match match;
    CU_ASSERT_TRUE(find(kernel_general, 1, 1, &match));
    CU_ASSERT_EQUAL(match.version, 1);
    CU_ASSERT_FALSE(match.older);
    CU_ASSERT_TRUE(find(kernel_general, 1, 255, &match));
    CU_ASSERT_EQUAL(match.version, 4);
    CU_ASSERT_TRUE(match.older);
    CU_ASSERT_FALSE(find(kernel_general, 65535, 0, &match));
    CU_ASSERT_FALSE(find(kernel_general, 0, 255, &match));
    CU_ASSERT_FALSE(find("00000000-0000-0000-0000-000000000000", 1, 0, &match));
    CU_ASSERT_FALSE(find("ffffffff-ffff-ffff-ffff-ffffffffffff", 1, 0, &match));
}

static void test_source(void)
{
    struct etl_schema *exact = schema_of(kernel_general, 1, 1);
    struct etl_schema *older = schema_of(kernel_general, 1, 255);
    CU_ASSERT_STRING_EQUAL(etl_schema_source_name(exact->source), "built-in");
    CU_ASSERT_STRING_EQUAL(etl_schema_source_name(older->source), "built-in older version");
    CU_ASSERT_EQUAL(older->version, 4);
    CU_ASSERT_STRING_EQUAL(exact->texts[ETL_SCHEMA_PROVIDER], "Microsoft-Windows-Kernel-General");
    CU_ASSERT_STRING_EQUAL(exact->texts[ETL_SCHEMA_TASK], "SystemTimeChange");
    etl_schema_free(exact);
    etl_schema_free(older);
}

/* A map's name needs its characters back: the table writes its colon as %3A. */
static void test_maps(void)
{
    struct etl_schema *schema = schema_of(kernel_general, 1, 1);
    CU_ASSERT_EQUAL_FATAL(schema->field_count, 3);
    const struct etl_names *map = schema->fields[2].row.map;
    CU_ASSERT_PTR_NOT_NULL_FATAL(map);
    CU_ASSERT_TRUE(map->count > 0);
    CU_ASSERT_PTR_NOT_NULL(etl_names_in(map, map->rows[0].value));
    etl_schema_free(schema);
}

static void test_structs(void)
{
    static const uint8_t payload[] = {
        2, 0, 0, 0, 9, 0,                                 /* Count, ClrInstanceID */
        1, 0, 0, 0, 0, 0, 0, 0, 2, 0,   0, 0, 0, 0, 0, 0, /* TypeID, ModuleID */
        3, 0, 0, 0, 0, 0, 0, 0, 5, 'A', 0, 0, 0, /* TypeNameID, Flags, CorElementType, Name */
        1, 0, 0, 0, 6, 0, 0, 0, 0, 0,   0, 0,    /* TypeParameterCount, TypeParameters */
        7, 0, 0, 0, 0, 0, 0, 0, 8, 0,   0, 0, 0, 0, 0, 0, /* the second, without parameters */
        4, 0, 0, 0, 0, 0, 0, 0, 5, 0,   0, 0, 0, 0, 0,
    };
    struct etl_schema *schema = schema_of(dotnet_runtime, 15, 0);
    check(schema, payload, sizeof payload,
          "Count=2 ClrInstanceID=9 "
          "Values{TypeID=0x1 ModuleID=0x2 TypeNameID=3 Flags=0 CorElementType=5 Name=\"A\" "
          "TypeParameterCount=1 TypeParameters=0x6} "
          "Values{TypeID=0x7 ModuleID=0x8 TypeNameID=4 Flags=0 CorElementType=5 Name=\"\" "
          "TypeParameterCount=0}");
    etl_schema_free(schema);
}

/* Kernel-General 1 version 1: two times and a number. */
static void test_fit(void)
{
    static const uint8_t payload[21] = {0};
    struct etl_schema *schema = schema_of(kernel_general, 1, 1);
    CU_ASSERT_TRUE(etl_schema_fits(schema, (struct etl_span){payload, 20}, 8));
    CU_ASSERT_FALSE(etl_schema_fits(schema, (struct etl_span){payload, 19}, 8));
    CU_ASSERT_FALSE(etl_schema_fits(schema, (struct etl_span){payload, 21}, 8));
    CU_ASSERT_FALSE(etl_schema_fits(schema, (struct etl_span){payload, 0}, 8));
    etl_schema_free(schema);
}

static void decode(const struct etl_schema *schema, const uint8_t *payload, size_t size)
{
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {.sink = &sink.sink, .clock = &clock_of_test, .pointer_size = 4};
    size_t covered = etl_schema_decode(&decoder, schema, payload, size);
    CU_ASSERT_TRUE_FATAL(covered <= size);
    null_sink_check(&sink);
}

static void test_all(void)
{
    static const uint8_t sizes[] = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    uint8_t *ones = unit_room(89);
    memset(ones, 1, 89);
    for (size_t number = 0; number < etl_builtin_event_count(); number++) {
        struct etl_builtin_match match = {.number = number};
        struct etl_schema *schema = etl_builtin_schema(&match);
        CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
        CU_ASSERT_TRUE(schema->texts[ETL_SCHEMA_PROVIDER][0] != '\0');
        CU_ASSERT_TRUE(schema->top_count <= schema->field_count);
        for (size_t i = 0; i < schema->field_count; i++) {
            CU_ASSERT_TRUE(schema->fields[i].row.label[0] != '\0');
        }
        for (size_t i = 0; i < sizeof sizes; i++) {
            decode(schema, ones + 89 - sizes[i], sizes[i]);
        }
        etl_schema_free(schema);
    }
    free(ones);
}

/* What is found by a provider's fields is what its events have. */
static void test_fields(void)
{
    size_t end = 0;
    size_t fields = 0;
    for (size_t i = 0; i < etl_builtin_provider_count(); i++) {
        struct etl_guid guid;
        enum etl_type type;
        size_t first;
        CU_ASSERT_TRUE(etl_builtin_provider_at(i, &guid, &first, &end)[0] != '\0');
        for (fields += end - first; first < end; first++) {
            CU_ASSERT_TRUE(etl_builtin_field_at(first, &type)[0] != '\0');
        }
    }
    CU_ASSERT_TRUE(fields > 16000);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"the nearest lower version stands in for one that is not there", test_versions},
        {"a schema says where it is from and of which version it is", test_source},
        {"maps are named as the table names them", test_maps},
        {"structs have members, arrays are counted by what is before them", test_structs},
        {"bytes that are left over or missing are no fit", test_fit},
        {"every row decodes whatever it gets", test_all},
        {"every provider has names and fields", test_fields},
    };
    etl_layouts_start();
    return unit_run("builtin", tests, sizeof tests / sizeof tests[0]);
}
