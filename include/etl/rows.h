/*
 * The rows of plugin/layouts/items.def by layout and label, for code that shows them one by one:
 *
 *   etl_decode_number(sink, ETL_ROW(provider_traits, TraitsSize), at, 2, size);
 *
 * A label that the layout does not have stops the build.
 */
#ifndef ETL_ROWS_H
#define ETL_ROWS_H

#include "etl/layout.h"

#include <stddef.h>

/* One byte a row, so that a row's offset is its place in the layout. */
#define LAYOUT(id, class_name)  struct etl_rows_of_##id {
#define FIELD(type, label, ...) char label;
#define END \
    }       \
    ;
#define ITEM(...)
#define COMPUTED_ITEM(...)
#include "layouts/items.def"
#undef LAYOUT
#undef FIELD
#undef END
#undef ITEM
#undef COMPUTED_ITEM

#define ETL_ROW(layout, label) \
    (&etl_layout(ETL_LAYOUT_##layout)->fields[offsetof(struct etl_rows_of_##layout, label)])

#endif
