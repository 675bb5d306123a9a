/*
 * Values that Wireshark has as text: texts of any encoding, SIDs, SYSTEMTIMEs.
 */
#ifndef ETL_EPAN_VALUE_TEXT_H
#define ETL_EPAN_VALUE_TEXT_H

#include "compat/compat.h"

#include "etl/sink.h"

#include <epan/wmem_scopes.h>

/* UTF-8, from the pool; for the shapes TEXT, SID and SYSTEMTIME. */
const char *etl_value_text(wmem_allocator_t *pool, enum etl_shape shape,
                           const struct etl_value *value);

/* Who a well-known SID ("S-1-5-18") is; NULL for others. */
const char *etl_sid_name(const char *sid);

#endif
