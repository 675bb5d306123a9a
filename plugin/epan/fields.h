/*
 * Every row of the core's tables as a field of Wireshark, registered once at start.
 *
 * Rows of one filter name share one field: as wide as the widest of them, written as the newest
 * says. Knows nothing of values and of trees.
 */
#ifndef ETL_EPAN_FIELDS_H
#define ETL_EPAN_FIELDS_H

#include "compat/compat.h"

#include "etl/layout.h"

#include <epan/proto.h>

/* What Wireshark knows of a row, or of a flag of a row: by etl_field.number, flags after their row.
 */
struct etl_shown {
    const header_field_info *info;
    int id;                        /* what other dissectors call hf_… */
    bool own_names;                /* the row's list of values isn't the one that the field has */
    bool mapped;                   /* the field's names of values are those of schemas' maps */
    const struct etl_names *flags; /* NULL: the row has none */
    uint16_t more;                 /* its flags, and what is known of its key: the next ones */
};

/* Kinds of subtree: what a user opened stays open in the next frame, kind by kind. */
enum etl_subtree {
    ETL_SUBTREE_EVENT,
    ETL_SUBTREE_BUFFER,
    ETL_SUBTREE_HEADER,
    ETL_SUBTREE_PAYLOAD,
    ETL_SUBTREE_PACKET,
    ETL_SUBTREE_STRUCTURE,
    ETL_SUBTREE_FIELD,
    ETL_SUBTREE_COUNT
};

extern int etl_protocol;
extern struct etl_shown *etl_shown_rows; /* borrowed, as many as etl_field_count() */
extern int etl_subtrees[ETL_SUBTREE_COUNT];

static inline const struct etl_shown *etl_shown(const struct etl_field *field)
{
    return &etl_shown_rows[field->number];
}

/* Whether a filter, a column or a tap asks for the field: proto_field_is_referenced without the
 * call. */
static inline bool etl_is_referenced(const struct etl_shown *shown)
{
    return shown->info->ref_type != HF_REF_TYPE_NONE;
}

/* The same of any field of a span of numbers, flags included; quick. */
static inline bool etl_any_referenced(size_t first, size_t count)
{
    const struct etl_shown *end = etl_shown_rows + first + count;
    for (const struct etl_shown *shown = etl_shown_rows + first; shown < end; shown++) {
        if (shown->info->ref_type != HF_REF_TYPE_NONE) {
            return true;
        }
    }
    return false;
}

/* The same of any flag of a described field. */
static inline bool etl_flags_are_referenced(const struct etl_field *field)
{
    for (size_t i = 0; field->flags != NULL && i < field->map->count; i++) {
        if (field->flags[i] > 0 && etl_is_referenced(&etl_shown_rows[field->flags[i]])) {
            return true;
        }
    }
    return false;
}

/* Of any row of a layout from `first_row` on, those of the structures in it apart. */
bool etl_rows_are_referenced(const struct etl_layout *layout, size_t first_row);

/* How Wireshark has values of a type: type, display and strings of a field. */
void etl_fields_describe(enum etl_type type, header_field_info *info);

/* The protocol, its fields and its subtrees. Once, from the plugin's registration. */
void etl_fields_register(void);

#endif
