/* Event headers of every kind: which it is, how long, what it says. */
#include "etl/event.h"

#include "core/file/measure.h"

#include "null_sink.h"
#include "text_sink.h"
#include "unit.h"

static struct etl_context context = {
    .clock = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER, .frequency = 10000000}, .pointer_size = 8};

/* An event in a block of its own size, measured and read. */
struct sample {
    uint8_t *bytes;
    struct etl_measure measure;
    struct etl_event event;
};

static struct sample sample_of(const uint8_t *bytes, size_t size)
{
    struct sample sample = {.bytes = unit_copy(bytes, size)};
    etl_layouts_start();
    CU_ASSERT_EQUAL_FATAL(etl_event_measure(sample.bytes, size, &context, &sample.measure),
                          ETL_MEASURED_EVENT);
    etl_event_read(sample.bytes, &sample.measure, &context, &sample.event);
    return sample;
}

static const char *header_text(const struct etl_event *event)
{
    static struct text_sink sink;
    text_sink_start(&sink);
    etl_event_show_header(event, &context, &sink.sink);
    return sink.text;
}

/* Both ways to measure must agree, and what they accept must be readable. */
static void measure_and_read(const uint8_t *data, size_t size)
{
    struct etl_measure slow;
    struct etl_measure fast;
    memset(&slow, 0, sizeof slow);
    memset(&fast, 0, sizeof fast);
    enum etl_measured measured = etl_event_measure(data, size, &context, &slow);
    CU_ASSERT_EQUAL(etl_measure(data, size, &context, &fast), measured);
    if (measured != ETL_MEASURED_EVENT) {
        return;
    }
    CU_ASSERT_PTR_EQUAL(slow.kind, fast.kind);
    CU_ASSERT_TRUE(slow.size == fast.size && slow.size <= size);
    CU_ASSERT_TRUE(slow.has_time == fast.has_time && slow.raw_time == fast.raw_time);
    struct etl_event event;
    struct null_sink sink = null_sink_new();
    etl_event_read(data, &slow, &context, &event);
    CU_ASSERT_EQUAL(event.header.size + event.items.size + event.payload.size, event.size);
    CU_ASSERT_TRUE(event.pointer_size == 4 || event.pointer_size == 8);
    null_sink_touch(&sink, event.payload.at, event.payload.size);
    null_sink_touch(&sink, event.items.at, event.items.size);
    etl_event_show_header(&event, &context, &sink.sink);
    null_sink_check(&sink);
}

/* A header alone, of every length. */
static void read_header(const uint8_t *data, size_t size)
{
    struct etl_event event;
    if (etl_event_read_header(data, size, &context, &event)) {
        struct null_sink sink = null_sink_new();
        CU_ASSERT_PTR_EQUAL(event.header.at, data);
        CU_ASSERT_TRUE(event.header.size <= size);
        etl_event_show_header(&event, &context, &sink.sink);
        null_sink_check(&sink);
    }
}

static void try_everything(const uint8_t *bytes, size_t size)
{
    uint8_t *changed = unit_copy(bytes, size);
    unit_every_truncation(bytes, size, measure_and_read);
    unit_every_truncation(bytes, size, read_header);
    static const uint8_t values[] = {0x00, 0x01, 0x7F, 0x80, 0x90, 0xC0, 0xFF};
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < sizeof values; k++) {
            changed[i] = values[k];
            measure_and_read(changed, size);
            read_header(changed, size);
        }
        changed[i] = bytes[i];
    }
    free(changed);
}

static const uint8_t system64[] = {
    0x02, 0x00, 0x02, 0xC0,                         /* version 2, SYSTEM64 */
    0x23, 0x00, 0x01, 0x03,                         /* 35 bytes, hook 0x0301 */
    0x2C, 0x02, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, /* thread 556, process 100 */
    0x40, 0x42, 0x0F, 0x00, 0x00, 0x00, 0x00, 0x00, /* raw 1,000,000 */
    0x03, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, /* kernel 3, user 4 */
    0xAA, 0xBB, 0xCC,                               /* payload */
};

static void test_system(void)
{
    struct sample sample = sample_of(system64, sizeof system64);
    const struct etl_event *event = &sample.event;
    CU_ASSERT_PTR_EQUAL(event->kind, etl_kind(ETL_KIND_SYSTEM64));
    CU_ASSERT_TRUE(event->size == 35 && event->pointer_size == 8 && event->version == 2);
    CU_ASSERT_TRUE(event->has_hook && event->hookid == 0x0301 && event->opcode == 1);
    CU_ASSERT_TRUE(event->has_ids && event->thread_id == 556 && event->process_id == 100);
    CU_ASSERT_TRUE(event->has_time && event->raw_time == 1000000);
    CU_ASSERT_TRUE(event->has_cpu_times && event->kernel_time == 3 && event->user_time == 4);
    CU_ASSERT_TRUE(event->has_provider && event->provider.bytes[0] == 0xD0);
    CU_ASSERT_TRUE(event->payload.size == 3 && event->payload.at[0] == 0xAA);
    CU_ASSERT_STRING_EQUAL(header_text(event),
                           "Version=0x2 HeaderType=0x2 Flags=0xc0 Size=35 HookId=0x301 Type=0x1 "
                           "Group=0x3 ThreadId=556 ProcessId=100 SystemTime=1000000 "
                           "RawTimeStamp=1000000 KernelTime=3 UserTime=4");
    free(sample.bytes);
    try_everything(system64, sizeof system64);
}

static void test_widths(void)
{
    uint8_t bytes[sizeof system64];
    memcpy(bytes, system64, sizeof bytes);
    bytes[2] = 0x01;
    struct sample sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_EQUAL(sample.event.pointer_size, 4);
    free(sample.bytes);
    bytes[2] = 0x04; /* compact: the processor's times are payload */
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_PTR_EQUAL(sample.event.kind, etl_kind(ETL_KIND_COMPACT64));
    CU_ASSERT_TRUE(sample.event.payload.size == 11 && !sample.event.has_cpu_times);
    CU_ASSERT_TRUE(sample.event.has_ids && sample.event.process_id == 100);
    CU_ASSERT_STRING_EQUAL(header_text(&sample.event),
                           "Version=0x2 HeaderType=0x4 Flags=0xc0 Size=35 HookId=0x301 Type=0x1 "
                           "Group=0x3 ThreadId=556 ProcessId=100 SystemTime=1000000 "
                           "RawTimeStamp=1000000");
    free(sample.bytes);
    bytes[2] = 0x03;
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.pointer_size == 4 && sample.event.payload.size == 11);
    free(sample.bytes);
    bytes[7] = 0x7F; /* a group that nobody knows */
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.has_hook && !sample.event.has_provider);
    free(sample.bytes);
}

/* A perfinfo event of 16 bytes, 7 counters, a PEBS index and 2 bytes. */
static size_t make_perfinfo(uint8_t *room, unsigned counters, bool pebs)
{
    size_t header = 0x10 + 8 * counters + (pebs ? 8 : 0);
    memset(room, 0, header + 2);
    etl_store_u16(room, (uint16_t)(0x0004 | counters << 8 | (pebs ? 0x8000 : 0)));
    etl_store_u16(room + 2, 0xC011);
    etl_store_u16(room + 4, (uint16_t)(header + 2));
    etl_store_u16(room + 6, 0x0524);
    etl_store_u64(room + 8, 77);
    for (size_t i = 0x10; i < header; i += 8) {
        etl_store_u64(room + i, i);
    }
    etl_store_u16(room + header, 0xBEEF);
    return header;
}

static void test_perfinfo(void)
{
    uint8_t bytes[0x80];
    for (unsigned counters = 0; counters <= 7; counters++) {
        for (int pebs = 0; pebs <= 1; pebs++) {
            size_t header = make_perfinfo(bytes, counters, pebs != 0);
            struct sample sample = sample_of(bytes, header + 2);
            const struct etl_event *event = &sample.event;
            CU_ASSERT_TRUE(event->header.size == header && event->payload.size == 2);
            CU_ASSERT_EQUAL(etl_load_u16(event->payload.at), 0xBEEF);
            CU_ASSERT_TRUE(!event->has_ids && event->raw_time == 77 && event->version == 4);
            const char *text = header_text(event);
            size_t shown = 0;
            for (const char *at = text; (at = strstr(at, " Counter=")) != NULL; at++) {
                shown++;
            }
            CU_ASSERT_EQUAL(shown, counters);
            CU_ASSERT_EQUAL(strstr(text, "PebsIndex=") != NULL, pebs);
            CU_ASSERT_PTR_NULL(strstr(text, "!TRUNCATED"));
            free(sample.bytes);
            try_everything(bytes, header + 2);
        }
    }
}

static void test_missing_counters(void)
{
    uint8_t bytes[0x80];
    make_perfinfo(bytes, 4, true);
    etl_store_u16(bytes + 4, 0x14); /* too short for what its version announces */
    struct sample sample = sample_of(bytes, 0x14);
    CU_ASSERT_TRUE(sample.event.header.size == 0x10 && sample.event.payload.size == 4);
    free(sample.bytes);
}

static const uint8_t full64[] = {
    0x31, 0x00, 0x14, 0xC0,                         /* 49 bytes, FULL64 */
    0x20, 0x04, 0x02, 0x00,                         /* type 32, level 4, version 2 */
    0x2C, 0x02, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, /* thread 556, process 100 */
    0x40, 0x42, 0x0F, 0x00, 0x00, 0x00, 0x00, 0x00, /* raw 1,000,000 */
    0xD7, 0x75, 0xE6, 0xB3, 0x54, 0x25, 0x18, 0x4F, /* b3e675d7-2554-4f18-830b-2762732560de */
    0x83, 0x0B, 0x27, 0x62, 0x73, 0x25, 0x60, 0xDE, 0x03, 0x00, 0x00, 0x00, /* kernel time */
    0x04, 0x00, 0x00, 0x00,                                                 /* user time */
    0xAA,                                                                   /* payload */
};

static void test_full(void)
{
    struct sample sample = sample_of(full64, sizeof full64);
    const struct etl_event *event = &sample.event;
    CU_ASSERT_PTR_EQUAL(event->kind, etl_kind(ETL_KIND_FULL64));
    CU_ASSERT_TRUE(event->opcode == 32 && event->has_level && event->level == 4);
    CU_ASSERT_TRUE(event->version == 2 && !event->has_hook && event->has_provider);
    CU_ASSERT_TRUE(!event->has_wnode_flags && event->payload.size == 1);
    CU_ASSERT_STRING_EQUAL(
        header_text(event),
        "Size=49 HeaderType=0x14 MarkerFlags=0xc0 Type=32 Level=4 Version=2 ThreadId=556 "
        "ProcessId=100 TimeStamp=1000000 RawTimeStamp=1000000 "
        "Guid=b3e675d7-2554-4f18-830b-2762732560de KernelTime=3 UserTime=4 "
        "ProcessorTime=17179869187");
    free(sample.bytes);
    try_everything(full64, sizeof full64);
}

static void test_kernel_class(void)
{
    /* ce1dbfb4-137e-4da6-87b0-3f59aa102cbc, type 34: PerfInfo Mark, hook 0x0F22 */
    static const uint8_t perfinfo[] = {0xB4, 0xBF, 0x1D, 0xCE, 0x7E, 0x13, 0xA6, 0x4D,
                                       0x87, 0xB0, 0x3F, 0x59, 0xAA, 0x10, 0x2C, 0xBC};
    uint8_t bytes[sizeof full64];
    memcpy(bytes, full64, sizeof bytes);
    memcpy(bytes + 0x18, perfinfo, sizeof perfinfo);
    bytes[4] = 34;
    struct sample sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.has_hook && sample.event.hookid == 0x0F22);
    free(sample.bytes);
}

static bool has_wnode_flags(uint32_t flags)
{
    uint8_t bytes[sizeof full64];
    memcpy(bytes, full64, sizeof bytes);
    etl_store_u32(bytes + 0x2C, flags);
    struct sample sample = sample_of(bytes, sizeof bytes);
    bool has = sample.event.has_wnode_flags;
    CU_ASSERT_EQUAL(strstr(header_text(&sample.event), "WnodeFlags=") != NULL, has);
    free(sample.bytes);
    return has;
}

static void test_wnode(void)
{
    CU_ASSERT_TRUE(has_wnode_flags(0x001A0200)); /* as in performance logs */
    CU_ASSERT_TRUE(has_wnode_flags(0x00020000));
    CU_ASSERT_FALSE(has_wnode_flags(0x00180200)); /* without TRACED_GUID */
    CU_ASSERT_FALSE(has_wnode_flags(0x001A0201)); /* a bit that no provider sets */
    CU_ASSERT_FALSE(has_wnode_flags(0));
}

static void test_local_time(void)
{
    uint8_t bytes[sizeof full64];
    memcpy(bytes, full64, sizeof bytes);
    etl_store_u32(bytes + 0x2C, 0x001A0200);
    etl_store_u64(bytes + 0x10, 1000);
    context.clock.kind = ETL_CLOCK_SYSTEM_TIME;
    context.local_time_bias = -60;
    struct sample sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(!sample.event.local_time && sample.event.raw_time == 1000);
    free(sample.bytes);
    context.local_time_known = true;
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.local_time);
    CU_ASSERT_EQUAL(sample.event.raw_time, 1000 - 60 * 600000000LL);
    free(sample.bytes);
    try_everything(bytes, sizeof bytes);
    etl_store_u64(bytes + 0x10, UINT64_C(1) << 63); /* no room for the shift: left as it is */
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_EQUAL(sample.event.raw_time, INT64_MIN);
    free(sample.bytes);
    etl_store_u64(bytes + 0x10, 1000);
    context.clock.kind = ETL_CLOCK_PERFORMANCE_COUNTER; /* local time in ticks cannot be */
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(!sample.event.local_time && sample.event.raw_time == 1000);
    free(sample.bytes);
    context.local_time_known = false;
    context.local_time_bias = 0;
}

static void test_instance(void)
{
    uint8_t bytes[0x4A] = {0};
    memcpy(bytes, full64, 0x30);
    etl_store_u16(bytes, sizeof bytes);
    bytes[2] = 0x15;
    etl_store_u32(bytes + 0x30, 5);
    etl_store_u32(bytes + 0x34, 6);
    memcpy(bytes + 0x38, full64 + 0x18, 16);
    struct sample sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.header.size == 0x48 && sample.event.payload.size == 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(header_text(&sample.event),
                                  "UserTime=4 InstanceId=5 ParentInstanceId=6 "
                                  "ParentGuid=b3e675d7-2554-4f18-830b-2762732560de"));
    free(sample.bytes);
    try_everything(bytes, sizeof bytes);
    bytes[2] = 0x0B;
    sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.header.size == 0x48 && sample.event.pointer_size == 4);
    free(sample.bytes);
}

static void test_old_instance(void)
{
    uint8_t bytes[0x3A] = {0};
    memcpy(bytes, full64, 0x18);
    etl_store_u16(bytes, sizeof bytes);
    bytes[2] = 0x0B;
    etl_store_u64(bytes + 0x18, 0x1234);
    etl_store_u32(bytes + 0x20, 5);
    etl_store_u32(bytes + 0x24, 6);
    etl_store_u32(bytes + 0x28, 3);
    etl_store_u64(bytes + 0x30, 0x5678);
    struct etl_measure measure;
    CU_ASSERT_EQUAL(etl_event_measure(bytes, sizeof bytes, &context, &measure),
                    ETL_MEASURED_DAMAGED); /* too short for a later one */
    context.old_instances = true;
    struct sample sample = sample_of(bytes, sizeof bytes);
    CU_ASSERT_TRUE(sample.event.header.size == 0x38 && sample.event.payload.size == 2);
    CU_ASSERT_TRUE(!sample.event.has_provider && sample.event.kernel_time == 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(header_text(&sample.event),
                                  "RegHandle=0x1234 InstanceId=5 ParentInstanceId=6 KernelTime=3 "
                                  "UserTime=0 ParentRegHandle=0x5678 ProcessorTime=3"));
    free(sample.bytes);
    try_everything(bytes, sizeof bytes);
    context.old_instances = false;
}

/* An EVENT_HEADER with flags and whatever follows. */
static size_t make_modern(uint8_t *room, uint16_t flags, const uint8_t *more, size_t size)
{
    memset(room, 0, ETL_EVENT_HEADER_SIZE);
    etl_store_u16(room, (uint16_t)(ETL_EVENT_HEADER_SIZE + size));
    etl_store_u16(room + 2, 0xC013);
    etl_store_u16(room + 4, flags);
    etl_store_u16(room + 6, 8);
    etl_store_u32(room + 8, 556);
    etl_store_u32(room + 12, 100);
    etl_store_u64(room + 0x10, 1000000);
    memcpy(room + 0x18, full64 + 0x18, 16);
    static const uint8_t descriptor[] = {3, 1, 2, 11, 5, 6, 7, 0, 8, 0, 0, 0, 0, 0, 0, 0x80};
    memcpy(room + 0x28, descriptor, sizeof descriptor);
    memcpy(room + 0x40, full64 + 0x18, 16);
    if (size > 0) {
        memcpy(room + ETL_EVENT_HEADER_SIZE, more, size);
    }
    return ETL_EVENT_HEADER_SIZE + size;
}

static void test_modern(void)
{
    uint8_t bytes[0x60];
    size_t size = make_modern(bytes, 0, (const uint8_t *)"xyz", 3);
    struct sample sample = sample_of(bytes, size);
    const struct etl_event *event = &sample.event;
    CU_ASSERT_TRUE(event->id == 0x0103 && event->version == 2 && event->channel == 11);
    CU_ASSERT_TRUE(event->level == 5 && event->opcode == 6 && event->task == 7);
    CU_ASSERT_EQUAL(event->keyword, UINT64_C(0x8000000000000008));
    CU_ASSERT_TRUE(event->property == 8 && event->items.size == 0 && event->payload.size == 3);
    CU_ASSERT_STRING_EQUAL(
        header_text(event),
        "Size=83 HeaderType=0x13 MarkerFlags=0xc0 Flags=0x0 EventProperty=0x8 ThreadId=556 "
        "ProcessId=100 TimeStamp=1000000 RawTimeStamp=1000000 "
        "ProviderId=b3e675d7-2554-4f18-830b-2762732560de EventDescriptor{Id=259 Version=2 "
        "Channel=11 Level=5 Opcode=6 Task=7 Keyword=0x8000000000000008} KernelTime=0 UserTime=0 "
        "ActivityId=b3e675d7-2554-4f18-830b-2762732560de ProcessorTime=0");
    free(sample.bytes);
    try_everything(bytes, size);
    bytes[2] = 0x12;
    sample = sample_of(bytes, size);
    CU_ASSERT_EQUAL(sample.event.pointer_size, 4);
    free(sample.bytes);
}

/* How many bytes the items take of what follows an EVENT_HEADER. */
static size_t items_of(const uint8_t *more, size_t size)
{
    uint8_t bytes[0x100];
    size_t whole = make_modern(bytes, 1, more, size);
    struct sample sample = sample_of(bytes, whole);
    size_t items = sample.event.items.size;
    CU_ASSERT_EQUAL(items + sample.event.payload.size, size);
    CU_ASSERT_PTR_EQUAL(sample.event.items.at, sample.bytes + ETL_EVENT_HEADER_SIZE);
    CU_ASSERT_PTR_EQUAL(sample.event.payload.at, sample.bytes + ETL_EVENT_HEADER_SIZE + items);
    free(sample.bytes);
    unit_every_truncation(bytes, whole, measure_and_read);
    return items;
}

static void test_items(void)
{
    static const uint8_t two[] = {
        0x10, 0x00, 0x03, 0x00, 0x01, 0x00, 0x04, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, /* linked */
        0x08, 0x00, 0x0C, 0x00, 0x00, 0x00, 0x00, 0x00,                         /* the last */
        0xAA, 0xBB,                                                             /* payload */
    };
    static const uint8_t endless[] = {0x08, 0, 3, 0, 1, 0, 0, 0, 0x08, 0, 3, 0, 1, 0, 0, 0, 0xAA};
    static const uint8_t zero_size[] = {0x08, 0, 3, 0, 1, 0, 0, 0, 0x00, 0, 3, 0, 1, 0, 0, 0};
    static const uint8_t too_long[] = {0x08, 0, 3, 0, 1, 0, 0, 0, 0x09, 0, 3, 0, 0, 0, 0, 0};
    static const uint8_t odd[] = {0x09, 0, 3, 0, 0, 0, 1, 0, 0xAA, 0xBB};
    CU_ASSERT_EQUAL(items_of(two, sizeof two), 24);
    CU_ASSERT_EQUAL(items_of(endless, sizeof endless), 16);
    CU_ASSERT_EQUAL(items_of(zero_size, sizeof zero_size), 8);
    CU_ASSERT_EQUAL(items_of(too_long, sizeof too_long), 8);
    CU_ASSERT_EQUAL(items_of(odd, sizeof odd), 9);
    CU_ASSERT_EQUAL(items_of(NULL, 0), 0);
}

/* A message with the options of its flags, and 3 bytes. Returns the size of its header. */
static size_t make_message(uint8_t *room, unsigned flags)
{
    uint8_t *at = room + 8;
    if (flags & 0x01) {
        etl_store_u32(at, 0x5E9);
        at += 4;
    }
    if (flags & 0x04) {
        etl_store_u32(at, 0xC0);
        at += 4;
    } else if (flags & 0x02) {
        memcpy(at, full64 + 0x18, 16);
        at += 16;
    }
    if (flags & 0x18) {
        etl_store_u64(at, 1000000);
        at += 8;
    }
    if (flags & 0x20) {
        etl_store_u32(at, 556);
        etl_store_u32(at + 4, 100);
        at += 8;
    }
    for (int i = 0; i < 3; i++) {
        at[i] = "xyz"[i];
    }
    etl_store_u16(room, (uint16_t)(at + 3 - room));
    etl_store_u16(room + 2, 0x9000);
    etl_store_u16(room + 4, 10);
    etl_store_u16(room + 6, (uint16_t)flags);
    return (size_t)(at - room);
}

static void check_message(const struct etl_event *event, unsigned flags)
{
    const char *text = header_text(event);
    CU_ASSERT_TRUE(event->id == 10 && event->flags == flags && event->payload.size == 3);
    CU_ASSERT_EQUAL(event->has_time, (flags & 0x08) != 0);
    CU_ASSERT_EQUAL(event->raw_time, flags & 0x08 ? 1000000 : 0);
    CU_ASSERT_EQUAL(event->has_ids, (flags & 0x20) != 0);
    CU_ASSERT_EQUAL(event->process_id, flags & 0x20 ? 100 : 0);
    CU_ASSERT_EQUAL(event->has_provider, (flags & 0x06) == 0x02);
    CU_ASSERT_EQUAL(event->pointer_size, flags & 0x80 ? 8 : flags & 0x40 ? 4 : 8);
    CU_ASSERT_EQUAL(strstr(text, " SequenceNumber=1513") != NULL, (flags & 0x01) != 0);
    CU_ASSERT_EQUAL(strstr(text, " ComponentId=192") != NULL, (flags & 0x04) != 0);
    CU_ASSERT_EQUAL(strstr(text, " MessageGuid=b3e675d7") != NULL, (flags & 0x06) == 0x02);
    CU_ASSERT_EQUAL(strstr(text, " TimeStamp=1000000") != NULL, (flags & 0x08) != 0);
    CU_ASSERT_EQUAL(strstr(text, " RawTimeStamp=1000000") != NULL, (flags & 0x08) != 0);
    CU_ASSERT_EQUAL(strstr(text, " ReservedTimeStamp=") != NULL, (flags & 0x18) == 0x10);
    CU_ASSERT_EQUAL(strstr(text, " ThreadId=556 ProcessId=100") != NULL, (flags & 0x20) != 0);
    CU_ASSERT_PTR_NULL(strstr(text, "!TRUNCATED"));
}

static void test_messages(void)
{
    uint8_t bytes[64];
    for (unsigned flags = 0; flags < 0x100; flags++) {
        size_t header = make_message(bytes, flags);
        struct sample sample = sample_of(bytes, header + 3);
        CU_ASSERT_TRUE(sample.event.header.size == header);
        check_message(&sample.event, flags);
        free(sample.bytes);
        unit_every_truncation(bytes, header + 3, measure_and_read);
        unit_every_truncation(bytes, header + 3, read_header);
    }
    make_message(bytes, 0xAA);
    bytes[3] = 0x9F; /* the low half of the marker is nobody's business */
    struct sample sample = sample_of(bytes, etl_load_u16(bytes));
    CU_ASSERT_PTR_EQUAL(sample.event.kind, etl_kind(ETL_KIND_MESSAGE));
    free(sample.bytes);
    try_everything(bytes, etl_load_u16(bytes));
}

static void test_other(void)
{
    for (unsigned type = 0; type < 256; type++) {
        uint8_t bytes[0x60] = {0x60, 0x00, (uint8_t)type, 0xC0, 0x60};
        struct sample sample = sample_of(bytes, sizeof bytes);
        if (sample.event.kind->family == ETL_FAMILY_OTHER) {
            CU_ASSERT_TRUE(sample.event.header.size == 4 && sample.event.payload.size == 0x5C);
            CU_ASSERT_TRUE(!sample.event.has_time && !sample.event.has_ids);
            struct etl_event event; /* a header of 4 bytes is a whole one */
            CU_ASSERT_TRUE(etl_event_read_header(bytes, 4, &context, &event));
            CU_ASSERT_PTR_EQUAL(event.kind, sample.event.kind);
        } else {
            CU_ASSERT_EQUAL(sample.event.kind->header_type, type);
        }
        free(sample.bytes);
        unit_every_truncation(bytes, sizeof bytes, measure_and_read);
    }
}

static enum etl_measured measured(const uint8_t *bytes, size_t size)
{
    struct etl_measure measure;
    return etl_event_measure(bytes, size, &context, &measure);
}

static void test_ends(void)
{
    static const uint8_t fill[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t zeros[8] = {0};
    CU_ASSERT_EQUAL(measured(fill, 8), ETL_MEASURED_END);
    CU_ASSERT_EQUAL(measured(zeros, 8), ETL_MEASURED_END);
    for (size_t size = 0; size < 8; size++) {
        CU_ASSERT_EQUAL(measured(system64, size), ETL_MEASURED_END);
    }
}

static void test_damage(void)
{
    uint8_t bytes[sizeof system64];
    for (size_t size = 8; size < sizeof system64; size++) {
        CU_ASSERT_EQUAL(measured(system64, size), ETL_MEASURED_DAMAGED);
    }
    memcpy(bytes, system64, sizeof bytes);
    bytes[4] = 0x1F; /* smaller than its header */
    CU_ASSERT_EQUAL(measured(bytes, sizeof bytes), ETL_MEASURED_DAMAGED);
    memcpy(bytes, system64, sizeof bytes);
    bytes[3] = 0x40; /* without TRACE_HEADER_FLAG */
    CU_ASSERT_EQUAL(measured(bytes, sizeof bytes), ETL_MEASURED_DAMAGED);
    bytes[3] = 0x80; /* neither typed nor a message */
    CU_ASSERT_EQUAL(measured(bytes, sizeof bytes), ETL_MEASURED_DAMAGED);
    static const uint8_t tiny[] = {0x07, 0x00, 0x0D, 0xC0, 0, 0, 0, 0};
    CU_ASSERT_EQUAL(measured(tiny, sizeof tiny), ETL_MEASURED_DAMAGED);
    static const uint8_t message[] = {0x17, 0x00, 0x00, 0x90, 0x0A, 0x00, 0x02, 0x00};
    CU_ASSERT_EQUAL(measured(message, sizeof message), ETL_MEASURED_DAMAGED);
}

UNIT_SUITE("event", {"SYSTEM: hook, ids, times", test_system},
           {"SYSTEM and COMPACT in both widths", test_widths},
           {"PERFINFO: 0 to 7 counters, with and without PEBS", test_perfinfo},
           {"counters that do not fit the event are not taken from it", test_missing_counters},
           {"FULL: class, level, GUID", test_full},
           {"a classic event of a kernel class has a hook", test_kernel_class},
           {"WNODE flags are told from user times", test_wnode},
           {"a provider's local time becomes UTC where it can", test_local_time},
           {"INSTANCE: two ids and a parent", test_instance},
           {"instances of Windows 2000 and XP are shorter", test_old_instance},
           {"EVENT_HEADER: descriptor, provider, activity", test_modern},
           {"extended items are split off as far as they fit", test_items},
           {"MESSAGE: every combination of options", test_messages},
           {"every other type is kept as bytes", test_other},
           {"fill, zeros and less than 8 bytes are the end", test_ends},
           {"what has no marker or no fitting size is damage", test_damage})
