/*
 * The numbers of data types in schemas, and the words for stored event descriptions, which
 * values_schema.c dispatches to.
 */
#ifndef ETLBUILD_TYPES_H
#define ETLBUILD_TYPES_H

#include "builder.h"

/* TDH_IN_TYPE and TDH_OUT_TYPE without their prefixes; TraceLogging has out-types of its own. */
extern const struct number_name data_in_types[], data_out_types[], schema_out_types[];

void put_event_info(struct builder *builder, struct statement *statement);
void put_property(struct builder *builder, struct statement *statement);
void put_map_info(struct builder *builder, struct statement *statement);
void put_map_entry(struct builder *builder, struct statement *statement);

#endif
