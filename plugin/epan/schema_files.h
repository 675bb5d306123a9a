/*
 * Reads one file that describes events: a manifest, or a trace in any form that Wireshark opens.
 */
#ifndef ETL_EPAN_SCHEMA_FILES_H
#define ETL_EPAN_SCHEMA_FILES_H

#include "compat/compat.h"

#include "etl/schema_set.h"

/* As much as descriptions may take, by the limit of that name. */
struct etl_budget etl_schema_files_budget(void);

/* Adds what the file describes, as `origin`; says what is wrong with it. */
void etl_schema_file_read(const char *path, uint16_t origin, struct etl_schema_set *set);

#endif
