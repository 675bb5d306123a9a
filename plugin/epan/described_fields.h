/*
 * Filter names of schemas' fields. One name never has two kinds: Wireshark's filters would crash.
 * Knows nothing of where schemas are from.
 */
#ifndef ETL_EPAN_DESCRIBED_FIELDS_H
#define ETL_EPAN_DESCRIBED_FIELDS_H

#include "compat/compat.h"

#include "etl/schema.h"

/* Registers the fields of the built-in table. Once, after etl_fields_register. */
void etl_described_fields_register_builtin(void);

/*
 * Registers what is new of the schema's fields and numbers all of them. False when there is no room
 * for more: the schema can't be shown then. `provider_name` may be NULL.
 */
bool etl_described_fields_register(struct etl_schema *schema, const struct etl_guid *provider,
                                   const char *provider_name);

#endif
