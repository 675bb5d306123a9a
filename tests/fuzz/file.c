/*
 * Fuzzes whole traces: every event in order, packed into a record and unpacked, and read again by
 * its position, also between two events of the order.
 *
 *   last byte: options | the rest: the file
 */
#include "etl/record.h"

#include "fuzz.h"
#include "trace_mutator.h"
#include "use_entry.h"

/* A small input can expand to millions of events; so many are enough. */
#define EVENTS_MAX    2000
#define POSITIONS_MAX 64

#define MEMORY_LIMIT ((size_t)1 << 20)

static uint8_t room[ETL_RECORD_SIZE_MAX];

static bool same_span(struct etl_span a, struct etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static void check_record(struct etl_file *file, const struct etl_entry *entry, uint8_t choice)
{
    const struct etl_record_options options = {.no_names = (choice & 8) != 0};
    struct etl_record record;
    size_t size = etl_record_pack(entry, etl_file_keys(file), &options, room);
    fuzz_require(size <= sizeof room && etl_record_unpack(room, size, &record));
    fuzz_require(record.trailer == ETL_TRAILER_GOOD && !record.length_mismatch);
    fuzz_require(record.event.kind == entry->event.kind);
    fuzz_require(same_span(record.event.header, entry->event.header));
    fuzz_require(same_span(record.event.items, entry->event.items));
    fuzz_require(same_span(record.event.payload, entry->event.payload));
    fuzz_require(record.event.raw_time == entry->event.raw_time);
    fuzz_require(record.event.pointer_size == entry->event.pointer_size);
    fuzz_require(record.place.sequence == entry->place.sequence);
    if ((choice & 128) != 0) {
        use_record(&record, etl_keys_known_traffic(etl_file_keys(file)));
    }
}

/* What an event must have in common with itself, read by its position. */
struct known {
    uint64_t position;
    int64_t raw_time;
    uint32_t running_thread;
    uint16_t size;
    bool out_of_order;
    size_t remark_count;
};

static struct known known_of(const struct etl_entry *entry)
{
    return (struct known){.position = etl_position(&entry->place),
                          .raw_time = entry->raw_time,
                          .running_thread = entry->running_thread,
                          .size = entry->event.size,
                          .out_of_order = entry->place.out_of_order,
                          .remark_count = entry->remark_count};
}

static void read_again(struct etl_file *file, const struct known *known)
{
    struct etl_entry entry;
    fuzz_require(etl_file_at(file, known->position, &entry) == ETL_OK);
    struct known again = known_of(&entry);
    fuzz_require(again.raw_time == known->raw_time && again.size == known->size);
    fuzz_require(again.running_thread == known->running_thread);
    fuzz_require(again.out_of_order == known->out_of_order);
    fuzz_require(again.remark_count == known->remark_count);
}

static void read_file(struct etl_file *file, uint8_t choice)
{
    static struct known known[POSITIONS_MAX];
    struct etl_entry entry;
    size_t count = 0;
    for (; count < EVENTS_MAX && etl_file_next(file, &entry) == ETL_OK; count++) {
        known[count % POSITIONS_MAX] = known_of(&entry);
        check_record(file, &entry, choice);
        if ((choice & 4) != 0 && count % 3 == 0) { /* somebody looks back */
            read_again(file,
                       &known[count * 7 % (count < POSITIONS_MAX ? count + 1 : POSITIONS_MAX)]);
        }
    }
    size_t kept = count < POSITIONS_MAX ? count : POSITIONS_MAX;
    for (size_t i = 0; i < kept; i++) {
        read_again(file, &known[i * 5 % kept]);
    }
}

/* So little that it is met. */
static void set_small_limits(struct etl_limits *limits)
{
    limits->bytes[ETL_LIMIT_INDEX] = 300;
    limits->bytes[ETL_LIMIT_SCHEMAS] = 6000;
    limits->bytes[ETL_LIMIT_MAPS] = 3000;
    limits->bytes[ETL_LIMIT_STRINGS] = 3000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    uint8_t choice = data[size - 1];
    struct etl_file_options options = {.file_order = (choice & 1) != 0,
                                       .no_keys = (choice & 2) != 0,
                                       .limits.bytes[ETL_LIMIT_MEMORY] = MEMORY_LIMIT,
                                       .search = (enum etl_search)(choice >> 4 & 3)};
    if ((choice & 64) != 0) {
        set_small_limits(&options.limits);
    }
    uint8_t *copy = fuzz_copy(data, size - 1);
    struct etl_source *source = copy != NULL ? etl_source_of_memory(copy, size - 1) : NULL;
    struct etl_file *file;
    char message[120];
    if (source != NULL) {
        if (etl_file_open(source, &options, &file, message, sizeof message) == ETL_OK) {
            if ((choice & 4) != 0) {
                etl_file_random_access(file);
            }
            read_file(file, choice);
            etl_file_close(file);
        } else {
            etl_source_close(source);
        }
    }
    free(copy);
    return 0;
}
