/*
 * Items of a record's trailer, written and read: u16 type, u16 length, bytes, padded to 4. Shared by record.c and
 * record_names.c; knows nothing of what is in them.
 */
#ifndef ETL_CORE_RECORD_ITEMS_H
#define ETL_CORE_RECORD_ITEMS_H

#include "etl/record.h"

#include <string.h>

#define ITEM_HEADER_SIZE 4

enum item_type {
    ITEM_HEADER = 1,     /* the event's header as it is on disk, where it is no EVENT_HEADER */
    ITEM_EXTENDED = 2,   /* extended items as they are on disk */
    ITEM_BUFFER = 3,     /* u32 sequence, u16 flags, u8 type, u8 state; or i64, u16, u16, u32 */
    ITEM_FREQUENCY = 4,  /* u64, where 32 bits are too few */
    ITEM_LOCAL_BIAS = 5, /* i16 minutes, where they are no quarter hours */
    ITEM_REMARK = 6,     /* u16 note, UTF-8 */
    ITEM_NAME = 7,       /* u16 key, u16 0, u64 id, UTF-8 */
    ITEM_SCHEMA = 8,     /* u64 hash of what follows, packed schema (etl/schema.h) */
    ITEM_PROCESS = 9, /* u32 process, parent, session, u8 known, u8 SID length, u16 0, SID, UTF-8 */
    ITEM_IMAGE = 10,  /* u64 base, size, u32 age, u8 name length, u8 PDB name length, u16 0, … */
    ITEM_STACK = 11,  /* u64 key, u64 addresses */
    ITEM_OWNER = 12,  /* of a packet: u32 process id, u16 who says so, u16 0 */
    ITEM_RECEPTION = 13, /* of an 802.11 packet: a DOT11_EXTSTA_RECV_CONTEXT */
    ITEM_USB_WAY = 14,   /* u16 bus, device, u8 has an endpoint, its address, attributes, u8 0 */
    ITEM_COUNTERS = 15,  /* of values of a performance log: the packed list (etl/counters.h) */
};

struct writer {
    uint8_t *at;
    uint8_t *end;
};

static inline void put(struct writer *writer, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(writer->at, bytes, size);
        writer->at += size;
    }
}

/* The next `size` bytes, to be filled in: what stands at a fixed place in them is stored there, each once. */
static inline uint8_t *claim(struct writer *writer, size_t size)
{
    uint8_t *at = writer->at;
    writer->at += size;
    return at;
}

static inline size_t padding_of(size_t size)
{
    return -size & 3;
}

/* There is always room for four bytes more than what is written (begin_item). */
static inline void pad(struct writer *writer, size_t size)
{
    etl_store_u32(writer->at, 0);
    writer->at += padding_of(size);
}

/*
 * Begins an item of `size` bytes, of which it claims the first `fixed`: where they go. NULL if there is no room
 * for the item.
 */
static inline uint8_t *begin_item(struct writer *writer, enum item_type type, size_t fixed,
                                  size_t size)
{
    if (size > UINT16_MAX || (size_t)(writer->end - writer->at) < ITEM_HEADER_SIZE + size + 4) {
        return NULL;
    }
    uint8_t *at = claim(writer, ITEM_HEADER_SIZE + fixed);
    etl_store_u16(at, (uint16_t)type);
    etl_store_u16(at + 2, (uint16_t)size);
    return at + ITEM_HEADER_SIZE;
}

static inline void put_item(struct writer *writer, enum item_type type, const void *bytes,
                            size_t size)
{
    if (begin_item(writer, type, 0, size) != NULL) {
        put(writer, bytes, size);
        pad(writer, size);
    }
}

/*
 * An item of a trailer: type and bytes; false at the end, or where the rest is no item. Every name in
 * a line is looked for among the items, so this moves the cursor by hand, after its one look at both
 * lengths.
 */
static inline bool next_item(struct etl_bytes *bytes, uint16_t *ret_type, struct etl_span *ret_span)
{
    size_t left = etl_bytes_left(bytes);
    if (left < ITEM_HEADER_SIZE) {
        return false;
    }
    size_t size = etl_load_u16(bytes->at + 2);
    if (size > left - ITEM_HEADER_SIZE) {
        bytes->failed = true;
        return false;
    }
    size_t step = ITEM_HEADER_SIZE + size + padding_of(size);
    *ret_type = etl_load_u16(bytes->at);
    *ret_span = (struct etl_span){.at = bytes->at + ITEM_HEADER_SIZE, .size = size};
    bytes->at += step < left ? step : left;
    return true;
}

/* record_names.c: what is known of the event's ids. */
void etl_record_put_names(struct writer *writer, const struct etl_event_names *names,
                          const struct etl_record_options *options);

#endif
