/*
 * How long things took: finds the two ends of operations, links their frames, shows etl.duration and
 * feeds the table of service response times (-z etl,srt).
 */
#ifndef ETL_EPAN_OPERATIONS_H
#define ETL_EPAN_OPERATIONS_H

#include "compat/compat.h"

#include "etl/record.h"

#include <epan/packet_info.h>
#include <epan/proto.h>

/* Once, at registration. */
void etl_operations_register(int protocol);

/*
 * Must see every frame once, with or without a tree: `tree` is the event's, NULL where there is
 * none.
 */
void etl_operations_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                         const struct etl_record *record);

#endif
