/*
 * Schemas by hash; equal hashes are told apart by provider and bytes.
 */
#include "epan/described.h"

#include "epan/described_fields.h"
#include "epan/labels.h"
#include "epan/user_schemas.h"
#include "etl/builtin.h"
#include "etl/items.h"

/* Distinct schemas that are kept: more come only from a file that means harm. */
#define KNOWN_MAX 65536

#define HASH_SIZE 8

struct known {
    struct known *next; /* of the same hash */
    struct etl_guid provider;
    struct etl_span bytes;     /* owned */
    struct etl_schema *schema; /* owned; NULL: they are none */
};

static GHashTable *known; /* of hashes, to the first of them */

static struct known *find_known(uint64_t hash, const struct etl_guid *provider,
                                struct etl_span bytes)
{
    if (known == NULL) {
        known = g_hash_table_new(g_int64_hash, g_int64_equal);
    }
    struct known *row = g_hash_table_lookup(known, &hash);
    while (row != NULL &&
           (!etl_guid_equal(&row->provider, provider) || row->bytes.size != bytes.size ||
            memcmp(row->bytes.at, bytes.at, bytes.size) != 0)) {
        row = row->next;
    }
    return row;
}

static void keep(uint64_t hash, const struct etl_guid *provider, struct etl_span bytes,
                 struct etl_schema *schema)
{
    static unsigned count;
    if (count++ >= KNOWN_MAX) {
        etl_schema_free(schema);
        return;
    }
    struct known *row = g_new0(struct known, 1);
    uint8_t *copy = g_malloc(bytes.size);
    memcpy(copy, bytes.at, bytes.size);
    row->provider = *provider;
    row->bytes = (struct etl_span){.at = copy, .size = bytes.size};
    row->schema = schema;
    struct known *first = g_hash_table_lookup(known, &hash);
    if (first != NULL) {
        row->next = first->next;
        first->next = row;
        return;
    }
    int64_t *key = g_new(int64_t, 1);
    *key = (int64_t)hash;
    g_hash_table_insert(known, key, row);
}

/* What a schema's provider is called, for its fields' names. */
static const char *provider_name_of(wmem_allocator_t *pool, struct etl_record *record,
                                    const struct etl_schema *schema)
{
    const char *name = etl_event_provider_name(pool, record);
    const char *own = schema->texts[ETL_SCHEMA_PROVIDER];
    return own[0] != '\0' ? own : name;
}

static void learn(wmem_allocator_t *pool, struct etl_record *record, uint64_t hash,
                  struct etl_span bytes, struct etl_schema *schema)
{
    const struct etl_guid *provider = &record->event.provider;
    if (schema != NULL &&
        !etl_described_fields_register(schema, provider, provider_name_of(pool, record, schema))) {
        etl_schema_free(schema);
        schema = NULL;
    }
    keep(hash, provider, bytes, schema);
}

static struct etl_schema *find_or_learn(wmem_allocator_t *pool, struct etl_record *record,
                                        struct etl_span bytes,
                                        struct etl_schema *(*make)(struct etl_span bytes))
{
    uint64_t hash = etl_schema_hash(bytes);
    struct known *row = find_known(hash, &record->event.provider, bytes);
    if (row == NULL) {
        learn(pool, record, hash, bytes, make(bytes));
        row = find_known(hash, &record->event.provider, bytes);
    }
    return row != NULL ? row->schema : NULL;
}

/* A schema of a row is made when its first event is met. */
static const struct etl_schema *builtin_schema(const struct etl_builtin_match *match,
                                               const struct etl_guid *provider)
{
    static struct etl_schema **made; /* by row, and whether it stands in for a later version */
    static bool *tried;
    size_t place = match->number * 2 + match->older;
    if (made == NULL) {
        made = g_new0(struct etl_schema *, etl_builtin_event_count() * 2);
        tried = g_new0(bool, etl_builtin_event_count() * 2);
    }
    if (!tried[place]) {
        tried[place] = true;
        struct etl_schema *schema = etl_builtin_schema(match);
        if (schema != NULL &&
            !etl_described_fields_register(schema, provider, schema->texts[ETL_SCHEMA_PROVIDER])) {
            etl_schema_free(schema);
            schema = NULL;
        }
        made[place] = schema;
    }
    return made[place];
}

static void find_builtin(struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_builtin_match match;
    if (!etl_builtin_find(&event->provider, event->id, (uint8_t)event->version, &match)) {
        return;
    }
    record->schema = builtin_schema(&match, &event->provider);
    record->schema_unfit = record->schema != NULL &&
                           !etl_schema_fits(record->schema, event->payload, event->pointer_size);
}

void etl_described_find(wmem_allocator_t *pool, struct etl_record *record)
{
    struct etl_span item;
    const struct etl_event *event = &record->event;
    if (event->kind->family != ETL_FAMILY_MODERN) {
        return;
    }
    if (event->items.size > 0 && etl_items_find(event, ETL_ITEM_EVENT_SCHEMA_TL, &item) &&
        item.size > 0) {
        record->schema = find_or_learn(pool, record, item, etl_schema_of_tracelogging);
    } else if (etl_event_is_string(event)) {
        return; /* its id says nothing */
    } else if (record->packed_schema.size > HASH_SIZE) {
        item = record->packed_schema;
        item.at += HASH_SIZE;
        item.size -= HASH_SIZE;
        record->schema = find_or_learn(pool, record, item, etl_schema_unpack);
    } else {
        etl_user_schemas_find(record);
        if (record->schema == NULL) {
            find_builtin(record);
        }
    }
}
