/*
 * A sorted array of keys, and all packed bytes in one block.
 */
#include "etl/schema_set.h"

#include <stdlib.h>
#include <string.h>

struct row {
    struct etl_schema_key key;
    uint32_t offset; /* of the hash, in bytes */
    uint32_t size;   /* hash included */
    uint32_t order;
};

struct etl_schema_set {
    struct etl_budget *budget; /* borrowed */
    struct row *rows;          /* owned */
    size_t count;
    size_t room;
    uint8_t *bytes; /* owned */
    size_t byte_count;
    size_t byte_room;
};

struct etl_schema_set *etl_schema_set_new(struct etl_budget *budget)
{
    struct etl_schema_set *set = calloc(1, sizeof *set);
    if (set != NULL) {
        set->budget = budget;
    }
    return set;
}

void etl_schema_set_free(struct etl_schema_set *set)
{
    if (set != NULL) {
        etl_budget_free(set->budget, set->rows, set->room, sizeof *set->rows);
        etl_budget_free(set->budget, set->bytes, set->byte_room, 1);
        free(set);
    }
}

static bool grow(struct etl_schema_set *set, size_t size)
{
    struct row *rows = etl_budget_room(set->budget, set->rows, set->count, 1, &set->room,
                                       sizeof *rows);
    set->rows = rows != NULL ? rows : set->rows;
    if (rows == NULL || size > UINT32_MAX - set->byte_count) { /* offsets are as wide */
        return false;
    }
    uint8_t *bytes = etl_budget_room(set->budget, set->bytes, set->byte_count, size,
                                     &set->byte_room, 1);
    set->bytes = bytes != NULL ? bytes : set->bytes;
    return bytes != NULL;
}

bool etl_schema_set_add(struct etl_schema_set *set, const struct etl_schema_key *key,
                        struct etl_span packed)
{
    size_t size = ETL_SCHEMA_HASH_SIZE + packed.size;
    if (packed.size == 0 || packed.size > ETL_SCHEMA_SIZE_MAX || !grow(set, size)) {
        return false;
    }
    uint8_t *at = set->bytes + set->byte_count;
    etl_store_u64(at, etl_schema_hash(packed));
    memcpy(at + ETL_SCHEMA_HASH_SIZE, packed.at, packed.size);
    set->rows[set->count] = (struct row){.key = *key,
                                         .offset = (uint32_t)set->byte_count,
                                         .size = (uint32_t)size,
                                         .order = (uint32_t)set->count};
    set->count++;
    set->byte_count += size;
    return true;
}

static int compare_events(const struct etl_schema_key *a, const struct etl_schema_key *b)
{
    int order = memcmp(a->provider.bytes, b->provider.bytes, sizeof a->provider.bytes);
    if (order != 0) {
        return order;
    }
    return a->id != b->id ? (int)a->id - (int)b->id : (int)a->version - (int)b->version;
}

static int compare_keys(const struct etl_schema_key *a, const struct etl_schema_key *b)
{
    int order = compare_events(a, b);
    if (order != 0) {
        return order;
    }
    return a->opcode != b->opcode ? (int)a->opcode - (int)b->opcode
                                  : (int)a->origin - (int)b->origin;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    int order = compare_keys(&a->key, &b->key);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

void etl_schema_set_settle(struct etl_schema_set *set)
{
    size_t kept = 0;
    if (set->count == 0) {
        return;
    }
    qsort(set->rows, set->count, sizeof *set->rows, compare_rows);
    for (size_t i = 0; i < set->count; i++) {
        if (i == 0 || compare_keys(&set->rows[kept - 1].key, &set->rows[i].key) != 0) {
            set->rows[kept++] = set->rows[i];
        }
    }
    set->count = kept;
}

/* The first row at or after the key. */
static size_t lower_bound(const struct etl_schema_set *set, const struct etl_schema_key *key)
{
    size_t low = 0;
    size_t high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&set->rows[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool take(const struct etl_schema_set *set, size_t at, struct etl_span *ret_item)
{
    const struct row *row = &set->rows[at];
    *ret_item = (struct etl_span){.at = set->bytes + row->offset, .size = row->size};
    return true;
}

bool etl_schema_set_find(const struct etl_schema_set *set, const struct etl_schema_key *key,
                         struct etl_span *ret_item)
{
    struct etl_schema_key near = *key;
    size_t at = lower_bound(set, &near);
    if (at < set->count && compare_keys(&set->rows[at].key, &near) == 0) {
        return take(set, at, ret_item);
    }
    near.origin = 0; /* that opcode, of whatever origin */
    at = lower_bound(set, &near);
    if (at < set->count && compare_events(&set->rows[at].key, key) == 0 &&
        set->rows[at].key.opcode == key->opcode) {
        return take(set, at, ret_item);
    }
    near.opcode = 0; /* any of that event: few have more than one */
    at = lower_bound(set, &near);
    return at < set->count && compare_events(&set->rows[at].key, key) == 0 &&
           take(set, at, ret_item);
}

bool etl_schema_set_find_older(const struct etl_schema_set *set, const struct etl_schema_key *key,
                               struct etl_span *ret_item, uint8_t *ret_version)
{
    struct etl_schema_key near = *key;
    near.opcode = 0;
    near.origin = 0;
    size_t at = lower_bound(set, &near);
    if (at == 0) {
        return false;
    }
    const struct etl_schema_key *before = &set->rows[at - 1].key;
    near = *key;
    near.version = before->version;
    *ret_version = before->version;
    return before->id == key->id && etl_guid_equal(&before->provider, &key->provider) &&
           etl_schema_set_find(set, &near, ret_item);
}

size_t etl_schema_set_count(const struct etl_schema_set *set)
{
    return set->count;
}

void etl_schema_set_get(const struct etl_schema_set *set, size_t number,
                        struct etl_schema_key *ret_key, struct etl_span *ret_packed)
{
    const struct row *row = &set->rows[number];
    *ret_key = row->key;
    *ret_packed = (struct etl_span){.at = set->bytes + row->offset + ETL_SCHEMA_HASH_SIZE,
                                    .size = row->size - ETL_SCHEMA_HASH_SIZE};
}
