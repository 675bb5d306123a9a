/* Packets of the providers whose rows name a field, or whose packets have a header made for them. */
#include "etl/packet.h"
#include "etl/traffic.h"

#include "unit.h"

#define DNS_SERVER \
    ETL_GUID(0xeb79061a, 0xa566, 0x4698, 0x91, 0x19, 0x3e, 0xd2, 0x80, 0x70, 0x60, 0xe7)
#define WFP ETL_GUID(0xc22d1b14, 0xc242, 0x49de, 0x9f, 0x17, 0x1d, 0x76, 0xb8, 0xb9, 0xc4, 0x58)
#define BLUETOOTH \
    ETL_GUID(0x8a1f9517, 0x3a8c, 0x4a9e, 0xa0, 0x18, 0x4f, 0x17, 0xa2, 0x00, 0xf2, 0x77)
#define USB_UCX ETL_GUID(0x36da592d, 0xe43a, 0x4e28, 0xaf, 0x6f, 0x4b, 0xc5, 0x7c, 0x5a, 0x11, 0xe8)
#define MBIM    ETL_GUID(0xa42fe227, 0xa7bf, 0x4483, 0xa5, 0x02, 0x6b, 0xcd, 0xa4, 0x28, 0xcd, 0x96)

static bool find(struct etl_guid provider, uint16_t id, uint64_t keyword, const uint8_t *at,
                 size_t size, struct etl_packet *packet)
{
    etl_layouts_start();
    const struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                                    .has_provider = true,
                                    .provider = provider,
                                    .id = id,
                                    .keyword = keyword,
                                    .pointer_size = 8,
                                    .payload = {.at = at, .size = size}};
    return etl_packet_of_event(&event, packet);
}

/* TCP, InterfaceIP, Source, RD, QNAME, QTYPE, XID, Port, Flags, BufferSize, PacketData, two texts */
static const uint8_t query[] = {1,   '1', '9', '2',  '.',  '0', '.', '2', '.', '5', '3', 0,
                                ':', ':', '1', 0,    1,    '.', 0,   1,   0,   0,   0,   7,
                                0,   0,   0,   0x39, 0x30, 0,   0,   0,   1,   0,   0,   4,
                                0,   0,   0,   0xa,  0xb,  0xc, 0xd, 0,   0,   0,   0};
#define QUERY_DATA_AT 39

static void test_message(void)
{
    static const uint8_t tags[] = {
        0, 12, 0, 4,  'd', 'n', 's',  0,                                        /* dissector */
        0, 22, 0, 16, 0,   0,   0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, /* from ::1 */
        0, 21, 0, 4,  192, 0,   2,    53,                                       /* to */
        0, 24, 0, 4,  0,   0,   0,    2,                                        /* over TCP */
        0, 25, 0, 4,  0,   0,   0x30, 0x39,             /* from port 12345 */
        0, 26, 0, 4,  0,   0,   0,    53,   0, 0, 0, 0, /* to port, end */
        0, 4};                                          /* size over TCP */
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)DNS_SERVER, 256, 0, query, sizeof query, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_MESSAGE);
    CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_IN);
    CU_ASSERT_PTR_EQUAL(packet.bytes.at, query + QUERY_DATA_AT);
    CU_ASSERT_EQUAL(packet.bytes.size, 4);
    CU_ASSERT_EQUAL(packet.original_size, 0);
    CU_ASSERT_EQUAL_FATAL(packet.prefix_size, sizeof tags);
    CU_ASSERT_EQUAL(memcmp(packet.prefix, tags, sizeof tags), 0);
}

static void find_prefix_of_query(const uint8_t *data, size_t size)
{
    struct etl_packet packet;
    bool found = find((struct etl_guid)DNS_SERVER, 256, 0, data, size, &packet);
    CU_ASSERT_EQUAL(found, size > QUERY_DATA_AT);
    if (found && size < QUERY_DATA_AT + 4) { /* cut: it says how long it was */
        CU_ASSERT_EQUAL(packet.bytes.size, size - QUERY_DATA_AT);
        CU_ASSERT_EQUAL(packet.original_size, 4);
    }
}

static void test_cut_message(void)
{
    unit_every_truncation(query, sizeof query, find_prefix_of_query);
}

/* FragmentEventId 60011, GroupId 5, ByteLength, a part of a payload */
static const uint8_t part[] = {0x6b, 0xea, 5, 0, 0, 0, 2, 0, 0, 0, 0xa, 0xb};
/* SourceAddress, DestinationAddress, Protocol, ByteLength, MessageFrame */
static const uint8_t datagram[] = {192, 0, 2, 1, 192, 0, 2, 2, 17, 2, 0, 0xa, 0xb};

static void test_parts(void)
{
    struct etl_packet packet;
    struct etl_packet other;
    const struct etl_event event = {
        .kind = etl_kind(ETL_KIND_EVENT64), .provider = WFP, .id = 2000, .pointer_size = 8};
    const struct etl_span payload = {.at = datagram, .size = sizeof datagram};
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)WFP, 2000, 0x40000000, part, sizeof part, &packet));
    CU_ASSERT_TRUE(packet.start && !packet.end);
    CU_ASSERT_EQUAL(packet.joined_id, 60011);
    uint8_t second[sizeof part];
    memcpy(second, part, sizeof part);
    second[2] = 6;
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)WFP, 2000, 0, second, sizeof second, &other));
    CU_ASSERT_NOT_EQUAL(packet.place, other.place);
    CU_ASSERT_TRUE(etl_packet_of_joined(&event, packet.joined_id, payload, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_MESSAGE);
    CU_ASSERT_EQUAL(packet.bytes.size, 2);
    CU_ASSERT_FALSE(etl_packet_of_joined(&event, 2000, payload, &packet));
    CU_ASSERT_FALSE(etl_packet_of_joined(&event, 1, payload, &packet));
}

static void test_bluetooth(void)
{
    /* CommandPacketsAllowed, AclWriteCredits, BIP_Type, BIP_DataLen, BIP_Data */
    uint8_t data[] = {1, 8, 0, 2, 2, 0, 0, 0, 0x0e, 0};
    static const struct {
        uint8_t type, h4;
        enum etl_direction direction;
    } rows[] = {{1, 1, ETL_DIRECTION_OUT},
                {2, 4, ETL_DIRECTION_IN},
                {3, 2, ETL_DIRECTION_IN},
                {4, 2, ETL_DIRECTION_OUT},
                {5, 3, ETL_DIRECTION_UNKNOWN}};
    struct etl_packet packet;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        data[3] = rows[i].type;
        CU_ASSERT_TRUE_FATAL(find((struct etl_guid)BLUETOOTH, 402, 0, data, sizeof data, &packet));
        CU_ASSERT_EQUAL(packet.link, ETL_LINK_BLUETOOTH_H4);
        CU_ASSERT_TRUE(packet.prefix_size == 1 && packet.prefix[0] == rows[i].h4);
        CU_ASSERT_EQUAL(packet.direction, rows[i].direction);
    }
    data[3] = 6;
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)BLUETOOTH, 402, 0, data, sizeof data, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_UNKNOWN);
}

#define UCX_FACTS_SIZE   40
#define URB_BULK_SIZE    128
#define URB_CONTROL_SIZE 136

/* A control transfer that is done, with two bytes of what it got. */
static void make_control(uint8_t data[UCX_FACTS_SIZE + URB_CONTROL_SIZE + 8])
{
    uint8_t *urb = data + UCX_FACTS_SIZE;
    memset(data, 0, UCX_FACTS_SIZE + URB_CONTROL_SIZE + 8);
    data[24] = 0x40; /* IRP */
    urb[2] = 8;      /* Function */
    urb[0x24] = 18;  /* TransferBufferLength */
    urb[0x80] = 0x80;
    urb[0x81] = 6;
    data[UCX_FACTS_SIZE + URB_CONTROL_SIZE + 4] = 2;
    data[UCX_FACTS_SIZE + URB_CONTROL_SIZE + 6] = 0x12;
}

static void test_usb(void)
{
    static const uint8_t done[] = {28, 0, 0x40, 0, 0, 0, 0, 0,    0, 0,  0, 0, 0, 0,
                                   8,  0, 1,    0, 0, 0, 0, 0x80, 2, 18, 0, 0, 0, 3};
    uint8_t data[UCX_FACTS_SIZE + URB_CONTROL_SIZE + 8];
    struct etl_packet packet;
    make_control(data);
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)USB_UCX, 22, 0, data, sizeof data, &packet));
    CU_ASSERT_EQUAL(packet.link, ETL_LINK_USB);
    CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_IN);
    CU_ASSERT_EQUAL_FATAL(packet.prefix_size, sizeof done);
    CU_ASSERT_EQUAL(memcmp(packet.prefix, done, sizeof done), 0);
    CU_ASSERT_TRUE(packet.bytes.size == 2 && packet.bytes.at[0] == 0x12);
    CU_ASSERT_EQUAL(packet.original_size, 18);
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)USB_UCX, 20, 0, data, sizeof data, &packet));
    CU_ASSERT_EQUAL(packet.prefix[27], 0); /* the stage of the set-up, whose 8 bytes are the data */
    CU_ASSERT_TRUE(packet.bytes.size == 8 && packet.bytes.at[1] == 6);
}

static void test_usb_way(void)
{
    uint8_t data[UCX_FACTS_SIZE + URB_BULK_SIZE];
    struct etl_packet packet;
    const struct etl_usb_way way = {
        .bus = 4, .device = 258, .has_endpoint = true, .endpoint = 0x83, .attributes = 3};
    memset(data, 0, sizeof data);
    data[0] = 0x10;
    data[8] = 0x20;
    data[16] = 0x30;
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)USB_UCX, 26, 0, data, sizeof data, &packet));
    CU_ASSERT_TRUE(packet.has_pipe && packet.usb_pipe == 0x30);
    CU_ASSERT_TRUE(packet.usb_controller == 0x10 && packet.usb_device == 0x20);
    CU_ASSERT_EQUAL(packet.prefix[22], 3); /* bulk, as nobody says more */
    etl_packet_add_usb_way(&packet, &way);
    static const uint8_t header_end[] = {4, 0,    2,
                                         1, 0x83, 1}; /* bus, device, endpoint, interrupt */
    CU_ASSERT_EQUAL(memcmp(packet.prefix + 17, header_end, sizeof header_end), 0);
    uint8_t control[UCX_FACTS_SIZE + URB_CONTROL_SIZE + 8];
    make_control(control);
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)USB_UCX, 22, 0, control, sizeof control, &packet));
    etl_packet_add_usb_way(&packet, &way);
    CU_ASSERT_TRUE(packet.prefix[17] == 4 && packet.prefix[21] == 0x80 && packet.prefix[22] == 2);
}

static void find_prefix_of_usb(const uint8_t *data, size_t size)
{
    struct etl_packet packet;
    for (uint16_t id = 20; id < 34; id++) {
        find((struct etl_guid)USB_UCX, id, 0, data, size, &packet);
    }
}

static void test_cut_usb(void)
{
    uint8_t data[UCX_FACTS_SIZE + URB_CONTROL_SIZE + 8];
    make_control(data);
    unit_every_truncation(data, sizeof data, find_prefix_of_usb);
}

static void test_mbim(void)
{
    uint8_t data[] = {1, 0, 0, 0x80, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    struct etl_packet packet;
    CU_ASSERT_TRUE_FATAL(find((struct etl_guid)MBIM, 4711, 0, data, sizeof data, &packet));
    CU_ASSERT_EQUAL(packet.direction, ETL_DIRECTION_IN);
    data[4] = 17; /* no message's length */
    CU_ASSERT_FALSE(find((struct etl_guid)MBIM, 4711, 0, data, sizeof data, &packet));
}

UNIT_SUITE("packet_events",
           {"a message has tags that say whose it is and who talks to whom", test_message},
           {"a message that is cut is as long as its event says", test_cut_message},
           {"parts make the payload of the event that they name", test_parts},
           {"what BTHPORT reports becomes H4", test_bluetooth},
           {"a transfer becomes USBPcap's", test_usb},
           {"its bus, device and endpoint are those that the trace tells", test_usb_way},
           {"no prefix of a transfer is read past its end", test_cut_usb},
           {"an MBIM message is as long as it says", test_mbim})
