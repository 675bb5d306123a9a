/*
 * What the kernel's TcpIp and UdpIp events tell: that many bytes, from one end of a connection to
 * the other.
 *
 * Which rows say so is written in plugin/layouts/kernel/tcp_ip.def and udp_ip.def. There is no
 * packet in such an event; packets are packet.h's.
 */
#ifndef ETL_TRANSFER_H
#define ETL_TRANSFER_H

#include "etl/packet.h"

struct etl_transfer {
    struct etl_packet_ends ends; /* addresses are borrowed from the payload; ports are there */
    uint32_t size;               /* bytes, as the event counts them */
};

/* Groups of hook ids. */
#define ETL_GROUP_TCP_IP 0x06
#define ETL_GROUP_UDP_IP 0x08

/* Asked for every event: most are of other groups. */
static inline bool etl_event_may_transfer(const struct etl_event *event)
{
    unsigned group = event->hookid >> 8;
    return event->has_hook && (group == ETL_GROUP_TCP_IP || group == ETL_GROUP_UDP_IP);
}

/*
 * False, and *ret_transfer untouched, for other events, and for those of these classes that have no
 * two ends or are cut short.
 */
bool etl_transfer_of_event(const struct etl_event *event, struct etl_transfer *ret_transfer);

#endif
