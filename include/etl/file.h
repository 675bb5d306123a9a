/*
 * A trace file: its buffers, their order, the clock, and one event after the other in time order.
 *
 *     | buffer 0: header 0x48, logfile header event, … | buffer 1: header 0x48, events, fill |
 * buffer 2 …
 *
 * A buffer belongs to one CPU and lies in the file in the order in which buffers were flushed; time
 * order is a merge. Buffers whose times do not overlap form a lane (mostly: those of one CPU), and
 * lanes are merged. Knows nothing of payloads, except where a name in one is worth keeping
 * (keys.h).
 */
#ifndef ETL_FILE_H
#define ETL_FILE_H

#include "etl/compression.h"
#include "etl/event.h"
#include "etl/keys.h"
#include "etl/limits.h"
#include "etl/sink.h"
#include "etl/source.h"

/* WMI_BUFFER_HEADER, the same size in every version. */
#define ETL_BUFFER_HEADER_SIZE 0x48

/*
 * A position is buffer number << 25 | offset in the expanded buffer, so 32 MiB bound a buffer.
 * Windows makes none over 16 MiB.
 */
#define ETL_POSITION_OFFSET_BITS 25
#define ETL_BUFFER_SIZE_MAX      (UINT32_C(1) << ETL_POSITION_OFFSET_BITS)

enum etl_status {
    ETL_OK,
    ETL_END,         /* no more events */
    ETL_NOT_MINE,    /* not a trace */
    ETL_REFUSED,     /* nearly one: etl_file_message says what is wrong */
    ETL_CUT_SHORT,   /* no more events, and the file ends inside a buffer */
    ETL_READ_FAILED, /* etl_file_errno */
    ETL_NO_MEMORY,
};

/* What opening may take for a trace. */
enum etl_search {
    ETL_SEARCH_NONE, /* a file that begins with a logfile header */
    ETL_SEARCH_NEAR, /* also one whose first buffer is damaged or lost: known by its name */
    ETL_SEARCH_ALL,  /* whatever holds buffers somewhere, to the next first buffer (recovery.h) */
    ETL_SEARCH_REST, /* the same to the end */
};

struct etl_file_options {
    bool file_order; /* no merge and no pass before it: events as the buffers lie */
    bool no_keys;    /* order only: do not learn names */
    struct etl_limits limits;
    enum etl_search search;
};

/* TRACE_LOGFILE_HEADER, and what the walk counted. Times are FILETIMEs; texts are UTF-8. */
struct etl_file_info {
    uint32_t buffer_size;
    uint8_t version[4]; /* major, minor, sub, sub-minor */
    uint32_t build;     /* ProviderVersion */
    uint32_t processors;
    int64_t end_time; /* 0: never closed */
    uint32_t timer_resolution;
    uint32_t maximum_file_size;
    uint32_t mode;
    uint32_t buffers_written;
    uint32_t pointer_size;
    uint32_t events_lost;
    uint32_t cpu_mhz;
    int32_t time_zone_bias; /* minutes, without daylight saving */
    int64_t boot_time;
    uint64_t frequency;
    int64_t start_time;
    uint32_t clock_type;
    uint32_t buffers_lost;
    enum etl_compression compression; /* NONE where nothing is compressed */
    char logger_name[512];
    char file_name[512];
    /* After the index: */
    uint64_t buffers;
    uint64_t damaged_buffers;
    uint64_t missing_sequences;
    uint32_t dropping_cpus; /* that have lost an event at some time, by LastDroppedTimes */
    uint64_t lost_records;  /* events of a real-time session that say that others were lost */
    uint64_t skipped_bytes; /* that are neither buffer nor event, and not the unused end */
    bool cut_short;
};

/* Where an event stands and what its buffer says. */
struct etl_place {
    uint64_t position; /* bytes from the file's start to the event; to its buffer if compressed */
    uint32_t buffer;   /* number, from 0 */
    uint32_t offset;   /* in the (expanded) buffer, its header included */
    uint16_t cpu;
    uint16_t logger_id;
    int64_t sequence;
    uint32_t buffer_state;
    uint16_t buffer_flags;
    uint16_t buffer_type;
    bool compressed;
    bool out_of_order; /* an event before it in the same buffer is later */
};

struct etl_remark {
    enum etl_note note;
    char detail[120]; /* UTF-8; may be empty */
};

/* An event as it stands in the file. Valid until the next call with the same file. */
struct etl_entry {
    struct etl_event event;
    struct etl_place place;
    const struct etl_context *context; /* borrowed from the file */
    int64_t raw_time; /* the event's, or of the one before it in its buffer; INT64_MIN: none */
    uint32_t running_thread; /* by the CPU's last context switch; or ETL_ID_UNKNOWN */
    const struct etl_remark *remarks;
    size_t remark_count;
};

/*
 * The same before anything of the event but its size and time is read: what walking costs least.
 * Valid as long.
 */
struct etl_step {
    const uint8_t *at; /* the event's first byte */
    struct etl_measure measure;
    uint32_t buffer;
    uint32_t offset; /* in the buffer */
    uint16_t cpu;
};

struct etl_file;

/*
 * Looks whether `source` is a trace and reads its first buffer, whatever the file's size. On ETL_OK
 * the file owns the source; otherwise the caller still does and *ret_file is NULL. `message` gets a
 * sentence for ETL_REFUSED (`message_size` bytes).
 */
enum etl_status etl_file_open(struct etl_source *source, const struct etl_file_options *options,
                              struct etl_file **ret_file, char *message, size_t message_size);

void etl_file_close(struct etl_file *file); /* NULL is fine; closes the source */

const struct etl_file_info *etl_file_info(const struct etl_file *file);
const struct etl_context *etl_file_context(const struct etl_file *file);
struct etl_keys *etl_file_keys(struct etl_file *file);
int etl_file_errno(const struct etl_file *file);

/*
 * The pass over all buffers and event headers: order, names. etl_file_next does it when it was not
 * done. `progress` (may be NULL) is called once a buffer with the bytes read so far.
 */
enum etl_status etl_file_index(struct etl_file *file, void (*progress)(void *, uint64_t),
                               void *progress_data);

/* Keep buffers for etl_file_at: the caller will come back to what it has read. */
void etl_file_random_access(struct etl_file *file);

/* The next event in time order, unread; etl_file_entry reads it. */
enum etl_status etl_file_step(struct etl_file *file, struct etl_step *ret_step);
void etl_file_entry(struct etl_file *file, struct etl_entry *ret_entry);

/* Both at once. */
enum etl_status etl_file_next(struct etl_file *file, struct etl_entry *ret_entry);

/* The event at a position that etl_file_next gave; ETL_END for anything else. */
enum etl_status etl_file_at(struct etl_file *file, uint64_t position, struct etl_entry *ret_entry);

static inline uint64_t etl_position(const struct etl_place *place)
{
    return (uint64_t)place->buffer << ETL_POSITION_OFFSET_BITS | place->offset;
}

#endif
