/* Calls Wireshark's dissectors of XML and JSON. */
#include "epan/markup.h"

#include "epan/guarded.h"
#include "epan/notes.h"
#include "epan/sink.h"
#include "epan/value_text.h"

#include <epan/column-utils.h>
#include <epan/exceptions.h>
#include <epan/packet.h>

/* Texts of one event that go to their dissectors: a real event has one or two, and each may get bytes
 * of its own. */
#define MARKUPS_MAX 32

/* How deep texts may be nested: Wireshark takes a tree of over 500 levels for a bug of its dissector's,
 * and JSON's has two or three for each of its own. */
#define DEPTH_MAX 128

/* By kind. */
static struct markup_dissector {
    const char *name;       /* of the dissector, and of its protocol in filters */
    const char *media_type; /* dissectors look what they know of a text up by it */
    dissector_handle_t handle;
    const header_field_info *protocol;
} dissectors[ETL_MARKUP_COUNT] = {
    [ETL_MARKUP_XML] = {.name = "xml", .media_type = "text/xml"},
    [ETL_MARKUP_JSON] = {.name = "json", .media_type = "application/json"},
};

void etl_markup_hand_off(void)
{
    for (enum etl_markup markup = ETL_MARKUP_NONE + 1; markup < ETL_MARKUP_COUNT; markup++) {
        int protocol = proto_get_id_by_filter_name(dissectors[markup].name);
        dissectors[markup].handle = find_dissector(dissectors[markup].name);
        dissectors[markup].protocol = protocol > 0 ? proto_registrar_get_nth((guint)protocol)
                                                   : NULL;
    }
}

/* Who asks for a field of a dissector asks for its protocol too. */
bool etl_markup_is_wanted(enum etl_markup markup)
{
    const header_field_info *protocol = dissectors[markup].protocol;
    return (protocol != NULL && protocol->ref_type != HF_REF_TYPE_NONE) || etl_notes_are_wanted();
}

/* Tags that are open at the most; those in comments count too. */
static size_t depth_of_xml(const char *text, size_t length)
{
    size_t depth = 0;
    size_t deepest = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        bool closes = (text[i] == '<' && text[i + 1] == '/') ||
                      (text[i] == '/' && text[i + 1] == '>');
        if (closes) {
            depth -= depth > 0;
        } else if (text[i] == '<' && text[i + 1] != '!' && text[i + 1] != '?') {
            depth++;
            deepest = MAX(deepest, depth);
        }
    }
    return deepest;
}

static size_t depth_of_json(const char *text, size_t length)
{
    size_t depth = 0;
    size_t deepest = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') {
            quoted = !quoted;
        } else if (quoted) {
            i += text[i] == '\\';
        } else if (text[i] == '[' || text[i] == '{') {
            depth++;
            deepest = MAX(deepest, depth);
        } else if (text[i] == ']' || text[i] == '}') {
            depth -= depth > 0;
        }
    }
    return deepest;
}

static bool is_too_deep(const struct etl_markup_text *text)
{
    size_t depth = text->markup == ETL_MARKUP_XML ? depth_of_xml(text->bytes, text->length)
                                                  : depth_of_json(text->bytes, text->length);
    return depth > DEPTH_MAX;
}

/* The name in <?xml … encoding="name"?>; NULL: there is none. */
static const char *declared_encoding(const struct etl_markup_text *text, size_t *ret_length)
{
    static const char begin[] = "<?xml";
    static const char attribute[] = "encoding=";
    const char *end = g_strstr_len(text->bytes, (gssize)text->length, "?>");
    if (end == NULL || strncmp(text->bytes, begin, strlen(begin)) != 0) {
        return NULL;
    }
    const char *name = g_strstr_len(text->bytes, end - text->bytes, attribute);
    if (name == NULL || name + strlen(attribute) >= end) {
        return NULL;
    }
    name += strlen(attribute) + 1; /* and the quotation mark */
    const char *close = memchr(name, name[-1], (size_t)(end - name));
    *ret_length = close != NULL ? (size_t)(close - name) : 0;
    return close != NULL ? name : NULL;
}

/*
 * Dissectors from Wireshark 4.4 on believe what a text says of its encoding. Ours is UTF-8, whatever it
 * was when that was written.
 */
static void declare_utf8(struct etl_markup_text *text, wmem_allocator_t *pool)
{
    static const char utf8[] = "utf-8";
    size_t length;
    const char *name = declared_encoding(text, &length);
    if (name == NULL || (length == strlen(utf8) && g_ascii_strncasecmp(name, utf8, length) == 0)) {
        return;
    }
    size_t before = (size_t)(name - text->bytes);
    size_t after = text->length - before - length;
    wmem_strbuf_t *bytes = wmem_strbuf_new(pool, "");
    wmem_strbuf_append_len(bytes, text->bytes, before);
    wmem_strbuf_append(bytes, utf8);
    wmem_strbuf_append_len(bytes, name + length, after);
    text->bytes = wmem_strbuf_get_str(bytes);
    text->length = wmem_strbuf_get_len(bytes);
}

/* Bytes of the frame if the text is those, else bytes of its own. */
static tvbuff_t *bytes_of(const struct etl_markup_text *text, tvbuff_t *frame, packet_info *pinfo)
{
    size_t size = tvb_captured_length(frame);
    size_t offset = (size_t)((uintptr_t)text->bytes - (uintptr_t)tvb_get_ptr(frame, 0, (gint)size));
    if (offset < size && text->length <= size - offset) {
        return tvb_new_subset_length(frame, (gint)offset, (gint)text->length);
    }
    tvbuff_t *bytes = tvb_new_child_real_data(frame, (const guint8 *)text->bytes,
                                              (guint)text->length, (gint)text->length);
    add_new_data_source(pinfo, bytes, text->name);
    return bytes;
}

static void call(const struct markup_dissector *dissector, tvbuff_t *bytes, packet_info *pinfo,
                 proto_tree *tree)
{
    const char *match = pinfo->match_string;
    gboolean writable = col_get_writable(pinfo->cinfo, -1);
    pinfo->match_string = dissector->media_type;
    col_set_writable(pinfo->cinfo, -1, FALSE);
    TRY
    {
        etl_call_guarded(dissector->handle, bytes, pinfo, tree, NULL);
    }
    FINALLY
    {
        col_set_writable(pinfo->cinfo, -1, writable);
        pinfo->match_string = match;
    }
    ENDTRY;
}

void etl_markup_show(const struct etl_markup_text *text, tvbuff_t *frame, packet_info *pinfo,
                     proto_tree *tree, proto_item *item)
{
    const struct markup_dissector *dissector = &dissectors[text->markup];
    struct etl_markup_text settled = *text;
    if (dissector->handle == NULL || text->length == 0) {
        return;
    }
    if (is_too_deep(text)) {
        etl_note_add(pinfo, item, ETL_NOTE_DEEP_TEXT, NULL);
        return;
    }
    if (text->markup == ETL_MARKUP_XML) {
        declare_utf8(&settled, pinfo->pool);
    }
    call(dissector, bytes_of(&settled, frame, pinfo), pinfo, tree);
}

void etl_markup_show_value(struct etl_tree_sink *tree_sink, proto_tree *tree,
                           const struct etl_field *field, const struct etl_value *value,
                           proto_item *item)
{
    wmem_allocator_t *pool = tree_sink->pinfo->pool;
    bool looked_at = tree_sink->visible || etl_markup_is_wanted(field->markup);
    if (value->length == 0 || tree == NULL || !looked_at || tree_sink->markups >= MARKUPS_MAX) {
        return;
    }
    tree_sink->markups++;
    struct etl_markup_text text = {.markup = field->markup,
                                   .bytes = etl_value_text(pool, ETL_SHAPE_TEXT, value),
                                   .name = wmem_strdup(pool, field->label)};
    text.length = strlen(text.bytes);
    if (text.length == value->length && memcmp(text.bytes, value->bytes, text.length) == 0) {
        text.bytes = (const char *)value->bytes;
    }
    if (tree_sink->visible) {
        tree = proto_item_add_subtree(item, etl_subtrees[ETL_SUBTREE_FIELD]);
    }
    etl_markup_show(&text, tree_sink->tvb, tree_sink->pinfo, tree,
                    item != NULL ? item : etl_tree_sink_item_of_note(tree_sink));
}
