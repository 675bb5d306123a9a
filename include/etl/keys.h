/*
 * What the ids of a trace mean at a time: processes and threads, learned by the index pass wherever
 * in the file they stand, asked for when a record is made. And what providers are called.
 *
 * Ids are used again: each meaning has a span of time. Knows nothing of headers or of the file.
 */
#ifndef ETL_KEYS_H
#define ETL_KEYS_H

#include "etl/event.h"

struct etl_keys;
struct etl_embedded;

struct etl_keys *etl_keys_new(void);       /* NULL when out of memory */
void etl_keys_free(struct etl_keys *keys); /* NULL is fine */

/* Whether etl_keys_learn wants to see events of this hook: asked for every event, so inline and
 * quick. */
static inline bool etl_keys_wants_hook(uint16_t hookid)
{
    return (hookid & 0xFF) <= 4 && (hookid & 0xFF) >= 1 &&
           ((hookid >> 8) == 0x03 || (hookid >> 8) == 0x05);
}

/* Takes what a Process or Thread event says. Names are copied. */
void etl_keys_learn(struct etl_keys *keys, const struct etl_event *event,
                    const struct etl_context *context);

/* Takes the name that a provider's traits give it. Saying it again costs a look. */
void etl_keys_learn_provider(struct etl_keys *keys, const struct etl_guid *provider,
                             struct etl_span utf8);

/* Takes an event that names a component that packets pass (packet.h). */
void etl_keys_learn_component(struct etl_keys *keys, const struct etl_event *event);

/* The name of a component; NULL when unknown. UTF-8, borrowed from keys. */
const char *etl_keys_component_name(const struct etl_keys *keys, uint32_t component,
                                    int64_t raw_time);

/* Takes an event that describes others (embedded.h). */
void etl_keys_learn_metadata(struct etl_keys *keys, const struct etl_event *event);

/* The trace's descriptions of its events, borrowed; never NULL. */
const struct etl_embedded *etl_keys_embedded(const struct etl_keys *keys);

/* After the last etl_keys_learn, before the first question: puts the meanings in order of time. */
void etl_keys_settle(struct etl_keys *keys);

/* The name of a process at a raw time; NULL when unknown. UTF-8, borrowed from keys. */
const char *etl_keys_process_name(const struct etl_keys *keys, uint32_t process_id,
                                  int64_t raw_time);

/* The process of a thread at a raw time; false when unknown. */
bool etl_keys_process_of_thread(const struct etl_keys *keys, uint32_t thread_id, int64_t raw_time,
                                uint32_t *ret_process_id);

/* The name that the trace gives a provider; false when it gives none. UTF-8, borrowed from keys. */
bool etl_keys_provider_name(const struct etl_keys *keys, const struct etl_guid *provider,
                            struct etl_span *ret_utf8);

/* Processes and threads that a payload speaks of, by the .key of its layout's rows. */
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

/* As Windows shows ids that an event does not have. */
#define ETL_ID_UNKNOWN UINT32_MAX

/* What a record tells of the ids of its event. */
struct etl_event_names {
    uint32_t process_id; /* of the event; ETL_ID_UNKNOWN */
    uint32_t thread_id;
    struct {
        enum etl_key key;
        uint32_t id;
        const char *text;             /* UTF-8, borrowed from keys; a thread goes by its process */
    } names[ETL_PAYLOAD_IDS_MAX + 2]; /* those of the payload, the event's process, a component */
    size_t count;
};

/*
 * The event's process and thread (its own, those its payload is about, or those of the running thread, which may
 * be ETL_ID_UNKNOWN), and the names of all that header and payload speak of.
 */
void etl_event_names(const struct etl_event *event, const struct etl_context *context,
                     const struct etl_keys *keys, int64_t raw_time, uint32_t running_thread,
                     struct etl_event_names *ret_names);

#endif
