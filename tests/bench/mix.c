/*
 * Events by hand: headers and payloads are stored value by value, since a million of them must not take long.
 */
#include "mix.h"

#include "etl/bytes.h"

#include <string.h>

#define HEADER_SYSTEM64   0x02
#define HEADER_PERFINFO64 0x11
#define HEADER_EVENT64    0x13

/* EVENT_HEADER.Flags */
#define FLAG_EXTENDED_INFO 0x0001
#define FLAG_64_BIT        0x0040

struct room {
    uint8_t *start;
    uint8_t *at;
};

static void u8(struct room *room, unsigned value)
{
    *room->at++ = (uint8_t)value;
}

static void u16(struct room *room, unsigned value)
{
    etl_store_u16(room->at, (uint16_t)value);
    room->at += 2;
}

static void u32(struct room *room, uint32_t value)
{
    etl_store_u32(room->at, value);
    room->at += 4;
}

static void u64(struct room *room, uint64_t value)
{
    etl_store_u64(room->at, value);
    room->at += 8;
}

static void zeros(struct room *room, size_t size)
{
    memset(room->at, 0, size);
    room->at += size;
}

static void utf16(struct room *room, const char *text)
{
    do {
        u16(room, (unsigned char)*text);
    } while (*text++ != '\0');
}

static struct room begin_perfinfo(uint8_t *start, unsigned version, unsigned hookid, uint64_t now)
{
    struct room room = {.start = start, .at = start};
    u16(&room, version);
    u8(&room, HEADER_PERFINFO64);
    u8(&room, 0xC0);
    u16(&room, 0);
    u16(&room, hookid);
    u64(&room, now);
    return room;
}

static struct room begin_system(uint8_t *start, unsigned version, unsigned hookid, uint32_t thread,
                                uint32_t process, uint64_t now)
{
    struct room room = {.start = start, .at = start};
    u16(&room, version);
    u8(&room, HEADER_SYSTEM64);
    u8(&room, 0xC0);
    u16(&room, 0);
    u16(&room, hookid);
    u32(&room, thread);
    u32(&room, process);
    u64(&room, now);
    u64(&room, 0);
    return room;
}

static size_t finish(struct room *room)
{
    size_t size = (size_t)(room->at - room->start);
    etl_store_u16(room->start + 4, (uint16_t)size);
    return size;
}

/* xorshift64* */
static uint32_t next_random(struct mix *mix)
{
    mix->state ^= mix->state >> 12;
    mix->state ^= mix->state << 25;
    mix->state ^= mix->state >> 27;
    return (uint32_t)((mix->state * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

static uint32_t process_of(uint32_t thread)
{
    return 4 + 4 * (thread / 4 % MIX_PROCESSES);
}

static uint32_t random_thread(struct mix *mix)
{
    return 4 * (next_random(mix) % MIX_THREADS);
}

#define CODE_BASE  UINT64_C(0xFFFFF80012340000)
#define IMAGE_SIZE (64 * 4096 / MIX_IMAGES)
#define FILE_BASE  UINT64_C(0xFFFFAA0800000000)

/* One of 4,096 places in code, since real traces come back to the same ones. */
static uint64_t random_code(struct mix *mix)
{
    return CODE_BASE + 64 * (uint64_t)(next_random(mix) % 4096);
}

static size_t context_switch(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    struct room room = begin_perfinfo(start, 4, 0x0524, now);
    uint32_t thread = random_thread(mix);
    u32(&room, thread);
    u32(&room, mix->running[cpu]);
    u8(&room, 8 + thread % 8);
    u8(&room, 8);
    u16(&room, 0);
    u8(&room, thread % 38);
    u8(&room, thread & 1);
    u8(&room, 2 + thread % 4);
    u8(&room, cpu);
    u32(&room, thread % 16);
    u32(&room, 0);
    mix->running[cpu] = thread;
    return finish(&room);
}

static size_t sample(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    struct room room = begin_perfinfo(start, 2, 0x0F2E, now);
    u64(&room, random_code(mix));
    u32(&room, mix->running[cpu]);
    u32(&room, 1);
    return finish(&room);
}

static size_t stack(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    struct room room = begin_perfinfo(start, 2, 0x1820, now);
    unsigned frames = 4 + next_random(mix) % 16;
    u64(&room, now);
    u32(&room, process_of(mix->running[cpu]));
    u32(&room, mix->running[cpu]);
    for (unsigned i = 0; i < frames; i++) {
        u64(&room, random_code(mix));
    }
    return finish(&room);
}

static size_t disk(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    uint32_t number = next_random(mix);
    struct room room = begin_perfinfo(start, 3, 0x010A + (number & 1), now);
    u32(&room, number >> 8 & 1);
    u32(&room, 0x00060043);
    u32(&room, 4096 << (number >> 16 & 3));
    u32(&room, 0);
    u64(&room, (uint64_t)number << 12);
    u64(&room, FILE_BASE + (number & 0xFFF0));
    u64(&room, UINT64_C(0xFFFFAA0900000000) + (number & 0xFF0));
    u64(&room, number & 0xFFFF);
    u32(&room, mix->running[cpu]);
    return finish(&room);
}

static size_t network(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    uint32_t number = next_random(mix);
    uint32_t process = process_of(mix->running[cpu]);
    struct room room = begin_system(start, 2, 0x060A, mix->running[cpu], process, now);
    u32(&room, process);
    u32(&room, number % 1460);
    u32(&room, UINT32_C(0x0A0200C0) + (number >> 28 << 24)); /* 192.0.2.x, as on the wire */
    u32(&room, UINT32_C(0x0A3364C6));
    u16(&room, 0xBB01);
    u16(&room, (uint16_t)(0xC000 + process)); /* a connection belongs to one process */
    u32(&room, (uint32_t)(now >> 16));
    u32(&room, (uint32_t)(now >> 16));
    u32(&room, 0);
    u64(&room, UINT64_C(0xFFFFAA0A00000000) + number % 64);
    return finish(&room);
}

/* EVENT_HEADER: what the event's descriptor says comes from the caller. */
static struct room begin_event(uint8_t *start, unsigned flags, const uint8_t provider[16],
                               unsigned id, unsigned channel, uint32_t thread, uint64_t now)
{
    struct room room = {.start = start, .at = start};
    u16(&room, 0);
    u8(&room, HEADER_EVENT64);
    u8(&room, 0xC0);
    u16(&room, flags | FLAG_64_BIT);
    u16(&room, 0);
    u32(&room, thread);
    u32(&room, process_of(thread));
    u64(&room, now);
    memcpy(room.at, provider, 16);
    room.at += 16;
    u16(&room, id);
    u8(&room, 0);
    u8(&room, channel);
    u8(&room, 4);
    u8(&room, 0);
    u16(&room, 0);
    u64(&room, 0);
    u64(&room, 0);
    zeros(&room, 16);
    return room;
}

/* Its size comes first. */
static size_t finish_event(struct room *room)
{
    size_t size = (size_t)(room->at - room->start);
    etl_store_u16(room->start, (uint16_t)size);
    return size;
}

/* Microsoft-Windows-Kernel-Process 7: the built-in table describes it. */
static size_t priority_change(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    static const uint8_t provider[16] = {0xD6, 0x2C, 0xFB, 0x22, 0x7B, 0x0E, 0x2B, 0x42,
                                         0xA0, 0xC7, 0x2F, 0xAD, 0x1F, 0xD0, 0xE7, 0x16};
    uint32_t thread = random_thread(mix);
    struct room room = begin_event(start, 0, provider, 7, 16, mix->running[cpu], now);
    u32(&room, process_of(thread));
    u32(&room, thread);
    u8(&room, thread % 16);
    u8(&room, 8 + thread % 8);
    mix->running[cpu] = thread;
    return finish_event(&room);
}

/* Items begin at multiples of 8. */
#define ITEM_PADDING 7

/* One that carries its own description. */
static size_t trace_logging(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *start)
{
    static const uint8_t provider[16] = {0x10, 0x2B, 0x1D, 0x6F, 1, 10, 0x5E, 0x4A,
                                         0x9C, 0x3B, 0,    0,    0, 0,  0xBE, 0xEF};
    /* size, tags; event; fields: UNICODESTRING, UINT32, HEXINT64, UINT64 */
    static const uint8_t schema[] = "\x31\0\0Request\0Path\0\x01Status\0\x08Handle\0\x15"
                                    "Duration\0\x0A"
                                    "Code\0\x08";
    uint32_t number = next_random(mix);
    struct room room = begin_event(start, FLAG_EXTENDED_INFO, provider, 0, 11, mix->running[cpu],
                                   now);
    u16(&room, 8 + sizeof schema - 1 + ITEM_PADDING);
    u16(&room, 11);
    u16(&room, 0);
    u16(&room, sizeof schema - 1);
    memcpy(room.at, schema, sizeof schema - 1);
    room.at += sizeof schema - 1;
    zeros(&room, ITEM_PADDING);
    utf16(&room, "/index.html");
    u32(&room, 200 + number % 4);
    u64(&room, FILE_BASE + number % 4096);
    u64(&room, number);
    u32(&room, number % 7);
    return finish_event(&room);
}

size_t mix_described(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *room)
{
    return next_random(mix) & 1 ? trace_logging(mix, cpu, now, room)
                                : priority_change(mix, cpu, now, room);
}

void mix_start(struct mix *mix, uint64_t seed)
{
    memset(mix, 0, sizeof *mix);
    mix->state = seed | 1;
}

size_t mix_event(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *room)
{
    unsigned share = next_random(mix) % 100;
    if (share < 40) {
        return context_switch(mix, cpu, now, room);
    }
    if (share < 60) {
        return sample(mix, cpu, now, room);
    }
    if (share < 80) {
        return stack(mix, cpu, now, room);
    }
    return share < 90 ? disk(mix, cpu, now, room) : network(mix, cpu, now, room);
}

static size_t process_rundown(unsigned number, uint64_t now, uint8_t *start)
{
    static const char image[] = "program.exe";
    struct room room = begin_system(start, 4, 0x0303, 8, 4, now);
    u64(&room, UINT64_C(0xFFFFAA0700000000) + 64 * (uint64_t)number);
    u32(&room, 4 + 4 * number);
    u32(&room, 4);
    u32(&room, 1);
    u32(&room, 259);
    u64(&room, UINT64_C(0x1AD000) + 4096 * (uint64_t)number);
    u32(&room, 0);
    u32(&room, 0); /* no SID */
    memcpy(room.at, image, sizeof image);
    room.at[0] = (uint8_t)('a' + number % 26);
    room.at += sizeof image;
    utf16(&room, "\"C:\\Program Files\\Example\\program.exe\" /run");
    u16(&room, 0);
    u16(&room, 0);
    return finish(&room);
}

static size_t thread_rundown(unsigned number, uint64_t now, uint8_t *start)
{
    struct room room = begin_system(start, 3, 0x0503, 8, 4, now);
    u32(&room, process_of(4 * number));
    u32(&room, 4 * number);
    zeros(&room, 4 * 8);
    u64(&room, 0xFF);
    u64(&room, UINT64_C(0x00007FF612340000));
    u64(&room, UINT64_C(0x000000D012340000));
    u32(&room, 0);
    u32(&room, 0x00020508);
    u16(&room, 0); /* no name */
    return finish(&room);
}

static size_t image_rundown(unsigned number, uint64_t now, uint8_t *start)
{
    static const char path[] = "\\SystemRoot\\system32\\drivers\\driver?.sys";
    char name[sizeof path];
    struct room room = begin_system(start, 3, 0x1403, 8, 4, now);
    memcpy(name, path, sizeof path);
    name[sizeof path - 6] = (char)('a' + number % 26);
    u64(&room, CODE_BASE + (uint64_t)IMAGE_SIZE * number);
    u64(&room, IMAGE_SIZE);
    u32(&room, 0);
    u32(&room, 0x12345);
    u32(&room, 0x60000000);
    u32(&room, 0);
    u64(&room, 0);
    zeros(&room, 16);
    utf16(&room, name);
    return finish(&room);
}

static size_t file_rundown(unsigned number, uint64_t now, uint8_t *start)
{
    static const char path[] = "\\Device\\HarddiskVolume3\\Program Files\\Example\\data?????.bin";
    char name[sizeof path];
    struct room room = begin_system(start, 2, 0x0424, 8, 4, now);
    memcpy(name, path, sizeof path);
    for (unsigned i = 0, rest = number; i < 5; i++, rest /= 10) {
        name[sizeof path - 6 - i] = (char)('0' + rest % 10);
    }
    u64(&room, FILE_BASE + 16 * (uint64_t)number);
    utf16(&room, name);
    return finish(&room);
}

size_t mix_rundown(unsigned number, uint64_t now, uint8_t *room)
{
    if (number < MIX_PROCESSES) {
        return process_rundown(number, now, room);
    }
    number -= MIX_PROCESSES;
    if (number < MIX_THREADS) {
        return thread_rundown(number, now, room);
    }
    number -= MIX_THREADS;
    if (number < MIX_IMAGES) {
        return image_rundown(number, now, room);
    }
    number -= MIX_IMAGES;
    return number < MIX_FILES ? file_rundown(number, now, room) : 0;
}

size_t mix_logfile(const struct mix_trace *trace, uint8_t *start)
{
    struct room room = begin_system(start, 2, 0x0000, 8, 4, trace->start);
    u32(&room, trace->buffer_size);
    u32(&room, trace->compressed ? 0x0002000A : 0x0501000A);
    u32(&room, 19045);
    u32(&room, trace->cpus);
    u64(&room, trace->start_filetime + 600 * UINT64_C(10000000));
    u32(&room, 156250);
    u32(&room, 0);
    u32(&room, trace->compressed ? 0x04010001 : 0x00000001);
    u32(&room, 1);
    u32(&room, 1);
    u32(&room, 8);
    u32(&room, 0);
    u32(&room, 2400);
    u64(&room, 0);
    u64(&room, 0);
    zeros(&room, 172 + 4);
    u64(&room, trace->start_filetime - trace->start);
    u64(&room, 10000000);
    u64(&room, trace->start_filetime);
    u32(&room, 1);
    u32(&room, 0);
    utf16(&room, "Synthetic kernel session");
    utf16(&room, "C:\\Traces\\synthetic.etl");
    return finish(&room);
}
