/* Records: packed and unpacked, and no change of a byte does harm. */
#include "etl/record.h"

#include "records.h"

static struct etl_keys *no_keys;

static bool same_bytes(struct etl_span a, struct etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static void check_event(const struct etl_event *a, const struct etl_event *b)
{
    CU_ASSERT_PTR_EQUAL(a->kind, b->kind);
    CU_ASSERT_TRUE(same_bytes(a->header, b->header));
    CU_ASSERT_TRUE(same_bytes(a->items, b->items));
    CU_ASSERT_TRUE(same_bytes(a->payload, b->payload));
    CU_ASSERT_TRUE(a->size == b->size && a->pointer_size == b->pointer_size);
    CU_ASSERT_TRUE(a->has_time == b->has_time && a->raw_time == b->raw_time);
    CU_ASSERT_TRUE(a->local_time == b->local_time);
    CU_ASSERT_TRUE(a->hookid == b->hookid && a->id == b->id && a->flags == b->flags);
    CU_ASSERT_TRUE(etl_guid_equal(&a->provider, &b->provider));
}

static void check_place(const struct etl_place *a, const struct etl_place *b)
{
    CU_ASSERT_TRUE(a->position == b->position && a->buffer == b->buffer);
    CU_ASSERT_TRUE(a->offset == b->offset && a->cpu == b->cpu && a->logger_id == b->logger_id);
    CU_ASSERT_TRUE(a->sequence == b->sequence && a->buffer_state == b->buffer_state);
    CU_ASSERT_TRUE(a->buffer_flags == b->buffer_flags && a->buffer_type == b->buffer_type);
    CU_ASSERT_TRUE(a->compressed == b->compressed && a->out_of_order == b->out_of_order);
}

static void check_context(const struct etl_context *a, const struct etl_context *b)
{
    CU_ASSERT_TRUE(a->clock.kind == b->clock.kind && a->clock.frequency == b->clock.frequency);
    CU_ASSERT_TRUE(a->clock.base_raw == b->clock.base_raw);
    CU_ASSERT_TRUE(a->clock.base_filetime == b->clock.base_filetime);
    CU_ASSERT_TRUE(a->trace_id == b->trace_id && a->pointer_size == b->pointer_size);
    CU_ASSERT_EQUAL(a->old_instances, b->old_instances);
    CU_ASSERT_EQUAL(a->local_time_known, b->local_time_known);
    CU_ASSERT_TRUE(!a->local_time_known || a->local_time_bias == b->local_time_bias);
}

/* Packs an entry; the record is in `room`. */
static size_t pack(const struct etl_entry *entry, const struct etl_keys *keys,
                   struct etl_record *ret_record)
{
    size_t size = etl_record_pack(entry, keys, &with_names, room);
    CU_ASSERT_TRUE(size <= ETL_RECORD_SIZE_MAX && size % 4 == 0);
    CU_ASSERT_TRUE(etl_record_unpack(room, size, ret_record));
    CU_ASSERT_EQUAL(ret_record->trailer, ETL_TRAILER_GOOD);
    CU_ASSERT_FALSE(ret_record->length_mismatch);
    return size;
}

static void unpack(const uint8_t *data, size_t size)
{
    struct etl_record record;
    bool unpacked = etl_record_unpack(data, size, &record);
    CU_ASSERT_EQUAL(unpacked, size >= FIXED_SIZE);
    if (unpacked) {
        touch_record(&record);
    }
}

/* Every byte becomes this and that. */
static void corrupt(size_t size)
{
    static const uint8_t values[] = {0x00, 0x01, 0x02, 0x04, 0x7F, 0x80, 0xC0, 0xFF};
    uint8_t *copy = unit_copy(room, size);
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < sizeof values; k++) {
            copy[i] = values[k];
            unpack(copy, size);
        }
        copy[i] = room[i];
    }
    free(copy);
}

static void round_trip(const struct trace_header *header)
{
    struct trace trace;
    struct etl_entry entry;
    struct etl_record record;
    make_kinds(&trace, header);
    struct etl_file *file = open_trace(&trace);
    size_t count = 0;
    bool found[ETL_KIND_COUNT] = {false};
    while (etl_file_next(file, &entry) == ETL_OK) {
        size_t size = pack(&entry, etl_file_keys(file), &record);
        check_event(&record.event, &entry.event);
        check_place(&record.place, &entry.place);
        check_context(&record.context, entry.context);
        CU_ASSERT_EQUAL(record.raw_time, entry.raw_time);
        found[entry.event.kind - etl_kind(0)] = true;
        uint8_t *copy = unit_copy(room, size);
        unit_every_truncation(copy, size, unpack);
        free(copy);
        corrupt(size);
        count++;
    }
    CU_ASSERT_EQUAL(count, 22);
    for (int kind = 0; kind < ETL_KIND_COUNT; kind++) {
        bool made = kind != ETL_KIND_OLD_INSTANCE32 && kind != ETL_KIND_TIMED &&
                    kind != ETL_KIND_WNODE && kind != ETL_KIND_EVENT32 && kind != ETL_KIND_FULL32;
        CU_ASSERT_EQUAL(found[kind], made);
    }
    etl_file_close(file);
    trace_free(&trace);
}

static void test_round_trip(void)
{
    round_trip(NULL);
}

static void test_system_time(void)
{
    const struct trace_header header = {.clock_type = 2, .bias = -60};
    round_trip(&header); /* the classic event with local time among them */
}

static const struct etl_entry *only_entry(struct etl_context *context, struct etl_place place)
{
    static uint8_t bytes[16] = {0x02, 0x00, 0x11, 0xC0, 0x10, 0x00, 0x22, 0x0F};
    static struct etl_entry entry;
    struct etl_measure measure;
    etl_layouts_start();
    memset(&entry, 0, sizeof entry);
    CU_ASSERT_EQUAL_FATAL(etl_event_measure(bytes, sizeof bytes, context, &measure),
                          ETL_MEASURED_EVENT);
    etl_event_read(bytes, &measure, context, &entry.event);
    entry.place = place;
    entry.context = context;
    entry.raw_time = 0;
    return &entry;
}

static void expect_context(struct etl_context context)
{
    struct etl_record record;
    const struct etl_place place = {.offset = 0x48};
    pack(only_entry(&context, place), no_keys, &record);
    check_context(&record.context, &context);
}

static void test_contexts(void)
{
    struct etl_context context = {.clock = {.kind = ETL_CLOCK_CYCLES, .frequency = 2808000000},
                                  .trace_id = 0xDEADBEEF,
                                  .pointer_size = 4,
                                  .old_instances = true};
    no_keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(no_keys);
    expect_context(context);
    context.clock.frequency = UINT32_MAX;
    expect_context(context);
    context.clock.frequency = UINT64_C(0x123456789AB); /* does not fit 32 bits */
    expect_context(context);
    context.clock.base_raw = INT64_MIN;
    context.clock.base_filetime = -1;
    context.local_time_known = true;
    static const int16_t biases[] = {0,    60,   -60,  -345,  7,     -1,    480,  1905,
                                     1906, 1920, 2880, -1905, -1920, -1935, -2880};
    for (size_t i = 0; i < sizeof biases / sizeof biases[0]; i++) {
        context.local_time_bias = biases[i]; /* quarter hours, odd minutes, over 8 bits */
        expect_context(context);
    }
    etl_keys_free(no_keys);
}

static void test_places(void)
{
    struct etl_context context = {.pointer_size = 8};
    const struct etl_place places[] = {
        {.position = 0xFFFFFFFFFFFF,
         .buffer = UINT32_MAX,
         .offset = 0x1FFFFFF,
         .cpu = 2047,
         .logger_id = UINT16_MAX,
         .sequence = UINT32_MAX,
         .buffer_state = 255,
         .buffer_flags = UINT16_MAX,
         .buffer_type = 255,
         .compressed = true,
         .out_of_order = true},
        {.sequence = -1, .buffer_state = 3},
        {.sequence = INT64_C(0x100000000)},
        {.buffer_state = 256},
        {.buffer_type = UINT16_MAX, .buffer_state = UINT32_MAX},
    };
    no_keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(no_keys);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct etl_record record;
        size_t size = pack(only_entry(&context, places[i]), no_keys, &record);
        check_place(&record.place, &places[i]);
        corrupt(size);
    }
    etl_keys_free(no_keys);
}

static bool speaks_of(const struct etl_entry *entry, uint32_t process)
{
    struct etl_payload_ids payload;
    etl_payload_ids(&entry->event, &entry->context->clock, &payload);
    for (size_t i = 0; i < payload.count; i++) {
        if (payload.ids[i].key == ETL_KEY_PROCESS && payload.ids[i].id == process) {
            return true;
        }
    }
    return false;
}

static void test_names(void)
{
    struct trace trace;
    struct etl_entry entry;
    struct etl_record record;
    make_kinds(&trace, NULL);
    struct etl_file *file = open_trace(&trace);
    size_t attributed = 0;
    while (etl_file_next(file, &entry) == ETL_OK) {
        pack(&entry, etl_file_keys(file), &record);
        bool perfinfo = entry.event.kind->family == ETL_FAMILY_PERFINFO;
        if (perfinfo && entry.running_thread == 556) { /* its ids are those of what ran */
            CU_ASSERT_TRUE(record.has_ids && record.thread_id == 556 && record.process_id == 100);
            CU_ASSERT_FALSE(record.event.has_ids);
            expect_name(&record, 100, "host.exe");
            attributed++;
        } else if (entry.event.has_ids && entry.event.process_id == 100) {
            expect_name(&record, 100, "host.exe");
        } else { /* a payload may speak of it */
            expect_name(&record, 100, speaks_of(&entry, 100) ? "host.exe" : NULL);
        }
        CU_ASSERT_EQUAL(record.has_ids, entry.event.has_ids ||
                                            (perfinfo && entry.running_thread != ETL_ID_UNKNOWN));
        const struct etl_record_options no_names = {.no_names = true};
        size_t size = etl_record_pack(&entry, etl_file_keys(file), &no_names, room);
        CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
        expect_name(&record, 100, NULL);
    }
    CU_ASSERT_EQUAL(attributed, 3);
    etl_file_close(file);
    trace_free(&trace);
}

static void test_remarks(void)
{
    struct trace trace;
    struct etl_entry entry;
    struct etl_record record;
    const struct trace_header header = {.events_lost = 41, .end_time = -1};
    trace_start(&trace, BUFFER_SIZE, &header);
    struct etl_file *file = open_trace(&trace);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    pack(&entry, etl_file_keys(file), &record);
    struct remarks remarks;
    memset(&remarks, 0, sizeof remarks);
    etl_record_remarks(&record, collect_remark, &remarks);
    CU_ASSERT_EQUAL_FATAL(remarks.count, 2);
    CU_ASSERT_TRUE(remarks.notes[0] == ETL_NOTE_EVENTS_LOST);
    CU_ASSERT_STRING_EQUAL(remarks.details[0], "41");
    CU_ASSERT_TRUE(remarks.notes[1] == ETL_NOTE_NOT_CLOSED);
    CU_ASSERT_STRING_EQUAL(remarks.details[1], "");
    etl_file_close(file);
    trace_free(&trace);
}

static void test_largest(void)
{
    struct trace trace;
    struct etl_entry entry;
    struct etl_record record;
    trace_start(&trace, 0x80000, NULL);
    trace_begin_buffer(&trace, 0);
    trace_mark(&trace, 2000, 0xFFFF - 16);
    static uint8_t items[0xFFFF - 80];
    etl_store_u16(items, 0xFF00); /* one item of 65,280 bytes */
    trace_modern(&trace, 2010, 1, items, sizeof items);
    make_other(&trace, 0x77);
    etl_store_u16(trace.bytes + trace.size - 16, 0xFFFF);
    trace_grow(&trace, 0xFFF0);
    trace_end_buffer(&trace);
    struct etl_file *file = open_trace(&trace);
    size_t count = 0;
    while (etl_file_next(file, &entry) == ETL_OK) {
        pack(&entry, etl_file_keys(file), &record);
        check_event(&record.event, &entry.event);
        count++;
    }
    CU_ASSERT_EQUAL(count, 4);
    etl_file_close(file);
    trace_free(&trace);
}

static void test_no_time(void)
{
    struct trace trace;
    struct etl_entry entry;
    struct etl_record record;
    trace_start(&trace, BUFFER_SIZE, NULL);
    trace_begin_buffer(&trace, 0);
    trace_message(&trace);
    trace_end_buffer(&trace);
    struct etl_file *file = open_trace(&trace);
    etl_file_next(file, &entry);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    CU_ASSERT_EQUAL(entry.raw_time, INT64_MIN);
    pack(&entry, etl_file_keys(file), &record);
    CU_ASSERT_TRUE(record.raw_time == 0 && !record.event.has_time && !record.has_ids);
    etl_file_close(file);
    trace_free(&trace);
}

UNIT_SUITE("record",
           {"every kind comes out as it went in, and no change does harm", test_round_trip},
           {"so it does where the clock is the system's time", test_system_time},
           {"clock, time zone and pointer size come out", test_contexts},
           {"so does the place, however unusual", test_places},
           {"names come with the ids that an event has, if they are wanted", test_names},
           {"remarks come out in their order", test_remarks},
           {"the largest events fit", test_largest},
           {"an event before any time has the time 0", test_no_time})
