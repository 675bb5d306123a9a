/*
 * What the files of the names share: keys.c (questions), keys_learn.c (events). A value is an offset in a pool,
 * but of threads, whose value is their process.
 */
#ifndef ETL_CORE_KEYS_PRIVATE_H
#define ETL_CORE_KEYS_PRIVATE_H

#include "core/names/images.h"
#include "core/names/meanings.h"
#include "core/names/pool.h"
#include "core/names/provider_names.h"
#include "etl/keys.h"

/* Drives and volumes of a trace: a letter each, and a few that have none. */
#define ETL_DRIVES_MAX 64

/* "\Device\HarddiskVolume3\" is "C:\": places in the pool of texts. */
struct etl_drive {
    uint32_t nt_path;
    uint32_t dos_path;
};

/* What the value of a process stands for, as its bytes are kept in the pool: those of equal facts once. */
struct etl_process_facts {
    uint32_t name; /* texts */
    uint32_t command_line;
    uint32_t user; /* the SID */
    uint32_t parent;
    uint32_t session;
    uint8_t has_parent;
    uint8_t has_session;
    uint8_t padding[2]; /* zero: bytes are compared */
};

struct etl_keys {
    struct etl_budget budgets[ETL_LIMIT_COUNT]; /* those of SCHEMAS, MAPS, STRINGS are used */
    struct etl_meanings meanings[ETL_KEY_COUNT];
    struct etl_images images;
    struct etl_pool texts;
    struct etl_pool paths;  /* of files; drives are put in once all are known */
    struct etl_pool facts;  /* of processes */
    struct etl_pool stacks; /* addresses, u64 each */
    struct etl_drive drives[ETL_DRIVES_MAX];
    size_t drive_count;
    bool has_names; /* set by etl_keys_settle */
    struct etl_provider_names providers;
    struct etl_embedded *embedded;     /* owned */
    struct etl_event_sources *sources; /* owned */
    struct etl_traffic *traffic;       /* owned */
};

/* Which pool holds the names of a key's ids. */
static inline struct etl_pool *etl_keys_pool(struct etl_keys *keys, enum etl_key key)
{
    return key == ETL_KEY_FILE_OBJECT || key == ETL_KEY_FILE_KEY ? &keys->paths : &keys->texts;
}

/* keys_learn.c: fills etl_learned_hooks. */
void etl_keys_set_hooks(void);

#endif
