/*
 * Buffers: which event goes into which, and the header each gets when it is flushed.
 *
 *   00 BufferSize   04 SavedOffset   08 CurrentOffset   0C ReferenceCount
 *   10 TimeStamp (i64)               18 SequenceNumber (i64)
 *   20 list link (u64)               28 CPU (u16)  2A LoggerId (u16)  2C State
 *   30 Offset: bytes in use          34 BufferFlag (u16)  36 BufferType (u16)
 *   38 two list links, or the reference clock of a real-time backup
 *   48 events, each padded to 8; or, compressed, one packed block
 *
 * Events outside of `buffer` go where Windows puts them: into their CPU's open buffer, which is
 * written to the file when the next event does not fit. So CPUs interleave in the file, and neither
 * its times nor its sequence numbers ascend.
 */
#include "builder.h"

#include "etl/compression.h"
#include "lznt1_compress.h"
#include "xpress_compress.h"
#include "xpress_huffman_compress.h"

#include <stdlib.h>
#include <string.h>

enum {
    FLAG_FLUSH_MARKER = 0x01,
    FLAG_PROC_INDEX = 0x20,
    FLAG_COMPRESSED = 0x40,
    STATE_FLUSH = 3,
    OLD_ALIGNMENT = 0x0800, /* Vista and 7 have {u8 CPU, u8 alignment 8} in place of the index */
};

static const struct buffer_field {
    const char *key;
    uint8_t at;
    uint8_t width;
    const struct number_name *names;
} buffer_fields[] = {
    {"size", 0x00, 4, NULL},         {"saved", 0x04, 4, NULL},
    {"current", 0x08, 4, NULL},      {"reference", 0x0c, 4, NULL},
    {"timestamp", 0x10, 8, NULL},    {"sequence", 0x18, 8, NULL},
    {"link", 0x20, 8, NULL},         {"context", 0x28, 2, NULL},
    {"logger_id", 0x2a, 2, NULL},    {"state", 0x2c, 4, NULL},
    {"offset", 0x30, 4, NULL},       {"flags", 0x34, 2, buffer_flags},
    {"type", 0x36, 2, buffer_types}, {"clock_start", 0x38, 8, NULL},
    {"clock_raw", 0x40, 8, NULL},
};

/* Whether the system is Windows 8 or later, which gives a CPU 16 bits and says so in a flag. */
static bool has_processor_index(const struct trace_log *log)
{
    return log->major > 6 || (log->major == 6 && log->minor >= 2);
}

/* Windows 8+: plain index. Earlier: number and alignment. */
static uint64_t buffer_context(const struct trace_log *log, uint64_t cpu)
{
    return has_processor_index(log) ? cpu : OLD_ALIGNMENT | (cpu & 0xff);
}

static void buffer_open(struct trace_buffer *buffer, uint64_t cpu, uint64_t sequence)
{
    *buffer = (struct trace_buffer){
        .cpu = cpu, .sequence = sequence, .open = true, .bounded = true};
    blob_fill(&buffer->data, 0, BUFFER_HEADER_SIZE);
}

/* Fills in the header of a buffer whose events are complete; statement (or NULL) may override. */
void buffers_write_header(struct builder *builder, struct trace_buffer *buffer,
                          struct statement *statement, uint64_t flags, uint64_t type)
{
    const struct trace_log *log = &builder->log;
    struct blob *data = &buffer->data;
    size_t used = data->size;
    bool kernel = log->writer == WRITER_KERNEL;
    uint64_t when = kernel ? clock_raw(log, builder->latest) : clock_filetime(log, builder->latest);
    blob_set_number(data, 0x00, log->buffer_size, 4);
    blob_set_number(data, 0x04, used, 4);
    blob_set_number(data, 0x08, log->buffer_size + used, 4); /* a forced flush */
    blob_set_number(data, 0x10, when, 8);
    blob_set_number(data, 0x18, buffer->sequence, 8);
    blob_set_number(data, 0x28, buffer_context(log, buffer->cpu), 2);
    blob_set_number(data, 0x2a, kernel ? log->logger_id : 0, 2);
    blob_set_number(data, 0x2c, STATE_FLUSH, 4);
    blob_set_number(data, 0x30, used, 4);
    blob_set_number(data, 0x34, flags | (has_processor_index(log) ? FLAG_PROC_INDEX : 0), 2);
    blob_set_number(data, 0x36, type, 2);
    for (size_t i = 0; statement != NULL && i < sizeof buffer_fields / sizeof buffer_fields[0];
         i++) {
        const struct buffer_field *field = &buffer_fields[i];
        if (builder_key(statement, field->key) != NULL) {
            blob_set_number(data, field->at,
                            builder_key_number(builder, statement, field->key, field->names, 0),
                            field->width);
        }
    }
}

static size_t compress(unsigned format, const uint8_t *data, size_t size, uint8_t *room,
                       size_t room_size)
{
    switch (format) {
    case ETL_COMPRESSION_LZNT1:
        return etl_lznt1_compress(data, size, room, room_size);
    case ETL_COMPRESSION_XPRESS_HUFFMAN:
        return etl_xpress_huffman_compress(data, size, room, room_size);
    default:
        return etl_xpress_compress(data, size, room, room_size);
    }
}

/* Replaces what follows the header by its packed form; the buffer's size becomes odd. */
static void pack_buffer(struct builder *builder, struct trace_buffer *buffer,
                        const struct script_node *node, bool size_given)
{
    size_t size = buffer->data.size - BUFFER_HEADER_SIZE;
    size_t room_size = size * 2 + 1024; /* incompressible data grows, and Huffman has a table */
    uint8_t *room = calloc(1, room_size);
    size_t packed = room == NULL
                        ? 0
                        : compress(builder->log.compression, buffer->data.data + BUFFER_HEADER_SIZE,
                                   size, room, room_size);
    if (packed == 0 && size > 0) {
        builder_fail(builder, node, "the buffer could not be compressed");
    }
    uint64_t flags = buffer->data.data[0x34] | FLAG_COMPRESSED;
    blob_set_number(&buffer->data, 0x34, flags, 1);
    buffer->data.size = BUFFER_HEADER_SIZE;
    blob_put(&buffer->data, room, packed);
    if (!size_given) {
        blob_set_number(&buffer->data, 0, buffer->data.size, 4);
    }
    free(room);
}

/*
 * Writes a buffer to the file. `wanted` is where the event that did not fit would have ended, or 0.
 * statement (or NULL): compressed=0, room=, fill= and the header's fields.
 */
static void buffer_flush(struct builder *builder, struct trace_buffer *buffer,
                         struct statement *statement, uint64_t flags, size_t wanted)
{
    static const struct script_node nowhere = {.file = "end", .line = 0};
    const struct script_node *node = statement != NULL ? statement->node : &nowhere;
    uint64_t room = builder->log.buffer_size;
    uint64_t fill = 0xff;
    uint64_t pack = builder->log.compression != 0;
    bool size_given = false;
    blob_align(&buffer->data, 8);
    buffers_write_header(builder, buffer, statement, flags, 0);
    if (wanted > 0) {
        blob_set_number(&buffer->data, 0x08, wanted, 4);
    }
    if (statement != NULL) {
        room = builder_key_number(builder, statement, "room", NULL, room);
        fill = builder_key_number(builder, statement, "fill", NULL, fill);
        pack = builder_key_number(builder, statement, "compressed", NULL, pack);
        size_given = builder_key(statement, "size") != NULL;
        if (!size_given) {
            blob_set_number(&buffer->data, 0, room, 4);
        }
    }
    if (buffer->bounded && buffer->data.size > room) {
        builder_fail(builder, node, "the buffer needs %zu bytes and has %llu", buffer->data.size,
                     (unsigned long long)room);
    } else if (pack) {
        pack_buffer(builder, buffer, node, size_given);
    } else {
        blob_fill(&buffer->data, (uint8_t)fill, room - buffer->data.size);
    }
    blob_put(&builder->file, buffer->data.data, buffer->data.size);
    builder->buffers++;
    blob_free(&buffer->data);
    buffer->open = false;
}

static struct trace_buffer *per_cpu_buffer(struct builder *builder, const struct script_node *node,
                                           size_t size)
{
    uint64_t cpu = builder->cpu;
    if (cpu >= BUILDER_CPUS || size > builder->log.buffer_size - BUFFER_HEADER_SIZE) {
        builder_fail(builder, node,
                     cpu >= BUILDER_CPUS ? "there is no CPU %llu" : "the event fits no buffer",
                     (unsigned long long)cpu);
        return NULL;
    }
    struct trace_buffer *buffer = &builder->per_cpu[cpu];
    size_t wanted = (buffer->data.size + 7) / 8 * 8 + size;
    if (buffer->open && wanted > builder->log.buffer_size) {
        buffer_flush(builder, buffer, NULL, 0, wanted);
    }
    if (!buffer->open) {
        buffer_open(buffer, cpu, ++builder->sequence);
    }
    return buffer;
}

void buffers_add(struct builder *builder, const struct script_node *node, const struct blob *event)
{
    if (builder->failed) {
        return;
    }
    struct trace_buffer *buffer = builder->buffer != NULL
                                      ? builder->buffer
                                      : per_cpu_buffer(builder, node, event->size);
    if (buffer != NULL) {
        blob_align(&buffer->data, 8);
        blob_put(&buffer->data, event->data, event->size);
    }
}

/* Ends the session: what is open goes to the file, and the last one is marked. */
void buffers_flush_all(struct builder *builder)
{
    uint64_t last = BUILDER_CPUS;
    for (uint64_t cpu = 0; cpu < BUILDER_CPUS; cpu++) {
        last = builder->per_cpu[cpu].open ? cpu : last;
    }
    for (uint64_t cpu = 0; cpu < BUILDER_CPUS; cpu++) {
        if (builder->per_cpu[cpu].open) {
            buffer_flush(builder, &builder->per_cpu[cpu], NULL, cpu == last ? FLAG_FLUSH_MARKER : 0,
                         0);
        }
    }
}

void buffers_free(struct builder *builder)
{
    for (size_t cpu = 0; cpu < BUILDER_CPUS; cpu++) {
        blob_free(&builder->per_cpu[cpu].data);
    }
    free(builder->per_cpu);
}

/* buffer cpu= sequence= ... : one buffer, with what it holds in the order it is given. */
static void run_buffer(struct builder *builder, struct statement *statement)
{
    struct trace_buffer buffer;
    struct trace_buffer *outer = builder->buffer;
    uint64_t cpu = builder->cpu;
    if (!builder->log.given || outer != NULL || builder->bytes != NULL) {
        builder_fail(builder, statement->node, "'buffer' stands alone, after 'log'");
        return;
    }
    builder->cpu = builder_key_number(builder, statement, "cpu", NULL, cpu);
    buffer_open(&buffer, builder->cpu, ++builder->sequence);
    if (builder_key(statement, "sequence") != NULL) {
        builder->sequence = builder_key_number(builder, statement, "sequence", NULL, 0);
    }
    builder->buffer = &buffer;
    builder_run(builder, statement->node->child);
    builder->buffer = outer;
    builder->cpu = cpu;
    if (!builder->failed) {
        buffer_flush(builder, &buffer, statement, 0, 0);
    }
    blob_free(&buffer.data);
}

bool run_buffers(struct builder *builder, struct statement *statement)
{
    if (strcmp(statement->words[0], "buffer") == 0) {
        run_buffer(builder, statement);
        return true;
    }
    if (strcmp(statement->words[0], "flush") == 0) {
        buffers_flush_all(builder);
        builder_holds_nothing(builder, statement);
        return true;
    }
    return false;
}
