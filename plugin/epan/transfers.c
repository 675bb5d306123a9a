/*
 * The tables count what the events say, not the frames' own sizes: a frame is a few dozen bytes
 * that tell of thousands. The protocol of IP is the id of a conversation, for TCP and UDP may use
 * the same ports. Endpoints have nothing but their type to tell the protocol by.
 */
#include "epan/transfers.h"

#include "etl/transfer.h"

#include <epan/conversation_table.h>
#include <epan/ipproto.h>
#include <limits.h>

static void set_addresses(const struct etl_transfer *transfer, address *source,
                          address *destination)
{
    const struct etl_packet_ends *ends = &transfer->ends;
    int type = ends->address_size == 4 ? AT_IPv4 : AT_IPv6;
    set_address(source, type, ends->address_size, ends->source);
    set_address(destination, type, ends->address_size, ends->destination);
}

void etl_transfer_set_addresses(packet_info *pinfo, const struct etl_record *record)
{
    struct etl_transfer transfer;
    if (!etl_transfer_of_event(&record->event, &transfer)) {
        return;
    }
    set_addresses(&transfer, &pinfo->net_src, &pinfo->net_dst);
    copy_address_shallow(&pinfo->src, &pinfo->net_src);
    copy_address_shallow(&pinfo->dst, &pinfo->net_dst);
    pinfo->ptype = transfer.ends.protocol == IP_PROTO_TCP ? PT_TCP : PT_UDP;
    pinfo->srcport = transfer.ends.source_port;
    pinfo->destport = transfer.ends.destination_port;
}

/* The filters of tcp_ip.def and udp_ip.def, for each of Wireshark's six kinds. */
static const char *filter_of(const address *end, bool tcp, conv_filter_type_e kind)
{
    static const char *const addresses[2][2][3] = {
        {{"etl.udp_ip.source", "etl.udp_ip.destination", "etl.udp_ip.addr"},
         {"etl.udp_ip.source_v6", "etl.udp_ip.destination_v6", "etl.udp_ip.addr_v6"}},
        {{"etl.tcp_ip.source", "etl.tcp_ip.destination", "etl.tcp_ip.addr"},
         {"etl.tcp_ip.source_v6", "etl.tcp_ip.destination_v6", "etl.tcp_ip.addr_v6"}},
    };
    static const char *const ports[2][3] = {
        {"etl.udp_ip.source_port", "etl.udp_ip.destination_port", "etl.udp_ip.port"},
        {"etl.tcp_ip.source_port", "etl.tcp_ip.destination_port", "etl.tcp_ip.port"},
    };
    switch (kind) {
    case CONV_FT_SRC_ADDRESS:
    case CONV_FT_DST_ADDRESS:
    case CONV_FT_ANY_ADDRESS:
        return addresses[tcp][end->type == AT_IPv6][kind - CONV_FT_SRC_ADDRESS];
    case CONV_FT_SRC_PORT:
    case CONV_FT_DST_PORT:
    case CONV_FT_ANY_PORT:
        return ports[tcp][kind - CONV_FT_SRC_PORT];
    default:
        return CONV_FILTER_INVALID;
    }
}

static const char *conversation_filter(conv_item_t *item, conv_filter_type_e kind)
{
    return filter_of(&item->src_address, item->conv_id == IP_PROTO_TCP, kind);
}

static const char *endpoint_filter(endpoint_item_t *item, conv_filter_type_e kind)
{
    return filter_of(&item->myaddress, item->etype == ENDPOINT_TCP, kind);
}

static ct_dissector_info_t conversation_info = {conversation_filter};
static et_dissector_info_t endpoint_info = {endpoint_filter};

/*
 * Filters for a conversation have its ports only if its type is one of four; for two of them, TCP
 * and UDP, Wireshark offers to follow a stream, and there is none.
 */
#define CONVERSATION_WITH_PORTS CONVERSATION_SCTP

/* Wireshark adds up 64 bits, but takes an int at a time. */
static int next_part(uint32_t *left)
{
    int part = *left > INT_MAX ? INT_MAX : (int)*left;
    *left -= (uint32_t)part;
    return part;
}

static tap_packet_status count_conversation(void *table, packet_info *pinfo, epan_dissect_t *edt,
                                            const void *data, tap_flags_t flags)
{
    const struct etl_record *record = data;
    struct etl_transfer transfer;
    address source;
    address destination;
    (void)edt;
    if (!etl_transfer_of_event(&record->event, &transfer)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    set_addresses(&transfer, &source, &destination);
    conv_hash_t *conversations = table;
    conversations->flags = flags;
    uint32_t left = transfer.size;
    int frames = 1;
    do {
        add_conversation_table_data_with_conv_id(
            conversations, &source, &destination, transfer.ends.source_port,
            transfer.ends.destination_port, transfer.ends.protocol, frames, next_part(&left),
            &pinfo->rel_ts, &pinfo->abs_ts, &conversation_info, CONVERSATION_WITH_PORTS);
        frames = 0;
    } while (left > 0);
    return TAP_PACKET_REDRAW;
}

static tap_packet_status count_endpoints(void *table, packet_info *pinfo, epan_dissect_t *edt,
                                         const void *data, tap_flags_t flags)
{
    const struct etl_record *record = data;
    struct etl_transfer transfer;
    address source;
    address destination;
    (void)pinfo, (void)edt;
    if (!etl_transfer_of_event(&record->event, &transfer)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    set_addresses(&transfer, &source, &destination);
    endpoint_type type = transfer.ends.protocol == IP_PROTO_TCP ? ENDPOINT_TCP : ENDPOINT_UDP;
    conv_hash_t *endpoints = table;
    endpoints->flags = flags;
    uint32_t left = transfer.size;
    int frames = 1;
    do {
        int part = next_part(&left);
        add_endpoint_table_data(endpoints, &source, transfer.ends.source_port, true, frames, part,
                                &endpoint_info, type);
        add_endpoint_table_data(endpoints, &destination, transfer.ends.destination_port, false,
                                frames, part, &endpoint_info, type);
        frames = 0;
    } while (left > 0);
    return TAP_PACKET_REDRAW;
}

void etl_transfers_register(int protocol)
{
    register_conversation_table(protocol, false, count_conversation, count_endpoints);
}
