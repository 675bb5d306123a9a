/*
 * Finds the packet of an event by the rows of packets.def, and reads as much of its headers as
 * etl/packet.h promises.
 *
 *   Ethernet  0 to | 6 from | 12 type u16, or 0x8100 and 4 bytes more for a VLAN | 14 …
 *   IPv4      0 version, length in words | 2 total length | 9 protocol | 12 from | 16 to | 20 …
 *   IPv6      0 version | 4 length after the header | 6 next header | 8 from | 24 to | 40 …
 *   TCP, UDP  0 from u16 | 2 to u16
 */
#include "etl/packet.h"

#include "providers/packets.h"

#define ETHERNET_HEADER_SIZE 14
#define VLAN_TAG_SIZE        4
#define VLAN_TAGS_MAX        2
#define IPV4_HEADER_SIZE     20
#define IPV6_HEADER_SIZE     40
#define TYPE_IPV4            0x0800
#define TYPE_IPV6            0x86DD
#define TYPE_VLAN            0x8100
#define TYPE_SERVICE_VLAN    0x88A8
#define PROTOCOL_TCP         6
#define PROTOCOL_UDP         17

/* Of the bytes that tell packets apart: addresses, ports, sequence numbers, and some content. The
 * shortest limit that pktmon is used with is 128. */
#define HASHED_MAX 96

#define GUID ETL_GUID
enum provider_id {
#define PROVIDER(id, guid) PROVIDER_##id,
#include "layouts/all.def"
    PROVIDER_COUNT
};

static const struct etl_guid providers[PROVIDER_COUNT] = {
#define PROVIDER(id, guid) [PROVIDER_##id] = guid,
#include "layouts/all.def"
};
#undef GUID

/* As many as events of other providers need: most events are of none of these. */
static const struct etl_guid *provider_of(const struct etl_event *event)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (etl_guid_equal(&providers[i], &event->provider)) {
            return &providers[i];
        }
    }
    return NULL;
}

static const struct etl_packet_row rows[] = {
#define CARRIES_RANGE(provider_id, first_id, last_id, layout_id, ...) \
    {.provider = PROVIDER_##provider_id,                              \
     .first = (first_id),                                             \
     .last = (last_id),                                               \
     .layout = ETL_LAYOUT_##layout_id,                                \
     __VA_ARGS__},
#include "layouts/all.def"
};

/* The packet of the first row for the event that finds one. */
static bool find_packet(const struct etl_event *event, struct etl_packet *packet)
{
    const struct etl_guid *provider = provider_of(event);
    for (size_t i = 0; provider != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        const struct etl_packet_row *row = &rows[i];
        if (&providers[row->provider] != provider || event->id < row->first ||
            event->id > row->last) {
            continue;
        }
        *packet = (struct etl_packet){
            .start = true, .end = true, .link = row->link, .direction = row->direction};
        if ((row->find != NULL ? row->find : etl_packet_in_field)(event, row, packet)) {
            return true;
        }
    }
    return false;
}

bool etl_packet_of_event(const struct etl_event *event, struct etl_packet *ret_packet)
{
    struct etl_packet packet;
    if (event->kind->family != ETL_FAMILY_MODERN || event->payload.size == 0 ||
        !find_packet(event, &packet)) {
        return false;
    }
    *ret_packet = packet;
    return true;
}

bool etl_packet_of_joined(const struct etl_event *event, uint16_t joined_id,
                          struct etl_span payload, struct etl_packet *ret_packet)
{
    struct etl_event joined = *event;
    joined.id = joined_id;
    joined.payload = payload;
    struct etl_packet packet;
    if (!etl_packet_of_event(&joined, &packet) || !packet.start || !packet.end) {
        return false;
    }
    *ret_packet = packet;
    return true;
}

bool etl_packet_component(const struct etl_event *event, uint16_t *ret_component,
                          struct etl_span *ret_name)
{
    return event->kind->family == ETL_FAMILY_MODERN && etl_packet_names_component(event->id) &&
           etl_guid_equal(&event->provider, &providers[PROVIDER_pktmon]) &&
           etl_pktmon_component(event, ret_component, ret_name);
}

bool etl_packet_edge(const struct etl_event *event, uint32_t *ret_edge, struct etl_span *ret_name)
{
    return event->kind->family == ETL_FAMILY_MODERN && etl_packet_names_edge(event->id) &&
           etl_guid_equal(&event->provider, &providers[PROVIDER_pktmon]) &&
           etl_pktmon_edge(event, ret_edge, ret_name);
}

static uint16_t load_big(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

/* Total length by the IP header; 0 when there is none. */
static uint32_t ip_size(struct etl_span ip)
{
    if (ip.size >= IPV4_HEADER_SIZE && ip.at[0] >> 4 == 4) {
        uint32_t header = (ip.at[0] & 0x0Fu) * 4;
        uint32_t total = load_big(ip.at + 2);
        return header >= IPV4_HEADER_SIZE && total >= header ? total : 0;
    }
    if (ip.size >= IPV6_HEADER_SIZE && ip.at[0] >> 4 == 6) {
        return IPV6_HEADER_SIZE + (uint32_t)load_big(ip.at + 4);
    }
    return 0;
}

/* The IP packet in a frame; empty when it has none. */
static struct etl_span ip_of(enum etl_link link, struct etl_span bytes)
{
    static const struct etl_span none;
    struct etl_bytes cursor = etl_bytes_of(bytes.at, bytes.size);
    if (link == ETL_LINK_RAW_IP) {
        return bytes;
    }
    const uint8_t *header = etl_bytes_take(&cursor, ETHERNET_HEADER_SIZE);
    if (link != ETL_LINK_ETHERNET || header == NULL) {
        return none;
    }
    uint16_t type = load_big(header + 12);
    for (int i = 0; i < VLAN_TAGS_MAX && (type == TYPE_VLAN || type == TYPE_SERVICE_VLAN); i++) {
        const uint8_t *tag = etl_bytes_take(&cursor, VLAN_TAG_SIZE);
        type = tag != NULL ? load_big(tag + 2) : 0;
    }
    if (type != TYPE_IPV4 && type != TYPE_IPV6) {
        return none;
    }
    return (struct etl_span){.at = cursor.at, .size = etl_bytes_left(&cursor)};
}

bool etl_packet_looks_like_ip(struct etl_span bytes, uint32_t original_size)
{
    uint32_t size = ip_size(bytes);
    return size > 0 && size == original_size;
}

uint32_t etl_packet_size_by_header(enum etl_link link, struct etl_span bytes)
{
    struct etl_span ip = ip_of(link, bytes);
    uint32_t size = ip_size(ip);
    return size >= ip.size && size > 0 ? (uint32_t)(bytes.size - ip.size) + size : 0;
}

static void find_ports(struct etl_span ip, size_t header_size, struct etl_packet_ends *ends)
{
    bool ports = ends->protocol == PROTOCOL_TCP || ends->protocol == PROTOCOL_UDP;
    if (ports && ip.size >= header_size + 4) {
        ends->has_ports = true;
        ends->source_port = load_big(ip.at + header_size);
        ends->destination_port = load_big(ip.at + header_size + 2);
    }
}

void etl_packet_ends(enum etl_link link, struct etl_span bytes, struct etl_packet_ends *ret_ends)
{
    struct etl_packet_ends ends = {0};
    struct etl_span ip = ip_of(link, bytes);
    if (ip_size(ip) > 0 && ip.at[0] >> 4 == 4) {
        bool later_fragment = (load_big(ip.at + 6) & 0x1FFF) != 0; /* has no ports of its own */
        ends.address_size = 4;
        ends.source = ip.at + 12;
        ends.destination = ip.at + 16;
        ends.protocol = ip.at[9];
        find_ports(ip, later_fragment ? ip.size : (size_t)4 * (ip.at[0] & 0x0Fu), &ends);
    } else if (ip_size(ip) > 0) {
        ends.address_size = 16;
        ends.source = ip.at + 8;
        ends.destination = ip.at + 24;
        ends.protocol = ip.at[6];
        find_ports(ip, IPV6_HEADER_SIZE, &ends);
    }
    *ret_ends = ends;
}

/* FNV-1a. A collision makes a packet somebody's copy: seldom, and it is still dissected. */
uint64_t etl_packet_hash(struct etl_span bytes, uint32_t original_size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ original_size;
    for (size_t i = 0; i < bytes.size && i < HASHED_MAX; i++) {
        hash = (hash ^ bytes.at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
