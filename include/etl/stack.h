/*
 * Stacks that are events of their own: which event they belong to.
 *
 *     ReadInit, thread 812, time 5000     StackWalk of thread 812: EventTimeStamp 5000
 *
 * The halves in the kernel and in user mode may come apart, and later: the thread has to run again first.
 */
#ifndef ETL_STACK_H
#define ETL_STACK_H

#include "etl/event.h"

struct etl_stack_owner {
    int64_t raw_time;
    uint32_t process_id;
    uint32_t thread_id;
};

/* False for events that are no stack walk's. */
bool etl_stack_owner(const struct etl_event *event, struct etl_stack_owner *ret_owner);

#endif
