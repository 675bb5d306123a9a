/* Text of traces to UTF-8. */
#include "etl/decode.h"

#include "unit.h"

static void expect_utf16(const uint8_t *utf16, size_t size, const char *expected)
{
    char room[64];
    memset(room, 'x', sizeof room);
    CU_ASSERT_EQUAL(etl_utf8_of_utf16(utf16, size, room, sizeof room), strlen(expected));
    CU_ASSERT_STRING_EQUAL(room, expected);
}

static void expect_ansi(const char *ansi, const char *expected)
{
    char room[64];
    memset(room, 'x', sizeof room);
    CU_ASSERT_EQUAL(etl_utf8_of_ansi((const uint8_t *)ansi, strlen(ansi), room, sizeof room),
                    strlen(expected));
    CU_ASSERT_STRING_EQUAL(room, expected);
}

/* A, e acute, euro sign, U+1F600 as two halves, U+FFFF */
static const uint8_t mixed[] = {0x41, 0x00, 0xE9, 0x00, 0xAC, 0x20,
                                0x3D, 0xD8, 0x00, 0xDE, 0xFF, 0xFF};

static void test_utf16(void)
{
    const uint8_t last[] = {0xFF, 0xDB, 0xFF, 0xDF}; /* U+10FFFF */
    expect_utf16(mixed, sizeof mixed, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBF");
    expect_utf16(last, sizeof last, "\xF4\x8F\xBF\xBF");
    expect_utf16(NULL, 0, "");
}

static void test_surrogates(void)
{
    const uint8_t high_last[] = {0x41, 0x00, 0x3D, 0xD8};
    const uint8_t high_high[] = {0x3D, 0xD8, 0x3D, 0xD8, 0x41, 0x00};
    const uint8_t low_first[] = {0x00, 0xDE, 0x41, 0x00};
    expect_utf16(high_last, sizeof high_last, "A\xEF\xBF\xBD");
    expect_utf16(high_high, sizeof high_high, "\xEF\xBF\xBD\xEF\xBF\xBD\x41");
    expect_utf16(low_first, sizeof low_first, "\xEF\xBF\xBD\x41");
}

static void convert_utf16(const uint8_t *data, size_t size)
{
    char room[64];
    size_t length = etl_utf8_of_utf16(data, size, room, sizeof room);
    CU_ASSERT_EQUAL(length, strlen(room));
}

static void convert_ansi(const uint8_t *data, size_t size)
{
    char room[64];
    size_t length = etl_utf8_of_ansi(data, size, room, sizeof room);
    CU_ASSERT_EQUAL(length, strlen(room));
}

/* euro, U+10FFFF, and a continuation byte without a beginning */
static const char tricky[] = "\xE2\x82\xAC\xF4\x8F\xBF\xBF\xBF";

static void test_truncations(void)
{
    unit_every_truncation(mixed, sizeof mixed, convert_utf16);
    unit_every_truncation((const uint8_t *)tricky, sizeof tricky - 1, convert_ansi);
}

/* Every size of room, each in a block of its own. */
static void test_rooms(void)
{
    for (size_t size = 1; size < 24; size++) {
        char *room = malloc(size);
        CU_ASSERT_PTR_NOT_NULL_FATAL(room);
        size_t length = etl_utf8_of_utf16(mixed, sizeof mixed, room, size);
        CU_ASSERT_TRUE(length < size && room[length] == '\0');
        /* No character is cut: 1, 2, 3, 4 and 3 bytes. */
        CU_ASSERT_TRUE(length == 0 || length == 1 || length == 3 || length == 6 || length == 10 ||
                       length == 13);
        length = etl_utf8_of_ansi((const uint8_t *)tricky, sizeof tricky - 1, room, size);
        CU_ASSERT_TRUE(length == 0 || length == 3 || length == 7 || length == 9);
        CU_ASSERT_TRUE(room[length] == '\0');
        free(room);
    }
}

static void test_ansi(void)
{
    expect_ansi("notepad.exe", "notepad.exe");
    expect_ansi("caf\xC3\xA9", "caf\xC3\xA9");           /* UTF-8 stays */
    expect_ansi("caf\xE9", "caf\xC3\xA9");               /* Windows-1252 */
    expect_ansi("\x80\x9F", "\xE2\x82\xAC\xC5\xB8");     /* euro, Y diaeresis */
    expect_ansi("\x81\x8D", "\xEF\xBF\xBD\xEF\xBF\xBD"); /* undefined in Windows-1252 */
    expect_ansi("\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"); /* 4 bytes */
}

static void test_malformed(void)
{
    expect_ansi("\xC0\xAF", "\xC3\x80\xC2\xAF");                             /* overlong in 2 */
    expect_ansi("\xE0\x9F\xBF", "\xC3\xA0\xC5\xB8\xC2\xBF");                 /* overlong in 3 */
    expect_ansi("\xED\xA0\x80", "\xC3\xAD\xC2\xA0\xE2\x82\xAC");             /* surrogate */
    expect_ansi("\xF0\x8F\xBF\xBF", "\xC3\xB0\xEF\xBF\xBD\xC2\xBF\xC2\xBF"); /* overlong in 4 */
    expect_ansi("\xF4\x90\xBF\xBF", "\xC3\xB4\xEF\xBF\xBD\xC2\xBF\xC2\xBF"); /* over U+10FFFF */
    expect_ansi("\xF5\xBF\xBF\xBF", "\xC3\xB5\xC2\xBF\xC2\xBF\xC2\xBF");     /* likewise */
    expect_ansi("\xE2\x82", "\xC3\xA2\xE2\x80\x9A");                         /* ends inside */
}

UNIT_SUITE("utf", {"UTF-16 becomes UTF-8 of 1 to 4 bytes", test_utf16},
           {"a surrogate without its partner becomes U+FFFD", test_surrogates},
           {"every truncation is converted as far as it goes", test_truncations},
           {"no room is overrun, every text is terminated, no character is cut", test_rooms},
           {"well-formed UTF-8 stays, other bytes are Windows-1252", test_ansi},
           {"malformed UTF-8 is taken for Windows-1252", test_malformed})
