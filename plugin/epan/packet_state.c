/*
 * Three maps that live as long as the file: trails by what PktMon calls a packet, trails by what a
 * packet looks like, and packets of which parts are still to come.
 */
#include "epan/packet_state.h"

#include "epan/fields.h"

#include <epan/packet.h>
#include <epan/proto_data.h>

/*
 * The same bytes from another place within this time are the same packet on its way through the
 * machine. From the same place they are a packet of their own: somebody sent it twice.
 */
#define SAME_PACKET_SECONDS 1

/* Of the data that Wireshark keeps with a frame for this protocol. */
#define SIGHTING_KEY 1

struct trail {
    struct etl_sighting *start;
    struct etl_sighting *last;
    uint32_t first;      /* frame */
    uint64_t place;      /* of the first */
    nstime_t first_seen; /* of the first */
};

struct group_key {
    uint64_t group;
    uint32_t trace_id;
    uint16_t number;
};

struct part_key {
    uint64_t place;
    uint32_t trace_id;
    uint32_t direction;
};

static wmem_map_t *trails_by_group;
static wmem_map_t *trails_by_content;
static wmem_map_t *open_packets;
static wmem_map_t *place_names;
static uint32_t packets_in_parts;

static guint hash_group(gconstpointer key)
{
    const struct group_key *group = key;
    return (guint)((group->group * 31 + group->number) * 31 + group->trace_id);
}

static gboolean equal_groups(gconstpointer a, gconstpointer b)
{
    const struct group_key *left = a;
    const struct group_key *right = b;
    return left->group == right->group && left->number == right->number &&
           left->trace_id == right->trace_id;
}

static guint hash_part(gconstpointer key)
{
    const struct part_key *part = key;
    return (guint)((part->place >> 32) * 31 + part->place + (uint64_t)7 * part->direction +
                   part->trace_id);
}

static gboolean equal_parts(gconstpointer a, gconstpointer b)
{
    const struct part_key *left = a;
    const struct part_key *right = b;
    return left->place == right->place && left->direction == right->direction &&
           left->trace_id == right->trace_id;
}

static void start_of_file(void)
{
    packets_in_parts = 0;
}

void etl_packet_state_register(void)
{
    wmem_allocator_t *epan = wmem_epan_scope();
    wmem_allocator_t *file = wmem_file_scope();
    trails_by_group = wmem_map_new_autoreset(epan, file, hash_group, equal_groups);
    trails_by_content = wmem_map_new_autoreset(epan, file, g_int64_hash, g_int64_equal);
    open_packets = wmem_map_new_autoreset(epan, file, hash_part, equal_parts);
    place_names = wmem_map_new_autoreset(epan, file, g_str_hash, g_str_equal);
    register_init_routine(start_of_file);
}

/* Parts between a start and an end, by where they were seen and which way they went. */
static void find_part(const struct etl_record *record, const struct etl_packet *packet,
                      struct etl_sighting *sighting)
{
    struct part_key key = {.place = packet->place,
                           .trace_id = record->context.trace_id,
                           .direction = (uint32_t)packet->direction};
    if (packet->start) { /* what was open there will not be finished */
        wmem_map_remove(open_packets, &key);
    }
    if (packet->start && packet->end) {
        return;
    }
    if (packet->start) {
        sighting->part_of = ++packets_in_parts;
        wmem_map_insert(open_packets, wmem_memdup(wmem_file_scope(), &key, sizeof key),
                        GUINT_TO_POINTER(sighting->part_of));
        return;
    }
    sighting->part_of = GPOINTER_TO_UINT(wmem_map_lookup(open_packets, &key));
    sighting->without_start = sighting->part_of == 0;
    if (packet->end) {
        wmem_map_remove(open_packets, &key);
    }
}

struct etl_sighting *etl_sighting_of_frame(packet_info *pinfo, const struct etl_record *record,
                                           const struct etl_packet *packet)
{
    struct etl_sighting *sighting = p_get_proto_data(wmem_file_scope(), pinfo, etl_protocol,
                                                     SIGHTING_KEY);
    if (sighting == NULL) {
        sighting = wmem_new0(wmem_file_scope(), struct etl_sighting);
        sighting->frame = pinfo->num;
        find_part(record, packet, sighting);
        p_add_proto_data(wmem_file_scope(), pinfo, etl_protocol, SIGHTING_KEY, sighting);
    }
    return sighting;
}

static bool is_soon_after(const nstime_t *later, const nstime_t *earlier)
{
    nstime_t delta;
    nstime_delta(&delta, later, earlier);
    return delta.secs > -SAME_PACKET_SECONDS && delta.secs < SAME_PACKET_SECONDS;
}

static struct trail *find_by_content(packet_info *pinfo, const struct etl_packet *packet,
                                     const uint64_t *hash)
{
    struct trail *trail = wmem_map_lookup(trails_by_content, hash);
    bool same = trail != NULL && trail->place != packet->place &&
                is_soon_after(&pinfo->abs_ts, &trail->first_seen);
    return same ? trail : NULL;
}

static struct trail *start_trail(packet_info *pinfo, const struct etl_packet *packet, uint64_t hash)
{
    struct trail *trail = wmem_new0(wmem_file_scope(), struct trail);
    uint64_t *key = wmem_new(wmem_file_scope(), uint64_t);
    trail->first = pinfo->num;
    trail->place = packet->place;
    trail->first_seen = pinfo->abs_ts;
    *key = hash;
    wmem_map_insert(trails_by_content, key, trail);
    return trail;
}

/* One text for each name, whatever the number of reports. */
static const char *name_of_place(const struct etl_record *record, const struct etl_packet *packet)
{
    struct etl_record_name name;
    char text[64];
    bool component = packet->has_group;
    uint32_t id = component ? packet->component : packet->interface_index;
    if (etl_record_find_name(record, component ? ETL_KEY_COMPONENT : ETL_KEY_INTERFACE, id,
                             &name)) {
        snprintf(text, sizeof text, "%.*s", (int)name.text.size, (const char *)name.text.at);
    } else {
        snprintf(text, sizeof text, "%s %u", component ? "component" : "interface", id);
    }
    char *known = wmem_map_lookup(place_names, text);
    if (known == NULL) {
        known = wmem_strdup(wmem_file_scope(), text);
        wmem_map_insert(place_names, known, known);
    }
    return known;
}

void etl_sighting_link(packet_info *pinfo, const struct etl_record *record,
                       const struct etl_packet *packet, struct etl_sighting *sighting)
{
    if (sighting->first != 0) {
        return;
    }
    struct group_key key = {
        .group = packet->group, .trace_id = record->context.trace_id, .number = packet->number};
    uint32_t size = packet->original_size > 0 ? packet->original_size
                                              : (uint32_t)packet->bytes.size;
    uint64_t hash = etl_packet_hash(packet->bytes, size);
    struct trail *trail = packet->has_group ? wmem_map_lookup(trails_by_group, &key) : NULL;
    sighting->group_first = packet->has_group && trail == NULL;
    if (trail == NULL) {
        trail = find_by_content(pinfo, packet, &hash);
    }
    if (trail == NULL) {
        trail = start_trail(pinfo, packet, hash);
        trail->start = sighting;
    } else {
        sighting->previous = trail->last->frame;
        trail->last->next = sighting->frame;
        trail->last->later = sighting;
    }
    sighting->trail_start = trail->start;
    if (packet->dropped && trail->start->dropped == 0) {
        trail->start->dropped = sighting->frame;
    }
    sighting->place_name = name_of_place(record, packet);
    sighting->first = trail->first;
    trail->last = sighting;
    if (sighting->group_first) {
        wmem_map_insert(trails_by_group, wmem_memdup(wmem_file_scope(), &key, sizeof key), trail);
    }
}
