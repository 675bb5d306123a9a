/* Takes INFO templates apart, once at start, so that no event's text scans one. */
#ifndef ETL_CORE_INFO_PARTS_H
#define ETL_CORE_INFO_PARTS_H

#include "etl/layout.h"

/*
 * Sets info_parts, info_rows and what a layout's rows have of both. NULL when that worked, otherwise
 * what is wrong with the template.
 */
const char *etl_info_complete(struct etl_layout *layout);

#endif
