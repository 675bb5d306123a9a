/*
 * What the rest of a trace knows of its packets, learned by the index pass wherever in the file it
 * stands: whose a packet is, how it was received, where a USB transfer goes, what interfaces and
 * places are called.
 *
 *     events of TcpIp, UdpIp, TCPIP, AFD, WFP  ->  process of a connection
 *     NDIS-PacketCapture 1002                  ->  reception of the 802.11 packet after it
 *     SystemConfigEx 36                        ->  interface: name, address, speed
 *     PktMon 170                               ->  that a packet was dropped, and why
 *     PktMon 20, 30, 70 …                      ->  component: name, address, interface
 *     USB-UCX 3 to 18                          ->  bus, device and endpoint
 *
 * Asked for when a record is made, so that a frame explains itself. Memory is bounded.
 */
#ifndef ETL_TRAFFIC_H
#define ETL_TRAFFIC_H

#include "etl/limits.h"
#include "etl/packet.h"

/* Who says whose a packet is; the values have names in names.def (packet_pid_source). */
enum etl_owner_source {
    ETL_OWNER_NONE,
    ETL_OWNER_KERNEL, /* kernel events of classes TcpIp and UdpIp */
    ETL_OWNER_KERNEL_NETWORK,
    ETL_OWNER_TCPIP,
    ETL_OWNER_AFD,
    ETL_OWNER_WFP,
    ETL_OWNER_COUNT
};

struct etl_owner {
    uint32_t process_id;
    enum etl_owner_source source;
};

#define ETL_INTERFACE_TEXT_MAX \
    260 /* 256 characters and a NUL in SystemConfigEx, some of them cut */

struct etl_interface {
    uint32_t index;                    /* of a component of PktMon: its number */
    char name[ETL_INTERFACE_TEXT_MAX]; /* UTF-8, as the user calls it */
    char description[ETL_INTERFACE_TEXT_MAX];
    uint8_t address[8];
    uint8_t address_size; /* 6 for Ethernet; 0: none, or longer */
    uint64_t speed;       /* bits a second, outwards; 0: not known */
    uint32_t below;       /* of a component: the interface that it is of; 0: none, or not known */
};

struct etl_traffic;

/* NULL when out of memory. The budget is borrowed; NULL: memory alone is the limit. */
struct etl_traffic *etl_traffic_new(struct etl_budget *budget);
void etl_traffic_free(struct etl_traffic *traffic); /* NULL is fine */

/* Whether etl_traffic_learn wants to see a modern event, by its first bytes: asked for every one. */
bool etl_traffic_wants(const struct etl_traffic *traffic, const uint8_t *event);

/* The same for kernel events: asked for every event, so inline and quick. */
static inline bool etl_traffic_wants_hook(uint16_t hookid)
{
    return (hookid >> 8) == 0x06 || (hookid >> 8) == 0x08;
}

/* To be called in the order of a buffer. */
void etl_traffic_learn(struct etl_traffic *traffic, const struct etl_event *event);

/* After the last etl_traffic_learn, before the first question. */
void etl_traffic_settle(struct etl_traffic *traffic);

/* The process that a packet is of; false when nobody says. */
bool etl_traffic_owner(const struct etl_traffic *traffic, const struct etl_packet *packet,
                       int64_t raw_time, struct etl_owner *ret_owner);

/*
 * How a packet was received: a DOT11_EXTSTA_RECV_CONTEXT, borrowed. False for packets that no such
 * event stands before.
 */
bool etl_traffic_reception(const struct etl_traffic *traffic, const struct etl_packet *packet,
                           int64_t raw_time, struct etl_span *ret_reception);

/* Where a USB transfer goes; what is not known is 0. */
struct etl_usb_way {
    uint16_t bus;    /* the controller's on PCI */
    uint16_t device; /* in the order in which the trace tells of them, from 1 */
    bool has_endpoint;
    uint8_t endpoint;   /* bEndpointAddress … */
    uint8_t attributes; /* … and bmAttributes of its descriptor */
};

/* False where nothing is known, and for packets that say so themselves. */
bool etl_traffic_usb_way(const struct etl_traffic *traffic, const struct etl_packet *packet,
                         int64_t raw_time, struct etl_usb_way *ret_way);

/* Makes a packet of PktMon a dropped one if another report says that it was. */
void etl_traffic_drop(const struct etl_traffic *traffic, struct etl_packet *packet);

/* NULL when the trace does not describe it. Borrowed. */
const struct etl_interface *etl_traffic_interface(const struct etl_traffic *traffic,
                                                  uint32_t index);

/* The same of a component of PktMon; its speed is that of the interface that it is of. */
const struct etl_interface *etl_traffic_component(const struct etl_traffic *traffic,
                                                  uint32_t component);

/* Whether there were more interfaces or components than are looked through one by one: the others are not known. */
bool etl_traffic_full(const struct etl_traffic *traffic);

/* Makes an 802.11 packet one with a radiotap header, of what its reception says. */
void etl_packet_add_reception(struct etl_packet *packet, struct etl_span reception);

/* Completes the USBPcap header of a packet that has_pipe; other packets stay as they are. */
void etl_packet_add_usb_way(struct etl_packet *packet, const struct etl_usb_way *way);

#endif
