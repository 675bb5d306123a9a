/*
 * Fuzzes counters of performance logs: a list of them, packed, and values by that list or by bytes in its place.
 *
 *   byte: 1: the list is an event's, else packed already | u16: its size | the list | the payload of values
 */
#include "etl/counters.h"

#include "fuzz.h"

#define PERFORMANCE_LOG \
    ETL_GUID(0x933f3bb3, 0x943e, 0x490d, 0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79)

enum { LIST = 32, VALUES = 34 };

static struct etl_event event_of(uint8_t opcode, const uint8_t *payload, size_t size)
{
    return (struct etl_event){.kind = etl_kind(ETL_KIND_FULL64),
                              .has_provider = true,
                              .provider = PERFORMANCE_LOG,
                              .opcode = opcode,
                              .pointer_size = 8,
                              .payload = {.at = payload, .size = size}};
}

static void walk_values(const struct etl_event *event, struct etl_span list)
{
    char path[ETL_COUNTER_PATH_SIZE];
    struct etl_counter_walk walk;
    struct etl_counter counter;
    struct null_sink sink = null_sink_new();
    const uint8_t *end = event->payload.at + event->payload.size;
    if (!etl_counters_start(&walk, event, list)) {
        return;
    }
    while (etl_counters_next(&walk, &counter)) {
        fuzz_require(counter.at.at >= event->payload.at && counter.at.at + counter.at.size <= end);
        null_sink_touch(&sink, counter.at.at, counter.at.size);
        size_t length = etl_counter_path(&counter, path);
        fuzz_require(length < sizeof path && path[length] == '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t packed[ETL_COUNTERS_SIZE_MAX];
    struct etl_bytes in = etl_bytes_of(data, size);
    uint8_t choice = etl_bytes_u8(&in);
    size_t list_size = etl_bytes_u16(&in);
    if (in.failed) {
        return 0;
    }
    etl_layouts_start();
    list_size = list_size < etl_bytes_left(&in) ? list_size : etl_bytes_left(&in);
    size_t values_size = etl_bytes_left(&in) - list_size;
    uint8_t *list = fuzz_copy(in.at, list_size);
    uint8_t *values = fuzz_copy(in.at + list_size, values_size);
    struct etl_guid log;
    if (list != NULL && values != NULL) {
        struct etl_event event = event_of(LIST, list, list_size);
        struct etl_span span = {.at = list, .size = list_size};
        if ((choice & 1) != 0 && etl_counters_is_list(&event, &log)) {
            span = (struct etl_span){.at = packed, .size = etl_counters_pack(&event, packed)};
            fuzz_require(span.size <= sizeof packed);
        }
        event = event_of(VALUES, values, values_size);
        if (etl_counters_is_values(&event, &log)) {
            walk_values(&event, span);
        }
    }
    free(list);
    free(values);
    return 0;
}
