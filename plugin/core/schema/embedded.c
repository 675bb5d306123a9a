/*
 * Blobs as they come by; when all are in, the packed schemas.
 */
#include "etl/embedded.h"

#include "core/schema/event_metadata.h"
#include "etl/schema_set.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_INFO       32
#define TYPE_MAP        33
#define GUID_SIZE       16
#define MAP_INFO_SIZE   16
#define EVENT_INFO_SIZE 0x70

static const struct etl_guid metadata = ETL_GUID(0xbbccf6c1, 0x6cd1, 0x48c4, 0x80, 0xff, 0x83, 0x94,
                                                 0x82, 0xe3, 0x76, 0x71);

struct blob {
    uint8_t *bytes; /* owned */
    size_t size;
    uint8_t type;
    size_t order; /* the first of equal ones counts */
};

struct etl_embedded {
    struct etl_budget *budget; /* borrowed */
    struct blob *blobs;        /* owned */
    size_t blob_count;
    size_t blob_room;
    struct etl_schema_set *schemas; /* owned */
};

struct etl_embedded *etl_embedded_new(struct etl_budget *budget)
{
    struct etl_embedded *embedded = calloc(1, sizeof *embedded);
    if (embedded != NULL) {
        embedded->budget = budget;
        embedded->schemas = etl_schema_set_new(budget);
        if (embedded->schemas == NULL) {
            free(embedded);
            embedded = NULL;
        }
    }
    return embedded;
}

static void free_blobs(struct etl_embedded *embedded)
{
    for (size_t i = 0; i < embedded->blob_count; i++) {
        etl_budget_free(embedded->budget, embedded->blobs[i].bytes, embedded->blobs[i].size, 1);
    }
    etl_budget_free(embedded->budget, embedded->blobs, embedded->blob_room,
                    sizeof *embedded->blobs);
    embedded->blobs = NULL;
    embedded->blob_count = embedded->blob_room = 0;
}

void etl_embedded_free(struct etl_embedded *embedded)
{
    if (embedded != NULL) {
        free_blobs(embedded);
        etl_schema_set_free(embedded->schemas);
        free(embedded);
    }
}

bool etl_embedded_is_metadata(const struct etl_event *event)
{
    return event->kind->family == ETL_FAMILY_FULL && event->has_provider &&
           (event->opcode == TYPE_INFO || event->opcode == TYPE_MAP) &&
           etl_guid_equal(&event->provider, &metadata);
}

void etl_embedded_learn(struct etl_embedded *embedded, const struct etl_event *event)
{
    size_t least = event->opcode == TYPE_INFO ? EVENT_INFO_SIZE : GUID_SIZE + MAP_INFO_SIZE;
    size_t size = event->payload.size;
    struct blob *blobs = size >= least ? etl_budget_room(embedded->budget, embedded->blobs,
                                                         embedded->blob_count, 1,
                                                         &embedded->blob_room, sizeof *blobs)
                                       : NULL;
    if (blobs == NULL) {
        return;
    }
    embedded->blobs = blobs;
    struct blob blob = {.bytes = etl_budget_table(embedded->budget, 0, size, 1),
                        .size = size,
                        .type = event->opcode,
                        .order = embedded->blob_count};
    if (blob.bytes != NULL) {
        memcpy(blob.bytes, event->payload.at, size);
        embedded->blobs[embedded->blob_count++] = blob;
    }
}

static struct etl_span map_of(const struct blob *blob)
{
    return (struct etl_span){.at = blob->bytes + GUID_SIZE, .size = blob->size - GUID_SIZE};
}

static struct etl_span name_of_map(const struct blob *blob)
{
    struct etl_span map = map_of(blob);
    return etl_metadata_text(map, etl_load_u32(map.at));
}

static int compare_spans(struct etl_span a, struct etl_span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size > 0 ? memcmp(a.at, b.at, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Maps first, by provider and name. */
static int compare_blobs(const void *left, const void *right)
{
    const struct blob *a = left;
    const struct blob *b = right;
    if (a->type != b->type) {
        return a->type > b->type ? -1 : 1;
    }
    int order = 0;
    if (a->type == TYPE_MAP) {
        order = memcmp(a->bytes, b->bytes, GUID_SIZE);
        order = order != 0 ? order : compare_spans(name_of_map(a), name_of_map(b));
    }
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* The first map of that name: a binary search among the maps, which stand first. */
static bool find_map(const void *data, const struct etl_guid *provider, struct etl_span name,
                     struct etl_span *ret_map)
{
    const struct etl_embedded *embedded = data;
    size_t low = 0;
    size_t high = embedded->blob_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct blob *blob = &embedded->blobs[middle];
        int order = -1;
        if (blob->type == TYPE_MAP) {
            order = memcmp(provider->bytes, blob->bytes, GUID_SIZE);
            order = order != 0 ? order : compare_spans(name, name_of_map(blob));
        }
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == embedded->blob_count || embedded->blobs[low].type != TYPE_MAP ||
        memcmp(provider->bytes, embedded->blobs[low].bytes, GUID_SIZE) != 0 ||
        compare_spans(name, name_of_map(&embedded->blobs[low])) != 0) {
        return false;
    }
    *ret_map = map_of(&embedded->blobs[low]);
    return true;
}

static void pack_event(struct etl_embedded *embedded, const struct blob *blob)
{
    uint8_t room[ETL_SCHEMA_SIZE_MAX];
    const struct etl_map_source maps = {.find = find_map, .data = embedded};
    struct etl_span info = {.at = blob->bytes, .size = blob->size};
    struct etl_span packed = {.at = room, .size = etl_event_metadata_pack(info, &maps, room)};
    struct etl_schema_key key = {.id = etl_load_u16(blob->bytes + 0x20),
                                 .version = blob->bytes[0x22],
                                 .opcode = blob->bytes[0x25]};
    memcpy(key.provider.bytes, blob->bytes, GUID_SIZE);
    etl_schema_set_add(embedded->schemas, &key, packed);
}

void etl_embedded_settle(struct etl_embedded *embedded)
{
    if (embedded->blob_count == 0) {
        return;
    }
    qsort(embedded->blobs, embedded->blob_count, sizeof *embedded->blobs, compare_blobs);
    for (size_t i = 0; i < embedded->blob_count; i++) {
        if (embedded->blobs[i].type == TYPE_INFO) {
            pack_event(embedded, &embedded->blobs[i]);
        }
    }
    free_blobs(embedded);
    etl_schema_set_settle(embedded->schemas);
}

bool etl_embedded_find(const struct etl_embedded *embedded, const struct etl_event *event,
                       struct etl_span *ret_item)
{
    const struct etl_schema_key key = {.provider = event->provider,
                                       .id = event->id,
                                       .version = event->version,
                                       .opcode = event->opcode};
    return event->kind->family == ETL_FAMILY_MODERN &&
           etl_schema_set_find(embedded->schemas, &key, ret_item);
}

const struct etl_schema_set *etl_embedded_schemas(const struct etl_embedded *embedded)
{
    return embedded->schemas;
}
