/*
 * A hash table of GUIDs: GUIDs are random, so two of their words are the hash.
 */
#include "core/names/provider_names.h"

#include "etl/bytes.h"
#include "etl/providers.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST 64

/* A GUID whose events all give other names costs so many hashes and no more. */
#define TRIES_MAX 4

static size_t slot_of(const struct etl_guid *guid, size_t slot_count)
{
    uint64_t mixed = etl_load_u64(guid->bytes) ^ etl_load_u64(guid->bytes + 8);
    mixed *= UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio: spreads into the top bits */
    return (size_t)(mixed >> 40) & (slot_count - 1);
}

/* The GUID's entry, or the free one where it would be. The table is never full. */
static struct etl_provider_entry *entry_of(const struct etl_provider_names *names,
                                           const struct etl_guid *guid)
{
    size_t slot = slot_of(guid, names->slot_count);
    while (names->slots[slot].length > 0 && !etl_guid_equal(&names->slots[slot].guid, guid)) {
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return &names->slots[slot];
}

/* Doubles the table when it is half full. */
static bool grow(struct etl_provider_names *names)
{
    if (names->used < names->slot_count / 2) {
        return true;
    }
    struct etl_provider_names larger = *names;
    larger.slot_count = names->slot_count > 0 ? names->slot_count * 2 : SLOTS_AT_FIRST;
    larger.slots = etl_budget_table(names->maps, names->slot_count, larger.slot_count,
                                    sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < names->slot_count; i++) {
        if (names->slots[i].length > 0) {
            *entry_of(&larger, &names->slots[i].guid) = names->slots[i];
        }
    }
    free(names->slots);
    *names = larger;
    return true;
}

static bool add_text(struct etl_provider_names *names, struct etl_span utf8, uint32_t *ret_offset)
{
    char *texts = utf8.size <= UINT32_MAX - names->text_size
                      ? etl_budget_room(names->strings, names->texts, names->text_size, utf8.size,
                                        &names->text_room, 1)
                      : NULL;
    if (texts == NULL) {
        return false;
    }
    names->texts = texts;
    memcpy(names->texts + names->text_size, utf8.at, utf8.size);
    *ret_offset = (uint32_t)names->text_size;
    names->text_size += utf8.size;
    return true;
}

static bool is_hash_of(const struct etl_guid *guid, struct etl_span utf8)
{
    struct etl_guid hash;
    return etl_provider_name_hash(utf8, &hash) && etl_guid_equal(&hash, guid);
}

/* Another name for a GUID that has one already. */
static void replace(struct etl_provider_names *names, struct etl_provider_entry *entry,
                    struct etl_span utf8)
{
    if (entry->confirmed || entry->tries >= TRIES_MAX) {
        return;
    }
    entry->tries++;
    uint32_t text;
    if (is_hash_of(&entry->guid, utf8) && add_text(names, utf8, &text)) {
        entry->text = text;
        entry->length = (uint16_t)utf8.size;
        entry->confirmed = true;
    }
}

void etl_provider_names_add(struct etl_provider_names *names, const struct etl_guid *guid,
                            struct etl_span utf8)
{
    if (utf8.size == 0 || utf8.size > ETL_PROVIDER_NAME_MAX || !grow(names)) {
        return;
    }
    struct etl_provider_entry *entry = entry_of(names, guid);
    if (entry->length > 0) {
        bool same = entry->length == utf8.size &&
                    memcmp(names->texts + entry->text, utf8.at, utf8.size) == 0;
        if (!same) {
            replace(names, entry, utf8);
        }
        return;
    }
    uint32_t text;
    if (add_text(names, utf8, &text)) {
        *entry = (struct etl_provider_entry){.guid = *guid,
                                             .text = text,
                                             .length = (uint16_t)utf8.size,
                                             .confirmed = is_hash_of(guid, utf8)};
        names->used++;
    }
}

bool etl_provider_names_find(const struct etl_provider_names *names, const struct etl_guid *guid,
                             struct etl_span *ret_utf8)
{
    if (names->used == 0) {
        return false;
    }
    const struct etl_provider_entry *entry = entry_of(names, guid);
    if (entry->length == 0) {
        return false;
    }
    *ret_utf8 = (struct etl_span){.at = (const uint8_t *)names->texts + entry->text,
                                  .size = entry->length};
    return true;
}

void etl_provider_names_free(struct etl_provider_names *names)
{
    etl_budget_free(names->maps, names->slots, names->slot_count, sizeof *names->slots);
    etl_budget_free(names->strings, names->texts, names->text_room, 1);
    *names = (struct etl_provider_names){0};
}
