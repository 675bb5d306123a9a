/*
 * What the files of the reader share: file.c (open, next, at), logfile.c (the first event), pages.c
 * (memory), index.c (the pass over everything), order.c (lanes and their merge).
 */
#ifndef ETL_CORE_FILE_PRIVATE_H
#define ETL_CORE_FILE_PRIVATE_H

#include "core/buffer.h"
#include "core/measure.h"

/* A window of an uncompressed buffer; the largest event is 65,535 bytes and must fit. */
#define ETL_WINDOW_SIZE 0x10000

/* Lanes that are merged; more means a file whose buffers all overlap, which no tracing session
 * makes. */
#define ETL_LANES_MAX 8192

#define ETL_NO_BUFFER UINT32_MAX

/* What is kept of each buffer: 32 bytes, whatever the buffer's size. */
struct etl_buffer_entry {
    uint64_t position : 48; /* in the file */
    uint64_t cpu : 11;
    uint64_t damaged : 1;  /* one of its events may have to say so */
    uint64_t timed : 1;    /* first and last are set */
    uint64_t switched : 1; /* a context switch is in it */
    int64_t first;         /* raw time of its first event that has one */
    int64_t last;          /* the latest raw time in it */
    uint32_t next;         /* the lane's next buffer */
    uint32_t thread;       /* what the CPU ran before the first event */
};

/* What is known before the first event of a buffer. */
static inline void etl_standing_start(struct etl_standing *standing,
                                      const struct etl_buffer_entry *buffer)
{
    *standing = (struct etl_standing){.thread = buffer->thread,
                                      .latest = buffer->timed ? buffer->first : INT64_MIN};
}

/*
 * Bytes that cannot be read, and the event that says so: the last one before them. In the order of
 * the file, where events are given out before what follows is looked at, the first one after them.
 */
struct etl_damage {
    uint32_t buffer; /* of that event */
    uint32_t event;  /* its offset; 0: there is none */
    uint32_t unread; /* bytes */
};

/* Pages in memory, by buffer and by last use. */
struct etl_pages {
    size_t limit; /* bytes */
    size_t used;
    struct etl_page *buckets[1024];
    struct etl_page *newest;
    struct etl_page *oldest;
};

/* What every event needs is in here: going through the page would cost as much as the event. */
struct etl_lane {
    const uint8_t *at; /* the next event, in the page's bytes */
    uint32_t left;     /* bytes of the page from there */
    uint32_t offset;   /* in the buffer */
    int64_t time;      /* the order's key: never less than that of an event before it */
    uint32_t buffer;   /* ETL_NO_BUFFER: the lane has ended */
    uint16_t cpu;
    struct etl_measure measure;
    struct etl_standing standing;
    struct etl_page *page; /* pinned */
};

/*
 * The lanes' next events in the tournament that finds the earliest. [0]: the winner; others: who
 * lost at that node. Two arrays, since only then compilers keep the exchange of two entries in
 * plain registers.
 */
struct etl_tournament {
    uint64_t *times;  /* owned; etl_turn_time */
    uint64_t *places; /* owned; buffer << 32 | lane: equal times in the order of the file */
    size_t leaves;    /* lanes, rounded up to a power of 2 */
};

static inline uint32_t etl_first_lane(const struct etl_tournament *turns)
{
    return (uint32_t)turns->places[0];
}

static inline bool etl_all_ended(const struct etl_tournament *turns)
{
    return turns->places[0] >> 32 == ETL_NO_BUFFER;
}

struct etl_file {
    struct etl_source *source; /* owned */
    struct etl_file_options options;
    struct etl_file_info info;
    struct etl_context context;
    struct etl_keys *keys;
    enum etl_compression compression;
    uint32_t old_buffer_size; /* of Windows 2000 to 2003, whose headers say none; else 0 */
    int error;                /* errno of a failed read */
    bool indexed;
    enum etl_status failure; /* of the index or the order, for good; ETL_OK: none */
    bool merged;             /* the order is that of time */
    bool random_access;

    struct etl_buffer_entry *buffers;
    size_t buffer_count;
    size_t buffer_room;

    struct etl_damage *damages; /* in the order of buffers */
    size_t damage_count;
    size_t damage_room;

    struct etl_pages pages;
    bool any_compressed;
    uint64_t expanded;       /* bytes that the compressed buffers so far claim to hold */
    uint32_t largest_filled; /* of all buffers */
    uint8_t *packed;         /* a compressed buffer as it is on disk */
    size_t packed_room;

    struct etl_lane *lanes;
    struct etl_tournament turns;
    bool delivered; /* the first lane's event was returned: advance it first */

    struct etl_remark file_remarks[12]; /* on the first event */
    size_t file_remark_count;
    struct etl_remark damage_remark;
    uint32_t passed_unread; /* file order: bytes that could not be read since the last event */
};

/* logfile.c: fills info and context from the first buffer's bytes; false if it is no logfile
 * header. */
bool etl_logfile_read(struct etl_file *file, const uint8_t *buffer, size_t size);
/* logfile.c: what is wrong with the first bytes of a file that is nearly a trace; NULL: it is not
 * one. */
const char *etl_logfile_refusal(const uint8_t *bytes, size_t size);

/* pages.c */
void etl_pages_start(struct etl_pages *pages, size_t limit);
void etl_pages_free(struct etl_pages *pages);
/*
 * The buffer's page so that `offset` is in it, `need` bytes from there if the buffer has them.
 * Reads and expands when it is not in memory. NULL in *ret_page only with a status other than
 * ETL_OK.
 */
enum etl_status etl_page_get(struct etl_file *file, uint32_t buffer, uint32_t offset,
                             struct etl_page **ret_page);
enum etl_status etl_page_reload(struct etl_file *file, struct etl_page *page, uint32_t offset);
enum etl_measured etl_page_measure_slowly(struct etl_file *file, struct etl_page *page,
                                          uint32_t offset, struct etl_measure *ret_measure);
void etl_page_pin(struct etl_page *page);
/* Gives a pin back; `done` says that nobody will come back soon, so that it is the first to go. */
void etl_page_unpin(struct etl_file *file, struct etl_page *page, bool done);
enum etl_status etl_read_buffer_header(struct etl_file *file, uint64_t position,
                                       struct etl_buffer_header *ret_header);
/* Up to `size` bytes; how many there were, or -1. */
int64_t etl_read_some(struct etl_file *file, uint64_t offset, void *room, size_t size);

static inline const uint8_t *etl_page_at(const struct etl_page *page, uint32_t offset)
{
    return page->bytes + (offset - page->start);
}

/*
 * Measures the event at `offset` of the page's buffer, moving the window if the event leaves it.
 * ETL_MEASURED_END with bytes left means filler.
 */
static inline enum etl_measured etl_page_measure(struct etl_file *file, struct etl_page *page,
                                                 uint32_t offset, struct etl_measure *ret_measure)
{
    uint32_t inside = offset - page->start; /* huge when the window begins later */
    if (inside < page->size && etl_measure(page->bytes + inside, page->size - inside,
                                           &file->context, ret_measure) == ETL_MEASURED_EVENT) {
        return ETL_MEASURED_EVENT;
    }
    return etl_page_measure_slowly(file, page, offset, ret_measure);
}

/* Asks the processor for what will soon be read. */
static inline void etl_fetch_ahead(const uint8_t *at)
{
#ifdef __GNUC__
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

static inline uint32_t etl_next_offset(uint32_t offset, uint16_t size)
{
    return offset + ((size + 7U) & ~7U);
}

/* index.c: a place of damage, in ascending order of buffers. */
bool etl_damage_add(struct etl_file *file, struct etl_damage damage);
/* The damage of a buffer that is marked as damaged; NULL if it is not known. */
const struct etl_damage *etl_damage_of(const struct etl_file *file, uint32_t buffer);

/* order.c: chains the buffers into lanes, by time or as they lie. */
enum etl_status etl_order_build(struct etl_file *file);
enum etl_status etl_order_next(struct etl_file *file, struct etl_lane **ret_lane);

#endif
