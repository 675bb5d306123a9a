/*
 * The built-in table: modern events of Windows' own providers, as their manifests declare them
 * (plugin/layouts/builtin.txt). Read-only, about 1.7 MB; looked up by halves.
 *
 * Its rows are less certain than what a trace says of its own events: structs, lengths and counts
 * are partly inferred. Whoever shows one asks first whether the payload fits (etl_schema_fits).
 * Knows nothing of who shows.
 */
#ifndef ETL_BUILTIN_H
#define ETL_BUILTIN_H

#include "etl/schema.h"

/* Events have numbers from 0 to this, in the order of provider, id and version. */
size_t etl_builtin_event_count(void);

/* What describes an event. */
struct etl_builtin_match {
    size_t number;
    uint8_t version; /* the event's, or the nearest lower one … */
    bool older;      /* … in which case this says so */
};

/* False when the table has nothing for the event. */
bool etl_builtin_find(const struct etl_guid *provider, uint16_t id, uint8_t version,
                      struct etl_builtin_match *ret_match);

/* Owned, freed with etl_schema_free; NULL when out of memory. Its texts are the table's. */
struct etl_schema *etl_builtin_schema(const struct etl_builtin_match *match);

size_t etl_builtin_provider_count(void);

/* The provider's name, and the numbers of its fields: from *ret_first up to *ret_end. */
const char *etl_builtin_provider_at(size_t index, struct etl_guid *ret_guid, size_t *ret_first,
                                    size_t *ret_end);

/* Fields of all providers have numbers from 0 to this. */
size_t etl_builtin_field_count(void);

/* A field's label and type. One label and type come again where maps or counts differ. */
const char *etl_builtin_field_at(size_t number, enum etl_type *ret_type);

/*
 * Names of the field's values, which stand with it in some event. False when it has none; else the
 * map is the caller's to give back. Its texts are the table's.
 */
bool etl_builtin_field_map(size_t number, struct etl_names *ret_map);
void etl_builtin_map_free(struct etl_names *map);

#endif
