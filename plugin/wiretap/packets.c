/*
 * The packets of a trace as frames of their own: what "Windows Event Trace Log (packets only)"
 * reads. Each packet once, with its own link type and interface; direction, process and drop go into
 * options.
 */
#include "wiretap/reader.h"

#include "etl/names.h"
#include "etl/packet.h"

/* A hostile file can name as many interfaces as it has packets. */
#define INTERFACES_MAX 256

/* As in epan/packet_state.c: the same bytes from another place within this time are the same
 * packet. */
#define SAME_PACKET_TIME ETL_FILETIME_PER_SECOND

/* Of the second byte of an 802.11 frame's control field: the driver decrypts and leaves it. */
#define IEEE_802_11_PROTECTED 0x40

/* Of the addresses of Ethernet and its like. */
#define MAC_SIZE 6

struct link_facts {
    int encapsulation; /* of Wireshark; 0: no packet that it knows */
    const char *name;  /* of the interface */
};

static const struct link_facts links[ETL_LINK_COUNT] = {
    [ETL_LINK_UNKNOWN] = {0, NULL},
    [ETL_LINK_ETHERNET] = {WTAP_ENCAP_ETHERNET, "eth"},
    [ETL_LINK_IEEE_802_11] = {WTAP_ENCAP_IEEE_802_11, "wifi"},
    [ETL_LINK_RAW_IP] = {WTAP_ENCAP_RAW_IP, "ip"},
    [ETL_LINK_TEXT] = {0, NULL},
    [ETL_LINK_MESSAGE] = {WTAP_ENCAP_WIRESHARK_UPPER_PDU, "message"},
    [ETL_LINK_USB] = {WTAP_ENCAP_USBPCAP, "usb"},
    [ETL_LINK_BLUETOOTH_H4] = {WTAP_ENCAP_BLUETOOTH_H4_WITH_PHDR, "bluetooth"},
    [ETL_LINK_RADIOTAP] = {WTAP_ENCAP_IEEE_802_11_RADIOTAP, "wifi"},
};

struct seen_packet {
    uint64_t place;
    int64_t filetime;
};

/* One of Windows, or a place of PktMon. */
struct packet_interface {
    enum etl_link link;
    bool indexed;
    bool component; /* `index` is a component's */
    uint32_t index;
    int number; /* of the interface description */
};

struct etl_packet_reader {
    GHashTable *groups;   /* of PktMon: group and number */
    GHashTable *contents; /* hash -> struct seen_packet */
    GArray *interfaces;   /* of struct packet_interface */
    struct etl_parts *parts;
};

/* Drivers see no frame check sequence: without this Wireshark would look for one behind padding. */
static int add_link(struct wtap *wth, enum etl_link link, const char *name)
{
    int number = etl_add_interface(wth, links[link].encapsulation, name);
    if (link == ETL_LINK_ETHERNET || link == ETL_LINK_IEEE_802_11) {
        wtap_block_add_uint8_option(g_array_index(wth->interface_data, wtap_block_t, number),
                                    OPT_IDB_FCSLEN, 0);
    }
    return number;
}

/* Wireshark opens a file to write into before it reads the first packet, and wants one interface. */
static void add_first_interface(struct wtap *wth, struct etl_packet_reader *packets)
{
    struct packet_interface first = {.link = ETL_LINK_ETHERNET};
    first.number = add_link(wth, first.link, links[first.link].name);
    g_array_append_val(packets->interfaces, first);
}

struct etl_packet_reader *etl_packet_reader_new(struct wtap *wth)
{
    struct etl_packet_reader *packets = g_new0(struct etl_packet_reader, 1);
    packets->groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    packets->contents = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    packets->interfaces = g_array_new(FALSE, FALSE, sizeof(struct packet_interface));
    packets->parts = etl_parts_new();
    add_first_interface(wth, packets);
    return packets;
}

void etl_packet_reader_free(struct etl_packet_reader *packets)
{
    if (packets != NULL) {
        g_hash_table_destroy(packets->groups);
        g_hash_table_destroy(packets->contents);
        g_array_free(packets->interfaces, TRUE);
        etl_parts_free(packets->parts);
        g_free(packets);
    }
}

static int64_t filetime_of(const struct etl_entry *entry)
{
    int64_t filetime;
    return etl_clock_filetime(&entry->context->clock, entry->raw_time, &filetime) ? filetime : 0;
}

static bool is_new_group(struct etl_packet_reader *packets, const struct etl_packet *packet)
{
    uint64_t key = packet->group * 0x10000 + packet->number;
    return !packet->has_group || g_hash_table_add(packets->groups, g_memdup2(&key, sizeof key));
}

static bool is_first(struct etl_packet_reader *packets, const struct etl_entry *entry,
                     const struct etl_packet *packet)
{
    uint32_t size = packet->original_size > 0 ? packet->original_size
                                              : (uint32_t)packet->bytes.size;
    uint64_t hash = etl_packet_hash(packet->bytes, size);
    struct seen_packet now = {.place = packet->place, .filetime = filetime_of(entry)};
    const struct seen_packet *seen = g_hash_table_lookup(packets->contents, &hash);
    if (!is_new_group(packets, packet)) {
        return false;
    }
    if (seen != NULL && seen->place != now.place && now.filetime >= seen->filetime &&
        now.filetime - seen->filetime < SAME_PACKET_TIME) {
        return false;
    }
    g_hash_table_replace(packets->contents, g_memdup2(&hash, sizeof hash),
                         g_memdup2(&now, sizeof now));
    return true;
}

/* What the rest of the trace says: how a packet was received, that it was dropped, where it goes. */
static void add_known(struct etl_reader *reader, const struct etl_entry *entry,
                      struct etl_packet *packet)
{
    struct etl_span reception;
    struct etl_usb_way way;
    const struct etl_traffic *traffic = etl_keys_known_traffic(etl_file_keys(reader->file));
    if (etl_traffic_reception(traffic, packet, entry->raw_time, &reception)) {
        etl_packet_add_reception(packet, reception);
    }
    etl_traffic_drop(traffic, packet);
    if (etl_traffic_usb_way(traffic, packet, entry->raw_time, &way)) {
        etl_packet_add_usb_way(packet, &way);
    }
}

bool etl_packet_next(struct etl_reader *reader, const struct etl_entry *entry,
                     struct etl_packet *ret_packet)
{
    struct etl_packet_reader *packets = reader->packets;
    if (!etl_packet_of_event(&entry->event, ret_packet)) {
        return false;
    }
    bool part = !(ret_packet->start && ret_packet->end) || ret_packet->joined_id != 0;
    if ((part && !etl_parts_add(packets->parts, entry, ret_packet)) ||
        links[ret_packet->link].encapsulation == 0 || !is_first(packets, entry, ret_packet)) {
        return false;
    }
    add_known(reader, entry, ret_packet);
    return true;
}

enum etl_status etl_packet_at(struct etl_reader *reader, uint64_t position,
                              struct etl_entry *ret_entry, struct etl_packet *ret_packet)
{
    enum etl_status status = etl_parts_again(reader->packets->parts, reader->file, position,
                                             ret_entry, ret_packet);
    if (status == ETL_END) { /* it is in one event */
        status = etl_file_at(reader->file, position, ret_entry);
        if (status == ETL_OK && !etl_packet_of_event(&ret_entry->event, ret_packet)) {
            return ETL_END;
        }
    }
    if (status == ETL_OK) {
        add_known(reader, ret_entry, ret_packet);
    }
    return status;
}

/* The number of its description; -1: it has none yet. */
static int find_interface(const GArray *interfaces, const struct packet_interface *wanted)
{
    for (guint i = 0; i < interfaces->len; i++) {
        const struct packet_interface *known = &g_array_index(interfaces, struct packet_interface,
                                                              i);
        if (known->link == wanted->link && known->indexed == wanted->indexed &&
            known->component == wanted->component && known->index == wanted->index) {
            return known->number;
        }
    }
    return -1;
}

/* The address as text: Wireshark up to 4.6 writes no option for it. */
static char *description_of(const struct etl_interface *known)
{
    const char *text = known->description[0] != '\0' ? known->description : known->name;
    const uint8_t *at = known->address;
    return known->address_size == MAC_SIZE
               ? g_strdup_printf("%s%s%02x:%02x:%02x:%02x:%02x:%02x", text,
                                 text[0] != '\0' ? ", " : "", at[0], at[1], at[2], at[3], at[4],
                                 at[5])
               : g_strdup(text);
}

/* What the trace says of an interface of Windows, or a place of PktMon. */
static void describe_interface(struct wtap *wth, const struct etl_interface *known, int number)
{
    wtap_block_t block = g_array_index(wth->interface_data, wtap_block_t, number);
    char *description = description_of(known);
    if (description[0] != '\0') {
        wtap_block_add_string_option(block, OPT_IDB_DESCRIPTION, description, strlen(description));
    }
    g_free(description);
    if (known->speed > 0) {
        wtap_block_add_uint64_option(block, OPT_IDB_SPEED, known->speed);
    }
}

static int add_interface(struct wtap *wth, const struct etl_keys *keys,
                         const struct packet_interface *wanted, int64_t raw_time)
{
    char name[320];
    const char *link = links[wanted->link].name;
    const struct etl_interface *known = NULL;
    const char *text = NULL;
    const struct etl_traffic *traffic = etl_keys_known_traffic(keys);
    if (wanted->component) {
        known = etl_traffic_component(traffic, wanted->index);
        text = etl_keys_name(keys, ETL_KEY_COMPONENT, 0, wanted->index, raw_time);
    } else if (wanted->indexed) {
        known = etl_traffic_interface(traffic, wanted->index);
        text = known != NULL && known->name[0] != '\0' ? known->name : NULL;
    }
    if (text != NULL) {
        snprintf(name, sizeof name, "%s:%s", link, text);
    } else {
        snprintf(name, sizeof name, wanted->indexed ? "%s:%s%u" : "%s", link,
                 wanted->component ? "component " : "", wanted->index);
    }
    int number = add_link(wth, wanted->link, name);
    if (known != NULL) {
        describe_interface(wth, known, number);
    }
    return number;
}

static int interface_of_packet(struct wtap *wth, struct etl_reader *reader,
                               const struct etl_entry *entry, const struct etl_packet *packet)
{
    GArray *interfaces = reader->packets->interfaces;
    struct packet_interface wanted = {.link = packet->link,
                                      .indexed = packet->has_interface || packet->has_group,
                                      .component = packet->has_group,
                                      .index = packet->has_group ? packet->component
                                                                 : packet->interface_index};
    wanted.number = find_interface(interfaces, &wanted);
    if (wanted.number < 0 && interfaces->len >= INTERFACES_MAX) {
        wanted.indexed = wanted.component = false;
        wanted.index = 0;
        wanted.number = find_interface(interfaces, &wanted);
    }
    if (wanted.number < 0) {
        wanted.number = add_interface(wth, etl_file_keys(reader->file), &wanted, entry->raw_time);
        g_array_append_val(interfaces, wanted);
    }
    return wanted.number;
}

/* Whose it is if somebody says so; else what ran, which is right for most of what is sent. */
static void add_process(GString *text, wtap_rec *rec, const struct etl_entry *entry,
                        const struct etl_keys *keys, const struct etl_packet *packet)
{
    struct etl_owner owner;
    if (etl_traffic_owner(etl_keys_known_traffic(keys), packet, entry->raw_time, &owner)) {
        g_string_append_printf(text, "PID=%u (%s)", owner.process_id,
                               etl_names_find(ETL_NAMES_packet_pid_source, owner.source));
        etl_add_process_option(rec->block, owner.process_id);
    } else if (entry->event.has_ids) {
        g_string_append_printf(text, "PID=%u TID=%u", entry->event.process_id,
                               entry->event.thread_id);
    }
}

static void add_drop(GString *text, wtap_rec *rec, const struct etl_packet *packet)
{
    const char *reason = etl_names_find(ETL_NAMES_pktmon_drop_reason, packet->drop_reason);
    const char *place = etl_names_find(ETL_NAMES_pktmon_drop_location, packet->drop_location);
    uint8_t verdict[8];
    g_string_append_printf(text, " dropped: %s (%u), location %s (0x%08x)",
                           reason != NULL ? reason : "unknown", packet->drop_reason,
                           place != NULL ? place : "unknown", packet->drop_location);
    etl_store_u32(verdict, packet->drop_reason);
    etl_store_u32(verdict + 4, packet->drop_location);
    etl_add_verdict_option(rec->block, verdict, sizeof verdict);
}

static void add_comment(wtap_rec *rec, const struct etl_entry *entry, const struct etl_keys *keys,
                        const struct etl_packet *packet)
{
    GString *text = g_string_new(NULL);
    add_process(text, rec, entry, keys, packet);
    if (packet->dropped) {
        add_drop(text, rec, packet);
    }
    if (text->len > 0) {
        wtap_block_add_string_option(rec->block, OPT_COMMENT, text->str, text->len);
    }
    g_string_free(text, TRUE);
}

static void add_direction(wtap_rec *rec, const struct etl_packet *packet)
{
    if (packet->direction != ETL_DIRECTION_UNKNOWN) {
        bool in = packet->direction == ETL_DIRECTION_IN;
        wtap_block_add_uint32_option(rec->block, OPT_PKT_FLAGS,
                                     in ? PACK_FLAGS_DIRECTION_INBOUND
                                        : PACK_FLAGS_DIRECTION_OUTBOUND);
    }
}

void etl_set_packet_record(struct wtap *wth, struct etl_reader *reader,
                           const struct etl_entry *entry, const struct etl_packet *packet,
                           wtap_rec *rec, Buffer *buffer)
{
    size_t size = packet->prefix_size + packet->bytes.size;
    size_t original = packet->prefix_size + (size_t)packet->original_size;
    ws_buffer_clean(buffer);
    ws_buffer_append(buffer, (guint8 *)packet->prefix, packet->prefix_size);
    ws_buffer_append(buffer, (guint8 *)packet->bytes.at, packet->bytes.size);
    etl_start_record(rec, links[packet->link].encapsulation, wtap_block_create(WTAP_BLOCK_PACKET));
    rec->presence_flags = WTAP_HAS_CAP_LEN | WTAP_HAS_INTERFACE_ID;
    rec->tsprec = WTAP_TSPREC_NSEC;
    rec->rec_header.packet_header.caplen = (uint32_t)size;
    rec->rec_header.packet_header.len = (uint32_t)(original > size ? original : size);
    rec->rec_header.packet_header.interface_id = (uint32_t)interface_of_packet(wth, reader, entry,
                                                                               packet);
    memset(&rec->rec_header.packet_header.pseudo_header, 0,
           sizeof rec->rec_header.packet_header.pseudo_header);
    if (packet->link == ETL_LINK_RADIOTAP && packet->bytes.size > 1) {
        ws_buffer_start_ptr(buffer)[packet->prefix_size + 1] &= (guint8)~IEEE_802_11_PROTECTED;
    }
    if (packet->link == ETL_LINK_BLUETOOTH_H4) { /* in others the same bytes mean something else */
        bool sent = packet->direction == ETL_DIRECTION_OUT;
        rec->rec_header.packet_header.pseudo_header.p2p.sent = sent;
    }
    if (packet->link == ETL_LINK_IEEE_802_11 && size > 1) {
        ws_buffer_start_ptr(buffer)[1] &= (guint8)~IEEE_802_11_PROTECTED;
    }
    add_direction(rec, packet);
    add_comment(rec, entry, etl_file_keys(reader->file), packet);
}
