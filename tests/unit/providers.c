/* Names of providers: the table and how it is searched. */
#include "etl/providers.h"
#include "etl/hooks.h"

#include "unit.h"

static const char *name_of(const char *text)
{
    struct etl_guid guid;
    CU_ASSERT_TRUE_FATAL(etl_guid_parse(text, &guid));
    return etl_provider_name(&guid);
}

/* Also when there is no name: CUnit's own comparison would crash. */
static void check_name(const char *text, const char *expected)
{
    const char *name = name_of(text);
    CU_ASSERT_PTR_NOT_NULL(name);
    if (name != NULL) {
        CU_ASSERT_STRING_EQUAL(name, expected);
    }
}

static void test_count(void)
{
    CU_ASSERT_TRUE(etl_provider_count() > 3500);
}

static void test_sorted(void)
{
    char before[ETL_GUID_TEXT_SIZE] = "";
    for (size_t i = 0; i < etl_provider_count(); i++) {
        char text[ETL_GUID_TEXT_SIZE];
        struct etl_guid guid;
        etl_provider_at(i, &guid);
        etl_guid_format(&guid, text);
        CU_ASSERT_TRUE(strcmp(before, text) < 0);
        memcpy(before, text, sizeof before);
    }
}

static void test_every_row(void)
{
    for (size_t i = 0; i < etl_provider_count(); i++) {
        struct etl_guid guid;
        const char *name = etl_provider_at(i, &guid);
        CU_ASSERT_PTR_EQUAL(etl_provider_name(&guid), name);
        guid.bytes[15] ^= 0xFF;
        CU_ASSERT_PTR_NOT_EQUAL(etl_provider_name(&guid), name);
    }
}

static bool is_clean(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || name[0] == ' ' || strchr("*# ", name[length - 1]) != NULL) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] < ' ' || name[i] > '~' || strchr("\"'|*#", name[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static void test_clean(void)
{
    for (size_t i = 0; i < etl_provider_count(); i++) {
        struct etl_guid guid;
        CU_ASSERT_TRUE(is_clean(etl_provider_at(i, &guid)));
    }
}

static void test_examples(void)
{
    check_name("2ed6006e-4729-4609-b423-3ee7bcd678ef", "Microsoft-Windows-NDIS-PacketCapture");
    check_name("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac", "Microsoft-Windows-PktMon");
    check_name("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716", "Microsoft-Windows-Kernel-Process");
    check_name("1c95126e-7eea-49a9-a3fe-a378b03ddb4d", "Microsoft-Windows-DNS-Client");
    check_name("9e814aad-3204-11d2-9a82-006008a86939", "Windows Kernel Trace");
}

static void test_metadata_classes(void)
{
    check_name("bbccf6c1-6cd1-48c4-80ff-839482e37671", "KernelTraceControl / EventMetadata");
    check_name("b3e675d7-2554-4f18-830b-2762732560de", "KernelTraceControl / ImageID");
    check_name("9b79ee91-b5fd-41c0-a243-4248e266e9d0", "KernelTraceControl / SystemConfigEx");
    check_name("ed54dff8-c409-4cf6-bf83-05e1e61a09c4", "KernelTraceControl / WinSAT");
    check_name("bf6ef1cb-89b5-490a-80ac-b180cfbcff0f", "KernelTraceControl / PerfTrack");
    check_name("6a399ae0-4bc6-4de9-870b-3657f8947e7e", "Windows Kernel Trace / RT_LostEvent");
}

static void test_kernel_classes(void)
{
    for (uint8_t i = 0; i < ETL_GROUP_COUNT; i++) {
        CU_ASSERT_PTR_NOT_NULL(etl_provider_name(&etl_group_find(i)->guid));
    }
}

static void test_unknown(void)
{
    CU_ASSERT_PTR_NULL(name_of("00000000-0000-0000-0000-000000000000"));
    CU_ASSERT_PTR_NULL(name_of("ffffffff-ffff-ffff-ffff-ffffffffffff"));
    CU_ASSERT_PTR_NULL(name_of("2ed6006e-4729-4609-b423-3ee7bcd678ee"));
}

static void test_short_names(void)
{
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name("Microsoft-Windows-DNS-Client"), "DNS-Client");
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name("Microsoft-Quic"), "Quic");
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name("Microsoft.Windows.USB.Hub"), "USB.Hub");
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name("PerfView"), "PerfView");
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name("Microsoft-Windows-"), "Windows-");
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name("Microsoft-"), "Microsoft-");
    CU_ASSERT_STRING_EQUAL(etl_provider_short_name(""), "");
}

UNIT_SUITE("providers", {"there are some thousand names", test_count},
           {"GUIDs are unique and in the order of their texts", test_sorted},
           {"every row is found under its GUID, and under no other", test_every_row},
           {"names are printable and without remains of their sources", test_clean},
           {"well-known providers have their names", test_examples},
           {"the classes that merging writes have names", test_metadata_classes},
           {"the class of every kernel group has a name", test_kernel_classes},
           {"an unknown GUID gives NULL", test_unknown},
           {"short names lose Microsoft's prefixes, but never everything", test_short_names})
