/*
 * Names of providers by GUID: the rows of plugin/layouts/providers.def, also for classes of classic
 * events; and GUIDs by name. Knows nothing of the names that a trace itself gives. All results are
 * constants.
 */
#ifndef ETL_PROVIDERS_H
#define ETL_PROVIDERS_H

#include "etl/event.h"

/* ASCII; NULL for a GUID that isn't in the list. */
const char *etl_provider_name(const struct etl_guid *guid);

/*
 * The part of a provider's name that fits a narrow column: without "Microsoft-Windows-" and the
 * like. Points into `name`, which is borrowed.
 */
const char *etl_provider_short_name(const char *name);

/* Bytes of UTF-8. Names in traits have less than 256; longer ones name nobody. */
#define ETL_PROVIDER_NAME_MAX 512

/*
 * The GUID that TraceLogging and EventSource providers without one of their own get: a hash of the
 * name. If it is the provider's GUID, the name is the right one. False for names that are not
 * ASCII: their upper case is a matter of Windows' tables.
 */
bool etl_provider_name_hash(struct etl_span utf8, struct etl_guid *ret_guid);

/* The rows in the order of their GUIDs; for tests and registration. */
size_t etl_provider_count(void);
const char *etl_provider_at(size_t index, struct etl_guid *ret_guid);

#endif
