/*
 * Events that a schema describes: schemas by their bytes, made when first seen, and their fields
 * registered then under etl.<provider>.<field>. Both are kept until the program ends: Wireshark
 * points into them, and filters name them.
 */
#ifndef ETL_EPAN_DESCRIBED_H
#define ETL_EPAN_DESCRIBED_H

#include "compat/compat.h"

#include "etl/record.h"

#include <epan/wmem_scopes.h>

/* Sets record->schema; it stays NULL where nothing describes the event. */
void etl_described_find(wmem_allocator_t *pool, struct etl_record *record);

#endif
