/* Records that somebody else made, made longer, cut or damaged. */
#include "etl/record.h"

#include "records.h"

#define HEAD_SIZE 48 /* of a trailer, before its items */

/* The record of one of the trace's events; its size. */
static size_t record_of(uint8_t header_type)
{
    struct trace trace;
    struct etl_entry entry;
    make_kinds(&trace, NULL);
    struct etl_file *file = open_trace(&trace);
    size_t size = 0;
    while (size == 0 && etl_file_next(file, &entry) == ETL_OK) {
        if (entry.event.kind->header_type == header_type) {
            size = etl_record_pack(&entry, etl_file_keys(file), &with_names, room);
        }
    }
    CU_ASSERT_TRUE_FATAL(size > 0);
    etl_file_close(file);
    trace_free(&trace);
    return size;
}

static size_t trailer_at(void)
{
    return FIXED_SIZE + ((etl_load_u32(room + 84) + 3) & ~(size_t)3);
}

static void test_foreign(void)
{
    struct etl_record record;
    record_of(0x14);
    size_t trailer = trailer_at();
    CU_ASSERT_TRUE(etl_record_unpack(room, trailer, &record)); /* somebody cut our trailer off */
    CU_ASSERT_EQUAL(record.trailer, ETL_TRAILER_NONE);
    CU_ASSERT_PTR_EQUAL(record.event.kind, etl_kind(ETL_KIND_EVENT64));
    CU_ASSERT_TRUE(record.event.provider.bytes[0] == 0x99 && record.process_id == 100);
    CU_ASSERT_TRUE(record.event.payload.size == 4 && record.raw_time == 2060);
    CU_ASSERT_EQUAL(record.event.flags, 0x0140); /* classic, 64-bit */
    touch_record(&record);
    /* As consumers on Windows give it: no type, no size, and 32 bits by flag. */
    etl_store_u32(room, 0);
    etl_store_u16(room + 4, 0x0020);
    CU_ASSERT_TRUE(etl_record_unpack(room, trailer, &record));
    CU_ASSERT_PTR_EQUAL(record.event.kind, etl_kind(ETL_KIND_EVENT32));
    CU_ASSERT_TRUE(record.event.pointer_size == 4 && record.event.size == 80);
    CU_ASSERT_PTR_EQUAL(record.event.header.at, room);
    touch_record(&record);
}

static void test_newer(void)
{
    struct etl_record record;
    size_t size = record_of(0x02);
    room[trailer_at() + 3] = 2;
    CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
    CU_ASSERT_EQUAL(record.trailer, ETL_TRAILER_NEWER);
    CU_ASSERT_TRUE(record.trailer_items.size == 0 && record.trailer_bytes.size > HEAD_SIZE);
    CU_ASSERT_PTR_EQUAL(record.event.kind, etl_kind(ETL_KIND_EVENT64));
    CU_ASSERT_EQUAL(record.event.opcode, 0); /* the logfile header's type */
    touch_record(&record);
    room[trailer_at() + 3] = 0;
    CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
    CU_ASSERT_EQUAL(record.trailer, ETL_TRAILER_DAMAGED);
}

static enum etl_record_trailer trailer_of(size_t size)
{
    struct etl_record record;
    CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
    touch_record(&record);
    return record.trailer;
}

static void test_damaged_trailer(void)
{
    size_t size = record_of(0x14);
    size_t trailer = trailer_at();
    CU_ASSERT_EQUAL(trailer_of(size), ETL_TRAILER_GOOD);
    CU_ASSERT_EQUAL(trailer_of(size - 1), ETL_TRAILER_DAMAGED); /* the name is cut */
    CU_ASSERT_EQUAL(trailer_of(trailer + HEAD_SIZE - 1), ETL_TRAILER_DAMAGED);
    CU_ASSERT_EQUAL(trailer_of(trailer + 7), ETL_TRAILER_NONE);
    CU_ASSERT_EQUAL(trailer_of(trailer + HEAD_SIZE + 3), ETL_TRAILER_DAMAGED);
    room[trailer + 4] = HEAD_SIZE - 1; /* head length: too short, beyond the end */
    CU_ASSERT_EQUAL(trailer_of(size), ETL_TRAILER_DAMAGED);
    room[trailer + 4] = 255;
    CU_ASSERT_EQUAL(trailer_of(size), ETL_TRAILER_DAMAGED);
    room[trailer + 4] = HEAD_SIZE;
    /* The first item is the header: one that is none. */
    CU_ASSERT_EQUAL(etl_load_u16(room + trailer + HEAD_SIZE), 1);
    room[trailer + HEAD_SIZE + 4 + 3] = 0x11;
    CU_ASSERT_EQUAL(trailer_of(size), ETL_TRAILER_DAMAGED);
}

static void test_unknown_items(void)
{
    struct etl_record record;
    size_t size = record_of(0x14);
    static const uint8_t item[] = {0x77, 0x77, 0x03, 0x00, 0xAA, 0xBB, 0xCC, 0x00};
    memcpy(room + size, item, sizeof item);
    CU_ASSERT_TRUE(etl_record_unpack(room, size + sizeof item, &record));
    CU_ASSERT_EQUAL(record.trailer, ETL_TRAILER_GOOD);
    expect_name(&record, 100, "host.exe");
    /* A remark that nobody knows is skipped too, and names of nothing. */
    static const uint8_t odd[] = {0x06, 0x00, 0x02, 0x00, 0xFF, 0xFF, 0x00, 0x00,
                                  0x06, 0x00, 0x01, 0x00, 0xFF, 0x00, 0x00, 0x00,
                                  0x07, 0x00, 0x02, 0x00, 0x01, 0x00, 0x00, 0x00};
    struct remarks remarks;
    memset(&remarks, 0, sizeof remarks);
    memcpy(room + size, odd, sizeof odd);
    CU_ASSERT_TRUE(etl_record_unpack(room, size + sizeof odd, &record));
    etl_record_remarks(&record, collect_remark, &remarks);
    CU_ASSERT_EQUAL(remarks.count, 0);
}

static void test_lengths(void)
{
    struct etl_record record;
    size_t size = record_of(0x13);
    for (size_t at = 84; at < 96; at += 4) {
        uint32_t saved = etl_load_u32(room + at);
        etl_store_u32(room + at, UINT32_MAX);
        CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
        CU_ASSERT_TRUE(record.length_mismatch);
        touch_record(&record);
        etl_store_u32(room + at, saved);
    }
    etl_store_u32(room + 92, 8); /* a provider's name where the trailer begins */
    CU_ASSERT_TRUE(etl_record_unpack(room, size, &record));
    CU_ASSERT_TRUE(record.provider_name.size == 8 && record.trailer == ETL_TRAILER_NONE);
}

UNIT_SUITE("record_foreign", {"a frame that somebody else made is an EVENT_HEADER", test_foreign},
           {"a later version's trailer is left alone", test_newer},
           {"a damaged trailer is read as far as it goes", test_damaged_trailer},
           {"unknown items, remarks and empty names are skipped", test_unknown_items},
           {"lengths beyond the frame are cut to it, and said", test_lengths})
