/* Traces written from records are traces with the same events. */
#include "etl/writer.h"

#include "trace.h"
#include "unit.h"

/* A file in memory; fails from the nth call on. */
struct output {
    uint8_t *bytes;
    size_t size;
    int calls_left;
};

static bool append(void *data, const uint8_t *bytes, size_t size)
{
    struct output *self = data;
    if (self->calls_left-- <= 0) {
        return false;
    }
    uint8_t *grown = realloc(self->bytes, self->size + size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(grown);
    memcpy(grown + self->size, bytes, size);
    self->bytes = grown;
    self->size += size;
    return true;
}

static bool replace(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct output *self = data;
    CU_ASSERT_TRUE_FATAL(offset + size <= self->size);
    memcpy(self->bytes + offset, bytes, size);
    return self->calls_left-- > 0;
}

static struct etl_file *open_bytes(const uint8_t *bytes, size_t size)
{
    static const struct etl_file_options options;
    struct etl_file *file;
    char message[200];
    struct etl_source *source = etl_source_of_memory(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL_FATAL(etl_file_open(source, &options, &file, message, sizeof message), ETL_OK);
    return file;
}

/* Two processors, an event that needs a buffer of its own, and more than a buffer of others. */
static void make_trace(struct trace *trace, const struct trace_header *header)
{
    static const uint8_t many[0x2000];
    trace_start(trace, 0x40000, header);
    for (uint16_t cpu = 0; cpu < 2; cpu++) {
        trace_begin_buffer(trace, (uint16_t)(5 + cpu));
        for (int64_t i = 0; i < 12; i++) {
            trace_modern(trace, 2000 + 10 * i + cpu, 0, many, sizeof many - (size_t)i);
            if (i == 6) {
                trace_message(trace);
            }
            trace_mark(trace, 2005 + 10 * i + cpu, 3);
        }
        trace_mark(trace, 3000 + cpu, 0xFFFF - 16);
        trace_end_buffer(trace);
    }
}

static const struct etl_writer_facts facts = {.logger_name = "made", .version_major = 10};

/* Writes the events of the file but the first `skipped`; *ret_count: how many. */
static enum etl_written write_file(struct etl_file *file, size_t skipped, struct output *output,
                                   size_t *ret_count)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    const struct etl_record_options options = {.no_names = false};
    const struct etl_writer_output functions = {
        .append = append, .replace = replace, .data = output};
    struct etl_writer *writer = etl_writer_new(&functions, &facts);
    CU_ASSERT_PTR_NOT_NULL_FATAL(writer);
    enum etl_written written = ETL_WRITTEN;
    struct etl_entry entry;
    size_t count = 0;
    while (written == ETL_WRITTEN && etl_file_next(file, &entry) == ETL_OK) {
        struct etl_record record;
        if (count++ < skipped) {
            continue;
        }
        size_t size = etl_record_pack(&entry, etl_file_keys(file), &options, room);
        CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
        written = etl_writer_add(writer, &record);
    }
    if (written == ETL_WRITTEN) {
        written = etl_writer_finish(writer);
    }
    etl_writer_free(writer);
    *ret_count = count - skipped;
    return written;
}

static bool same_span(struct etl_span a, struct etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static void same_event(const struct etl_entry *a, const struct etl_entry *b)
{
    CU_ASSERT_PTR_EQUAL(a->event.kind, b->event.kind);
    CU_ASSERT_TRUE(same_span(a->event.header, b->event.header));
    CU_ASSERT_TRUE(same_span(a->event.payload, b->event.payload));
    CU_ASSERT_EQUAL(a->place.cpu, b->place.cpu);
}

static void round_trip(const struct trace_header *header, size_t skipped)
{
    struct trace trace;
    struct output output = {.calls_left = 1000};
    size_t count;
    make_trace(&trace, header);
    struct etl_file *from = open_bytes(trace.bytes, trace.size);
    CU_ASSERT_EQUAL(write_file(from, skipped, &output, &count), ETL_WRITTEN);
    CU_ASSERT_EQUAL(count, 53 - skipped);
    etl_file_close(from);
    from = open_bytes(trace.bytes, trace.size);
    struct etl_file *to = open_bytes(output.bytes, output.size);
    struct etl_entry a;
    struct etl_entry b;
    /* The header is another one: it says other sizes. */
    for (size_t i = 0; i < (skipped > 0 ? skipped : 1); i++) {
        CU_ASSERT_EQUAL(etl_file_next(from, &a), ETL_OK);
    }
    CU_ASSERT_EQUAL(etl_file_next(to, &b), ETL_OK);
    CU_ASSERT_EQUAL(b.remark_count, 0);
    while (etl_file_next(from, &a) == ETL_OK) {
        CU_ASSERT_EQUAL_FATAL(etl_file_next(to, &b), ETL_OK);
        same_event(&a, &b);
    }
    CU_ASSERT_EQUAL(etl_file_next(to, &b), ETL_END);
    const struct etl_file_info *info = etl_file_info(to);
    CU_ASSERT_TRUE(info->buffers == info->buffers_written && info->damaged_buffers == 0);
    CU_ASSERT_TRUE(info->processors >= 7 && info->end_time != 0);
    CU_ASSERT_EQUAL(info->compression, ETL_COMPRESSION_NONE);
    const struct etl_clock *one = &etl_file_context(from)->clock;
    const struct etl_clock *other = &etl_file_context(to)->clock;
    CU_ASSERT_TRUE(one->kind == other->kind && one->base_raw == other->base_raw);
    CU_ASSERT_TRUE(one->frequency == other->frequency);
    CU_ASSERT_EQUAL(one->base_filetime, other->base_filetime);
    CU_ASSERT_STRING_EQUAL(info->logger_name, skipped > 0 ? "made" : "T");
    etl_file_close(to);
    etl_file_close(from);
    free(output.bytes);
    trace_free(&trace);
}

static void test_whole(void)
{
    const struct trace_header header = {.mode = 0x04000002, .version = {10, 0, 2, 0}};
    round_trip(&header, 0); /* of a circular compressed one nothing but the events is left */
    const struct trace_header narrow = {.pointer_size = 4, .end_time = -1};
    round_trip(&narrow, 0);
}

static void test_without_header(void)
{
    const struct trace_header header = {.frequency = 2337949, .clock_type = 1};
    round_trip(&header, 1);
}

static void test_failures(void)
{
    struct trace trace;
    make_trace(&trace, NULL);
    bool good = false;
    for (int calls = 0; !good && calls < 100; calls++) {
        struct output output = {.calls_left = calls};
        size_t count;
        struct etl_file *file = open_bytes(trace.bytes, trace.size);
        enum etl_written written = write_file(file, 0, &output, &count);
        good = written == ETL_WRITTEN;
        CU_ASSERT_TRUE(good || written == ETL_WRITE_FAILED);
        CU_ASSERT_TRUE(!good || calls > 3); /* buffers, then three values of the header */
        etl_file_close(file);
        free(output.bytes);
    }
    CU_ASSERT_TRUE(good);
    trace_free(&trace);
}

static void test_refusals(void)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    const struct etl_record_options options = {.no_names = true};
    struct output output = {.calls_left = 100};
    const struct etl_writer_output functions = {
        .append = append, .replace = replace, .data = &output};
    struct trace trace;
    struct etl_entry entry;
    struct etl_record record;
    make_trace(&trace, NULL);
    struct etl_file *file = open_bytes(trace.bytes, trace.size);
    struct etl_writer *writer = etl_writer_new(&functions, &facts);
    CU_ASSERT_PTR_NOT_NULL_FATAL(writer);
    CU_ASSERT_EQUAL(etl_writer_finish(writer), ETL_WRITTEN); /* nothing to say */
    CU_ASSERT_EQUAL(output.size, 0);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_OK);
    size_t size = etl_record_pack(&entry, etl_file_keys(file), &options, room);
    CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
    record.trailer = ETL_TRAILER_NONE;
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITE_NOT_OURS);
    record.trailer = ETL_TRAILER_GOOD;
    record.event.payload.size--;
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITE_NOT_OURS);
    record.event.payload.size++;
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITTEN);
    record.context.clock.base_raw++;
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITE_OTHER_TRACE);
    etl_writer_free(writer);
    etl_writer_free(NULL);
    etl_file_close(file);
    free(output.bytes);
    trace_free(&trace);
}

UNIT_SUITE("writer", {"a whole trace is written with its own header", test_whole},
           {"a subset gets a header made of what its records know", test_without_header},
           {"an output that fails is an error at any call", test_failures},
           {"records of others and of other traces are refused", test_refusals})
