/*
 * What TcpIp and UdpIp events are to Wireshark: something that goes from one end to another. They
 * set a frame's addresses and ports, and are counted in the conversations and endpoints of protocol
 * etl by the bytes that they tell of.
 */
#ifndef ETL_EPAN_TRANSFERS_H
#define ETL_EPAN_TRANSFERS_H

#include "compat/compat.h"

#include "etl/record.h"

#include <epan/packet_info.h>

/* After the tap "etl" is registered, whose data is the frame's struct etl_record. */
void etl_transfers_register(int protocol);

/* Nothing for other events. The addresses are borrowed from the frame's bytes. */
void etl_transfer_set_addresses(packet_info *pinfo, const struct etl_record *record);

#endif
