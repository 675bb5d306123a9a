/*
 * Messages and packets whose place in the payload is not a field's, or that have to be looked at:
 * mobile broadband, the Filtering Platform, NAT, SMB.
 *
 *   MBIM       the payload: MessageType u32 | MessageLength u32 | …; bit 31 of the first: from the device
 *   WFP        addresses | Protocol u8 | … | ByteLength u16 | the packet above IP
 *   WinNat     … 10 u32 | IP header | transport header, as long as two of them say
 *   SMB        … PeerAddress as SOCKADDR | PacketSize u32 | [0 and u24 size |] FE "SMB" …
 */
#include "providers/packets.h"

#include <string.h>

#define KEYWORD_SEND    UINT64_C(0x100000000)
#define KEYWORD_RECEIVE UINT64_C(0x200000000)

#define MBIM_HEADER_SIZE 12
#define MBIM_FROM_DEVICE UINT32_C(0x80000000)

#define SOCKADDR_IPV4     2
#define SOCKADDR_IPV4_END 8 /* family, port, address */
#define SOCKADDR_IPV6     23
#define SOCKADDR_IPV6_END 24

#define PLACE (UINT64_MAX - 1) /* as in packet_fields.c */

bool etl_mbim_message(const struct etl_event *event, const struct etl_packet_row *row,
                      struct etl_packet *packet)
{
    const struct etl_span *payload = &event->payload;
    if (payload->size < MBIM_HEADER_SIZE || etl_load_u32(payload->at + 4) != payload->size) {
        return false;
    }
    bool in = (etl_load_u32(payload->at) & MBIM_FROM_DEVICE) != 0;
    packet->direction = in ? ETL_DIRECTION_IN : ETL_DIRECTION_OUT;
    packet->place = PLACE;
    packet->bytes = *payload;
    etl_tag_text(packet, ETL_TAG_DISSECTOR, row->dissector);
    etl_tags_end(packet);
    return true;
}

bool etl_wfp_packet(const struct etl_event *event, const struct etl_packet_row *row,
                    struct etl_packet *packet)
{
    struct etl_packet_field fields[] = {{.label = "SourceAddress"},
                                        {.label = "DestinationAddress"},
                                        {.label = "Protocol"},
                                        {.label = "MessageFrame"}};
    etl_packet_fields(event, (enum etl_layout_id)row->layout, fields, 4);
    if (fields[3].bytes.size == 0) {
        return false;
    }
    if (event->keyword & KEYWORD_SEND) {
        packet->direction = ETL_DIRECTION_OUT;
    } else if (event->keyword & KEYWORD_RECEIVE) {
        packet->direction = ETL_DIRECTION_IN;
    }
    packet->place = PLACE;
    packet->bytes = fields[3].bytes;
    const struct etl_packet_ends ends = {.address_size = (uint8_t)fields[0].bytes.size,
                                         .source = fields[0].bytes.at,
                                         .destination = fields[1].bytes.at,
                                         .protocol = (uint8_t)fields[2].number};
    etl_tag_above_ip(packet, &ends);
    return true;
}

bool etl_win_nat_packet(const struct etl_event *event, const struct etl_packet_row *row,
                        struct etl_packet *packet)
{
    struct etl_packet_field picks[] = {{.label = "ArrivalInterfaceIndex"},
                                       {.label = "PacketLength"},
                                       {.label = "IPHeader"},
                                       {.label = "TransportHeader"}};
    etl_packet_fields(event, (enum etl_layout_id)row->layout, picks, 4);
    if (!picks[2].found) {
        return false;
    }
    packet->has_interface = true;
    packet->interface_index = (uint32_t)picks[0].number;
    packet->place = PLACE;
    packet->bytes = picks[2].bytes;
    packet->bytes.size += picks[3].bytes.size; /* right behind */
    packet->original_size = picks[1].number >= packet->bytes.size ? (uint32_t)picks[1].number : 0;
    return true;
}

/* The other side's address; which side that is, no source tells. */
static void tag_peer(struct etl_packet *packet, struct etl_span address)
{
    uint16_t family = address.size >= 2 ? etl_load_u16(address.at) : 0;
    if (family == SOCKADDR_IPV4 && address.size >= SOCKADDR_IPV4_END) {
        etl_tag_bytes(packet, ETL_TAG_IPV4_DESTINATION, address.at + 4, 4);
    } else if (family == SOCKADDR_IPV6 && address.size >= SOCKADDR_IPV6_END) {
        etl_tag_bytes(packet, ETL_TAG_IPV6_DESTINATION, address.at + 8, 16);
    }
}

bool etl_smb_message(const struct etl_event *event, const struct etl_packet_row *row,
                     struct etl_packet *packet)
{
    struct etl_packet_field picks[] = {{.label = "PeerAddress"}, {.label = "PacketData"}};
    etl_packet_fields(event, (enum etl_layout_id)row->layout, picks, 2);
    struct etl_span bytes = picks[1].bytes;
    if (bytes.size > 4 && bytes.at[0] == 0) { /* as over TCP: a size comes first */
        bytes = (struct etl_span){.at = bytes.at + 4, .size = bytes.size - 4};
    }
    if (bytes.size < 4 || memcmp(bytes.at + 1, "SMB", 3) != 0) {
        return false;
    }
    packet->place = PLACE;
    packet->bytes = bytes;
    bool old = bytes.at[0] == 0xFF;
    etl_tag_text(packet, ETL_TAG_HEURISTIC, old ? "smb_netbios" : "smb2_netbios");
    tag_peer(packet, picks[0].bytes);
    etl_tags_end(packet);
    return true;
}
