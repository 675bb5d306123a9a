/*
 * The columns of the packet list. Each has something for every event: a number where no name is
 * known.
 */
#ifndef ETL_EPAN_COLUMNS_H
#define ETL_EPAN_COLUMNS_H

#include "compat/compat.h"

#include "epan/line.h"
#include "etl/record.h"

#include <epan/packet_info.h>

void etl_columns_start_file(void);
void etl_columns_set(packet_info *pinfo, const struct etl_record *record);

/* Adds what Info says of the event, whoever asks. */
void etl_columns_line(struct etl_line *line, wmem_allocator_t *pool,
                      const struct etl_record *record);

#endif
