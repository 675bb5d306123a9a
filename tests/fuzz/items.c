/*
 * Fuzzes everything about extended items: a chain of them, traits, schemas, and the event and record around
 * them. Every byte that a sink is given is read.
 *
 *   byte 0: what the rest is (0 items, 1 traits, 2 a schema, 3 an event)
 */
#include "etl/items.h"
#include "etl/record.h"
#include "etl/tracelogging.h"
#include "etl/traits.h"

#include "../unit/null_sink.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct etl_context context = {.pointer_size = 8};

static void check_inside(struct etl_span part, struct etl_span whole)
{
    if (part.at < whole.at || part.at + part.size > whole.at + whole.size) {
        abort();
    }
}

static void show_items(struct etl_span items, struct etl_sink *sink)
{
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .flags = 1,
                              .items = items,
                              .payload = {.at = items.at + items.size, .size = 0},
                              .pointer_size = 8};
    struct etl_span found;
    etl_items_show(&event, &context, sink);
    for (unsigned type = 0; type < 20; type++) {
        if (etl_items_find(&event, (uint16_t)type, &found)) {
            check_inside(found, items);
        }
    }
}

static void show_traits(struct etl_span traits, struct etl_sink *sink)
{
    struct etl_span name;
    etl_traits_show(traits, sink);
    if (etl_traits_name(traits, &name)) {
        check_inside(name, traits);
    }
}

static void show_schema(struct etl_span schema, struct etl_sink *sink)
{
    struct etl_span name;
    etl_tracelogging_show(schema, sink);
    if (etl_tracelogging_event_name(schema, &name)) {
        check_inside(name, schema);
    }
}

/* What the index pass and a record make of an event's traits. */
static void pack_event(struct etl_span bytes, struct etl_sink *sink)
{
    static const struct etl_record_options options;
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    struct etl_keys *keys = etl_keys_new(NULL);
    struct etl_measure measure;
    struct etl_span traits, name;
    if (keys != NULL &&
        etl_event_measure(bytes.at, bytes.size, &context, &measure) == ETL_MEASURED_EVENT) {
        struct etl_entry entry = {.context = &context};
        struct etl_record record;
        etl_event_read(bytes.at, &measure, &context, &entry.event);
        if (etl_items_find(&entry.event, ETL_ITEM_PROV_TRAITS, &traits) &&
            etl_traits_name(traits, &name)) {
            etl_keys_learn_provider(keys, &entry.event.provider, name);
        }
        size_t size = etl_record_pack(&entry, keys, &options, room);
        if (!etl_record_unpack(room, size, &record) ||
            record.event.items.size != entry.event.items.size) {
            abort();
        }
        etl_items_show(&record.event, &record.context, sink);
    }
    etl_keys_free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const targets[])(struct etl_span, struct etl_sink *) = {show_items, show_traits,
                                                                          show_schema, pack_event};
    etl_layouts_start();
    if (size == 0 || size > UINT16_MAX) {
        return 0;
    }
    /* In a heap block of its own size, so that AddressSanitizer sees the first byte outside. */
    struct etl_span span = {.size = size - 1};
    uint8_t *copy = malloc(size);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, data + 1, size - 1);
    span.at = copy;
    struct null_sink sink = null_sink_new();
    targets[data[0] % 4](span, &sink.sink);
    null_sink_check(&sink);
    free(copy);
    return 0;
}
