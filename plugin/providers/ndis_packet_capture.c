/*
 * Microsoft-Windows-NDIS-PacketCapture ("netsh trace"): a packet, or a part of one, in an event.
 *
 *   1001  MiniportIfIndex u32 | LowerIfIndex u32 | FragmentSize u32 | bytes | …
 *   1003  MiniportIfIndex u32 | LowerIfIndex u32 | SourcePortId u32 | 3 texts
 *         | DestinationCount u32 | { PortId u32 | 3 texts } … | FragmentSize u32 | bytes
 *         | OOBDataSize u32 | slots as wide as a pointer
 *
 * What kind of packet, which way, and whether it begins or ends here: bits of the event's keyword.
 * They are those of the provider's manifest; a real trace has them for 802.11, the others are as
 * etl2pcapng reads them.
 */
#include "providers/packets.h"

#define KEYWORD_WIRELESS_WAN UINT64_C(0x200)
#define KEYWORD_TUNNEL       UINT64_C(0x8000)
#define KEYWORD_802_11       UINT64_C(0x10000)
#define KEYWORD_TRUNCATED    UINT64_C(0x2000000)
#define KEYWORD_SEND         UINT64_C(0x100000000)
#define KEYWORD_RECEIVE      UINT64_C(0x200000000)

/* NDIS_NET_BUFFER_LIST_INFO: the slot of NDIS_NET_BUFFER_LIST_8021Q_INFO, and the VLAN in it. */
#define OOB_SLOT_8021Q 4
#define OOB_VLAN_SHIFT 4
#define OOB_VLAN_MASK  0x0FFF
#define SWITCH_TEXTS   3

static void read_keyword(uint64_t keyword, struct etl_packet *packet)
{
    if (keyword & KEYWORD_802_11) {
        packet->link = ETL_LINK_IEEE_802_11;
    } else if (keyword & (KEYWORD_WIRELESS_WAN | KEYWORD_TUNNEL)) {
        packet->link = ETL_LINK_RAW_IP;
    } else {
        packet->link = ETL_LINK_ETHERNET;
    }
    if (keyword & KEYWORD_SEND) {
        packet->direction = ETL_DIRECTION_OUT;
    } else if (keyword & KEYWORD_RECEIVE) {
        packet->direction = ETL_DIRECTION_IN;
    }
    etl_packet_read_parts(keyword, packet);
}

static void read_interface(struct etl_bytes *bytes, struct etl_packet *packet)
{
    uint32_t miniport = etl_bytes_u32(bytes);
    packet->interface_index = miniport;
    packet->has_interface = true;
    packet->place = (uint64_t)miniport << 32 | etl_bytes_u32(bytes);
}

/* FragmentSize and the fragment; what the event does not hold is gone. False when there is nothing.
 */
static bool read_fragment(const struct etl_event *event, struct etl_bytes *bytes,
                          struct etl_packet *packet)
{
    size_t size = etl_bytes_u32(bytes);
    size_t left = etl_bytes_left(bytes);
    if (bytes->failed) {
        return false;
    }
    packet->bytes.size = size < left ? size : left;
    packet->bytes.at = etl_bytes_take(bytes, packet->bytes.size);
    read_keyword(event->keyword, packet);
    if (packet->start && packet->end && (event->keyword & KEYWORD_TRUNCATED || size > left)) {
        packet->original_size = etl_packet_size_by_header(packet->link, packet->bytes);
    }
    return packet->bytes.size > 0;
}

bool etl_ndis_packet_fragment(const struct etl_event *event, const struct etl_packet_row *row,
                              struct etl_packet *packet)
{
    (void)row;
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    read_interface(&bytes, packet);
    return read_fragment(event, &bytes, packet);
}

static void skip_texts(struct etl_bytes *bytes)
{
    for (int text = 0; text < SWITCH_TEXTS; text++) {
        while (etl_bytes_u16(bytes) != 0) {
        }
    }
}

/* The slots are of the traced machine; a slot that is not there says nothing. */
static void read_vlan(const struct etl_event *event, struct etl_bytes *bytes,
                      struct etl_packet *packet)
{
    size_t size = etl_bytes_u32(bytes);
    struct etl_bytes slots = etl_bytes_sub(bytes, size);
    etl_bytes_take(&slots, (size_t)OOB_SLOT_8021Q * event->pointer_size);
    uint32_t slot = etl_bytes_u32(&slots);
    packet->vlan = (uint16_t)(slot >> OOB_VLAN_SHIFT & OOB_VLAN_MASK);
    packet->has_vlan = packet->vlan != 0;
}

bool etl_ndis_switch_packet_fragment(const struct etl_event *event,
                                     const struct etl_packet_row *row, struct etl_packet *packet)
{
    (void)row;
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    read_interface(&bytes, packet);
    uint32_t port = etl_bytes_u32(&bytes);
    packet->place ^= (uint64_t)port << 16; /* one packet is seen at several ports of the switch */
    skip_texts(&bytes);
    uint32_t destinations = etl_bytes_u32(&bytes);
    for (uint32_t i = 0; i < destinations && !bytes.failed; i++) {
        etl_bytes_take(&bytes, sizeof(uint32_t));
        skip_texts(&bytes);
    }
    bool found = read_fragment(event, &bytes, packet);
    if (found) {
        read_vlan(event, &bytes, packet);
    }
    return found;
}
