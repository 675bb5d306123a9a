/*
 * Extended items of modern events (plugin/layouts/items.def draws them): walking the chain, finding
 * one, and showing all of them.
 *
 * Knows nothing of headers and payloads. Items may come from anybody's record: nothing in them is
 * believed.
 */
#ifndef ETL_ITEMS_H
#define ETL_ITEMS_H

#include "etl/event.h"

enum etl_item_type {
#define ITEM(type, id, ...) ETL_ITEM_##id = (type),
#include "layouts/all.def"
};

/* Bytes of an item before its data. */
#define ETL_ITEM_HEADER_SIZE 8

struct etl_item {
    struct etl_span whole;
    struct etl_span data; /* DataSize bytes, fewer if the item is too small for them */
    uint16_t type;
    uint16_t data_size; /* as it says */
    uint16_t reserved;  /* 15 bits */
    bool linked;        /* another item follows */
};

/* The rows of an item's data; NULL for types that nobody has described, or that have to be computed. */
const struct etl_layout *etl_item_layout(uint16_t type);

/* The next item of a chain; false when what is left is no item, and then nothing is taken. */
bool etl_item_next(struct etl_bytes *bytes, struct etl_item *ret_item);

/* The data of the first item of a type; false if the chain, or the event, has none. */
bool etl_item_find(struct etl_span items, uint16_t type, struct etl_span *ret_data);
bool etl_items_find(const struct etl_event *event, uint16_t type, struct etl_span *ret_data);

/*
 * Shows all items, each in a group titled by Microsoft's name: header, data, padding, and what is
 * wrong with it. Nothing for events that have none and announce none.
 */
void etl_items_show(const struct etl_event *event, const struct etl_context *context,
                    struct etl_sink *sink);

#endif
