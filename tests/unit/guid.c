/* GUIDs to text and back. */
#include "etl/guid.h"

#include "unit.h"

#define TEXT "2ed6006e-4729-4609-b423-3ee7bcd678ef"

static const struct etl_guid example = {{0x6e, 0x00, 0xd6, 0x2e, 0x29, 0x47, 0x09, 0x46, 0xb4, 0x23,
                                         0x3e, 0xe7, 0xbc, 0xd6, 0x78, 0xef}};

static void test_initialiser(void)
{
    static const struct etl_guid guid = ETL_GUID(0x2ed6006e, 0x4729, 0x4609, 0xb4, 0x23, 0x3e, 0xe7,
                                                 0xbc, 0xd6, 0x78, 0xef);
    CU_ASSERT_TRUE(etl_guid_equal(&guid, &example));
}

static void test_equal(void)
{
    for (size_t i = 0; i < sizeof example.bytes; i++) {
        struct etl_guid other = example;
        other.bytes[i] ^= 0x10;
        CU_ASSERT_FALSE(etl_guid_equal(&example, &other));
    }
}

static void test_format(void)
{
    char text[ETL_GUID_TEXT_SIZE];
    etl_guid_format(&example, text);
    CU_ASSERT_STRING_EQUAL(text, TEXT);
}

static void test_parse(void)
{
    static const char *const good[] = {TEXT, "{" TEXT "}", "2ED6006E-4729-4609-B423-3EE7BCD678EF"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct etl_guid guid = {{0}};
        CU_ASSERT_TRUE(etl_guid_parse(good[i], &guid));
        CU_ASSERT_TRUE(etl_guid_equal(&guid, &example));
    }
}

static void test_refuse(void)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "{" TEXT,
                                      TEXT "}",
                                      TEXT " ",
                                      " " TEXT,
                                      TEXT "0",
                                      "{" TEXT ")",
                                      "2ed6006e47294609b4233ee7bcd678ef",
                                      "2ed6006e-4729-4609-b4233-ee7bcd678ef",
                                      "2ed6006e-4729-4609-b423-3ee7bcd678eg"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct etl_guid guid = example;
        CU_ASSERT_FALSE(etl_guid_parse(bad[i], &guid));
        CU_ASSERT_TRUE(etl_guid_equal(&guid, &example));
    }
}

/* Each prefix in a block of its own size, so that a read past the terminator is seen. */
static void test_truncations(void)
{
    for (size_t length = 0; length < strlen(TEXT); length++) {
        char *text = (char *)unit_copy(TEXT, length + 1);
        text[length] = '\0';
        struct etl_guid guid;
        CU_ASSERT_FALSE(etl_guid_parse(text, &guid));
        free(text);
    }
}

UNIT_SUITE("guid", {"numbers of a Windows header become on-disk bytes", test_initialiser},
           {"two GUIDs differ if any byte does", test_equal},
           {"the text form is in lower case", test_format},
           {"text in either case, with braces or without, is read", test_parse},
           {"any other text is refused and nothing written", test_refuse},
           {"no text that ends early is read past its end", test_truncations})
