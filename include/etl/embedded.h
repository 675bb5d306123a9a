/*
 * The descriptions that merging tools put into a trace (KernelTraceControl's EventMetadata):
 * TRACE_EVENT_INFO of each event and EVENT_MAP_INFO of each list of names, collected by the index
 * pass wherever they stand, packed (schema.h) when all are in.
 *
 * Knows nothing of the file, and nothing of decoding.
 */
#ifndef ETL_EMBEDDED_H
#define ETL_EMBEDDED_H

#include "etl/event.h"
#include "etl/limits.h"

struct etl_embedded;
struct etl_schema_set;

/* NULL when out of memory. The budget is borrowed; NULL: memory alone is the limit. */
struct etl_embedded *etl_embedded_new(struct etl_budget *budget);
void etl_embedded_free(struct etl_embedded *embedded); /* NULL is fine */

/* Whether the event is one that describes others. */
bool etl_embedded_is_metadata(const struct etl_event *event);

/* Takes what such an event says; bytes are copied. Where memory or the budget ends, less is known. */
void etl_embedded_learn(struct etl_embedded *embedded, const struct etl_event *event);

/* After the last etl_embedded_learn, before the first question. */
void etl_embedded_settle(struct etl_embedded *embedded);

/*
 * The schema of a modern event: a u64 hash and the packed rows, borrowed. False when the trace has
 * none.
 */
bool etl_embedded_find(const struct etl_embedded *embedded, const struct etl_event *event,
                       struct etl_span *ret_item);

/* All of them, borrowed; for tests and registration. */
const struct etl_schema_set *etl_embedded_schemas(const struct etl_embedded *embedded);

#endif
