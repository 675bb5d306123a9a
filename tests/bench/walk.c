/*
 * Walks a trace and says what it took: bench_walk FILE walk|expand|fields|records
 *
 *   walk      every event in time order, nothing more
 *   expand    the same with hardly any memory: what the index pass has expanded is expanded again
 *   fields    and every field of its header and its kernel payload, into a sink that drops them
 *   records   and its record
 *
 * Prints names and numbers: events, bytes of events, seconds of processor time of the index pass and of the
 * rest, fields, bytes of records over those of payloads (without names, and those of names), and of each sort of
 * id how many spans of time are known, and their bytes in memory.
 */
#include "etl/decode.h"
#include "etl/hooks.h"
#include "etl/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct totals {
    uint64_t events;
    uint64_t bytes;
    uint64_t fields;
    uint64_t overhead;
    uint64_t names; /* bytes of records that are names */
};

struct counter {
    struct etl_sink sink;
    uint64_t fields;
};

static void on_value(struct etl_sink *sink, const struct etl_field *field,
                     const struct etl_value *value)
{
    (void)field, (void)value;
    ((struct counter *)sink)->fields++;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void decode(const struct etl_entry *entry, struct counter *sink)
{
    const struct etl_event *event = &entry->event;
    struct etl_decoder decoder = {
        .sink = &sink->sink, .clock = &entry->context->clock, .pointer_size = event->pointer_size};
    etl_event_show_header(event, entry->context, &sink->sink);
    const struct etl_layout *layout = event->has_hook
                                          ? etl_layout_of_hook(event->hookid, event->version)
                                          : NULL;
    if (layout != NULL) {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    }
}

/* Room for a buffer of 64 KiB for each of 64 CPUs. */
#define SMALL_LIMIT ((size_t)5 << 20)

static enum etl_status walk(struct etl_file *file, struct totals *totals)
{
    struct etl_step step;
    enum etl_status status;
    while ((status = etl_file_step(file, &step)) == ETL_OK) {
        totals->events++;
        totals->bytes += step.measure.size;
    }
    return status;
}

static enum etl_status walk_entries(struct etl_file *file, bool records, struct totals *totals)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    static const struct etl_record_options no_names = {.no_names = true};
    static const struct etl_record_options with_names;
    struct counter sink = {.sink = {.value = on_value,
                                    .begin = etl_ignore_begin,
                                    .end = etl_ignore_end,
                                    .note = etl_ignore_note}};
    struct etl_entry entry;
    enum etl_status status;
    while ((status = etl_file_next(file, &entry)) == ETL_OK) {
        totals->events++;
        totals->bytes += entry.event.size;
        if (records) {
            size_t size = etl_record_pack(&entry, etl_file_keys(file), &no_names, room);
            totals->overhead += size - entry.event.payload.size;
            totals->names += etl_record_pack(&entry, etl_file_keys(file), &with_names, room) - size;
        } else {
            decode(&entry, &sink);
        }
    }
    totals->fields = sink.fields;
    return status;
}

static void print_sizes(const struct etl_keys *keys)
{
    struct etl_keys_size sizes[ETL_KEYS_SIZES];
    etl_keys_measure(keys, sizes);
    for (size_t i = 0; i < ETL_KEYS_SIZES; i++) {
        printf("%s %zu\n%s_bytes %zu\n", sizes[i].what, sizes[i].count, sizes[i].what,
               sizes[i].bytes);
    }
}

int main(int argc, char **argv)
{
    int descriptor = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    struct etl_source *source = descriptor >= 0 ? etl_source_of_descriptor(descriptor) : NULL;
    /* "expand": no buffer stays in memory after the index pass, as in a trace larger than the limit. */
    bool expand = argc == 3 && argv[2][0] == 'e';
    struct etl_file_options options = {.limits.bytes[ETL_LIMIT_MEMORY] = expand ? SMALL_LIMIT : 0};
    struct etl_file *file;
    char message[200] = "";
    if (source == NULL ||
        etl_file_open(source, &options, &file, message, sizeof message) != ETL_OK) {
        fprintf(stderr, "usage: bench_walk FILE.etl walk|expand|fields|records %s\n", message);
        return 2;
    }
    struct totals totals = {0};
    etl_layouts_start();
    double began = processor_seconds();
    if (etl_file_index(file, NULL, NULL) != ETL_OK) {
        return 1;
    }
    double indexed = processor_seconds();
    bool plain = argv[2][0] == 'w' || expand;
    enum etl_status status = plain ? walk(file, &totals)
                                   : walk_entries(file, argv[2][0] == 'r', &totals);
    double done = processor_seconds();
    printf("events %" PRIu64 "\nbytes %" PRIu64 "\nfields %" PRIu64 "\noverhead %" PRIu64
           "\nnames %" PRIu64 "\nindex %.6f\nrest %.6f\n",
           totals.events, totals.bytes, totals.fields, totals.overhead, totals.names,
           indexed - began, done - indexed);
    print_sizes(etl_file_keys(file));
    etl_file_close(file);
    return status == ETL_END ? 0 : 1;
}
