/*
 * Descriptions of events that the user has: manifests, and traces that hold some for those that
 * don't. Named by the preference "Schemas from", or else by ETL_SCHEMAS. What is wrong with one file
 * is said with file and line, and costs that file.
 */
#ifndef ETL_EPAN_USER_SCHEMAS_H
#define ETL_EPAN_USER_SCHEMAS_H

#include "compat/compat.h"

#include "etl/record.h"

/* Files and folders with the system's separator of paths between; the preference's own text. */
extern const char *etl_user_schemas_paths;

/* From the plugin's registration: files are read when one is opened, too. */
void etl_user_schemas_register(void);

/* Reads what is named, if that is not what was read last, and registers its fields. */
void etl_user_schemas_ensure(void);

/* Sets record->schema; false where the files say nothing of the event. */
bool etl_user_schemas_find(struct etl_record *record);

#endif
