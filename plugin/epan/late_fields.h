/*
 * Fields that only a file's own schemas declare, for filters that are compiled before the file is
 * opened: `tshark -r x.etl -Y 'etl.my_provider.count > 5'`.
 */
#ifndef ETL_EPAN_LATE_FIELDS_H
#define ETL_EPAN_LATE_FIELDS_H

#include "compat/compat.h"

/* From the plugin's registration. */
void etl_late_fields_register(void);

/* Whether the command line names one of the fields that all described fields feed. */
bool etl_generic_is_named(void);

#endif
