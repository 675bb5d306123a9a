/*
 * WMI_BUFFER_HEADER, 0x48 bytes, the same for 32- and 64-bit; and pages: buffers, or windows of
 * them, in memory.
 *
 *   00 u32 BufferSize      04 u32 SavedOffset     08 u32 CurrentOffset   0C i32 ReferenceCount
 *   10 i64 TimeStamp       18 i64 SequenceNumber  20 u64 (link)          28 u16 ProcessorIndex
 *   2A u16 LoggerId        2C u32 State           30 u32 Offset          34 u16 BufferFlag
 *   36 u16 BufferType      38 16 bytes
 */
#ifndef ETL_CORE_BUFFER_H
#define ETL_CORE_BUFFER_H

#include "etl/file.h"

enum etl_buffer_flag {
    ETL_BUFFER_FLUSH_MARKER = 0x01,
    ETL_BUFFER_PROCESSOR_INDEX = 0x20,
    ETL_BUFFER_COMPRESSED = 0x40,
    ETL_BUFFER_FLAGS_KNOWN = 0x7F,
};

/* The last BufferType that Windows has: debug info. */
#define ETL_BUFFER_TYPE_LAST 7

#define ETL_PROCESSOR_INDEX_MASK 0x07FF

struct etl_buffer_header {
    uint32_t size;   /* on disk, bytes to the next buffer */
    uint32_t filled; /* valid bytes from its start, expanded; never over ETL_BUFFER_SIZE_MAX */
    uint16_t cpu;
    uint16_t logger_id;
    int64_t sequence;
    uint32_t state;
    uint16_t flags;
    uint16_t type;
    bool compressed;
};

/*
 * Reads the 0x48 bytes at `at`. `old_size` is the size of every buffer where headers have none
 * (Windows 2000 to 2003), else 0. False when no buffer can be there.
 */
bool etl_buffer_header_read(const uint8_t *at, uint32_t old_size,
                            struct etl_buffer_header *ret_header);

/* The same where something else says how long the buffer is on disk. */
bool etl_buffer_header_read_sized(const uint8_t *at, uint32_t size,
                                  struct etl_buffer_header *ret_header);

/* Whether the 0x48 bytes are what Windows writes; what is not may still be a damaged header. */
bool etl_buffer_header_plausible(const uint8_t *at);

/* What a reader that walks a buffer from its start knows at an event. */
struct etl_standing {
    uint32_t thread;   /* running on the CPU, by its last context switch; or ETL_ID_UNKNOWN */
    int64_t latest;    /* raw time of the events so far, at first that of the first that has one;
                          INT64_MIN: not known */
    bool out_of_order; /* the event is earlier than one before it */
};

/* Takes the time of the event that the reader has come to. */
static inline void etl_standing_arrive(struct etl_standing *standing,
                                       const struct etl_measure *measure)
{
    standing->out_of_order = measure->has_time && measure->raw_time < standing->latest;
    if (measure->has_time && !standing->out_of_order) {
        standing->latest = measure->raw_time;
    }
}

#define ETL_HOOK_CSWITCH 0x0524

/*
 * The thread that a context switch event switches to, 0 for the idle one. False, and nothing
 * changed, for other events and when it is cut. Every second event of a trace may be one and
 * nothing tells which: so without a jump.
 */
static inline bool etl_switched_to(const uint8_t *event, const struct etl_measure *measure,
                                   uint32_t *thread)
{
    const struct etl_kind *kind = measure->kind;
    uint32_t counted = -(uint32_t)(kind->family == ETL_FAMILY_PERFINFO);
    uint32_t counters = (event[1] & 7U) + (event[1] >> 7); /* u64 each, behind the header */
    uint32_t payload = kind->header_size + (8 * counters & counted);
    bool switched = (kind->family <= ETL_FAMILY_PERFINFO) &
                    (etl_load_u16(event + 6) == ETL_HOOK_CSWITCH) & (payload + 4 <= measure->size);
    uint32_t all = -(uint32_t)switched;
    *thread ^= (*thread ^ etl_load_u32(event + (payload & all))) & all;
    return switched;
}

/* Leaves the event: what it says of the CPU holds for the next one. */
static inline void etl_standing_pass(struct etl_standing *standing, const uint8_t *event,
                                     const struct etl_measure *measure)
{
    etl_switched_to(event, measure, &standing->thread);
}

/* A buffer in memory: whole if it was compressed, else a window of it. */
struct etl_page {
    uint32_t buffer;
    uint32_t start; /* offset in the buffer of bytes[0] */
    uint32_t size;  /* bytes that are valid */
    uint32_t room;  /* bytes allocated */
    uint32_t pins;  /* lanes that stand on it: it stays */
    struct etl_buffer_header header;
    uint64_t position;              /* of the buffer in the file */
    uint8_t *bytes;                 /* owned */
    struct etl_page *newer, *older; /* in order of use */
    struct etl_page *next_in_bucket;
    /* How far a random reader has walked it, and what it knows there; 0: not at all. */
    uint32_t walked_to;
    struct etl_standing standing; /* before the event there */
    struct etl_standing arrived;  /* at it */
    bool unreadable; /* the source failed at the last read: what follows is not known */
};

#endif
