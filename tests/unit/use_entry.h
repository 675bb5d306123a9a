/*
 * Everything that somebody does with an event of a trace, and nothing of it shown: packed, unpacked, decoded by its
 * layout and its schema, as packet, operation, counters, in statistics and in the Info line. For suites and fuzz
 * targets that want all of it reached.
 */
#ifndef ETL_TESTS_USE_ENTRY_H
#define ETL_TESTS_USE_ENTRY_H

#include "etl/builtin.h"
#include "etl/counters.h"
#include "etl/file.h"
#include "etl/info.h"
#include "etl/items.h"
#include "etl/operations.h"
#include "etl/packed_text.h"
#include "etl/packet.h"
#include "etl/record.h"
#include "etl/schema_set.h"
#include "etl/statistics.h"
#include "etl/traffic.h"
#include "etl/transfer.h"

#include "null_sink.h"

static inline void use_schema(const struct etl_event *event, const struct etl_context *context,
                              const struct etl_schema *schema, struct null_sink *sink)
{
    char line[300];
    const struct etl_info_source source = {.clock = &context->clock,
                                           .pointer_size = event->pointer_size};
    const struct etl_decoder decoder = {
        .sink = &sink->sink, .clock = &context->clock, .pointer_size = event->pointer_size};
    etl_schema_fits(schema, event->payload, event->pointer_size);
    etl_schema_decode(&decoder, schema, event->payload.at, event->payload.size);
    etl_schema_info(&source, schema, event->payload, line, sizeof line);
}

static inline void use_layout(const struct etl_event *event, const struct etl_context *context,
                              struct null_sink *sink)
{
    char line[300];
    const struct etl_layout *layout = etl_layout_of_event(event);
    const struct etl_info_source source = {.clock = &context->clock,
                                           .pointer_size = event->pointer_size};
    const struct etl_decoder decoder = {
        .sink = &sink->sink, .clock = &context->clock, .pointer_size = event->pointer_size};
    if (layout != NULL) {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
        etl_info_format(&source, layout, event->payload.at, event->payload.size, line, sizeof line);
    }
}

/* By what the trace itself says of the event, else by the built-in table. */
static inline void use_description(const struct etl_record *record, struct null_sink *sink)
{
    struct etl_builtin_match match;
    struct etl_span packed = record->packed_schema;
    const struct etl_event *event = &record->event;
    struct etl_schema *schema = NULL;
    if (packed.size > ETL_SCHEMA_HASH_SIZE) {
        packed.at += ETL_SCHEMA_HASH_SIZE;
        packed.size -= ETL_SCHEMA_HASH_SIZE;
        schema = etl_schema_unpack(packed);
    } else if (event->has_provider &&
               etl_builtin_find(&event->provider, event->id, (uint8_t)event->version, &match)) {
        schema = etl_builtin_schema(&match);
    }
    if (schema != NULL) {
        use_schema(event, &record->context, schema, sink);
    }
    etl_schema_free(schema);
}

static inline void use_packet(const struct etl_event *event, const struct etl_traffic *traffic,
                              struct null_sink *sink)
{
    struct etl_packet packet;
    struct etl_packet_ends ends;
    struct etl_owner owner;
    struct etl_usb_way way;
    struct etl_span reception;
    if (!etl_packet_of_event(event, &packet)) {
        return;
    }
    null_sink_touch(sink, packet.bytes.at, packet.bytes.size);
    etl_packet_ends(packet.link, packet.bytes, &ends);
    etl_packet_hash(packet.bytes, packet.original_size);
    if (traffic != NULL) {
        etl_traffic_owner(traffic, &packet, event->raw_time, &owner);
        etl_traffic_drop(traffic, &packet);
        etl_traffic_interface(traffic, (uint32_t)packet.place);
        etl_traffic_component(traffic, (uint32_t)packet.place);
        if (etl_traffic_usb_way(traffic, &packet, event->raw_time, &way)) {
            etl_packet_add_usb_way(&packet, &way);
        }
        if (etl_traffic_reception(traffic, &packet, event->raw_time, &reception)) {
            etl_packet_add_reception(&packet, reception);
        }
    }
}

/* A list of counters as it is packed, and values by a list, which may be of others. */
static inline void use_counters(const struct etl_event *event, struct null_sink *sink)
{
    static uint8_t list[ETL_COUNTERS_SIZE_MAX];
    static size_t size;
    char path[ETL_COUNTER_PATH_SIZE];
    struct etl_guid log;
    struct etl_counter_walk walk;
    struct etl_counter counter;
    if (etl_counters_is_list(event, &log)) {
        size = etl_counters_pack(event, list);
    }
    const struct etl_span packed = {.at = list, .size = size};
    if (etl_counters_is_values(event, &log) && etl_counters_start(&walk, event, packed)) {
        while (etl_counters_next(&walk, &counter)) {
            null_sink_touch(sink, counter.at.at, counter.at.size);
            etl_counter_path(&counter, path);
        }
    }
}

static inline void use_sums(const struct etl_event *event, const struct etl_context *context,
                            uint16_t cpu)
{
    static struct etl_switches switches;
    struct etl_addition addition;
    struct etl_operation operation;
    struct etl_transfer transfer;
    for (int i = 0; i < ETL_STATISTIC_COUNT; i++) {
        etl_statistic_add(etl_statistic((enum etl_statistic_id)i), event, context, cpu, &switches,
                          &addition);
    }
    if (etl_operation_may_be(event)) {
        etl_operation_of_event(event, context, event->process_id, &operation);
    }
    etl_transfer_of_event(event, &transfer);
}

/* `traffic` may be NULL. */
static inline void use_record(const struct etl_record *record, const struct etl_traffic *traffic)
{
    struct null_sink sink = null_sink_new();
    etl_event_show_header(&record->event, &record->context, &sink.sink);
    etl_items_show(&record->event, &record->context, &sink.sink);
    use_layout(&record->event, &record->context, &sink);
    use_description(record, &sink);
    use_packet(&record->event, traffic, &sink);
    use_counters(&record->event, &sink);
    use_sums(&record->event, &record->context, record->place.cpu);
    null_sink_check(&sink);
}

#endif
