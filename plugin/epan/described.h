/*
 * Events that a schema describes: schemas by their bytes, made when first seen, and their fields
 * registered then under etl.<provider>.<field>. Both are kept until the program ends: Wireshark
 * points into them, and filters name them.
 */
#ifndef ETL_EPAN_DESCRIBED_H
#define ETL_EPAN_DESCRIBED_H

#include "compat/compat.h"

#include "etl/record.h"

#include <epan/packet_info.h>

/* Sets record->schema; it stays NULL where nothing describes the event. */
void etl_described_find(packet_info *pinfo, struct etl_record *record);

/* Makes a schema known that no frame has brought yet; for filters that name its fields. */
void etl_described_learn(const struct etl_guid *provider, const char *provider_name,
                         struct etl_span packed);

#endif
