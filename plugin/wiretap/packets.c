/*
 * The packets of a trace as frames of their own: what "Windows Event Trace Log (packets only)"
 * reads. Each packet once, with its own link type; direction, process and drop go into options.
 *
 * Packets in several events are left out: Windows has not written any since 8.1, and Export PDUs
 * joins them.
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
    [ETL_LINK_WFP_V4] = {WTAP_ENCAP_MA_WFP_CAPTURE_V4, "wfp"},
    [ETL_LINK_WFP_2V4] = {WTAP_ENCAP_MA_WFP_CAPTURE_2V4, "wfp"},
    [ETL_LINK_WFP_V6] = {WTAP_ENCAP_MA_WFP_CAPTURE_V6, "wfp"},
    [ETL_LINK_WFP_2V6] = {WTAP_ENCAP_MA_WFP_CAPTURE_2V6, "wfp"},
    [ETL_LINK_RADIOTAP] = {WTAP_ENCAP_IEEE_802_11_RADIOTAP, "wifi"},
};

struct seen_packet {
    uint64_t place;
    int64_t filetime;
};

struct packet_interface {
    enum etl_link link;
    bool indexed;
    uint32_t index;
    int number; /* of the interface description */
};

struct etl_packet_reader {
    GHashTable *groups;   /* of PktMon: group and number */
    GHashTable *contents; /* hash -> struct seen_packet */
    GArray *interfaces;   /* of struct packet_interface */
};

/* Wireshark opens a file to write into before it reads the first packet, and wants one interface. */
static void add_first_interface(struct wtap *wth, struct etl_packet_reader *packets)
{
    struct packet_interface first = {.link = ETL_LINK_ETHERNET};
    const struct link_facts *facts = &links[first.link];
    first.number = etl_add_interface(wth, facts->encapsulation, facts->name);
    g_array_append_val(packets->interfaces, first);
}

struct etl_packet_reader *etl_packet_reader_new(struct wtap *wth)
{
    struct etl_packet_reader *packets = g_new0(struct etl_packet_reader, 1);
    packets->groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    packets->contents = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    packets->interfaces = g_array_new(FALSE, FALSE, sizeof(struct packet_interface));
    add_first_interface(wth, packets);
    return packets;
}

void etl_packet_reader_free(struct etl_packet_reader *packets)
{
    if (packets != NULL) {
        g_hash_table_destroy(packets->groups);
        g_hash_table_destroy(packets->contents);
        g_array_free(packets->interfaces, TRUE);
        g_free(packets);
    }
}

bool etl_packet_of_entry(const struct etl_entry *entry, struct etl_packet *ret_packet)
{
    return etl_packet_of_event(&entry->event, ret_packet) && ret_packet->start && ret_packet->end &&
           links[ret_packet->link].encapsulation != 0;
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

bool etl_packet_is_first(struct etl_packet_reader *packets, const struct etl_entry *entry,
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

/* The number of its description; -1: it has none yet. */
static int find_interface(const GArray *interfaces, const struct packet_interface *wanted)
{
    for (guint i = 0; i < interfaces->len; i++) {
        const struct packet_interface *known = &g_array_index(interfaces, struct packet_interface,
                                                              i);
        if (known->link == wanted->link && known->indexed == wanted->indexed &&
            known->index == wanted->index) {
            return known->number;
        }
    }
    return -1;
}

static int interface_of_packet(struct wtap *wth, struct etl_packet_reader *packets,
                               const struct etl_packet *packet)
{
    struct packet_interface wanted = {
        .link = packet->link, .indexed = packet->has_interface, .index = packet->interface_index};
    char name[32];
    wanted.number = find_interface(packets->interfaces, &wanted);
    if (wanted.number < 0 && packets->interfaces->len >= INTERFACES_MAX) {
        wanted.indexed = false;
        wanted.index = 0;
        wanted.number = find_interface(packets->interfaces, &wanted);
    }
    if (wanted.number >= 0) {
        return wanted.number;
    }
    snprintf(name, sizeof name, wanted.indexed ? "%s:%u" : "%s", links[packet->link].name,
             wanted.index);
    wanted.number = etl_add_interface(wth, links[packet->link].encapsulation, name);
    g_array_append_val(packets->interfaces, wanted);
    return wanted.number;
}

static void add_comment(wtap_rec *rec, const struct etl_entry *entry,
                        const struct etl_packet *packet)
{
    GString *text = g_string_new(NULL);
    if (entry->event.has_ids) {
        g_string_append_printf(text, "PID=%u TID=%u", entry->event.process_id,
                               entry->event.thread_id);
    }
    if (packet->dropped) {
        const char *reason = etl_names_find(ETL_NAMES_pktmon_drop_reason, packet->drop_reason);
        g_string_append_printf(text, " dropped: %s (%u), location 0x%08x",
                               reason != NULL ? reason : "unknown", packet->drop_reason,
                               packet->drop_location);
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

void etl_set_packet_record(struct wtap *wth, struct etl_packet_reader *packets,
                           const struct etl_entry *entry, const struct etl_packet *packet,
                           wtap_rec *rec, Buffer *buffer)
{
    size_t size = packet->prefix_size + packet->bytes.size;
    size_t original = packet->prefix_size + (size_t)packet->original_size;
    ws_buffer_clean(buffer);
    ws_buffer_append(buffer, (guint8 *)packet->prefix, packet->prefix_size);
    ws_buffer_append(buffer, (guint8 *)packet->bytes.at, packet->bytes.size);
    etl_start_record(rec, links[packet->link].encapsulation);
    rec->presence_flags = WTAP_HAS_CAP_LEN | WTAP_HAS_INTERFACE_ID;
    rec->tsprec = WTAP_TSPREC_NSEC;
    rec->rec_header.packet_header.caplen = (uint32_t)size;
    rec->rec_header.packet_header.len = (uint32_t)(original > size ? original : size);
    rec->rec_header.packet_header.interface_id = (uint32_t)interface_of_packet(wth, packets,
                                                                               packet);
    memset(&rec->rec_header.packet_header.pseudo_header, 0,
           sizeof rec->rec_header.packet_header.pseudo_header);
    if (packet->link == ETL_LINK_RADIOTAP && packet->bytes.size > 1) {
        ws_buffer_start_ptr(buffer)[packet->prefix_size + 1] &= (guint8)~IEEE_802_11_PROTECTED;
    }
    rec->rec_header.packet_header.pseudo_header.p2p.sent = packet->direction == ETL_DIRECTION_OUT;
    if (packet->link == ETL_LINK_IEEE_802_11 && size > 1) {
        ws_buffer_start_ptr(buffer)[1] &= (guint8)~IEEE_802_11_PROTECTED;
    }
    add_direction(rec, packet);
    add_comment(rec, entry, packet);
}
