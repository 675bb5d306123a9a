/* Who sends how much to whom, of events of TcpIp and UdpIp. */
#include "etl/transfer.h"

#include "unit.h"

static struct etl_event event_of(uint16_t hookid, uint8_t version, const uint8_t *at, size_t size)
{
    return (struct etl_event){.kind = etl_kind(ETL_KIND_PERFINFO64),
                              .has_hook = true,
                              .hookid = hookid,
                              .version = version,
                              .pointer_size = 8,
                              .payload = {.at = at, .size = size}};
}

/* PID, size, daddr 10.0.0.1, saddr 10.0.0.2, dport 443, sport 49152, seqnum, connid */
static const uint8_t ipv4[] = {4, 0,  0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 10,   0, 0,
                               1, 10, 0, 0, 2,    0x01, 0xBB, 0xC0, 0x00, 0, 0,
                               0, 0,  9, 0, 0,    0,    0,    0,    0,    0};

static void check_ends(uint16_t hookid, uint8_t protocol, uint8_t from, uint16_t from_port)
{
    struct etl_event event = event_of(hookid, 2, ipv4, sizeof ipv4);
    struct etl_transfer transfer;
    CU_ASSERT_TRUE_FATAL(etl_transfer_of_event(&event, &transfer));
    CU_ASSERT_EQUAL(transfer.size, 0xFFFFFFFF);
    CU_ASSERT_EQUAL(transfer.ends.protocol, protocol);
    CU_ASSERT_EQUAL(transfer.ends.address_size, 4);
    CU_ASSERT_TRUE(transfer.ends.has_ports);
    CU_ASSERT_EQUAL(transfer.ends.source[3], from);
    CU_ASSERT_EQUAL(transfer.ends.destination[3], 3 - from);
    CU_ASSERT_EQUAL(transfer.ends.source_port, from_port);
    CU_ASSERT_EQUAL(transfer.ends.destination_port, from_port == 443 ? 49152 : 443);
}

static void test_direction(void)
{
    etl_layouts_start();
    check_ends(0x060E, 6, 2, 49152); /* Retransmit: local to remote */
    check_ends(0x060B, 6, 1, 443);   /* Recv: remote to local, and saddr is local */
    check_ends(0x0612, 6, 1, 443);   /* TCPCopy */
    check_ends(0x080A, 17, 2, 49152);
    check_ends(0x080B, 17, 2, 49152); /* UDP's addresses are the datagram's own */
}

static void test_older_and_wider(void)
{
    /* context, saddr, sport, size, daddr, dport, dsize */
    const uint8_t windows_2000[] = {1,    0, 0,  0, 0,  0, 0, 0, 10,   0,    0,  2,
                                    0xC0, 0, 68, 0, 10, 0, 0, 1, 0x01, 0xBB, 68, 0};
    uint8_t ipv6[56] = {[4] = 7, [8] = 0xFE, [23] = 1, [24] = 0xFE, [39] = 2, [41] = 80, [43] = 81};
    struct etl_event event = event_of(0x080A, 0, windows_2000, sizeof windows_2000);
    struct etl_transfer transfer;
    CU_ASSERT_TRUE_FATAL(etl_transfer_of_event(&event, &transfer));
    CU_ASSERT_EQUAL(transfer.size, 68);
    CU_ASSERT_EQUAL(transfer.ends.source_port, 49152);
    event = event_of(0x061B, 2, ipv6, sizeof ipv6);
    CU_ASSERT_TRUE_FATAL(etl_transfer_of_event(&event, &transfer));
    CU_ASSERT_EQUAL(transfer.ends.address_size, 16);
    CU_ASSERT_EQUAL(transfer.ends.source[15], 1);
    CU_ASSERT_EQUAL(transfer.ends.source_port, 80);
}

static void test_others(void)
{
    struct etl_transfer transfer;
    struct etl_event event = event_of(0x0611, 2, ipv4, sizeof ipv4); /* Fail */
    CU_ASSERT_FALSE(etl_transfer_of_event(&event, &transfer));
    event = event_of(0x0524, 2, ipv4, sizeof ipv4);
    CU_ASSERT_FALSE(etl_transfer_of_event(&event, &transfer));
    event = event_of(0x06FF, 2, ipv4, sizeof ipv4);
    CU_ASSERT_FALSE(etl_transfer_of_event(&event, &transfer));
    event = event_of(0x060B, 2, ipv4, sizeof ipv4);
    event.has_hook = false;
    CU_ASSERT_FALSE(etl_transfer_of_event(&event, &transfer));
}

static void read_prefix(const uint8_t *data, size_t size)
{
    struct etl_event event = event_of(0x060B, 2, data, size);
    struct etl_transfer transfer;
    CU_ASSERT_EQUAL(etl_transfer_of_event(&event, &transfer), size >= 20);
}

static void test_cut_short(void)
{
    unit_every_truncation(ipv4, sizeof ipv4, read_prefix);
}

UNIT_SUITE("transfer", {"what is received comes from the other end", test_direction},
           {"older versions and IPv6", test_older_and_wider},
           {"events without two ends say nothing", test_others},
           {"an event cut before its ports says nothing", test_cut_short})
