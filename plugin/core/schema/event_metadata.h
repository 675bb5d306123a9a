/*
 * From TRACE_EVENT_INFO and EVENT_MAP_INFO, as they are on disk, to packed rows. Private to the core.
 */
#ifndef ETL_CORE_EVENT_METADATA_H
#define ETL_CORE_EVENT_METADATA_H

#include "etl/schema.h"

/* Finds a list of names of the provider: bytes of an EVENT_MAP_INFO. */
struct etl_map_source {
    bool (*find)(const void *data, const struct etl_guid *provider, struct etl_span utf16_name,
                 struct etl_span *ret_map);
    const void *data;
};

/*
 * Packs into `room` of ETL_SCHEMA_SIZE_MAX bytes; returns the size, 0 when the bytes are no whole
 * description or it does not fit.
 */
size_t etl_event_metadata_pack(struct etl_span info, const struct etl_map_source *maps,
                               uint8_t *room);

/* The text at an offset of `whole`, without its NUL and trailing blank; empty when there is none. */
struct etl_span etl_metadata_text(struct etl_span whole, uint32_t offset);

#endif
