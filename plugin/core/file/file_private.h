/*
 * What the files of the reader share: file.c (open, next, at), logfile.c (the first event), pages.c
 * (memory), index.c (the pass over everything), order.c (lanes and their merge); for what is
 * damaged: salvage.c (first buffers), resync.c (from buffer to buffer), gaps.c (in buffers),
 * remarks.c (what is said of it).
 */
#ifndef ETL_CORE_FILE_PRIVATE_H
#define ETL_CORE_FILE_PRIVATE_H

#include "core/file/buffer.h"
#include "core/file/measure.h"

/* A window of an uncompressed buffer; the largest event is 65,535 bytes and must fit. */
#define ETL_WINDOW_SIZE 0x10000

/* Lanes that are merged; more means a file whose buffers all overlap, which no tracing session
 * makes. */
#define ETL_LANES_MAX 8192

#define ETL_NO_BUFFER UINT32_MAX

/* What a buffer takes of the limit of the index: its entry, and what sorting the entries needs. */
#define ETL_INDEX_COST 48

/* What is kept of each buffer: 32 bytes, whatever the buffer's size. */
struct etl_buffer_entry {
    uint64_t position : 48; /* in the file */
    uint64_t cpu : 11;
    uint64_t damaged : 1;  /* one of its events may have to say so */
    uint64_t timed : 1;    /* first and last are set */
    uint64_t switched : 1; /* a context switch is in it */
    uint64_t sized : 1;    /* its header's size is wrong: it ends where the next one begins */
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
 * Bytes that cannot be read, and the event that says so: the last one before them in their buffer,
 * else the first one after them. In the order of the file, where events are given out before what
 * follows is looked at, always the first one after them.
 */
struct etl_damage {
    uint32_t buffer; /* of that event */
    uint32_t event;  /* its offset; 0: nobody says so */
    uint32_t offset; /* where the bytes begin in that buffer; 0: they are not in it */
    uint32_t next;   /* the event behind them in that buffer; 0: none */
    uint32_t of;     /* the buffer that they are in; ETL_NO_BUFFER: in none */
    enum etl_note note;
    uint64_t unread; /* bytes */
};

struct etl_damages {
    struct etl_damage *list; /* owned, in the order of buffers */
    size_t count;
    size_t room;
};

/* What a place in the file looks like. */
enum etl_looks {
    ETL_LOOKS_NOTHING,   /* no buffer can be there */
    ETL_LOOKS_POSSIBLE,  /* its size can be */
    ETL_LOOKS_PLAUSIBLE, /* its header is as Windows writes it */
    ETL_LOOKS_GOOD,      /* and its first event, if it has one */
};

struct etl_found {
    uint64_t position;
    struct etl_buffer_header header;
    enum etl_looks looks;
    bool sized; /* `header.size` is not what the header says */
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
    bool too_wide;           /* or would be, with more memory */
    bool random_access;

    struct etl_buffer_entry *buffers;
    size_t buffer_count;
    size_t buffer_room;

    uint64_t start;    /* of the first buffer */
    uint64_t stop;     /* where another trace begins that was not read; 0: none */
    uint64_t last_end; /* of the last buffer so far */
    uint32_t rhythm;   /* bytes of every buffer; 0: they differ, as compressed ones do */
    bool guessed;      /* there is no logfile header: pointer size and clock are guesses */
    bool timeless;     /* events are nowhere near the StartTime: times say nothing of damage */
    uint64_t tried;    /* bytes that were expanded to see whether they can be */
    void (*progress)(void *data, uint64_t bytes);
    void *progress_data;

    struct etl_damages gaps;  /* in buffers, and in file order what was before them */
    struct etl_damages skips; /* between buffers */
    uint8_t *searched;        /* a part of a damaged buffer; owned */

    struct etl_pages pages;
    bool any_compressed;
    uint64_t expanded;       /* bytes that the compressed buffers so far claim to hold */
    uint32_t largest_filled; /* of all buffers */
    uint8_t *packed;         /* a compressed buffer as it is on disk */
    size_t packed_room;

    struct etl_lane *lanes;
    struct etl_tournament turns;
    bool delivered; /* the first lane's event was returned: advance it first */

    struct etl_remark file_remarks[20]; /* on the first event */
    size_t file_remark_count;
    struct etl_remark remarks[26]; /* of the event that was given out last */
    uint32_t first_buffer;         /* of the first event; ETL_NO_BUFFER: none so far */
    uint32_t first_offset;
    uint32_t passed_unread; /* file order: bytes that could not be read since the last event */
};

/* The first buffer as far as opening needs it: its header and the largest event. */
#define ETL_FIRST_SIZE (ETL_BUFFER_HEADER_SIZE + 0x10000)

/* logfile.c: whether these are a first buffer's bytes. */
bool etl_logfile_begins(const uint8_t *bytes, size_t size);
/* logfile.c: fills info and context from the first buffer's bytes; false if it is no logfile
 * header. */
bool etl_logfile_read(struct etl_file *file, const uint8_t *buffer, size_t size);
/* logfile.c: what is wrong with the first bytes of a file that is nearly a trace; NULL: it is not
 * one. */
const char *etl_logfile_refusal(const uint8_t *bytes, size_t size);

/* file.c: what the first buffer's header says of the others; false: there is no size at all. */
bool etl_take_first_header(struct etl_file *file, const uint8_t *bytes);

static inline size_t etl_memory_limit(const struct etl_file *file)
{
    uint64_t bytes = etl_limit_bytes(&file->options.limits, ETL_LIMIT_MEMORY);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* file.c: whether the index has met its limit. */
bool etl_index_full(const struct etl_file *file);
/* file.c: takes what the file keeps from the limits of the next one. */
void etl_file_spend(const struct etl_file *file, struct etl_limits *limits);

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
/* The format that the file names, then the others; the first that gives exactly `room_size` bytes.
 * Returns how many there are. */
size_t etl_expand(const struct etl_file *file, const uint8_t *packed, size_t packed_size,
                  uint8_t *room, size_t room_size);
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

/* index.c */
void etl_report_progress(const struct etl_file *file, uint64_t bytes);

/* gaps.c: at the end of the list; `damage` belongs to no buffer before the last one there. */
bool etl_damage_add(struct etl_damages *damages, const struct etl_damage *damage);
/* The first damage of that buffer or a later one. */
size_t etl_damages_from(const struct etl_damages *damages, uint32_t buffer);
/* Whether an event that can be measured can be one of this file, by its marker and its time. */
bool etl_event_plausible(const struct etl_file *file, const uint8_t *at,
                         const struct etl_measure *measure);
/*
 * At `*offset` is no event: looks for the next one in the buffer, moves there, and enters the gap.
 * `before` is the last event before it, 0 if there is none or it was given out; `latest` the latest
 * raw time before, or INT64_MIN. ETL_END: there is none, *offset is not meant.
 */
enum etl_status etl_gap_pass(struct etl_file *file, struct etl_page *page, uint32_t *offset,
                             uint32_t before, int64_t latest);
/* Moves over a gap that was entered and measures the event behind it; false: there is none. */
bool etl_gap_follow(struct etl_file *file, struct etl_page *page, uint32_t *offset,
                    struct etl_measure *ret_measure);

/* Whether buffers are looked for everywhere, and what is between them is no damage. */
static inline bool etl_searches_all(const struct etl_file *file)
{
    return file->options.search >= ETL_SEARCH_ALL;
}

/* resync.c: the buffer at the file's start; learns the rhythm. */
enum etl_status etl_first_buffer(struct etl_file *file, struct etl_found *ret_first);
/* Whether a buffer can end at `position`: there is another one, or the file's end. */
bool etl_buffer_leads_on(struct etl_file *file, uint64_t position);
/*
 * The buffer behind `here`, whose size is corrected if it is wrong. ETL_END: there is none, and
 * next->position is where the search began.
 */
enum etl_status etl_next_buffer(struct etl_file *file, struct etl_found *here,
                                struct etl_found *next);
/* The first buffer from `position` on that is surely one, within `limit` bytes; ETL_END: none. */
enum etl_status etl_search_buffer(struct etl_file *file, uint64_t position, uint64_t limit,
                                  struct etl_found *ret_found);

/* salvage.c: a file whose first buffer holds no readable logfile header. False: nothing that could
 * be read is found. */
bool etl_salvage(struct etl_file *file, const uint8_t *bytes, size_t size);

/* remarks.c: on the first event, what the whole file's reader has to be told. */
void etl_remark(struct etl_file *file, enum etl_note note, const char *detail);
void etl_remark_limit(struct etl_file *file, enum etl_note note, enum etl_limit limit);
void etl_remark_file(struct etl_file *file);
/* Gives the entry what has to be said there. */
void etl_remark_entry(struct etl_file *file, struct etl_entry *entry);

/* order.c: chains the buffers into lanes, by time or as they lie. */
enum etl_status etl_order_build(struct etl_file *file);
enum etl_status etl_order_next(struct etl_file *file, struct etl_lane **ret_lane);

#endif
