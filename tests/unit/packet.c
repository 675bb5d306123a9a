/* Packets inside events: where they are, what they begin with, and payloads that lie. */
#include "etl/packet.h"

#include "etl/keys.h"

#include "unit.h"

#define NDIS   ETL_GUID(0x2ed6006e, 0x4729, 0x4609, 0xb4, 0x23, 0x3e, 0xe7, 0xbc, 0xd6, 0x78, 0xef)
#define PKTMON ETL_GUID(0x4d4f80d9, 0xc8bd, 0x4d73, 0xbb, 0x5b, 0x19, 0xc9, 0x04, 0x02, 0xc5, 0xac)

#define WHOLE   UINT64_C(0xC0000000)
#define SEND    UINT64_C(0x100000000)
#define RECEIVE UINT64_C(0x200000000)

/* An empty UDP datagram from 192.0.2.1 port 5000 to 192.0.2.2 port 53. */
#define UDP                                                                                        \
    0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 0x13, 0x88, 0, 53, 0, 8, \
        0, 0
#define UDP_SIZE 28
#define ETHERNET 0, 0, 0x5e, 0, 0x53, 1, 0, 0, 0x5e, 0, 0x53, 2, 0x08, 0
#define IPV6                                                                                      \
    0x60, 0, 0, 0, 0, 4, 6, 64, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20, 1, \
        0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0xbb, 0, 80

static const struct etl_guid ndis = NDIS;
static const struct etl_guid pktmon = PKTMON;

static struct etl_event event_of(const struct etl_guid *provider, uint16_t id, uint64_t keyword,
                                 const uint8_t *at, size_t size)
{
    return (struct etl_event){.kind = etl_kind(ETL_KIND_EVENT64),
                              .has_provider = true,
                              .provider = *provider,
                              .id = id,
                              .keyword = keyword,
                              .pointer_size = 8,
                              .payload = {.at = at, .size = size}};
}

static bool find(const struct etl_guid *provider, uint16_t id, uint64_t keyword, const uint8_t *at,
                 size_t size, struct etl_packet *packet)
{
    struct etl_event event = event_of(provider, id, keyword, at, size);
    return etl_packet_of_event(&event, packet);
}

static const uint8_t fragment[] = {12, 0, 0, 0, 13, 0, 0, 0, 4, 0, 0, 0, 0xa, 0xb, 0xc, 0xd, 9};

static void test_fragment(void)
{
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find(&ndis, 1001, WHOLE | SEND | 1, fragment, sizeof fragment, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_ETHERNET);
    CU_ASSERT_PTR_EQUAL(packet.bytes.at, fragment + 12);
    CU_ASSERT_EQUAL(packet.bytes.size, 4);
    CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_OUT);
    CU_ASSERT_TRUE(packet.start && packet.end && packet.has_interface);
    CU_ASSERT_EQUAL(packet.interface_index, 12);
    CU_ASSERT_EQUAL(packet.place, UINT64_C(12) << 32 | 13);
    CU_ASSERT_EQUAL(packet.original_size, 0);
    CU_ASSERT_FALSE(packet.has_group);
}

static void test_keywords(void)
{
    static const struct {
        uint64_t keyword;
        enum etl_link link;
        enum etl_direction direction;
        bool start, end;
    } rows[] = {
        {WHOLE | RECEIVE | 0x10000, ETL_LINK_IEEE_802_11, ETL_DIRECTION_IN, true, true},
        {WHOLE | SEND | 0x200, ETL_LINK_RAW_IP, ETL_DIRECTION_OUT, true, true},
        {0x40000000 | 0x8000, ETL_LINK_RAW_IP, ETL_DIRECTION_UNKNOWN, true, false},
        {0x80000000 | 1, ETL_LINK_ETHERNET, ETL_DIRECTION_UNKNOWN, false, true},
        {0, ETL_LINK_ETHERNET, ETL_DIRECTION_UNKNOWN, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct etl_packet packet;
        CU_ASSERT_TRUE_FATAL(
            find(&ndis, 1001, rows[i].keyword, fragment, sizeof fragment, &packet));
        CU_ASSERT_EQUAL(packet.link, rows[i].link);
        CU_ASSERT_EQUAL(packet.direction, rows[i].direction);
        CU_ASSERT_EQUAL(packet.start, rows[i].start);
        CU_ASSERT_EQUAL(packet.end, rows[i].end);
    }
}

static void test_cut_fragment(void)
{
    static const uint8_t cut[] = {1,    0,        0,    0,   1, 0,    0, 0,   0xff, 0xff, 0xff,
                                  0xff, ETHERNET, 0x45, 0,   5, 0xdc, 0, 1,   0,    0,    64,
                                  17,   0,        0,    192, 0, 2,    1, 192, 0,    2,    2};
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find(&ndis, 1001, WHOLE | 1, cut, sizeof cut, &packet));
    CU_ASSERT_EQUAL(packet.bytes.size, 34);
    CU_ASSERT_EQUAL(packet.original_size, 1514);
}

#define TEXTS 'a', 0, 0, 0, 0, 0, 'b', 0, 'c', 0, 0, 0

static const uint8_t of_switch[] = {
    20, 0, 0, 0, 21,    0, 0, 0, 5, 0,     0, 0,    TEXTS, 2, 0, 0, 0, /* two destinations */
    6,  0, 0, 0, TEXTS, 7, 0, 0, 0, TEXTS, 3, 0,    0,     0, 1, 2, 3, 40, 0, 0, 0,
    0,  0, 0, 0, 0,     0, 0, 0, 0, 0,     0, 0,    0,     0, 0, 0, 0, 0,  0, 0, 0,
    0,  0, 0, 0, 0,     0, 0, 0, 0, 0,     0, 0x43, 6,     0, 0, 0, 0, 0,  0};

static void test_switch(void)
{
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find(&ndis, 1003, WHOLE | SEND | 1, of_switch, sizeof of_switch, &packet));
    CU_ASSERT_EQUAL(packet.bytes.size, 3);
    CU_ASSERT_EQUAL(packet.bytes.at[0], 1);
    CU_ASSERT_TRUE(packet.has_vlan);
    CU_ASSERT_EQUAL(packet.vlan, 100);
}

#define REPORT(tag, type, original, logged)                                                     \
    1, 2, 3, 4, 5, 6, 7, 8, 2, 0, 3, 0, tag, 0, type, 0, 61, 0, 2, 0, 1, 0, 208, 0, 0, 0, 0x0a, \
        0x46, 0, 0xe0, original, 0, logged, 0

static const uint8_t report[] = {REPORT(5, 3, 30, 28), UDP};

static void test_report(void)
{
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find(&pktmon, 170, 0x10, report, sizeof report, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_RAW_IP);
    CU_ASSERT_EQUAL(packet.bytes.size, UDP_SIZE);
    CU_ASSERT_EQUAL(packet.original_size, 30);
    CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_IN);
    CU_ASSERT_TRUE(packet.start && packet.end && packet.has_group && packet.dropped);
    CU_ASSERT_EQUAL(packet.group, UINT64_C(0x0807060504030201));
    CU_ASSERT_EQUAL(packet.number, 2);
    CU_ASSERT_EQUAL(packet.appearance, 3);
    CU_ASSERT_EQUAL(packet.component, 61);
    CU_ASSERT_EQUAL(packet.edge, 2);
    CU_ASSERT_EQUAL(packet.drop_reason, 208);
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_pktmon_drop_reason, 208), "Frame too long");
    CU_ASSERT_EQUAL(packet.drop_location, 0xe000460a);
    CU_ASSERT_STRING_EQUAL(etl_names_find(ETL_NAMES_pktmon_drop_location, packet.drop_location),
                           "TCPIP_TL_RCV_UDP_RECEIVE1");
    CU_ASSERT_TRUE_FATAL(find(&pktmon, 160, 0x10, report, sizeof report, &packet));
    CU_ASSERT_TRUE(packet.dropped); /* it says why */
    static const uint8_t kept[] = {1, 2, 3, 4, 5,  6, 7, 8,        2, 0,        3, 0,
                                   5, 0, 3, 0, 61, 0, 2, 0,        1, 0,        0, 0,
                                   0, 0, 0, 0, 0,  0, 0, UDP_SIZE, 0, UDP_SIZE, 0, UDP};
    CU_ASSERT_TRUE_FATAL(find(&pktmon, 160, 0x10, kept, sizeof kept, &packet));
    CU_ASSERT_FALSE(packet.dropped);
}

/* DirTag to FilterId | DropReason, DropLocation | destination, source | Protocol, two ports | sizes */
static const uint8_t payload_v4[] = {1, 0, 11, 0, 4, 0, 1, 0,        0, 0,        0, 0,
                                     0, 0, 0,  0, 0, 0, 1, 2,        3, 4,        5, 6,
                                     7, 8, 17, 0, 0, 0, 0, UDP_SIZE, 0, UDP_SIZE, 0, UDP};

static void test_payload(void)
{
    static const uint8_t tags[] = {0, 14, 0, 8, 'i', 'p', '.', 'p', 'r', 'o', 't', 'o', /* table */
                                   0, 32, 0, 4, 0,   0,   0,   17, /* its key */
                                   0, 20, 0, 4, 5,   6,   7,   8,  /* source */
                                   0, 21, 0, 4, 1,   2,   3,   4,   0,   0,   0,   0};
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find(&pktmon, 200, 0, payload_v4, sizeof payload_v4, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_MESSAGE);
    CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_IN);
    CU_ASSERT_EQUAL(packet.bytes.size, UDP_SIZE);
    CU_ASSERT_TRUE(!packet.has_group && !packet.dropped && packet.component == 4);
    CU_ASSERT_EQUAL_FATAL(packet.prefix_size, sizeof tags);
    CU_ASSERT_EQUAL(memcmp(packet.prefix, tags, sizeof tags), 0);
    uint64_t place = packet.place;
    uint8_t other[sizeof payload_v4];
    memcpy(other, payload_v4, sizeof other);
    other[4] = 5;
    CU_ASSERT_TRUE_FATAL(find(&pktmon, 210, 0, other, sizeof other, &packet));
    CU_ASSERT_NOT_EQUAL(packet.place, place);
    CU_ASSERT_FALSE(find(&pktmon, 220, 0, payload_v4, 30, &packet));
}

/* The last four bytes of the table's tags: the protocol. */
static void test_protocols(void)
{
    static const struct {
        uint8_t type, first, length, protocol;
    } rows[] = {{5, 0, 0, 6},  {6, 0, 0, 17},  {8, 8, 0, 1},          {8, 135, 0, 58},
                {9, 0, 0, 50}, {10, 0, 0, 51}, {11, 0, UDP_SIZE, 17}, {11, 0, 0, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[] = {REPORT(1, rows[i].type, UDP_SIZE, UDP_SIZE), UDP};
        struct etl_packet packet;
        uint8_t *at = bytes + sizeof bytes - UDP_SIZE;
        at[0] = rows[i].first;
        at[4] = 0;
        at[5] = rows[i].length;
        CU_ASSERT_TRUE_FATAL(find(&pktmon, 160, 0, bytes, sizeof bytes, &packet));
        CU_ASSERT_EQUAL(packet.link, ETL_LINK_MESSAGE);
        CU_ASSERT_EQUAL(packet.prefix[19], rows[i].protocol);
    }
    uint8_t arp[] = {REPORT(1, 7, UDP_SIZE, UDP_SIZE), UDP};
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find(&pktmon, 160, 0, arp, sizeof arp, &packet));
    CU_ASSERT_EQUAL(memcmp(packet.prefix, "\0\14\0\4arp", 8), 0);
}

static void test_packet_types(void)
{
    static const struct {
        uint8_t type;
        uint8_t original;
        enum etl_link link;
    } rows[] = {{0, UDP_SIZE, ETL_LINK_RAW_IP},   {0, 40, ETL_LINK_ETHERNET},
                {1, UDP_SIZE, ETL_LINK_ETHERNET}, {2, UDP_SIZE, ETL_LINK_IEEE_802_11},
                {3, UDP_SIZE, ETL_LINK_RAW_IP},   {4, UDP_SIZE, ETL_LINK_TEXT},
                {11, UDP_SIZE, ETL_LINK_MESSAGE}, {12, UDP_SIZE, ETL_LINK_UNKNOWN}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[] = {REPORT(2, rows[i].type, rows[i].original, UDP_SIZE), UDP};
        struct etl_packet packet;
        CU_ASSERT_TRUE_FATAL(find(&pktmon, 160, 0x10, bytes, sizeof bytes, &packet));
        CU_ASSERT_EQUAL(packet.link, rows[i].link);
        CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_OUT);
    }
}

static void test_others(void)
{
    struct etl_packet packet;
    CU_ASSERT_FALSE(find(&ndis, 1002, WHOLE, fragment, sizeof fragment, &packet));
    CU_ASSERT_FALSE(find(&pktmon, 1001, WHOLE, fragment, sizeof fragment, &packet));
    struct etl_event classic = event_of(&ndis, 1001, WHOLE, fragment, sizeof fragment);
    classic.kind = etl_kind(ETL_KIND_FULL64);
    CU_ASSERT_FALSE(etl_packet_of_event(&classic, &packet));
}

/* Every prefix: a packet is inside of it or is none. */
static void look_at_prefix(const uint8_t *data, size_t size)
{
    static const uint16_t ids[] = {1001, 1003, 160, 170, 240, 200, 230};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct etl_packet packet;
        struct etl_packet_ends ends;
        bool found = find(ids[i] >= 1000 ? &ndis : &pktmon, ids[i], UINT64_MAX, data, size,
                          &packet);
        if (found) {
            CU_ASSERT_TRUE(packet.bytes.size > 0 && packet.bytes.at >= data);
            CU_ASSERT_TRUE(packet.bytes.at + packet.bytes.size <= data + size);
            CU_ASSERT_TRUE(packet.original_size == 0 || packet.original_size >= packet.bytes.size);
            etl_packet_ends(packet.link, packet.bytes, &ends);
            etl_packet_hash(packet.bytes, packet.original_size);
        }
    }
    for (int link = ETL_LINK_UNKNOWN; link <= ETL_LINK_TEXT; link++) {
        struct etl_span bytes = {.at = data, .size = size};
        struct etl_packet_ends ends;
        etl_packet_ends((enum etl_link)link, bytes, &ends);
        uint32_t whole = etl_packet_size_by_header((enum etl_link)link, bytes);
        CU_ASSERT_TRUE(whole == 0 || whole >= size);
    }
}

static void test_truncations(void)
{
    static const uint8_t frame[] = {ETHERNET, UDP};
    static const uint8_t ipv6[] = {IPV6};
    unit_every_truncation(fragment, sizeof fragment, look_at_prefix);
    unit_every_truncation(of_switch, sizeof of_switch, look_at_prefix);
    unit_every_truncation(report, sizeof report, look_at_prefix);
    unit_every_truncation(payload_v4, sizeof payload_v4, look_at_prefix);
    unit_every_truncation(frame, sizeof frame, look_at_prefix);
    unit_every_truncation(ipv6, sizeof ipv6, look_at_prefix);
}

static void test_ends(void)
{
    static const uint8_t frame[] = {ETHERNET, UDP};
    static const uint8_t tagged[] = {0,    0, 0x5e, 0, 0x53, 1,   0,    0,    0x5e, 0,
                                     0x53, 2, 0x81, 0, 0,    100, 0x86, 0xdd, IPV6};
    static const uint8_t arp[] = {0, 0, 0x5e, 0, 0x53, 1, 0, 0, 0x5e, 0, 0x53, 2, 8, 6, UDP};
    struct etl_packet_ends ends;
    etl_packet_ends(ETL_LINK_ETHERNET, (struct etl_span){frame, sizeof frame}, &ends);
    CU_ASSERT_EQUAL(ends.address_size, 4);
    CU_ASSERT_EQUAL(ends.source[3], 1);
    CU_ASSERT_EQUAL(ends.destination[3], 2);
    CU_ASSERT_TRUE(ends.has_ports && ends.source_port == 5000 && ends.destination_port == 53);
    etl_packet_ends(ETL_LINK_ETHERNET, (struct etl_span){tagged, sizeof tagged}, &ends);
    CU_ASSERT_EQUAL(ends.address_size, 16);
    CU_ASSERT_EQUAL(ends.destination[15], 2);
    CU_ASSERT_TRUE(ends.has_ports && ends.source_port == 443 && ends.destination_port == 80);
    etl_packet_ends(ETL_LINK_ETHERNET, (struct etl_span){arp, sizeof arp}, &ends);
    CU_ASSERT_EQUAL(ends.address_size, 0);
}

static void test_hash(void)
{
    static const uint8_t one[] = {UDP};
    uint8_t other[] = {UDP};
    other[5]++; /* the next packet of the same sender */
    uint64_t hash = etl_packet_hash((struct etl_span){one, sizeof one}, UDP_SIZE);
    CU_ASSERT_NOT_EQUAL(hash, etl_packet_hash((struct etl_span){other, sizeof other}, UDP_SIZE));
    CU_ASSERT_NOT_EQUAL(hash, etl_packet_hash((struct etl_span){one, sizeof one}, UDP_SIZE + 1));
    CU_ASSERT_EQUAL(hash, etl_packet_hash((struct etl_span){one, sizeof one}, UDP_SIZE));
}

static const uint8_t component[] = {61, 0, 2, 0, 'x', 0, 'd', 0, 'p', 0, 0, 0, 'X', 0, 0, 0};

static void learn_prefix(const uint8_t *data, size_t size)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    struct etl_event event = event_of(&pktmon, size % 2 == 0 ? 20 : 270, 2, data, size);
    etl_keys_learn_component(keys, &event);
    etl_keys_settle(keys);
    const char *name = etl_keys_name(keys, ETL_KEY_COMPONENT, 0, 61, 0);
    CU_ASSERT_EQUAL(name != NULL, size >= 12); /* its NUL and all before */
    CU_ASSERT_TRUE(name == NULL || strcmp(name, "xdp") == 0);
    CU_ASSERT_PTR_NULL(etl_keys_name(keys, ETL_KEY_COMPONENT, 0, 62, 0));
    etl_keys_free(keys);
}

static void test_component(void)
{
    unit_every_truncation(component, sizeof component, learn_prefix);
}

UNIT_SUITE("packet", {"a whole fragment of NDIS-PacketCapture is a packet", test_fragment},
           {"keywords tell medium, direction, start and end", test_keywords},
           {"the IP header tells how long a packet was that is cut", test_cut_fragment},
           {"a packet of a virtual switch stands after its destinations", test_switch},
           {"a report of PktMon says which packet it is and where", test_report},
           {"packet types give what the packet begins with", test_packet_types},
           {"a payload above IP has the addresses that its event has", test_payload},
           {"packet types above IP give the protocol", test_protocols},
           {"other events carry none", test_others},
           {"no prefix of a payload is read past its end", test_truncations},
           {"addresses and ports are found behind a VLAN's tag too", test_ends},
           {"packets are told apart by their bytes and their size", test_hash},
           {"components are called what the trace calls them", test_component})
