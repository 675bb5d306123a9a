/*
 * Hands packets to Wireshark by what they begin with, and shows what is known of them.
 */
#include "epan/packets.h"

#include "epan/columns.h"
#include "epan/guarded.h"
#include "epan/line.h"
#include "epan/notes.h"
#include "epan/packet_state.h"
#include "epan/preferences.h"
#include "etl/decode.h"

#include <epan/column-utils.h>
#include <epan/exceptions.h>
#include <epan/exported_pdu.h>
#include <epan/ipproto.h>
#include <epan/packet.h>
#include <epan/reassemble.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <wiretap/wtap.h>

/* Of the second byte of a frame's control field. */
#define IEEE_802_11_PROTECTED 0x40

/* Of a path. Real ones have a dozen; a hostile trace reports one packet a million times. */
#define PATH_PLACES_MAX    32
#define COUNTED_PLACES_MAX 1024

/* One dissector and one list of exported packets for each kind of link. */
struct link_facts {
    const char *dissector;  /* of Wireshark; IP has two; NULL: who has the encapsulation */
    const char *export_tap; /* as File > Export PDUs and tshark -U call it; NULL: none */
    int encapsulation;
};

static const struct link_facts links[ETL_LINK_COUNT] = {
    [ETL_LINK_UNKNOWN] = {"data", NULL, 0},
    [ETL_LINK_ETHERNET] = {"eth_withoutfcs", "ETL packets", WTAP_ENCAP_ETHERNET},
    [ETL_LINK_IEEE_802_11] = {"wlan", "ETL packets, 802.11", WTAP_ENCAP_IEEE_802_11},
    [ETL_LINK_RAW_IP] = {"ip", "ETL packets, raw IP", WTAP_ENCAP_RAW_IP},
    [ETL_LINK_TEXT] = {"data-text-lines", NULL, 0},
    [ETL_LINK_MESSAGE] = {NULL, "ETL messages", WTAP_ENCAP_WIRESHARK_UPPER_PDU},
    [ETL_LINK_USB] = {NULL, "ETL packets, USB", WTAP_ENCAP_USBPCAP},
    [ETL_LINK_BLUETOOTH_H4] = {NULL, "ETL packets, Bluetooth", WTAP_ENCAP_BLUETOOTH_H4_WITH_PHDR},
    [ETL_LINK_RADIOTAP] = {NULL, "ETL packets, radiotap", WTAP_ENCAP_IEEE_802_11_RADIOTAP},
};

static dissector_handle_t dissectors[ETL_LINK_COUNT];
static dissector_handle_t ipv6_dissector;
static int export_taps[ETL_LINK_COUNT];
static reassembly_table parts;

static int field_first_frame = -1;
static int field_previous_frame = -1;
static int field_next_frame = -1;
static int field_dropped_frame = -1;
static int field_parts = -1;
static int field_part = -1;
static int field_part_overlap = -1;
static int field_part_overlap_conflict = -1;
static int field_part_multiple_ends = -1;
static int field_part_too_long = -1;
static int field_part_error = -1;
static int field_part_count = -1;
static int field_joined_in = -1;
static int field_joined_size = -1;

static const fragment_items part_items = {
    &etl_subtrees[ETL_SUBTREE_FIELD],
    &etl_subtrees[ETL_SUBTREE_STRUCTURE],
    &field_parts,
    &field_part,
    &field_part_overlap,
    &field_part_overlap_conflict,
    &field_part_multiple_ends,
    &field_part_too_long,
    &field_part_error,
    &field_part_count,
    &field_joined_in,
    &field_joined_size,
    NULL,
    "Parts of the packet",
};

#define FRAME(id, label, filter)                                                      \
    {                                                                                 \
        &(id),                                                                        \
        {                                                                             \
            label, "etl.packet." filter, FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL \
        }                                                                             \
    }
#define YES_OR_NO(id, label, filter)                                                 \
    {                                                                                \
        &(id),                                                                       \
        {                                                                            \
            label, "etl.packet." filter, FT_BOOLEAN, BASE_NONE, NULL, 0, NULL, HFILL \
        }                                                                            \
    }
#define NUMBER(id, label, filter)                                                  \
    {                                                                              \
        &(id),                                                                     \
        {                                                                          \
            label, "etl.packet." filter, FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL \
        }                                                                          \
    }

/* Links between frames are Wireshark's own kind of value; all other fields are rows. */
static void register_fields(int protocol)
{
    static hf_register_info infos[] = {
        FRAME(field_first_frame, "Same packet, first seen in", "first_frame"),
        FRAME(field_previous_frame, "Same packet, before this in", "previous_frame"),
        FRAME(field_next_frame, "Same packet, after this in", "next_frame"),
        FRAME(field_dropped_frame, "Same packet, dropped in", "dropped_frame"),
        {&field_parts, {"Parts", "etl.packet.parts", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
        FRAME(field_part, "Part", "part_frame"),
        YES_OR_NO(field_part_overlap, "Part overlaps", "part.overlap"),
        YES_OR_NO(field_part_overlap_conflict, "Part overlaps with other bytes", "part.conflict"),
        YES_OR_NO(field_part_multiple_ends, "Several last parts", "part.multiple_ends"),
        YES_OR_NO(field_part_too_long, "Part is too long", "part.too_long"),
        FRAME(field_part_error, "Part in error", "part.error_frame"),
        NUMBER(field_part_count, "Number of parts", "part.count"),
        FRAME(field_joined_in, "Joined in", "joined_frame"),
        NUMBER(field_joined_size, "Joined size", "joined_size"),
    };
    proto_register_field_array(protocol, infos, array_length(infos));
}

void etl_packets_register(int protocol)
{
    register_fields(protocol);
    etl_packet_state_register();
    reassembly_table_register(&parts, &addresses_reassembly_table_functions);
    for (size_t link = 0; link < ETL_LINK_COUNT; link++) {
        export_taps[link] = links[link].export_tap != NULL
                                ? register_export_pdu_tap_with_encap(links[link].export_tap,
                                                                     links[link].encapsulation)
                                : -1;
    }
}

void etl_packets_hand_off(void)
{
    for (size_t link = 0; link < ETL_LINK_COUNT; link++) {
        const struct link_facts *facts = &links[link];
        dissectors[link] = facts->dissector != NULL
                               ? find_dissector(facts->dissector)
                               : dissector_get_uint_handle(find_dissector_table("wtap_encap"),
                                                           (guint32)facts->encapsulation);
    }
    ipv6_dissector = find_dissector("ipv6");
}

bool etl_packet_has_columns(const struct etl_packet *packet)
{
    return packet->start && packet->end && packet->link != ETL_LINK_UNKNOWN &&
           packet->link != ETL_LINK_TEXT && packet->link != ETL_LINK_MESSAGE;
}

static void show_fact(struct etl_tree_sink *tree_sink, enum etl_packet_fact fact, uint64_t number)
{
    etl_decode_number(&tree_sink->sink, etl_packet_fact(fact), NULL, 0, number);
}

static void show_text(struct etl_tree_sink *tree_sink, enum etl_packet_fact fact, const char *text)
{
    etl_decode_text(&tree_sink->sink, etl_packet_fact(fact), NULL, 0, text);
}

static void show_frame(struct etl_tree_sink *tree_sink, int field, uint32_t frame)
{
    if (frame != 0) {
        proto_tree *tree = tree_sink->branches[tree_sink->depth].tree;
        proto_item_set_generated(proto_tree_add_uint(tree, field, tree_sink->tvb, 0, 0, frame));
    }
}

/* The components that the packet passed, as far as they have been seen. */
static void show_path(struct etl_tree_sink *tree_sink, const struct etl_sighting *sighting)
{
    const struct etl_sighting *at = sighting->trail_start;
    if (at == NULL || at->later == NULL ||
        !etl_tree_sink_wants(tree_sink, etl_packet_fact(ETL_PACKET_FACT_Path))) {
        return;
    }
    wmem_strbuf_t *text = wmem_strbuf_new(tree_sink->pinfo->pool, at->place_name);
    size_t places = 1;
    for (; at->later != NULL && places < PATH_PLACES_MAX; at = at->later, places++) {
        wmem_strbuf_append(text, " → ");
        wmem_strbuf_append(text, at->later->place_name);
    }
    wmem_strbuf_append(text, at->later != NULL ? " → …" : "");
    show_text(tree_sink, ETL_PACKET_FACT_Path, wmem_strbuf_get_str(text));
}

static void show_links(struct etl_tree_sink *tree_sink, const struct etl_packet *packet,
                       const struct etl_sighting *sighting)
{
    if (sighting->first == 0) { /* a part */
        return;
    }
    show_path(tree_sink, sighting);
    show_fact(tree_sink, ETL_PACKET_FACT_First, sighting->first == sighting->frame);
    if (packet->has_group) {
        show_fact(tree_sink, ETL_PACKET_FACT_PktMonFirst, sighting->group_first);
    }
    if (sighting->first != sighting->frame) {
        show_frame(tree_sink, field_first_frame, sighting->first);
    }
    show_frame(tree_sink, field_previous_frame, sighting->previous);
    show_frame(tree_sink, field_next_frame, sighting->next);
    show_frame(tree_sink, field_dropped_frame, sighting->trail_start->dropped);
}

/* What the record calls an id. */
static void show_name(struct etl_tree_sink *tree_sink, const struct etl_record *record,
                      enum etl_packet_fact fact, enum etl_key key, uint64_t id)
{
    struct etl_record_name name;
    const struct etl_field *field = etl_packet_fact(fact);
    if (etl_tree_sink_wants(tree_sink, field) && etl_record_find_name(record, key, id, &name)) {
        show_text(tree_sink, fact,
                  wmem_strndup(tree_sink->pinfo->pool, (const char *)name.text.at, name.text.size));
    }
}

static void show_owner(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_owner *owner = &record->owner;
    if (owner->source != ETL_OWNER_NONE) {
        show_fact(tree_sink, ETL_PACKET_FACT_ProcessId, owner->process_id);
        show_name(tree_sink, record, ETL_PACKET_FACT_ProcessName, ETL_KEY_PROCESS,
                  owner->process_id);
        show_fact(tree_sink, ETL_PACKET_FACT_ProcessIdSource, owner->source);
    }
}

static void show_facts(struct etl_tree_sink *tree_sink, const struct etl_record *record,
                       const struct etl_packet *packet)
{
    show_fact(tree_sink, ETL_PACKET_FACT_LinkType, packet->link);
    show_fact(tree_sink, ETL_PACKET_FACT_Direction, packet->direction);
    if (packet->has_interface) {
        show_fact(tree_sink, ETL_PACKET_FACT_InterfaceIndex, packet->interface_index);
        show_name(tree_sink, record, ETL_PACKET_FACT_InterfaceName, ETL_KEY_INTERFACE,
                  packet->interface_index);
    }
    if (packet->has_group) {
        show_name(tree_sink, record, ETL_PACKET_FACT_ComponentName, ETL_KEY_COMPONENT,
                  packet->component);
        show_name(tree_sink, record, ETL_PACKET_FACT_EdgeName, ETL_KEY_EDGE,
                  etl_packet_edge_id(packet->component, packet->edge));
    }
    show_owner(tree_sink, record);
    if (packet->original_size != 0) {
        show_fact(tree_sink, ETL_PACKET_FACT_OriginalSize, packet->original_size);
    }
    if (packet->has_vlan) {
        show_fact(tree_sink, ETL_PACKET_FACT_VlanId, packet->vlan);
    }
    show_fact(tree_sink, ETL_PACKET_FACT_Start, packet->start);
    show_fact(tree_sink, ETL_PACKET_FACT_End, packet->end);
}

/* The packet's bytes where the event has them, or with what belongs before them. */
static tvbuff_t *whole_tvb(tvbuff_t *tvb, packet_info *pinfo, const struct etl_packet *packet)
{
    guint size = (guint)packet->bytes.size;
    guint reported = packet->original_size != 0 ? packet->original_size : size;
    if (packet->prefix_size == 0) {
        gint offset = (gint)(packet->bytes.at - tvb_get_ptr(tvb, 0, -1));
        return tvb_new_subset_length_caplen(tvb, offset, (gint)size, (gint)reported);
    }
    guint8 *copy = wmem_alloc(pinfo->pool, packet->prefix_size + size);
    memcpy(copy, packet->prefix, packet->prefix_size);
    memcpy(copy + packet->prefix_size, packet->bytes.at, size);
    if (packet->link == ETL_LINK_RADIOTAP && size > 1) {
        copy[packet->prefix_size + 1] &= (guint8)~IEEE_802_11_PROTECTED;
    }
    tvbuff_t *framed = tvb_new_child_real_data(tvb, copy, packet->prefix_size + size,
                                               (gint)(packet->prefix_size + reported));
    add_new_data_source(pinfo, framed, "Packet");
    return framed;
}

/* What parts make once the last one is here; NULL before. */
static tvbuff_t *joined_tvb(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                            const struct etl_packet *packet, const struct etl_sighting *sighting)
{
    int offset = (int)(packet->bytes.at - tvb_get_ptr(tvb, 0, -1));
    int size = (int)packet->bytes.size;
    if (sighting->part_of == 0) {
        return NULL;
    }
    fragment_head *head = fragment_add_seq_next(&parts, tvb, offset, pinfo, sighting->part_of, NULL,
                                                (guint32)size, !packet->end);
    return process_reassembled_data(tvb, offset, pinfo, "Joined packet", head, &part_items, NULL,
                                    tree);
}

/*
 * Completes `whole`, which is this event's packet or part, and returns its bytes as Wireshark wants
 * them; NULL when they are not all there.
 */
static tvbuff_t *packet_tvb(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                            const struct etl_record *record, const struct etl_sighting *sighting,
                            struct etl_packet *whole)
{
    if (whole->start && whole->end && whole->joined_id == 0) {
        return whole_tvb(tvb, pinfo, whole);
    }
    bool single = whole->start && whole->end;
    tvbuff_t *joined = tvb;
    struct etl_span bytes = whole->bytes;
    if (!single) {
        joined = joined_tvb(tvb, pinfo, tree, whole, sighting);
        if (joined == NULL) {
            return NULL;
        }
        bytes.size = tvb_captured_length(joined);
        bytes.at = tvb_get_ptr(joined, 0, (gint)bytes.size);
    }
    if (whole->joined_id == 0) {
        whole->bytes = bytes;
        return joined;
    }
    bool found = etl_packet_of_joined(&record->event, whole->joined_id, bytes, whole);
    return found ? whole_tvb(joined, pinfo, whole) : NULL;
}

/* Why it was dropped, and where in the code. */
static void add_drop(struct etl_line *line, const struct etl_packet *packet)
{
    const char *reason = etl_names_find(ETL_NAMES_pktmon_drop_reason, packet->drop_reason);
    const char *place = etl_names_find(ETL_NAMES_pktmon_drop_location, packet->drop_location);
    etl_line_text(line, reason != NULL ? reason : "reason ");
    if (reason == NULL) {
        etl_line_number(line, packet->drop_reason);
    }
    if (place != NULL) {
        etl_line_text(line, ", at ");
        etl_line_text(line, place);
    }
}

static void add_packet_notes(packet_info *pinfo, proto_item *item, const struct etl_packet *packet,
                             const struct etl_sighting *sighting, bool whole)
{
    if (sighting->without_start) {
        etl_note_add(pinfo, item, ETL_NOTE_PACKET_NO_START, NULL);
    } else if (!whole) {
        etl_note_add(pinfo, item, ETL_NOTE_PACKET_PART, NULL);
    } else if (packet->link == ETL_LINK_UNKNOWN) {
        etl_note_add(pinfo, item, ETL_NOTE_PACKET_UNKNOWN, NULL);
    }
    if (packet->dropped) {
        struct etl_line line;
        etl_line_start(&line);
        add_drop(&line, packet);
        etl_note_add(pinfo, item, ETL_NOTE_PACKET_DROPPED, line.text);
    }
}

static dissector_handle_t dissector_of(enum etl_link link, tvbuff_t *packet)
{
    bool ipv6 = link == ETL_LINK_RAW_IP && tvb_captured_length(packet) > 0 &&
                tvb_get_bits8(packet, 0, 4) == 6;
    return ipv6 ? ipv6_dissector : dissectors[link];
}

/*
 * Some dissectors look at what encapsulation the frame has: it has that of its packet as long as they
 * are at work.
 */
static void call_by_encapsulation(tvbuff_t *bytes, packet_info *pinfo, proto_tree *tree,
                                  const struct etl_packet *packet)
{
    union wtap_pseudo_header header = *pinfo->pseudo_header;
    int encapsulation = pinfo->rec->rec_header.packet_header.pkt_encap;
    pinfo->rec->rec_header.packet_header.pkt_encap = links[packet->link].encapsulation;
    memset(pinfo->pseudo_header, 0, sizeof *pinfo->pseudo_header);
    if (packet->link == ETL_LINK_BLUETOOTH_H4) {
        pinfo->pseudo_header->p2p.sent = packet->direction == ETL_DIRECTION_OUT;
    }
    TRY
    {
        etl_call_guarded(dissectors[packet->link], bytes, pinfo, tree, NULL);
    }
    FINALLY
    {
        *pinfo->pseudo_header = header;
        pinfo->rec->rec_header.packet_header.pkt_encap = encapsulation;
    }
    ENDTRY;
}

static void call(tvbuff_t *bytes, packet_info *pinfo, proto_tree *tree,
                 const struct etl_packet *packet)
{
    struct ieee_802_11_phdr wireless = {.fcs_len = 0, .decrypted = 1};
    if (links[packet->link].dissector == NULL) {
        call_by_encapsulation(bytes, pinfo, tree, packet);
        return;
    }
    etl_call_guarded(dissector_of(packet->link, bytes), bytes, pinfo, tree,
                     packet->link == ETL_LINK_IEEE_802_11 ? &wireless : NULL);
}

static void add_ports(struct etl_line *line, const struct etl_packet_ends *ends)
{
    if (ends->has_ports) {
        etl_line_number(line, ends->source_port);
        etl_line_text(line, " → ");
        etl_line_number(line, ends->destination_port);
        etl_line_text(line, " ");
    }
}

static void add_component(struct etl_line *line, const struct etl_record *record,
                          const struct etl_packet *packet)
{
    struct etl_record_name name;
    etl_line_text(line, ", at ");
    if (etl_record_find_name(record, ETL_KEY_COMPONENT, packet->component, &name)) {
        etl_line_foreign(line, name.text.at, name.text.size);
    } else {
        etl_line_text(line, "component ");
        etl_line_number(line, packet->component);
    }
    etl_line_text(line, ", edge ");
    etl_line_number(line, packet->edge);
}

static void set_ends(packet_info *pinfo, const struct etl_packet_ends *ends)
{
    address source;
    address destination;
    int type = ends->address_size == 4 ? AT_IPv4 : AT_IPv6;
    set_address(&source, type, ends->address_size, ends->source);
    set_address(&destination, type, ends->address_size, ends->destination);
    col_add_str(pinfo->cinfo, COL_DEF_SRC, address_to_str(pinfo->pool, &source));
    col_add_str(pinfo->cinfo, COL_DEF_DST, address_to_str(pinfo->pool, &destination));
    col_add_str(pinfo->cinfo, COL_PROTOCOL, ipprotostr(ends->protocol));
}

/* Wireshark's dissectors write no columns for packets that they are told to keep apart. */
static void set_copy_columns(packet_info *pinfo, const struct etl_record *record,
                             const struct etl_packet *packet, const struct etl_sighting *sighting)
{
    struct etl_packet_ends ends;
    struct etl_line line;
    if (!col_get_writable(pinfo->cinfo, COL_INFO)) {
        return;
    }
    etl_packet_ends(packet->link, packet->bytes, &ends);
    if (ends.address_size > 0) {
        set_ends(pinfo, &ends);
    } else {
        col_set_str(pinfo->cinfo, COL_PROTOCOL,
                    etl_names_find(ETL_NAMES_packet_link, packet->link));
    }
    etl_line_start(&line);
    add_ports(&line, &ends);
    if (sighting->first != sighting->frame) {
        etl_line_text(&line, "[same packet as in frame ");
        etl_line_number(&line, sighting->first);
    } else { /* a later one counts (etl_counted_place) */
        etl_line_text(&line, "[first of its reports");
    }
    if (packet->has_group) {
        add_component(&line, record, packet);
    }
    etl_line_text(&line, "]");
    col_add_str(pinfo->cinfo, COL_INFO, line.text);
}

/*
 * The driver decrypts frames and leaves their Protected bit: without an event around them they
 * would be taken for encrypted.
 */
static tvbuff_t *without_protected_bit(tvbuff_t *packet, packet_info *pinfo)
{
    guint size = tvb_captured_length(packet);
    if (size < 2) {
        return packet;
    }
    guint8 *copy = tvb_memdup(pinfo->pool, packet, 0, size);
    copy[1] &= (guint8)~IEEE_802_11_PROTECTED;
    return tvb_new_child_real_data(packet, copy, size, (gint)tvb_reported_length(packet));
}

/* The bytes alone go out, each packet once: neither ids nor names are in them. */
static void export_packet(tvbuff_t *packet, packet_info *pinfo, enum etl_link link)
{
    if (export_taps[link] == -1 || !have_tap_listener(export_taps[link])) {
        return;
    }
    exp_pdu_data_t *data = wmem_new0(pinfo->pool, exp_pdu_data_t);
    data->tvb_captured_length = tvb_captured_length(packet);
    data->tvb_reported_length = tvb_reported_length(packet);
    data->pdu_tvb = link == ETL_LINK_IEEE_802_11 ? without_protected_bit(packet, pinfo) : packet;
    tap_queue_packet(export_taps[link], pinfo, data);
}

static void append_drop(packet_info *pinfo, const struct etl_packet *packet)
{
    struct etl_line line;
    etl_line_start(&line);
    etl_line_text(&line, " [dropped: ");
    add_drop(&line, packet);
    etl_line_text(&line, "]");
    col_append_str(pinfo->cinfo, COL_INFO, line.text);
}

/* Whether this is the report of the packet that takes part in conversations and goes out. */
static bool is_counted(const struct etl_packet *packet, const struct etl_sighting *sighting)
{
    bool placed = packet->has_group || packet->has_interface;
    if (etl_counted_place[0] == '\0' || !placed) {
        return sighting->first == sighting->frame;
    }
    const struct etl_sighting *at = sighting->trail_start;
    for (int places = 0; at != sighting && places < COUNTED_PLACES_MAX; places++) {
        if (at->place_name == sighting->place_name) { /* one text for each name */
            return false;
        }
        at = at->later;
    }
    return at == sighting && strcmp(sighting->place_name, etl_counted_place) == 0;
}

static void dissect_packet(tvbuff_t *packet_bytes, packet_info *pinfo, proto_tree *tree,
                           const struct etl_record *record, const struct etl_packet *packet,
                           const struct etl_sighting *sighting)
{
    bool copy = etl_copies_apart && !is_counted(packet, sighting);
    bool in_error = pinfo->flags.in_error_pkt;
    if (packet->direction != ETL_DIRECTION_UNKNOWN) {
        pinfo->p2p_dir = packet->direction == ETL_DIRECTION_IN ? P2P_DIR_RECV : P2P_DIR_SENT;
    }
    if (copy) {
        set_copy_columns(pinfo, record, packet, sighting);
        pinfo->flags.in_error_pkt = TRUE;
    } else {
        export_packet(packet_bytes, pinfo, packet->link);
    }
    call(packet_bytes, pinfo, tree, packet);
    pinfo->flags.in_error_pkt = in_error;
    const char *protocol = col_get_text(pinfo->cinfo, COL_PROTOCOL);
    if (packet->link == ETL_LINK_MESSAGE && protocol != NULL && protocol[0] == '\0') {
        etl_columns_set(pinfo, record); /* nobody knew the message */
    }
    if (packet->dropped) {
        append_drop(pinfo, packet);
    }
}

void etl_packet_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                     struct etl_tree_sink *tree_sink, const struct etl_record *record,
                     const struct etl_packet *packet)
{
    struct etl_sighting *sighting = etl_sighting_of_frame(pinfo, record, packet);
    proto_tree *below = NULL;
    proto_item *item = NULL;
    if (tree_sink != NULL) {
        tree_sink->subtree = ETL_SUBTREE_PACKET;
        tree_sink->sink.begin(&tree_sink->sink, NULL, "Packet", packet->bytes.at,
                              packet->bytes.size);
        below = tree_sink->branches[tree_sink->depth].tree;
        tree_sink->last_item = NULL;
        item = etl_tree_sink_item_of_note(tree_sink);
        tree_sink->branches[tree_sink->depth].end = packet->bytes.at + packet->bytes.size;
        show_facts(tree_sink, record, packet);
    }
    struct etl_packet whole = *packet;
    tvbuff_t *packet_bytes = packet_tvb(tvb, pinfo, below, record, sighting, &whole);
    if (packet_bytes != NULL) {
        etl_sighting_link(pinfo, record, &whole, sighting);
    }
    add_packet_notes(pinfo, item, packet, sighting, packet_bytes != NULL);
    if (tree_sink != NULL) {
        show_links(tree_sink, packet, sighting);
        tree_sink->sink.end(&tree_sink->sink);
    }
    if (packet_bytes != NULL) {
        dissect_packet(packet_bytes, pinfo, tree, record, &whole, sighting);
    }
}
