/*
 * Chunks are put together by provider, process, version and number of chunks. One that is there
 * already with the same bytes is a repetition; with other bytes it begins another manifest. Equal
 * manifests of several processes are read once.
 */
#include "etl/event_source.h"

#include "etl/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than a trace of a busy server has: each chunk is compared with what is there of all of them. */
#define ASSEMBLIES_MAX ((size_t)1024)

#define FORMAT_XML   1
#define MAGIC        0x5B
#define TOTAL_AT     4
#define NUMBER_AT    6
#define NAME_SIZE    256
#define PROBLEM_SIZE 120
#define NO_ORIGIN    UINT16_MAX

struct chunk {
    uint8_t *bytes; /* owned; NULL: not seen */
    size_t size;
};

/* A manifest as it is put together. */
struct assembly {
    struct etl_guid provider;
    uint32_t process_id;
    uint8_t version[2];
    uint16_t total;
    uint16_t seen;
    struct chunk *chunks; /* owned; `total` of them */
    uint64_t hash;        /* of all bytes, once it is settled */
    uint16_t origin;      /* of its schemas */
};

struct provider_name {
    struct etl_guid guid;
    char name[NAME_SIZE];
};

struct etl_event_sources {
    struct etl_budget *budget;   /* borrowed */
    struct assembly *assemblies; /* owned; after settling in the order of provider and process */
    size_t count;
    struct etl_schema_set *schemas; /* owned */
    struct provider_name *names;    /* owned */
    size_t name_count;
    size_t problem_count;
    char problem[PROBLEM_SIZE];
};

struct etl_event_sources *etl_event_sources_new(struct etl_budget *budget)
{
    struct etl_event_sources *sources = calloc(1, sizeof *sources);
    if (sources != NULL) {
        sources->budget = budget;
        sources->schemas = etl_schema_set_new(budget);
        if (sources->schemas == NULL) {
            free(sources);
            sources = NULL;
        }
    }
    return sources;
}

static void free_chunks(struct etl_event_sources *sources, struct assembly *assembly)
{
    struct chunk *chunks = assembly->chunks;
    for (size_t i = 0; chunks != NULL && i < assembly->total; i++) {
        etl_budget_free(sources->budget, chunks[i].bytes, chunks[i].size, 1);
    }
    etl_budget_free(sources->budget, chunks, chunks != NULL ? assembly->total : 0, sizeof *chunks);
    assembly->chunks = NULL;
}

void etl_event_sources_free(struct etl_event_sources *sources)
{
    if (sources != NULL) {
        for (size_t i = 0; i < sources->count; i++) {
            free_chunks(sources, &sources->assemblies[i]);
        }
        free(sources->assemblies);
        free(sources->names);
        etl_schema_set_free(sources->schemas);
        free(sources);
    }
}

bool etl_event_source_is_chunk(const struct etl_event *event)
{
    const uint8_t *at = event->payload.at;
    return event->kind->family == ETL_FAMILY_MODERN && event->id == ETL_EVENT_SOURCE_ID &&
           event->payload.size > ETL_EVENT_SOURCE_HEADER_SIZE && at[0] == FORMAT_XML &&
           at[3] == MAGIC && etl_load_u16(at + NUMBER_AT) < etl_load_u16(at + TOTAL_AT);
}

static void add_problem(struct etl_event_sources *sources, const struct etl_guid *provider,
                        const char *what)
{
    if (sources->problem_count++ == 0) {
        char guid[ETL_GUID_TEXT_SIZE];
        etl_guid_format(provider, guid);
        snprintf(sources->problem, sizeof sources->problem, "%s: %.80s", guid, what);
    }
}

static struct assembly *add_assembly(struct etl_event_sources *sources,
                                     const struct etl_event *event)
{
    const uint8_t *at = event->payload.at;
    size_t total = etl_load_u16(at + TOTAL_AT);
    if (sources->count == ASSEMBLIES_MAX) {
        add_problem(sources, &event->provider, "more manifests than are put together");
        return NULL;
    }
    if (sources->assemblies == NULL) {
        sources->assemblies = calloc(ASSEMBLIES_MAX, sizeof *sources->assemblies);
    }
    struct chunk *chunks = sources->assemblies != NULL
                               ? etl_budget_table(sources->budget, 0, total, sizeof *chunks)
                               : NULL;
    if (chunks == NULL) {
        return NULL;
    }
    struct assembly *assembly = &sources->assemblies[sources->count++];
    *assembly = (struct assembly){.provider = event->provider,
                                  .process_id = event->process_id,
                                  .version = {at[1], at[2]},
                                  .total = (uint16_t)total,
                                  .chunks = chunks,
                                  .origin = NO_ORIGIN};
    return assembly;
}

/* Whether the chunk belongs there: its place is free, or holds the same bytes. */
static bool accepts(const struct assembly *assembly, const struct etl_event *event,
                    struct etl_span xml)
{
    const uint8_t *at = event->payload.at;
    if (assembly->process_id != event->process_id ||
        assembly->total != etl_load_u16(at + TOTAL_AT) || assembly->version[0] != at[1] ||
        assembly->version[1] != at[2] || !etl_guid_equal(&assembly->provider, &event->provider)) {
        return false;
    }
    const struct chunk *chunk = &assembly->chunks[etl_load_u16(at + NUMBER_AT)];
    return chunk->bytes == NULL ||
           (chunk->size == xml.size && memcmp(chunk->bytes, xml.at, xml.size) == 0);
}

void etl_event_sources_learn(struct etl_event_sources *sources, const struct etl_event *event)
{
    struct assembly *assembly = NULL;
    struct etl_span xml = {.at = event->payload.at + ETL_EVENT_SOURCE_HEADER_SIZE,
                           .size = event->payload.size - ETL_EVENT_SOURCE_HEADER_SIZE};
    for (size_t i = 0; i < sources->count && assembly == NULL; i++) {
        assembly = accepts(&sources->assemblies[i], event, xml) ? &sources->assemblies[i] : NULL;
    }
    assembly = assembly != NULL ? assembly : add_assembly(sources, event);
    if (assembly == NULL) {
        return;
    }
    struct chunk *chunk = &assembly->chunks[etl_load_u16(event->payload.at + NUMBER_AT)];
    if (chunk->bytes != NULL) {
        return;
    }
    chunk->bytes = etl_budget_table(sources->budget, 0, xml.size, 1);
    if (chunk->bytes != NULL) {
        memcpy(chunk->bytes, xml.at, xml.size);
        chunk->size = xml.size;
        assembly->seen++;
    }
}

static void keep_names(struct etl_event_sources *sources, const struct etl_manifest *manifest)
{
    struct etl_guid guid;
    const char *name;
    if (sources->names == NULL) {
        sources->names = calloc(ASSEMBLIES_MAX, sizeof *sources->names);
    }
    for (size_t i = 0; sources->names != NULL && sources->name_count < ASSEMBLIES_MAX &&
                       (name = etl_manifest_provider(manifest, i, &guid)) != NULL;
         i++) {
        struct provider_name *row = &sources->names[sources->name_count++];
        row->guid = guid;
        snprintf(row->name, sizeof row->name, "%s", name);
    }
}

/* The manifest to schemas of that origin; says what is wrong with it. */
static void read_manifest(struct etl_event_sources *sources, const struct assembly *assembly)
{
    struct etl_manifest *manifest = etl_manifest_new();
    if (manifest == NULL) {
        return;
    }
    for (size_t i = 0; i < assembly->total; i++) {
        if (!etl_manifest_feed(manifest, assembly->chunks[i].bytes, assembly->chunks[i].size)) {
            break;
        }
    }
    if (etl_manifest_close(manifest)) {
        keep_names(sources, manifest);
    }
    etl_manifest_add_schemas(manifest, ETL_SCHEMA_EVENTSOURCE, assembly->origin, sources->schemas);
    unsigned line;
    size_t count;
    const char *problem = etl_manifest_problem(manifest, &line, &count);
    if (problem != NULL) {
        char text[PROBLEM_SIZE + 20];
        snprintf(text, sizeof text, "line %u: %.100s", line, problem);
        add_problem(sources, &assembly->provider, text);
    }
    etl_manifest_free(manifest);
}

static bool same_bytes(const struct assembly *a, const struct assembly *b)
{
    if (a->total != b->total || a->hash != b->hash || !etl_guid_equal(&a->provider, &b->provider)) {
        return false;
    }
    for (size_t i = 0; i < a->total; i++) {
        if (a->chunks[i].size != b->chunks[i].size ||
            memcmp(a->chunks[i].bytes, b->chunks[i].bytes, a->chunks[i].size) != 0) {
            return false;
        }
    }
    return true;
}

static void set_hash(struct assembly *assembly)
{
    for (size_t i = 0; i < assembly->total; i++) {
        const struct etl_span span = {assembly->chunks[i].bytes, assembly->chunks[i].size};
        assembly->hash = assembly->hash * 31 + etl_schema_hash(span);
    }
}

/* The number of an equal one before it; `number` when there is none. */
static size_t first_equal(const struct etl_event_sources *sources, size_t number)
{
    size_t other = 0;
    while (other < number &&
           (sources->assemblies[other].origin == NO_ORIGIN ||
            !same_bytes(&sources->assemblies[other], &sources->assemblies[number]))) {
        other++;
    }
    return other;
}

static void settle_one(struct etl_event_sources *sources, size_t number)
{
    struct assembly *assembly = &sources->assemblies[number];
    if (assembly->seen < assembly->total) {
        char text[PROBLEM_SIZE];
        snprintf(text, sizeof text, "%u of %u chunks are missing",
                 (unsigned)(assembly->total - assembly->seen), (unsigned)assembly->total);
        add_problem(sources, &assembly->provider, text);
        return;
    }
    set_hash(assembly);
    size_t equal = first_equal(sources, number);
    assembly->origin = (uint16_t)equal;
    if (equal == number) {
        read_manifest(sources, assembly);
    }
}

static int compare_processes(const void *left, const void *right)
{
    const struct assembly *a = left;
    const struct assembly *b = right;
    int order = memcmp(a->provider.bytes, b->provider.bytes, sizeof a->provider.bytes);
    if (order == 0 && a->process_id != b->process_id) {
        order = a->process_id < b->process_id ? -1 : 1;
    }
    return order != 0 ? order : (a->origin > b->origin) - (a->origin < b->origin);
}

void etl_event_sources_settle(struct etl_event_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        settle_one(sources, i);
    }
    for (size_t i = 0; i < sources->count; i++) {
        free_chunks(sources, &sources->assemblies[i]);
    }
    if (sources->count > 0) {
        qsort(sources->assemblies, sources->count, sizeof *sources->assemblies, compare_processes);
    }
    etl_schema_set_settle(sources->schemas);
}

/* The origin of the first whole manifest of the provider in the process. */
static uint16_t origin_of(const struct etl_event_sources *sources, const struct etl_event *event)
{
    const struct assembly key = {.provider = event->provider, .process_id = event->process_id};
    size_t low = 0;
    size_t high = sources->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_processes(&sources->assemblies[middle], &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < sources->count && sources->assemblies[low].process_id == key.process_id &&
                 etl_guid_equal(&sources->assemblies[low].provider, &key.provider);
    return found ? sources->assemblies[low].origin : 0;
}

bool etl_event_sources_find(const struct etl_event_sources *sources, const struct etl_event *event,
                            struct etl_span *ret_item)
{
    if (sources->count == 0 || event->kind->family != ETL_FAMILY_MODERN) {
        return false;
    }
    const struct etl_schema_key key = {.provider = event->provider,
                                       .id = event->id,
                                       .version = event->version,
                                       .opcode = event->opcode,
                                       .origin = origin_of(sources, event)};
    return etl_schema_set_find(sources->schemas, &key, ret_item);
}

const struct etl_schema_set *etl_event_sources_schemas(const struct etl_event_sources *sources)
{
    return sources->schemas;
}

const char *etl_event_sources_provider(const struct etl_event_sources *sources, size_t number,
                                       struct etl_guid *ret_guid)
{
    if (number >= sources->name_count) {
        return NULL;
    }
    *ret_guid = sources->names[number].guid;
    return sources->names[number].name;
}

size_t etl_event_sources_problem(const struct etl_event_sources *sources, char *room, size_t size)
{
    if (sources->problem_count > 0) {
        snprintf(room, size, "%s", sources->problem);
    }
    return sources->problem_count;
}
