/*
 * The parts of an event's tree before its payload: where it was, its header, and what follows from
 * them.
 */
#ifndef ETL_EPAN_FACTS_H
#define ETL_EPAN_FACTS_H

#include "compat/compat.h"

#include "epan/sink.h"
#include "etl/record.h"

/* "Buffer context": the same facts for every kind of event. */
void etl_show_buffer_context(struct etl_tree_sink *tree_sink, const struct etl_record *record);

/* The header's own rows, the generated ones that its kind gets, and its extended items. */
void etl_show_header(struct etl_tree_sink *tree_sink, const struct etl_record *record);

#endif
