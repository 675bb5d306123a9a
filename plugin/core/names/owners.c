/*
 * A list of claims, sorted by key and time when all are in. While they come, the latest claim of each
 * key is found by hash: the same process once more only makes its claim longer, so that a connection
 * of a million packets is one claim.
 */
#include "core/names/owners.h"

#include <stdlib.h>
#include <string.h>

/* How many claims of one key are looked at, each way from a packet's time. */
#define NEAR_MAX 4

struct etl_claim {
    uint64_t key;
    int64_t first; /* raw times */
    int64_t last;
    uint32_t process_id;
    uint8_t source;
};

void etl_owners_free(struct etl_owners *owners)
{
    etl_budget_free(owners->budget, owners->claims, owners->room, sizeof *owners->claims);
    etl_budget_free(owners->budget, owners->slots, owners->slot_count, sizeof *owners->slots);
}

/* FNV-1a, over what is known of the ends. 64 bits: two connections never meet in one key. */
static uint64_t mix(uint64_t hash, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t mix_end(uint64_t hash, const struct etl_end *end)
{
    const uint8_t rest[3] = {(uint8_t)end->port, (uint8_t)(end->port >> 8), end->address_size};
    return mix(mix(hash, end->address, end->address_size), rest, sizeof rest);
}

static uint64_t key_of(uint8_t protocol, const struct etl_end *local, const struct etl_end *remote)
{
    static const struct etl_end unknown;
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &protocol, 1);
    hash = mix_end(hash, local != NULL ? local : &unknown);
    return mix_end(hash, remote != NULL ? remote : &unknown);
}

static bool grow_slots(struct etl_owners *owners)
{
    size_t count = owners->slot_count > 0 ? owners->slot_count * 2 : 1024;
    uint32_t *slots = etl_budget_table(owners->budget, owners->slot_count, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < owners->count; i++) {
        size_t slot = owners->claims[i].key & (count - 1);
        while (slots[slot] != 0 && owners->claims[slots[slot] - 1].key != owners->claims[i].key) {
            slot = (slot + 1) & (count - 1);
        }
        slots[slot] = (uint32_t)i + 1; /* the later one of a key stands for it */
    }
    free(owners->slots);
    owners->slots = slots;
    owners->slot_count = count;
    return true;
}

static bool make_room(struct etl_owners *owners)
{
    if (owners->count * 2 >= owners->slot_count && !grow_slots(owners)) {
        return false;
    }
    struct etl_claim *claims = etl_budget_room(owners->budget, owners->claims, owners->count, 1,
                                               &owners->room, sizeof *claims);
    owners->claims = claims != NULL ? claims : owners->claims;
    return claims != NULL;
}

static void claim(struct etl_owners *owners, struct etl_claim claim)
{
    if (!make_room(owners)) {
        return;
    }
    size_t slot = claim.key & (owners->slot_count - 1);
    while (owners->slots[slot] != 0) {
        struct etl_claim *latest = &owners->claims[owners->slots[slot] - 1];
        if (latest->key == claim.key) {
            if (latest->process_id == claim.process_id && latest->source == claim.source) {
                latest->first = claim.first < latest->first ? claim.first : latest->first;
                latest->last = claim.last > latest->last ? claim.last : latest->last;
                return;
            }
            break;
        }
        slot = (slot + 1) & (owners->slot_count - 1);
    }
    owners->claims[owners->count++] = claim;
    owners->slots[slot] = (uint32_t)owners->count;
}

static bool is_unspecified(const struct etl_end *end)
{
    for (size_t i = 0; i < end->address_size; i++) {
        if (end->address[i] != 0) {
            return false;
        }
    }
    return true;
}

static bool is_known(const struct etl_end *end)
{
    return end->port != 0;
}

void etl_owners_add(struct etl_owners *owners, uint8_t protocol, const struct etl_end *local,
                    const struct etl_end *remote, int64_t raw_time, uint32_t process_id,
                    enum etl_owner_source source)
{
    struct etl_claim one = {
        .first = raw_time, .last = raw_time, .process_id = process_id, .source = (uint8_t)source};
    if (is_known(local) && is_known(remote)) {
        one.key = key_of(protocol, local, remote);
        claim(owners, one);
    }
    if (is_known(local)) {
        struct etl_end any = {.port = local->port};
        one.key = key_of(protocol, is_unspecified(local) ? &any : local, NULL);
        claim(owners, one);
    } else if (is_known(remote)) {
        one.key = key_of(protocol, NULL, remote);
        claim(owners, one);
    }
}

static int compare(const void *left, const void *right)
{
    const struct etl_claim *a = left;
    const struct etl_claim *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->process_id > b->process_id) - (a->process_id < b->process_id);
}

void etl_owners_settle(struct etl_owners *owners)
{
    if (owners->count > 0) {
        qsort(owners->claims, owners->count, sizeof *owners->claims, compare);
    }
    etl_budget_free(owners->budget, owners->slots, owners->slot_count, sizeof *owners->slots);
    owners->slots = NULL;
    owners->slot_count = 0;
}

static uint64_t distance(const struct etl_claim *claim, int64_t time)
{
    if (time < claim->first) {
        return (uint64_t)claim->first - (uint64_t)time;
    }
    return time > claim->last ? (uint64_t)time - (uint64_t)claim->last : 0;
}

/* Of the claims of a key the one that is nearest in time: a packet may come before the event. */
static bool find_key(const struct etl_owners *owners, uint64_t key, int64_t time,
                     struct etl_owner *ret_owner)
{
    size_t low = 0;
    size_t high = owners->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct etl_claim *row = &owners->claims[middle];
        if (row->key < key || (row->key == key && row->first <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct etl_claim *nearest = NULL;
    size_t from = low > NEAR_MAX ? low - NEAR_MAX : 0;
    for (size_t i = from; i < owners->count && i <= low; i++) {
        const struct etl_claim *row = &owners->claims[i];
        if (row->key == key &&
            (nearest == NULL || distance(row, time) <= distance(nearest, time))) {
            nearest = row;
        }
    }
    if (nearest != NULL) {
        ret_owner->process_id = nearest->process_id;
        ret_owner->source = (enum etl_owner_source)nearest->source;
    }
    return nearest != NULL;
}

bool etl_owners_find(const struct etl_owners *owners, uint8_t protocol, const struct etl_end *local,
                     const struct etl_end *remote, int64_t raw_time, struct etl_owner *ret_owner)
{
    const struct etl_end any = {.port = local->port};
    const uint64_t keys[] = {
        key_of(protocol, local, remote), key_of(protocol, local, NULL),
        key_of(protocol, &any, NULL),    key_of(0, local, remote),
        key_of(0, local, NULL),          key_of(0, &any, NULL),
        key_of(protocol, NULL, remote),  key_of(0, NULL, remote),
    };
    for (size_t i = 0; owners->count > 0 && i < sizeof keys / sizeof keys[0]; i++) {
        if (find_key(owners, keys[i], raw_time, ret_owner)) {
            return true;
        }
    }
    return false;
}
