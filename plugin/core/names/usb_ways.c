/*
 * Events of Microsoft-Windows-USB-UCX, when something comes or is there already:
 *
 *   3, 8       fid_UcxController | fid_ParentBusType u32 | fid_PciBus u32 | …
 *   4, 10      fid_UcxController | fid_UsbDevice, a root hub | …
 *   5, 14      fid_UcxController | fid_HubDevice | fid_UsbDevice | …
 *   6, 16, 17  fid_UsbDevice | fid_Endpoint | fid_PipeHandle | endpoint descriptor, 7 bytes
 *   7, 18      fid_UsbDevice | fid_EndpointPipeHandle | fid_StreamID u32 | fid_StreamPipeHandle
 *
 * What begins with fid is an address, if nothing else is said. It means what the latest event before
 * said, else what the first one does. None of them has the number that a device got on its bus:
 * devices are numbered from 1 as the trace tells of them. No real trace was seen.
 */
#include "core/names/usb_ways.h"

#include <stdlib.h>

#define UCX ETL_GUID(0x36da592d, 0xe43a, 0x4e28, 0xaf, 0x6f, 0x4b, 0xc5, 0x7c, 0x5a, 0x11, 0xe8)

enum {
    CONTROLLER_RUNDOWN = 3,
    ROOT_HUB_RUNDOWN,
    DEVICE_RUNDOWN,
    ENDPOINT_RUNDOWN,
    STREAM_RUNDOWN,
    CONTROLLER_CREATE,
    ROOT_HUB_CREATE = 10,
    DEVICE_CREATE = 14,
    ENDPOINT_CREATE = 16,
    ENDPOINT_DELETE,
    STREAM_CREATE
};

#define PARENT_BUS_PCI 1

/* Of an endpoint's descriptor. */
#define DESCRIPTOR_SIZE          7
#define DESCRIPTOR_ADDRESS_AT    2
#define DESCRIPTOR_ATTRIBUTES_AT 3

enum fact_sort { FACT_CONTROLLER, FACT_DEVICE, FACT_PIPE, FACT_STREAM };

struct etl_usb_fact {
    uint64_t id; /* the address */
    int64_t raw_time;
    uint64_t pipe;   /* of a stream */
    uint16_t number; /* bus, device */
    uint8_t sort;
    bool begins; /* something else was at the address before */
    uint8_t endpoint;
    uint8_t attributes;
};

void etl_usb_ways_free(struct etl_usb_ways *ways)
{
    etl_budget_free(ways->budget, ways->facts, ways->room, sizeof *ways->facts);
}

bool etl_usb_ways_want(const struct etl_guid *provider, uint16_t id)
{
    static const struct etl_guid ucx = UCX;
    return id >= CONTROLLER_RUNDOWN && id <= STREAM_CREATE && etl_guid_equal(provider, &ucx);
}

static void add(struct etl_usb_ways *ways, const struct etl_usb_fact *fact)
{
    struct etl_usb_fact *facts = etl_budget_room(ways->budget, ways->facts, ways->count, 1,
                                                 &ways->room, sizeof *facts);
    if (facts != NULL) {
        ways->facts = facts;
        ways->facts[ways->count++] = *fact;
    }
}

static uint64_t read_address(struct etl_bytes *bytes, const struct etl_event *event)
{
    return event->pointer_size == 8 ? etl_bytes_u64(bytes) : etl_bytes_u32(bytes);
}

static void read_controller(struct etl_bytes *bytes, const struct etl_event *event,
                            struct etl_usb_fact *fact)
{
    fact->sort = FACT_CONTROLLER;
    fact->id = read_address(bytes, event);
    bool on_pci = etl_bytes_u32(bytes) == PARENT_BUS_PCI;
    uint32_t bus = etl_bytes_u32(bytes);
    fact->number = (uint16_t)(on_pci ? bus : 0);
}

static void read_device(struct etl_bytes *bytes, const struct etl_event *event,
                        struct etl_usb_fact *fact)
{
    bool root = event->id == ROOT_HUB_RUNDOWN || event->id == ROOT_HUB_CREATE;
    fact->sort = FACT_DEVICE;
    fact->begins = event->id == ROOT_HUB_CREATE || event->id == DEVICE_CREATE;
    read_address(bytes, event); /* the controller */
    if (!root) {
        read_address(bytes, event); /* the hub */
    }
    fact->id = read_address(bytes, event);
}

static void read_endpoint(struct etl_bytes *bytes, const struct etl_event *event,
                          struct etl_usb_fact *fact)
{
    fact->sort = FACT_PIPE;
    read_address(bytes, event); /* the device */
    read_address(bytes, event); /* the endpoint */
    fact->id = read_address(bytes, event);
    const uint8_t *descriptor = etl_bytes_take(bytes, DESCRIPTOR_SIZE);
    if (descriptor != NULL) {
        fact->endpoint = descriptor[DESCRIPTOR_ADDRESS_AT];
        fact->attributes = descriptor[DESCRIPTOR_ATTRIBUTES_AT];
    }
}

static void read_stream(struct etl_bytes *bytes, const struct etl_event *event,
                        struct etl_usb_fact *fact)
{
    fact->sort = FACT_STREAM;
    read_address(bytes, event); /* the device */
    fact->pipe = read_address(bytes, event);
    etl_bytes_u32(bytes); /* fid_StreamID */
    fact->id = read_address(bytes, event);
}

static bool read_fact(struct etl_bytes *bytes, const struct etl_event *event,
                      struct etl_usb_fact *fact)
{
    switch (event->id) {
    case CONTROLLER_RUNDOWN:
    case CONTROLLER_CREATE:
        read_controller(bytes, event, fact);
        break;
    case ROOT_HUB_RUNDOWN:
    case ROOT_HUB_CREATE:
    case DEVICE_RUNDOWN:
    case DEVICE_CREATE:
        read_device(bytes, event, fact);
        break;
    case ENDPOINT_RUNDOWN:
    case ENDPOINT_CREATE:
    case ENDPOINT_DELETE:
        read_endpoint(bytes, event, fact);
        break;
    case STREAM_RUNDOWN:
    case STREAM_CREATE:
        read_stream(bytes, event, fact);
        break;
    default:
        return false;
    }
    return !bytes->failed;
}

void etl_usb_ways_learn(struct etl_usb_ways *ways, const struct etl_event *event)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    struct etl_usb_fact fact = {.raw_time = event->raw_time};
    if (read_fact(&bytes, event, &fact)) {
        add(ways, &fact);
    }
}

static int compare_times(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* By sort, address, time. */
static int compare(const void *left, const void *right)
{
    const struct etl_usb_fact *a = left;
    const struct etl_usb_fact *b = right;
    if (a->sort != b->sort) {
        return a->sort < b->sort ? -1 : 1;
    }
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return compare_times(a->raw_time, b->raw_time);
}

static int compare_devices(const void *left, const void *right)
{
    const struct etl_usb_fact *a = *(struct etl_usb_fact *const *)left;
    const struct etl_usb_fact *b = *(struct etl_usb_fact *const *)right;
    int times = compare_times(a->raw_time, b->raw_time);
    return times != 0 ? times : a->id < b->id ? -1 : a->id > b->id;
}

/* Whether the fact tells of a device that the one before does not tell of. */
static bool is_new_device(const struct etl_usb_ways *ways, size_t at)
{
    const struct etl_usb_fact *fact = &ways->facts[at];
    return fact->sort == FACT_DEVICE &&
           (fact->begins || at == 0 || fact[-1].sort != FACT_DEVICE || fact[-1].id != fact->id);
}

static void number_devices(struct etl_usb_ways *ways)
{
    struct etl_usb_fact **devices = calloc(ways->count, sizeof(struct etl_usb_fact *));
    size_t count = 0;
    for (size_t i = 0; devices != NULL && i < ways->count; i++) {
        if (is_new_device(ways, i)) {
            devices[count++] = &ways->facts[i];
        }
    }
    if (count > 0) {
        qsort(devices, count, sizeof(struct etl_usb_fact *), compare_devices);
    }
    for (size_t i = 0; i < count; i++) {
        devices[i]->number = (uint16_t)(i < UINT16_MAX ? i + 1 : UINT16_MAX);
    }
    free(devices);
    for (size_t i = 1; i < ways->count; i++) {
        if (ways->facts[i].sort == FACT_DEVICE && !is_new_device(ways, i)) {
            ways->facts[i].number = ways->facts[i - 1].number;
        }
    }
}

void etl_usb_ways_settle(struct etl_usb_ways *ways)
{
    if (ways->count > 0) {
        qsort(ways->facts, ways->count, sizeof(struct etl_usb_fact), compare);
        number_devices(ways);
    }
}

static bool is_of(const struct etl_usb_fact *fact, enum fact_sort sort, uint64_t id)
{
    return fact->sort == sort && fact->id == id;
}

/* The latest fact that is not later, else the first one; NULL: there is none. */
static const struct etl_usb_fact *find(const struct etl_usb_ways *ways, enum fact_sort sort,
                                       uint64_t id, int64_t raw_time)
{
    const struct etl_usb_fact wanted = {.sort = (uint8_t)sort, .id = id, .raw_time = raw_time};
    size_t low = 0;
    size_t high = ways->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&ways->facts[middle], &wanted) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0 && is_of(&ways->facts[low - 1], sort, id)) {
        return &ways->facts[low - 1];
    }
    return low < ways->count && is_of(&ways->facts[low], sort, id) ? &ways->facts[low] : NULL;
}

static const struct etl_usb_fact *find_pipe(const struct etl_usb_ways *ways, uint64_t pipe,
                                            int64_t raw_time)
{
    const struct etl_usb_fact *stream = find(ways, FACT_STREAM, pipe, raw_time);
    return find(ways, FACT_PIPE, stream != NULL ? stream->pipe : pipe, raw_time);
}

bool etl_usb_ways_find(const struct etl_usb_ways *ways, const struct etl_packet *packet,
                       int64_t raw_time, struct etl_usb_way *ret_way)
{
    if (ways->count == 0 || !packet->has_pipe) {
        return false;
    }
    const struct etl_usb_fact *controller = find(ways, FACT_CONTROLLER, packet->usb_controller,
                                                 raw_time);
    const struct etl_usb_fact *device = find(ways, FACT_DEVICE, packet->usb_device, raw_time);
    const struct etl_usb_fact *pipe = find_pipe(ways, packet->usb_pipe, raw_time);
    *ret_way = (struct etl_usb_way){
        .bus = controller != NULL ? controller->number : 0,
        .device = device != NULL ? device->number : 0,
        .has_endpoint = pipe != NULL,
        .endpoint = pipe != NULL ? pipe->endpoint : 0,
        .attributes = pipe != NULL ? pipe->attributes : 0,
    };
    return controller != NULL || device != NULL || pipe != NULL;
}
