/* Lists of counters and their values. */
#include "etl/counters.h"

#include "etl/decode.h"

#include "unit.h"

#define PERFORMANCE_LOG \
    ETL_GUID(0x933f3bb3, 0x943e, 0x490d, 0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79)

static struct etl_event event_of(uint8_t type, const uint8_t *at, size_t size)
{
    return (struct etl_event){.kind = etl_kind(ETL_KIND_FULL64),
                              .has_provider = true,
                              .provider = PERFORMANCE_LOG,
                              .opcode = type,
                              .pointer_size = 8,
                              .payload = {.at = at, .size = size}};
}

static size_t put_text(uint8_t *at, const char *text)
{
    size_t length = strlen(text) + 1;
    for (size_t i = 0; i < length; i++) {
        etl_store_u16(at + 2 * i, (uint8_t)text[i]);
    }
    return 2 * length;
}

/* A counter of machine "M"; returns its size. */
static size_t put_counter(uint8_t *at, uint32_t type, const char *object, const char *parent,
                          const char *instance, uint32_t index, const char *name)
{
    static const size_t places[] = {0x20, 0x24, 0x28, 0x30};
    const char *const texts[] = {object, instance, parent, name};
    size_t size = 0x34 + put_text(at + 0x34, "M");
    etl_store_u32(at + 0x0C, type);
    etl_store_u32(at + 0x2C, index);
    for (size_t i = 0; i < 4; i++) {
        etl_store_u32(at + places[i], texts[i] != NULL ? (uint32_t)(size - 0x34) : UINT32_MAX);
        size += texts[i] != NULL ? put_text(at + size, texts[i]) : 0;
    }
    size = (size + 7) / 8 * 8;
    etl_store_u32(at, (uint32_t)size);
    return size;
}

static uint8_t list[1024];
static size_t list_size;
static uint8_t values[1024];
static size_t values_size;

static void make_list(void)
{
    memset(list, 0, sizeof list);
    list_size = 0x20;
    list_size += put_counter(list + list_size, 0x10000, "Memory", NULL, NULL, UINT32_MAX, "Pages");
    list_size += put_counter(list + list_size, 7, "Thread", "shop", "0", 2, "Switches");
    list_size += put_counter(list + list_size, 9, "Disk", NULL, "*", UINT32_MAX, "Bytes");
}

static size_t put_one(uint8_t *at, uint64_t first)
{
    etl_store_u32(at, 0x01034C42);
    etl_store_u32(at + 4, 48);
    etl_store_u64(at + 0x18, first);
    return 48;
}

/* Two items, and eight bytes of nothing. */
static size_t put_many(uint8_t *at)
{
    const size_t names = 0x20 + 2 * 0x18;
    size_t first = put_text(at + names, "C:");
    size_t size = names + first + put_text(at + names + first, "D:");
    size = (size + 7) / 8 * 8;
    etl_store_u32(at, 0x02034C42);
    etl_store_u32(at + 4, (uint32_t)size);
    etl_store_u32(at + 0x0C, 2);
    etl_store_u32(at + 0x20, (uint32_t)(names - 8));
    etl_store_u64(at + 0x28, 30);
    etl_store_u32(at + 0x38, (uint32_t)(names - 8 + first));
    etl_store_u64(at + 0x40, (uint64_t)-40);
    return size + 8;
}

static void make_values(void)
{
    memset(values, 0, sizeof values);
    values_size = 0x20;
    values_size += put_one(values + values_size, 10);
    values_size += put_one(values + values_size, 20);
    values_size += put_many(values + values_size);
}

static uint8_t packed[ETL_COUNTERS_SIZE_MAX];

static struct etl_span pack(const uint8_t *data, size_t size)
{
    struct etl_event event = event_of(32, data, size);
    struct etl_guid log;
    bool is = etl_counters_is_list(&event, &log);
    CU_ASSERT_EQUAL(is, size > 0x20);
    return (struct etl_span){packed, is ? etl_counters_pack(&event, packed) : 0};
}

static void test_values(void)
{
    static const struct {
        const char *path;
        int64_t first;
    } expected[] = {{"\\Memory\\Pages", 10},
                    {"\\Thread(shop/0#2)\\Switches", 20},
                    {"\\Disk(C:)\\Bytes", 30},
                    {"\\Disk(D:)\\Bytes", -40}};
    make_list();
    make_values();
    struct etl_event event = event_of(34, values, values_size);
    struct etl_counter_walk walk;
    struct etl_counter counter;
    CU_ASSERT_TRUE_FATAL(etl_counters_start(&walk, &event, pack(list, list_size)));
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char path[ETL_COUNTER_PATH_SIZE];
        CU_ASSERT_TRUE_FATAL(etl_counters_next(&walk, &counter));
        CU_ASSERT_EQUAL(etl_counter_path(&counter, path), strlen(expected[i].path));
        CU_ASSERT_STRING_EQUAL(path, expected[i].path);
        CU_ASSERT_EQUAL(counter.first, expected[i].first);
    }
    CU_ASSERT_EQUAL(counter.type, 9);
    CU_ASSERT_FALSE(etl_counters_next(&walk, &counter));
}

static void test_other_list(void)
{
    make_list();
    make_values();
    struct etl_span two = pack(list, list_size - 80);
    struct etl_event event = event_of(34, values, values_size);
    struct etl_counter_walk walk;
    CU_ASSERT_EQUAL(packed[0], 2);
    CU_ASSERT_FALSE(etl_counters_start(&walk, &event, two));
}

static void walk_values(struct etl_span packed_list, const uint8_t *data, size_t size)
{
    struct etl_event event = event_of(34, data, size);
    struct etl_counter_walk walk;
    struct etl_counter counter;
    struct etl_guid log;
    if (!etl_counters_is_values(&event, &log) || !etl_counters_start(&walk, &event, packed_list)) {
        return;
    }
    while (etl_counters_next(&walk, &counter)) {
        char path[ETL_COUNTER_PATH_SIZE];
        CU_ASSERT_TRUE(etl_counter_path(&counter, path) < sizeof path);
    }
}

static void cut_list(const uint8_t *data, size_t size)
{
    walk_values(pack(data, size), values, values_size);
}

static void cut_values(const uint8_t *data, size_t size)
{
    walk_values(pack(list, list_size), data, size);
}

static void cut_packed(const uint8_t *data, size_t size)
{
    walk_values((struct etl_span){data, size}, values, values_size);
}

static void test_truncations(void)
{
    make_list();
    make_values();
    uint8_t whole[ETL_COUNTERS_SIZE_MAX];
    struct etl_span made = pack(list, list_size);
    memcpy(whole, made.at, made.size);
    unit_every_truncation(list, list_size, cut_list);
    unit_every_truncation(values, values_size, cut_values);
    unit_every_truncation(whole, made.size, cut_packed);
}

/* Over 64 KiB of counters: the first ones are kept, and all are counted. */
static void test_limit(void)
{
    static uint8_t many[0x20 + 400 * 200];
    char name[60];
    size_t size = 0x20;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (unsigned i = 0; i < 400; i++) {
        size += put_counter(many + size, i, "O", NULL, NULL, UINT32_MAX, name);
    }
    struct etl_span made = pack(many, size);
    CU_ASSERT_TRUE(made.size <= ETL_COUNTERS_SIZE_MAX && made.size > ETL_COUNTERS_SIZE_MAX - 80);
    CU_ASSERT_EQUAL(etl_load_u16(made.at), 400);
}

UNIT_SUITE("counters", {"each value has its counter's path", test_values},
           {"a list of another number of counters is not believed", test_other_list},
           {"no truncation is read past its end", test_truncations},
           {"a long list is kept as far as it fits", test_limit})
