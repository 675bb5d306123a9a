/*
 * Payloads. Tables that nobody has joined cost nothing: who has is looked up once a file.
 */
#include "epan/payload.h"

#include "epan/labels.h"
#include "epan/notes.h"
#include "etl/decode.h"
#include "etl/facts.h"

#include <epan/packet.h>

static dissector_table_t hook_table;
static dissector_table_t provider_table;
static dissector_table_t event_table;
static heur_dissector_list_t payload_list;

/* Which of them have members. */
static bool hook_table_used;
static bool provider_table_used;
static bool event_table_used;
static bool payload_list_used;

static void found_member(const gchar *table_name, ftenum_t selector_type, gpointer key,
                         gpointer value, gpointer user_data)
{
    (void)table_name;
    (void)selector_type;
    (void)key;
    (void)value;
    *(bool *)user_data = true;
}

static bool is_used(const char *table)
{
    bool used = false;
    dissector_table_foreach(table, found_member, &used);
    return used;
}

static void found_heuristic(const gchar *table_name, heur_dtbl_entry_t *entry, gpointer user_data)
{
    (void)table_name;
    (void)entry;
    *(bool *)user_data = true;
}

static void start_of_file(void)
{
    payload_list_used = false;
    heur_dissector_table_foreach("etl.payload", found_heuristic, &payload_list_used);
    hook_table_used = is_used("etl.hookid");
    provider_table_used = is_used("etl.provider");
    event_table_used = is_used("etl.event");
}

void etl_payload_register(int protocol)
{
    hook_table = register_dissector_table("etl.hookid", "ETL hook id", protocol, FT_UINT16,
                                          BASE_HEX);
    provider_table = register_dissector_table("etl.provider", "ETL provider", protocol, FT_GUID,
                                              BASE_HEX);
    event_table = register_dissector_table("etl.event", "ETL event (guid/id/version)", protocol,
                                           FT_STRING, FALSE);
    payload_list = register_heur_dissector_list("etl.payload", protocol);
    register_init_routine(start_of_file);
}

static tvbuff_t *payload_tvb(tvbuff_t *tvb, const struct etl_record *record)
{
    const uint8_t *base = tvb_get_ptr(tvb, 0, -1);
    return tvb_new_subset_length(tvb, (gint)(record->event.payload.at - base),
                                 (gint)record->event.payload.size);
}

static bool offer_by_event(tvbuff_t *payload, packet_info *pinfo, proto_tree *tree,
                           struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    char guid[ETL_GUID_TEXT_SIZE];
    char key[ETL_GUID_TEXT_SIZE + 16];
    if (!event_table_used || !event->has_provider) {
        return false;
    }
    etl_guid_format(&event->provider, guid);
    snprintf(key, sizeof key, "%s/%u/%u", guid, event->id, event->version);
    return etl_try_string(event_table, key, payload, pinfo, tree, record) > 0;
}

static bool offer_by_provider(tvbuff_t *payload, packet_info *pinfo, proto_tree *tree,
                              struct etl_record *record)
{
    const uint8_t *bytes = record->event.provider.bytes;
    if (!provider_table_used || !record->event.has_provider) {
        return false;
    }
    guid_key key = {.guid = {.data1 = etl_load_u32(bytes),
                             .data2 = etl_load_u16(bytes + 4),
                             .data3 = etl_load_u16(bytes + 6)}};
    memcpy(key.guid.data4, bytes + 8, sizeof key.guid.data4);
    return etl_try_guid(provider_table, &key, payload, pinfo, tree, record) > 0;
}

bool etl_payload_offer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                       struct etl_record *record)
{
    bool used = hook_table_used || provider_table_used || event_table_used || payload_list_used;
    if (!used || record->event.payload.size == 0) {
        return false;
    }
    tvbuff_t *payload = payload_tvb(tvb, record);
    heur_dtbl_entry_t *entry;
    return offer_by_event(payload, pinfo, tree, record) ||
           offer_by_provider(payload, pinfo, tree, record) ||
           (hook_table_used && record->event.has_hook &&
            etl_try_uint(hook_table, record->event.hookid, payload, pinfo, tree, record) > 0) ||
           dissector_try_heuristic(payload_list, payload, pinfo, tree, &entry, record);
}

/* Whether a filter, a column or a tap asks for a field of the layout or of a structure in it. */
static bool is_wanted(const struct etl_layout *layout)
{
    if (etl_rows_are_referenced(layout, 0) || (layout->has_keys && etl_code_is_referenced())) {
        return true;
    }
    for (size_t row = 0; row < layout->count; row++) {
        const struct etl_field *field = &layout->fields[row];
        if (field->type == ETL_TYPE_STRUCT && is_wanted(etl_layout(field->structure))) {
            return true;
        }
    }
    return false;
}

static void show_span(struct etl_tree_sink *tree_sink, enum etl_fact fact, const uint8_t *at,
                      size_t size)
{
    const struct etl_field *field = etl_fact(fact);
    if (size > 0 && etl_tree_sink_wants(tree_sink, field)) {
        struct etl_value value = {
            .at = at, .size = size, .bytes = at, .length = size, .encoding = ETL_ENCODING_UTF16};
        tree_sink->sink.value(&tree_sink->sink, field, &value);
    }
}

/* Returns how many bytes they cover, like etl_decode_layout. */
static size_t show_rows(struct etl_tree_sink *tree_sink, const struct etl_decoder *decoder,
                        const struct etl_layout *layout, const struct etl_span *payload)
{
    bool fixed = layout->fixed_rows == layout->count;
    if (fixed && etl_tree_sink_show_fixed(tree_sink, decoder, layout, payload)) {
        return layout->fixed_end[decoder->pointer_size == 8];
    }
    return etl_decode_layout(decoder, layout, payload->at, payload->size);
}

/* What is left of a payload whose fields end before it. */
static void show_surplus(struct etl_tree_sink *tree_sink, const struct etl_span *payload,
                         size_t covered)
{
    if (covered < payload->size) {
        const uint8_t *at = payload->at + covered;
        size_t size = payload->size - covered;
        show_span(tree_sink, ETL_FACT_Payload, at, size);
        tree_sink->sink.note(&tree_sink->sink, ETL_NOTE_SURPLUS, at, size, NULL);
    }
}

static void show_layout(struct etl_tree_sink *tree_sink, const struct etl_record *record,
                        const struct etl_layout *layout)
{
    const struct etl_event *event = &record->event;
    struct etl_sink *sink = &tree_sink->sink;
    struct etl_decoder decoder = {
        .sink = sink, .clock = &record->context.clock, .pointer_size = event->pointer_size};
    tree_sink->subtree = ETL_SUBTREE_PAYLOAD;
    const char *title = tree_sink->visible ? etl_event_title(tree_sink->pinfo->pool, record) : "";
    sink->begin(sink, NULL, title, event->payload.at, event->payload.size);
    tree_sink->last_item = NULL;
    size_t covered = show_rows(tree_sink, &decoder, layout, &event->payload);
    show_surplus(tree_sink, &event->payload, covered);
    etl_decode_text(sink, etl_fact(ETL_FACT_SchemaSource), NULL, 0,
                    etl_schema_source_name(ETL_SCHEMA_BUILTIN));
    sink->end(sink);
}

/* Whether somebody asks for a field of the schema, or one that all such fields feed. */
static bool schema_is_wanted(const struct etl_schema *schema)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        const struct etl_field *row = &schema->fields[i].row;
        if (etl_is_referenced(etl_shown(row)) || etl_flags_are_referenced(row) ||
            (row->markup != ETL_MARKUP_NONE && etl_markup_is_wanted(row->markup))) {
            return true;
        }
    }
    return etl_generic_is_referenced();
}

static void show_message(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_info_source source = etl_info_source_of(record);
    char text[1024];
    if (record->schema->texts[ETL_SCHEMA_MESSAGE][0] != '\0' &&
        etl_tree_sink_wants(tree_sink, etl_fact(ETL_FACT_EventMessage))) {
        etl_schema_info(&source, record->schema, record->event.payload, text, sizeof text);
        etl_decode_text(&tree_sink->sink, etl_fact(ETL_FACT_EventMessage), NULL, 0, text);
    }
}

/* Where the description is from, and of which version it is if not of the event's. */
static void show_source(struct etl_tree_sink *tree_sink, const struct etl_schema *schema)
{
    struct etl_sink *sink = &tree_sink->sink;
    etl_decode_text(sink, etl_fact(ETL_FACT_SchemaSource), NULL, 0,
                    schema != NULL ? etl_schema_source_name(schema->source) : "none");
    bool older = schema != NULL && (schema->source == ETL_SCHEMA_BUILTIN_OLDER ||
                                    schema->source == ETL_SCHEMA_USER_OLDER);
    if (older) {
        etl_decode_number(sink, etl_fact(ETL_FACT_SchemaVersion), NULL, 0, schema->version);
    }
    if (schema != NULL && schema->file != NULL) {
        etl_decode_text(sink, etl_fact(ETL_FACT_SchemaFile), NULL, 0, schema->file);
    }
}

static void show_fields(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    const struct etl_span *payload = &event->payload;
    struct etl_sink *sink = &tree_sink->sink;
    struct etl_decoder decoder = {
        .sink = sink, .clock = &record->context.clock, .pointer_size = event->pointer_size};
    if (record->schema_unfit) {
        show_span(tree_sink, ETL_FACT_Payload, payload->at, payload->size);
        sink->note(sink, ETL_NOTE_BUILTIN_UNFIT, payload->at, payload->size, NULL);
        return;
    }
    size_t covered = etl_schema_decode(&decoder, record->schema, payload->at, payload->size);
    show_surplus(tree_sink, payload, covered);
    show_message(tree_sink, record);
}

static void show_schema(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_sink *sink = &tree_sink->sink;
    tree_sink->subtree = ETL_SUBTREE_PAYLOAD;
    const char *title = tree_sink->visible ? etl_event_title(tree_sink->pinfo->pool, record) : "";
    sink->begin(sink, NULL, title, event->payload.at, event->payload.size);
    tree_sink->last_item = NULL;
    show_fields(tree_sink, record);
    show_source(tree_sink, record->schema);
    sink->end(sink);
}

static void show_string(struct etl_tree_sink *tree_sink, const struct etl_event *event)
{
    const struct etl_span *payload = &event->payload;
    if (etl_tree_sink_wants(tree_sink, etl_fact(ETL_FACT_Text))) {
        struct etl_value value = {.at = payload->at,
                                  .size = payload->size,
                                  .bytes = payload->at,
                                  .length = etl_event_string(event).size,
                                  .encoding = ETL_ENCODING_UTF16};
        tree_sink->sink.value(&tree_sink->sink, etl_fact(ETL_FACT_Text), &value);
    }
}

/* Whether somebody asks for what is shown of payloads besides their fields. */
static bool facts_are_wanted(const struct etl_tree_sink *tree_sink)
{
    static const enum etl_fact facts[] = {ETL_FACT_Payload, ETL_FACT_SchemaSource,
                                          ETL_FACT_SchemaVersion, ETL_FACT_SchemaFile,
                                          ETL_FACT_EventMessage};
    bool wanted = tree_sink->visible || etl_notes_are_wanted();
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        wanted |= etl_is_referenced(etl_shown(etl_fact(facts[i])));
    }
    return wanted;
}

/* The table's rows are less certain than a layout: those were looked at one by one. */
static bool is_builtin(const struct etl_schema *schema)
{
    return schema->source == ETL_SCHEMA_BUILTIN || schema->source == ETL_SCHEMA_BUILTIN_OLDER;
}

void etl_show_payload(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    const struct etl_schema *schema = record->schema;
    const struct etl_layout *layout = etl_layout_of_event(event);
    bool by_schema = schema != NULL && (layout == NULL || !is_builtin(schema));
    bool nothing = by_schema && (schema->field_count == 0 || record->schema_unfit);
    if (event->payload.size == 0 && !nothing) {
        return;
    }
    if (by_schema) {
        if (facts_are_wanted(tree_sink) || schema_is_wanted(schema)) {
            show_schema(tree_sink, record);
        }
    } else if (layout != NULL) {
        if (facts_are_wanted(tree_sink) || is_wanted(layout)) {
            show_layout(tree_sink, record, layout);
        }
    } else if (etl_event_is_string(event)) {
        show_string(tree_sink, event);
    } else {
        show_span(tree_sink, ETL_FACT_Payload, event->payload.at, event->payload.size);
        show_source(tree_sink, NULL);
    }
}
