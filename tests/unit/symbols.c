/* Text files of symbols. */
#include "etl/symbols.h"

#include "unit.h"

static const char id[] = "33221100554477668899AABBCCDDEEFF1";

static const char text[] = "MODULE windows x86_64 33221100554477668899aabbccddeeff1 app.pdb\r\n"
                           "INFO CODE_ID 5F3C2A11\n"
                           "FILE 1 c:\\app\\main.c\n"
                           "FUNC 1000 20 0 main\r\n"
                           "1000 8 12 1\n"
                           "FUNC m 1020 10 8 std::map<int, long>::find\n"
                           "PUBLIC 1000 0 _main\n"
                           "PUBLIC 2000 0 helper\n"
                           "PUBLIC m 3000 4 last\n"
                           "FUNC 4000 0 0 no_bytes\n"
                           "FUNC ffffffffffffffff 10 0 too_far\n"
                           "FUNC 00000000000000001 10 0 too_long\n"
                           "FUNC 5000 10\n"
                           "FUNC\n"
                           "PUBLIC 6000 0 \n"
                           "PUBLIC x 0 no_number\n"
                           "STACK CFI INIT 1000 20\n";

static void expect(const struct etl_symbols *symbols, uint64_t offset, const char *name,
                   uint64_t into)
{
    uint64_t got = 0;
    const char *found = etl_symbols_find(symbols, offset, &got);
    CU_ASSERT_EQUAL(found == NULL, name == NULL);
    if (found != NULL && name != NULL) {
        CU_ASSERT_STRING_EQUAL(found, name);
        CU_ASSERT_EQUAL(got, into);
    }
}

static void test_find(void)
{
    struct etl_symbols *symbols = etl_symbols_parse(text, sizeof text - 1, id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
    expect(symbols, 0, NULL, 0);
    expect(symbols, 0xFFF, NULL, 0);
    expect(symbols, 0x1000, "main", 0);
    expect(symbols, 0x101F, "main", 0x1F);
    expect(symbols, 0x1020, "std::map<int, long>::find", 0);
    expect(symbols, 0x1030, NULL, 0); /* after the function, before the next symbol */
    expect(symbols, 0x2FFF, "helper", 0xFFF);
    expect(symbols, 0x3000, "last", 0);
    expect(symbols, UINT64_MAX, "last", UINT64_MAX - 0x3000);
    etl_symbols_free(symbols);
    etl_symbols_free(NULL);
}

static void test_other_modules(void)
{
    static const char empty[] = "MODULE windows x86_64 33221100554477668899AABBCCDDEEFF1 app.pdb\n";
    CU_ASSERT_PTR_NULL(
        etl_symbols_parse(text, sizeof text - 1, "33221100554477668899AABBCCDDEEFF2"));
    CU_ASSERT_PTR_NULL(
        etl_symbols_parse(text, sizeof text - 1, "33221100554477668899AABBCCDDEEFF"));
    CU_ASSERT_PTR_NULL(etl_symbols_parse(text + 1, sizeof text - 2, id));
    CU_ASSERT_PTR_NULL(etl_symbols_parse(empty, sizeof empty - 1, id));
    CU_ASSERT_PTR_NULL(etl_symbols_parse("", 0, id));
}

static void parse(const uint8_t *data, size_t size)
{
    struct etl_symbols *symbols = etl_symbols_parse((const char *)data, size, id);
    uint64_t into;
    for (uint64_t offset = 0; symbols != NULL && offset < 0x8000; offset += 0xFF) {
        etl_symbols_find(symbols, offset, &into);
    }
    etl_symbols_free(symbols);
}

static void test_truncations(void)
{
    unit_every_truncation((const uint8_t *)text, sizeof text - 1, parse);
}

static void test_long_names(void)
{
    char room[sizeof text + 2000];
    int length = snprintf(room, sizeof room, "MODULE a b %s c\nPUBLIC 1 0 %01000d\nPUBLIC 2 0 next",
                          id, 0);
    struct etl_symbols *symbols = etl_symbols_parse(room, (size_t)length, id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
    uint64_t into;
    CU_ASSERT_EQUAL(strlen(etl_symbols_find(symbols, 1, &into)), 512);
    expect(symbols, 2, "next", 0);
    etl_symbols_free(symbols);
}

static void test_id(void)
{
    static const struct etl_guid guid = {{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
                                          0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF}};
    char shown[ETL_SYMBOLS_ID_SIZE];
    etl_symbols_id(&guid, 1, shown);
    CU_ASSERT_STRING_EQUAL(shown, id);
    etl_symbols_id(&guid, UINT32_MAX, shown);
    CU_ASSERT_STRING_EQUAL(shown, "33221100554477668899AABBCCDDEEFFFFFFFFFF");
}

UNIT_SUITE("symbols", {"a function has an end, what is only public goes on to the next", test_find},
           {"symbols of another build, or none, are no symbols", test_other_modules},
           {"a text may end anywhere", test_truncations}, {"long names are cut", test_long_names},
           {"an id is written as folders of symbols have it", test_id})
