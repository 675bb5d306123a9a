/*
 * Names that a trace's own events give to providers: GUID to name, filled by the index pass through
 * keys.c.
 *
 * Bounded whatever the file says, and quick for what it says again and again: no allocation, one
 * look.
 */
#ifndef ETL_CORE_PROVIDER_NAMES_H
#define ETL_CORE_PROVIDER_NAMES_H

#include "etl/event.h"
#include "etl/limits.h"

struct etl_provider_entry {
    struct etl_guid guid;
    uint32_t text; /* offset of the name in texts */
    uint16_t length;
    uint8_t tries;  /* names that were compared with the GUID's hash */
    bool confirmed; /* the GUID is the hash of this name */
};

/* Open addressing; an entry without length is free. Zeroed is empty. */
struct etl_provider_names {
    struct etl_budget *maps;          /* borrowed, of slots; NULL: memory alone is the limit */
    struct etl_budget *strings;       /* the same of texts */
    struct etl_provider_entry *slots; /* owned; a power of two */
    size_t slot_count;
    size_t used;
    char *texts; /* owned; UTF-8, not terminated */
    size_t text_size;
    size_t text_room;
};

void etl_provider_names_free(struct etl_provider_names *names);

/*
 * Remembers the name. Of two names of one GUID the first stays, unless the GUID is made from the
 * second (etl_provider_name_hash). Where memory or a budget ends, fewer are known.
 */
void etl_provider_names_add(struct etl_provider_names *names, const struct etl_guid *guid,
                            struct etl_span utf8);

/* False if the GUID has none. The text is borrowed until the next add. */
bool etl_provider_names_find(const struct etl_provider_names *names, const struct etl_guid *guid,
                             struct etl_span *ret_utf8);

#endif
