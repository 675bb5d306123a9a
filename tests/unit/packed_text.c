/* Packed XML in events: found, expanded, made UTF-8. */
#include "etl/packed_text.h"

#include "etl/guid.h"

#include "unit.h"

#define PERF_TRACK \
    ETL_GUID(0xbf6ef1cb, 0x89b5, 0x490a, 0x80, 0xac, 0xb1, 0x80, 0xcf, 0xbc, 0xff, 0x0f)

static struct etl_event event_of(uint8_t type, const uint8_t *at, size_t size)
{
    return (struct etl_event){.kind = etl_kind(ETL_KIND_FULL64),
                              .has_provider = true,
                              .provider = PERF_TRACK,
                              .opcode = type,
                              .pointer_size = 8,
                              .payload = {.at = at, .size = size}};
}

/* UncompressedSize 8; one chunk of three letters and a match of 5, one back */
static const uint8_t packed[] = {8, 0, 0, 0, 0x05, 0xB0, 0x08, '<', 'a', 'b', 0x02, 0x00};

static void expand(const uint8_t *data, size_t size)
{
    struct etl_event event = event_of(33, data, size);
    struct etl_packed_text text;
    uint8_t room[8];
    if (!etl_packed_text_of_event(&event, &text)) {
        CU_ASSERT_TRUE(size <= 4);
        return;
    }
    CU_ASSERT_EQUAL_FATAL(text.size, sizeof room);
    size_t made = etl_packed_text_expand(&text, room);
    CU_ASSERT_EQUAL(made == sizeof room, size == sizeof packed);
    CU_ASSERT_EQUAL(memcmp(room, "<abbbbbb", made), 0);
}

static void test_expand(void)
{
    etl_layouts_start();
    unit_every_truncation(packed, sizeof packed, expand);
}

static void test_huge(void)
{
    const uint8_t huge[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x05, 0xB0};
    struct etl_event event = event_of(33, huge, sizeof huge);
    struct etl_packed_text text;
    CU_ASSERT_TRUE_FATAL(etl_packed_text_of_event(&event, &text));
    CU_ASSERT_EQUAL(text.size, ETL_PACKED_TEXT_MAX);
    CU_ASSERT_TRUE(text.cut);
}

static void test_others(void)
{
    struct etl_packed_text text;
    struct etl_event event = event_of(34, packed, sizeof packed);
    CU_ASSERT_FALSE(etl_packed_text_of_event(&event, &text));
    event.has_hook = true;
    event.hookid = 0x0524;
    CU_ASSERT_FALSE(etl_packed_text_of_event(&event, &text));
}

static void check_utf8(const void *bytes, size_t size, const char *expected)
{
    uint8_t *exact = unit_copy(bytes, size);
    char *utf8 = (char *)unit_room(ETL_PACKED_TEXT_UTF8_SIZE(size));
    size_t length = etl_packed_text_utf8(exact, size, utf8);
    CU_ASSERT_EQUAL(length, strlen(expected));
    CU_ASSERT_EQUAL(memcmp(utf8, expected, length), 0);
    free(utf8);
    free(exact);
}

static void test_utf8(void)
{
    check_utf8("<a>", 3, "<a>");
    check_utf8("\xEF\xBB\xBF<a>\0", 7, "<a>");
    check_utf8("<\0\x3A\x26>\0\0\0", 8, "<\u263A>");
    check_utf8("\xFF\xFE<\0", 4, "<");
    check_utf8("<\0\xAC\x20\xAC\x20\xAC\x20>", 9, "<\u20AC\u20AC\u20AC");
    check_utf8("", 0, "");
    check_utf8("<", 1, "<");
    check_utf8("\xEF\xBB", 2, "\xEF\xBB");
}

UNIT_SUITE("packed_text", {"what is cut short expands as far as it goes", test_expand},
           {"nobody's claim is more than the limit", test_huge},
           {"other events have none", test_others},
           {"UTF-16 and byte order marks become UTF-8", test_utf8})
