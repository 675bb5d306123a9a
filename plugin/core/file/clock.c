/*
 * Time stamps in whole numbers: no double, no 128-bit type.
 */
#include "etl/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* Above this (d % f) * 10^7 would not fit. 900 GHz: no clock is that fast. */
#define FREQUENCY_MAX (UINT64_C(1) << 39)

/* 10000-01-01: what the text form has no room of four digits for. */
#define FILETIME_OF_YEAR_10000 INT64_C(2650467744000000000)

/* `difference` ticks in 100 ns, rounded towards zero; false if it does not fit. */
static bool scale(int64_t difference, uint64_t frequency, int64_t *ret_filetime)
{
    int64_t ticks = (int64_t)frequency;
    int64_t seconds = difference / ticks;
    int64_t rest = difference % ticks * ETL_FILETIME_PER_SECOND / ticks;
    int64_t whole;
    return !__builtin_mul_overflow(seconds, ETL_FILETIME_PER_SECOND, &whole) &&
           !__builtin_add_overflow(whole, rest, ret_filetime);
}

bool etl_clock_filetime(const struct etl_clock *clock, int64_t raw, int64_t *ret_filetime)
{
    if (clock->kind == ETL_CLOCK_SYSTEM_TIME) {
        *ret_filetime = raw;
        return true;
    }
    if (clock->kind == ETL_CLOCK_UNKNOWN || clock->frequency == 0 ||
        clock->frequency > FREQUENCY_MAX) {
        return false;
    }
    int64_t difference;
    int64_t scaled;
    int64_t filetime;
    if (__builtin_sub_overflow(raw, clock->base_raw, &difference) ||
        !scale(difference, clock->frequency, &scaled) ||
        __builtin_add_overflow(clock->base_filetime, scaled, &filetime)) {
        return false;
    }
    *ret_filetime = filetime;
    return true;
}

void etl_filetime_to_unix(int64_t filetime, int64_t *ret_seconds, uint32_t *ret_nanoseconds)
{
    int64_t seconds = filetime / ETL_FILETIME_PER_SECOND;
    int64_t rest = filetime % ETL_FILETIME_PER_SECOND;
    if (rest < 0) {
        seconds--;
        rest += ETL_FILETIME_PER_SECOND;
    }
    *ret_seconds = seconds - ETL_FILETIME_OF_UNIX_EPOCH / ETL_FILETIME_PER_SECOND;
    *ret_nanoseconds = (uint32_t)rest * 100;
}

/*
 * Year, month and day of a day counted from 1601-01-01. Days are counted in eras of 400 years that
 * begin on 1 March 1600, so that leap days come last.
 */
static void civil_of_days(int64_t days, int64_t *ret_year, unsigned *ret_month, unsigned *ret_day)
{
    int64_t shifted = days + 306; /* days since 1600-03-01 */
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
                           day_of_era / 146096) /
                          365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153; /* 0: March */
    *ret_day = (unsigned)(day_of_year - (153 * month + 2) / 5 + 1);
    *ret_month = (unsigned)(month < 10 ? month + 3 : month - 9);
    *ret_year = 1600 + era * 400 + year_of_era + (*ret_month <= 2);
}

void etl_filetime_format(int64_t filetime, char room[40])
{
    const int64_t day_length = 86400 * ETL_FILETIME_PER_SECOND;
    int64_t days = filetime / day_length;
    int64_t rest = filetime % day_length;
    if (filetime < 0 || filetime >= FILETIME_OF_YEAR_10000) {
        snprintf(room, 40, "%" PRId64, filetime);
        return;
    }
    int64_t year;
    unsigned month;
    unsigned day;
    civil_of_days(days, &year, &month, &day);
    unsigned seconds = (unsigned)(rest / ETL_FILETIME_PER_SECOND);
    snprintf(room, 40, "%04" PRId64 "-%02u-%02u %02u:%02u:%02u.%07u", year, month, day,
             seconds / 3600, seconds / 60 % 60, seconds % 60,
             (unsigned)(rest % ETL_FILETIME_PER_SECOND));
}
