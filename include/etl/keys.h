/*
 * What the ids of a trace mean at a time: processes, threads, modules, files …, learned by the index pass
 * wherever in the file they stand, asked for when a record is made. And what providers are called.
 *
 * Ids are used again: each meaning has a span of time. Knows nothing of the file.
 */
#ifndef ETL_KEYS_H
#define ETL_KEYS_H

#include "etl/event.h"
#include "etl/limits.h"

/* As Windows shows ids that an event does not have. */
#define ETL_ID_UNKNOWN UINT32_MAX

struct etl_keys;
struct etl_embedded;
struct etl_event_sources;
struct etl_traffic;

struct etl_keys *etl_keys_new(const struct etl_limits *limits); /* NULL when out of memory */
void etl_keys_free(struct etl_keys *keys);                      /* NULL is fine */

/* What is kept under a limit, and whether something was left out: SCHEMAS, MAPS or STRINGS. */
const struct etl_budget *etl_keys_budget(const struct etl_keys *keys, enum etl_limit limit);

/* By hook id: not 0 where etl_keys_learn wants the event. Set by etl_keys_new. */
extern uint8_t etl_learned_hooks[0x10000 / 8];

/* Asked for every event, so inline and quick. */
static inline bool etl_keys_wants_hook(uint16_t hookid)
{
    return (etl_learned_hooks[hookid >> 3] >> (hookid & 7) & 1) != 0;
}

/*
 * Takes what an event says of ids (plugin/layouts/learned.def), or of how other events are built (embedded.h,
 * event_source.h).
 * Names are copied. Whatever else an event says is not looked at.
 */
void etl_keys_learn(struct etl_keys *keys, const struct etl_event *event,
                    const struct etl_context *context);

/* Takes the name that a provider's traits give it. Saying it again costs a look. */
void etl_keys_learn_provider(struct etl_keys *keys, const struct etl_guid *provider,
                             struct etl_span utf8);

/* Takes an event that names a component that packets pass, or one of its edges (packet.h). */
void etl_keys_learn_component(struct etl_keys *keys, const struct etl_event *event);

/* What the trace knows of its packets (traffic.h), borrowed; never NULL. */
struct etl_traffic *etl_keys_traffic(struct etl_keys *keys);
const struct etl_traffic *etl_keys_known_traffic(const struct etl_keys *keys);

/* The trace's descriptions of its events, borrowed; never NULL. */
const struct etl_embedded *etl_keys_embedded(const struct etl_keys *keys);

/* The same by the manifests of EventSources in it. */
const struct etl_event_sources *etl_keys_event_sources(const struct etl_keys *keys);

/* After the last etl_keys_learn, before the first question: puts the meanings in order of time. */
void etl_keys_settle(struct etl_keys *keys);

/* What is known of a process. Texts are UTF-8, borrowed from keys, never NULL: empty where not known. */
struct etl_process {
    const char *name;
    const char *command_line;
    struct etl_span user; /* the SID; may be empty */
    uint32_t parent;
    uint32_t session;
    bool has_parent;
    bool has_session;
};

/* At a raw time; false when nothing is known. */
bool etl_keys_process(const struct etl_keys *keys, uint32_t process_id, int64_t raw_time,
                      struct etl_process *ret_process);

/* The name of a process at a raw time; NULL when unknown. UTF-8, borrowed from keys. */
const char *etl_keys_process_name(const struct etl_keys *keys, uint32_t process_id,
                                  int64_t raw_time);

/* The process of a thread at a raw time; false when unknown. */
bool etl_keys_process_of_thread(const struct etl_keys *keys, uint32_t thread_id, int64_t raw_time,
                                uint32_t *ret_process_id);

/*
 * The name of any other id at a raw time: a thread's own, a file's path …; NULL when unknown. `process_id` is for
 * ids that mean something within a process only (SERVICE_TAG). UTF-8, borrowed from keys.
 */
const char *etl_keys_name(const struct etl_keys *keys, enum etl_key key, uint32_t process_id,
                          uint64_t id, int64_t raw_time);

/* A module in memory. Texts are borrowed from keys. */
struct etl_image {
    uint64_t base;
    uint64_t size;
    const char *name;       /* of the file, without its path */
    struct etl_guid pdb_id; /* what finds its symbols; without pdb_name not known */
    uint32_t pdb_age;
    const char *pdb_name; /* NULL: not known */
};

/* The module at an address, of the process or of the kernel; false: none is known there. */
bool etl_keys_image(const struct etl_keys *keys, uint32_t process_id, uint64_t address,
                    uint8_t pointer_size, int64_t raw_time, struct etl_image *ret_image);

/* The addresses that a stack key stands for, u64 each, borrowed from keys; false when unknown. */
bool etl_keys_stack(const struct etl_keys *keys, uint64_t key, int64_t raw_time,
                    struct etl_span *ret_addresses);

/* The packed list of the counters of a performance log (counters.h), borrowed from keys; false when unknown. */
bool etl_keys_counters(const struct etl_keys *keys, const struct etl_guid *log, int64_t raw_time,
                       struct etl_span *ret_list);

/* Whether anything is known that etl_keys_name, _image or _stack would tell: most traces have no such names. */
bool etl_keys_has_names(const struct etl_keys *keys);
bool etl_keys_has_images(const struct etl_keys *keys);

/* The name that the trace gives a provider; false when it gives none. UTF-8, borrowed from keys. */
bool etl_keys_provider_name(const struct etl_keys *keys, const struct etl_guid *provider,
                            struct etl_span *ret_utf8);

/* How much is known, and the memory that it takes, for benchmarks. */
struct etl_keys_size {
    const char *what; /* "processes" … */
    size_t count;     /* spans of time */
    size_t bytes;
};

#define ETL_KEYS_SIZES 6

void etl_keys_measure(const struct etl_keys *keys, struct etl_keys_size ret_sizes[ETL_KEYS_SIZES]);

#endif
