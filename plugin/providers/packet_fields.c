/*
 * Packets that are a field of their event's layout: found by the labels that the CARRIES row names.
 * Messages above IP get tags before them, as Wireshark writes exported PDUs:
 *
 *     | tag u16 | size u16 | value, padded to 4 | … | 0 u16 | 0 u16 | the message |     big-endian
 */
#include "etl/decode.h"
#include "providers/packets.h"

#include <arpa/inet.h>
#include <string.h>

#define KEYWORD_PACKET_START UINT64_C(0x40000000)
#define KEYWORD_PACKET_END   UINT64_C(0x80000000)

#define TAG_HEADER_SIZE 4

/* Reports of these providers are never copies of each other: the same bytes were sent twice. */
#define PLACE (UINT64_MAX - 1)

void etl_packet_read_parts(uint64_t keyword, struct etl_packet *packet)
{
    packet->start = (keyword & KEYWORD_PACKET_START) != 0;
    packet->end = (keyword & KEYWORD_PACKET_END) != 0;
}

struct picker {
    struct etl_sink sink;
    struct etl_packet_field *picks;
    size_t count;
    struct etl_span cut; /* what is left where a field did not fit */
};

static struct etl_packet_field *pick_of(const struct picker *picker, const char *label)
{
    for (size_t i = 0; i < picker->count; i++) {
        struct etl_packet_field *pick = &picker->picks[i];
        if (pick->label != NULL && !pick->found && strcmp(pick->label, label) == 0) {
            return pick;
        }
    }
    return NULL;
}

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    return pick_of((struct picker *)sink, field->label) != NULL;
}

static void take(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct etl_packet_field *pick = pick_of((struct picker *)sink, field->label);
    if (pick != NULL) {
        pick->found = true;
        pick->number = value->number;
        pick->bytes = (struct etl_span){.at = value->bytes, .size = value->length};
    }
}

static void take_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                      const char *detail)
{
    (void)detail;
    if (note == ETL_NOTE_TRUNCATED) {
        ((struct picker *)sink)->cut = (struct etl_span){.at = at, .size = size};
    }
}

struct etl_span etl_packet_fields(const struct etl_event *event, enum etl_layout_id layout,
                                  struct etl_packet_field *picks, size_t count)
{
    struct picker picker = {.sink = {.wants = wants,
                                     .value = take,
                                     .begin = etl_ignore_begin,
                                     .end = etl_ignore_end,
                                     .note = take_note},
                            .picks = picks,
                            .count = count};
    static const struct etl_clock no_clock;
    struct etl_decoder decoder = {
        .sink = &picker.sink, .clock = &no_clock, .pointer_size = event->pointer_size};
    etl_decode_layout(&decoder, etl_layout(layout), event->payload.at, event->payload.size);
    return picker.cut;
}

static void store_big(uint8_t *at, uint32_t number, size_t size)
{
    for (size_t i = size; i > 0; i--, number >>= 8) {
        at[i - 1] = (uint8_t)number;
    }
}

void etl_tag_bytes(struct etl_packet *packet, enum etl_tag tag, const void *bytes, size_t size)
{
    size_t room = (size + 3) / 4 * 4;
    uint8_t *at = packet->prefix + packet->prefix_size;
    if (packet->prefix_size + 2 * TAG_HEADER_SIZE + room > sizeof packet->prefix) {
        return;
    }
    store_big(at, (uint32_t)tag, 2);
    store_big(at + 2, (uint32_t)room, 2);
    memcpy(at + TAG_HEADER_SIZE, bytes, size);
    memset(at + TAG_HEADER_SIZE + size, 0, room - size);
    packet->prefix_size += (uint8_t)(TAG_HEADER_SIZE + room);
}

void etl_tag_text(struct etl_packet *packet, enum etl_tag tag, const char *text)
{
    if (text != NULL) {
        etl_tag_bytes(packet, tag, text, strlen(text));
    }
}

void etl_tag_number(struct etl_packet *packet, enum etl_tag tag, uint32_t number)
{
    uint8_t bytes[4];
    store_big(bytes, number, sizeof bytes);
    etl_tag_bytes(packet, tag, bytes, sizeof bytes);
}

/* There is always room: etl_tag_bytes leaves it. */
void etl_tags_end(struct etl_packet *packet)
{
    memset(packet->prefix + packet->prefix_size, 0, TAG_HEADER_SIZE);
    packet->prefix_size += TAG_HEADER_SIZE;
}

void etl_tag_above_ip(struct etl_packet *packet, const struct etl_packet_ends *ends)
{
    bool wide = ends->address_size > 4;
    etl_tag_text(packet, ETL_TAG_TABLE, "ip.proto");
    etl_tag_number(packet, ETL_TAG_TABLE_KEY, ends->protocol);
    if (ends->address_size > 0) {
        etl_tag_bytes(packet, wide ? ETL_TAG_IPV6_SOURCE : ETL_TAG_IPV4_SOURCE, ends->source,
                      ends->address_size);
        etl_tag_bytes(packet, wide ? ETL_TAG_IPV6_DESTINATION : ETL_TAG_IPV4_DESTINATION,
                      ends->destination, ends->address_size);
    }
    etl_tags_end(packet);
}

static void tag_address(struct etl_packet *packet, struct etl_span text, enum etl_tag tag_v4,
                        enum etl_tag tag_v6)
{
    char room[INET6_ADDRSTRLEN];
    uint8_t address[16];
    if (text.size == 0 || text.size >= sizeof room) {
        return;
    }
    memcpy(room, text.at, text.size);
    room[text.size] = '\0';
    room[strcspn(room, "%")] = '\0'; /* the zone of a local IPv6 address */
    if (inet_pton(AF_INET, room, address) == 1) {
        etl_tag_bytes(packet, tag_v4, address, 4);
    } else if (inet_pton(AF_INET6, room, address) == 1) {
        etl_tag_bytes(packet, tag_v6, address, 16);
    }
}

enum { BYTES, SIZE, JOINED, GROUP, TCP, SOURCE, DESTINATION, SOURCE_PORT, DESTINATION_PORT, PICKS };

static void tag_ports(struct etl_packet *packet, const struct etl_packet_row *row,
                      const struct etl_packet_field *picks)
{
    bool source = picks[SOURCE_PORT].found;
    if (!source && !picks[DESTINATION_PORT].found) {
        return;
    }
    bool tcp = picks[TCP].found && picks[TCP].number != 0;
    uint32_t other = (uint32_t)picks[source ? SOURCE_PORT : DESTINATION_PORT].number;
    etl_tag_number(packet, ETL_TAG_PORT_TYPE, tcp ? ETL_PORT_TYPE_TCP : ETL_PORT_TYPE_UDP);
    etl_tag_number(packet, ETL_TAG_SOURCE_PORT, source ? other : row->port);
    etl_tag_number(packet, ETL_TAG_DESTINATION_PORT, source ? row->port : other);
}

static void tag_message(struct etl_packet *packet, const struct etl_packet_row *row,
                        const struct etl_packet_field *picks)
{
    etl_tag_text(packet, ETL_TAG_DISSECTOR, row->dissector);
    etl_tag_text(packet, ETL_TAG_HEURISTIC, row->heuristic);
    if (row->table != NULL) {
        etl_tag_text(packet, ETL_TAG_TABLE, row->table);
        etl_tag_number(packet, ETL_TAG_TABLE_KEY, row->port);
    }
    tag_address(packet, picks[SOURCE].bytes, ETL_TAG_IPV4_SOURCE, ETL_TAG_IPV6_SOURCE);
    tag_address(packet, picks[DESTINATION].bytes, ETL_TAG_IPV4_DESTINATION,
                ETL_TAG_IPV6_DESTINATION);
    tag_ports(packet, row, picks);
    etl_tags_end(packet);
    if (picks[TCP].number != 0) { /* over TCP a size comes first, which the event does not have */
        store_big(packet->prefix + packet->prefix_size, (uint32_t)packet->bytes.size, 2);
        packet->prefix_size += 2;
    }
}

/* The label of the field that says how long the packet is. */
static const char *size_label(const struct etl_packet_row *row)
{
    const struct etl_layout *layout = etl_layout((enum etl_layout_id)row->layout);
    for (size_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->fields[i].label, row->bytes) == 0) {
            return layout->fields[i].count;
        }
    }
    return NULL;
}

/* The packet's field, or as much of it as is there. */
static struct etl_span bytes_of(const struct etl_packet_field *picks, struct etl_span cut,
                                struct etl_packet *packet)
{
    if (picks[BYTES].found || !picks[SIZE].found) {
        return picks[BYTES].bytes;
    }
    if (picks[SIZE].number <= INT32_MAX) {
        packet->original_size = (uint32_t)picks[SIZE].number;
    }
    return cut;
}

bool etl_packet_in_field(const struct etl_event *event, const struct etl_packet_row *row,
                         struct etl_packet *packet)
{
    struct etl_packet_field picks[PICKS] = {
        [BYTES] = {.label = row->bytes},
        [SIZE] = {.label = size_label(row)},
        [JOINED] = {.label = row->joined},
        [GROUP] = {.label = row->group},
        [TCP] = {.label = row->tcp},
        [SOURCE] = {.label = row->source},
        [DESTINATION] = {.label = row->destination},
        [SOURCE_PORT] = {.label = row->source_port},
        [DESTINATION_PORT] = {.label = row->destination_port},
    };
    struct etl_span cut = etl_packet_fields(event, (enum etl_layout_id)row->layout, picks, PICKS);
    struct etl_span bytes = bytes_of(picks, cut, packet);
    if (bytes.size <= row->skip) {
        return false;
    }
    packet->bytes = (struct etl_span){.at = bytes.at + row->skip, .size = bytes.size - row->skip};
    packet->place = PLACE;
    if (row->joined != NULL) {
        packet->joined_id = (uint16_t)picks[JOINED].number;
        packet->place = PLACE - 1 - (uint32_t)picks[GROUP].number;
        etl_packet_read_parts(event->keyword, packet);
    } else if (row->link == ETL_LINK_MESSAGE) {
        tag_message(packet, row, picks);
    }
    return true;
}
