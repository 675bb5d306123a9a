/*
 * One event: the facts of its header in one shape for every kind, and where its parts are.
 *
 *     | header | extended items (modern events) | payload |
 *     |<--------------------- size --------------------->|  padding to 8
 *
 * Knows what a header says and not what a payload means. Kinds and their rows:
 * plugin/layouts/headers.def.
 */
#ifndef ETL_EVENT_H
#define ETL_EVENT_H

#include "etl/clock.h"
#include "etl/guid.h"
#include "etl/layout.h"
#include "etl/sink.h"

enum etl_family {
    ETL_FAMILY_SYSTEM,
    ETL_FAMILY_COMPACT,
    ETL_FAMILY_PERFINFO,
    ETL_FAMILY_FULL,
    ETL_FAMILY_INSTANCE,
    ETL_FAMILY_MODERN,
    ETL_FAMILY_MESSAGE,
    ETL_FAMILY_OTHER, /* kept as bytes */
};

enum etl_kind_id {
#define KIND(id, ...) ETL_KIND_##id,
#include "layouts/all.def"
    ETL_KIND_COUNT
};

struct etl_kind {
    const char *name; /* Microsoft's name of the structure */
    enum etl_family family;
    uint8_t header_type;  /* byte 2 of the event; ETL_HEADER_TYPE_MESSAGE for messages */
    uint8_t pointer_size; /* 4 or 8; 0: the event's flags or the file say */
    uint8_t header_size;  /* its fixed part, bytes */
    uint8_t size_at;      /* where the u16 Size is */
    uint8_t time_at;      /* where the i64 time stamp is; 0: none, or by flags */
    enum etl_layout_id layout;
};

/* No event on disk has this type in byte 2: messages are known by byte 3. Windows names it all the
 * same. */
#define ETL_HEADER_TYPE_MESSAGE 0x0F

/* Bytes of an EVENT_HEADER, and of the smallest thing that can be an event. */
#define ETL_EVENT_HEADER_SIZE 80
#define ETL_EVENT_SIZE_MIN    8

const struct etl_kind *etl_kind(enum etl_kind_id id);

/* What events of a file have in common and do not say themselves. */
struct etl_context {
    struct etl_clock clock;
    uint32_t trace_id;    /* tells traces apart that were merged: a hash of the logfile header */
    uint8_t pointer_size; /* of the logfile header: for messages that do not say theirs */
    bool old_instances;   /* Windows 2000 and XP: instance headers of 0x38 bytes */
    bool local_time_known;
    int16_t local_time_bias; /* minutes, UTC = local + bias, as in force at StartTime */
};

struct etl_span {
    const uint8_t *at; /* borrowed */
    size_t size;       /* bytes */
};

struct etl_event {
    const struct etl_kind *kind;
    struct etl_span header; /* with the optional parts that its flags announce */
    struct etl_span items;  /* empty but for modern events; NULL: they are not known */
    struct etl_span payload;
    uint16_t size;        /* as the header says; not rounded */
    uint8_t pointer_size; /* of the payload: 4 or 8 */
    uint8_t header_flags; /* byte 3: 0xC0, 0x90 */

    bool has_time, has_ids, has_hook, has_provider, has_level, has_cpu_times;
    bool local_time; /* raw_time is a FILETIME in local time: its provider supplied it */
    bool has_wnode_flags;
    int64_t raw_time; /* the clock's ticks */
    uint32_t thread_id;
    uint32_t process_id;
    uint32_t kernel_time; /* ticks of TimerResolution */
    uint32_t user_time;
    uint16_t hookid; /* group and type: kernel events, and classic events of a kernel class */
    uint16_t id;     /* modern events; messages: MessageNumber */
    uint8_t version;
    uint8_t channel;
    uint8_t level;
    uint8_t opcode;
    uint16_t task;
    uint16_t flags; /* EVENT_HEADER.Flags; messages: OptionFlags */
    uint16_t property;
    uint16_t header_version; /* system, compact and perfinfo: the whole version word */
    uint64_t keyword;
    struct etl_guid provider; /* ProviderId, class GUID or message GUID */
    struct etl_guid activity;
};

enum etl_measured {
    ETL_MEASURED_EVENT,
    ETL_MEASURED_END,     /* filler: 0xFF or zero bytes, or less than an event's first bytes */
    ETL_MEASURED_DAMAGED, /* not a header, or its size does not fit */
};

/* The little that walking a buffer needs of each event. */
struct etl_measure {
    const struct etl_kind *kind;
    uint16_t size; /* unrounded; the next event is at the next multiple of 8 */
    bool has_time;
    int64_t raw_time; /* as order wants it: local times are shifted to UTC */
};

/* Looks at `left` bytes at `at`, which end where the buffer's valid bytes do. */
enum etl_measured etl_event_measure(const uint8_t *at, size_t left,
                                    const struct etl_context *context,
                                    struct etl_measure *ret_measure);

/*
 * Reads a whole event of `size` bytes that etl_event_measure has accepted. Spans are borrowed from
 * `at`. Never fails: what does not fit is payload. Items that do not fit the event end up in the
 * payload span.
 */
void etl_event_read(const uint8_t *at, const struct etl_measure *measure,
                    const struct etl_context *context, struct etl_event *ret_event);

/*
 * The same from a header alone, its items and payload being elsewhere (a record). False when the
 * bytes are not a whole header of a known or unknown kind; spans of items and payload are then
 * empty.
 */
bool etl_event_read_header(const uint8_t *header, size_t header_size,
                           const struct etl_context *context, struct etl_event *ret_event);

/* Whether one UTF-16 text is all that the event has (flag STRING_ONLY), and the text without its NUL. */
bool etl_event_is_string(const struct etl_event *event);
struct etl_span etl_event_string(const struct etl_event *event);

/*
 * The header's own rows, shown in the order of the file. `base` is whatever the sink's offsets
 * count from (unused by the core).
 */
void etl_event_show_header(const struct etl_event *event, const struct etl_context *context,
                           struct etl_sink *sink);

#endif
