/*
 * Traces written from records: what was read before must be read again.
 */
#include "etl/writer.h"

#include "files.h"
#include "read_trace.h"

#include <glob.h>

#define SIZE_MAX_OUTPUT (64u << 20)

struct output {
    uint8_t *bytes;
    size_t size;
    size_t fail_after; /* appends that work */
};

static bool append(void *data, const uint8_t *bytes, size_t size)
{
    struct output *output = data;
    if (output->fail_after-- == 0 || output->size + size > SIZE_MAX_OUTPUT) {
        return false;
    }
    memcpy(output->bytes + output->size, bytes, size);
    output->size += size;
    return true;
}

static bool replace(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct output *output = data;
    CU_ASSERT_TRUE_FATAL(offset + size <= output->size);
    memcpy(output->bytes + offset, bytes, size);
    return true;
}

static struct output new_output(void)
{
    struct output output = {.bytes = malloc(SIZE_MAX_OUTPUT), .fail_after = SIZE_MAX};
    CU_ASSERT_PTR_NOT_NULL_FATAL(output.bytes);
    return output;
}

static uint8_t *read_whole(const char *name, size_t *ret_size)
{
    uint8_t *bytes = files_read(name, ret_size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    return bytes;
}

/* Writes every `step`-th event; returns how many. */
static size_t write_events(struct etl_file *file, size_t step, struct output *output)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    struct etl_record_options options = {0};
    struct etl_writer_output functions = {append, replace, output};
    struct etl_writer_facts facts = {.logger_name = "Unit \xC3\xA9", .build = 19041};
    struct etl_writer *writer = etl_writer_new(&functions, &facts);
    CU_ASSERT_PTR_NOT_NULL_FATAL(writer);
    struct etl_entry entry;
    size_t count = 0;
    for (size_t i = 0; etl_file_next(file, &entry) == ETL_OK; i++) {
        struct etl_record record;
        size_t size = etl_record_pack(&entry, etl_file_keys(file), &options, room);
        if (i % step == step - 1) {
            CU_ASSERT_TRUE_FATAL(etl_record_unpack(room, size, &record));
            CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITTEN);
            count++;
        }
    }
    CU_ASSERT_EQUAL(etl_writer_finish(writer), ETL_WRITTEN);
    etl_writer_free(writer);
    return count;
}

/* FNV-1a over everything of an event that must not change. */
static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t event_hash(const struct etl_entry *entry)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    const struct etl_span spans[] = {entry->event.header, entry->event.items, entry->event.payload};
    for (size_t i = 0; i < 3; i++) {
        hash = hash_of(hash, &spans[i].size, sizeof spans[i].size);
        hash = hash_of(hash, spans[i].at, spans[i].size);
    }
    hash = hash_of(hash, &entry->place.cpu, sizeof entry->place.cpu);
    return hash_of(hash, &entry->place.logger_id, sizeof entry->place.logger_id);
}

/* The next event that is not the logfile header, which speaks of its file and so may differ. */
static enum etl_status next_event(struct etl_file *file, struct etl_entry *entry)
{
    enum etl_status status;
    do {
        status = etl_file_next(file, entry);
    } while (status == ETL_OK && entry->event.has_hook && entry->event.hookid == 0);
    return status;
}

struct sum {
    size_t count;
    uint64_t hashes; /* added up: events of one time may change places between CPUs */
};

static struct sum sum_of(struct etl_file *file)
{
    struct sum sum = {0};
    struct etl_entry entry;
    int64_t before = INT64_MIN;
    while (next_event(file, &entry) == ETL_OK) {
        sum.count++;
        sum.hashes += event_hash(&entry);
        CU_ASSERT_TRUE(entry.raw_time >= before || entry.place.out_of_order);
        before = entry.raw_time > before ? entry.raw_time : before;
    }
    return sum;
}

static void test_whole(void)
{
    glob_t names;
    CU_ASSERT_EQUAL_FATAL(glob(ETL_SOURCE_DIR "/captures/*.etl", 0, NULL, &names), 0);
    for (size_t i = 0; i < names.gl_pathc; i++) {
        size_t size;
        uint8_t *bytes = read_whole(names.gl_pathv[i], &size);
        struct etl_file *file = open_bytes(bytes, size);
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        struct output output = new_output();
        write_events(file, 1, &output);
        etl_file_close(file);
        struct etl_file *before = open_bytes(bytes, size);
        struct etl_file *after = open_bytes(output.bytes, output.size);
        CU_ASSERT_PTR_NOT_NULL_FATAL(before);
        CU_ASSERT_PTR_NOT_NULL_FATAL(after);
        struct sum old = sum_of(before);
        struct sum new = sum_of(after);
        CU_ASSERT_EQUAL(old.count, new.count);
        if (old.hashes != new.hashes) {
            printf("\n    %s: events differ\n", names.gl_pathv[i]);
            CU_FAIL("events differ");
        }
        CU_ASSERT_EQUAL(etl_file_info(after)->buffers_written, etl_file_info(after)->buffers);
        etl_file_close(before);
        etl_file_close(after);
        free(output.bytes);
        free(bytes);
    }
    globfree(&names);
}

static void test_subset(void)
{
    size_t size;
    uint8_t *bytes = read_whole(ETL_SOURCE_DIR "/captures/tour.etl", &size);
    struct etl_file *file = open_bytes(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    const struct etl_context context = *etl_file_context(file);
    struct output output = new_output();
    size_t count = write_events(file, 7, &output);
    struct etl_file *after = open_bytes(output.bytes, output.size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(after);
    const struct etl_file_info *info = etl_file_info(after);
    CU_ASSERT_STRING_EQUAL(info->logger_name, "Unit \xC3\xA9");
    CU_ASSERT_EQUAL(info->build, 19041);
    const struct etl_clock *clock = &etl_file_context(after)->clock;
    CU_ASSERT_EQUAL(clock->kind, context.clock.kind);
    CU_ASSERT_EQUAL(clock->frequency, context.clock.frequency);
    CU_ASSERT_EQUAL(clock->base_raw, context.clock.base_raw);
    CU_ASSERT_EQUAL(clock->base_filetime, context.clock.base_filetime);
    struct etl_entry entry;
    size_t again = 0;
    while (etl_file_next(after, &entry) == ETL_OK) {
        again++;
    }
    CU_ASSERT_EQUAL(again, count + 1); /* and a header */
    CU_ASSERT_EQUAL(info->processors, 4);
    CU_ASSERT_TRUE(info->end_time > info->start_time);
    etl_file_close(file);
    etl_file_close(after);
    free(output.bytes);
    free(bytes);
}

static void test_refusals(void)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    struct output output = new_output();
    struct etl_writer_output functions = {append, replace, &output};
    struct etl_writer_facts facts = {0};
    struct etl_writer *writer = etl_writer_new(&functions, &facts);
    struct etl_record_options options = {0};
    struct etl_record record;
    struct etl_entry entry;
    size_t size;
    uint8_t *bytes = read_whole(ETL_SOURCE_DIR "/captures/clock-qpc.etl", &size);
    struct etl_file *file = open_bytes(bytes, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(etl_file_next(file, &entry), ETL_OK);
    size_t packed = etl_record_pack(&entry, etl_file_keys(file), &options, room);
    CU_ASSERT_TRUE_FATAL(etl_record_unpack(room, packed, &record));
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITTEN);
    record.context.clock.frequency++;
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITE_OTHER_TRACE);
    record.trailer = ETL_TRAILER_NONE;
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITE_NOT_OURS);
    etl_writer_free(writer);
    /* A disk that is full. */
    CU_ASSERT_TRUE_FATAL(etl_record_unpack(room, packed, &record));
    output.fail_after = 0;
    writer = etl_writer_new(&functions, &facts);
    CU_ASSERT_EQUAL(etl_writer_add(writer, &record), ETL_WRITE_FAILED);
    etl_writer_free(writer);
    etl_file_close(file);
    free(output.bytes);
    free(bytes);
}

UNIT_SUITE("writer", {"a trace that is written anew has the same events", test_whole},
           {"a subset without the header event gets a header of its own", test_subset},
           {"what does not belong in one file is refused, and errors are told", test_refusals})
