/*
 * What an event carries: others' dissectors first, then the layout of its hook, then plain bytes.
 */
#ifndef ETL_EPAN_PAYLOAD_H
#define ETL_EPAN_PAYLOAD_H

#include "compat/compat.h"

#include "epan/sink.h"
#include "etl/record.h"

/*
 * The tables for other plugins and for Lua: etl.hookid (number), etl.provider (GUID), etl.event
 * ("guid/id/version") and the heuristic list etl.payload. Each is called with the payload's bytes;
 * its data is the struct etl_record.
 */
void etl_payload_register(int protocol);

/* Whether one of them took the payload. Must be asked with and without a tree. */
bool etl_payload_offer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                       struct etl_record *record);

/* Shows it. Cheap where nobody asks for a field of it. */
void etl_show_payload(struct etl_tree_sink *tree_sink, const struct etl_record *record);

#endif
