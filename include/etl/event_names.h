/*
 * What a record tells of the ids that its event holds: in its header, its extended items and its payload, by the
 * .key of their rows. The reader asks what the trace knows of them (keys.h); the dissector has only the payload.
 */
#ifndef ETL_EVENT_NAMES_H
#define ETL_EVENT_NAMES_H

#include "etl/keys.h"

struct etl_packet;

/* Processes and threads that a payload speaks of. */
struct etl_payload_ids {
    struct {
        enum etl_key key; /* PROCESS or THREAD */
        uint32_t id;
    } ids[ETL_PAYLOAD_IDS_MAX];
    size_t count;
    /* Whom the event is about: the one process, and the one thread beside it, that it names. */
    bool has_process;
    bool has_thread;
    uint32_t process_id;
    uint32_t thread_id;
};

void etl_payload_ids(const struct etl_event *event, const struct etl_clock *clock,
                     struct etl_payload_ids *ret_ids);

/* Where the ids of an event are from. */
enum etl_ids_source {
    ETL_IDS_HEADER,
    ETL_IDS_PAYLOAD,
    ETL_IDS_THREAD,  /* the header has the thread; the trace knows whose it is */
    ETL_IDS_RUNNING, /* what the CPU ran, by its context switches */
};

/* Of one event; more are left out. A stack of 192 addresses is in a dozen or two. */
#define ETL_EVENT_NAMES_MAX  24
#define ETL_EVENT_IMAGES_MAX 48
#define ETL_EVENT_STACKS_MAX 2

/* Everything is borrowed from keys. */
struct etl_event_names {
    uint32_t process_id; /* of the event; ETL_ID_UNKNOWN */
    uint32_t thread_id;
    bool has_process;
    struct etl_process process; /* that one */
    struct {
        enum etl_key key;
        uint64_t id;
        const char *text; /* UTF-8; a thread goes by its process */
    } names[ETL_EVENT_NAMES_MAX];
    size_t count;
    struct etl_image images[ETL_EVENT_IMAGES_MAX];
    size_t image_count;
    struct {
        uint64_t key;
        struct etl_span addresses; /* u64 each */
    } stacks[ETL_EVENT_STACKS_MAX];
    size_t stack_count;
};

/*
 * The event's process and thread (its own, those its payload is about, or those of the running thread, which may
 * be ETL_ID_UNKNOWN), and what is known of all that header, items and payload speak of.
 */
void etl_event_names(const struct etl_event *event, const struct etl_context *context,
                     const struct etl_keys *keys, int64_t raw_time, uint32_t running_thread,
                     struct etl_event_names *ret_names);

/* Adds those of the packet that the event carries; `owner` is ETL_ID_UNKNOWN if nobody knows it. */
void etl_packet_names(const struct etl_packet *packet, uint32_t owner, const struct etl_keys *keys,
                      int64_t raw_time, struct etl_event_names *names);

/* Where the ids of a record are from, by the event and the record's ids alone. */
enum etl_ids_source etl_ids_source(const struct etl_event *event, const struct etl_clock *clock,
                                   uint32_t process_id);

#endif
