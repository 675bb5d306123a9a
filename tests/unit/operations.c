/* Which events begin and end operations, and what both ends have in common. */
#include "etl/operations.h"

#include "unit.h"

/* A clock that ticks once a microsecond, from FILETIME 1000000000 at tick 0. */
static const struct etl_context context = {
    .clock = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER,
              .frequency = 1000000,
              .base_filetime = 1000000000},
    .trace_id = 7,
    .pointer_size = 8,
};

static struct etl_operation found;

static bool of_hook(uint16_t hookid, const void *payload, size_t size)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_PERFINFO64),
                              .payload = {payload, size},
                              .pointer_size = 8,
                              .has_time = true,
                              .raw_time = 52,
                              .has_hook = true,
                              .hookid = hookid,
                              .version = 3};
    etl_layouts_start();
    CU_ASSERT_TRUE(etl_operation_may_be(&event));
    return etl_operation_of_event(&event, &context, 4, &found);
}

static const struct etl_guid dns_client = ETL_GUID(0x1c95126e, 0x7eea, 0x49a9, 0xa3, 0xfe, 0xa3,
                                                   0x78, 0xb0, 0x3d, 0xdb, 0x4d);

static bool of_dns(uint16_t id, uint32_t process_id, const void *payload, size_t size)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .payload = {payload, size},
                              .id = id,
                              .provider = dns_client};
    CU_ASSERT_TRUE(etl_operation_may_be(&event));
    return etl_operation_of_event(&event, &context, process_id, &found);
}

/* DiskIo ReadInit: Irp. Read has it at 32. */
static const uint8_t read_init[12] = {0x10, 0x20};
static const uint8_t read_done[52] = {[32] = 0x10, [33] = 0x20};
static const uint8_t other_done[52] = {[32] = 0x10, [33] = 0x21};

static void test_disk(void)
{
    CU_ASSERT_TRUE(of_hook(0x010C, read_init, sizeof read_init));
    CU_ASSERT_EQUAL(found.role, ETL_OPERATION_BEGINS);
    CU_ASSERT_STRING_EQUAL(found.name, "Disk read");
    uint64_t key = found.key;
    CU_ASSERT_TRUE(of_hook(0x010A, read_done, sizeof read_done));
    CU_ASSERT_EQUAL(found.role, ETL_OPERATION_ENDS);
    CU_ASSERT_EQUAL(found.key, key);
    CU_ASSERT_TRUE(of_hook(0x010A, other_done, sizeof other_done));
    CU_ASSERT_NOT_EQUAL(found.key, key);
}

/* InitialTime at tick 40, or 60, which is later than the event; Routine. */
static const uint8_t dpc[16] = {40};
static const uint8_t future_dpc[16] = {60};

static void test_lasted(void)
{
    CU_ASSERT_TRUE(of_hook(0x0F44, dpc, sizeof dpc));
    CU_ASSERT_EQUAL(found.role, ETL_OPERATION_LASTED);
    CU_ASSERT_EQUAL(found.duration, 120);
    CU_ASSERT_FALSE(of_hook(0x0F44, future_dpc, sizeof future_dpc));
}

/* "ab" NUL, and a number that differs. */
static const uint8_t query[8] = {'a', 0, 'b', 0, 0, 0, 1, 0};
static const uint8_t result[8] = {'a', 0, 'b', 0, 0, 0, 9, 9};

static void test_text(void)
{
    CU_ASSERT_TRUE(of_dns(3006, 100, query, sizeof query));
    uint64_t key = found.key;
    CU_ASSERT_TRUE(of_dns(3008, 100, result, sizeof result));
    CU_ASSERT_EQUAL(found.key, key);
    CU_ASSERT_TRUE(of_dns(3008, 101, result, sizeof result));
    CU_ASSERT_NOT_EQUAL(found.key, key);
    CU_ASSERT_FALSE(of_dns(3006, 100, query, 0));
}

static bool of_opcode(uint8_t opcode, uint8_t activity, uint16_t task)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .opcode = opcode,
                              .task = task,
                              .activity = {{activity}}};
    return etl_operation_may_be(&event) && etl_operation_of_event(&event, &context, 4, &found);
}

static void test_activities(void)
{
    CU_ASSERT_TRUE(of_opcode(1, 5, 3));
    CU_ASSERT_EQUAL(found.role, ETL_OPERATION_BEGINS);
    CU_ASSERT_PTR_NULL(found.name);
    uint64_t key = found.key;
    CU_ASSERT_TRUE(of_opcode(2, 5, 3));
    CU_ASSERT_EQUAL(found.role, ETL_OPERATION_ENDS);
    CU_ASSERT_EQUAL(found.key, key);
    CU_ASSERT_TRUE(of_opcode(2, 5, 4));
    CU_ASSERT_NOT_EQUAL(found.key, key);
    CU_ASSERT_FALSE(of_opcode(1, 0, 3));
    CU_ASSERT_FALSE(of_opcode(0, 5, 3));
}

static void cut_hook(const uint8_t *data, size_t size)
{
    CU_ASSERT_EQUAL(of_hook(0x010A, data, size), size >= 52);
    (void)of_dns(3006, 1, data, size);
}

static void test_truncations(void)
{
    unit_every_truncation(read_done, sizeof read_done, cut_hook);
}

UNIT_SUITE("operations", {"a disk request ends with the event that has its IRP", test_disk},
           {"a DPC tells how long it lasted, unless it began later", test_lasted},
           {"a DNS query ends with the same name in the same process", test_text},
           {"Start and Stop of one task with one activity belong together", test_activities},
           {"cut payloads are no ends", test_truncations})
