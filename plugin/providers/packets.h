/*
 * The functions that CARRIES rows name (layouts/packets*.def), and what such a row says. Each
 * function fills in what its event says; `start` and `end` are true, link and direction the row's,
 * all else zero before. False when the payload has no packet.
 */
#ifndef ETL_PROVIDERS_PACKETS_H
#define ETL_PROVIDERS_PACKETS_H

#include "etl/packet.h"

struct etl_packet_row;

typedef bool etl_packet_find(const struct etl_event *event, const struct etl_packet_row *row,
                             struct etl_packet *packet);

/* Names of fields are labels of the layout's rows; NULL: there is none such. */
struct etl_packet_row {
    uint8_t provider;
    uint16_t first; /* ids of events, from … */
    uint16_t last;  /* … and to */
    uint16_t layout;
    etl_packet_find *find; /* NULL: etl_packet_in_field, which the rest is for */
    enum etl_link link;
    enum etl_direction direction;
    const char *bytes;  /* the field with the packet */
    uint8_t skip;       /* how many of its first bytes are none of the packet's */
    const char *joined; /* a part: the field with the id of the event that the parts make … */
    const char *group;  /* … and the one that tells apart parts of several */
    /* Of messages: Wireshark's name of their dissector, of a list of heuristics, or of a table whose
     * key is `port`. */
    const char *dissector;
    const char *heuristic;
    const char *table;
    const char *tcp;              /* 0: over UDP */
    const char *source;           /* addresses, as text */
    const char *destination;      /* … */
    const char *source_port;      /* one of the two; the other one is … */
    const char *destination_port; /* … */
    uint16_t port;                /* … this */
    bool done;                    /* of USB: the transfer is over */
};

etl_packet_find etl_packet_in_field;
etl_packet_find etl_ndis_packet_fragment;
etl_packet_find etl_ndis_switch_packet_fragment;
etl_packet_find etl_pktmon_packet;
etl_packet_find etl_pktmon_payload;
etl_packet_find etl_mbim_message;
etl_packet_find etl_wfp_packet;
etl_packet_find etl_win_nat_packet;
etl_packet_find etl_smb_message;
etl_packet_find etl_usb_control;
etl_packet_find etl_usb_bulk;
etl_packet_find etl_usb_isochronous;
etl_packet_find etl_bluetooth_hci;
etl_packet_find etl_bluetooth_signal;

/* PktMon 20, 270 and 280: Id u16 | Type u16 | Name | Description. */
bool etl_pktmon_component(const struct etl_event *event, uint16_t *ret_component,
                          struct etl_span *ret_name);

/* PktMon 90: ComponentId u16 | EdgeName | EdgeId u16 | … */
bool etl_pktmon_edge(const struct etl_event *event, uint32_t *ret_edge, struct etl_span *ret_name);

/* Bits of the keyword that NDIS and others have for packets in several events. */
void etl_packet_read_parts(uint64_t keyword, struct etl_packet *packet);

/* A field that is looked for in a payload. */
struct etl_packet_field {
    const char *label; /* NULL: nothing */
    bool found;
    uint64_t number;
    struct etl_span bytes; /* the value's, without a terminator */
};

/* The first fields with these labels, in structures too. Returns what is left of a payload that ends
 * inside a field. */
struct etl_span etl_packet_fields(const struct etl_event *event, enum etl_layout_id layout,
                                  struct etl_packet_field *picks, size_t count);

/*
 * Tags of Wireshark's exported PDUs, in packet->prefix: etl_tags_start, the tags, etl_tags_end. One
 * that does not fit is left out.
 */
enum etl_tag {
    ETL_TAG_END = 0,
    ETL_TAG_DISSECTOR = 12,
    ETL_TAG_HEURISTIC = 13,
    ETL_TAG_TABLE = 14,
    ETL_TAG_IPV4_SOURCE = 20,
    ETL_TAG_IPV4_DESTINATION = 21,
    ETL_TAG_IPV6_SOURCE = 22,
    ETL_TAG_IPV6_DESTINATION = 23,
    ETL_TAG_PORT_TYPE = 24,
    ETL_TAG_SOURCE_PORT = 25,
    ETL_TAG_DESTINATION_PORT = 26,
    ETL_TAG_TABLE_KEY = 32,
};
enum { ETL_PORT_TYPE_TCP = 2, ETL_PORT_TYPE_UDP = 3 };

void etl_tag_bytes(struct etl_packet *packet, enum etl_tag tag, const void *bytes, size_t size);
void etl_tag_text(struct etl_packet *packet, enum etl_tag tag, const char *text);
void etl_tag_number(struct etl_packet *packet, enum etl_tag tag, uint32_t number);
void etl_tags_end(struct etl_packet *packet);

/* All tags of what is above IP: its protocol, and the addresses if there are any. */
void etl_tag_above_ip(struct etl_packet *packet, const struct etl_packet_ends *ends);

#endif
