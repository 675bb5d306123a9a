/*
 * Schemas: made from TraceLogging's metadata and from packed bytes, decoded with, told in one line;
 * and those that lie.
 */
#include "etl/schema.h"

#include "core/schema/event_metadata.h"
#include "null_sink.h"
#include "text_sink.h"
#include "unit.h"

static struct text_sink text;
static const struct etl_clock clock_of_test = {.kind = ETL_CLOCK_SYSTEM_TIME};

static const struct etl_info_source source_of_test = {.clock = &clock_of_test, .pointer_size = 8};

static struct etl_span span(const void *at, size_t size)
{
    return (struct etl_span){.at = at, .size = size};
}

static const char *decoded(const struct etl_schema *schema, const uint8_t *payload, size_t size)
{
    text_sink_start(&text);
    struct etl_decoder decoder = {.sink = &text.sink, .clock = &clock_of_test, .pointer_size = 8};
    size_t covered = etl_schema_decode(&decoder, schema, payload, size);
    if (covered < size) {
        text_sink_add(&text, " +%zu", size - covered);
    }
    return text.text;
}

/* Decodes `payload` by the fields of an event "E". */
static void check(const char *expected, const uint8_t *fields, size_t fields_size,
                  const uint8_t *payload, size_t payload_size)
{
    uint8_t item[512] = {(uint8_t)(fields_size + 5), 0, 0, 'E', 0};
    CU_ASSERT_FATAL(fields_size < 250);
    memcpy(item + 5, fields, fields_size);
    struct etl_schema *schema = etl_schema_of_tracelogging(span(item, fields_size + 5));
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT_STRING_EQUAL(schema->texts[ETL_SCHEMA_EVENT], "E");
    CU_ASSERT_STRING_EQUAL(decoded(schema, payload, payload_size), expected);
    if (strcmp(text.text, expected) != 0) {
        printf("\n  shown    %s\n  expected %s\n", text.text, expected);
    }
    etl_schema_free(schema);
}

#define BYTES(...)                                          \
    (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]) \
    {                                                       \
        __VA_ARGS__                                         \
    }
#define CHECK(expected, fields, payload) check(expected, fields, payload)

static void test_numbers(void)
{
    CHECK("A=-1 B=255", BYTES('A', 0, 3, 'B', 0, 4), BYTES(0xFF, 0xFF));
    CHECK("A=-2 B=65534", BYTES('A', 0, 5, 'B', 0, 6), BYTES(0xFE, 0xFF, 0xFE, 0xFF));
    CHECK("A=0x10", BYTES('A', 0, 20), BYTES(16, 0, 0, 0));
    CHECK("P=443", BYTES('P', 0, 0x86, 7), BYTES(0x01, 0xBB));
    CHECK("H=0xbeef", BYTES('H', 0, 0x86, 4), BYTES(0xEF, 0xBE));
    CHECK("S=-1", BYTES('S', 0, 0x88, 17), BYTES(0xFF, 0xFF, 0xFF, 0xFF));
}

static void test_texts(void)
{
    CHECK("T=\"ab\"", BYTES('T', 0, 1), BYTES('a', 0, 'b', 0, 0, 0));
    CHECK("T=\"ab\"", BYTES('T', 0, 2), BYTES('a', 'b', 0));
    CHECK("T=\"ab\"", BYTES('T', 0, 22), BYTES(4, 0, 'a', 0, 'b', 0));
    CHECK("T=\"ab\"", BYTES('T', 0, 23), BYTES(2, 0, 'a', 'b'));
    CHECK("T=\"\" N=7", BYTES('T', 0, 23, 'N', 0, 4), BYTES(0, 0, 7));
    CHECK("C=\"A\"", BYTES('C', 0, 0x84, 2), BYTES('A'));
    CHECK("C=\"AB\"", BYTES('C', 0, 0xC6, 2), BYTES(2, 0, 'A', 0, 'B', 0));
    CHECK("T=\"ab\" !NO_TERMINATOR(2)", BYTES('T', 0, 2), BYTES('a', 'b'));
}

static void test_counts(void)
{
    CHECK("A=1 A=2", BYTES('A', 0, 0x24, 2, 0), BYTES(1, 2));
    CHECK("A=1 A=2 A=3", BYTES('A', 0, 0x44), BYTES(3, 0, 1, 2, 3));
    CHECK("B=5", BYTES('A', 0, 0x44, 'B', 0, 4), BYTES(0, 0, 5));
    CHECK("A=1 !TRUNCATED(0)", BYTES('A', 0, 0x44), BYTES(9, 0, 1));
    CHECK("A=[01 02]", BYTES('A', 0, 14), BYTES(2, 0, 1, 2));
    CHECK("A=[01 02]", BYTES('A', 0, 0x64, 1, 0, 9), BYTES(2, 0, 1, 2));
}

static void test_structs(void)
{
    CHECK("S{A=1 B=2} C=3", BYTES('S', 0, 0x98, 2, 'A', 0, 4, 'B', 0, 4, 'C', 0, 4),
          BYTES(1, 2, 3));
    CHECK("S{A=1} S{A=2} C=3", BYTES('S', 0, 0xD8, 1, 'A', 0, 4, 'C', 0, 4), BYTES(2, 0, 1, 2, 3));
    CHECK("S{T{A=1} B=2} C=3",
          BYTES('S', 0, 0x98, 2, 'T', 0, 0x98, 1, 'A', 0, 4, 'B', 0, 4, 'C', 0, 4), BYTES(1, 2, 3));
}

static void test_addresses(void)
{
    CHECK("A=\"10.0.0.1:53\"", BYTES('A', 0, 0x99, 10),
          BYTES(16, 0, 2, 0, 0, 53, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=\"[fe80::1]:80\"", BYTES('A', 0, 0x99, 10),
          BYTES(28, 0, 23, 0, 0, 80, 0, 0, 0, 0, 0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                1, 0, 0, 0, 0));
}

static void test_surplus(void)
{
    CHECK("A=1 +2", BYTES('A', 0, 4), BYTES(1, 2, 3));
    CHECK("A=1 !TRUNCATED(1) +1", BYTES('A', 0, 4, 'B', 0, 6), BYTES(1, 2));
    CHECK("A=1 !TRUNCATED(0)", BYTES('A', 0, 4, 'B', 0, 6), BYTES(1));
}

/* The type is none that is known: what is behind it is for the caller to show. */
static void test_unknown_type(void)
{
    static const uint8_t item[] = {12, 0, 0, 'E', 0, 'A', 0, 4, 'B', 0, 31, 0};
    struct etl_schema *schema = etl_schema_of_tracelogging(span(item, 11));
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT_TRUE(schema->incomplete);
    CU_ASSERT_EQUAL(schema->field_count, 1);
    etl_schema_free(schema);
    CU_ASSERT_PTR_NULL(etl_schema_of_tracelogging(span(item, 4)));
}

/* Provider "P", event "E": Size u32, Name of Size characters, Kind with a map, message. */
static const uint8_t packed[] = {
    2,   1, 3,    0,   3,   0,   1, 0,   1,   0,   'E', 1,   0,   'P', 0,   0,   0,
    0,   0, 0,    0,   0,   11,  0, '%', '2', ' ', 'i', 's', ' ', '%', '3', '%', '%',
    '!', 0, 0,    8,   0,   0,   4, 0,   0,   0,   0,   0,   0,   'S', 'i', 'z', 'e',
    2,   0, 0x30, 4,   0,   0,   0, 0,   0,   0,   'N', 'a', 'm', 'e', 4,   0,   0,
    4,   0, 0,    0,   0,   1,   0, 'K', 'i', 'n', 'd', 0,   0,   2,   0,   1,   0,
    0,   0, 3,    'O', 'n', 'e', 7, 0,   0,   0,   5,   'S', 'e', 'v', 'e', 'n',
};

static void test_packed(void)
{
    static const uint8_t payload[] = {3, 0, 0, 0, 'a', 'b', 'c', 7};
    char line[64];
    struct etl_schema *schema = etl_schema_unpack(span(packed, sizeof packed));
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT_STRING_EQUAL(schema->texts[ETL_SCHEMA_PROVIDER], "P");
    CU_ASSERT_STRING_EQUAL(decoded(schema, payload, sizeof payload), "Size=3 Name=\"abc\" Kind=7");
    size_t length = etl_schema_info(&source_of_test, schema, span(payload, sizeof payload), line,
                                    sizeof line);
    CU_ASSERT_STRING_EQUAL(line, "abc is Seven%!");
    CU_ASSERT_EQUAL(length, strlen(line));
    etl_schema_info(&source_of_test, schema, span(payload, sizeof payload), line, 8);
    CU_ASSERT_STRING_EQUAL(line, "abc is ");
    etl_schema_free(schema);
}

static void unpack_and_decode(const uint8_t *data, size_t size)
{
    static const uint8_t payload[] = {3, 0, 0, 0, 'a', 'b', 'c', 7};
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {.sink = &sink.sink, .clock = &clock_of_test, .pointer_size = 4};
    struct etl_schema *schema = etl_schema_unpack(span(data, size));
    CU_ASSERT_EQUAL(schema != NULL, size == sizeof packed);
    if (schema != NULL) {
        for (size_t i = 0; i <= sizeof payload; i++) {
            CU_ASSERT_TRUE(etl_schema_decode(&decoder, schema, payload, i) <= i);
        }
        null_sink_check(&sink);
        etl_schema_free(schema);
    }
}

static void test_truncations(void)
{
    unit_every_truncation(packed, sizeof packed, unpack_and_decode);
}

static bool is_refused(size_t at, uint8_t byte)
{
    uint8_t copy[sizeof packed];
    memcpy(copy, packed, sizeof packed);
    copy[at] = byte;
    struct etl_schema *schema = etl_schema_unpack(span(copy, sizeof copy));
    etl_schema_free(schema);
    return schema == NULL;
}

static void test_lies(void)
{
    CU_ASSERT_FALSE(is_refused(0, 2));
    CU_ASSERT_TRUE(is_refused(0, 1));   /* version */
    CU_ASSERT_TRUE(is_refused(1, 3));   /* source */
    CU_ASSERT_TRUE(is_refused(3, 8));   /* fields */
    CU_ASSERT_TRUE(is_refused(4, 4));   /* more at the top than there are */
    CU_ASSERT_TRUE(is_refused(7, 1));   /* maps */
    CU_ASSERT_TRUE(is_refused(37, 27)); /* in type */
    CU_ASSERT_TRUE(is_refused(38, 99)); /* out type */
    CU_ASSERT_TRUE(is_refused(39, 4));  /* mode */
    CU_ASSERT_TRUE(is_refused(57, 1));  /* a length that the field itself would say */
    CU_ASSERT_TRUE(is_refused(73, 2));  /* a map that is not there */
    CU_ASSERT_TRUE(is_refused(37, 24)); /* a struct whose members come before it */
}

static bool no_map(const void *data, const struct etl_guid *provider, struct etl_span name,
                   struct etl_span *ret_map)
{
    (void)data, (void)provider, (void)name, (void)ret_map;
    return false;
}

static void pack_and_unpack(const uint8_t *data, size_t size)
{
    static uint8_t room[ETL_SCHEMA_SIZE_MAX];
    const struct etl_map_source maps = {.find = no_map};
    size_t packed_size = etl_event_metadata_pack(span(data, size), &maps, room);
    struct etl_schema *schema = etl_schema_unpack(span(room, packed_size));
    CU_ASSERT_EQUAL(schema != NULL, packed_size > 0);
    etl_schema_free(schema);
}

static void test_event_info(void)
{
    uint8_t info[0x70 + 24 + 12] = {0};
    static uint8_t room[ETL_SCHEMA_SIZE_MAX];
    const struct etl_map_source maps = {.find = no_map};
    static const uint8_t payload[] = {0, 80};
    info[0x44] = 0x88; /* task and field have one name, with a blank behind it */
    info[0x64] = info[0x68] = 1;
    info[0x70 + 4] = 0x88;
    info[0x70 + 8] = ETL_IN_UINT16;
    info[0x70 + 10] = 22; /* a port */
    memcpy(info + 0x88, "A\0b\0 \0", 7);
    size_t size = etl_event_metadata_pack(span(info, sizeof info), &maps, room);
    CU_ASSERT_TRUE_FATAL(size > 0);
    struct etl_schema *schema = etl_schema_unpack(span(room, size));
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT_STRING_EQUAL(schema->texts[ETL_SCHEMA_TASK], "Ab");
    CU_ASSERT_STRING_EQUAL(decoded(schema, payload, sizeof payload), "Ab=80");
    etl_schema_free(schema);
    unit_every_truncation(info, sizeof info, pack_and_unpack);
}

/* Every level has two elements of nothing: 65,536 at the eighth, if they were counted. */
static void test_nesting(void)
{
    uint8_t item[5 + 40 * 4] = {sizeof item, 0, 0, 'E', 0};
    static const uint8_t payload[64] = {2};
    for (size_t i = 0; i < 40; i++) {
        memcpy(item + 5 + 4 * i, "S\0\x98\x01", 4);
    }
    struct etl_schema *schema = etl_schema_of_tracelogging(span(item, sizeof item));
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT_TRUE(schema->incomplete);
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {.sink = &sink.sink, .clock = &clock_of_test, .pointer_size = 4};
    CU_ASSERT_EQUAL(etl_schema_decode(&decoder, schema, payload, sizeof payload), 0);
    null_sink_check(&sink);
    etl_schema_free(schema);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"numbers are shown as in and out type say", test_numbers},
        {"texts end at their NUL, or where their length says", test_texts},
        {"elements are counted by the schema or by the payload", test_counts},
        {"structs have members, also other structs", test_structs},
        {"socket addresses are address and port", test_addresses},
        {"what is left over is told, and so is what is missing", test_surplus},
        {"fields of an unknown type end what can be decoded", test_unknown_type},
        {"a packed schema has references, names of values and a message", test_packed},
        {"no packed schema that ends early is read past its end", test_truncations},
        {"a packed schema that breaks a rule is refused", test_lies},
        {"a TRACE_EVENT_INFO becomes a schema", test_event_info},
        {"structs that nest without end have an end", test_nesting},
    };
    etl_layouts_start();
    return unit_run("schema", tests, sizeof tests / sizeof tests[0]);
}
