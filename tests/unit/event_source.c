/*
 * Manifests in pieces: which of them make a whole, whatever their order, and whose events they
 * describe.
 */
#include "etl/event_source.h"

#include "unit.h"

#define MANIFEST(field)                                                                           \
    "<instrumentationManifest><instrumentation><events><provider name='P' "                       \
    "guid='{00000001-0000-0000-0000-000000000000}'><events><event value='1' template='T'/>"       \
    "</events><templates><template tid='T'><data name='" field "' inType='win:Int8'/></template>" \
    "</templates></provider></events></instrumentation></instrumentationManifest>"

static void learn_bytes(struct etl_event_sources *sources, uint32_t process, const void *payload,
                        size_t size)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .has_provider = true,
                              .provider = {{1}},
                              .process_id = process,
                              .id = ETL_EVENT_SOURCE_ID,
                              .payload = {.at = payload, .size = size}};
    if (etl_event_source_is_chunk(&event)) {
        etl_event_sources_learn(sources, &event);
    }
}

/* Piece `number` of `total` of the text: cut into equal parts, the last has the rest. */
static void learn(struct etl_event_sources *sources, uint32_t process, const char *text,
                  uint16_t total, uint16_t number)
{
    uint8_t payload[1024] = {1, 0, 0, 0x5B};
    size_t part = strlen(text) / total;
    size_t size = number + 1 == total ? strlen(text) - part * number : part;
    etl_store_u16(payload + 4, total);
    etl_store_u16(payload + 6, number);
    memcpy(payload + 8, text + part * number, size);
    learn_bytes(sources, process, payload, size + 8);
}

/* The name of the field that event 1 has in the process; "" when nothing describes it. */
static const char *found(const struct etl_event_sources *sources, uint32_t process)
{
    static char text[32];
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .has_provider = true,
                              .provider = {{1}},
                              .process_id = process,
                              .id = 1};
    struct etl_span item;
    if (!etl_event_sources_find(sources, &event, &item)) {
        return "";
    }
    item.at += ETL_SCHEMA_HASH_SIZE;
    item.size -= ETL_SCHEMA_HASH_SIZE;
    struct etl_schema *schema = etl_schema_unpack(item);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    snprintf(text, sizeof text, "%s", schema->fields[0].row.label);
    etl_schema_free(schema);
    return text;
}

static struct etl_event_sources *new_sources(void)
{
    struct etl_event_sources *sources = etl_event_sources_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sources);
    return sources;
}

static void test_order(void)
{
    struct etl_event_sources *sources = new_sources();
    learn(sources, 7, MANIFEST("A"), 3, 2);
    learn(sources, 8, MANIFEST("B"), 3, 0);
    learn(sources, 7, MANIFEST("A"), 3, 0);
    learn(sources, 8, MANIFEST("B"), 3, 2);
    learn(sources, 7, MANIFEST("A"), 3, 1);
    learn(sources, 8, MANIFEST("B"), 3, 1);
    for (uint16_t i = 0; i < 3; i++) { /* the same again, as when a session ends */
        learn(sources, 7, MANIFEST("A"), 3, i);
    }
    etl_event_sources_settle(sources);
    char problem[120];
    struct etl_guid guid;
    CU_ASSERT_EQUAL(etl_event_sources_problem(sources, problem, sizeof problem), 0);
    CU_ASSERT_EQUAL(etl_schema_set_count(etl_event_sources_schemas(sources)), 2);
    unit_same_text(found(sources, 7), "A");
    unit_same_text(found(sources, 8), "B");
    unit_same_text(found(sources, 9), "A");
    unit_same_text(etl_event_sources_provider(sources, 0, &guid), "P");
    CU_ASSERT_EQUAL(guid.bytes[0], 1);
    etl_event_sources_free(sources);
}

/* One text from many processes is read once. */
static void test_equal(void)
{
    struct etl_event_sources *sources = new_sources();
    for (uint32_t process = 1; process <= 50; process++) {
        learn(sources, process, MANIFEST("A"), 2, 0);
        learn(sources, process, MANIFEST("A"), 2, 1);
    }
    etl_event_sources_settle(sources);
    CU_ASSERT_EQUAL(etl_schema_set_count(etl_event_sources_schemas(sources)), 1);
    unit_same_text(found(sources, 50), "A");
    etl_event_sources_free(sources);
}

static void test_missing(void)
{
    struct etl_event_sources *sources = new_sources();
    char problem[120];
    learn(sources, 7, MANIFEST("A"), 3, 0);
    learn(sources, 7, MANIFEST("A"), 3, 2);
    learn(sources, 8, "<no manifest", 1, 0);
    etl_event_sources_settle(sources);
    CU_ASSERT_EQUAL(etl_event_sources_problem(sources, problem, sizeof problem), 2);
    unit_same_text(problem, "00000001-0000-0000-0000-000000000000: 1 of 3 chunks are missing");
    unit_same_text(found(sources, 7), "");
    etl_event_sources_free(sources);
}

/* A piece that differs from the one that is there begins another manifest. */
static void test_changed(void)
{
    struct etl_event_sources *sources = new_sources();
    learn(sources, 7, MANIFEST("A"), 2, 0);
    learn(sources, 7, MANIFEST("A"), 2, 1);
    learn(sources, 7, MANIFEST("Bb"), 2, 0);
    learn(sources, 7, MANIFEST("Bb"), 2, 1);
    etl_event_sources_settle(sources);
    CU_ASSERT_EQUAL(etl_schema_set_count(etl_event_sources_schemas(sources)), 2);
    unit_same_text(found(sources, 7), "A");
    etl_event_sources_free(sources);
}

static void test_nothing(void)
{
    struct etl_event_sources *sources = new_sources();
    char problem[120];
    etl_event_sources_settle(sources);
    unit_same_text(found(sources, 7), "");
    CU_ASSERT_EQUAL(etl_event_sources_problem(sources, problem, sizeof problem), 0);
    etl_event_sources_free(sources);
    etl_event_sources_free(NULL);
}

static void learn_truncated(const uint8_t *data, size_t size)
{
    struct etl_event_sources *sources = new_sources();
    learn_bytes(sources, 7, data, size);
    etl_event_sources_settle(sources);
    unit_same_text(found(sources, 7), size < 8 + strlen(MANIFEST("A")) ? "" : "A");
    etl_event_sources_free(sources);
}

static void test_truncations(void)
{
    uint8_t payload[1024] = {1, 0, 0, 0x5B, 1, 0, 0, 0};
    memcpy(payload + 8, MANIFEST("A"), strlen(MANIFEST("A")));
    unit_every_truncation(payload, 8 + strlen(MANIFEST("A")), learn_truncated);
}

/* More pieces than any trace has: what is over a limit is not kept. */
static void test_flood(void)
{
    struct etl_event_sources *sources = new_sources();
    uint8_t payload[16] = {1, 0, 0, 0x5B, 0xFF, 0xFF};
    for (uint32_t i = 0; i < 100000; i++) {
        etl_store_u16(payload + 6, (uint16_t)(i % 1000));
        etl_store_u32(payload + 8, i);
        learn_bytes(sources, i, payload, sizeof payload);
    }
    etl_event_sources_settle(sources);
    unit_same_text(found(sources, 7), "");
    etl_event_sources_free(sources);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"pieces make a whole in any order, among those of others, and again", test_order},
        {"one manifest of many processes is read once", test_equal},
        {"a manifest that is not whole is said to be so", test_missing},
        {"a piece that differs begins another manifest", test_changed},
        {"a trace without manifests has none", test_nothing},
        {"pieces that end early cost themselves", test_truncations},
        {"more pieces than a trace has are not kept", test_flood},
    };
    etl_layouts_start();
    return unit_run("event_source", tests, sizeof tests / sizeof tests[0]);
}
