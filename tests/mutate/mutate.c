/*
 * A trace is walked anew before each change, by the sizes that it has now:
 *
 *     | header 0x48 | event, padded to 8 | event | … | fill |     | header | …
 *                                        ^ filled (0x30)  ^ size (0x00)
 */
#include "mutate.h"

#include "lznt1_compress.h"
#include "xpress_compress.h"
#include "xpress_huffman_compress.h"

#include "core/file/buffer.h"
#include "core/file/measure.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS_MAX 256
#define EVENTS_MAX  256

/* Buffers that are expanded, and bytes of one that is packed. */
#define EXPANDED_MAX 0x10000

/* WMI_BUFFER_HEADER */
enum { AT_SIZE = 0x00, AT_SAVED = 0x04, AT_CURRENT = 0x08, AT_STATE = 0x2C, AT_FILLED = 0x30 };
enum { AT_FLAGS = 0x34 };

struct part {
    size_t at;
    size_t size;
};

struct trace {
    struct etl_mutator *mutator;
    uint8_t *data;
    size_t size;
    size_t room;
    struct part buffers[BUFFERS_MAX];
    size_t buffer_count;
};

struct field {
    uint8_t at;
    uint8_t size;
};

static const struct field buffer_fields[] = {{0x00, 4}, {0x04, 4}, {0x08, 4}, {0x0C, 4},
                                             {0x10, 8}, {0x18, 8}, {0x28, 2}, {0x2A, 2},
                                             {0x2C, 4}, {0x30, 4}, {0x34, 2}, {0x36, 2}};

/* Of any kind of event: sizes, marker, type, versions, hook id, ids, times, GUIDs, the first extended item. */
static const struct field event_fields[] = {{0, 2},    {2, 1},    {3, 1},    {4, 2},    {5, 1},
                                            {6, 2},    {7, 1},    {8, 4},    {0x0C, 4}, {0x10, 8},
                                            {0x18, 8}, {0x28, 2}, {0x2A, 1}, {0x2C, 4}, {0x50, 2},
                                            {0x52, 2}, {0x54, 2}, {0x56, 2}};

static const uint64_t numbers[] = {0,         1,          2,
                                   4,         7,          8,
                                   0x0F,      0x40,       0x48,
                                   0x4F,      0x50,       0x7F,
                                   0x80,      0xFF,       0x100,
                                   0x7FFF,    0x8000,     0xFFF8,
                                   0xFFFF,    0x10000,    1 << 24,
                                   1 << 25,   INT32_MAX,  UINT32_MAX,
                                   INT64_MAX, UINT64_MAX, UINT64_C(1) << 63,
                                   0xC0130000};

uint64_t etl_mutator_random(struct etl_mutator *mutator)
{
    mutator->random ^= mutator->random << 13;
    mutator->random ^= mutator->random >> 7;
    mutator->random ^= mutator->random << 17;
    return mutator->random;
}

/* Below `most`, which is not 0. */
static size_t pick(struct etl_mutator *mutator, size_t most)
{
    return (size_t)(etl_mutator_random(mutator) >> 11) % most;
}

static uint64_t any_number(struct etl_mutator *mutator)
{
    uint64_t number = etl_mutator_random(mutator);
    size_t how = pick(mutator, 8);
    return how == 0  ? number
           : how < 3 ? number & 0xFF
                     : numbers[pick(mutator, sizeof numbers / sizeof numbers[0])];
}

static void find_buffers(struct trace *trace)
{
    size_t at = 0;
    trace->buffer_count = 0;
    while (trace->size - at >= ETL_BUFFER_HEADER_SIZE && trace->buffer_count < BUFFERS_MAX) {
        size_t size = etl_load_u32(trace->data + at + AT_SIZE);
        size_t left = trace->size - at;
        if (size < ETL_BUFFER_HEADER_SIZE) {
            break;
        }
        size = size < left ? size : left;
        trace->buffers[trace->buffer_count++] = (struct part){.at = at, .size = size};
        at += size;
    }
}

static bool is_packed(const struct trace *trace, const struct part *buffer)
{
    return (etl_load_u16(trace->data + buffer->at + AT_FLAGS) & ETL_BUFFER_COMPRESSED) != 0;
}

/* Bytes of the buffer that are events, as far as its header can be believed. */
static size_t filled_of(const struct trace *trace, const struct part *buffer)
{
    size_t filled = etl_load_u32(trace->data + buffer->at + AT_FILLED);
    return filled >= ETL_BUFFER_HEADER_SIZE && filled <= buffer->size ? filled : buffer->size;
}

/* Any event of a buffer that is not packed. */
static bool find_event(const struct trace *trace, const struct part *buffer, struct part *ret_event)
{
    static const struct etl_context context = {.pointer_size = 8};
    struct part events[EVENTS_MAX];
    size_t count = 0;
    size_t end = filled_of(trace, buffer);
    struct etl_measure measure;
    for (size_t at = ETL_BUFFER_HEADER_SIZE; at < end && count < EVENTS_MAX;) {
        if (etl_event_measure(trace->data + buffer->at + at, end - at, &context, &measure) !=
            ETL_MEASURED_EVENT) {
            break;
        }
        events[count++] = (struct part){.at = buffer->at + at, .size = measure.size};
        at += (measure.size + 7U) & ~7U;
    }
    if (count > 0) {
        *ret_event = events[pick(trace->mutator, count)];
    }
    return count > 0;
}

static void put(struct trace *trace, size_t at, size_t size, uint64_t number)
{
    for (size_t i = 0; i < size && at + i < trace->size; i++) {
        trace->data[at + i] = (uint8_t)(number >> 8 * i);
    }
}

/* Puts `with` in place of `size` bytes of the file; false when there is no room. */
static bool replace(struct trace *trace, size_t at, size_t size, const uint8_t *with,
                    size_t with_size)
{
    if (trace->size - size + with_size > trace->room) {
        return false;
    }
    memmove(trace->data + at + with_size, trace->data + at + size, trace->size - at - size);
    if (with_size > 0) {
        memcpy(trace->data + at, with, with_size);
    }
    trace->size = trace->size - size + with_size;
    return true;
}

static void set_filled(struct trace *trace, const struct part *buffer, size_t filled)
{
    put(trace, buffer->at + AT_SAVED, 4, filled);
    put(trace, buffer->at + AT_CURRENT, 4, filled);
    put(trace, buffer->at + AT_FILLED, 4, filled);
}

/* The same among the events of a buffer, which is filled more or less then, and grows where it is full. */
static void replace_events(struct trace *trace, const struct part *buffer, size_t at, size_t size,
                           const uint8_t *with, size_t with_size)
{
    uint8_t fill[0x200];
    size_t filled = filled_of(trace, buffer) - size + with_size;
    memset(fill, 0xFF, sizeof fill);
    if (with_size <= size) {
        size_t end = buffer->at + filled_of(trace, buffer);
        size_t less = size - with_size < sizeof fill ? size - with_size : sizeof fill;
        if (replace(trace, end, 0, fill,
                    less)) { /* the buffer stays as large as it is, for short events */
            replace(trace, at, size, with, with_size);
            put(trace, buffer->at + AT_SIZE, 4, buffer->size + less - (size - with_size));
            set_filled(trace, buffer, filled);
        }
        return;
    }
    size_t more = with_size - size;
    size_t slack = buffer->size - filled_of(trace, buffer);
    size_t used = more < slack ? more : slack;
    if (replace(trace, at, size, with, with_size)) {
        replace(trace, buffer->at + filled, used, NULL, 0);
        put(trace, buffer->at + AT_SIZE, 4, buffer->size + more - used);
        set_filled(trace, buffer, filled);
    }
}

/* Whose size is not in the first two bytes, but in bytes 4 and 5. */
static bool is_kernel_type(uint8_t type)
{
    return (type >= 1 && type <= 4) || type == 0x10 || type == 0x11;
}

static void resize_event(struct trace *trace, const struct part *buffer, const struct part *event)
{
    uint8_t zeros[64] = {0};
    size_t old_room = (event->size + 7) & ~(size_t)7;
    size_t size = event->size + pick(trace->mutator, 64);
    size_t less = pick(trace->mutator, 64);
    size = less < size && size - less >= ETL_EVENT_SIZE_MIN ? size - less : size;
    size_t room = (size + 7) & ~(size_t)7;
    size_t at = event->at + (is_kernel_type(trace->data[event->at + 2]) ? 4 : 0);
    if (size > UINT16_MAX || event->at + old_room > buffer->at + filled_of(trace, buffer)) {
        return;
    }
    put(trace, at, 2, size);
    if (room < old_room) {
        replace_events(trace, buffer, event->at + room, old_room - room, NULL, 0);
    } else if (room > old_room && room - old_room <= sizeof zeros) {
        replace_events(trace, buffer, event->at + old_room, 0, zeros, room - old_room);
    }
}

/* An event once more, behind another of any buffer. */
static void copy_event(struct trace *trace, const struct part *event)
{
    struct part to;
    const struct part *buffer = &trace->buffers[pick(trace->mutator, trace->buffer_count)];
    size_t room = (event->size + 7) & ~(size_t)7;
    uint8_t *copy = calloc(1, room);
    if (copy != NULL && !is_packed(trace, buffer) && find_event(trace, buffer, &to)) {
        memcpy(copy, trace->data + event->at, event->size);
        size_t at = to.at + ((to.size + 7) & ~(size_t)7);
        if (at <= buffer->at + filled_of(trace, buffer)) {
            replace_events(trace, buffer, at, 0, copy, room);
        }
    }
    free(copy);
}

/* What one event is, another becomes. */
static void copy_header(struct trace *trace, const struct part *buffer, const struct part *event)
{
    struct part other;
    if (find_event(trace, buffer, &other)) {
        size_t size = other.size < event->size ? other.size : event->size;
        size = size < ETL_EVENT_HEADER_SIZE ? size : ETL_EVENT_HEADER_SIZE;
        uint8_t kept[6];
        memcpy(kept, trace->data + other.at, sizeof kept);
        memmove(trace->data + other.at, trace->data + event->at, size);
        bool kernel = is_kernel_type(trace->data[other.at + 2]);
        if (kernel == is_kernel_type(kept[2])) { /* its size is where it was */
            memcpy(trace->data + other.at + (kernel ? 4 : 0), kept + (kernel ? 4 : 0), 2);
        }
    }
}

static void change_content(struct trace *trace, const struct part *event)
{
    size_t from = pick(trace->mutator, event->size);
    size_t size = event->size - from;
    trace->mutator->change_bytes(trace->data + event->at + from, size, size);
}

static void change_event(struct trace *trace, const struct part *buffer)
{
    struct etl_mutator *mutator = trace->mutator;
    struct part event;
    const struct field *field =
        &event_fields[pick(mutator, sizeof event_fields / sizeof event_fields[0])];
    if (!find_event(trace, buffer, &event)) {
        return;
    }
    size_t room = (event.size + 7) & ~(size_t)7;
    switch (pick(mutator, 8)) {
    case 0:
    case 1:
        put(trace, event.at + field->at, field->size, any_number(mutator));
        break;
    case 2:
    case 3:
        change_content(trace, &event);
        break;
    case 4:
        resize_event(trace, buffer, &event);
        break;
    case 5:
        copy_event(trace, &event);
        break;
    case 6:
        copy_header(trace, buffer, &event);
        break;
    default:
        if (event.at + room <= buffer->at + filled_of(trace, buffer)) {
            replace_events(trace, buffer, event.at, room, NULL, 0);
        }
    }
}

static size_t (*const packers[])(const uint8_t *, size_t, uint8_t *, size_t) = {
    [ETL_COMPRESSION_LZNT1] = etl_lznt1_compress,
    [ETL_COMPRESSION_XPRESS] = etl_xpress_compress,
    [ETL_COMPRESSION_XPRESS_HUFFMAN] = etl_xpress_huffman_compress,
};

/* The format that the first buffer names, or any. */
static enum etl_compression format_of(const struct trace *trace)
{
    unsigned state = etl_load_u16(trace->data + AT_STATE);
    bool known = state >= ETL_COMPRESSION_LZNT1 && state <= ETL_COMPRESSION_XPRESS_HUFFMAN;
    return (enum etl_compression)(known ? state : ETL_COMPRESSION_LZNT1 + pick(trace->mutator, 3));
}

/* Puts another content behind a buffer's header. */
static void replace_content(struct trace *trace, const struct part *buffer, const uint8_t *content,
                            size_t size, uint16_t flags)
{
    size_t at = buffer->at + ETL_BUFFER_HEADER_SIZE;
    if (replace(trace, at, buffer->size - ETL_BUFFER_HEADER_SIZE, content, size)) {
        put(trace, buffer->at + AT_SIZE, 4, ETL_BUFFER_HEADER_SIZE + size);
        put(trace, buffer->at + AT_FLAGS, 2, flags);
    }
}

static void pack(struct trace *trace, const struct part *buffer)
{
    static uint8_t room[2 * EXPANDED_MAX];
    size_t size = filled_of(trace, buffer) - ETL_BUFFER_HEADER_SIZE;
    uint16_t flags = etl_load_u16(trace->data + buffer->at + AT_FLAGS);
    if (size > 0 && size <= EXPANDED_MAX) {
        size_t packed = packers[format_of(trace)](trace->data + buffer->at + ETL_BUFFER_HEADER_SIZE,
                                                  size, room, sizeof room);
        packed = (packed + 7) & ~(size_t)7; /* what is over is not looked at */
        put(trace, buffer->at + AT_FILLED, 4, ETL_BUFFER_HEADER_SIZE + size);
        replace_content(trace, buffer, room, packed, flags | ETL_BUFFER_COMPRESSED);
    }
}

static bool expand(struct trace *trace, const struct part *buffer)
{
    static uint8_t room[EXPANDED_MAX];
    size_t filled = etl_load_u32(trace->data + buffer->at + AT_FILLED);
    uint16_t flags = etl_load_u16(trace->data + buffer->at + AT_FLAGS);
    size_t size = 0;
    if (filled <= ETL_BUFFER_HEADER_SIZE || filled - ETL_BUFFER_HEADER_SIZE > sizeof room) {
        return false;
    }
    etl_decompress(format_of(trace), trace->data + buffer->at + ETL_BUFFER_HEADER_SIZE,
                   buffer->size - ETL_BUFFER_HEADER_SIZE, room, filled - ETL_BUFFER_HEADER_SIZE,
                   &size);
    replace_content(trace, buffer, room, size, flags & ~ETL_BUFFER_COMPRESSED);
    return true;
}

/* Changes events of a packed buffer in the buffer that it was. */
static void change_packed(struct trace *trace, size_t number)
{
    if (expand(trace, &trace->buffers[number])) {
        find_buffers(trace);
        if (number < trace->buffer_count) {
            change_event(trace, &trace->buffers[number]);
            find_buffers(trace);
        }
        if (number < trace->buffer_count && pick(trace->mutator, 8) != 0) {
            pack(trace, &trace->buffers[number]);
        }
    }
}

static void copy_buffer(struct trace *trace, const struct part *buffer)
{
    const struct part *to = &trace->buffers[pick(trace->mutator, trace->buffer_count)];
    uint8_t *copy = malloc(buffer->size);
    if (copy != NULL) {
        memcpy(copy, trace->data + buffer->at, buffer->size);
        replace(trace, to->at + to->size, 0, copy, buffer->size);
    }
    free(copy);
}

static void change_buffer(struct trace *trace, size_t number)
{
    struct etl_mutator *mutator = trace->mutator;
    const struct part *buffer = &trace->buffers[number];
    const struct field *field =
        &buffer_fields[pick(mutator, sizeof buffer_fields / sizeof buffer_fields[0])];
    switch (pick(mutator, 6)) {
    case 0:
    case 1:
        put(trace, buffer->at + field->at, field->size, any_number(mutator));
        break;
    case 2:
        copy_buffer(trace, buffer);
        break;
    case 3:
        replace(trace, buffer->at, buffer->size, NULL, 0);
        break;
    case 4:
        if (is_packed(trace, buffer)) {
            expand(trace, buffer);
        } else {
            pack(trace, buffer);
        }
        break;
    default: /* a part of it goes, so that all behind is elsewhere */
        replace(trace, buffer->at, pick(mutator, buffer->size), NULL, 0);
    }
}

size_t etl_mutate_trace(struct etl_mutator *mutator, uint8_t *data, size_t size, size_t room)
{
    static struct trace trace;
    size_t how = pick(mutator, 8);
    trace = (struct trace){.mutator = mutator, .data = data, .size = size, .room = room};
    find_buffers(&trace);
    if (trace.buffer_count == 0 || how == 0) {
        return mutator->change_bytes(data, size, room);
    }
    size_t number = pick(mutator, trace.buffer_count);
    if (how == 1) {
        change_buffer(&trace, number);
    } else if (is_packed(&trace, &trace.buffers[number])) {
        change_packed(&trace, number);
    } else {
        change_event(&trace, &trace.buffers[number]);
    }
    return trace.size;
}

size_t etl_mutate_join(struct etl_mutator *mutator, uint8_t *data, size_t size, size_t room,
                       const uint8_t *other, size_t other_size)
{
    static struct trace trace;
    trace = (struct trace){.mutator = mutator, .data = (uint8_t *)other, .size = other_size};
    find_buffers(&trace);
    if (trace.buffer_count > 0) {
        const struct part *buffer = &trace.buffers[pick(mutator, trace.buffer_count)];
        if (buffer->size <= room - size) {
            memcpy(data + size, other + buffer->at, buffer->size);
            size += buffer->size;
        }
    }
    return size;
}
