/*
 * Names of values that schemas' maps give to described fields, for filters:
 * etl.contoso_shop.state == "Paid". A field is shared by all rows of its name, whose maps may
 * differ: it has the names that mean one value in all of them, and the values with one name. What a
 * row shows is its own map's, whatever the field has.
 */
#ifndef ETL_EPAN_VALUE_NAMES_H
#define ETL_EPAN_VALUE_NAMES_H

#include "compat/compat.h"

#include "etl/names.h"

#include <stddef.h>

/* Adds the names of a map to the field of that number. Nothing for flags and for 64-bit numbers. */
void etl_value_names_add(size_t number, const struct etl_names *map);

#endif
