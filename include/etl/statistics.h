/*
 * What traces add up to: CPU time by process, bytes by file. A statistic is a table whose rows are
 * processes, files or routines, and whose columns are sums over events (plugin/layouts/statistics.def).
 *
 * Here is what one event adds to which row. Knows nothing of names and of how tables are kept or
 * shown. Allocates nothing.
 */
#ifndef ETL_STATISTICS_H
#define ETL_STATISTICS_H

#include "etl/event.h"

enum etl_statistic_id {
#define STATISTIC(id, title, row_title, who) ETL_STATISTIC_##id,
#define SUM(column, hookid, amount, label)
#define END
#include "layouts/statistics.def"
    ETL_STATISTIC_COUNT
};

#define ETL_STATISTIC_COLUMNS_MAX 10
#define ETL_STATISTIC_SUMS_MAX    32

enum etl_amount {
    ETL_AMOUNT_ONE,
    ETL_AMOUNT_FIELD,
    ETL_AMOUNT_SINCE,
    ETL_AMOUNT_SWITCH,
    ETL_AMOUNT_TICKS,
};

struct etl_sum {
    const char *column;
    uint16_t hookid;
    enum etl_amount amount;
    const char *label; /* of the field that it takes */
};

struct etl_statistic {
    const char *id;
    const char *title;
    const char *row_title;
    const char *who; /* label of the field that names the row; NULL: the event's process */
    const struct etl_sum *sums;
    size_t sum_count;
};

const struct etl_statistic *etl_statistic(enum etl_statistic_id id);

/* The names of the columns in their order; returns how many, at most ETL_STATISTIC_COLUMNS_MAX. */
size_t etl_statistic_columns(const struct etl_statistic *statistic,
                             const char *ret_columns[ETL_STATISTIC_COLUMNS_MAX]);

/* Whether a column of that name is time; others are numbers. */
bool etl_statistic_is_time(const char *column);

/*
 * When each CPU last switched: for the time that a thread ran. CPUs of several traces are told
 * apart; those of more than fit are not counted. Begins as zeros.
 */
#define ETL_SWITCHES_MAX 4096

struct etl_switch {
    bool used;
    uint16_t cpu;
    uint32_t trace_id;
    int64_t filetime;
};

struct etl_switches {
    struct etl_switch of_cpu[ETL_SWITCHES_MAX];
};

/* In 100 ns; 0 where the second time is before the first. */
static inline uint64_t etl_time_between(int64_t from, int64_t to)
{
    return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

struct etl_addition {
    bool has_who;         /* the event has the field that names the row … */
    enum etl_key key;     /* … of this kind; NONE: not an id, or text */
    uint64_t who;         /* number */
    struct etl_span text; /* UTF-16LE, where the field is a text */
    uint64_t amounts[ETL_STATISTIC_COLUMNS_MAX]; /* times in 100 ns */
};

/*
 * False when the event adds nothing to the statistic. `cpu` and context->trace_id say whose last
 * switch `switches` has; it is updated.
 */
bool etl_statistic_add(const struct etl_statistic *statistic, const struct etl_event *event,
                       const struct etl_context *context, uint16_t cpu,
                       struct etl_switches *switches, struct etl_addition *ret_addition);

#endif
