/* Buffer headers of every era. */
#include "core/file/buffer.h"

#include "unit.h"

/* A data buffer as Windows 10 writes it. */
static const uint8_t modern[ETL_BUFFER_HEADER_SIZE] = {
    0x00, 0x20, 0x00, 0x00, 0xA8, 0x05, 0x00, 0x00, /* BufferSize 0x2000, SavedOffset 0x5A8 */
    0xA8, 0x25, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* CurrentOffset, ReferenceCount */
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* TimeStamp */
    0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* SequenceNumber 17 */
    0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, /* a stale pointer */
    0x05, 0x04, 0x0A, 0x00, 0x03, 0x00, 0x00, 0x00, /* processor 1029, logger 10, State 3 */
    0xA8, 0x05, 0x00, 0x00, 0x21, 0x00, 0x02, 0x00, /* Offset 0x5A8, flags 0x21, type 2 */
    0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE,
};

static uint8_t bytes[ETL_BUFFER_HEADER_SIZE];
static struct etl_buffer_header header;

static bool read_with(size_t offset, uint32_t value, uint32_t old_size)
{
    memcpy(bytes, modern, sizeof bytes);
    etl_store_u32(bytes + offset, value);
    memset(&header, 0x77, sizeof header);
    return etl_buffer_header_read(bytes, old_size, &header);
}

static void test_modern(void)
{
    CU_ASSERT_TRUE(read_with(0, 0x2000, 0));
    CU_ASSERT_TRUE(header.size == 0x2000 && header.filled == 0x5A8 && header.cpu == 1029);
    CU_ASSERT_TRUE(header.logger_id == 10 && header.sequence == 17 && header.state == 3);
    CU_ASSERT_TRUE(header.flags == 0x21 && header.type == 2 && !header.compressed);
}

static void test_windows_7(void)
{
    /* Processor 3 in one byte, an alignment of 8 in the next. */
    CU_ASSERT_TRUE(read_with(0x28, 0x000A0803, 0));
    CU_ASSERT_EQUAL(header.cpu, 3);
}

static void test_sizes(void)
{
    CU_ASSERT_FALSE(read_with(0, 0, 0));
    CU_ASSERT_FALSE(read_with(0, ETL_BUFFER_HEADER_SIZE - 1, 0));
    CU_ASSERT_FALSE(read_with(0, ETL_BUFFER_SIZE_MAX + 1, 0));
    CU_ASSERT_FALSE(read_with(0, UINT32_MAX, 0));
    CU_ASSERT_TRUE(read_with(0, ETL_BUFFER_SIZE_MAX, 0));
    CU_ASSERT_TRUE(read_with(0, ETL_BUFFER_HEADER_SIZE, 0));
    CU_ASSERT_EQUAL(header.filled, ETL_BUFFER_HEADER_SIZE); /* neither offset fits: all of it */
}

static void test_offsets(void)
{
    CU_ASSERT_TRUE(read_with(0x30, ETL_BUFFER_HEADER_SIZE, 0));
    CU_ASSERT_EQUAL(header.filled, ETL_BUFFER_HEADER_SIZE);
    CU_ASSERT_TRUE(read_with(0x30, 0x2000, 0));
    CU_ASSERT_EQUAL(header.filled, 0x2000);
    /* Over the size, under the header: SavedOffset, else everything. */
    CU_ASSERT_TRUE(read_with(0x30, 0x2001, 0));
    CU_ASSERT_EQUAL(header.filled, 0x5A8);
    CU_ASSERT_TRUE(read_with(0x30, 0, 0));
    CU_ASSERT_EQUAL(header.filled, 0x5A8);
    etl_store_u32(bytes + 4, UINT32_MAX);
    CU_ASSERT_TRUE(etl_buffer_header_read(bytes, 0, &header));
    CU_ASSERT_EQUAL(header.filled, 0x2000);
}

static bool read_compressed(uint32_t size, uint32_t filled)
{
    memcpy(bytes, modern, sizeof bytes);
    etl_store_u32(bytes, size);
    etl_store_u32(bytes + 0x30, filled);
    bytes[0x34] = 0x60;
    return etl_buffer_header_read(bytes, 0, &header);
}

static void test_compressed(void)
{
    CU_ASSERT_TRUE(read_compressed(0x225, 0x10000));
    CU_ASSERT_TRUE(header.compressed && header.size == 0x225 && header.filled == 0x10000);
    CU_ASSERT_TRUE(read_compressed(ETL_BUFFER_HEADER_SIZE, ETL_BUFFER_SIZE_MAX));
    /* What it expands to has no other bound: it must be one. */
    CU_ASSERT_FALSE(read_compressed(0x225, ETL_BUFFER_SIZE_MAX + 1));
    CU_ASSERT_FALSE(read_compressed(0x225, UINT32_MAX));
    CU_ASSERT_FALSE(read_compressed(0x225, ETL_BUFFER_HEADER_SIZE - 1));
}

static void test_old(void)
{
    /* Windows 2000: a reference count where the size is now, lost events for flags and type. */
    CU_ASSERT_TRUE(read_with(0, 1, 0x1000));
    CU_ASSERT_TRUE(header.size == 0x1000 && header.filled == 0x5A8);
    CU_ASSERT_TRUE(read_with(0x34, 0x00040041, 0x1000));
    CU_ASSERT_TRUE(header.flags == 0 && header.type == 0 && !header.compressed);
    CU_ASSERT_TRUE(read_with(0x28, 0x000A0403, 0x1000));
    CU_ASSERT_TRUE(header.cpu == 3 && header.logger_id == 10);
    CU_ASSERT_TRUE(read_with(0x30, 0, 0x1000));
    CU_ASSERT_EQUAL(header.filled, 0x5A8); /* SavedOffset */
    CU_ASSERT_FALSE(read_with(0, 1, 0x10));
    CU_ASSERT_FALSE(read_with(0, 1, UINT32_MAX));
}

UNIT_SUITE("buffer", {"a buffer of Windows 8 and later", test_modern},
           {"the alignment in Windows 7's processor field is dropped", test_windows_7},
           {"sizes that no buffer can have are refused", test_sizes},
           {"an impossible Offset gives way to SavedOffset, then to the size", test_offsets},
           {"a compressed buffer says its expanded size, within the limit", test_compressed},
           {"buffers of Windows 2000 to 2003 have the session's size", test_old})
