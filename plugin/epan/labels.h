/*
 * What an event and its provider are called, from the best source that the frame has.
 */
#ifndef ETL_EPAN_LABELS_H
#define ETL_EPAN_LABELS_H

#include "compat/compat.h"

#include "epan/line.h"
#include "etl/info.h"
#include "etl/record.h"

#include <epan/wmem_scopes.h>

/*
 * All are UTF-8 and live as long as the pool.
 *
 * The event's own name: kernel events ("Thread/CSwitch"), TraceLogging; NULL where nothing here
 * knows one.
 */
const char *etl_event_name(wmem_allocator_t *pool, const struct etl_record *record);

/* Never NULL: the name, or what tells it from the provider's others ("Id 12"). */
const char *etl_event_title(wmem_allocator_t *pool, const struct etl_record *record);

/* The same, added to a line. */
void etl_line_event_title(struct etl_line *line, wmem_allocator_t *pool,
                          const struct etl_record *record);

/* The provider's full name: as the trace says, else as it is known; NULL for a stranger. */
const char *etl_event_provider_name(wmem_allocator_t *pool, const struct etl_record *record);

/* For lines of text: what the record and Wireshark call the numbers in a payload. Borrows the record. */
struct etl_info_source etl_info_source_of(const struct etl_record *record);

/* Whether the event is one of the kernel's, so that its hook id says what it is. */
bool etl_is_kernel_event(const struct etl_record *record);

#endif
