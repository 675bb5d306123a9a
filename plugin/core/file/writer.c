/*
 * A trace file from records (etl/writer.h). The file as it grows:
 *
 *     | header buffer 64 KiB: header 0x48, logfile header event, fill FF | buffer of some CPU | buffer … |
 *
 * An event that does not fit a buffer of 64 KiB gets one of 128 KiB for itself: every buffer says its size.
 */
#include "core/file/buffer.h"

#include "etl/decode.h"
#include "etl/writer.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE       0x10000
#define LARGE_BUFFER_SIZE 0x20000
#define CPU_COUNT         (ETL_PROCESSOR_INDEX_MASK + 1)
#define STATE_FLUSH       3
#define TYPE_HEADER       4

/* LogFileMode: what a written file is, and what it can no longer be. */
#define MODE_SEQUENTIAL 0x00000001U
#define MODE_RELOG      0x00010000U
#define MODE_GONE       0x0400002EU /* compressed, preallocated, newfile, append, circular */

/* The logfile header event: SYSTEM_TRACE_HEADER, then TRACE_LOGFILE_HEADER with 8-byte pointers. */
#define SYSTEM_HEADER_SIZE 0x20
#define LOGFILE_HEADER64   0x118
#define LOGGER_NAME_MAX    256
#define SUB_VERSION_PLAIN  1
#define SUB_MINOR_PLAIN    5

/* Offsets in TRACE_LOGFILE_HEADER: the same for both pointer sizes up to the pointers. */
enum {
    AT_BUFFER_SIZE = 0x00,
    AT_VERSION = 0x04,
    AT_PROVIDER_VERSION = 0x08,
    AT_NUMBER_OF_PROCESSORS = 0x0C,
    AT_END_TIME = 0x10,
    AT_TIMER_RESOLUTION = 0x18,
    AT_LOG_FILE_MODE = 0x20,
    AT_BUFFERS_WRITTEN = 0x24,
    AT_START_BUFFERS = 0x28,
    AT_POINTER_SIZE = 0x2C,
    AT64_BIAS = 0x48,
    AT64_PERF_FREQ = 0x100,
    AT64_START_TIME = 0x108,
    AT64_RESERVED_FLAGS = 0x110,
};

/* A clock tick in 100 ns as nearly every Windows has it; a made header must say something. */
#define TIMER_RESOLUTION 156250

struct cpu_buffer {
    uint8_t *bytes; /* owned, BUFFER_SIZE; NULL until the CPU's first event */
    uint32_t used;
    uint16_t logger_id;
    int64_t last_time; /* FILETIME */
};

struct etl_writer {
    struct etl_writer_output output;
    struct etl_writer_facts facts;
    struct etl_context context; /* of the first record */
    struct cpu_buffer cpus[CPU_COUNT];
    uint8_t *large; /* owned; the room for one event's own buffer */
    uint64_t buffer_count;
    int64_t last_time;
    uint32_t cpu_count; /* highest CPU + 1 */
    bool started;
    uint32_t written_processors;
    int64_t written_end_time;
};

struct etl_writer *etl_writer_new(const struct etl_writer_output *output,
                                  const struct etl_writer_facts *facts)
{
    struct etl_writer *writer = calloc(1, sizeof *writer);
    if (writer != NULL) {
        writer->output = *output;
        writer->facts = *facts;
    }
    return writer;
}

void etl_writer_free(struct etl_writer *writer)
{
    if (writer != NULL) {
        for (size_t cpu = 0; cpu < CPU_COUNT; cpu++) {
            free(writer->cpus[cpu].bytes);
        }
        free(writer->large);
        free(writer);
    }
}

/* WMI_BUFFER_HEADER of a buffer whose events are in place, the fill after them, and out it goes. */
static enum etl_written put_buffer(struct etl_writer *writer, uint8_t *bytes, uint32_t size,
                                   const struct cpu_buffer *facts, uint16_t cpu, uint16_t type)
{
    bool header = type == TYPE_HEADER;
    memset(bytes, 0, ETL_BUFFER_HEADER_SIZE);
    etl_store_u32(bytes, size);
    etl_store_u32(bytes + 0x04, facts->used);
    etl_store_u32(bytes + 0x08, header ? 0 : facts->used);
    etl_store_u64(bytes + 0x10, header ? 0 : (uint64_t)facts->last_time);
    etl_store_u64(bytes + 0x18, writer->buffer_count);
    etl_store_u16(bytes + 0x28, cpu);
    etl_store_u16(bytes + 0x2A, facts->logger_id);
    etl_store_u32(bytes + 0x2C, header ? 0 : STATE_FLUSH);
    etl_store_u32(bytes + 0x30, facts->used);
    etl_store_u16(bytes + 0x34, header ? ETL_BUFFER_FLUSH_MARKER : ETL_BUFFER_PROCESSOR_INDEX);
    etl_store_u16(bytes + 0x36, type);
    if (facts->used < size) {
        memset(bytes + facts->used, 0xFF, size - facts->used);
    }
    writer->buffer_count++;
    return writer->output.append(writer->output.data, bytes, size) ? ETL_WRITTEN : ETL_WRITE_FAILED;
}

/* The event's bytes, one part after the other, with the fill that the one before it left to 8. */
static uint32_t put_event(uint8_t *room, const struct etl_event *event)
{
    const struct etl_span parts[] = {event->header, event->items, event->payload};
    uint32_t size = 0;
    for (size_t i = 0; i < 3; i++) {
        if (parts[i].size > 0) {
            memcpy(room + size, parts[i].at, parts[i].size);
            size += (uint32_t)parts[i].size;
        }
    }
    return size;
}

static size_t event_size(const struct etl_event *event)
{
    return event->header.size + event->items.size + event->payload.size;
}

/* Whether the record is the trace's own logfile header, whole enough to be the file's. */
static bool is_logfile_header(const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    return event->kind->family == ETL_FAMILY_SYSTEM && event->hookid == 0 &&
           event->payload.size >= LOGFILE_HEADER64 - 8 &&
           ETL_BUFFER_HEADER_SIZE + event_size(event) <= BUFFER_SIZE;
}

/* Changes what a logfile header says of the file that it came from. */
static void adapt_header(struct etl_writer *writer, uint8_t *logfile)
{
    uint32_t mode = etl_load_u32(logfile + AT_LOG_FILE_MODE) & ~MODE_GONE;
    etl_store_u32(logfile + AT_BUFFER_SIZE, BUFFER_SIZE);
    etl_store_u32(logfile + AT_LOG_FILE_MODE, mode | MODE_SEQUENTIAL | MODE_RELOG);
    if (logfile[AT_VERSION + 2] > SUB_VERSION_PLAIN) { /* 2.0: compressed, or large buffers */
        logfile[AT_VERSION + 2] = SUB_VERSION_PLAIN;
        logfile[AT_VERSION + 3] = SUB_MINOR_PLAIN;
    }
    writer->written_processors = etl_load_u32(logfile + AT_NUMBER_OF_PROCESSORS);
    writer->written_end_time = (int64_t)etl_load_u64(logfile + AT_END_TIME);
}

/* UTF-16LE with its NUL. */
static size_t put_text(uint8_t *room, const char *utf8)
{
    size_t length = strlen(utf8);
    size_t size = etl_utf16_of_utf8((const uint8_t *)utf8, length, room, LOGGER_NAME_MAX * 2 - 2);
    etl_store_u16(room + size, 0);
    return size + 2;
}

/* A logfile header of what the records know. Its event has the clock's base as its time. */
static uint32_t make_header(struct etl_writer *writer, uint8_t *event)
{
    const struct etl_clock *clock = &writer->context.clock;
    uint8_t *logfile = event + SYSTEM_HEADER_SIZE;
    const char *name = writer->facts.logger_name;
    memset(event, 0, SYSTEM_HEADER_SIZE + LOGFILE_HEADER64);
    logfile[AT_VERSION] = writer->facts.version_major;
    logfile[AT_VERSION + 1] = writer->facts.version_minor;
    logfile[AT_VERSION + 2] = writer->context.old_instances ? 1 : SUB_VERSION_PLAIN;
    logfile[AT_VERSION + 3] = writer->context.old_instances ? 0 : SUB_MINOR_PLAIN;
    etl_store_u32(logfile + AT_PROVIDER_VERSION, writer->facts.build);
    etl_store_u32(logfile + AT_TIMER_RESOLUTION, TIMER_RESOLUTION);
    etl_store_u32(logfile + AT_START_BUFFERS, 1);
    etl_store_u32(logfile + AT_POINTER_SIZE, writer->context.pointer_size);
    if (writer->context.local_time_known) {
        etl_store_u32(logfile + AT64_BIAS, (uint32_t)(int32_t)writer->context.local_time_bias);
    }
    etl_store_u64(logfile + AT64_PERF_FREQ, clock->frequency);
    etl_store_u64(logfile + AT64_START_TIME, (uint64_t)clock->base_filetime);
    etl_store_u32(logfile + AT64_RESERVED_FLAGS, (uint32_t)clock->kind);
    uint32_t size = SYSTEM_HEADER_SIZE + LOGFILE_HEADER64;
    size += (uint32_t)put_text(event + size, name != NULL && name[0] != '\0' ? name : "ETL");
    size += (uint32_t)put_text(event + size, "");
    etl_store_u16(event, 2);
    event[2] = 0x02; /* SYSTEM64 */
    event[3] = 0xC0;
    etl_store_u16(event + 4, (uint16_t)size);
    etl_store_u64(event + 0x10, (uint64_t)clock->base_raw);
    return size;
}

/* The first buffer. `*ret_taken`: the record was the trace's header and is in it. */
static enum etl_written start(struct etl_writer *writer, const struct etl_record *record,
                              bool *ret_taken)
{
    uint8_t *buffer = malloc(BUFFER_SIZE);
    if (buffer == NULL) {
        return ETL_WRITE_NO_MEMORY;
    }
    uint8_t *event = buffer + ETL_BUFFER_HEADER_SIZE;
    writer->context = record->context;
    writer->last_time = INT64_MIN;
    *ret_taken = is_logfile_header(record);
    uint32_t size = *ret_taken ? put_event(event, &record->event) : make_header(writer, event);
    adapt_header(writer, event + SYSTEM_HEADER_SIZE);
    struct cpu_buffer facts = {.used = ETL_BUFFER_HEADER_SIZE + size};
    enum etl_written written = put_buffer(writer, buffer, BUFFER_SIZE, &facts, 0, TYPE_HEADER);
    free(buffer);
    writer->started = written == ETL_WRITTEN;
    return written;
}

static bool same_clock(const struct etl_clock *a, const struct etl_clock *b)
{
    return a->kind == b->kind && a->frequency == b->frequency && a->base_raw == b->base_raw &&
           a->base_filetime == b->base_filetime;
}

static enum etl_written flush(struct etl_writer *writer, uint16_t cpu)
{
    struct cpu_buffer *buffer = &writer->cpus[cpu];
    if (buffer->bytes == NULL || buffer->used <= ETL_BUFFER_HEADER_SIZE) {
        return ETL_WRITTEN;
    }
    enum etl_written written = put_buffer(writer, buffer->bytes, BUFFER_SIZE, buffer, cpu, 0);
    buffer->used = ETL_BUFFER_HEADER_SIZE;
    return written;
}

static enum etl_written put_large(struct etl_writer *writer, const struct etl_record *record,
                                  uint16_t cpu, int64_t filetime)
{
    enum etl_written written = flush(writer, cpu);
    if (written != ETL_WRITTEN) {
        return written;
    }
    if (writer->large == NULL && (writer->large = malloc(LARGE_BUFFER_SIZE)) == NULL) {
        return ETL_WRITE_NO_MEMORY;
    }
    struct cpu_buffer facts = {.used = ETL_BUFFER_HEADER_SIZE,
                               .logger_id = record->place.logger_id,
                               .last_time = filetime};
    facts.used += put_event(writer->large + ETL_BUFFER_HEADER_SIZE, &record->event);
    return put_buffer(writer, writer->large, LARGE_BUFFER_SIZE, &facts, cpu, 0);
}

/* The place of the CPU's next event: a multiple of 8 after the last one. */
static uint32_t next_place(const struct cpu_buffer *buffer)
{
    return (buffer->used + 7) & ~7U;
}

static enum etl_written put_record(struct etl_writer *writer, const struct etl_record *record)
{
    uint16_t cpu = record->place.cpu & ETL_PROCESSOR_INDEX_MASK;
    struct cpu_buffer *buffer = &writer->cpus[cpu];
    size_t size = event_size(&record->event);
    int64_t filetime = writer->last_time;
    etl_clock_filetime(&writer->context.clock, record->raw_time, &filetime);
    writer->last_time = filetime > writer->last_time ? filetime : writer->last_time;
    writer->cpu_count = cpu >= writer->cpu_count ? cpu + 1U : writer->cpu_count;
    if (ETL_BUFFER_HEADER_SIZE + size > BUFFER_SIZE) {
        return put_large(writer, record, cpu, filetime);
    }
    if (buffer->bytes == NULL) {
        buffer->bytes = malloc(BUFFER_SIZE);
        buffer->used = ETL_BUFFER_HEADER_SIZE;
        if (buffer->bytes == NULL) {
            return ETL_WRITE_NO_MEMORY;
        }
    }
    bool other_session = buffer->logger_id !=
                         record->place.logger_id; /* appended to the old file */
    if (next_place(buffer) + size > BUFFER_SIZE || other_session) {
        enum etl_written written = flush(writer, cpu);
        if (written != ETL_WRITTEN) {
            return written;
        }
    }
    uint32_t place = next_place(buffer);
    memset(buffer->bytes + buffer->used, 0, place - buffer->used);
    buffer->used = place + put_event(buffer->bytes + place, &record->event);
    buffer->logger_id = record->place.logger_id;
    buffer->last_time = filetime;
    return ETL_WRITTEN;
}

enum etl_written etl_writer_add(struct etl_writer *writer, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    bool taken = false;
    if (record->trailer != ETL_TRAILER_GOOD || event_size(event) != event->size) {
        return ETL_WRITE_NOT_OURS;
    }
    if (!writer->started) {
        enum etl_written written = start(writer, record, &taken);
        if (written != ETL_WRITTEN || taken) {
            return written;
        }
    }
    if (!same_clock(&writer->context.clock, &record->context.clock)) {
        return ETL_WRITE_OTHER_TRACE;
    }
    return put_record(writer, record);
}

/* The counts that only the end knows. */
static enum etl_written complete_header(struct etl_writer *writer)
{
    const uint64_t logfile = ETL_BUFFER_HEADER_SIZE + SYSTEM_HEADER_SIZE;
    uint8_t buffers[4];
    uint8_t end_time[8];
    uint8_t processors[4];
    uint32_t count = writer->written_processors;
    count = count > writer->cpu_count ? count : writer->cpu_count;
    int64_t end = writer->written_end_time;
    if (end == 0 && writer->last_time != INT64_MIN) {
        end = writer->last_time;
    }
    etl_store_u32(buffers, (uint32_t)writer->buffer_count);
    etl_store_u32(processors, count);
    etl_store_u64(end_time, (uint64_t)end);
    const struct etl_writer_output *output = &writer->output;
    bool good = output->replace(output->data, logfile + AT_BUFFERS_WRITTEN, buffers, 4) &&
                output->replace(output->data, logfile + AT_NUMBER_OF_PROCESSORS, processors, 4) &&
                output->replace(output->data, logfile + AT_END_TIME, end_time, 8);
    return good ? ETL_WRITTEN : ETL_WRITE_FAILED;
}

enum etl_written etl_writer_finish(struct etl_writer *writer)
{
    if (!writer->started) { /* no records: no trace to speak of */
        return ETL_WRITTEN;
    }
    for (uint16_t cpu = 0; cpu < CPU_COUNT; cpu++) {
        enum etl_written written = flush(writer, cpu);
        if (written != ETL_WRITTEN) {
            return written;
        }
    }
    return complete_header(writer);
}
