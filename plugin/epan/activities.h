/*
 * Activities: what ActivityIds tie together. Each is a stream with a number, to be followed; filters
 * of activity, process and thread are in the context menu of the packet list.
 */
#ifndef ETL_EPAN_ACTIVITIES_H
#define ETL_EPAN_ACTIVITIES_H

#include "compat/compat.h"

#include "etl/record.h"

#include <epan/packet_info.h>
#include <epan/proto.h>

/* Once, at registration. */
void etl_activities_register(int protocol);

/*
 * Must see every frame once, with or without a tree: `tree` is the event's, NULL where there is
 * none.
 */
void etl_activities_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                         const struct etl_record *record);

#endif
