/*
 * Lists of "id means this from then on": rows come in any order, are sorted once, and are asked for by id
 * and time. Ids are used again, so each meaning has a span of time. Knows nothing of what ids and values are.
 */
#ifndef ETL_CORE_MEANINGS_H
#define ETL_CORE_MEANINGS_H

#include "etl/limits.h"

struct etl_meaning {
    int64_t time; /* raw */
    uint64_t id;
    uint32_t scope; /* of ids that mean something only within a process: which; else 0 */
    uint32_t value;
    bool begins; /* the id meant something else before */
    bool ends;   /* it means something else afterwards, as soon as that is known */
};

struct etl_meanings {
    struct etl_budget *budget; /* borrowed; NULL: memory alone is the limit */
    struct etl_meaning *rows;  /* owned */
    size_t count;
    size_t room;
    uint32_t *
        hints; /* owned, may be NULL: by id, the row that was found last; events speak of few ids */
};

/* Zeroed is empty. Gives back to the budget. */
void etl_meanings_free(struct etl_meanings *meanings);

/* Names are a help: where memory or the budget ends, fewer are known. */
void etl_meanings_add(struct etl_meanings *meanings, const struct etl_meaning *meaning);

/* After the last row, before the first question: sorts, and drops what says nothing new. */
void etl_meanings_settle(struct etl_meanings *meanings);

/*
 * The last row of the id at or before the time. If there is none, or it says that the id no longer meant this, the
 * first after it, unless that one says that the id began to mean this only then. NULL: not known.
 */
const struct etl_meaning *etl_meanings_find(const struct etl_meanings *meanings, uint32_t scope,
                                            uint64_t id, int64_t time);

/* When the id begins to mean something, last at or before the time, and next after it; INT64_MIN, INT64_MAX: never. */
void etl_meanings_life(const struct etl_meanings *meanings, uint64_t id, int64_t time,
                       int64_t *ret_from, int64_t *ret_until);

#endif
