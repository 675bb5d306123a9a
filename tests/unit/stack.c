/* Which event a stack belongs to. */
#include "etl/stack.h"

#include "unit.h"

static const uint8_t payload[] = {0x10, 0x27, 0, 0, 0,   0, 0, 0,  /* time 10000 */
                                  100,  0,    0, 0, 104, 0, 0, 0,  /* process, thread */
                                  0x34, 0x12, 0, 0, 0,   0, 0, 0}; /* an address */

static bool find(uint16_t hookid, const uint8_t *data, size_t size,
                 struct etl_stack_owner *ret_owner)
{
    const struct etl_event event = {
        .has_hook = true, .hookid = hookid, .payload = {.at = data, .size = size}};
    return etl_stack_owner(&event, ret_owner);
}

static void test_owner(void)
{
    static const uint16_t hooks[] = {0x1820, 0x1825, 0x1826};
    struct etl_stack_owner owner;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        CU_ASSERT_TRUE(find(hooks[i], payload, sizeof payload, &owner));
        CU_ASSERT_EQUAL(owner.raw_time, 10000);
        CU_ASSERT_EQUAL(owner.process_id, 100);
        CU_ASSERT_EQUAL(owner.thread_id, 104);
    }
    CU_ASSERT_FALSE(find(0x1824, payload, sizeof payload, &owner)); /* what a key stands for */
    CU_ASSERT_FALSE(find(0x0F2E, payload, sizeof payload, &owner));
    const struct etl_event other = {.hookid = 0x1820, .payload = {payload, sizeof payload}};
    CU_ASSERT_FALSE(etl_stack_owner(&other, &owner)); /* a provider's event, no kernel hook */
}

static void decode(const uint8_t *data, size_t size)
{
    struct etl_stack_owner owner;
    CU_ASSERT_EQUAL(find(0x1820, data, size, &owner), size >= 16);
}

static void test_truncations(void)
{
    unit_every_truncation(payload, sizeof payload, decode);
}

UNIT_SUITE("stack",
           {"stacks and halves of stacks by key tell time, process and thread", test_owner},
           {"one that ends before its thread belongs to none", test_truncations})
