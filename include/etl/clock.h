/*
 * From the raw time stamps of a trace to FILETIME (100 ns since 1601-01-01 UTC) and to Unix time.
 *
 * A trace has one clock. The logfile header pairs one raw value with one FILETIME:
 *
 *     FILETIME = base_filetime + (raw - base_raw) * 10,000,000 / frequency
 *
 * in whole numbers, rounded towards the base, exact to 100 ns. Source: etl-format 3.3, checked on
 * files.
 */
#ifndef ETL_CLOCK_H
#define ETL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum etl_clock_kind {
    ETL_CLOCK_UNKNOWN = 0,
    ETL_CLOCK_PERFORMANCE_COUNTER = 1,
    ETL_CLOCK_SYSTEM_TIME = 2, /* raw values are FILETIMEs */
    ETL_CLOCK_CYCLES = 3,
};

/* 100 ns between 1601-01-01 and 1970-01-01. */
#define ETL_FILETIME_OF_UNIX_EPOCH INT64_C(116444736000000000)
#define ETL_FILETIME_PER_SECOND    INT64_C(10000000)

struct etl_clock {
    enum etl_clock_kind kind;
    uint64_t frequency; /* ticks a second; unused for system time */
    int64_t base_raw;
    int64_t base_filetime;
};

/* False when the clock is unknown or the result does not fit; `*ret_filetime` is then untouched. */
bool etl_clock_filetime(const struct etl_clock *clock, int64_t raw, int64_t *ret_filetime);

/* Seconds since 1970 (rounded down, may be negative) and nanoseconds 0..999,999,999. */
void etl_filetime_to_unix(int64_t filetime, int64_t *ret_seconds, uint32_t *ret_nanoseconds);

/* "2026-03-01 09:00:00.1234567"; room for 40 characters. Years outside 1601..9999 as a number. */
void etl_filetime_format(int64_t filetime, char room[40]);

#endif
