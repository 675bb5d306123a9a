/*
 * Names of kernel events. A hook id is a group (high byte) and a type (low byte); the group stands
 * for an event class with a GUID, under which the same events appear with a classic header.
 *
 * One event is out of line: Image Load is hook 0x030A, of the group of Process, but has the GUID of
 * the class Image, which is that of group 0x14. The functions below know it.
 * Knows nothing of payloads. All results are constants.
 */
#ifndef ETL_HOOKS_H
#define ETL_HOOKS_H

#include "etl/guid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One above the largest group number. */
#define ETL_GROUP_COUNT 0x1F

struct etl_group {
    uint8_t group;
    const char *constant;   /* what follows EVENT_TRACE_GROUP_ in Microsoft's name */
    const char *class_name; /* of the MOF class, without version */
    struct etl_guid guid;   /* of the class */
};

struct etl_hook {
    uint16_t hookid;
    const char *class_name;
    const char *event_name; /* unique within the class */
    const char *constant;   /* Microsoft's name of the number; "" where none is known */
};

/* NULL for a hook id that nobody has named. */
const struct etl_hook *etl_hook_find(uint16_t hookid);

/* NULL for group numbers that were never given out. */
const struct etl_group *etl_group_find(uint8_t group);

/* The group whose class has this GUID; false if it isn't the GUID of a kernel class. */
bool etl_group_of_guid(const struct etl_guid *guid, uint8_t *ret_group);

/*
 * The hook id of an event with a classic header: class GUID and type. False if the GUID isn't that
 * of a kernel class; true also for types that nobody has named.
 */
bool etl_hook_of_class(const struct etl_guid *guid, uint8_t type, uint16_t *ret_hookid);

/* The GUID that the event has as a classic event; NULL for an unknown group. */
const struct etl_guid *etl_class_of_hook(uint16_t hookid);

/* All hooks, sorted by hook id. */
const struct etl_hook *etl_hook_list(size_t *ret_count);

#endif
