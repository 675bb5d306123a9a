/*
 * Counts of events by provider, process, CPU, level: Statistics > ETL, and tshark's -z etl_…,tree.
 */
#ifndef ETL_EPAN_EVENT_TREES_H
#define ETL_EPAN_EVENT_TREES_H

#include "compat/compat.h"

/* Once, from the plugin's registration. */
void etl_event_trees_register(void);

#endif
