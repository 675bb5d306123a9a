/*
 * XML and JSON inside events, for Wireshark's own dissectors.
 *
 * Those find their own filters (xml.tag, json.key …) in it; the columns stay the event's. Knows
 * nothing of where the text is from.
 */
#ifndef ETL_EPAN_MARKUP_H
#define ETL_EPAN_MARKUP_H

#include "compat/compat.h"

#include "etl/sink.h"

#include <epan/packet_info.h>
#include <epan/proto.h>

struct etl_tree_sink;

void etl_markup_hand_off(void);

/* Whether a filter, a column or a tap asks for what the dissector of such texts shows, or for notes. */
bool etl_markup_is_wanted(enum etl_markup markup);

/* UTF-8, borrowed for as long as the frame is dissected. */
struct etl_markup_text {
    enum etl_markup markup;
    const char *bytes;
    size_t length;
    const char *name; /* of the tab that shows it, where it is not in the frame */
};

/*
 * Shows a text in `tree`. What its dissector does not understand it says there. One that is nested too
 * deep for it stays a text, with a note on the item.
 */
void etl_markup_show(const struct etl_markup_text *text, tvbuff_t *frame, packet_info *pinfo,
                     proto_tree *tree, proto_item *item);

/* Shows the value of a field, which has its item in `tree`, if anybody looks at it. */
void etl_markup_show_value(struct etl_tree_sink *tree_sink, proto_tree *tree,
                           const struct etl_field *field, const struct etl_value *value,
                           proto_item *item);

#endif
