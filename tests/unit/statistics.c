/* What single events add to statistics. */
#include "etl/statistics.h"

#include "unit.h"

#include <stdlib.h>

/* A trace whose clock ticks once a microsecond, from FILETIME 1000000000 at tick 0. */
static const struct etl_context context = {
    .clock = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER,
              .frequency = 1000000,
              .base_filetime = 1000000000},
    .trace_id = 7,
    .pointer_size = 8,
};

static struct etl_switches switches;
static struct etl_addition added;

static bool add_on(enum etl_statistic_id id, uint16_t cpu, uint16_t hookid, int64_t raw_time,
                   const void *payload, size_t size)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_PERFINFO64),
                              .payload = {payload, size},
                              .pointer_size = 8,
                              .has_time = true,
                              .has_hook = true,
                              .raw_time = raw_time,
                              .hookid = hookid,
                              .version = 2};
    etl_layouts_start();
    return etl_statistic_add(etl_statistic(id), &event, &context, cpu, &switches, &added);
}

static uint64_t amount(enum etl_statistic_id id, const char *name)
{
    const char *columns[ETL_STATISTIC_COLUMNS_MAX];
    size_t count = etl_statistic_columns(etl_statistic(id), columns);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(columns[i], name) == 0) {
            return added.amounts[i];
        }
    }
    CU_FAIL("no such column");
    return 0;
}

/* PID 258, 300 bytes, and the rest of a TcpIp event up to its connection. */
static const uint8_t tcp_send[48] = {0x02, 0x01, 0, 0, 0x2C, 0x01, 0, 0};

static void test_bytes(void)
{
    CU_ASSERT_TRUE(add_on(ETL_STATISTIC_network, 0, 0x060A, 5, tcp_send, sizeof tcp_send));
    CU_ASSERT_TRUE(added.has_who);
    CU_ASSERT_EQUAL(added.key, ETL_KEY_PROCESS);
    CU_ASSERT_EQUAL(added.who, 258);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_network, "TCP sent"), 300);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_network, "Bytes"), 300);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_network, "TCP received"), 0);
    CU_ASSERT_FALSE(add_on(ETL_STATISTIC_disk, 0, 0x060A, 5, tcp_send, sizeof tcp_send));
}

/* NewThreadId, OldThreadId and what is of no interest here. */
static const uint8_t cswitch[24] = {8, 0, 0, 0, 4};

static void test_switches(void)
{
    memset(&switches, 0, sizeof switches);
    CU_ASSERT_TRUE(add_on(ETL_STATISTIC_cpu, 1, 0x0524, 100, cswitch, sizeof cswitch));
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_cpu, "CPU time (ms)"), 0);
    add_on(ETL_STATISTIC_cpu, 2, 0x0524, 103, cswitch, sizeof cswitch);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_cpu, "CPU time (ms)"), 0);
    add_on(ETL_STATISTIC_cpu, 1, 0x0524, 107, cswitch, sizeof cswitch);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_cpu, "CPU time (ms)"), 70);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_cpu, "Switches"), 1);
    add_on(ETL_STATISTIC_cpu, 1, 0x0524, 90, cswitch, sizeof cswitch);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_cpu, "CPU time (ms)"), 0);
}

static void test_full_switches(void)
{
    for (size_t i = 0; i < ETL_SWITCHES_MAX; i++) {
        switches.of_cpu[i] = (struct etl_switch){.used = true, .cpu = (uint16_t)i, .trace_id = 1};
    }
    CU_ASSERT_TRUE(add_on(ETL_STATISTIC_cpu, 1, 0x0524, 107, cswitch, sizeof cswitch));
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_cpu, "CPU time (ms)"), 0);
    memset(&switches, 0, sizeof switches);
}

/* InitialTime at tick 40, Routine. */
static const uint8_t dpc[16] = {40, 0, 0, 0, 0, 0, 0, 0, 0x30, 0x12};

static void test_since(void)
{
    CU_ASSERT_TRUE(add_on(ETL_STATISTIC_interrupts, 0, 0x0F44, 52, dpc, sizeof dpc));
    CU_ASSERT_EQUAL(added.key, ETL_KEY_CODE);
    CU_ASSERT_EQUAL(added.who, 0x1230);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_interrupts, "DPC time (ms)"), 120);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_interrupts, "ISR time (ms)"), 0);
    add_on(ETL_STATISTIC_interrupts, 0, 0x0F44, 39, dpc, sizeof dpc);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_interrupts, "DPC time (ms)"), 0);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_interrupts, "DPCs"), 1);
}

/* DiskIo: 8,192 bytes, 250 ticks. */
static const uint8_t disk_read[48] = {[8] = 0, [9] = 0x20, [40] = 250};

static void test_ticks(void)
{
    CU_ASSERT_TRUE(add_on(ETL_STATISTIC_disk, 0, 0x010A, 5, disk_read, sizeof disk_read));
    CU_ASSERT_FALSE(added.has_who);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_disk, "Bytes read"), 8192);
    CU_ASSERT_EQUAL(amount(ETL_STATISTIC_disk, "Service (ms)"), 2500);
}

static void add_cut(const uint8_t *data, size_t size)
{
    for (int id = 0; id < ETL_STATISTIC_COUNT; id++) {
        for (size_t i = 0; i < etl_statistic((enum etl_statistic_id)id)->sum_count; i++) {
            uint16_t hookid = etl_statistic((enum etl_statistic_id)id)->sums[i].hookid;
            CU_ASSERT_TRUE(add_on((enum etl_statistic_id)id, 0, hookid, 5, data, size));
        }
    }
}

static void test_truncations(void)
{
    unit_every_truncation(tcp_send, sizeof tcp_send, add_cut);
}

/* A misspelt label would be a column of zeros for ever. */
static void test_labels(void)
{
    etl_layouts_start();
    for (int id = 0; id < ETL_STATISTIC_COUNT; id++) {
        const struct etl_statistic *statistic = etl_statistic((enum etl_statistic_id)id);
        CU_ASSERT_TRUE(statistic->sum_count <= ETL_STATISTIC_SUMS_MAX);
        for (size_t i = 0; i < statistic->sum_count; i++) {
            const struct etl_sum *sum = &statistic->sums[i];
            const struct etl_layout *layout = etl_layout_of_hook(sum->hookid, 255);
            bool found = sum->label == NULL;
            CU_ASSERT_PTR_NOT_NULL_FATAL(layout);
            for (size_t row = 0; layout != NULL && row < layout->count; row++) {
                found = found || strcmp(layout->fields[row].label, sum->label) == 0;
            }
            CU_ASSERT_TRUE(found);
        }
    }
}

UNIT_SUITE("statistics",
           {"bytes count for the process that the payload names, and in that statistic only",
            test_bytes},
           {"a thread ran since the last switch of its CPU; the first switch adds no time",
            test_switches},
           {"CPUs beyond the limit add no time", test_full_switches},
           {"a DPC took the time since InitialTime, and none if that is later", test_since},
           {"ticks of the counter become time", test_ticks},
           {"cut payloads add what they have", test_truncations},
           {"every label is one of the newest layout's fields", test_labels})
