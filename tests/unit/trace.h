/*
 * Builds small traces in memory, buffer by buffer and event by event, for tests of the reader.
 * What a test wants odd, it pokes into `bytes` afterwards. The captures have a builder of their own
 * in tests/build/; this one is for what no text describes well: loops, cuts and lies.
 */
#ifndef ETL_TESTS_TRACE_H
#define ETL_TESTS_TRACE_H

#include "etl/bytes.h"
#include "etl/file.h"

#include "xpress_compress.h"

#include <stdlib.h>
#include <string.h>

struct trace {
    uint8_t *bytes; /* owned */
    size_t size;
    size_t room;
    size_t buffer; /* where the buffer that is being written begins */
    uint32_t buffer_size;
    uint32_t buffers;
    int64_t time; /* of the next event, counted up by 10 */
};

/* What a logfile header says; zeros are replaced by something usual. */
struct trace_header {
    uint8_t pointer_size; /* 8 */
    uint8_t version[4];   /* 10.0.1.5 */
    uint32_t mode;
    uint32_t clock_type; /* 1 */
    uint64_t frequency;  /* 10 MHz */
    int64_t start_time;  /* 2026-03-01 */
    int64_t end_time;    /* StartTime; -1: 0 */
    int64_t start_raw;   /* 1000 */
    int32_t bias;
    uint32_t events_lost;
    uint32_t buffers_lost;
    uint32_t state;      /* of the header buffer */
    const uint8_t *zone; /* 172 bytes, replaces TIME_ZONE_INFORMATION */
};

#define TRACE_START_TIME INT64_C(134168400000000000)

static inline uint8_t *trace_grow(struct trace *trace, size_t size)
{
    if (trace->size + size > trace->room) {
        trace->room = (trace->room + size) * 2;
        trace->bytes = realloc(trace->bytes, trace->room);
        if (trace->bytes == NULL) {
            abort();
        }
    }
    uint8_t *at = trace->bytes + trace->size;
    memset(at, 0, size);
    trace->size += size;
    return at;
}

static inline void trace_begin_buffer(struct trace *trace, uint16_t cpu)
{
    trace->buffer = trace->size;
    uint8_t *at = trace_grow(trace, ETL_BUFFER_HEADER_SIZE);
    etl_store_u32(at, trace->buffer_size);
    etl_store_u64(at + 0x18, trace->buffers);
    etl_store_u16(at + 0x28, cpu);
    etl_store_u32(at + 0x2C, 3);
    etl_store_u16(at + 0x34, 0x20);
    etl_store_u16(at + 0x36, trace->buffers == 0 ? 4 : 0);
}

/* The offset in its buffer of what comes next. */
static inline uint32_t trace_offset(const struct trace *trace)
{
    return (uint32_t)(trace->size - trace->buffer);
}

static inline void trace_end_buffer(struct trace *trace)
{
    uint32_t filled = trace_offset(trace);
    if (filled > trace->buffer_size) {
        abort(); /* the test wrote more than its buffer holds */
    }
    etl_store_u32(trace->bytes + trace->buffer + 0x04, filled);
    etl_store_u32(trace->bytes + trace->buffer + 0x30, filled);
    uint32_t fill = trace->buffer_size - filled;
    if (fill > 0) {
        memset(trace_grow(trace, fill), 0xFF, fill);
    }
    trace->buffers++;
}

/* Instead of trace_end_buffer: the same compressed. */
static inline void trace_end_compressed(struct trace *trace)
{
    uint32_t filled = trace_offset(trace);
    size_t room_size = filled * 2 + 64;
    uint8_t *room = malloc(room_size);
    size_t size = room != NULL
                      ? etl_xpress_compress(trace->bytes + trace->buffer + ETL_BUFFER_HEADER_SIZE,
                                            filled - ETL_BUFFER_HEADER_SIZE, room, room_size)
                      : 0;
    if (size == 0) {
        abort();
    }
    trace->size = trace->buffer + ETL_BUFFER_HEADER_SIZE;
    memcpy(trace_grow(trace, size), room, size);
    uint8_t *at = trace->bytes + trace->buffer;
    etl_store_u32(at, (uint32_t)(ETL_BUFFER_HEADER_SIZE + size));
    etl_store_u32(at + 0x30, filled);
    etl_store_u16(at + 0x34, 0x60);
    free(room);
    trace->buffers++;
}

/* Room for an event of `size` bytes, aligned; the caller writes its header. */
static inline uint8_t *trace_event(struct trace *trace, size_t size)
{
    uint8_t *at = trace_grow(trace, (size + 7) & ~(size_t)7);
    return at;
}

static inline void trace_kernel(struct trace *trace, uint8_t type, uint16_t hookid,
                                uint16_t version, int64_t time, const void *payload, size_t size)
{
    bool perfinfo = type >= 0x10;
    size_t header = perfinfo ? 0x10 : type >= 3 ? 0x18 : 0x20;
    uint8_t *at = trace_event(trace, header + size);
    etl_store_u16(at, version);
    at[2] = type;
    at[3] = 0xC0;
    etl_store_u16(at + 4, (uint16_t)(header + size));
    etl_store_u16(at + 6, hookid);
    if (!perfinfo) {
        etl_store_u32(at + 8, 8);
        etl_store_u32(at + 12, 4);
    }
    etl_store_u64(at + (perfinfo ? 8 : 0x10), (uint64_t)time);
    if (size > 0) {
        memcpy(at + header, payload, size);
    }
}

/* An event of 16 + size bytes whose payload nobody knows. */
static inline void trace_mark(struct trace *trace, int64_t time, size_t size)
{
    static const uint8_t zeros[0x10000];
    trace_kernel(trace, 0x11, 0x0F22, 2, time, zeros, size);
}

static inline void trace_switch(struct trace *trace, int64_t time, uint32_t thread)
{
    uint8_t payload[24] = {0};
    etl_store_u32(payload, thread);
    trace_kernel(trace, 0x11, 0x0524, 2, time, payload, sizeof payload);
}

static inline void trace_process(struct trace *trace, uint8_t type, int64_t time, uint32_t pid,
                                 const char *name)
{
    uint8_t payload[32 + 64 + 2] = {0};
    size_t length = strlen(name) + 1;
    etl_store_u32(payload + 8, pid);
    memcpy(payload + 28, name, length);
    trace_kernel(trace, 0x02, (uint16_t)(0x0300 | type), 2, time, payload, 28 + length + 2);
}

static inline void trace_thread(struct trace *trace, uint8_t type, int64_t time, uint32_t pid,
                                uint32_t tid)
{
    uint8_t payload[8];
    etl_store_u32(payload, pid);
    etl_store_u32(payload + 4, tid);
    trace_kernel(trace, 0x02, (uint16_t)(0x0500 | type), 1, time, payload, sizeof payload);
}

static inline void trace_modern(struct trace *trace, int64_t time, uint16_t flags, const void *more,
                                size_t size)
{
    uint8_t *at = trace_event(trace, ETL_EVENT_HEADER_SIZE + size);
    etl_store_u16(at, (uint16_t)(ETL_EVENT_HEADER_SIZE + size));
    etl_store_u16(at + 2, 0xC013);
    etl_store_u16(at + 4, flags);
    etl_store_u32(at + 8, 556);
    etl_store_u32(at + 12, 100);
    etl_store_u64(at + 0x10, (uint64_t)time);
    at[0x18] = 0x77;
    etl_store_u16(at + 0x28, 5);
    if (size > 0) {
        memcpy(at + ETL_EVENT_HEADER_SIZE, more, size);
    }
}

static inline void trace_classic(struct trace *trace, int64_t time, uint32_t last)
{
    uint8_t *at = trace_event(trace, 0x34);
    etl_store_u16(at, 0x34);
    etl_store_u16(at + 2, 0xC014);
    etl_store_u32(at + 8, 556);
    etl_store_u32(at + 12, 100);
    etl_store_u64(at + 0x10, (uint64_t)time);
    at[0x18] = 0x99;
    etl_store_u32(at + 0x2C, last);
}

/* A message without a time stamp. */
static inline void trace_message(struct trace *trace)
{
    uint8_t *at = trace_event(trace, 11);
    etl_store_u16(at, 11);
    etl_store_u16(at + 2, 0x9000);
    etl_store_u16(at + 4, 10);
}

static inline void trace_logfile(struct trace *trace, const struct trace_header *header)
{
    static const uint8_t usual_version[4] = {10, 0, 1, 5};
    uint8_t payload[0x118 + 2 * 8] = {0};
    uint8_t pointer = header->pointer_size != 0 ? header->pointer_size : 8;
    uint8_t *zone = payload + 0x38 + (size_t)2 * pointer;
    uint8_t *rest = payload + 0xE8 + (size_t)2 * pointer;
    int64_t start = header->start_time != 0 ? header->start_time : TRACE_START_TIME;
    int64_t end = header->end_time != 0 ? header->end_time : start;
    etl_store_u32(payload, trace->buffer_size);
    memcpy(payload + 4, header->version[0] != 0 ? header->version : usual_version, 4);
    etl_store_u32(payload + 8, 19045);
    etl_store_u32(payload + 0x0C, 2);
    etl_store_u64(payload + 0x10, end > 0 ? (uint64_t)end : 0);
    etl_store_u32(payload + 0x20, header->mode);
    etl_store_u32(payload + 0x2C, pointer);
    etl_store_u32(payload + 0x30, header->events_lost);
    etl_store_u32(payload + 0x34, 2808);
    etl_store_u32(zone, (uint32_t)header->bias);
    if (header->zone != NULL) {
        memcpy(zone, header->zone, 172);
    }
    etl_store_u64(rest, (uint64_t)start - 1000);
    etl_store_u64(rest + 8, header->frequency != 0 ? header->frequency : 10000000);
    etl_store_u64(rest + 0x10, (uint64_t)start);
    etl_store_u32(rest + 0x18, header->clock_type != 0 ? header->clock_type : 1);
    etl_store_u32(rest + 0x1C, header->buffers_lost);
    memcpy(rest + 0x20, "T\0\0\0f\0.\0e\0\0", 12); /* "T", "f.e" */
    trace_kernel(trace, pointer == 8 ? 2 : 1, 0x0000, 2,
                 header->start_raw != 0 ? header->start_raw : 1000, payload,
                 (size_t)(rest + 0x20 + 12 - payload));
}

/* A trace whose header buffer is written; buffers follow. */
static inline void trace_start(struct trace *trace, uint32_t buffer_size,
                               const struct trace_header *header)
{
    static const struct trace_header usual = {0};
    memset(trace, 0, sizeof *trace);
    trace->buffer_size = buffer_size;
    trace_begin_buffer(trace, 0);
    trace_logfile(trace, header != NULL ? header : &usual);
    etl_store_u32(trace->bytes + 0x2C, header != NULL ? header->state : 0);
    etl_store_u16(trace->bytes + 0x34, 1);
    trace_end_buffer(trace);
}

static inline void trace_free(struct trace *trace)
{
    free(trace->bytes);
    memset(trace, 0, sizeof *trace);
}

#endif
