/*
 * Owners of connections (owners.c), receptions of 802.11 packets by the packet's interface and time,
 * ways of USB transfers (usb_ways.c), descriptions of interfaces by index.
 */
#include "etl/traffic.h"

#include "core/names/drops.h"
#include "core/names/owners.h"
#include "core/names/usb_ways.h"
#include "etl/decode.h"
#include "providers/packets.h"

#include <stdlib.h>
#include <string.h>

/* More than Windows has; they are looked through one by one. */
#define INTERFACES_MAX 1024

/* EVENT_HEADER */
#define PROVIDER_AT 0x18
#define ID_AT       0x28

#define NDIS_PACKET_CAPTURE \
    ETL_GUID(0x2ed6006e, 0x4729, 0x4609, 0xb4, 0x23, 0x3e, 0xe7, 0xbc, 0xd6, 0x78, 0xef)
#define NDIS_PACKET       1001
#define NDIS_METADATA     1002
#define NDIS_SOURCE_INFO  5101
#define PKTMON            ETL_GUID(0x4d4f80d9, 0xc8bd, 0x4d73, 0xbb, 0x5b, 0x19, 0xc9, 0x04, 0x02, 0xc5, 0xac)
#define PKTMON_NUMBER     30
#define PKTMON_BYTES      70
#define PKTMON_DROP       170
#define PROPERTY_IF_INDEX 1
#define PROPERTY_ADDRESS  6
#define SYSTEM_CONFIG_EX \
    ETL_GUID(0x9b79ee91, 0xb5fd, 0x41c0, 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0)
#define TYPE_NET_INTERFACE 36

/* DOT11_EXTSTA_RECV_CONTEXT, its end with 8-byte pointers. */
#define RECEPTION_SIZE     48
#define RECEPTION_SIZE_MIN 25 /* up to the rate */

struct reception {
    int64_t raw_time; /* of the packet */
    uint64_t place;   /* of the packet: miniport and lower interface */
    uint8_t bytes[RECEPTION_SIZE];
    uint8_t size;
};

struct descriptions {
    struct etl_interface *all; /* INTERFACES_MAX of them, or NULL */
    size_t count;
    bool full; /* and one more came */
};

struct etl_traffic {
    struct etl_budget *budget; /* borrowed */
    struct etl_owners owners;
    struct etl_usb_ways usb_ways;
    struct etl_drops drops;
    struct reception *receptions;
    size_t reception_count;
    size_t reception_room;
    bool pending; /* the next packet of `next.place` gets it */
    struct reception next;
    struct descriptions interfaces;
    struct descriptions components; /* of PktMon */
};

static const struct etl_guid ndis = NDIS_PACKET_CAPTURE;
static const struct etl_guid pktmon = PKTMON;
static const struct etl_guid system_config_ex = SYSTEM_CONFIG_EX;

struct etl_traffic *etl_traffic_new(struct etl_budget *budget)
{
    struct etl_traffic *traffic = calloc(1, sizeof *traffic);
    if (traffic != NULL) {
        traffic->budget = budget;
        traffic->owners.budget = budget;
        traffic->usb_ways.budget = budget;
        traffic->drops.budget = budget;
    }
    return traffic;
}

void etl_traffic_free(struct etl_traffic *traffic)
{
    if (traffic != NULL) {
        etl_owners_free(&traffic->owners);
        etl_usb_ways_free(&traffic->usb_ways);
        etl_drops_free(&traffic->drops);
        etl_budget_free(traffic->budget, traffic->receptions, traffic->reception_room,
                        sizeof *traffic->receptions);
        free(traffic->interfaces.all);
        free(traffic->components.all);
        free(traffic);
    }
}

bool etl_traffic_wants(const struct etl_traffic *traffic, const uint8_t *event)
{
    struct etl_guid provider;
    uint16_t id = etl_load_u16(event + ID_AT);
    memcpy(provider.bytes, event + PROVIDER_AT, sizeof provider.bytes);
    if (etl_guid_equal(&provider, &ndis)) {
        return id == NDIS_METADATA || id == NDIS_SOURCE_INFO ||
               (id == NDIS_PACKET && traffic->pending);
    }
    if ((id == PKTMON_NUMBER || id == PKTMON_BYTES || id == PKTMON_DROP) &&
        etl_guid_equal(&provider, &pktmon)) {
        return true;
    }
    return etl_owner_wants(&provider, id) || etl_usb_ways_want(&provider, id);
}

/* MiniportIfIndex, LowerIfIndex, MetadataSize, Metadata. */
static void learn_metadata(struct etl_traffic *traffic, const struct etl_event *event)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    uint64_t miniport = etl_bytes_u32(&bytes);
    uint64_t lower = etl_bytes_u32(&bytes);
    size_t size = etl_bytes_u32(&bytes);
    size_t left = etl_bytes_left(&bytes);
    size = size < left ? size : left;
    size = size < RECEPTION_SIZE ? size : RECEPTION_SIZE;
    traffic->pending = !bytes.failed && size >= RECEPTION_SIZE_MIN;
    if (traffic->pending) {
        traffic->next.place = miniport << 32 | lower;
        traffic->next.size = (uint8_t)size;
        memcpy(traffic->next.bytes, bytes.at, size);
    }
}

static void add_reception(struct etl_traffic *traffic)
{
    struct reception *receptions = etl_budget_room(traffic->budget, traffic->receptions,
                                                   traffic->reception_count, 1,
                                                   &traffic->reception_room, sizeof *receptions);
    if (receptions != NULL) {
        traffic->receptions = receptions;
        traffic->receptions[traffic->reception_count++] = traffic->next;
    }
}

/* The packet that metadata were waiting for, if it is of the same interface. */
static void learn_packet(struct etl_traffic *traffic, const struct etl_event *event)
{
    struct etl_packet packet;
    if (traffic->pending && etl_packet_of_event(event, &packet) &&
        packet.place == traffic->next.place && packet.start) {
        traffic->pending = false;
        traffic->next.raw_time = event->raw_time;
        if (packet.link == ETL_LINK_IEEE_802_11 && event->has_time) {
            add_reception(traffic);
        }
    }
}

static struct etl_interface *find_description(const struct descriptions *known, uint32_t index)
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->all[i].index == index) {
            return &known->all[i];
        }
    }
    return NULL;
}

/* The one that has this index, or one more to be filled in; NULL: no room. */
static struct etl_interface *description_of(struct descriptions *known, uint32_t index)
{
    struct etl_interface *one = find_description(known, index);
    if (one != NULL) {
        return one;
    }
    if (known->all == NULL) {
        known->all = calloc(INTERFACES_MAX, sizeof *known->all);
    }
    known->full |= known->count == INTERFACES_MAX;
    if (known->all == NULL || known->full) {
        return NULL;
    }
    one = &known->all[known->count++];
    one->index = index;
    return one;
}

static void set_address(struct etl_interface *one, struct etl_span address)
{
    if (address.size > 0 && address.size <= sizeof one->address) {
        one->address_size = (uint8_t)address.size;
        memcpy(one->address, address.at, address.size);
    }
}

static void learn_interface(struct etl_traffic *traffic, const struct etl_event *event)
{
    struct etl_packet_field picks[] = {{.label = "InterfaceIndex"},
                                       {.label = "Alias"},
                                       {.label = "Description"},
                                       {.label = "PhysicalAddress"},
                                       {.label = "TransmitLinkSpeed"}};
    etl_packet_fields(event, ETL_LAYOUT_system_config_ex_net_interface, picks, 5);
    struct etl_interface *one = picks[2].found ? description_of(&traffic->interfaces,
                                                                (uint32_t)picks[0].number)
                                               : NULL;
    if (one == NULL) {
        return;
    }
    etl_utf8_of_utf16(picks[1].bytes.at, picks[1].bytes.size, one->name, sizeof one->name);
    etl_utf8_of_utf16(picks[2].bytes.at, picks[2].bytes.size, one->description,
                      sizeof one->description);
    set_address(one, picks[3].bytes);
    one->speed = picks[4].number != UINT64_MAX ? picks[4].number : 0;
}

/* NDIS-PacketCapture's own rundown: SourceId u8, SourceName, IfIndex u32. For who has no better. */
static void learn_source(struct etl_traffic *traffic, const struct etl_event *event)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    etl_bytes_u8(&bytes);
    struct etl_span name = {.at = bytes.at, .size = 0};
    while (etl_bytes_u16(&bytes) != 0) {
        name.size += sizeof(uint16_t);
    }
    uint32_t index = etl_bytes_u32(&bytes);
    struct etl_interface *one = bytes.failed ? NULL : description_of(&traffic->interfaces, index);
    if (one != NULL && one->name[0] == '\0') {
        etl_utf8_of_utf16(name.at, name.size, one->name, sizeof one->name);
    }
}

static void learn_component_names(struct etl_interface *one, const struct etl_event *event)
{
    struct etl_packet_field picks[] = {{.label = "Name"}, {.label = "Description"}};
    etl_packet_fields(event, ETL_LAYOUT_pktmon_component, picks, 2);
    etl_utf8_of_utf16(picks[0].bytes.at, picks[0].bytes.size, one->name, sizeof one->name);
    etl_utf8_of_utf16(picks[1].bytes.at, picks[1].bytes.size, one->description,
                      sizeof one->description);
}

/* A component u16 | its type u16 and names, or a property's type u16 | u32, or size u32 and bytes. */
static void learn_component(struct etl_traffic *traffic, const struct etl_event *event)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    uint16_t component = etl_bytes_u16(&bytes);
    uint16_t type = etl_bytes_u16(&bytes);
    uint32_t number = etl_bytes_u32(&bytes);
    struct etl_interface *one = bytes.failed ? NULL
                                             : description_of(&traffic->components, component);
    if (one == NULL) {
        return;
    }
    if (etl_packet_names_component(event->id)) {
        learn_component_names(one, event);
    } else if (event->id == PKTMON_NUMBER && type == PROPERTY_IF_INDEX) {
        one->below = number;
    } else if (event->id == PKTMON_BYTES && type == PROPERTY_ADDRESS) {
        struct etl_bytes address = etl_bytes_sub(&bytes, number);
        set_address(one, (struct etl_span){.at = address.at, .size = etl_bytes_left(&address)});
    }
}

static void learn_drop(struct etl_traffic *traffic, const struct etl_event *event)
{
    struct etl_packet packet;
    if (etl_packet_of_event(event, &packet)) {
        etl_drops_learn(&traffic->drops, &packet, event->raw_time);
    }
}

static bool is_component_event(const struct etl_event *event)
{
    return (etl_packet_names_component(event->id) || event->id == PKTMON_NUMBER ||
            event->id == PKTMON_BYTES) &&
           etl_guid_equal(&event->provider, &pktmon);
}

void etl_traffic_learn(struct etl_traffic *traffic, const struct etl_event *event)
{
    bool modern = event->kind->family == ETL_FAMILY_MODERN;
    if (modern && etl_guid_equal(&event->provider, &ndis)) {
        if (event->id == NDIS_METADATA) {
            learn_metadata(traffic, event);
        } else if (event->id == NDIS_SOURCE_INFO) {
            learn_source(traffic, event);
        } else {
            learn_packet(traffic, event);
        }
    } else if (!modern && !event->has_hook) {
        if (event->opcode == TYPE_NET_INTERFACE && event->has_provider &&
            etl_guid_equal(&event->provider, &system_config_ex)) {
            learn_interface(traffic, event);
        }
    } else if (modern && is_component_event(event)) {
        learn_component(traffic, event);
    } else if (modern && event->id == PKTMON_DROP && etl_guid_equal(&event->provider, &pktmon)) {
        learn_drop(traffic, event);
    } else if (modern && etl_usb_ways_want(&event->provider, event->id)) {
        etl_usb_ways_learn(&traffic->usb_ways, event);
    } else {
        etl_owner_event(&traffic->owners, event);
    }
}

static int compare(const void *left, const void *right)
{
    const struct reception *a = left;
    const struct reception *b = right;
    if (a->raw_time != b->raw_time) {
        return a->raw_time < b->raw_time ? -1 : 1;
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

void etl_traffic_settle(struct etl_traffic *traffic)
{
    etl_owners_settle(&traffic->owners);
    etl_usb_ways_settle(&traffic->usb_ways);
    etl_drops_settle(&traffic->drops);
    for (size_t i = 0; i < traffic->components.count; i++) {
        struct etl_interface *component = &traffic->components.all[i];
        const struct etl_interface *below = etl_traffic_interface(traffic, component->below);
        component->speed = below != NULL ? below->speed : 0;
    }
    if (traffic->reception_count > 0) {
        qsort(traffic->receptions, traffic->reception_count, sizeof(struct reception), compare);
    }
}

static struct etl_end end_of(const struct etl_packet_ends *ends, bool source)
{
    struct etl_end end = {.address_size = ends->address_size,
                          .port = source ? ends->source_port : ends->destination_port};
    memcpy(end.address, source ? ends->source : ends->destination, ends->address_size);
    return end;
}

/* The end on this machine is the sender of what goes out; a switch sees it the other way round. */
bool etl_traffic_owner(const struct etl_traffic *traffic, const struct etl_packet *packet,
                       int64_t raw_time, struct etl_owner *ret_owner)
{
    struct etl_packet_ends ends;
    if (traffic->owners.count == 0) {
        return false;
    }
    etl_packet_ends(packet->link, packet->bytes, &ends);
    if (!ends.has_ports) {
        return false;
    }
    struct etl_end source = end_of(&ends, true);
    struct etl_end destination = end_of(&ends, false);
    bool in = packet->direction == ETL_DIRECTION_IN;
    const struct etl_end *local = in ? &destination : &source;
    const struct etl_end *remote = in ? &source : &destination;
    return etl_owners_find(&traffic->owners, ends.protocol, local, remote, raw_time, ret_owner) ||
           etl_owners_find(&traffic->owners, ends.protocol, remote, local, raw_time, ret_owner);
}

bool etl_traffic_reception(const struct etl_traffic *traffic, const struct etl_packet *packet,
                           int64_t raw_time, struct etl_span *ret_reception)
{
    const struct reception wanted = {.raw_time = raw_time, .place = packet->place};
    if (traffic->reception_count == 0 || packet->link != ETL_LINK_IEEE_802_11) {
        return false;
    }
    const struct reception *found = bsearch(&wanted, traffic->receptions, traffic->reception_count,
                                            sizeof wanted, compare);
    if (found != NULL) {
        *ret_reception = (struct etl_span){.at = found->bytes, .size = found->size};
    }
    return found != NULL;
}

bool etl_traffic_usb_way(const struct etl_traffic *traffic, const struct etl_packet *packet,
                         int64_t raw_time, struct etl_usb_way *ret_way)
{
    return etl_usb_ways_find(&traffic->usb_ways, packet, raw_time, ret_way);
}

void etl_traffic_drop(const struct etl_traffic *traffic, struct etl_packet *packet)
{
    etl_drops_tell(&traffic->drops, packet);
}

const struct etl_interface *etl_traffic_interface(const struct etl_traffic *traffic, uint32_t index)
{
    return find_description(&traffic->interfaces, index);
}

const struct etl_interface *etl_traffic_component(const struct etl_traffic *traffic,
                                                  uint32_t component)
{
    return find_description(&traffic->components, component);
}

bool etl_traffic_full(const struct etl_traffic *traffic)
{
    return traffic->interfaces.full || traffic->components.full;
}
