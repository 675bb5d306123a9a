/* Expands names.def into lists. */
#include "etl/names.h"

#include <assert.h>

/* clang-format off */
#define NAMES(id, kind, source) static const struct etl_name rows_of_##id[] = {
#define NAME(value, text)       {value, text, false, ETL_NAMES_NONE},
#define FLAG(mask, label)       {mask, label, false, ETL_NAMES_NONE},
#define BITS(mask, label)       {mask, label, true, ETL_NAMES_NONE},
#define NAMED_BITS(mask, label, list) {mask, label, true, ETL_NAMES_##list},
#define END_NAMES               };
#include "layouts/names.def"
/* clang-format on */

static const struct etl_names lists[ETL_NAMES_COUNT] = {
#define NAMES(id, kind, source)                                      \
    [ETL_NAMES_##id] = {#id, source, ETL_NAMES_##kind, rows_of_##id, \
                        sizeof rows_of_##id / sizeof rows_of_##id[0]},
#include "layouts/names.def"
};

const struct etl_names *etl_names_list(enum etl_names_id id)
{
    assert((unsigned)id < ETL_NAMES_COUNT);
    return id != ETL_NAMES_NONE ? &lists[id] : NULL;
}

const char *etl_names_in(const struct etl_names *list, uint64_t value)
{
    if (list->kind != ETL_NAMES_VALUES) {
        return NULL;
    }
    /* Most lists are short and without gaps: their rows are found at once. */
    if (value < list->count && list->rows[value].value == value) {
        return list->rows[value].text;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].value == value) {
            return list->rows[i].text;
        }
    }
    return NULL;
}

const char *etl_names_find(enum etl_names_id id, uint64_t value)
{
    const struct etl_names *list = etl_names_list(id);
    return list != NULL ? etl_names_in(list, value) : NULL;
}
