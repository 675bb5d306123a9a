/* Values as text, and templates filled in. */
#include "etl/info.h"

#include "unit.h"

#include <stdio.h>

static char room[256];

static const char *text_of(enum etl_type type, enum etl_names_id names, struct etl_value value)
{
    struct etl_field field = {.label = "x", .type = type, .names = names};
    CU_ASSERT_EQUAL(etl_value_format(&field, &value, room, sizeof room), strlen(room));
    return room;
}

static const char *number_text(enum etl_type type, enum etl_names_id names, uint64_t number)
{
    return text_of(type, names, (struct etl_value){.number = number});
}

static const char *bytes_text(enum etl_type type, const void *bytes, size_t length)
{
    return text_of(type, ETL_NAMES_NONE,
                   (struct etl_value){.at = bytes, .bytes = bytes, .length = length});
}

static void test_numbers(void)
{
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_U64, 0, UINT64_MAX), "18446744073709551615");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_U8, 0, 0), "0");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_HEX64, 0, UINT64_MAX), "0xffffffffffffffff");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_NTSTATUS, 0, 0xC0000034), "0xc0000034");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_I64, 0, (uint64_t)INT64_MIN),
                           "-9223372036854775808");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_I8, 0, (uint64_t)-1), "-1");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_BOOL8, 0, 1), "True");
}

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_U8, ETL_NAMES_wait_reason, 15), "WrQueue");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_U8, ETL_NAMES_wait_reason, 200), "200");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_HEX32, ETL_NAMES_irp_flags, 0), "0");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_HEX32, ETL_NAMES_irp_flags, 0x80060001),
                           "NOCACHE|Priority=Normal|0x80000000");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_HEX8, ETL_NAMES_sample_profile_flags, 0x41),
                           "ExecutingDpc|Priority=8");
}

static void test_addresses(void)
{
    static const uint8_t any[16];
    static const uint8_t one[16] = {[15] = 1};
    static const uint8_t two_runs[16] = {0x20, 1, [7] = 1, [15] = 9};
    static const uint8_t short_zero[16] = {0, 1, 0, 2, 0, 0, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8};
    static const uint8_t ends[16] = {0xFE, 0x80};
    static const uint8_t ether[] = {0, 0x15, 0x5D, 1, 2, 0xFF};
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_IPV4, "\x0A\x00\x00\xFF", 4), "10.0.0.255");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_IPV6, any, 16), "::");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_IPV6, one, 16), "::1");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_IPV6, two_runs, 16), "2001:0:0:1::9");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_IPV6, short_zero, 16), "1:2:0:4:5:6:7:8");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_IPV6, ends, 16), "fe80::");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_ETHER, ether, 6), "00:15:5d:01:02:ff");
}

static void test_other_shapes(void)
{
    static const uint8_t sid[] = {1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0};
    static const uint8_t guid[16] = {0x6E, 0x00, 0xD6, 0x2E};
    static const uint8_t systemtime[] = {0xE4, 7, 2, 0, 6, 0, 29, 0, 23, 0, 59, 0, 58, 0, 7, 0};
    static const uint8_t many[17];
    float real = 1.5F;
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_SID, sid, sizeof sid), "S-1-5-32-544");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_GUID, guid, 16),
                           "2ed6006e-0000-0000-0000-000000000000");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_SYSTEMTIME, systemtime, 16),
                           "2020-02-29 23:59:58.007");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_FLOAT, &real, 4), "1.5");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_BYTES, "\x01\xFF", 2), "01ff");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_BYTES, many, 17),
                           "00000000000000000000000000000000…");
    CU_ASSERT_STRING_EQUAL(number_text(ETL_TYPE_FILETIME, 0, 116444736000000000),
                           "1970-01-01 00:00:00.0000000");
    struct etl_value unknown = {.number = 7, .unknown = true};
    CU_ASSERT_STRING_EQUAL(text_of(ETL_TYPE_CLOCKTIME, 0, unknown), "7");
    CU_ASSERT_STRING_EQUAL(bytes_text(ETL_TYPE_ANSI, "a\nb", 3), "a b");
    struct etl_value wide = {
        .bytes = (const uint8_t *)"\xE4\0\x0D\0", .length = 4, .encoding = ETL_ENCODING_UTF16};
    CU_ASSERT_STRING_EQUAL(text_of(ETL_TYPE_UTF16, 0, wide), "ä ");
}

/* "disk {DiskNumber}, … ": by a layout of the tables. */
static size_t format(uint16_t hookid, uint8_t version, const uint8_t *data, size_t size,
                     const struct etl_info_source *source, size_t room_size)
{
    etl_layouts_start();
    return etl_info_format(source, etl_layout_of_hook(hookid, version), data, size, room,
                           room_size);
}

static const struct etl_clock no_clock;
static const struct etl_info_source plain = {.clock = &no_clock, .pointer_size = 4};

static void test_optional_parts(void)
{
    uint8_t ready[8] = {9, 0, 0, 0, 1, 0, 0, 0};
    format(0x0532, 2, ready, sizeof ready, &plain, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "thread 9, Unwait");
    ready[5] = 2;
    ready[6] = 1;
    format(0x0532, 2, ready, sizeof ready, &plain, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "thread 9, Unwait, by 2, ExecutingDpc");
    format(0x0532, 2, ready, 4, &plain, sizeof room); /* ends early */
    CU_ASSERT_STRING_EQUAL(room, "thread 9, ?");
    CU_ASSERT_EQUAL(format(0x0532, 2, ready, 0, &plain, sizeof room), 0);
}

static void test_arrays(void)
{
    static const uint8_t groups[] = {5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
                                     3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0};
    format(0x0B1A, 2, groups, sizeof groups, &plain, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "5 groups, 0x1, 0x2, 0x3, 0x4, …");
}

/* A room too small cuts between characters. */
static void test_small_room(void)
{
    static const uint8_t cswitch[24] = {1, 0, 0, 0, 2};
    char expected[] = "2 → 1, Initialized, Executive";
    for (size_t size = 1; size < sizeof expected + 2; size++) {
        memset(room, 'x', sizeof room);
        size_t length = format(0x0524, 2, cswitch, sizeof cswitch, &plain, size);
        CU_ASSERT_TRUE(length < size);
        CU_ASSERT_EQUAL(room[length], '\0');
        CU_ASSERT_EQUAL(room[size], 'x');
        CU_ASSERT_EQUAL(strncmp(room, expected, length), 0);
        CU_ASSERT_NOT_EQUAL((uint8_t)expected[length] & 0xC0, 0x80);
    }
    CU_ASSERT_STRING_EQUAL(room, expected);
}

static size_t name_of(void *data, const struct etl_field *field, uint64_t number,
                      char *room_of_name, size_t size)
{
    const char *name = NULL;
    CU_ASSERT_STRING_EQUAL(data, "data");
    if (field->type == ETL_TYPE_NTSTATUS) {
        name = number == 0xC0000034 ? "STATUS_OBJECT_NAME_NOT_FOUND" : NULL;
    } else {
        name = field->key == ETL_KEY_PROCESS && number == 4 ? "System" : NULL;
    }
    size_t length = name != NULL ? strlen(name) : 0;
    length = length < size ? length : size - 1;
    memcpy(room_of_name, name != NULL ? name : "", length);
    room_of_name[length] = '\0';
    return length;
}

static void test_names_of_the_caller(void)
{
    char data[] = "data";
    const struct etl_info_source source = {
        .clock = &no_clock, .pointer_size = 4, .name = name_of, .data = data};
    static const uint8_t end[] = {1, 0, 0, 0, 2, 0, 0, 0, 0x34, 0, 0, 0xC0};
    format(0x044C, 2, end, sizeof end, &source, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "STATUS_OBJECT_NAME_NOT_FOUND, IRP 0x1, information 0x2");
    static const uint8_t terminate[] = {4, 0, 0, 0};
    format(0x030B, 2, terminate, sizeof terminate, &source, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "process System (4)");
    format(0x030B, 2, terminate, sizeof terminate, &source,
           sizeof "process Syst"); /* no half number */
    CU_ASSERT_STRING_EQUAL(room, "process Syst");
}

/* Without a template: the first six, structures apart. */
static void test_without_template(void)
{
    static const uint8_t reserve[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xFF};
    format(0x0530, 2, reserve, sizeof reserve, &plain, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "Reserve=0x1, Period=2, Budget=3, ObjectFlags=0x4, Processor=-1");
}

UNIT_SUITE("info", {"numbers by their base and sign", test_numbers},
           {"values and flags by their names, and what has none", test_names},
           {"addresses in their usual form", test_addresses},
           {"times, GUIDs, SIDs, bytes and texts", test_other_shapes},
           {"optional parts are left out when a value is missing, empty or zero",
            test_optional_parts},
           {"of an array the first elements are shown", test_arrays},
           {"a small room cuts between characters", test_small_room},
           {"the caller knows statuses and keys", test_names_of_the_caller},
           {"without a template the first six fields stand in", test_without_template})
