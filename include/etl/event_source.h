/*
 * Manifests that .NET EventSources write into the trace itself, as events with id FFFE, in chunks:
 *
 *   00 u8 format, 1   01 u8 major version   02 u8 minor version   03 u8 magic, 5B
 *   04 u16 chunks     06 u16 this chunk, from 0                   08 UTF-8 XML …
 *
 * Collected by the index pass wherever they stand, in any order, those of several providers and
 * processes among each other, and again whenever a session begins or ends. Packed (schema.h) when
 * all are in. Knows nothing of the file, and nothing of decoding.
 */
#ifndef ETL_EVENT_SOURCE_H
#define ETL_EVENT_SOURCE_H

#include "etl/event.h"
#include "etl/schema_set.h"

#define ETL_EVENT_SOURCE_ID          0xFFFE
#define ETL_EVENT_SOURCE_HEADER_SIZE 8

struct etl_event_sources;

/* NULL when out of memory. The budget is borrowed; NULL: memory alone is the limit. */
struct etl_event_sources *etl_event_sources_new(struct etl_budget *budget);
void etl_event_sources_free(struct etl_event_sources *sources); /* NULL is fine */

/* Whether the event is a piece of a manifest. */
bool etl_event_source_is_chunk(const struct etl_event *event);

/* Takes such an event; bytes are copied. Where memory or the budget ends, less is known. */
void etl_event_sources_learn(struct etl_event_sources *sources, const struct etl_event *event);

/* After the last etl_event_sources_learn, before the first question. */
void etl_event_sources_settle(struct etl_event_sources *sources);

/*
 * The schema of a modern event, by the manifest that its process wrote, or else by that of another
 * process: a u64 hash and the packed rows, borrowed. False when there is none.
 */
bool etl_event_sources_find(const struct etl_event_sources *sources, const struct etl_event *event,
                            struct etl_span *ret_item);

/* All schemas, borrowed; their origins tell manifests apart. */
const struct etl_schema_set *etl_event_sources_schemas(const struct etl_event_sources *sources);

/* Names that manifests give their providers; NULL behind the last. */
const char *etl_event_sources_provider(const struct etl_event_sources *sources, size_t number,
                                       struct etl_guid *ret_guid);

/* Manifests that could not be used, and what is wrong with the first; 0 when all could. */
size_t etl_event_sources_problem(const struct etl_event_sources *sources, char *room, size_t size);

#endif
