/*
 * The functions that the PACKET rows of packets.def name. Each fills in what its event says; `start`
 * and `end` are true, all else zero before. False when the payload has no packet.
 */
#ifndef ETL_PROVIDERS_PACKETS_H
#define ETL_PROVIDERS_PACKETS_H

#include "etl/packet.h"

bool etl_ndis_packet_fragment(const struct etl_event *event, struct etl_packet *packet);
bool etl_ndis_switch_packet_fragment(const struct etl_event *event, struct etl_packet *packet);
/* PktMon 20: Id u16 | Type u16 | Name | Description. */
bool etl_pktmon_component(const struct etl_event *event, uint16_t *ret_component,
                          struct etl_span *ret_name);

bool etl_pktmon_packet(const struct etl_event *event, struct etl_packet *packet);

#endif
