/* Making schemas, for those who know what is in them. Private to the core. */
#ifndef ETL_CORE_SCHEMA_MAKE_H
#define ETL_CORE_SCHEMA_MAKE_H

#include "etl/schema.h"

/*
 * A schema with room for so many fields, maps and bytes of text, all zero; one allocation each.
 * NULL when out of memory.
 */
struct etl_schema *etl_schema_new(enum etl_schema_source source, size_t fields, size_t maps,
                                  size_t text_size);

/* What in and out type are together shown as. */
enum etl_type etl_schema_type(enum etl_in in, enum etl_out out);

/* Completes a field whose label, count and length are set. */
void etl_schema_settle(struct etl_schema_field *field, enum etl_in in, enum etl_out out);

#endif
