/* Names that a trace gives to providers: the table, the hash, and the records that carry them. */
#include "core/names/provider_names.h"

#include "core/text/sha1.h"
#include "etl/decode.h"
#include "etl/providers.h"

#include "unit.h"

static struct etl_span span_of(const char *text)
{
    return (struct etl_span){.at = (const uint8_t *)text, .size = strlen(text)};
}

static void check_digest(const char *message, size_t times, const char *expected)
{
    struct etl_sha1 sha1;
    uint8_t digest[20];
    char hex[41];
    etl_sha1_start(&sha1);
    for (size_t i = 0; i < times; i++) {
        etl_sha1_add(&sha1, message, strlen(message));
    }
    etl_sha1_end(&sha1, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    CU_ASSERT_STRING_EQUAL(hex, expected);
}

/* FIPS 180's examples, and lengths around the block's end. */
static void test_sha1(void)
{
    check_digest("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    check_digest("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    check_digest("a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a");
    check_digest("a", 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699");
    check_digest("a", 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d");
    check_digest("a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

static void check_hash(const char *name, const char *expected)
{
    struct etl_guid guid;
    char text[ETL_GUID_TEXT_SIZE];
    CU_ASSERT_TRUE_FATAL(etl_provider_name_hash(span_of(name), &guid));
    etl_guid_format(&guid, text);
    CU_ASSERT_STRING_EQUAL(text, expected);
}

/* From Microsoft's samples of TraceLogging. */
static void test_hash(void)
{
    check_hash("SimpleTraceLoggingProvider", "0205c616-cf97-5c11-9756-56a2cee02ca7");
    check_hash("MyProvider", "b3864c38-4273-58c5-545b-8b3608343471");
}

static void test_hash_ignores_case(void)
{
    struct etl_guid lower, upper;
    CU_ASSERT_TRUE(etl_provider_name_hash(span_of("contoso.orders-9_z"), &lower));
    CU_ASSERT_TRUE(etl_provider_name_hash(span_of("CONTOSO.Orders-9_Z"), &upper));
    CU_ASSERT_TRUE(etl_guid_equal(&lower, &upper));
}

static void test_hash_ascii(void)
{
    struct etl_guid guid = {{1}};
    CU_ASSERT_FALSE(etl_provider_name_hash(span_of("Größe"), &guid));
    CU_ASSERT_EQUAL(guid.bytes[0], 1);
}

/* Names of the built-in table that are hashes of their GUIDs: no chance makes one. */
static void test_hash_table(void)
{
    size_t confirmed = 0;
    for (size_t i = 0; i < etl_provider_count(); i++) {
        struct etl_guid guid, hash;
        const char *name = etl_provider_at(i, &guid);
        confirmed += etl_provider_name_hash(span_of(name), &hash) && etl_guid_equal(&guid, &hash);
    }
    CU_ASSERT_TRUE(confirmed >= 296);
}

static struct etl_guid guid_of(uint32_t number)
{
    struct etl_guid guid = {{0}};
    etl_store_u32(guid.bytes, number * UINT32_C(2654435761));
    etl_store_u32(guid.bytes + 8, number);
    return guid;
}

static bool is_named(const struct etl_provider_names *names, const struct etl_guid *guid,
                     const char *expected)
{
    struct etl_span name;
    return etl_provider_names_find(names, guid, &name) && name.size == strlen(expected) &&
           memcmp(name.at, expected, name.size) == 0;
}

static void test_first_name(void)
{
    struct etl_provider_names names = {0};
    struct etl_guid guid = guid_of(1);
    struct etl_span name;
    CU_ASSERT_FALSE(etl_provider_names_find(&names, &guid, &name));
    etl_provider_names_add(&names, &guid, span_of(""));
    CU_ASSERT_FALSE(etl_provider_names_find(&names, &guid, &name));
    etl_provider_names_add(&names, &guid, span_of("First"));
    etl_provider_names_add(&names, &guid, span_of("Second"));
    CU_ASSERT_TRUE(is_named(&names, &guid, "First"));
    struct etl_guid other = guid_of(2);
    CU_ASSERT_FALSE(etl_provider_names_find(&names, &other, &name));
    etl_provider_names_free(&names);
}

static void test_confirmed_name(void)
{
    struct etl_provider_names names = {0};
    struct etl_guid guid;
    CU_ASSERT_TRUE(etl_provider_name_hash(span_of("Contoso.Orders"), &guid));
    etl_provider_names_add(&names, &guid, span_of("Mistake"));
    CU_ASSERT_TRUE(is_named(&names, &guid, "Mistake"));
    etl_provider_names_add(&names, &guid, span_of("Contoso.Orders"));
    CU_ASSERT_TRUE(is_named(&names, &guid, "Contoso.Orders"));
    etl_provider_names_add(&names, &guid, span_of("CONTOSO.ORDERS"));
    CU_ASSERT_TRUE(is_named(&names, &guid, "Contoso.Orders"));
    etl_provider_names_free(&names);
}

/* A GUID that was given many wrong names is not asked for its hash again. */
static void test_tries(void)
{
    struct etl_provider_names names = {0};
    struct etl_guid guid;
    CU_ASSERT_TRUE(etl_provider_name_hash(span_of("Contoso.Orders"), &guid));
    for (char wrong[] = "A"; wrong[0] <= 'Z'; wrong[0]++) {
        etl_provider_names_add(&names, &guid, span_of(wrong));
    }
    etl_provider_names_add(&names, &guid, span_of("Contoso.Orders"));
    CU_ASSERT_TRUE(is_named(&names, &guid, "A"));
    etl_provider_names_free(&names);
}

static void test_long_name(void)
{
    static char text[ETL_PROVIDER_NAME_MAX + 2];
    struct etl_provider_names names = {0};
    struct etl_guid guid = guid_of(1);
    struct etl_span name;
    memset(text, 'n', ETL_PROVIDER_NAME_MAX + 1);
    etl_provider_names_add(&names, &guid, span_of(text));
    CU_ASSERT_FALSE(etl_provider_names_find(&names, &guid, &name));
    text[ETL_PROVIDER_NAME_MAX] = '\0';
    etl_provider_names_add(&names, &guid, span_of(text));
    CU_ASSERT_TRUE(is_named(&names, &guid, text));
    etl_provider_names_free(&names);
}

/* More than the table takes: the first ones stay, memory has a bound. */
static void test_many(void)
{
    struct etl_budget maps = {.limit = 300000};
    struct etl_provider_names names = {.maps = &maps};
    char text[32];
    size_t known = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        struct etl_guid guid = guid_of(i);
        snprintf(text, sizeof text, "Provider %u", (unsigned)i);
        etl_provider_names_add(&names, &guid, span_of(text));
    }
    for (uint32_t i = 0; i < 20000; i++) {
        struct etl_guid guid = guid_of(i);
        snprintf(text, sizeof text, "Provider %u", (unsigned)i);
        known += is_named(&names, &guid, text);
    }
    CU_ASSERT_EQUAL(known, names.used);
    CU_ASSERT_TRUE(known >= 4096 && known < 20000 && maps.met);
    struct etl_guid first = guid_of(0);
    CU_ASSERT_TRUE(is_named(&names, &first, "Provider 0"));
    etl_provider_names_free(&names);
}

/* Each name as long as it may be: the texts' bound comes first. */
static void test_much_text(void)
{
    static char text[ETL_PROVIDER_NAME_MAX + 1];
    struct etl_budget strings = {.limit = 1 << 20};
    struct etl_provider_names names = {.strings = &strings};
    memset(text, 'n', ETL_PROVIDER_NAME_MAX);
    for (uint32_t i = 0; i < 8000; i++) {
        struct etl_guid guid = guid_of(i);
        etl_provider_names_add(&names, &guid, span_of(text));
    }
    CU_ASSERT_TRUE(names.text_size <= 1U << 20);
    CU_ASSERT_TRUE(names.used > 1000 && names.used < 8000 && strings.met);
    etl_provider_names_free(&names);
}

static void check_utf16(const char *utf8, size_t room_size, const char *expected, size_t size)
{
    uint8_t room[64];
    memset(room, 0xEE, sizeof room);
    size_t length = etl_utf16_of_utf8((const uint8_t *)utf8, strlen(utf8), room, room_size);
    CU_ASSERT_EQUAL(length + 2, size);
    CU_ASSERT_EQUAL(memcmp(room, expected, size), 0);
    CU_ASSERT_EQUAL(room[room_size], 0xEE);
}

static void test_utf16(void)
{
    check_utf16("", 2, "\0\0", 2);
    check_utf16("Az", 60, "A\0z\0\0\0", 6);
    check_utf16("\xC3\xBC\xE2\x82\xAC", 60, "\xFC\x00\xAC\x20\0\0", 6);
    check_utf16("\xF0\x9F\x98\x80", 60, "\x3D\xD8\x00\xDE\0\0", 6);
    check_utf16("\xFF\xC3", 60, "\xFD\xFF\xFD\xFF\0\0", 6);
    check_utf16("ABC", 6, "A\0B\0\0\0", 6);
    check_utf16("A\xF0\x9F\x98\x80", 6, "A\0\0\0", 4);
}

UNIT_SUITE("provider_names", {"SHA-1 is FIPS 180's", test_sha1},
           {"a name's GUID is the published one", test_hash},
           {"case does not change a name's GUID", test_hash_ignores_case},
           {"names that are not ASCII have no hash here", test_hash_ascii},
           {"hundreds of names of the built-in table are confirmed by their GUIDs",
            test_hash_table},
           {"the first name of a GUID stays", test_first_name},
           {"the name that the GUID is made from wins", test_confirmed_name},
           {"wrong names cost a few hashes, not one each", test_tries},
           {"a name that is too long is no name", test_long_name},
           {"the table has an end", test_many}, {"the texts have an end", test_much_text},
           {"UTF-8 becomes UTF-16 as far as there is room", test_utf16})
