/*
 * The network packet inside an event, whoever captured it.
 *
 *     event's payload:  | what the provider says of the packet | the packet's bytes | … |
 *
 * Which events have one is a row in plugin/layouts/packets.def; how it is found, a function in
 * plugin/providers/. Knows no protocol but as much of Ethernet and IP as it takes to tell them
 * apart, to know how long a packet was before it was cut, and whose it is. Nothing is allocated;
 * nothing in the payload is believed.
 */
#ifndef ETL_PACKET_H
#define ETL_PACKET_H

#include "etl/event.h"

/* What the bytes begin with; the values have names in names.def (packet_link). */
enum etl_link {
    ETL_LINK_UNKNOWN,
    ETL_LINK_ETHERNET,
    ETL_LINK_IEEE_802_11, /* decrypted, whatever its Protected bit says; no FCS */
    ETL_LINK_RAW_IP,
    ETL_LINK_TEXT,    /* of a message, no headers below it */
    ETL_LINK_MESSAGE, /* of a protocol above IP; tags of Wireshark's exported PDUs say which */
    ETL_LINK_USB,     /* USBPcap */
    ETL_LINK_BLUETOOTH_H4,
    ETL_LINK_RADIOTAP, /* 802.11 behind what the receiver said of it */
    ETL_LINK_COUNT
};

/* The most that stands before a packet: tags with two IPv6 addresses, ports and a name; a control
 * transfer's USBPcap header is 28, a radiotap header 32. */
#define ETL_PACKET_PREFIX_MAX 120

/* Seen from the traced machine (names.def: packet_direction). */
enum etl_direction { ETL_DIRECTION_UNKNOWN, ETL_DIRECTION_IN, ETL_DIRECTION_OUT };

struct etl_packet {
    enum etl_link link;
    /* What `link` has before the bytes and the event does not: made of its other fields. */
    uint8_t prefix[ETL_PACKET_PREFIX_MAX];
    uint8_t prefix_size;
    struct etl_span bytes;  /* borrowed from the payload: of the packet, or of this part of it */
    uint32_t original_size; /* on the wire, never less than bytes.size; 0: not known */
    enum etl_direction direction;
    bool start; /* the first byte of the packet is here … */
    bool end;   /* … and the last one */
    bool has_interface;
    uint32_t interface_index; /* of the network interface, as Windows numbers them */
    uint64_t place;           /* tells apart where one packet can be seen several times */
    uint16_t joined_id;       /* of parts: the joined bytes are the payload of this event; 0: no */
    bool has_vlan;
    uint16_t vlan;
    bool has_pipe; /* the next ones are there: where a USB transfer goes, by address */
    uint64_t usb_controller;
    uint64_t usb_device;
    uint64_t usb_pipe;

    bool has_group;  /* the next ones are there: one packet is reported at each place it passes */
    uint64_t group;  /* PktGroupId … */
    uint16_t number; /* … and PktNumber: the same in all reports of a packet */
    uint16_t appearance;
    uint16_t component;
    uint16_t edge;
    bool dropped;
    uint32_t drop_reason; /* names.def: pktmon_drop_reason */
    uint32_t drop_location;
};

/* False, and *ret_packet untouched, for events that carry none, or too little of one. */
bool etl_packet_of_event(const struct etl_event *event, struct etl_packet *ret_packet);

/*
 * The packet in the payload that parts with a joined_id make, `event` being that of the last part.
 * `payload` is borrowed. False likewise; parts of parts are none.
 */
bool etl_packet_of_joined(const struct etl_event *event, uint16_t joined_id,
                          struct etl_span payload, struct etl_packet *ret_packet);

/*
 * Whether the event says what a component is called: where packets are seen. The name is UTF-16LE
 * without its NUL, borrowed. Such events stand anywhere in a trace, mostly at its end.
 */
bool etl_packet_component(const struct etl_event *event, uint16_t *ret_component,
                          struct etl_span *ret_name);

/* The same of an edge of a component. */
bool etl_packet_edge(const struct etl_event *event, uint32_t *ret_edge, struct etl_span *ret_name);

/* Ids of PktMon's that are one of both: a quick first look. Which of 270 and 280 is of a component
 * that came, and which of one that went, no source tells; it had its name at any time. */
static inline bool etl_packet_names_component(uint16_t id)
{
    return id == 20 || id == 270 || id == 280;
}

static inline bool etl_packet_names_edge(uint16_t id)
{
    return id == 90;
}

/* As edges are known (ETL_KEY_EDGE): they are numbered for each component. */
static inline uint32_t etl_packet_edge_id(uint32_t component, uint32_t edge)
{
    return component << 16 | (edge & 0xFFFF);
}

/* Whether the bytes look like an IP packet of that size. */
bool etl_packet_looks_like_ip(struct etl_span bytes, uint32_t original_size);

/*
 * How long the packet was by its own IP header, layers below it included; 0 if that does not say,
 * or says less than there is.
 */
uint32_t etl_packet_size_by_header(enum etl_link link, struct etl_span bytes);

/* Who talks to whom, as far as the first headers tell. */
struct etl_packet_ends {
    uint8_t address_size;       /* 4 or 16; 0: no IP packet */
    const uint8_t *source;      /* borrowed */
    const uint8_t *destination; /* borrowed */
    uint8_t protocol;           /* of IP */
    bool has_ports;
    uint16_t source_port;
    uint16_t destination_port;
};

void etl_packet_ends(enum etl_link link, struct etl_span bytes, struct etl_packet_ends *ret_ends);

/*
 * Tells packets apart by their first bytes and their size: the same packet seen by two providers,
 * or by one at two of its layers.
 */
uint64_t etl_packet_hash(struct etl_span bytes, uint32_t original_size);

enum etl_packet_fact {
#define LAYOUT(id, class_name)
#define FIELD(type, label, ...) ETL_PACKET_FACT_##label,
#define END
#include "layouts/packet_facts.def"
#undef LAYOUT
#undef FIELD
#undef END
    ETL_PACKET_FACT_COUNT
};

static inline const struct etl_field *etl_packet_fact(enum etl_packet_fact fact)
{
    return &etl_layout(ETL_LAYOUT_packet_facts)->fields[fact];
}

#endif
