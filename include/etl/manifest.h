/*
 * Instrumentation manifests: XML that describes the events of providers, written for Windows' message
 * compiler (.man) or by a .NET EventSource into the trace itself.
 *
 *   instrumentationManifest
 *     instrumentation / events / provider …
 *       events / event            templates / template / data, struct
 *       maps / valueMap, bitMap   tasks, opcodes, keywords, levels, channels
 *     localization / resources / stringTable / string
 *
 * Fed in pieces, closed, then asked for packed schemas (schema.h). All of it is hostile: entities,
 * deep nesting and more of anything than a limit allows end the reading with a sentence. A
 * description of one event that is wrong costs that event. Knows nothing of files and traces.
 */
#ifndef ETL_MANIFEST_H
#define ETL_MANIFEST_H

#include "etl/schema_set.h"

/* The largest that Windows has are 3 MB. */
#define ETL_MANIFEST_SIZE_MAX ((size_t)32 << 20)

struct etl_manifest;

struct etl_manifest *etl_manifest_new(void);           /* NULL when out of memory */
void etl_manifest_free(struct etl_manifest *manifest); /* NULL is fine */

/* The next bytes of it. False when it is refused: more of it is not looked at. */
bool etl_manifest_feed(struct etl_manifest *manifest, const void *bytes, size_t size);

/* There is no more. False when it is no whole manifest; nothing is known of its events then. */
bool etl_manifest_close(struct etl_manifest *manifest);

/*
 * The first thing that was wrong, with its line: that which the manifest was refused for, or what
 * cost an event its description (then how many there were is in `ret_count`). NULL when nothing was.
 */
const char *etl_manifest_problem(const struct etl_manifest *manifest, unsigned *ret_line,
                                 size_t *ret_count);

/* Providers that it declares; NULL behind the last. The name is UTF-8, borrowed. */
const char *etl_manifest_provider(const struct etl_manifest *manifest, size_t number,
                                  struct etl_guid *ret_guid);

/* Adds the schemas of all its events, after etl_manifest_close. Finds more problems. */
void etl_manifest_add_schemas(struct etl_manifest *manifest, enum etl_schema_source source,
                              uint16_t origin, struct etl_schema_set *set);

#endif
