/*
 * Writes packed schemas (etl/schema.h draws them), bounded: what does not fit makes the writer fail,
 * and it stays failed. Private to the core.
 */
#ifndef ETL_CORE_SCHEMA_WRITER_H
#define ETL_CORE_SCHEMA_WRITER_H

#include "etl/schema.h"

#include <string.h>

#define ETL_SCHEMA_PACKED_VERSION 2

/* Bytes of one text with its NUL, and of the name of a field or a value, whose length is a byte. */
#define ETL_SCHEMA_TEXT_MAX  4096
#define ETL_SCHEMA_LABEL_MAX 255

/* Entries of a map that are kept. */
#define ETL_SCHEMA_ENTRIES_MAX 512

struct etl_schema_writer {
    uint8_t *at;
    uint8_t *end;
    bool failed;
};

/* A field as it is packed. A struct has its first member in place of the map. */
struct etl_schema_packed_field {
    enum etl_in in;
    enum etl_out out;
    enum etl_quantity count_mode;
    enum etl_quantity length_mode;
    unsigned count;
    unsigned length;
    unsigned map; /* + 1; 0: none */
};

static inline void etl_schema_put(struct etl_schema_writer *writer, const void *bytes, size_t size)
{
    if (writer->failed || (size_t)(writer->end - writer->at) < size) {
        writer->failed = true;
    } else if (size > 0) {
        memcpy(writer->at, bytes, size);
        writer->at += size;
    }
}

static inline void etl_schema_put_u8(struct etl_schema_writer *writer, unsigned number)
{
    const uint8_t byte = (uint8_t)number;
    etl_schema_put(writer, &byte, 1);
}

static inline void etl_schema_put_u16(struct etl_schema_writer *writer, unsigned number)
{
    uint8_t bytes[2];
    etl_store_u16(bytes, (uint16_t)number);
    etl_schema_put(writer, bytes, sizeof bytes);
}

static inline void etl_schema_put_u32(struct etl_schema_writer *writer, uint32_t number)
{
    uint8_t bytes[4];
    etl_store_u32(bytes, number);
    etl_schema_put(writer, bytes, sizeof bytes);
}

/* UTF-8, its length before it. */
static inline void etl_schema_put_text(struct etl_schema_writer *writer, const char *text,
                                       size_t length)
{
    etl_schema_put_u16(writer, (unsigned)length);
    etl_schema_put(writer, text, length);
}

static inline void etl_schema_put_field(struct etl_schema_writer *writer,
                                        const struct etl_schema_packed_field *field,
                                        const char *name, size_t length)
{
    etl_schema_put_u8(writer, field->in);
    etl_schema_put_u8(writer, field->out);
    etl_schema_put_u8(writer, (unsigned)field->count_mode | (unsigned)field->length_mode << 4);
    etl_schema_put_u8(writer, (unsigned)length);
    etl_schema_put_u16(writer, field->count);
    etl_schema_put_u16(writer, field->length);
    etl_schema_put_u16(writer, field->map);
    etl_schema_put(writer, name, length);
}

static inline void etl_schema_put_map(struct etl_schema_writer *writer, enum etl_names_kind kind,
                                      size_t entries)
{
    etl_schema_put_u8(writer, kind);
    etl_schema_put_u8(writer, 0);
    etl_schema_put_u16(writer, (unsigned)entries);
}

static inline void etl_schema_put_entry(struct etl_schema_writer *writer, uint32_t value,
                                        const char *name, size_t length)
{
    etl_schema_put_u32(writer, value);
    etl_schema_put_u8(writer, (unsigned)length);
    etl_schema_put(writer, name, length);
}

#endif
