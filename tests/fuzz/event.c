/*
 * Fuzzes event headers: whatever is measured can be read and shown, both ways to measure agree.
 *
 *   byte 0: what the file says of all events | the event
 */
#include "core/measure.h"

#include "fuzz.h"

static struct etl_context context_of(uint8_t byte)
{
    return (struct etl_context){
        .clock = {.kind = (enum etl_clock_kind)(byte & 3), .frequency = 10000000},
        .pointer_size = byte & 4 ? 8 : 4,
        .old_instances = (byte & 8) != 0,
        .local_time_known = (byte & 16) != 0,
        .local_time_bias = -60,
    };
}

static void show(const struct etl_event *event, const struct etl_context *context)
{
    struct null_sink sink = null_sink_new();
    null_sink_touch(&sink, event->header.at, event->header.size);
    null_sink_touch(&sink, event->items.at, event->items.size);
    null_sink_touch(&sink, event->payload.at, event->payload.size);
    etl_event_show_header(event, context, &sink.sink);
    null_sink_check(&sink);
}

static void read_event(const uint8_t *at, size_t size, const struct etl_context *context)
{
    struct etl_measure measure;
    struct etl_measure fast;
    struct etl_event event;
    enum etl_measured measured = etl_event_measure(at, size, context, &measure);
    fuzz_require(etl_measure(at, size, context, &fast) == measured);
    if (measured == ETL_MEASURED_EVENT) {
        fuzz_require(fast.kind == measure.kind && fast.size == measure.size);
        fuzz_require(fast.has_time == measure.has_time && fast.raw_time == measure.raw_time);
        etl_event_read(at, &measure, context, &event);
        fuzz_require(event.header.size + event.items.size + event.payload.size == event.size);
        show(&event, context);
    }
    if (etl_event_read_header(at, size, context, &event)) {
        fuzz_require(event.header.size <= size);
        show(&event, context);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    etl_layouts_start();
    struct etl_context context = context_of(data[0]);
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    if (copy != NULL) {
        read_event(copy, size - 1, &context);
    }
    free(copy);
    return 0;
}
