/*
 * Names of providers by GUID: the rows of plugin/layouts/providers.def, also for classes of classic
 * events. Knows nothing of the names that a trace itself gives. All results are constants.
 */
#ifndef ETL_PROVIDERS_H
#define ETL_PROVIDERS_H

#include "etl/guid.h"

#include <stddef.h>

/* ASCII; NULL for a GUID that isn't in the list. */
const char *etl_provider_name(const struct etl_guid *guid);

/*
 * The part of a provider's name that fits a narrow column: without "Microsoft-Windows-" and the
 * like. Points into `name`, which is borrowed.
 */
const char *etl_provider_short_name(const char *name);

/* The rows in the order of their GUIDs; for tests and registration. */
size_t etl_provider_count(void);
const char *etl_provider_at(size_t index, struct etl_guid *ret_guid);

#endif
