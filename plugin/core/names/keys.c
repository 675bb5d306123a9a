/*
 * Lists of "id means this from then on", one for each sort of id, sorted by id and time when all are in; modules;
 * and the table of providers.
 */
#include "core/names/keys_private.h"

#include "etl/embedded.h"
#include "etl/event_source.h"
#include "etl/traffic.h"

#include <stdlib.h>
#include <string.h>

/* What these mean on every Windows since 2000, where the trace says nothing. */
enum { IDLE_PROCESS = 0, SYSTEM_PROCESS = 4, IDLE_THREAD = 0 };

static void set_budgets(struct etl_keys *keys, const struct etl_limits *limits)
{
    for (unsigned i = 0; i < ETL_LIMIT_COUNT; i++) {
        keys->budgets[i].limit = etl_limit_bytes(limits, (enum etl_limit)i);
    }
    struct etl_budget *maps = &keys->budgets[ETL_LIMIT_MAPS];
    struct etl_budget *strings = &keys->budgets[ETL_LIMIT_STRINGS];
    for (size_t key = 0; key < ETL_KEY_COUNT; key++) {
        keys->meanings[key].budget = maps;
    }
    keys->images.budget = maps;
    keys->providers.maps = maps;
    keys->providers.strings = strings;
    keys->texts.budget = strings;
    keys->paths.budget = strings;
    keys->facts.budget = strings;
    keys->stacks.budget = strings;
}

struct etl_keys *etl_keys_new(const struct etl_limits *limits)
{
    etl_keys_set_hooks();
    struct etl_keys *keys = calloc(1, sizeof *keys);
    if (keys != NULL) {
        set_budgets(keys, limits);
        keys->embedded = etl_embedded_new(&keys->budgets[ETL_LIMIT_SCHEMAS]);
        keys->sources = etl_event_sources_new(&keys->budgets[ETL_LIMIT_SCHEMAS]);
        keys->traffic = etl_traffic_new(&keys->budgets[ETL_LIMIT_MAPS]);
        if (keys->embedded == NULL || keys->sources == NULL || keys->traffic == NULL) {
            etl_keys_free(keys);
            keys = NULL;
        }
    }
    return keys;
}

void etl_keys_free(struct etl_keys *keys)
{
    if (keys != NULL) {
        for (size_t key = 0; key < ETL_KEY_COUNT; key++) {
            etl_meanings_free(&keys->meanings[key]);
        }
        etl_images_free(&keys->images);
        etl_pool_free(&keys->texts);
        etl_pool_free(&keys->paths);
        etl_pool_free(&keys->facts);
        etl_pool_free(&keys->stacks);
        etl_provider_names_free(&keys->providers);
        etl_embedded_free(keys->embedded);
        etl_event_sources_free(keys->sources);
        etl_traffic_free(keys->traffic);
        free(keys);
    }
}

/* Puts a drive in place of the volume; it is never longer, so the text stays where it is. */
static void name_drive(const struct etl_keys *keys, char *path)
{
    for (size_t i = 0; i < keys->drive_count; i++) {
        const char *nt_path = etl_pool_text(&keys->texts, keys->drives[i].nt_path);
        const char *dos_path = etl_pool_text(&keys->texts, keys->drives[i].dos_path);
        size_t nt_length = strlen(nt_path);
        if (strncmp(path, nt_path, nt_length) == 0) {
            size_t length = strlen(dos_path);
            memcpy(path, dos_path, length);
            memmove(path + length, path + nt_length, strlen(path + nt_length) + 1);
            return;
        }
    }
}

/* After this the pool must not be added to: its strings are no longer what their hashes say. */
static void name_drives(struct etl_keys *keys)
{
    size_t at = 0;
    while (keys->drive_count > 0 && at < keys->paths.size) {
        name_drive(keys, (char *)keys->paths.bytes + at + 4);
        at += 4 + (size_t)etl_load_u32(keys->paths.bytes + at);
    }
}

/* Manifests in the trace name their providers, as traits do. */
static void learn_names_of_sources(struct etl_keys *keys)
{
    struct etl_guid guid;
    const char *name;
    for (size_t i = 0; (name = etl_event_sources_provider(keys->sources, i, &guid)) != NULL; i++) {
        const struct etl_span utf8 = {(const uint8_t *)name, strlen(name)};
        etl_provider_names_add(&keys->providers, &guid, utf8);
    }
}

static bool knows_names(const struct etl_keys *keys)
{
    size_t count = keys->images.count;
    for (size_t key = 0; key < ETL_KEY_COUNT; key++) {
        bool own = key == ETL_KEY_PROCESS || key == ETL_KEY_THREAD;
        count += own ? 0 : keys->meanings[key].count;
    }
    return count > 0;
}

void etl_keys_settle(struct etl_keys *keys)
{
    keys->has_names = knows_names(keys);
    for (size_t key = 0; key < ETL_KEY_COUNT; key++) {
        etl_meanings_settle(&keys->meanings[key]);
    }
    etl_images_settle(&keys->images, &keys->meanings[ETL_KEY_PROCESS]);
    name_drives(keys);
    etl_embedded_settle(keys->embedded);
    etl_event_sources_settle(keys->sources);
    learn_names_of_sources(keys);
    etl_traffic_settle(keys->traffic);
}

static bool find_facts(const struct etl_keys *keys, uint32_t process_id, int64_t raw_time,
                       struct etl_process_facts *ret_facts)
{
    const struct etl_meaning *row = etl_meanings_find(&keys->meanings[ETL_KEY_PROCESS], 0,
                                                      process_id, raw_time);
    if (row != NULL) {
        memcpy(ret_facts, keys->facts.bytes + row->value, sizeof *ret_facts);
    }
    return row != NULL;
}

bool etl_keys_process(const struct etl_keys *keys, uint32_t process_id, int64_t raw_time,
                      struct etl_process *ret_process)
{
    struct etl_process_facts facts;
    if (!find_facts(keys, process_id, raw_time, &facts)) {
        return false;
    }
    *ret_process = (struct etl_process){
        .name = etl_pool_text(&keys->texts, facts.name),
        .command_line = etl_pool_text(&keys->texts, facts.command_line),
        .user = {.at = keys->texts.bytes + facts.user,
                 .size = etl_pool_size_of(&keys->texts, facts.user)},
        .parent = facts.parent,
        .session = facts.session,
        .has_parent = facts.has_parent != 0,
        .has_session = facts.has_session != 0,
    };
    return true;
}

const char *etl_keys_process_name(const struct etl_keys *keys, uint32_t process_id,
                                  int64_t raw_time)
{
    struct etl_process_facts facts;
    if (find_facts(keys, process_id, raw_time, &facts)) {
        return etl_pool_text(&keys->texts, facts.name);
    }
    return process_id == IDLE_PROCESS ? "Idle" : process_id == SYSTEM_PROCESS ? "System" : NULL;
}

bool etl_keys_process_of_thread(const struct etl_keys *keys, uint32_t thread_id, int64_t raw_time,
                                uint32_t *ret_process_id)
{
    const struct etl_meaning *row = etl_meanings_find(&keys->meanings[ETL_KEY_THREAD], 0, thread_id,
                                                      raw_time);
    if (row == NULL && thread_id != IDLE_THREAD) {
        return false;
    }
    *ret_process_id = row != NULL ? row->value : IDLE_PROCESS;
    return true;
}

static const char *find_name(const struct etl_keys *keys, enum etl_key key, uint32_t scope,
                             uint64_t id, int64_t raw_time)
{
    const struct etl_meaning *row = etl_meanings_find(&keys->meanings[key], scope, id, raw_time);
    bool path = key == ETL_KEY_FILE_OBJECT || key == ETL_KEY_FILE_KEY;
    return row != NULL ? etl_pool_text(path ? &keys->paths : &keys->texts, row->value) : NULL;
}

const char *etl_keys_name(const struct etl_keys *keys, enum etl_key key, uint32_t process_id,
                          uint64_t id, int64_t raw_time)
{
    switch (key) {
    case ETL_KEY_SERVICE_TAG:
        return find_name(keys, key, process_id, id, raw_time);
    case ETL_KEY_PROCESS:
    case ETL_KEY_THREAD:
    case ETL_KEY_STACK:
    case ETL_KEY_PERFORMANCE_LOG:
        return NULL; /* their values are no names */
    default:
        return find_name(keys, key, 0, id, raw_time);
    }
}

bool etl_keys_image(const struct etl_keys *keys, uint32_t process_id, uint64_t address,
                    uint8_t pointer_size, int64_t raw_time, struct etl_image *ret_image)
{
    bool kernel = etl_is_kernel_address(address, pointer_size);
    const struct etl_image_span *span = etl_images_find(
        &keys->images, kernel ? ETL_SCOPE_KERNEL : process_id, address, raw_time);
    if (span == NULL) {
        return false;
    }
    *ret_image = (struct etl_image){.base = span->base,
                                    .size = span->end - span->base,
                                    .name = etl_pool_text(&keys->texts, span->name)};
    if (span->pdb != 0) {
        const struct etl_image_pdb *pdb = &keys->images.pdbs[span->pdb - 1];
        ret_image->pdb_id = pdb->guid;
        ret_image->pdb_age = pdb->age;
        ret_image->pdb_name = etl_pool_text(&keys->texts, pdb->name);
    }
    return true;
}

bool etl_keys_stack(const struct etl_keys *keys, uint64_t key, int64_t raw_time,
                    struct etl_span *ret_addresses)
{
    const struct etl_meaning *row = etl_meanings_find(&keys->meanings[ETL_KEY_STACK], 0, key,
                                                      raw_time);
    if (row == NULL) {
        return false;
    }
    *ret_addresses = (struct etl_span){.at = keys->stacks.bytes + row->value,
                                       .size = etl_pool_size_of(&keys->stacks, row->value)};
    return true;
}

bool etl_keys_counters(const struct etl_keys *keys, const struct etl_guid *log, int64_t raw_time,
                       struct etl_span *ret_list)
{
    const struct etl_meaning *row = etl_meanings_find(&keys->meanings[ETL_KEY_PERFORMANCE_LOG],
                                                      etl_load_u32(log->bytes + 8),
                                                      etl_load_u64(log->bytes), raw_time);
    if (row == NULL) {
        return false;
    }
    *ret_list = (struct etl_span){.at = keys->texts.bytes + row->value,
                                  .size = etl_pool_size_of(&keys->texts, row->value)};
    return true;
}

bool etl_keys_has_images(const struct etl_keys *keys)
{
    return keys->images.count > 0;
}

bool etl_keys_has_names(const struct etl_keys *keys)
{
    return keys->has_names;
}

bool etl_keys_provider_name(const struct etl_keys *keys, const struct etl_guid *provider,
                            struct etl_span *ret_utf8)
{
    return etl_provider_names_find(&keys->providers, provider, ret_utf8);
}

struct etl_traffic *etl_keys_traffic(struct etl_keys *keys)
{
    return keys->traffic;
}

const struct etl_traffic *etl_keys_known_traffic(const struct etl_keys *keys)
{
    return keys->traffic;
}

const struct etl_embedded *etl_keys_embedded(const struct etl_keys *keys)
{
    return keys->embedded;
}

const struct etl_event_sources *etl_keys_event_sources(const struct etl_keys *keys)
{
    return keys->sources;
}

const struct etl_budget *etl_keys_budget(const struct etl_keys *keys, enum etl_limit limit)
{
    return &keys->budgets[limit];
}

void etl_keys_measure(const struct etl_keys *keys, struct etl_keys_size ret_sizes[ETL_KEYS_SIZES])
{
    const struct etl_meanings *meanings = keys->meanings;
    size_t row = sizeof(struct etl_meaning);
    size_t files = meanings[ETL_KEY_FILE_OBJECT].count + meanings[ETL_KEY_FILE_KEY].count;
    const struct etl_images *images = &keys->images;
    const struct etl_keys_size sizes[ETL_KEYS_SIZES] = {
        {"processes", meanings[ETL_KEY_PROCESS].count,
         meanings[ETL_KEY_PROCESS].count * row + keys->facts.size},
        {"threads", meanings[ETL_KEY_THREAD].count, meanings[ETL_KEY_THREAD].count * row},
        {"images", images->count,
         images->count * sizeof *images->spans + images->pdb_count * sizeof *images->pdbs},
        {"files", files, files * row + keys->paths.size},
        {"stacks", meanings[ETL_KEY_STACK].count,
         meanings[ETL_KEY_STACK].count * row + keys->stacks.size},
        {"texts", keys->texts.count, keys->texts.size + keys->texts.place_count * 4},
    };
    memcpy(ret_sizes, sizes, sizeof sizes);
}
