/*
 * Operations: a process that starts and ends, a disk request, a DNS query. Says of one event which
 * end of one it is, and a key that both ends have in common (plugin/layouts/operations.def).
 *
 * Remembers nothing: finding the other end is the caller's. Allocates nothing.
 */
#ifndef ETL_OPERATIONS_H
#define ETL_OPERATIONS_H

#include "etl/event.h"

enum etl_operation_role {
    ETL_OPERATION_BEGINS,
    ETL_OPERATION_ENDS,
    ETL_OPERATION_LASTED, /* both ends in one event: it tells how long */
};

struct etl_operation {
    enum etl_operation_role role;
    const char *name;  /* a constant; NULL: that of the provider's task, or as the beginning says */
    uint64_t key;      /* a hash: hostile files can make two equal, which costs a wrong link */
    uint64_t duration; /* of what LASTED, 100 ns */
};

/* Whether the event may be one: asked for every event, so it is quick. */
bool etl_operation_may_be(const struct etl_event *event);

/* `process_id` is the event's, as far as it is known. False: it is none. */
bool etl_operation_of_event(const struct etl_event *event, const struct etl_context *context,
                            uint32_t process_id, struct etl_operation *ret_operation);

#endif
