/*
 * One frame: unpacked by the core, shown part by part.
 *
 * Frames without our trailer are made by others (etwdump). Wireshark's own dissector gets them
 * first, so that its filters go on working, and ours stands below it.
 */
#include "compat/compat.h"

#include "epan/dissect.h"

#include "epan/activities.h"
#include "epan/columns.h"
#include "epan/counters.h"
#include "epan/described.h"
#include "epan/described_fields.h"
#include "epan/event_trees.h"
#include "epan/facts.h"
#include "epan/labels.h"
#include "epan/late_fields.h"
#include "epan/markup.h"
#include "epan/notes.h"
#include "epan/operations.h"
#include "epan/packets.h"
#include "epan/payload.h"
#include "epan/preferences.h"
#include "epan/stacks.h"
#include "epan/statistics.h"
#include "epan/transfers.h"
#include "epan/user_schemas.h"
#include "epan/xml.h"
#include "etl/decode.h"
#include "etl/facts.h"
#include "etl/packet.h"

#include <epan/packet.h>
#include <epan/tap.h>
#include <wiretap/wtap.h>

static dissector_handle_t handle;
static dissector_handle_t built_in; /* who had the link type before; NULL: nobody */
static int tap = -1;

struct remark_context {
    packet_info *pinfo;
    proto_item *item;
};

static void add_remark(void *data, enum etl_note note, struct etl_span detail)
{
    struct remark_context *context = data;
    char text[256];
    etl_utf8_of_ansi(detail.at, detail.size, text, sizeof text);
    etl_note_add(context->pinfo, context->item, note, text);
}

static bool sizes_differ(const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    return record->length_mismatch ||
           (record->trailer == ETL_TRAILER_GOOD &&
            event->header.size + event->items.size + event->payload.size != event->size);
}

/* The clock starts with the trace. Its first event is made before; providers' own times are no
 * clock's. */
static bool is_before_start(const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    return event->has_time && record->trailer == ETL_TRAILER_GOOD && !event->local_time &&
           record->context.clock.kind != ETL_CLOCK_UNKNOWN &&
           event->raw_time < record->context.clock.base_raw;
}

/* What the reader remarked, and what can be told from the frame alone. */
static void add_notes(packet_info *pinfo, proto_item *item, const struct etl_record *record)
{
    struct remark_context context = {.pinfo = pinfo, .item = item};
    etl_record_remarks(record, add_remark, &context);
    if (record->trailer == ETL_TRAILER_NEWER) {
        etl_note_add(pinfo, item, ETL_NOTE_NEWER_RECORD, NULL);
    }
    if (record->trailer == ETL_TRAILER_DAMAGED) {
        etl_note_add(pinfo, item, ETL_NOTE_BAD_RECORD, NULL);
    }
    if (record->event.kind->family == ETL_FAMILY_OTHER) {
        etl_note_add(pinfo, item, ETL_NOTE_UNKNOWN_KIND, NULL);
    }
    if (record->place.out_of_order) {
        etl_note_add(pinfo, item, ETL_NOTE_OUT_OF_ORDER, NULL);
    }
    if (sizes_differ(record)) {
        etl_note_add(pinfo, item, ETL_NOTE_MIXED_SIZE, NULL);
    }
    if (is_before_start(record)) {
        etl_note_add(pinfo, item, ETL_NOTE_BEFORE_START, NULL);
    }
    if (record->context.clock.kind == ETL_CLOCK_UNKNOWN && record->trailer == ETL_TRAILER_GOOD) {
        etl_note_add(pinfo, item, ETL_NOTE_NO_CLOCK, NULL);
    }
}

static proto_item *add_top_item(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                const struct etl_record *record)
{
    proto_item *item = proto_tree_add_item(tree, etl_protocol, tvb, 0, -1, ENC_NA);
    if (tree != NULL && PTREE_DATA(tree)->visible) {
        proto_item_append_text(item, ": %s, CPU %u", etl_event_title(pinfo->pool, record),
                               record->place.cpu);
    }
    return item;
}

/* A trailer that could not be read is shown as what it is. */
static void show_trailer(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_span *bytes = &record->trailer_bytes;
    const struct etl_field *field = etl_fact(ETL_FACT_Trailer);
    bool unread = record->trailer == ETL_TRAILER_NEWER || record->trailer == ETL_TRAILER_DAMAGED;
    if (unread && bytes->size > 0 && tree_sink->sink.wants(&tree_sink->sink, field)) {
        struct etl_value value = {
            .at = bytes->at, .size = bytes->size, .bytes = bytes->at, .length = bytes->size};
        tree_sink->sink.value(&tree_sink->sink, field, &value);
    }
}

static void dissect_into_tree(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                              struct etl_record *record, const struct etl_packet *packet)
{
    struct etl_tree_sink tree_sink;
    proto_item *item = add_top_item(tvb, pinfo, tree, record);
    proto_tree *event_tree = proto_item_add_subtree(item, etl_subtrees[ETL_SUBTREE_EVENT]);
    add_notes(pinfo, item, record);
    etl_tree_sink_start(&tree_sink, pinfo, tvb, event_tree, record);
    tree_sink.branches[0].item = item;
    etl_show_buffer_context(&tree_sink, record);
    etl_show_header(&tree_sink, record);
    etl_stacks_show(tvb, pinfo, event_tree);
    if (!etl_payload_offer(tvb, pinfo, event_tree, record)) {
        etl_show_payload(&tree_sink, record);
        etl_counters_show(&tree_sink, record);
    }
    show_trailer(&tree_sink, record);
    etl_operations_show(tvb, pinfo, event_tree, record);
    etl_activities_show(tvb, pinfo, event_tree, record);
    etl_xml_show(tvb, pinfo, tree, &tree_sink, record);
    if (packet != NULL) {
        etl_packet_show(tvb, pinfo, tree, &tree_sink, record, packet);
    }
}

/* Nobody wants a tree: what is left are notes and what others make of the payload. */
static void dissect_without_tree(tvbuff_t *tvb, packet_info *pinfo, struct etl_record *record,
                                 const struct etl_packet *packet)
{
    add_notes(pinfo, NULL, record);
    if (!etl_payload_offer(tvb, pinfo, NULL, record) && etl_notes_are_collected()) {
        struct etl_tree_sink tree_sink;
        etl_tree_sink_start(&tree_sink, pinfo, tvb, NULL, record);
        etl_show_payload(&tree_sink, record);
        etl_xml_show(tvb, pinfo, NULL, &tree_sink, record);
    }
    etl_operations_show(tvb, pinfo, NULL, record);
    etl_activities_show(tvb, pinfo, NULL, record);
    if (packet != NULL) {
        etl_packet_show(tvb, pinfo, NULL, NULL, record, packet);
    }
}

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    guint size = tvb_captured_length(tvb);
    struct etl_record *record = wmem_new(pinfo->pool, struct etl_record);
    bool readable = etl_record_unpack(tvb_get_ptr(tvb, 0, (gint)size), size, record);
    bool ours = readable && record->trailer != ETL_TRAILER_NONE;
    etl_stacks_expect(record);
    if (!ours && built_in != NULL) {
        call_dissector_only(built_in, tvb, pinfo, tree, data);
    }
    if (!readable) {
        return built_in != NULL ? (int)size : call_data_dissector(tvb, pinfo, tree);
    }
    struct etl_packet packet;
    bool carries = ours && etl_packet_of_event(&record->event, &packet);
    if (carries) {
        etl_packet_add_reception(&packet, record->reception);
        etl_packet_add_usb_way(&packet, &record->usb_way);
    }
    etl_described_find(pinfo->pool, record);
    etl_transfer_set_addresses(pinfo, record);
    if (ours && !(carries && etl_packet_has_columns(&packet))) {
        etl_columns_set(pinfo, record);
    }
    etl_stacks_see(pinfo, record);
    if (tree != NULL) {
        dissect_into_tree(tvb, pinfo, tree, record, carries ? &packet : NULL);
    } else {
        dissect_without_tree(tvb, pinfo, record, carries ? &packet : NULL);
    }
    if (have_tap_listener(tap)) {
        tap_queue_packet(tap, pinfo, record);
    }
    return (int)size;
}

void etl_dissector_register(void)
{
    etl_fields_register();
    etl_described_fields_register_builtin();
    etl_notes_register(etl_protocol);
    etl_payload_register(etl_protocol);
    etl_stacks_register(etl_protocol);
    etl_packets_register(etl_protocol);
    etl_preferences_register(etl_protocol);
    etl_late_fields_register();
    etl_user_schemas_register();
    register_init_routine(etl_columns_start_file);
    tap = register_tap("etl");
    etl_statistics_register();
    etl_event_trees_register();
    etl_operations_register(etl_protocol);
    etl_activities_register(etl_protocol);
    etl_transfers_register(etl_protocol);
    handle = register_dissector("etl", dissect, etl_protocol);
}

void etl_dissector_hand_off(void)
{
    dissector_table_t encapsulations = find_dissector_table("wtap_encap");
    built_in = dissector_get_uint_handle(encapsulations, WTAP_ENCAP_ETW);
    dissector_add_uint("wtap_encap", WTAP_ENCAP_ETW, handle);
    etl_packets_hand_off();
    etl_markup_hand_off();
}
