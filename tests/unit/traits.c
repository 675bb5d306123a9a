/* Provider traits: what each type is shown as, and sizes that lie. */
#include "etl/traits.h"

#include "null_sink.h"
#include "text_sink.h"
#include "unit.h"

#define GUID_BYTES \
    0x6e, 0x00, 0xd6, 0x2e, 0x29, 0x47, 0x09, 0x46, 0xb4, 0x23, 0x3e, 0xe7, 0xbc, 0xd6, 0x78, 0xef
#define GUID_TEXT "2ed6006e-4729-4609-b423-3ee7bcd678ef"

static void check(const uint8_t *data, size_t size, const char *expected)
{
    unit_same_text(text_sink_of(etl_traits_show, data, size), expected);
}

#define CHECK(expected, ...)                         \
    do {                                             \
        static const uint8_t data[] = {__VA_ARGS__}; \
        check(data, sizeof data, (expected));        \
    } while (0)

static void test_types(void)
{
    CHECK("TraitsSize=4 ProviderName=\"A\"", 4, 0, 'A', 0);
    CHECK("TraitsSize=23 ProviderName=\"A\" Trait{TraitSize=19 Type=1 Group=" GUID_TEXT "}", 23, 0,
          'A', 0, 19, 0, 1, GUID_BYTES);
    CHECK("TraitsSize=23 ProviderName=\"A\" Trait{TraitSize=19 Type=2 DecodeGuid=" GUID_TEXT "}",
          23, 0, 'A', 0, 19, 0, 2, GUID_BYTES);
    CHECK("TraitsSize=7 ProviderName=\"A\" Trait{TraitSize=3 Type=0}", 7, 0, 'A', 0, 3, 0, 0);
    CHECK("TraitsSize=8 ProviderName=\"A\" Trait{TraitSize=4 Type=3 Reserved=[09]}", 8, 0, 'A', 0,
          4, 0, 3, 9);
    CHECK("TraitsSize=12 ProviderName=\"A\" Trait{TraitSize=4 Type=127 Reserved=[08]} "
          "Trait{TraitSize=4 Type=128 Custom=[09]}",
          12, 0, 'A', 0, 4, 0, 127, 8, 4, 0, 128, 9);
    CHECK("TraitsSize=7 ProviderName=\"A\" Trait{TraitSize=3 Type=255}", 7, 0, 'A', 0, 3, 0, 255);
}

static void test_custom_guid(void)
{
    CHECK("TraitsSize=23 ProviderName=\"A\" Trait{TraitSize=19 Type=128 Custom="
          "[6e 00 d6 2e 29 47 09 46 b4 23 3e e7 bc d6 78 ef]}",
          23, 0, 'A', 0, 19, 0, 128, GUID_BYTES);
}

static void test_second_group(void)
{
    CHECK("TraitsSize=42 ProviderName=\"A\" Trait{TraitSize=19 Type=1 Group=" GUID_TEXT "} "
          "Trait{TraitSize=19 Type=1 Group=" GUID_TEXT " !SECOND_GROUP(19)}",
          42, 0, 'A', 0, 19, 0, 1, GUID_BYTES, 19, 0, 1, GUID_BYTES);
}

static void test_bad_traits(void)
{
    CHECK("TraitsSize=7 ProviderName=\"A\" Data=[00 00 01] !BAD_TRAIT(3)", 7, 0, 'A', 0, 0, 0, 1);
    CHECK("TraitsSize=7 ProviderName=\"A\" Data=[02 00 01] !BAD_TRAIT(3)", 7, 0, 'A', 0, 2, 0, 1);
    CHECK("TraitsSize=7 ProviderName=\"A\" Data=[04 00 01] !BAD_TRAIT(3)", 7, 0, 'A', 0, 4, 0, 1);
    CHECK("TraitsSize=6 ProviderName=\"A\" Data=[03 00] !BAD_TRAIT(2)", 6, 0, 'A', 0, 3, 0);
    CHECK("TraitsSize=8 ProviderName=\"A\" "
          "Trait{TraitSize=4 Type=1 Data=[07] !BAD_TRAIT(4)}",
          8, 0, 'A', 0, 4, 0, 1, 7);
}

static void test_sizes(void)
{
    CHECK("Data=[09] !TRUNCATED(1)", 9);
    check(NULL, 0, "!TRUNCATED(0)");
    CHECK("TraitsSize=2 ProviderName=\"\" !NO_TERMINATOR(0)", 2, 0);
    CHECK("TraitsSize=0 !ITEM_SIZES_DIFFER(2) ProviderName=\"\" !NO_TERMINATOR(0) Data=[41 00]", 0,
          0, 'A', 0);
    CHECK("TraitsSize=4 !ITEM_SIZES_DIFFER(2) ProviderName=\"A\" Data=[03 00 80]", 4, 0, 'A', 0, 3,
          0, 128);
    CHECK("TraitsSize=256 !TRAITS_LARGE(2) !ITEM_SIZES_DIFFER(2) ProviderName=\"A\"", 0, 1, 'A', 0);
    CHECK("TraitsSize=255 !ITEM_SIZES_DIFFER(2) ProviderName=\"A\"", 255, 0, 'A', 0);
}

static void test_open_name(void)
{
    CHECK("TraitsSize=4 ProviderName=\"AB\" !NO_TERMINATOR(2)", 4, 0, 'A', 'B');
    CHECK("TraitsSize=4 !ITEM_SIZES_DIFFER(2) ProviderName=\"AB\" !NO_TERMINATOR(2) Data=[00]", 4,
          0, 'A', 'B', 0);
}

static void test_name(void)
{
    static const uint8_t good[] = {9, 0, 'A', 'B', 0, 4, 0, 128, 9};
    static const uint8_t open[] = {4, 0, 'A', 'B', 0};
    static const uint8_t empty[] = {3, 0, 0};
    static const uint8_t small[] = {1, 0, 0};
    struct etl_span name = {0};
    CU_ASSERT_FALSE(etl_traits_name((struct etl_span){.at = open, .size = sizeof open}, &name));
    CU_ASSERT_FALSE(etl_traits_name((struct etl_span){.at = empty, .size = sizeof empty}, &name));
    CU_ASSERT_FALSE(etl_traits_name((struct etl_span){.at = small, .size = sizeof small}, &name));
    CU_ASSERT_FALSE(etl_traits_name((struct etl_span){.at = good, .size = 1}, &name));
    CU_ASSERT_FALSE(etl_traits_name((struct etl_span){0}, &name));
    CU_ASSERT_PTR_NULL(name.at);
    CU_ASSERT_TRUE(etl_traits_name((struct etl_span){.at = good, .size = sizeof good}, &name));
    CU_ASSERT_EQUAL(name.size, 2);
    CU_ASSERT_PTR_EQUAL(name.at, good + 2);
}

static void show_truncated(const uint8_t *data, size_t size)
{
    struct etl_span span = {.at = data, .size = size};
    struct etl_span name;
    struct null_sink sink = null_sink_new();
    etl_traits_show(span, &sink.sink);
    null_sink_check(&sink);
    if (etl_traits_name(span, &name)) {
        CU_ASSERT_TRUE(name.at + name.size < data + size);
    }
}

static void test_truncations(void)
{
    static const uint8_t data[] = {35, 0, 'A', 'B', 0, 19,  0, 1, GUID_BYTES, 4,
                                   0,  3, 1,   4,   0, 200, 2, 3, 0,          2};
    CU_ASSERT_EQUAL(sizeof data, 35);
    unit_every_truncation(data, sizeof data, show_truncated);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"each type of trait is shown as what it is", test_types},
        {"a custom trait of 16 bytes is not taken for a GUID", test_custom_guid},
        {"a second group is noted", test_second_group},
        {"a trait that is too short or too long is shown as bytes, with a note", test_bad_traits},
        {"TraitsSize bounds what is read, and is noted when it is wrong", test_sizes},
        {"a name without a NUL is shown, with a note", test_open_name},
        {"the name is found where there is a whole one", test_name},
        {"no traits that end early are read past their end", test_truncations},
    };
    etl_layouts_start();
    return unit_run("traits", tests, sizeof tests / sizeof tests[0]);
}
