/*
 * Packed schemas (schema.h) by the event that they describe: provider, id, version and, where that
 * matters, opcode and origin. Filled first, then settled, then asked.
 *
 * Origins tell apart descriptions of one event that differ: those of an EventSource in several
 * processes, say. Knows nothing of where schemas are from.
 */
#ifndef ETL_SCHEMA_SET_H
#define ETL_SCHEMA_SET_H

#include "etl/schema.h"

#include "etl/guid.h"
#include "etl/limits.h"

/* Of what stands before the rows in an item: a u64. */
#define ETL_SCHEMA_HASH_SIZE 8

struct etl_schema_key {
    struct etl_guid provider;
    uint16_t id;
    uint8_t version;
    uint8_t opcode;
    uint16_t origin;
};

struct etl_schema_set;

/* NULL when out of memory. The budget is borrowed; NULL: memory alone is the limit, and 4 GiB. */
struct etl_schema_set *etl_schema_set_new(struct etl_budget *budget);
void etl_schema_set_free(struct etl_schema_set *set); /* NULL is fine */

/* Copies the packed schema. False where memory or the budget ends: it is not known then. */
bool etl_schema_set_add(struct etl_schema_set *set, const struct etl_schema_key *key,
                        struct etl_span packed);

/* After the last etl_schema_set_add, before the first question. Of equal keys the first stays. */
void etl_schema_set_settle(struct etl_schema_set *set);

/*
 * The schema of an event of that provider, id and version; among several, of the same opcode, and of
 * the same origin. `ret_item` gets a u64 hash and the packed rows, borrowed.
 */
bool etl_schema_set_find(const struct etl_schema_set *set, const struct etl_schema_key *key,
                         struct etl_span *ret_item);

/* The same of the nearest lower version of the event, which is returned. */
bool etl_schema_set_find_older(const struct etl_schema_set *set, const struct etl_schema_key *key,
                               struct etl_span *ret_item, uint8_t *ret_version);

/* In the order of keys; `number` is below the count. */
size_t etl_schema_set_count(const struct etl_schema_set *set);
void etl_schema_set_get(const struct etl_schema_set *set, size_t number,
                        struct etl_schema_key *ret_key, struct etl_span *ret_packed);

#endif
