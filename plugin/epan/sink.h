/*
 * A sink that shows fields in Wireshark's tree: the only place where values become items.
 *
 * Items know the bytes they are from by where the value's bytes stand in the frame; a value without
 * bytes of its own is generated, and shown in brackets. Knows nothing of
 * headers and payloads.
 */
#ifndef ETL_EPAN_SINK_H
#define ETL_EPAN_SINK_H

#include "compat/compat.h"

#include "epan/fields.h"
#include "epan/markup.h"
#include "etl/decode.h"
#include "etl/facts.h"
#include "etl/record.h"
#include "etl/sink.h"

#include <epan/packet_info.h>
#include <epan/proto.h>

/* The decoder's own nesting, and the parts of the frame around it. */
#define ETL_BRANCHES_MAX 16

struct etl_branch {
    proto_tree *tree;
    proto_item *item;   /* what the branch hangs on; NULL where nothing was made */
    proto_item *last;   /* the last row that is no part: parts and flags go below it */
    const uint8_t *at;  /* its first byte */
    const uint8_t *end; /* after the last byte shown in it */
};

struct etl_tree_sink {
    struct etl_sink sink; /* first: the core hands it back */
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *base; /* the bytes of `tvb` */
    size_t size;
    bool visible; /* somebody looks at the tree itself, not only at fields that filters ask for */
    bool generic; /* who prints fields wants those that all described fields feed */
    enum etl_subtree subtree; /* of the next group that has a title only */
    unsigned depth;
    struct etl_branch branches[ETL_BRANCHES_MAX];
    proto_item *last_item; /* the item of the last value, part or not; NULL: none was made */
    const struct etl_record *record; /* borrowed: what it calls the ids that fields hold */
    int watched_id;                  /* a field that the caller wants to hang things on … */
    proto_item *watched;             /* … and its item, once it is there */
    unsigned markups;                /* texts that their dissectors have been given */
    unsigned map_flags;              /* bits of maps that were shown */
};

/* Whether anybody asks for one of the fields that all described fields feed: etl.field.… */
static inline bool etl_generic_is_referenced(void)
{
    size_t first = etl_fact(ETL_FACT_FieldName)->number;
    return etl_any_referenced(first, etl_fact(ETL_FACT_FieldTime)->number + 1u - first);
}

/* Whether anybody asks for one of the fields that all addresses of code feed: etl.stack.module … */
static inline bool etl_code_is_referenced(void)
{
    size_t first = etl_fact(ETL_FACT_StackAddress)->number;
    return etl_any_referenced(first, etl_fact(ETL_FACT_CodeFunction)->number + 1u - first);
}

static inline bool etl_is_code(enum etl_key key)
{
    return key == ETL_KEY_CODE || key == ETL_KEY_RETURN_ADDRESS || key == ETL_KEY_STACK;
}

/* Whether anybody will look at the field, at one of its flags or at what is known of its key: what the sink itself
 * answers. */
static inline bool etl_tree_sink_wants(const struct etl_tree_sink *tree_sink,
                                       const struct etl_field *field)
{
    const struct etl_shown *shown = etl_shown(field);
    if (tree_sink->visible || etl_is_referenced(shown)) {
        return true;
    }
    if (field->described) {
        return etl_generic_is_referenced() || etl_flags_are_referenced(field) ||
               (field->markup != ETL_MARKUP_NONE && etl_markup_is_wanted(field->markup));
    }
    for (size_t i = 1; i <= shown->more; i++) {
        if (etl_is_referenced(&shown[i])) {
            return true;
        }
    }
    return etl_is_code(field->key) && etl_code_is_referenced();
}

void etl_tree_sink_start(struct etl_tree_sink *tree_sink, packet_info *pinfo, tvbuff_t *tvb,
                         proto_tree *tree, const struct etl_record *record);

/*
 * Shows what a filter asks for among the rows whose places are known. False, and nothing is shown,
 * where that is not enough: the whole tree is looked at, another row is asked for, or the bytes are
 * too few.
 */
bool etl_tree_sink_show_fixed(struct etl_tree_sink *tree_sink, const struct etl_decoder *decoder,
                              const struct etl_layout *layout, const struct etl_span *bytes);

/* What a note that is added now hangs on: the last item, or the nearest group that has one. */
proto_item *etl_tree_sink_item_of_note(const struct etl_tree_sink *tree_sink);

/* Rows go below the watched item until etl_tree_sink_leave. Where there is none they stay. */
void etl_tree_sink_enter_watched(struct etl_tree_sink *tree_sink);

/* The same of any item. */
void etl_tree_sink_enter(struct etl_tree_sink *tree_sink, proto_item *item);
void etl_tree_sink_leave(struct etl_tree_sink *tree_sink);

#endif
