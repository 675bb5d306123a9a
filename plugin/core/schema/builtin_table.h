/*
 * The table of built-in events as pack.c makes it of plugin/layouts/builtin.txt: nothing in it is a
 * pointer, so that it costs no program's start anything. Private to the core and to pack.c.
 *
 *   providers, by GUID ── events, by id and version ── template: u16 top-level items, u16 items,
 *                                                      then the items' numbers; members of structs
 *                                                      come after all that are none
 *                      ── items: fields with all that is said of them, once per provider
 *
 * Texts are offsets into one pool, each with its NUL; 0 is the empty one.
 */
#ifndef ETL_CORE_BUILTIN_TABLE_H
#define ETL_CORE_BUILTIN_TABLE_H

#include "etl/guid.h"

#include <stdint.h>

struct etl_builtin_provider {
    struct etl_guid guid;
    uint32_t name;
    uint32_t first_event;
    uint32_t event_count;
    uint32_t first_item;
    uint32_t item_count;
};

struct etl_builtin_event {
    uint32_t name;
    uint32_t task;
    uint32_t opcode;
    uint32_t template_at; /* in etl_builtin_templates */
    uint16_t id;
    uint8_t version;
};

/* As in struct etl_schema_field, but that a reference is the label of the item that it means. */
struct etl_builtin_item {
    uint32_t label;
    uint32_t count;
    uint32_t length; /* STRUCT: its members */
    uint16_t map;    /* + 1; 0: none */
    uint8_t in;
    uint8_t out;
    uint8_t count_mode;
    uint8_t length_mode;
    uint16_t zero; /* so that equal items have equal bytes */
};

struct etl_builtin_map {
    uint32_t first_name;
    uint16_t name_count;
    uint16_t kind; /* enum etl_names_kind */
};

struct etl_builtin_name {
    uint32_t value;
    uint32_t text;
};

/* Set in a template's number of top-level items: what follows them is not known. */
#define ETL_BUILTIN_OPEN 0x8000

extern const struct etl_builtin_provider etl_builtin_providers[];
extern const uint32_t etl_builtin_providers_count;
extern const struct etl_builtin_event etl_builtin_events[];
extern const uint32_t etl_builtin_events_count;
extern const struct etl_builtin_item etl_builtin_items[];
extern const uint32_t etl_builtin_items_count;
extern const struct etl_builtin_map etl_builtin_maps[];
extern const struct etl_builtin_name etl_builtin_names[];
extern const uint16_t etl_builtin_templates[];
extern const char etl_builtin_texts[];

#endif
