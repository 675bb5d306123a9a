/* From raw time stamps to FILETIME and Unix time, exact to 100 ns. */
#include "etl/clock.h"

#include "unit.h"

#define BASE INT64_C(134168076000000000) /* 2026-03-01 03:00:00 UTC */

static int64_t filetime_of(uint64_t frequency, int64_t base_raw, int64_t raw)
{
    struct etl_clock clock = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER,
                              .frequency = frequency,
                              .base_raw = base_raw,
                              .base_filetime = BASE};
    int64_t filetime = -1;
    CU_ASSERT_TRUE(etl_clock_filetime(&clock, raw, &filetime));
    return filetime;
}

static void test_exact(void)
{
    CU_ASSERT_EQUAL(filetime_of(10000000, 100, 100), BASE);
    CU_ASSERT_EQUAL(filetime_of(10000000, 100, 101), BASE + 1);
    /* 2,337,949 Hz: a counter of Windows 7. 77 seconds and 1 tick of 427.7 ns. */
    CU_ASSERT_EQUAL(filetime_of(2337949, 1000, 1000 + 77 * INT64_C(2337949) + 1),
                    BASE + 770000000 + 4);
    /* 3 GHz for a year: seconds times 10^7 is exact, the product of ticks and 10^7 would not fit.
     */
    CU_ASSERT_EQUAL(filetime_of(3000000000, 0, INT64_C(3000000000) * 31536000 + 299),
                    BASE + INT64_C(315360000000000));
    CU_ASSERT_EQUAL(filetime_of(3000000000, 0, INT64_C(3000000000) * 31536000 + 300),
                    BASE + INT64_C(315360000000001));
}

static void test_negative(void)
{
    CU_ASSERT_EQUAL(filetime_of(10000000, 100, 99), BASE - 1);
    /* Rounded towards the base, on both sides of it. */
    CU_ASSERT_EQUAL(filetime_of(3000000000, 0, 299), BASE);
    CU_ASSERT_EQUAL(filetime_of(3000000000, 0, -299), BASE);
    CU_ASSERT_EQUAL(filetime_of(3000000000, 0, -301), BASE - 1);
    CU_ASSERT_EQUAL(filetime_of(1, 0, -13416807600), 0);
}

static void test_kinds(void)
{
    struct etl_clock clock = {.kind = ETL_CLOCK_SYSTEM_TIME};
    int64_t filetime = 0;
    CU_ASSERT_TRUE(etl_clock_filetime(&clock, INT64_MIN, &filetime));
    CU_ASSERT_EQUAL(filetime, INT64_MIN);
    clock.kind = ETL_CLOCK_CYCLES;
    clock.frequency = 2808000000;
    CU_ASSERT_TRUE(etl_clock_filetime(&clock, 2808, &filetime));
    CU_ASSERT_EQUAL(filetime, 10);
    clock.kind = ETL_CLOCK_UNKNOWN;
    CU_ASSERT_FALSE(etl_clock_filetime(&clock, 2808, &filetime));
    CU_ASSERT_EQUAL(filetime, 10);
}

static void expect_none(uint64_t frequency, int64_t base_raw, int64_t base_filetime, int64_t raw)
{
    struct etl_clock clock = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER,
                              .frequency = frequency,
                              .base_raw = base_raw,
                              .base_filetime = base_filetime};
    int64_t filetime = 77;
    CU_ASSERT_FALSE(etl_clock_filetime(&clock, raw, &filetime));
    CU_ASSERT_EQUAL(filetime, 77);
}

static void test_overflow(void)
{
    expect_none(0, 0, BASE, 1);
    expect_none(UINT64_MAX, 0, BASE, 1);
    expect_none((UINT64_C(1) << 39) + 1, 0, BASE, 1);
    expect_none(10000000, INT64_MIN, BASE, 1); /* the difference */
    expect_none(10000000, 1, BASE, INT64_MIN); /* the difference, the other way */
    expect_none(1, 0, BASE, INT64_MAX);        /* seconds times 10^7 */
    expect_none(10000000, 0, INT64_MAX, 1);    /* the sum */
    expect_none(10000000, 0, INT64_MIN, -1);   /* the sum, the other way */
    CU_ASSERT_EQUAL(filetime_of(UINT64_C(1) << 39, 0, (INT64_C(1) << 39) - 1), BASE + 9999999);
    CU_ASSERT_EQUAL(filetime_of(UINT64_C(1) << 39, 0, INT64_MIN), BASE - INT64_C(167772160000000));
}

static void expect_unix(int64_t filetime, int64_t seconds, uint32_t nanoseconds)
{
    int64_t ret_seconds;
    uint32_t ret_nanoseconds;
    etl_filetime_to_unix(filetime, &ret_seconds, &ret_nanoseconds);
    CU_ASSERT_EQUAL(ret_seconds, seconds);
    CU_ASSERT_EQUAL(ret_nanoseconds, nanoseconds);
}

static void test_unix(void)
{
    expect_unix(ETL_FILETIME_OF_UNIX_EPOCH, 0, 0);
    expect_unix(ETL_FILETIME_OF_UNIX_EPOCH + 1, 0, 100);
    expect_unix(ETL_FILETIME_OF_UNIX_EPOCH - 1, -1, 999999900);
    expect_unix(0, -11644473600, 0);
    expect_unix(-1, -11644473601, 999999900);
    expect_unix(INT64_MAX, 910692730085, 477580700);
    expect_unix(INT64_MIN, -933981677286, 522419200);
}

static void expect_text(int64_t filetime, const char *expected)
{
    char text[40];
    etl_filetime_format(filetime, text);
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_format(void)
{
    expect_text(0, "1601-01-01 00:00:00.0000000");
    expect_text(ETL_FILETIME_OF_UNIX_EPOCH - 1, "1969-12-31 23:59:59.9999999");
    expect_text(INT64_C(125963423999999999), "2000-02-29 23:59:59.9999999");
    expect_text(INT64_C(125963424000000000), "2000-03-01 00:00:00.0000000");
    expect_text(INT64_C(57989088000000000) + 17, "1784-10-05 00:00:00.0000017");
    expect_text(BASE + 1234567, "2026-03-01 03:00:00.1234567");
    expect_text(INT64_C(2650467743999999999), "9999-12-31 23:59:59.9999999");
}

static void test_format_number(void)
{
    expect_text(-1, "-1");
    expect_text(INT64_MIN, "-9223372036854775808");
    expect_text(INT64_C(2650467744000000000), "2650467744000000000");
    expect_text(INT64_MAX, "9223372036854775807");
}

UNIT_SUITE("clock", {"ticks become 100 ns without an error", test_exact},
           {"times before the base are rounded towards it", test_negative},
           {"each kind of clock has its own rule", test_kinds},
           {"what does not fit or has no frequency gives no time", test_overflow},
           {"Unix time is rounded down and has nanoseconds from 0", test_unix},
           {"a time is written to 100 ns", test_format},
           {"a year outside 1601 to 9999 is written as a number", test_format_number})
