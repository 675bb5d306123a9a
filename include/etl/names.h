/*
 * Names of values and flags: the lists of plugin/layouts/names.def.
 * Knows nothing of the fields that have them. All results are constants.
 */
#ifndef ETL_NAMES_H
#define ETL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One per list: ETL_NAMES_event_level and so on. */
enum etl_names_id {
    ETL_NAMES_NONE = 0,
#define NAMES(id, kind, source) ETL_NAMES_##id,
#include "layouts/names.def"
    ETL_NAMES_COUNT
};

enum etl_names_kind {
    ETL_NAMES_VALUES, /* the number is one of the rows' values */
    ETL_NAMES_FLAGS,  /* the number is made of the rows' bits */
};

struct etl_name {
    uint64_t value; /* for flags: the mask */
    const char *text;
    bool multi_bit;          /* the mask holds a number, not a yes or no */
    enum etl_names_id names; /* of that number; mostly NONE */
};

struct etl_names {
    const char *id;
    const char *source; /* where the list is from */
    enum etl_names_kind kind;
    const struct etl_name *rows; /* in ascending order */
    size_t count;
};

/* The number in the bits of a mask. */
static inline uint64_t etl_names_bits(uint64_t number, uint64_t mask)
{
    return mask != 0 ? (number & mask) / (mask & (~mask + 1)) : 0;
}

/* NULL for ETL_NAMES_NONE. */
const struct etl_names *etl_names_list(enum etl_names_id id);

/* The name of a value of a list of VALUES; NULL when it has none, or when the list is of FLAGS. */
const char *etl_names_find(enum etl_names_id id, uint64_t value);
const char *etl_names_in(const struct etl_names *list, uint64_t value);

/* The same of a schema's map, whose values have 32 bits: of a negative number they are the lower ones. */
static inline const char *etl_map_name(const struct etl_names *map, uint64_t number)
{
    return etl_names_in(map, number >= (uint64_t)INT32_MIN ? (uint32_t)number : number);
}

#endif
