/*
 * Limits, and budgets of them. Arrays grow by doubling, and by what is left where that is less.
 */
#include "etl/limits.h"

#include <stdlib.h>

/* The first rows of an array. */
#define ROOM_AT_FIRST 64

#define MEBIBYTES_MAX (UINT64_MAX >> 20)

const struct etl_limit_row etl_limit_rows[ETL_LIMIT_COUNT] = {
#define LIMIT(upper, lower, most, what, more)                       \
    [ETL_LIMIT_##upper] = {                                         \
        .preference = #lower "_limit",                              \
        .variable = "ETL_" #upper "_LIMIT",                         \
        .mebibytes = (most),                                        \
        .title = (what),                                            \
        .description = more " Takes effect when a file is opened.", \
    },
#include "etl/limits.def"
};

uint64_t etl_limit_bytes(const struct etl_limits *limits, enum etl_limit limit)
{
    uint64_t bytes = limits != NULL ? limits->bytes[limit] : 0;
    return bytes != 0 ? bytes : (uint64_t)etl_limit_rows[limit].mebibytes << 20;
}

uint64_t etl_limit_parse(const char *text)
{
    uint64_t mebibytes = 0;
    if (text == NULL) {
        return 0;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        mebibytes = mebibytes <= MEBIBYTES_MAX / 10 - 1 ? mebibytes * 10 + digit : MEBIBYTES_MAX;
    }
    return *text == '\0' ? mebibytes << 20 : 0;
}

bool etl_budget_take(struct etl_budget *budget, size_t bytes)
{
    if (budget == NULL) {
        return true;
    }
    if (budget->used > budget->limit || bytes > budget->limit - budget->used) {
        budget->met = true;
        return false;
    }
    budget->used += bytes;
    return true;
}

void etl_budget_give(struct etl_budget *budget, size_t bytes)
{
    if (budget != NULL) {
        budget->used -= bytes;
    }
}

static void meet(struct etl_budget *budget)
{
    if (budget != NULL) {
        budget->met = true;
    }
}

/* Whether so many rows have a size at all. */
static bool is_size(size_t rows, size_t more, size_t size)
{
    size_t most = SIZE_MAX / 2 / size;
    return rows <= most && more <= most - rows;
}

/* How many rows the budget has left. */
static size_t rows_left(const struct etl_budget *budget, size_t size)
{
    uint64_t left = budget == NULL                 ? SIZE_MAX / 2
                    : budget->used < budget->limit ? budget->limit - budget->used
                                                   : 0;
    left = left < SIZE_MAX / 2 ? left : SIZE_MAX / 2;
    return (size_t)left / size;
}

void *etl_budget_room(struct etl_budget *budget, void *rows, size_t count, size_t more,
                      size_t *room, size_t size)
{
    if (more <= *room - count) {
        return rows;
    }
    size_t least = more - (*room - count);
    size_t wanted = *room > 0 ? *room : ROOM_AT_FIRST;
    size_t left = rows_left(budget, size);
    wanted = wanted < left ? wanted : left;
    wanted = wanted > least ? wanted : least;
    void *grown = NULL;
    if (is_size(*room, wanted, size) && etl_budget_take(budget, wanted * size)) {
        grown = realloc(rows, (*room + wanted) * size);
        if (grown != NULL) {
            *room += wanted;
        } else {
            etl_budget_give(budget, wanted * size);
        }
    }
    if (grown == NULL) {
        meet(budget);
    }
    return grown;
}

void *etl_budget_table(struct etl_budget *budget, size_t old_count, size_t count, size_t size)
{
    size_t more = (count - old_count) * size;
    if (!is_size(count, 0, size) || !etl_budget_take(budget, more)) {
        meet(budget);
        return NULL;
    }
    void *table = calloc(count, size);
    if (table == NULL) {
        etl_budget_give(budget, more);
        meet(budget);
    }
    return table;
}

void etl_budget_free(struct etl_budget *budget, void *rows, size_t room, size_t size)
{
    free(rows);
    etl_budget_give(budget, room * size);
}
