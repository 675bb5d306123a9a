/*
 * The text gets a tab of its own beside the frame's bytes. It is UTF-8 there, whatever the event has:
 * not every Wireshark's XML dissector knows UTF-16.
 */
#include "epan/xml.h"

#include "epan/guarded.h"
#include "epan/notes.h"
#include "etl/packed_text.h"

#include <epan/column-utils.h>
#include <epan/exceptions.h>
#include <epan/packet.h>

static dissector_handle_t xml_dissector;

void etl_xml_hand_off(void)
{
    xml_dissector = find_dissector("xml");
}

/* The dissector looks its schema up by media type. */
static void call(tvbuff_t *text, packet_info *pinfo, proto_tree *tree)
{
    const char *match = pinfo->match_string;
    gboolean writable = col_get_writable(pinfo->cinfo, -1);
    pinfo->match_string = "text/xml";
    col_set_writable(pinfo->cinfo, -1, FALSE);
    TRY
    {
        etl_call_guarded(xml_dissector, text, pinfo, tree, NULL);
    }
    FINALLY
    {
        col_set_writable(pinfo->cinfo, -1, writable);
        pinfo->match_string = match;
    }
    ENDTRY;
}

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
    size_t length = etl_packed_text_utf8(expanded, size, utf8);
    if (length > 0 && xml_dissector != NULL) {
        tvbuff_t *child = tvb_new_child_real_data(tvb, (const guint8 *)utf8, (guint)length,
                                                  (gint)length);
        add_new_data_source(pinfo, child, "Expanded XML");
        call(child, pinfo, tree);
    }
}
