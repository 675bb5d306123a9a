/*
 * XML that events carry packed, for Wireshark's own dissector.
 */
#ifndef ETL_EPAN_XML_H
#define ETL_EPAN_XML_H

#include "compat/compat.h"

#include "epan/sink.h"
#include "etl/record.h"

/*
 * Shows the text that an event carries packed, expanded, as a layer of its own in `tree`. Nothing for
 * other events. The columns stay the event's.
 */
void etl_xml_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                  const struct etl_tree_sink *tree_sink, const struct etl_record *record);

#endif
