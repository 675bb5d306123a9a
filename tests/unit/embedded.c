/*
 * The descriptions that a trace holds: which events they are of, whatever the order in which they
 * come.
 */
#include "etl/embedded.h"

#include "etl/schema.h"
#include "unit.h"

#define INFO_SIZE 0x70
#define NAME_AT   (INFO_SIZE + 24)
#define MAP_AT    (NAME_AT + 6)

static const struct etl_guid metadata = ETL_GUID(0xbbccf6c1, 0x6cd1, 0x48c4, 0x80, 0xff, 0x83, 0x94,
                                                 0x82, 0xe3, 0x76, 0x71);

/* A TRACE_EVENT_INFO of provider `p`: one u8 whose name is a letter, with names from the map M. */
struct info {
    uint8_t bytes[MAP_AT + 4];
};

static struct info make_info(uint8_t p, uint16_t id, uint8_t version, uint8_t opcode, char letter)
{
    struct info info = {{p}};
    uint8_t *property = info.bytes + INFO_SIZE;
    etl_store_u16(info.bytes + 0x20, id);
    info.bytes[0x22] = version;
    info.bytes[0x25] = opcode;
    etl_store_u32(info.bytes + 0x64, 1);
    etl_store_u32(info.bytes + 0x68, 1);
    etl_store_u32(property + 4, NAME_AT);
    etl_store_u16(property + 8, ETL_IN_UINT8);
    etl_store_u32(property + 12, MAP_AT);
    info.bytes[NAME_AT] = (uint8_t)letter;
    info.bytes[NAME_AT + 2] = ' ';
    info.bytes[MAP_AT] = 'M';
    return info;
}

/* Provider, then the EVENT_MAP_INFO M: 1 is "x". */
static const uint8_t map_of_provider_1[] = {
    1, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,   24, 0, 0, 0,   1, 0,   0, 0, 1,
    0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 1, 0, 0, 0, 'M', 0,  0, 0, 'x', 0, ' ', 0, 0, 0,
};

static void learn(struct etl_embedded *embedded, uint8_t type, const void *bytes, size_t size)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_FULL64),
                              .has_provider = true,
                              .provider = metadata,
                              .opcode = type,
                              .payload = {.at = bytes, .size = size}};
    CU_ASSERT_TRUE(etl_embedded_is_metadata(&event));
    etl_embedded_learn(embedded, &event);
}

/* The name of the field that the event is said to have, and of value 1 of it; "" when unknown. */
static const char *found(const struct etl_embedded *embedded, uint8_t p, uint16_t id,
                         uint8_t version, uint8_t opcode)
{
    static char text[32];
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .has_provider = true,
                              .provider = {{p}},
                              .id = id,
                              .version = version,
                              .opcode = opcode};
    struct etl_span item;
    if (!etl_embedded_find(embedded, &event, &item)) {
        return "";
    }
    struct etl_span packed = {.at = item.at + 8, .size = item.size - 8};
    CU_ASSERT_EQUAL(etl_load_u64(item.at), etl_schema_hash(packed));
    struct etl_schema *schema = etl_schema_unpack(packed);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    const struct etl_field *row = &schema->fields[0].row;
    const char *name = row->map != NULL ? etl_names_in(row->map, 1) : NULL;
    snprintf(text, sizeof text, "%s%s", row->label, name != NULL ? name : "");
    etl_schema_free(schema);
    return text;
}

static struct etl_embedded *learned(void)
{
    struct etl_embedded *embedded = etl_embedded_new(NULL);
    const struct info infos[] = {make_info(2, 5, 0, 0, 'c'), make_info(1, 5, 1, 2, 'b'),
                                 make_info(1, 5, 1, 1, 'a'), make_info(1, 5, 1, 1, 'z'),
                                 make_info(1, 4, 0, 0, 'd')};
    CU_ASSERT_PTR_NOT_NULL_FATAL(embedded);
    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++) {
        learn(embedded, 32, &infos[i], sizeof infos[i]);
    }
    learn(embedded, 33, map_of_provider_1, sizeof map_of_provider_1);
    etl_embedded_settle(embedded);
    return embedded;
}

static void test_events(void)
{
    struct etl_embedded *embedded = learned();
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 5, 1, 1), "ax");
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 5, 1, 2), "bx");
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 5, 1, 9), "ax");
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 4, 0, 3), "dx");
    CU_ASSERT_STRING_EQUAL(found(embedded, 2, 5, 0, 0), "c");
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 5, 0, 1), "");
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 6, 1, 1), "");
    CU_ASSERT_STRING_EQUAL(found(embedded, 3, 5, 1, 1), "");
    etl_embedded_free(embedded);
}

/* What stands where a number should be is an offset: byte of the map, and what it is. */
static void check_unnamed(size_t at, uint8_t byte)
{
    struct etl_embedded *embedded = etl_embedded_new(NULL);
    const struct info info = make_info(1, 5, 1, 1, 'a');
    uint8_t map[sizeof map_of_provider_1];
    CU_ASSERT_PTR_NOT_NULL_FATAL(embedded);
    memcpy(map, map_of_provider_1, sizeof map);
    map[at] = byte;
    learn(embedded, 32, &info, sizeof info);
    learn(embedded, 33, map, sizeof map);
    etl_embedded_settle(embedded);
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 5, 1, 1), "a");
    etl_embedded_free(embedded);
}

static void test_maps_of_texts(void)
{
    check_unnamed(16 + 4, 4);    /* a pattern */
    check_unnamed(16 + 0x0C, 1); /* values are texts */
}

static void test_nothing(void)
{
    struct etl_embedded *embedded = etl_embedded_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(embedded);
    etl_embedded_settle(embedded);
    CU_ASSERT_STRING_EQUAL(found(embedded, 1, 5, 1, 1), "");
    etl_embedded_free(embedded);
    etl_embedded_free(NULL);
}

static void learn_map(const uint8_t *data, size_t size)
{
    struct etl_embedded *embedded = etl_embedded_new(NULL);
    const struct info info = make_info(1, 5, 1, 1, 'a');
    CU_ASSERT_PTR_NOT_NULL_FATAL(embedded);
    learn(embedded, 33, data, size);
    learn(embedded, 32, &info, sizeof info);
    etl_embedded_settle(embedded);
    CU_ASSERT_EQUAL(found(embedded, 1, 5, 1, 1)[0], 'a');
    etl_embedded_free(embedded);
}

static void learn_info(const uint8_t *data, size_t size)
{
    struct etl_embedded *embedded = etl_embedded_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(embedded);
    learn(embedded, 32, data, size);
    etl_embedded_settle(embedded);
    found(embedded, 1, 5, 1, 1);
    etl_embedded_free(embedded);
}

static void test_truncations(void)
{
    const struct info info = make_info(1, 5, 1, 1, 'a');
    unit_every_truncation(map_of_provider_1, sizeof map_of_provider_1, learn_map);
    unit_every_truncation(info.bytes, sizeof info.bytes, learn_info);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"events are known by provider, id, version and, where it matters, opcode", test_events},
        {"maps whose values are texts name no numbers", test_maps_of_texts},
        {"a trace without descriptions has none", test_nothing},
        {"descriptions that end early cost themselves", test_truncations},
    };
    etl_layouts_start();
    return unit_run("embedded", tests, sizeof tests / sizeof tests[0]);
}
