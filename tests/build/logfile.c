/*
 * The first buffer: TRACE_LOGFILE_HEADER in the trace's first event, and what else `log` holds.
 *
 *   48 SYSTEM header, hook 0000 (its bitness is the controller's)
 *   68 BufferSize | version | build | CPUs | EndTime | ... | two pointers | TIME_ZONE_INFORMATION
 *      | BootTime | PerfFreq | StartTime | clock kind | BuffersLost | two UTF-16 strings
 *
 * EndTime and BuffersWritten are written last, when they are known.
 */
#include "builder.h"

#include "etl/compression.h"

#include <stdio.h>
#include <string.h>

enum {
    FLAG_FLUSH_MARKER = 0x01,
    FLAG_PROC_INDEX = 0x20,
    TYPE_HEADER = 4,
    PACKED_HEADER_UNIT = 0x200, /* the first buffer of a compressed file is rounded up to it */
};

static const struct number_name clocks[] = {
    {"none", 0}, {"qpc", 1}, {"system", 2}, {"cycle", 3}, {NULL, 0}};
static const struct number_name writers[] = {
    {"kernel", WRITER_KERNEL}, {"user", WRITER_USER}, {"merge", WRITER_MERGE}, {NULL, 0}};
static const struct number_name compressions[] = {
    {"none", ETL_COMPRESSION_NONE},
    {"lznt1", ETL_COMPRESSION_LZNT1},
    {"xpress", ETL_COMPRESSION_XPRESS},
    {"xpress_huffman", ETL_COMPRESSION_XPRESS_HUFFMAN},
    {NULL, 0}};

/* windows=10.0.19041: major, minor and build. */
static void parse_windows(struct builder *builder, struct statement *statement)
{
    struct trace_log *log = &builder->log;
    const char *text = builder_key_text(builder, statement, "windows");
    if (sscanf(text != NULL ? text : "10.0.19045", "%u.%u.%u", &log->major, &log->minor,
               &log->build) != 3) {
        builder_fail(builder, statement->node, "windows= needs three numbers, not '%s'", text);
    }
}

/* The two later bytes of the version: which layouts the file may use. */
static void parse_subversion(struct builder *builder, struct statement *statement,
                             unsigned parts[2])
{
    const struct trace_log *log = &builder->log;
    const char *text = builder_key_text(builder, statement, "subversion");
    bool vista = log->major == 6 && log->minor == 0;
    parts[0] = log->compression != 0 ? 2 : 1;
    parts[1] = log->compression != 0 ? 0 : vista ? 4 : log->major < 6 ? log->minor == 2 ? 2 : 0 : 5;
    if (text != NULL && sscanf(text, "%u.%u", &parts[0], &parts[1]) != 2) {
        builder_fail(builder, statement->node, "subversion= needs two numbers, not '%s'", text);
    }
}

static void parse_log(struct builder *builder, struct statement *statement)
{
    struct trace_log *log = &builder->log;
    parse_windows(builder, statement);
    log->given = true;
    log->writer = (enum trace_writer)builder_key_number(builder, statement, "writer", writers,
                                                        WRITER_KERNEL);
    log->pointer_size = (unsigned)builder_key_number(builder, statement, "controller", NULL, 64) /
                        8;
    log->compression = (unsigned)builder_key_number(builder, statement, "compression", compressions,
                                                    0);
    log->buffer_size = builder_key_number(builder, statement, "buffer_size", NULL, 4096);
    log->clock = builder_key_number(builder, statement, "clock", clocks, 1);
    log->frequency = builder_key_number(builder, statement, "frequency", NULL, 10000000);
    log->mhz = builder_key_number(builder, statement, "mhz", NULL, 2400);
    log->logger_id = builder_key_number(builder, statement, "logger_id", NULL, 12);
    const char *start = builder_key(statement, "start");
    log->start = builder_filetime(builder, statement,
                                  start != NULL ? start : "2026-03-01T09:00:00Z");
    bool counts = log->clock == 1 || log->clock == 3;
    log->first = builder_key_number(builder, statement, "first", NULL,
                                    counts ? 36000000000 : log->start);
    if (log->pointer_size != 4 && log->pointer_size != 8) {
        builder_fail(builder, statement->node, "controller= is 32 or 64");
    }
    if (log->buffer_size < BUFFER_HEADER_SIZE || log->frequency == 0) {
        builder_fail(builder, statement->node, "buffer_size= or frequency= is too small");
        log->frequency = 1;
    }
}

/* "@tzres.dll,-112" and a date: bias, two names of 32 characters, two SYSTEMTIMEs. UTC has no
   daylight time, so that nothing a test prints depends on a zone. */
static void put_time_zone(struct builder *builder, struct statement *statement, struct blob *blob)
{
    size_t start = blob->size;
    blob_fill(blob, 0, 172);
    blob_set_number(blob, start, builder_key_number(builder, statement, "bias", NULL, 0), 4);
    struct blob name = {0};
    blob_put_utf16(&name, "@tzres.dll,-932");
    memcpy(blob->data + start + 4, name.data, name.size);
    name.size = 0;
    blob_put_utf16(&name, "@tzres.dll,-931");
    memcpy(blob->data + start + 88, name.data, name.size);
    blob_free(&name);
}

/* A date among the numbers of the logfile header. */
static const struct number_name is_date[] = {{NULL, 0}};

struct logfile_field {
    const char *key;
    uint8_t width; /* 0: as wide as a pointer */
    uint64_t otherwise;
    const struct number_name *names;
};

static void put_fields(struct builder *builder, struct statement *statement, struct blob *blob,
                       const struct logfile_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t width = fields[i].width > 0 ? fields[i].width : builder->log.pointer_size;
        const char *text = builder_key(statement, fields[i].key);
        if (fields[i].names == is_date && text != NULL) {
            blob_put_number(blob, builder_filetime(builder, statement, text), width);
            continue;
        }
        blob_put_number(blob,
                        builder_key_number(builder, statement, fields[i].key, fields[i].names,
                                           fields[i].otherwise),
                        width);
    }
}

static void put_string(struct builder *builder, struct statement *statement, const char *key,
                       const char *otherwise, struct blob *blob)
{
    const char *text = builder_key_text(builder, statement, key);
    blob_put_utf16(blob, text != NULL ? text : otherwise);
    blob_fill(blob, 0, 2);
}

/* The payload of the first event. */
static void put_logfile_header(struct builder *builder, struct statement *statement,
                               struct blob *blob)
{
    struct trace_log *log = &builder->log;
    unsigned sub[2] = {0};
    parse_subversion(builder, statement, sub);
    uint64_t version = log->major | log->minor << 8 | sub[0] << 16 | sub[1] << 24;
    uint64_t source = log->writer == WRITER_KERNEL ? 5 : 0;
    uint64_t mode = log->compression != 0 ? 0x04010001 : log->writer == WRITER_MERGE ? 0x10001 : 1;
    const struct logfile_field start[] = {
        {"log_buffer_size", 4, log->buffer_size, NULL},
        {"log_version", 4, version, NULL},
        {"build", 4, log->build, NULL},
        {"cpus", 4, 1, NULL},
        {"end", 8, 0, is_date},
        {"timer_resolution", 4, 156250, NULL},
        {"max_size", 4, 0, NULL},
        {"mode", 4, mode, logfile_modes},
        {"buffers_written", 4, 0, NULL},
        {"start_buffers", 4, 1, NULL},
        {"pointer_size", 4, log->pointer_size, NULL},
        {"events_lost", 4, 0, NULL},
        {"mhz", 4, log->mhz, NULL},
        {"logger_name_pointer", 0, source, NULL},
        {"file_name_pointer", 0, source, NULL},
    };
    const struct logfile_field end[] = {
        {"frequency", 8, log->frequency, NULL},
        {"start_time", 8, log->start, is_date},
        {"log_clock", 4, log->clock, clocks},
        {"buffers_lost", 4, 0, NULL},
    };
    log->end_at = blob->size + 0x10;
    log->count_at = blob->size + 0x24;
    log->end_given = builder_key(statement, "end") != NULL;
    log->count_given = builder_key(statement, "buffers_written") != NULL;
    put_fields(builder, statement, blob, start, sizeof start / sizeof start[0]);
    put_time_zone(builder, statement, blob);
    blob_align(blob, 8);
    const char *boot = builder_key(statement, "boot");
    uint64_t booted = boot != NULL ? builder_filetime(builder, statement, boot)
                                   : log->start - 36000000000; /* an hour before */
    blob_put_number(blob, booted, 8);
    put_fields(builder, statement, blob, end, sizeof end / sizeof end[0]);
    put_string(builder, statement, "logger", log->writer == WRITER_MERGE ? "Relogger" : "Sample",
               blob);
    put_string(builder, statement, "file",
               log->writer == WRITER_MERGE ? "[multiple files]" : "C:\\Traces\\sample.etl", blob);
}

/* The SYSTEM header of the first event and its payload. */
static void put_first_event(struct builder *builder, struct statement *statement)
{
    const struct trace_log *log = &builder->log;
    struct blob *data = &builder->header.data;
    size_t start = data->size;
    uint64_t version = log->writer == WRITER_USER ? 0 : 2;
    blob_fill(data, 0, 0x20);
    blob_set_number(data, start,
                    builder_key_number(builder, statement, "header_version", NULL, version), 2);
    blob_set_number(data, start + 2, log->pointer_size == 8 ? 2 : 1, 1);
    blob_set_number(data, start + 3, 0xc0, 1);
    blob_set_number(data, start + 8, builder_key_number(builder, statement, "tid", NULL, 4100), 4);
    blob_set_number(data, start + 0xc, builder_key_number(builder, statement, "pid", NULL, 3200),
                    4);
    blob_set_number(data, start + 0x10, log->first, 8);
    put_logfile_header(builder, statement, data);
    uint64_t size = builder_key_number(builder, statement, "event_size", NULL, data->size - start);
    blob_set_number(data, start + 4, size, 2);
}

/* What only header buffers have: no sequence, no time, and less of it all by user-mode writers. */
static void put_header_state(struct builder *builder)
{
    const struct trace_log *log = &builder->log;
    struct blob *data = &builder->header.data;
    bool kernel = log->writer == WRITER_KERNEL;
    bool vista = log->major == 6 && log->minor == 0;
    blob_set_number(data, 0x08, kernel ? data->size : 0, 4);
    blob_set_number(data, 0x10, vista ? log->first : 0, 8);
    if (!kernel) {
        blob_set_number(data, 0x28, 0, 2);
        blob_set_number(data, 0x2c, log->compression, 4);
        blob_set_number(data, 0x34, FLAG_FLUSH_MARKER, 2);
    }
    if (log->major == 6 && log->minor < 2) {
        blob_set_number(data, 0x04, 0, 4);
    }
}

static void run_log_statement(struct builder *builder, struct statement *statement)
{
    struct trace_log *log = &builder->log;
    struct trace_buffer *header = &builder->header;
    if (log->given) {
        builder_fail(builder, statement->node, "'log' stands once, first");
        return;
    }
    parse_log(builder, statement);
    if (builder->failed) {
        return;
    }
    builder->pointer_size = log->pointer_size;
    *header = (struct trace_buffer){.open = true};
    blob_fill(&header->data, 0, BUFFER_HEADER_SIZE);
    put_first_event(builder, statement);
    builder->buffer = header;
    builder_run(builder, statement->node->child);
    builder->buffer = NULL;
    if (log->writer == WRITER_KERNEL) {
        blob_align(&header->data, 8); /* user-mode writers leave it unaligned */
    }
    buffers_write_header(builder, header, NULL, FLAG_FLUSH_MARKER, TYPE_HEADER);
    put_header_state(builder);
    size_t unit = log->compression != 0 ? PACKED_HEADER_UNIT : log->buffer_size;
    uint64_t room = (header->data.size + unit - 1) / unit * unit;
    room = builder_key_number(builder, statement, "room", NULL, room);
    blob_set_number(&header->data, 0, room, 4);
    if (header->data.size > room || (log->compression == 0 && room > log->buffer_size)) {
        builder_fail(builder, statement->node, "the first buffer needs %zu bytes",
                     header->data.size);
        return;
    }
    blob_fill(&header->data, 0xff, room - header->data.size);
}

bool run_log(struct builder *builder, struct statement *statement)
{
    if (strcmp(statement->words[0], "log") != 0) {
        return false;
    }
    run_log_statement(builder, statement);
    return true;
}

void logfile_finish(struct builder *builder)
{
    struct trace_log *log = &builder->log;
    struct blob *header = &builder->header.data;
    if (!log->given) {
        return;
    }
    if (!log->end_given) {
        blob_set_number(header, log->end_at, clock_filetime(log, builder->latest), 8);
    }
    if (!log->count_given) {
        blob_set_number(header, log->count_at, builder->buffers + 1, 4);
    }
    blob_put(header, builder->file.data, builder->file.size);
    struct blob whole = *header;
    *header = builder->file;
    builder->file = whole;
}
