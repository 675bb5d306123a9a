/*
 * A trace with every kind of event, and what suites of records read from one: all of it, so that a
 * checker sees a byte outside, its names, its remarks.
 */
#ifndef ETL_TESTS_RECORDS_H
#define ETL_TESTS_RECORDS_H

#include "etl/record.h"

#include "etl/decode.h"

#include "null_sink.h"
#include "read_trace.h"

#define BUFFER_SIZE 0x800
#define FIXED_SIZE  96 /* of a record, before its payload */

static uint8_t room[ETL_RECORD_SIZE_MAX]; /* the record at work */
static const struct etl_record_options with_names;

static inline void make_message(struct trace *trace)
{
    uint8_t *at = trace_event(trace, 45);
    etl_store_u16(at, 45);
    etl_store_u16(at + 2, 0x9000);
    etl_store_u16(at + 4, 10);
    etl_store_u16(at + 6, 0x6B); /* sequence, GUID, time stamp, system info, 32-bit */
    at[12] = 0x55;
    etl_store_u64(at + 28, 2100);
    etl_store_u32(at + 36, 556);
    etl_store_u32(at + 40, 100);
}

/* Size and type of an event header, the rest zeros. */
static inline uint8_t *make_header(struct trace *trace, uint8_t type, uint16_t size)
{
    uint8_t *at = trace_event(trace, size);
    etl_store_u16(at, size);
    at[2] = type;
    at[3] = 0xC0;
    return at;
}

static inline void make_instance(struct trace *trace, uint8_t type)
{
    uint8_t *at = make_header(trace, type, 0x4C);
    etl_store_u64(at + 0x10, 2110);
    at[0x18] = 0x44;
    etl_store_u32(at + 0x30, 7);
}

/* Of a type that has no layout of its own. */
static inline void make_other(struct trace *trace, uint8_t type)
{
    uint8_t *at = make_header(trace, type, 0x0D);
    memset(at + 4, type, 9);
}

static inline void make_kinds(struct trace *trace, const struct trace_header *header)
{
    trace_start(trace, BUFFER_SIZE, header);
    trace_begin_buffer(trace, 3);
    for (uint8_t type = 1; type <= 4; type++) {
        trace_kernel(trace, type, 0x0F22, 2, 2000 + type, "abcde", 5);
    }
    trace_switch(trace, 2010, 556);
    for (uint8_t type = 0x10; type <= 0x11; type++) {
        trace_kernel(trace, type, 0x0F22, 2, 2000 + type, "abcde", 5);
    }
    trace_kernel(trace, 0x11, 0x0F22, 0x8302, 2030, "11111111222222223333333344444444x", 33);
    trace_modern(trace, 2040, 0, "xyz", 3);
    trace_modern(trace, 2050, 1, "\20\0\3\0\0\0\4\0\1\2\3\4\0\0\0\0xyz", 19);
    trace_classic(trace, 2060, 0);
    trace_classic(trace, 2070, 0x001A0200);
    make_message(trace);
    trace_message(trace);
    make_instance(trace, 0x0B);
    make_instance(trace, 0x15);
    make_other(trace, 0x00);
    make_other(trace, 0x0D);
    make_other(trace, 0x77);
    trace_end_buffer(trace);
    trace_begin_buffer(trace, 4);
    trace_process(trace, 3, 2001, 100, "host.exe");
    trace_thread(trace, 3, 2001, 100, 556);
    trace_end_buffer(trace);
}

static inline void touch_remark(void *data, enum etl_note note, struct etl_span detail)
{
    CU_ASSERT_TRUE(note < ETL_NOTE_COUNT);
    null_sink_touch(data, detail.at, detail.size);
}

static inline void touch_record(const struct etl_record *record)
{
    struct null_sink sink = null_sink_new();
    struct etl_record_name name;
    CU_ASSERT_PTR_NOT_NULL_FATAL(record->event.kind);
    null_sink_touch(&sink, record->event.items.at, record->event.items.size);
    null_sink_touch(&sink, record->event.payload.at, record->event.payload.size);
    null_sink_touch(&sink, record->provider_name.at, record->provider_name.size);
    null_sink_touch(&sink, record->trailer_bytes.at, record->trailer_bytes.size);
    null_sink_touch(&sink, record->trailer_items.at, record->trailer_items.size);
    etl_event_show_header(&record->event, &record->context, &sink.sink);
    etl_record_remarks(record, touch_remark, &sink);
    if (etl_record_find_name(record, ETL_KEY_PROCESS, 100, &name)) {
        null_sink_touch(&sink, name.text.at, name.text.size);
    }
    null_sink_check(&sink);
}

static inline void expect_name(const struct etl_record *record, uint64_t id, const char *expected)
{
    struct etl_record_name name;
    bool found = etl_record_find_name(record, ETL_KEY_PROCESS, id, &name);
    CU_ASSERT_EQUAL(found, expected != NULL);
    if (found && expected != NULL) {
        CU_ASSERT_TRUE(name.key == ETL_KEY_PROCESS && name.id == id);
        CU_ASSERT_EQUAL(name.text.size, strlen(expected));
        CU_ASSERT_EQUAL(memcmp(name.text.at, expected, name.text.size), 0);
    }
    CU_ASSERT_FALSE(etl_record_find_name(record, ETL_KEY_THREAD, id, &name));
}

struct remarks {
    size_t count;
    enum etl_note notes[4];
    char details[4][32];
};

static inline void collect_remark(void *data, enum etl_note note, struct etl_span detail)
{
    struct remarks *self = data;
    CU_ASSERT_FATAL(self->count < 4 && detail.size < 32);
    self->notes[self->count] = note;
    memcpy(self->details[self->count], detail.at, detail.size);
    self->count++;
}

#endif
