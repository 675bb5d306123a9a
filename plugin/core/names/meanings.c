/* Sorted by id, scope and time. */
#include "core/names/meanings.h"

#include <stdlib.h>
#include <string.h>

/* How many rows of one id are looked at for its beginning: only a made-up trace has more between two. */
#define LIFE_ROWS_MAX 64

/* Places for hints. */
#define HINTS 1024

void etl_meanings_free(struct etl_meanings *meanings)
{
    etl_budget_free(meanings->budget, meanings->rows, meanings->room, sizeof *meanings->rows);
    free(meanings->hints);
    memset(meanings, 0, sizeof *meanings);
}

void etl_meanings_add(struct etl_meanings *meanings, const struct etl_meaning *meaning)
{
    struct etl_meaning *rows = meanings->count < UINT32_MAX /* hints count so far */
                                   ? etl_budget_room(meanings->budget, meanings->rows,
                                                     meanings->count, 1, &meanings->room,
                                                     sizeof *rows)
                                   : NULL;
    if (rows != NULL) {
        meanings->rows = rows;
        meanings->rows[meanings->count++] = *meaning;
    }
}

static int compare_ids(const struct etl_meaning *a, const struct etl_meaning *b)
{
    return a->id != b->id ? (a->id < b->id ? -1 : 1)
                          : (a->scope > b->scope) - (a->scope < b->scope);
}

static int compare(const void *left, const void *right)
{
    const struct etl_meaning *a = left;
    const struct etl_meaning *b = right;
    int ids = compare_ids(a, b);
    if (ids != 0) {
        return ids;
    }
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    /* What ended and what began at the same tick: the new one holds from there on. */
    return a->begins != b->begins ? (int)a->begins - (int)b->begins
                                  : (a->value > b->value) - (a->value < b->value);
}

/* A rundown says again what is known: whoever asks gets the same from the row before. */
static void drop_repeated(struct etl_meanings *meanings)
{
    size_t kept = 0;
    for (size_t i = 0; i < meanings->count; i++) {
        const struct etl_meaning *row = &meanings->rows[i];
        const struct etl_meaning *last = kept > 0 ? &meanings->rows[kept - 1] : NULL;
        bool same = last != NULL && compare_ids(last, row) == 0 && last->value == row->value;
        if (!same || row->begins || row->ends) {
            meanings->rows[kept++] = *row;
        }
    }
    meanings->count = kept;
}

void etl_meanings_settle(struct etl_meanings *meanings)
{
    if (meanings->count > 0) {
        qsort(meanings->rows, meanings->count, sizeof meanings->rows[0], compare);
        drop_repeated(meanings);
        meanings->hints = calloc(HINTS, sizeof *meanings->hints);
    }
}

/* How many rows are before those of the id that are later than the time. */
static size_t rows_before(const struct etl_meanings *meanings, const struct etl_meaning *key)
{
    size_t low = 0;
    size_t high = meanings->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct etl_meaning *row = &meanings->rows[middle];
        int ids = compare_ids(row, key);
        if (ids < 0 || (ids == 0 && row->time <= key->time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether the row is the last one of the id at or before the time, and the id meant that on. */
static bool holds(const struct etl_meanings *meanings, size_t place, const struct etl_meaning *key)
{
    const struct etl_meaning *row = &meanings->rows[place];
    if (compare_ids(row, key) != 0 || row->time > key->time || row->ends) {
        return false;
    }
    return place + 1 == meanings->count || compare_ids(row + 1, key) != 0 ||
           row[1].time > key->time;
}

static const struct etl_meaning *search(const struct etl_meanings *meanings,
                                        const struct etl_meaning *key)
{
    size_t after = rows_before(meanings, key);
    const struct etl_meaning *row = &meanings->rows[after];
    const struct etl_meaning *last = after > 0 && compare_ids(row - 1, key) == 0 ? row - 1 : NULL;
    bool next = after < meanings->count && compare_ids(row, key) == 0 && !row->begins;
    return next && (last == NULL || last->ends) ? row : last;
}

const struct etl_meaning *etl_meanings_find(const struct etl_meanings *meanings, uint32_t scope,
                                            uint64_t id, int64_t time)
{
    const struct etl_meaning key = {.id = id, .scope = scope, .time = time};
    if (meanings->count == 0) {
        return NULL;
    }
    uint32_t *hint = meanings->hints != NULL ? &meanings->hints[(id >> 2 ^ id >> 12) % HINTS]
                                             : NULL;
    if (hint != NULL && holds(meanings, *hint, &key)) {
        return &meanings->rows[*hint];
    }
    const struct etl_meaning *row = search(meanings, &key);
    if (hint != NULL && row != NULL) {
        *hint = (uint32_t)(row - meanings->rows);
    }
    return row;
}

void etl_meanings_life(const struct etl_meanings *meanings, uint64_t id, int64_t time,
                       int64_t *ret_from, int64_t *ret_until)
{
    const struct etl_meaning key = {.id = id, .time = time};
    size_t after = rows_before(meanings, &key);
    *ret_from = INT64_MIN;
    *ret_until = INT64_MAX;
    for (size_t i = after; i > 0 && after - i < LIFE_ROWS_MAX; i--) {
        const struct etl_meaning *row = &meanings->rows[i - 1];
        if (compare_ids(row, &key) != 0 || row->begins) {
            *ret_from = row->begins && compare_ids(row, &key) == 0 ? row->time : INT64_MIN;
            break;
        }
    }
    for (size_t i = after; i < meanings->count && i - after < LIFE_ROWS_MAX; i++) {
        const struct etl_meaning *row = &meanings->rows[i];
        if (compare_ids(row, &key) != 0 || row->begins) {
            *ret_until = row->begins && compare_ids(row, &key) == 0 ? row->time : INT64_MAX;
            break;
        }
    }
}
