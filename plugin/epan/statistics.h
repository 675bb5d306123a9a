/*
 * The core's statistics as Wireshark's tables: Statistics menu, and tshark's -z etl,<name>[,filter].
 */
#ifndef ETL_EPAN_STATISTICS_H
#define ETL_EPAN_STATISTICS_H

#include "compat/compat.h"

/* Once, from the plugin's registration. */
void etl_statistics_register(void);

#endif
