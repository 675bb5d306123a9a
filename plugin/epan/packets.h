/*
 * Packets inside events: what is known of them goes below the event, the packet itself to
 * Wireshark's own dissectors, as a layer of its own after the event's.
 *
 * Whatever one frame needs of another is here: parts of a packet are joined, and reports of the
 * same packet are linked. Only the first report takes part in what Wireshark keeps of
 * conversations; the others would look like retransmissions.
 */
#ifndef ETL_EPAN_PACKETS_H
#define ETL_EPAN_PACKETS_H

#include "compat/compat.h"

#include "epan/sink.h"
#include "etl/packet.h"
#include "etl/record.h"

void etl_packets_register(int protocol);
void etl_packets_hand_off(void);

/* Whether the packet's own dissector fills the columns, so that the event need not. */
bool etl_packet_has_columns(const struct etl_packet *packet);

/*
 * Shows the packet that an event carries. `tree_sink` shows facts below the event; NULL when there
 * is no tree. `tree` is the frame's own.
 */
void etl_packet_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                     struct etl_tree_sink *tree_sink, const struct etl_record *record,
                     const struct etl_packet *packet);

#endif
