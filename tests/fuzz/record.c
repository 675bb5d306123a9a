/*
 * Fuzzes records, which anybody can write: unpacked, all items walked, header and payload shown,
 * the line of the Info column made, and written to a trace.
 */
#include "etl/counters.h"
#include "etl/info.h"
#include "etl/items.h"
#include "etl/writer.h"

#include "fuzz.h"

static void touch_remark(void *data, enum etl_note note, struct etl_span detail)
{
    fuzz_require(note < ETL_NOTE_COUNT);
    null_sink_touch(data, detail.at, detail.size);
}

static void touch_names(const struct etl_record *record, struct null_sink *sink)
{
    struct etl_record_name name;
    const uint64_t ids[] = {record->process_id, record->thread_id, 0, 4};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        for (int key = ETL_KEY_NONE; key < ETL_KEY_COUNT; key++) {
            if (etl_record_find_name(record, (enum etl_key)key, ids[i], &name)) {
                null_sink_touch(sink, name.text.at, name.text.size);
            }
        }
    }
}

/* What is known of processes, modules and stacks. */
static void touch_facts(const struct etl_record *record, struct null_sink *sink)
{
    struct etl_record_process process;
    struct etl_record_image image;
    struct etl_span addresses;
    if (etl_record_find_process(record, &process)) {
        null_sink_touch(sink, process.command_line.at, process.command_line.size);
        null_sink_touch(sink, process.user.at, process.user.size);
    }
    for (uint64_t address = 1; address != 0; address <<= 1) {
        if (etl_record_find_image(record, address, &image)) {
            fuzz_require(address - image.base < image.size);
            null_sink_touch(sink, image.name.at, image.name.size);
            null_sink_touch(sink, image.pdb_name.at, image.pdb_name.size);
        }
        if (etl_record_find_stack(record, address, &addresses)) {
            null_sink_touch(sink, addresses.at, addresses.size);
        }
    }
}

/* The payload as values by the record's list, and as a list for itself. */
static void touch_counters(const struct etl_record *record, struct null_sink *sink)
{
    static uint8_t list[ETL_COUNTERS_SIZE_MAX];
    struct etl_guid log;
    struct etl_counter_walk walk;
    struct etl_counter counter;
    struct etl_span counters = record->counters;
    if (etl_counters_is_list(&record->event, &log)) {
        counters = (struct etl_span){list, etl_counters_pack(&record->event, list)};
    } else if (!etl_counters_is_values(&record->event, &log)) {
        return;
    }
    bool same = etl_counters_start(&walk, &record->event, counters);
    while (same && etl_counters_next(&walk, &counter)) {
        char path[ETL_COUNTER_PATH_SIZE];
        fuzz_require(etl_counter_path(&counter, path) == strlen(path));
        null_sink_touch(sink, counter.at.at, counter.at.size);
    }
}

static void show_payload(const struct etl_record *record, struct null_sink *sink)
{
    const struct etl_event *event = &record->event;
    const struct etl_layout *layout = etl_layout_of_event(event);
    struct etl_decoder decoder = {
        .sink = &sink->sink, .clock = &record->context.clock, .pointer_size = event->pointer_size};
    if (layout != NULL) {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    }
}

static size_t no_name(void *data, const struct etl_field *field, uint64_t number, char *room,
                      size_t size)
{
    (void)data, (void)field;
    size_t length = number % 3 == 0 && size > 1 ? 1 : 0;
    memcpy(room, "n", length);
    room[length] = '\0';
    return length;
}

/* In rooms of their own size, from one byte on. */
static void make_info(const struct etl_record *record)
{
    static const size_t sizes[] = {1, 2, 17, 300};
    const struct etl_event *event = &record->event;
    const struct etl_layout *layout = etl_layout_of_event(event);
    const struct etl_info_source source = {
        .clock = &record->context.clock, .pointer_size = event->pointer_size, .name = no_name};
    for (size_t i = 0; layout != NULL && i < sizeof sizes / sizeof sizes[0]; i++) {
        char *room = malloc(sizes[i]);
        fuzz_require(room != NULL);
        size_t length = etl_info_format(&source, layout, event->payload.at, event->payload.size,
                                        room, sizes[i]);
        fuzz_require(length < sizes[i] && room[length] == '\0');
        free(room);
    }
}

static bool append(void *data, const uint8_t *bytes, size_t size)
{
    null_sink_touch(data, bytes, size);
    return true;
}

static bool replace(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
    fuzz_require(offset + size <= 0x10000);
    null_sink_touch(data, bytes, size);
    return true;
}

/* Twice, so that the second meets what the first left. */
static void write_record(const struct etl_record *record, struct null_sink *sink)
{
    const struct etl_writer_output output = {.append = append, .replace = replace, .data = sink};
    const struct etl_writer_facts facts = {.version_major = 10};
    struct etl_writer *writer = etl_writer_new(&output, &facts);
    if (writer != NULL) {
        etl_writer_add(writer, record);
        etl_writer_add(writer, record);
        etl_writer_finish(writer);
        etl_writer_free(writer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_record record;
    etl_layouts_start();
    uint8_t *copy = fuzz_copy(data, size);
    if (copy != NULL && etl_record_unpack(copy, size, &record)) {
        struct null_sink sink = null_sink_new();
        null_sink_touch(&sink, record.event.header.at, record.event.header.size);
        null_sink_touch(&sink, record.event.items.at, record.event.items.size);
        null_sink_touch(&sink, record.event.payload.at, record.event.payload.size);
        null_sink_touch(&sink, record.buffer_context.at, record.buffer_context.size);
        null_sink_touch(&sink, record.provider_name.at, record.provider_name.size);
        null_sink_touch(&sink, record.trailer_bytes.at, record.trailer_bytes.size);
        null_sink_touch(&sink, record.trailer_items.at, record.trailer_items.size);
        etl_record_remarks(&record, touch_remark, &sink);
        touch_names(&record, &sink);
        touch_facts(&record, &sink);
        touch_counters(&record, &sink);
        etl_event_show_header(&record.event, &record.context, &sink.sink);
        etl_items_show(&record.event, &record.context, &sink.sink);
        show_payload(&record, &sink);
        make_info(&record);
        write_record(&record, &sink);
        null_sink_check(&sink);
    }
    free(copy);
    return 0;
}
