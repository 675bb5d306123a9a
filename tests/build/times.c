/*
 * Dates and times as they are written, and the trace's clock.
 *
 * A place in the trace is nanoseconds since its start; the clock kind says what number an event
 * carries for it: 1 a performance counter, 2 FILETIME, 3 CPU cycles, 0 (before Vista) FILETIME.
 */
#include "builder.h"

#include <stdio.h>
#include <string.h>

enum { TICKS_PER_SECOND = 10000000, SECONDS_PER_DAY = 86400 };

/* Days from 1601-01-01, in the Gregorian calendar. */
static int64_t days_since_1601(int64_t year, int64_t month, int64_t day)
{
    /* Years are counted from March, so that the leap day is the last of a year. */
    int64_t y = month > 2 ? year : year - 1;
    int64_t m = month > 2 ? month - 3 : month + 9;
    int64_t days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1;
    return days - 584694; /* the same sum for 1601-01-01 */
}

/* 2026-03-01T09:00:00Z, with up to seven digits after a point before the Z; or a number. */
uint64_t builder_filetime(struct builder *builder, const struct statement *statement,
                          const char *text)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
               &used) != 6) {
        return builder_number(builder, statement, text, NULL);
    }
    uint64_t ticks = 0;
    const char *at = text + used;
    if (*at == '.') {
        uint64_t unit = TICKS_PER_SECOND / 10;
        for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10) {
            ticks += unit * (uint64_t)(*at - '0');
        }
    }
    if (strcmp(at, "Z") != 0 || month < 1 || month > 12) {
        builder_fail(builder, statement->node, "'%s' is not a time like 2026-03-01T09:00:00Z",
                     text);
    }
    int64_t seconds = days_since_1601(year, month, day) * SECONDS_PER_DAY + hour * 3600 +
                      minute * 60 + second;
    return (uint64_t)seconds * TICKS_PER_SECOND + ticks;
}

/* year, month, weekday, day, hour, minute, second, millisecond: SYSTEMTIME's order. */
void builder_systemtime(uint64_t filetime, uint16_t fields[8])
{
    uint64_t seconds = filetime / TICKS_PER_SECOND;
    int64_t days = (int64_t)(seconds / SECONDS_PER_DAY);
    int64_t year = 1601 + days / 366;
    while (days_since_1601(year + 1, 1, 1) <= days) {
        year++;
    }
    int64_t month = 1;
    while (month < 12 && days_since_1601(year, month + 1, 1) <= days) {
        month++;
    }
    fields[0] = (uint16_t)year;
    fields[1] = (uint16_t)month;
    fields[2] = (uint16_t)((days + 1) % 7); /* 1601-01-01 was a Monday */
    fields[3] = (uint16_t)(days - days_since_1601(year, month, 1) + 1);
    fields[4] = (uint16_t)(seconds / 3600 % 24);
    fields[5] = (uint16_t)(seconds / 60 % 60);
    fields[6] = (uint16_t)(seconds % 60);
    fields[7] = (uint16_t)(filetime / (TICKS_PER_SECOND / 1000) % 1000);
}

/* A place in the trace: "1.5ms" counts from its start, "+20us" and "-20us" from now. */
int64_t builder_duration(struct builder *builder, const struct statement *statement,
                         const char *text)
{
    bool relative = text[0] == '+' || text[0] == '-';
    const char *number = relative ? text + 1 : text;
    int64_t value = (int64_t)builder_number(builder, statement, number, NULL);
    if (text[0] == '-') {
        value = -value;
    }
    return relative ? builder->now + value : value;
}

uint64_t clock_filetime(const struct trace_log *log, int64_t nanoseconds)
{
    return log->start + (uint64_t)(nanoseconds / 100);
}

uint64_t clock_raw(const struct trace_log *log, int64_t nanoseconds)
{
    const int64_t billion = 1000000000;
    uint64_t per_second = log->clock == 1 ? log->frequency : log->mhz * 1000000;
    if (log->clock == 0 || log->clock == 2) {
        return clock_filetime(log, nanoseconds);
    }
    /* Whole seconds apart, so that nothing overflows. */
    int64_t whole = nanoseconds / billion * (int64_t)per_second;
    int64_t rest = nanoseconds % billion * (int64_t)per_second / billion;
    return log->first + (uint64_t)(whole + rest);
}

/* Moves "now" where the statement's at= says. */
void builder_take_time(struct builder *builder, struct statement *statement)
{
    const char *at = builder_key(statement, "at");
    if (at != NULL) {
        builder->now = builder_duration(builder, statement, at);
    }
}
