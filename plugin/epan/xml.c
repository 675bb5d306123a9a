/*
 * The text gets a tab of its own beside the frame's bytes. It is UTF-8 there, whatever the event has:
 * not every Wireshark's XML dissector knows UTF-16.
 */
#include "epan/xml.h"

#include "epan/markup.h"
#include "epan/notes.h"
#include "etl/packed_text.h"

#include <epan/packet.h>

void etl_xml_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                  const struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    struct etl_packed_text text;
    if (!etl_packed_text_of_event(&record->event, &text)) {
        return;
    }
    uint8_t *expanded = wmem_alloc(pinfo->pool, text.size + 1);
    size_t size = etl_packed_text_expand(&text, expanded);
    if (size < text.size || text.cut) {
        etl_note_add(pinfo, tree_sink->branches[0].item, ETL_NOTE_PACKED_TEXT,
                     text.cut ? "only its beginning is shown" : NULL);
    }
    char *utf8 = wmem_alloc(pinfo->pool, ETL_PACKED_TEXT_UTF8_SIZE(size));
    struct etl_markup_text xml = {.markup = ETL_MARKUP_XML,
                                  .bytes = utf8,
                                  .length = etl_packed_text_utf8(expanded, size, utf8),
                                  .name = "Expanded XML"};
    etl_markup_show(&xml, tvb, pinfo, tree, tree_sink->branches[0].item);
}
