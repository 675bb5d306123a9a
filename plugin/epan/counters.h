/*
 * What the values of a performance log are called. Knows nothing of where it stands.
 */
#ifndef ETL_EPAN_COUNTERS_H
#define ETL_EPAN_COUNTERS_H

#include "compat/compat.h"

#include "epan/line.h"
#include "epan/sink.h"
#include "etl/record.h"

/* Each value with its counter's path. Nothing where the record does not know the counters. */
void etl_counters_show(struct etl_tree_sink *tree_sink, const struct etl_record *record);

/* The first ones, for the Info column; false likewise. */
bool etl_counters_line(struct etl_line *line, const struct etl_record *record);

#endif
