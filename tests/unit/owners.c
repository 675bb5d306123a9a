/* Whose packets: what events say of ends, and what is found of it. */
#include "core/names/owners.h"

#include "unit.h"

#define TCP 6
#define UDP 17

static struct etl_end end_of(uint8_t last, uint16_t port)
{
    return (struct etl_end){
        .address = {192, 0, 2, last}, .address_size = last != 0 ? 4 : 0, .port = port};
}

static void add(struct etl_owners *owners, uint8_t protocol, struct etl_end local,
                struct etl_end remote, int64_t time, uint32_t process)
{
    etl_owners_add(owners, protocol, &local, &remote, time, process, ETL_OWNER_TCPIP);
}

/* 0: nobody's. */
static uint32_t find(const struct etl_owners *owners, uint8_t protocol, struct etl_end local,
                     struct etl_end remote, int64_t time)
{
    struct etl_owner owner;
    bool found = etl_owners_find(owners, protocol, &local, &remote, time, &owner);
    return found ? owner.process_id : 0;
}

static void test_ends(void)
{
    struct etl_owners owners = {0};
    add(&owners, TCP, end_of(1, 100), end_of(2, 80), 10, 7);
    add(&owners, UDP, end_of(1, 53), end_of(0, 0), 10, 8);
    add(&owners, 0, end_of(0, 0), end_of(3, 443), 10, 9);
    etl_owners_settle(&owners);
    CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, 100), end_of(2, 80), 10), 7);
    CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, 100), end_of(4, 81), 10), 7);
    CU_ASSERT_EQUAL(find(&owners, UDP, end_of(1, 100), end_of(2, 80), 10), 0);
    CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, 101), end_of(2, 80), 10), 0);
    CU_ASSERT_EQUAL(find(&owners, UDP, end_of(1, 53), end_of(5, 9), 10), 8);
    CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, 53), end_of(5, 9), 10), 0);
    CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, 9), end_of(3, 443), 10), 9);
    etl_owners_free(&owners);
}

static void test_times(void)
{
    struct etl_owners owners = {0};
    struct etl_end local = end_of(1, 100);
    struct etl_end remote = end_of(2, 80);
    add(&owners, TCP, local, remote, 100, 7);
    add(&owners, TCP, local, remote, 50, 7);
    add(&owners, TCP, local, remote, 1000, 8);
    etl_owners_settle(&owners);
    CU_ASSERT_EQUAL(find(&owners, TCP, local, remote, 0), 7);
    CU_ASSERT_EQUAL(find(&owners, TCP, local, remote, 75), 7);
    CU_ASSERT_EQUAL(find(&owners, TCP, local, remote, 200), 7);
    CU_ASSERT_EQUAL(find(&owners, TCP, local, remote, 900), 8);
    CU_ASSERT_EQUAL(find(&owners, TCP, local, remote, 5000), 8);
    etl_owners_free(&owners);
}

static void test_many(void)
{
    struct etl_owners owners = {0};
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 1; i < 5000; i++) {
            add(&owners, TCP, end_of(1, (uint16_t)i), end_of(2, 80), i, i);
        }
    }
    CU_ASSERT_EQUAL(owners.count, (size_t)2 * 4999); /* with and without the other end */
    etl_owners_settle(&owners);
    for (uint32_t i = 1; i < 5000; i++) {
        CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, (uint16_t)i), end_of(2, 80), 0), i);
    }
    etl_owners_free(&owners);
}

/* TCPIP 1033: two SOCKADDRs with their sizes, a status, a process. */
static const uint8_t connected[] = {8, 0, 0, 0,  2,   0, 0, 100, 192, 0, 2, 1, 8, 0, 0, 0,
                                    2, 0, 0, 80, 192, 0, 2, 2,   0,   0, 0, 0, 7, 0, 0, 0};

static void learn_prefix(const uint8_t *data, size_t size)
{
    struct etl_owners owners = {0};
    const struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                                    .has_provider = true,
                                    .provider = ETL_GUID(0x2f07e2ee, 0x15db, 0x40f1, 0x90, 0xef,
                                                         0x9d, 0x7b, 0xa2, 0x82, 0x18, 0x8a),
                                    .id = 1033,
                                    .has_time = true,
                                    .raw_time = 1,
                                    .pointer_size = 8,
                                    .payload = {.at = data, .size = size}};
    CU_ASSERT_TRUE(etl_owner_wants(&event.provider, event.id));
    etl_owner_event(&owners, &event);
    etl_owners_settle(&owners);
    CU_ASSERT_EQUAL(find(&owners, TCP, end_of(1, 100), end_of(2, 80), 1),
                    size == sizeof connected ? 7 : 0);
    etl_owners_free(&owners);
}

static void test_event(void)
{
    unit_every_truncation(connected, sizeof connected, learn_prefix);
}

UNIT_SUITE("owners", {"an owner is found by both ends, or by the one that is known", test_ends},
           {"of several owners the nearest in time is meant", test_times},
           {"saying it again makes no more of it", test_many},
           {"an event that is cut says nothing", test_event})
