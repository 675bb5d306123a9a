/*
 * Writes a synthetic trace: bench_generate FILE EVENTS CPUS [compressed|described|packets]
 *
 * Buffers of 64 KiB belong to one CPU each and are written when they are full, as a session does: in the file
 * they lie in the order of their last events. Compressed ones are packed as plain LZ77. Described: no kernel events but
 * modern ones. Packets: each another one, in a report of PktMon.
 */
#include "mix.h"

#include "etl/bytes.h"
#include "xpress_compress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE        0x10000
#define BUFFER_HEADER      0x48
#define BUFFER_TYPE_HEADER 4
#define FLAG_FLUSH_MARKER  0x01
#define FLAG_PROC_INDEX    0x20
#define FLAG_COMPRESSED    0x40
#define STATE_FLUSH        3
#define FORMAT_XPRESS      3
#define CPUS_MAX           2048
#define START              UINT64_C(36000000000) /* an hour after the machine's */
#define START_FILETIME     UINT64_C(134168292000000000)

struct buffer {
    uint8_t *bytes; /* owned */
    uint32_t filled;
    uint64_t sequence;
};

struct generator {
    FILE *file;
    struct mix mix;
    unsigned cpus;
    bool compressed;
    bool described;
    bool packets; /* instead of the mix */
    uint64_t now;
    uint64_t sequence;
    struct buffer buffers[CPUS_MAX];
};

static void write_bytes(struct generator *generator, const uint8_t *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, generator->file) != size) {
        perror("bench_generate");
        exit(1);
    }
}

static void put_buffer_header(uint8_t *at, uint32_t size, uint32_t filled, unsigned cpu)
{
    memset(at, 0, BUFFER_HEADER);
    etl_store_u32(at, size);
    etl_store_u32(at + 4, filled);
    etl_store_u32(at + 8, filled);
    etl_store_u16(at + 0x28, (uint16_t)cpu);
    etl_store_u32(at + 0x2C, STATE_FLUSH);
    etl_store_u32(at + 0x30, filled);
    etl_store_u16(at + 0x34, FLAG_PROC_INDEX);
}

static void write_header_buffer(struct generator *generator)
{
    uint8_t *bytes = generator->buffers[0].bytes;
    struct mix_trace trace = {.buffer_size = BUFFER_SIZE,
                              .cpus = generator->cpus,
                              .start = START,
                              .start_filetime = START_FILETIME,
                              .compressed = generator->compressed};
    uint32_t size = generator->compressed ? 0x400 : BUFFER_SIZE;
    memset(bytes, 0xFF, BUFFER_SIZE);
    uint32_t filled = (uint32_t)(BUFFER_HEADER + mix_logfile(&trace, bytes + BUFFER_HEADER));
    put_buffer_header(bytes, size, filled, 0);
    etl_store_u32(bytes + 0x2C, generator->compressed ? FORMAT_XPRESS : 0);
    etl_store_u16(bytes + 0x34, FLAG_FLUSH_MARKER);
    etl_store_u16(bytes + 0x36, BUFFER_TYPE_HEADER);
    write_bytes(generator, bytes, size);
}

static void flush_compressed(struct generator *generator, unsigned cpu)
{
    static uint8_t packed[2 * BUFFER_SIZE];
    struct buffer *buffer = &generator->buffers[cpu];
    size_t size = etl_xpress_compress(buffer->bytes + BUFFER_HEADER, buffer->filled - BUFFER_HEADER,
                                      packed + BUFFER_HEADER, sizeof packed - BUFFER_HEADER);
    memcpy(packed, buffer->bytes, BUFFER_HEADER);
    etl_store_u32(packed, (uint32_t)(BUFFER_HEADER + size));
    etl_store_u16(packed + 0x34, FLAG_PROC_INDEX | FLAG_COMPRESSED);
    write_bytes(generator, packed, BUFFER_HEADER + size);
}

static void flush(struct generator *generator, unsigned cpu)
{
    struct buffer *buffer = &generator->buffers[cpu];
    if (buffer->filled > BUFFER_HEADER) {
        put_buffer_header(buffer->bytes, BUFFER_SIZE, buffer->filled, cpu);
        etl_store_u64(buffer->bytes + 0x10, generator->now);
        etl_store_u64(buffer->bytes + 0x18, buffer->sequence);
        if (generator->compressed) {
            flush_compressed(generator, cpu);
        } else {
            memset(buffer->bytes + buffer->filled, 0xFF, BUFFER_SIZE - buffer->filled);
            write_bytes(generator, buffer->bytes, BUFFER_SIZE);
        }
    }
    buffer->filled = BUFFER_HEADER;
    buffer->sequence = ++generator->sequence;
}

static void log_event(struct generator *generator, unsigned cpu, const uint8_t *event, size_t size)
{
    struct buffer *buffer = &generator->buffers[cpu];
    size_t padded = (size + 7) & ~(size_t)7;
    if (buffer->filled + padded > BUFFER_SIZE) {
        flush(generator, cpu);
    }
    memcpy(buffer->bytes + buffer->filled, event, size);
    memset(buffer->bytes + buffer->filled + size, 0, padded - size);
    buffer->filled += (uint32_t)padded;
}

static void generate(struct generator *generator, unsigned long events)
{
    uint8_t event[MIX_EVENT_MAX];
    size_t size;
    unsigned cpu = 0;
    unsigned packet = 0;
    write_header_buffer(generator);
    for (unsigned i = 0; i < generator->cpus; i++) {
        flush(generator, i);
    }
    for (unsigned i = 0;
         !generator->packets && events > 0 && (size = mix_rundown(i, generator->now, event)) > 0;
         i++) {
        log_event(generator, 0, event, size);
        events--;
    }
    /* A CPU logs a few events in a row, then another one does. */
    for (; events > 0; events--) {
        generator->now += 1 + events % 7;
        if (events % 3 == 0) {
            cpu = (unsigned)((generator->mix.state >> 20) % generator->cpus);
        }
        if (generator->packets) {
            size = mix_packet(packet++, generator->now, event);
        } else {
            size = generator->described ? mix_described(&generator->mix, cpu, generator->now, event)
                                        : mix_event(&generator->mix, cpu, generator->now, event);
        }
        log_event(generator, cpu, event, size);
    }
    for (unsigned i = 0; i < generator->cpus; i++) {
        flush(generator, i);
    }
}

int main(int argc, char **argv)
{
    static struct generator generator = {.now = START};
    if (argc < 4 || (generator.file = fopen(argv[1], "wb")) == NULL) {
        fprintf(stderr, "usage: bench_generate FILE EVENTS CPUS [compressed|described|packets]\n");
        return 2;
    }
    unsigned long cpus = strtoul(argv[3], NULL, 10);
    generator.cpus = cpus < 1 ? 1 : cpus > CPUS_MAX ? CPUS_MAX : (unsigned)cpus;
    generator.compressed = argc > 4 && strcmp(argv[4], "compressed") == 0;
    generator.described = argc > 4 && strcmp(argv[4], "described") == 0;
    generator.packets = argc > 4 && strcmp(argv[4], "packets") == 0;
    mix_start(&generator.mix, 42);
    for (unsigned i = 0; i < generator.cpus; i++) {
        generator.buffers[i].bytes = malloc(BUFFER_SIZE);
        if (generator.buffers[i].bytes == NULL) {
            return 1;
        }
        generator.buffers[i].filled = BUFFER_HEADER;
    }
    generate(&generator, strtoul(argv[2], NULL, 10));
    return fclose(generator.file) == 0 ? 0 : 1;
}
