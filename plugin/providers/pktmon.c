/*
 * Microsoft-Windows-PktMon ("pktmon start -c"): a packet at one of the places that it passes.
 *
 *   0 PktGroupId u64 | 8 PktNumber u16 | 10 AppearanceCount u16 | 12 DirTag u16 | 14 PacketType u16
 *   | 16 ComponentId u16 | 18 EdgeId u16 | 20 FilterId u16 | 22 DropReason u32 | 26 DropLocation u32
 *   | 30 OriginalPayloadSize u16 | 32 LoggedPayloadSize u16 | 34 bytes
 *
 * Events 200 to 230 have DirTag to DropLocation, then DestinationIP, SourceIP (4 or 16 bytes each),
 * Protocol u8, DestinationPort u16, SourcePort u16, and the sizes and bytes (?).
 */
#include "providers/packets.h"

#define EVENT_DROP       170
#define EVENT_PAYLOAD_V6 220

/* DirTag: In, Rx and Ingress are odd; Out, Tx and Egress even. */
#define DIRECTION_TAG_MAX 6

/* PacketType: what the bytes begin with. */
enum {
    TYPE_UNKNOWN,
    TYPE_ETHERNET,
    TYPE_WIFI,
    TYPE_IP,
    TYPE_HTTP,
    TYPE_TCP,
    TYPE_UDP,
    TYPE_ARP,
    TYPE_ICMP,
    TYPE_ESP,
    TYPE_AH,
    TYPE_TCP_OR_UDP
};

/* Of IP */
enum {
    PROTOCOL_ICMP = 1,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_ESP = 50,
    PROTOCOL_AH = 51,
    PROTOCOL_ICMPV6 = 58
};

#define ICMPV6_QUERIES  128 /* types from here on are never those of ICMP in traffic */
#define UDP_HEADER_SIZE 8

/* The place of everything that PktMon numbers: it says itself which reports are of one packet. */
#define PLACE UINT64_MAX
/* Of what it does not number: with component and edge below. */
#define PLACE_OF_EDGE (UINT64_C(1) << 62)

static enum etl_direction direction_of(uint16_t tag)
{
    if (tag == 0 || tag > DIRECTION_TAG_MAX) {
        return ETL_DIRECTION_UNKNOWN;
    }
    return tag % 2 == 1 ? ETL_DIRECTION_IN : ETL_DIRECTION_OUT;
}

/* Components that do not know what they see say 0: it is IP or, mostly, Ethernet. */
static enum etl_link link_of(uint16_t type, const struct etl_packet *packet)
{
    switch (type) {
    case TYPE_UNKNOWN:
        return etl_packet_looks_like_ip(packet->bytes, packet->original_size) ? ETL_LINK_RAW_IP
                                                                              : ETL_LINK_ETHERNET;
    case TYPE_ETHERNET:
        return ETL_LINK_ETHERNET;
    case TYPE_WIFI:
        return ETL_LINK_IEEE_802_11;
    case TYPE_IP:
        return ETL_LINK_RAW_IP;
    case TYPE_HTTP:
        return ETL_LINK_TEXT;
    default:
        return type <= TYPE_TCP_OR_UDP ? ETL_LINK_MESSAGE : ETL_LINK_UNKNOWN;
    }
}

/* The size in UDP's header is the packet's; the same bytes of TCP are of a sequence number. */
static bool is_udp(const struct etl_packet *packet)
{
    const uint8_t *at = packet->bytes.at;
    uint32_t size = packet->original_size > 0 ? packet->original_size
                                              : (uint32_t)packet->bytes.size;
    return packet->bytes.size >= UDP_HEADER_SIZE && (uint32_t)(at[4] << 8 | at[5]) == size;
}

static uint8_t protocol_of(uint16_t type, const struct etl_packet *packet)
{
    switch (type) {
    case TYPE_UDP:
        return PROTOCOL_UDP;
    case TYPE_ICMP:
        return packet->bytes.at[0] >= ICMPV6_QUERIES ? PROTOCOL_ICMPV6 : PROTOCOL_ICMP;
    case TYPE_ESP:
        return PROTOCOL_ESP;
    case TYPE_AH:
        return PROTOCOL_AH;
    case TYPE_TCP_OR_UDP:
        return is_udp(packet) ? PROTOCOL_UDP : PROTOCOL_TCP;
    default:
        return PROTOCOL_TCP;
    }
}

/* Wireshark's TCP (4.6) wants addresses of IP: the unspecified ones. */
static struct etl_packet_ends unknown_ends(uint8_t protocol)
{
    static const uint8_t unspecified[16];
    return (struct etl_packet_ends){.protocol = protocol,
                                    .address_size = protocol == PROTOCOL_ICMPV6 ? 16 : 4,
                                    .source = unspecified,
                                    .destination = unspecified};
}

static void tag_message(struct etl_packet *packet, uint16_t type,
                        const struct etl_packet_ends *ends)
{
    if (type == TYPE_ARP) {
        etl_tag_text(packet, ETL_TAG_DISSECTOR, "arp");
        etl_tags_end(packet);
    } else {
        etl_tag_above_ip(packet, ends);
    }
}

/* OriginalPayloadSize, LoggedPayloadSize and the bytes. */
static bool read_bytes(struct etl_bytes *bytes, struct etl_packet *packet)
{
    uint16_t original = etl_bytes_u16(bytes);
    size_t logged = etl_bytes_u16(bytes);
    size_t left = etl_bytes_left(bytes);
    if (bytes->failed) {
        return false;
    }
    packet->bytes.size = logged < left ? logged : left;
    packet->bytes.at = etl_bytes_take(bytes, packet->bytes.size);
    packet->original_size = original >= packet->bytes.size ? original : 0;
    return packet->bytes.size > 0;
}

/* DirTag to DropLocation. Returns PacketType. */
static uint16_t read_place(struct etl_bytes *bytes, const struct etl_event *event,
                           struct etl_packet *packet)
{
    packet->direction = direction_of(etl_bytes_u16(bytes));
    uint16_t type = etl_bytes_u16(bytes);
    packet->component = etl_bytes_u16(bytes);
    packet->edge = etl_bytes_u16(bytes);
    etl_bytes_u16(bytes); /* FilterId */
    packet->drop_reason = etl_bytes_u32(bytes);
    packet->drop_location = etl_bytes_u32(bytes);
    packet->dropped = event->id == EVENT_DROP || packet->drop_reason != 0;
    return type;
}

bool etl_pktmon_packet(const struct etl_event *event, const struct etl_packet_row *row,
                       struct etl_packet *packet)
{
    (void)row;
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    packet->has_group = true;
    packet->place = PLACE;
    packet->group = etl_bytes_u64(&bytes);
    packet->number = etl_bytes_u16(&bytes);
    packet->appearance = etl_bytes_u16(&bytes);
    uint16_t type = read_place(&bytes, event, packet);
    if (!read_bytes(&bytes, packet)) {
        return false;
    }
    packet->link = link_of(type, packet);
    if (packet->link == ETL_LINK_MESSAGE) {
        struct etl_packet_ends ends = unknown_ends(protocol_of(type, packet));
        tag_message(packet, type, &ends);
    }
    return true;
}

bool etl_pktmon_payload(const struct etl_event *event, const struct etl_packet_row *row,
                        struct etl_packet *packet)
{
    (void)row;
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    uint16_t type = read_place(&bytes, event, packet);
    struct etl_packet_ends ends = {.address_size = event->id < EVENT_PAYLOAD_V6 ? 4 : 16};
    ends.destination = etl_bytes_take(&bytes, ends.address_size);
    ends.source = etl_bytes_take(&bytes, ends.address_size);
    ends.protocol = etl_bytes_u8(&bytes);
    etl_bytes_u16(&bytes); /* DestinationPort */
    etl_bytes_u16(&bytes); /* SourcePort: both are in the bytes, too */
    packet->place = PLACE_OF_EDGE | etl_packet_edge_id(packet->component, packet->edge);
    if (!read_bytes(&bytes, packet)) {
        return false;
    }
    packet->link = link_of(type, packet);
    if (packet->link == ETL_LINK_MESSAGE) {
        tag_message(packet, type, &ends);
    }
    return true;
}

/* A text up to its NUL. */
static struct etl_span read_text(struct etl_bytes *bytes)
{
    struct etl_span text = {.at = bytes->at, .size = 0};
    while (etl_bytes_u16(bytes) != 0) {
        text.size += sizeof(uint16_t);
    }
    return text;
}

bool etl_pktmon_component(const struct etl_event *event, uint16_t *ret_component,
                          struct etl_span *ret_name)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    uint16_t component = etl_bytes_u16(&bytes);
    etl_bytes_u16(&bytes); /* Type */
    struct etl_span name = read_text(&bytes);
    if (bytes.failed) {
        return false;
    }
    *ret_component = component;
    *ret_name = name;
    return name.size > 0;
}

bool etl_pktmon_edge(const struct etl_event *event, uint32_t *ret_edge, struct etl_span *ret_name)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    uint16_t component = etl_bytes_u16(&bytes);
    struct etl_span name = read_text(&bytes);
    uint16_t edge = etl_bytes_u16(&bytes);
    if (bytes.failed) {
        return false;
    }
    *ret_edge = etl_packet_edge_id(component, edge);
    *ret_name = name;
    return name.size > 0;
}
