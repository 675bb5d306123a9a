/* Which packets were dropped, told to reports that came before. */
#include "core/names/drops.h"

#include "unit.h"

static void learn(struct etl_drops *drops, uint64_t group, uint16_t number, int64_t time,
                  uint32_t reason)
{
    const struct etl_packet packet = {.has_group = true,
                                      .group = group,
                                      .number = number,
                                      .dropped = true,
                                      .drop_reason = reason,
                                      .drop_location = reason + 1};
    etl_drops_learn(drops, &packet, time);
}

/* 0: not dropped. */
static uint32_t reason_of(const struct etl_drops *drops, uint64_t group, uint16_t number)
{
    struct etl_packet packet = {.has_group = true, .group = group, .number = number};
    etl_drops_tell(drops, &packet);
    CU_ASSERT_EQUAL(packet.dropped, packet.drop_reason != 0);
    CU_ASSERT_TRUE(!packet.dropped || packet.drop_location == packet.drop_reason + 1);
    return packet.drop_reason;
}

static void test_drops(void)
{
    struct etl_drops drops = {0};
    CU_ASSERT_EQUAL(reason_of(&drops, 1, 1), 0);
    learn(&drops, 2, 1, 50, 200);
    learn(&drops, 1, 2, 60, 300);
    learn(&drops, 2, 1, 40, 201); /* was first */
    etl_drops_settle(&drops);
    CU_ASSERT_EQUAL(reason_of(&drops, 2, 1), 201);
    CU_ASSERT_EQUAL(reason_of(&drops, 1, 2), 300);
    CU_ASSERT_EQUAL(reason_of(&drops, 1, 1), 0);
    CU_ASSERT_EQUAL(reason_of(&drops, 2, 2), 0);
    CU_ASSERT_EQUAL(reason_of(&drops, 3, 1), 0);
    etl_drops_free(&drops);
}

static void test_others(void)
{
    struct etl_drops drops = {0};
    struct etl_packet packet = {.has_group = true, .group = 1, .number = 1};
    etl_drops_learn(&drops, &packet, 1); /* not dropped */
    packet.dropped = true;
    packet.has_group = false;
    etl_drops_learn(&drops, &packet, 1); /* nobody's */
    CU_ASSERT_EQUAL(drops.count, 0);
    learn(&drops, 1, 1, 1, 200);
    etl_drops_settle(&drops);
    packet = (struct etl_packet){
        .has_group = true, .group = 1, .number = 1, .dropped = true, .drop_reason = 5};
    etl_drops_tell(&drops, &packet);
    CU_ASSERT_EQUAL(packet.drop_reason, 5); /* it knows better */
    packet = (struct etl_packet){.group = 1, .number = 1};
    etl_drops_tell(&drops, &packet);
    CU_ASSERT_FALSE(packet.dropped);
    etl_drops_free(&drops);
}

static void test_budget(void)
{
    struct etl_budget budget = {.limit = 4096};
    struct etl_drops drops = {.budget = &budget};
    for (uint16_t i = 0; i < 1000; i++) {
        learn(&drops, 1, i, i, 200);
    }
    CU_ASSERT_TRUE(budget.met && drops.count < 1000);
    etl_drops_settle(&drops);
    CU_ASSERT_EQUAL(reason_of(&drops, 1, 3), 200);
    etl_drops_free(&drops);
    CU_ASSERT_EQUAL(budget.used, 0);
}

UNIT_SUITE("drops", {"a packet was dropped if a later report of it says so", test_drops},
           {"other packets stay as they are", test_others}, {"memory is bounded", test_budget})
