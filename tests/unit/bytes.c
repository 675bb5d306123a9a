/* The bounded cursor: what it takes, and that it never takes more than there is. */
#include "etl/bytes.h"

#include "unit.h"

static const uint8_t fifteen[15] = {
    0x01,                                           /* u8 */
    0x02, 0x01,                                     /* u16 0x0102 */
    0x04, 0x03, 0x02, 0x01,                         /* u32 0x01020304 */
    0xF8, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0xF1, /* u64 0xF1020304050607F8 */
};

static void test_numbers(void)
{
    struct etl_bytes bytes = etl_bytes_of(fifteen, sizeof fifteen);
    CU_ASSERT_EQUAL(etl_bytes_u8(&bytes), 1);
    CU_ASSERT_EQUAL(etl_bytes_u16(&bytes), 0x0102);
    CU_ASSERT_EQUAL(etl_bytes_u32(&bytes), 0x01020304);
    CU_ASSERT_EQUAL(etl_bytes_u64(&bytes), UINT64_C(0xF1020304050607F8));
    CU_ASSERT_EQUAL(etl_bytes_left(&bytes), 0);
    CU_ASSERT_FALSE(bytes.failed);
}

static void take_numbers(const uint8_t *data, size_t size)
{
    struct etl_bytes bytes = etl_bytes_of(data, size);
    uint8_t first = etl_bytes_u8(&bytes);
    uint16_t second = etl_bytes_u16(&bytes);
    uint32_t third = etl_bytes_u32(&bytes);
    uint64_t fourth = etl_bytes_u64(&bytes);
    CU_ASSERT_EQUAL(first, size >= 1 ? 1 : 0);
    CU_ASSERT_EQUAL(second, size >= 3 ? 0x0102 : 0);
    CU_ASSERT_EQUAL(third, size >= 7 ? 0x01020304 : 0);
    CU_ASSERT_EQUAL(fourth, size >= 15 ? UINT64_C(0xF1020304050607F8) : 0);
    CU_ASSERT_EQUAL(bytes.failed, size < 15);
}

static void test_truncations(void)
{
    unit_every_truncation(fifteen, sizeof fifteen, take_numbers);
}

static void test_stays_failed(void)
{
    struct etl_bytes bytes = etl_bytes_of(fifteen, 3);
    CU_ASSERT_PTR_NULL(etl_bytes_take(&bytes, 4));
    CU_ASSERT_TRUE(bytes.failed);
    CU_ASSERT_EQUAL(etl_bytes_u8(&bytes), 0);
    CU_ASSERT_PTR_NULL(etl_bytes_take(&bytes, 0));
    CU_ASSERT_TRUE(etl_bytes_sub(&bytes, 1).failed);
}

static void test_sub(void)
{
    struct etl_bytes bytes = etl_bytes_of(fifteen, sizeof fifteen);
    struct etl_bytes sub = etl_bytes_sub(&bytes, 3);
    CU_ASSERT_EQUAL(etl_bytes_left(&bytes), 12);
    CU_ASSERT_EQUAL(etl_bytes_left(&sub), 3);
    etl_bytes_u32(&sub);
    CU_ASSERT_TRUE(sub.failed);
    CU_ASSERT_FALSE(bytes.failed);
    CU_ASSERT_EQUAL(etl_bytes_u32(&bytes), 0x01020304);
    sub = etl_bytes_sub(&bytes, SIZE_MAX);
    CU_ASSERT_TRUE(sub.failed && bytes.failed);
    CU_ASSERT_EQUAL(etl_bytes_left(&sub), 0);
}

static void test_nothing(void)
{
    struct etl_bytes bytes = etl_bytes_of(NULL, 0);
    CU_ASSERT_EQUAL(etl_bytes_left(&bytes), 0);
    etl_bytes_take(&bytes, 0);
    CU_ASSERT_FALSE(bytes.failed);
    CU_ASSERT_EQUAL(etl_bytes_u8(&bytes), 0);
    CU_ASSERT_TRUE(bytes.failed);
}

static void test_stores(void)
{
    uint8_t room[8];
    etl_store_u64(room, UINT64_C(0xF1020304050607F8));
    CU_ASSERT_EQUAL(memcmp(room, fifteen + 7, 8), 0);
    CU_ASSERT_EQUAL(etl_load_u64(room), UINT64_C(0xF1020304050607F8));
    etl_store_u32(room, 0xFFFFFFFE);
    CU_ASSERT_EQUAL(etl_load_u32(room), 0xFFFFFFFE);
    etl_store_u16(room, 0xFFFD);
    CU_ASSERT_EQUAL(etl_load_u16(room), 0xFFFD);
}

UNIT_SUITE("bytes", {"numbers are little-endian and follow each other", test_numbers},
           {"every truncation gives zero from where it ends", test_truncations},
           {"a cursor that failed stays failed", test_stays_failed},
           {"a sub-cursor fails alone, its parent goes on", test_sub},
           {"no bytes at all are a cursor too", test_nothing},
           {"what was stored is loaded again", test_stores})
