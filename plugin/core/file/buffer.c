/*
 * Reads buffer headers. Nothing in one is believed that the file cannot hold.
 */
#include "core/file/buffer.h"

/* Fields of WMI_BUFFER_HEADER, see buffer.h. */
enum {
    AT_BUFFER_SIZE = 0x00,
    AT_SAVED_OFFSET = 0x04,
    AT_REFERENCE_COUNT = 0x0C,
    AT_SEQUENCE_NUMBER = 0x18,
    AT_PROCESSOR_INDEX = 0x28,
    AT_LOGGER_ID = 0x2A,
    AT_STATE = 0x2C,
    AT_OFFSET = 0x30,
    AT_BUFFER_FLAG = 0x34,
    AT_BUFFER_TYPE = 0x36,
};

static bool fits(uint32_t filled, uint32_t size)
{
    return filled >= ETL_BUFFER_HEADER_SIZE && filled <= size;
}

static bool read_header(const uint8_t *at, uint32_t size, uint32_t old_size,
                        struct etl_buffer_header *ret_header)
{
    uint32_t filled = etl_load_u32(at + AT_OFFSET);
    uint32_t saved = etl_load_u32(at + AT_SAVED_OFFSET);
    uint16_t flags = old_size != 0 ? 0 : etl_load_u16(at + AT_BUFFER_FLAG);
    bool compressed = (flags & ETL_BUFFER_COMPRESSED) != 0;
    if (size < ETL_BUFFER_HEADER_SIZE || size > ETL_BUFFER_SIZE_MAX) {
        return false;
    }
    if (compressed && !fits(filled, ETL_BUFFER_SIZE_MAX)) {
        return false;
    }
    if (!compressed && !fits(filled, size)) {
        filled = fits(saved, size) ? saved : size;
    }
    ret_header->size = size;
    ret_header->filled = filled;
    /* Before Windows 8 it is u8 and the next byte 8, an alignment: the mask drops that too. */
    ret_header->cpu = old_size != 0
                          ? at[AT_PROCESSOR_INDEX]
                          : etl_load_u16(at + AT_PROCESSOR_INDEX) & ETL_PROCESSOR_INDEX_MASK;
    ret_header->logger_id = etl_load_u16(at + AT_LOGGER_ID);
    ret_header->sequence = (int64_t)etl_load_u64(at + AT_SEQUENCE_NUMBER);
    ret_header->state = etl_load_u32(at + AT_STATE);
    ret_header->flags = flags;
    ret_header->type = old_size != 0 ? 0 : etl_load_u16(at + AT_BUFFER_TYPE);
    ret_header->compressed = compressed;
    return true;
}

bool etl_buffer_header_read(const uint8_t *at, uint32_t old_size,
                            struct etl_buffer_header *ret_header)
{
    uint32_t size = old_size != 0 ? old_size : etl_load_u32(at + AT_BUFFER_SIZE);
    return read_header(at, size, old_size, ret_header);
}

bool etl_buffer_header_read_sized(const uint8_t *at, uint32_t size,
                                  struct etl_buffer_header *ret_header)
{
    return read_header(at, size, 0, ret_header);
}

bool etl_buffer_header_plausible(const uint8_t *at)
{
    uint32_t size = etl_load_u32(at + AT_BUFFER_SIZE);
    uint32_t filled = etl_load_u32(at + AT_OFFSET);
    uint16_t flags = etl_load_u16(at + AT_BUFFER_FLAG);
    uint32_t most = (flags & ETL_BUFFER_COMPRESSED) != 0 ? ETL_BUFFER_SIZE_MAX : size;
    return fits(filled, most) && size <= ETL_BUFFER_SIZE_MAX && size >= ETL_BUFFER_HEADER_SIZE &&
           etl_load_u32(at + AT_REFERENCE_COUNT) == 0 && (flags & ~ETL_BUFFER_FLAGS_KNOWN) == 0 &&
           etl_load_u16(at + AT_BUFFER_TYPE) <= ETL_BUFFER_TYPE_LAST;
}
