/*
 * Microsoft-Windows-PktMon ("pktmon start -c"): a packet at one of the places that it passes.
 *
 *   0 PktGroupId u64 | 8 PktNumber u16 | 10 AppearanceCount u16 | 12 DirTag u16 | 14 PacketType u16
 *   | 16 ComponentId u16 | 18 EdgeId u16 | 20 FilterId u16 | 22 DropReason u32 | 26 DropLocation u32
 *   | 30 OriginalPayloadSize u16 | 32 LoggedPayloadSize u16 | 34 bytes
 */
#include "providers/packets.h"

#define EVENT_DROP 170

/* DirTag: In, Rx and Ingress are odd; Out, Tx and Egress even. */
#define DIRECTION_TAG_MAX 6

/* PacketType */
enum { TYPE_UNKNOWN, TYPE_ETHERNET, TYPE_WIFI, TYPE_IP, TYPE_HTTP };

/* The place of everything that PktMon reports: it says itself which reports are of one packet. */
#define PLACE UINT64_MAX

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
        return ETL_LINK_UNKNOWN;
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
    packet->direction = direction_of(etl_bytes_u16(&bytes));
    uint16_t type = etl_bytes_u16(&bytes);
    packet->component = etl_bytes_u16(&bytes);
    packet->edge = etl_bytes_u16(&bytes);
    etl_bytes_u16(&bytes); /* FilterId */
    packet->drop_reason = etl_bytes_u32(&bytes);
    packet->drop_location = etl_bytes_u32(&bytes);
    packet->dropped = event->id == EVENT_DROP;
    bool found = read_bytes(&bytes, packet);
    packet->link = found ? link_of(type, packet) : ETL_LINK_UNKNOWN;
    return found;
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
