/*
 * What events say of the ends of connections: payloads by the letters of layouts/owners.def.
 *
 *   SOCKADDR   family u16 | port, big-endian | 2: IPv4 at 4 | 23: flow u32, IPv6 at 8 |
 */
#include "core/names/owners.h"

#include <string.h>

#define FAMILY_IPV4   2
#define FAMILY_IPV6   23
#define SOCKADDR_IPV4 8 /* bytes up to the address's end */
#define SOCKADDR_IPV6 24

/* Groups and types of kernel events; types from 26 on are of IPv6. */
#define GROUP_TCPIP 0x06
#define GROUP_UDPIP 0x08
#define TYPE_RECV   11
#define TYPE_IPV4   10
#define TYPE_IPV6   26
#define TYPES       9 /* send, receive, connect … copy */

#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

struct owner_row {
    struct etl_guid provider;
    uint16_t first;
    uint16_t last;
    uint8_t protocol;
    uint8_t source;
    const char *payload;
};

#define GUID ETL_GUID
static const struct owner_row rows[] = {
#define OWNER(guid, first_id, last_id, ip_protocol, who, letters) \
    {.provider = guid,                                            \
     .first = (first_id),                                         \
     .last = (last_id),                                           \
     .protocol = (ip_protocol),                                   \
     .source = ETL_OWNER_##who,                                   \
     .payload = (letters)},
#include "layouts/owners.def"
};
#undef GUID

static const struct owner_row *row_of(const struct etl_guid *provider, uint16_t id)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].first <= id && id <= rows[i].last &&
            etl_guid_equal(&rows[i].provider, provider)) {
            return &rows[i];
        }
    }
    return NULL;
}

bool etl_owner_wants(const struct etl_guid *provider, uint16_t id)
{
    return row_of(provider, id) != NULL;
}

struct reading {
    struct etl_bytes bytes;
    const struct etl_event *event;
    struct etl_end local;
    struct etl_end remote;
    uint32_t process_id;
    uint8_t protocol;
};

static void set_address(struct etl_end *end, const uint8_t *at, uint8_t size)
{
    if (at != NULL) {
        memcpy(end->address, at, size);
        end->address_size = size;
    }
}

static uint16_t big_port(const uint8_t *at)
{
    return at != NULL ? (uint16_t)(at[0] << 8 | at[1]) : 0;
}

static void read_sockaddr(struct etl_bytes *bytes, struct etl_end *end)
{
    size_t size = etl_bytes_u32(bytes);
    const uint8_t *at = etl_bytes_take(bytes, size);
    uint16_t family = at != NULL && size >= SOCKADDR_IPV4 ? etl_load_u16(at) : 0;
    if (family == FAMILY_IPV4) {
        set_address(end, at + 4, 4);
        end->port = big_port(at + 2);
    } else if (family == FAMILY_IPV6 && size >= SOCKADDR_IPV6) {
        set_address(end, at + 8, 16);
        end->port = big_port(at + 2);
    }
}

/* The letters for addresses and ports; false for any other. */
static bool read_end(struct reading *reading, char letter)
{
    struct etl_bytes *bytes = &reading->bytes;
    struct etl_end *end = strchr("lmxXL", letter) != NULL ? &reading->local : &reading->remote;
    switch (letter) {
    case 'l':
    case 'r':
        set_address(end, etl_bytes_take(bytes, 4), 4);
        return true;
    case 'm':
    case 'n':
        set_address(end, etl_bytes_take(bytes, 16), 16);
        return true;
    case 'x':
    case 'y':
        end->port = big_port(etl_bytes_take(bytes, 2));
        return true;
    case 'X':
    case 'Y':
        end->port = etl_bytes_u16(bytes);
        return true;
    case 'L':
    case 'R':
        read_sockaddr(bytes, end);
        return true;
    default:
        return false;
    }
}

static void read_letter(struct reading *reading, char letter)
{
    struct etl_bytes *bytes = &reading->bytes;
    if (read_end(reading, letter)) {
        return;
    }
    switch (letter) {
    case 'P':
        reading->process_id = etl_bytes_u32(bytes);
        break;
    case 'Q':
        reading->process_id = (uint32_t)etl_bytes_u64(bytes);
        break;
    case 'H':
        reading->process_id = reading->event->process_id;
        break;
    case 'b':
        reading->protocol = etl_bytes_u8(bytes);
        break;
    case 'p':
        etl_bytes_take(bytes, reading->event->pointer_size);
        break;
    default:
        etl_bytes_take(bytes, (size_t)(letter - '0'));
    }
}

static void learn(struct etl_owners *owners, const struct etl_event *event, uint8_t protocol,
                  enum etl_owner_source source, const char *payload)
{
    struct reading reading = {.bytes = etl_bytes_of(event->payload.at, event->payload.size),
                              .event = event,
                              .protocol = protocol};
    for (; *payload != '\0'; payload++) {
        read_letter(&reading, *payload);
    }
    if (!reading.bytes.failed && event->has_time && reading.process_id != UINT32_MAX) {
        etl_owners_add(owners, reading.protocol, &reading.local, &reading.remote, event->raw_time,
                       reading.process_id, source);
    }
}

/* Since Windows XP the payload begins as that of Kernel-Network does. */
static void learn_kernel(struct etl_owners *owners, const struct etl_event *event)
{
    uint8_t type = event->hookid & 0xFF;
    bool udp = event->hookid >> 8 == GROUP_UDPIP;
    bool wide = type >= TYPE_IPV6;
    uint8_t first = wide ? TYPE_IPV6 : TYPE_IPV4;
    if (event->version == 0 || type < first || type >= first + TYPES || type == first + 7) {
        return;
    }
    bool received = udp && type == TYPE_RECV - TYPE_IPV4 + first;
    const char *payload = received ? (wide ? "P4mnxy" : "P4lrxy") : (wide ? "P4nmyx" : "P4rlyx");
    learn(owners, event, udp ? PROTOCOL_UDP : PROTOCOL_TCP, ETL_OWNER_KERNEL, payload);
}

void etl_owner_event(struct etl_owners *owners, const struct etl_event *event)
{
    if (event->has_hook) {
        if (event->hookid >> 8 == GROUP_TCPIP || event->hookid >> 8 == GROUP_UDPIP) {
            learn_kernel(owners, event);
        }
        return;
    }
    const struct owner_row *row = row_of(&event->provider, event->id);
    if (row != NULL) {
        learn(owners, event, row->protocol, (enum etl_owner_source)row->source, row->payload);
    }
}
