/*
 * Fuzzes event headers: whatever is measured can be read and shown, both ways to measure agree.
 *
 *   byte 0: what the file says of all events | the event
 */
#include "core/file/measure.h"
#include "etl/packed_text.h"
#include "etl/transfer.h"

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

static void expand(const struct etl_packed_text *text)
{
    uint8_t *room = malloc(text->size + 1);
    size_t size = room != NULL ? etl_packed_text_expand(text, room) : 0;
    char *utf8 = malloc(ETL_PACKED_TEXT_UTF8_SIZE(size));
    fuzz_require(size <= text->size);
    if (room != NULL && utf8 != NULL) {
        fuzz_require(etl_packed_text_utf8(room, size, utf8) < ETL_PACKED_TEXT_UTF8_SIZE(size));
    }
    free(utf8);
    free(room);
}

/* What single rows of the payload are for. */
static void use_payload(const struct etl_event *event)
{
    struct etl_transfer transfer;
    struct etl_packed_text text;
    struct null_sink sink = null_sink_new();
    if (etl_transfer_of_event(event, &transfer)) {
        null_sink_touch(&sink, transfer.ends.source, transfer.ends.address_size);
        null_sink_touch(&sink, transfer.ends.destination, transfer.ends.address_size);
    }
    if (etl_packed_text_of_event(event, &text)) {
        expand(&text);
    }
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
        use_payload(&event);
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
