/* Where USB transfers go, by what UCX says of the addresses in them. */
#include "core/names/usb_ways.h"

#include "unit.h"

#define UCX ETL_GUID(0x36da592d, 0xe43a, 0x4e28, 0xaf, 0x6f, 0x4b, 0xc5, 0x7c, 0x5a, 0x11, 0xe8)

/* fid_UcxController, PCI, bus 4 */
static const uint8_t controller[] = {0x10, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0};
/* fid_UcxController, fid_UsbDevice */
static const uint8_t root_hub[] = {0x10, 0, 0, 0, 0x18, 0, 0, 0};
/* fid_UcxController, fid_HubDevice, fid_UsbDevice */
static const uint8_t device[] = {0x10, 0, 0, 0, 0x18, 0, 0, 0, 0x20, 0, 0, 0};
/* fid_UsbDevice, fid_Endpoint, fid_PipeHandle, a descriptor: in, interrupt */
static const uint8_t endpoint[] = {0x20, 0, 0, 0, 0x60, 0, 0, 0, 0x31, 0,
                                   0,    0, 7, 5, 0x81, 3, 8, 0, 10};
/* The same pipe: out, bulk */
static const uint8_t other_endpoint[] = {0x20, 0, 0, 0, 0x60, 0, 0, 0, 0x31, 0,
                                         0,    0, 7, 5, 2,    2, 0, 4, 0};
/* fid_UsbDevice, fid_EndpointPipeHandle, fid_StreamID, fid_StreamPipeHandle */
static const uint8_t stream[] = {0x20, 0, 0, 0, 0x31, 0, 0, 0, 1, 0, 0, 0, 0x39, 0, 0, 0};

static void learn(struct etl_usb_ways *ways, uint16_t id, int64_t time, const uint8_t *at,
                  size_t size)
{
    const struct etl_event event = {.provider = UCX,
                                    .id = id,
                                    .raw_time = time,
                                    .pointer_size = 4,
                                    .payload = {.at = at, .size = size}};
    etl_usb_ways_learn(ways, &event);
}

static struct etl_usb_way find(const struct etl_usb_ways *ways, uint64_t pipe, int64_t time)
{
    const struct etl_packet packet = {
        .has_pipe = true, .usb_controller = 0x10, .usb_device = 0x20, .usb_pipe = pipe};
    struct etl_usb_way way = {.bus = 99};
    CU_ASSERT_TRUE(etl_usb_ways_find(ways, &packet, time, &way));
    return way;
}

static void test_way(void)
{
    struct etl_usb_ways ways = {0};
    learn(&ways, 6, 500, endpoint, sizeof endpoint); /* in no order */
    learn(&ways, 5, 500, device, sizeof device);
    learn(&ways, 4, 400, root_hub, sizeof root_hub);
    learn(&ways, 3, 500, controller, sizeof controller);
    etl_usb_ways_settle(&ways);
    struct etl_usb_way way = find(&ways, 0x31, 100); /* told after the transfer */
    CU_ASSERT_TRUE(way.bus == 4 && way.device == 2);
    CU_ASSERT_TRUE(way.has_endpoint && way.endpoint == 0x81 && way.attributes == 3);
    way = find(&ways, 0x32, 100);
    CU_ASSERT_TRUE(way.device == 2 && !way.has_endpoint && way.endpoint == 0);
    const struct etl_packet unknown = {.has_pipe = true, .usb_device = 0x21};
    CU_ASSERT_FALSE(etl_usb_ways_find(&ways, &unknown, 100, &way));
    const struct etl_packet other = {.has_pipe = false};
    CU_ASSERT_FALSE(etl_usb_ways_find(&ways, &other, 100, &way));
    etl_usb_ways_free(&ways);
}

static void test_times(void)
{
    struct etl_usb_ways ways = {0};
    learn(&ways, 5, 100, device, sizeof device);
    learn(&ways, 6, 100, endpoint, sizeof endpoint);
    learn(&ways, 14, 200, device, sizeof device); /* another one */
    learn(&ways, 16, 200, other_endpoint, sizeof other_endpoint);
    learn(&ways, 5, 300, device, sizeof device); /* still that one */
    learn(&ways, 18, 200, stream, sizeof stream);
    etl_usb_ways_settle(&ways);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 199).device, 1);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 199).endpoint, 0x81);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 200).device, 2);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 200).endpoint, 2);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 900).device, 2);
    CU_ASSERT_EQUAL(find(&ways, 0x39, 900).endpoint, 2); /* the stream's */
    etl_usb_ways_free(&ways);
}

static void learn_prefix(const uint8_t *data, size_t size)
{
    struct etl_usb_ways ways = {0};
    for (uint16_t id = 0; id < 20; id++) {
        learn(&ways, id, 1, data, size);
    }
    etl_usb_ways_settle(&ways);
    const struct etl_packet packet = {.has_pipe = true, .usb_controller = 0x10};
    struct etl_usb_way way;
    bool found = etl_usb_ways_find(&ways, &packet, 1, &way);
    CU_ASSERT_TRUE(!found || size >= sizeof controller);
    etl_usb_ways_free(&ways);
}

static void test_truncations(void)
{
    unit_every_truncation(controller, sizeof controller, learn_prefix);
    unit_every_truncation(device, sizeof device, learn_prefix);
    unit_every_truncation(endpoint, sizeof endpoint, learn_prefix);
    unit_every_truncation(stream, sizeof stream, learn_prefix);
}

static void test_bus(void)
{
    uint8_t on_acpi[sizeof controller];
    struct etl_usb_ways ways = {0};
    memcpy(on_acpi, controller, sizeof on_acpi);
    on_acpi[4] = 2;
    learn(&ways, 8, 1, on_acpi, sizeof on_acpi);
    etl_usb_ways_settle(&ways);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 1).bus, 0);
    etl_usb_ways_free(&ways);
}

/* A hostile trace tells of a device in every event. */
static void test_many(void)
{
    struct etl_budget budget = {.limit = (size_t)1 << 20};
    struct etl_usb_ways ways = {.budget = &budget};
    for (int64_t time = 0; time < 70000; time++) {
        learn(&ways, 14, time, device, sizeof device);
    }
    CU_ASSERT_TRUE(budget.met && ways.count < 70000);
    etl_usb_ways_settle(&ways);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 69).device, 70);
    etl_usb_ways_free(&ways);
    CU_ASSERT_EQUAL(budget.used, 0);
}

static void test_numbers(void)
{
    struct etl_usb_ways ways = {0};
    for (int64_t time = 0; time < 70000; time++) {
        learn(&ways, 14, time, device, sizeof device);
    }
    etl_usb_ways_settle(&ways);
    CU_ASSERT_EQUAL(find(&ways, 0x31, 69999).device, UINT16_MAX);
    etl_usb_ways_free(&ways);
}

UNIT_SUITE("usb_ways", {"a transfer's addresses are what the trace says of them", test_way},
           {"an address means what was said of it last", test_times},
           {"no prefix of a payload is read past its end", test_truncations},
           {"a bus is one of PCI", test_bus}, {"memory is bounded", test_many},
           {"more devices than there are numbers have the last one", test_numbers})
