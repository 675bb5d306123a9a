/*
 * A trace of a few kilobytes whose buffers claim to expand to gigabytes: reading ends, and says so.
 */
#include "unit.h"

#include "trace.h"

#define CLAIM   (16U << 20) /* bytes that each buffer says it holds */
#define BUFFERS 64

/* 72 bytes of header and one literal: all that a claim needs. */
static void add_claim(struct trace *trace)
{
    uint8_t *at = trace_grow(trace, ETL_BUFFER_HEADER_SIZE + 8);
    memset(at, 0, ETL_BUFFER_HEADER_SIZE + 8);
    etl_store_u32(at, ETL_BUFFER_HEADER_SIZE + 8);
    etl_store_u32(at + 0x30, CLAIM);
    etl_store_u16(at + 0x34, 0x60); /* PROC_INDEX, COMPRESSED */
}

static bool has_remark(const struct etl_entry *entry, enum etl_note note)
{
    for (size_t i = 0; i < entry->remark_count; i++) {
        if (entry->remarks[i].note == note) {
            return true;
        }
    }
    return false;
}

static void test_claims(void)
{
    struct trace trace;
    struct trace_header header = {.mode = 0x04000000, .state = ETL_COMPRESSION_XPRESS};
    struct etl_file_options options = {0};
    struct etl_file *file;
    struct etl_entry entry;
    char message[200];
    trace_start(&trace, 4096, &header);
    for (size_t i = 0; i < BUFFERS; i++) {
        add_claim(&trace);
    }
    struct etl_source *source = etl_source_of_memory(trace.bytes, trace.size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL_FATAL(etl_file_open(source, &options, &file, message, sizeof message), ETL_OK);
    CU_ASSERT_EQUAL_FATAL(etl_file_next(file, &entry), ETL_OK);
    CU_ASSERT_TRUE(has_remark(&entry, ETL_NOTE_EXPANSION));
    CU_ASSERT_TRUE(etl_file_info(file)->buffers < BUFFERS / 8);
    CU_ASSERT_EQUAL(etl_file_next(file, &entry), ETL_END);
    etl_file_close(file);
    trace_free(&trace);
}

UNIT_SUITE("expansion", {"what claims to expand without end is not believed", test_claims})
