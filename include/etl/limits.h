/*
 * How much a file may make us keep (limits.def), and what counts it.
 *
 *     limits   of a file, as somebody wants them    budget   of one limit: | used …………… |    | limit
 *
 * Everything that grows with what a file says takes its bytes from a budget; several may share one. A budget that
 * has been met says so for good, and whoever reads the file passes that on as a note. Knows nothing of files.
 */
#ifndef ETL_LIMITS_H
#define ETL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum etl_limit {
#define LIMIT(upper, lower, mebibytes, title, description) ETL_LIMIT_##upper,
#include "etl/limits.def"
#undef LIMIT
    ETL_LIMIT_COUNT
};

/* A row of limits.def. */
struct etl_limit_row {
    const char *preference; /* "memory_limit" */
    const char *variable;   /* "ETL_MEMORY_LIMIT" */
    uint32_t mebibytes;     /* where nobody says anything else */
    const char *title;
    const char *description;
};

extern const struct etl_limit_row etl_limit_rows[ETL_LIMIT_COUNT];

/* In bytes. 0: the default, so that zeroed limits are good ones. */
struct etl_limits {
    uint64_t bytes[ETL_LIMIT_COUNT];
};

/* The limit in bytes, never 0; `limits` may be NULL. */
uint64_t etl_limit_bytes(const struct etl_limits *limits, enum etl_limit limit);

/* The value of the limit's variable, MiB in decimal digits; 0, which is the default, for anything else and for NULL. */
uint64_t etl_limit_parse(const char *text);

struct etl_budget {
    uint64_t limit; /* bytes */
    uint64_t used;
    bool met; /* something was left out */
};

/* A NULL budget has no limit. False, and the budget is met, when there are not as many bytes left. */
bool etl_budget_take(struct etl_budget *budget, size_t bytes);
void etl_budget_give(struct etl_budget *budget, size_t bytes);

/*
 * Room for `more` rows of `size` bytes behind `count` of them in `rows` (malloc's, or NULL), where there is room for
 * *room: returns `rows`, moved if need be, and updates *room. NULL where memory or the budget ends; `rows` is then as
 * it was.
 */
void *etl_budget_room(struct etl_budget *budget, void *rows, size_t count, size_t more,
                      size_t *room, size_t size);

/*
 * `count` zeroed rows for a table that takes the place of one of `old_count`, which the caller frees: the difference is
 * taken from the budget. NULL where memory or the budget ends.
 */
void *etl_budget_table(struct etl_budget *budget, size_t old_count, size_t count, size_t size);

/* Frees what one of these gave. */
void etl_budget_free(struct etl_budget *budget, void *rows, size_t room, size_t size);

#endif
