/*
 * Packets in several events, for the reader of packets: the last part completes it, and is where it is
 * found again.
 *
 *     part, part, … last part        position of the last part -> positions of all of them
 *
 * Bounded: a hostile file begins packets that never end, or gives them a million parts.
 */
#include "wiretap/reader.h"

/* Open at a time: more interfaces than Windows has. A packet's size: no link that Windows has sends more. */
#define OPEN_MAX        1024
#define JOINED_SIZE_MAX ((size_t)256 << 10)
/* Parts of all packets that were joined, whose positions are kept for the second pass. */
#define POSITIONS_MAX ((size_t)4 << 20)

struct open_packet {
    uint64_t key; /* place and direction */
    GByteArray *bytes;
    GArray *positions; /* of uint64_t */
};

struct etl_parts {
    GHashTable *open;   /* key -> struct open_packet */
    GHashTable *joined; /* position of the last part -> GArray of positions */
    GByteArray *whole;  /* the packet that was joined last */
    size_t position_count;
};

static void free_open(gpointer data)
{
    struct open_packet *packet = data;
    g_byte_array_free(packet->bytes, TRUE);
    if (packet->positions != NULL) {
        g_array_free(packet->positions, TRUE);
    }
    g_free(packet);
}

static void free_positions(gpointer data)
{
    g_array_free(data, TRUE);
}

struct etl_parts *etl_parts_new(void)
{
    struct etl_parts *parts = g_new0(struct etl_parts, 1);
    parts->open = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_open);
    parts->joined = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_positions);
    parts->whole = g_byte_array_new();
    return parts;
}

void etl_parts_free(struct etl_parts *parts)
{
    g_hash_table_destroy(parts->open);
    g_hash_table_destroy(parts->joined);
    g_byte_array_free(parts->whole, TRUE);
    g_free(parts);
}

/* The packet that was joined, in place of its last part; false if the event that it makes has none. */
static bool set_whole(struct etl_parts *parts, const struct etl_event *event,
                      struct etl_packet *packet)
{
    struct etl_span bytes = {.at = parts->whole->data, .size = parts->whole->len};
    packet->bytes = bytes;
    packet->start = packet->end = true;
    return packet->joined_id == 0 || etl_packet_of_joined(event, packet->joined_id, bytes, packet);
}

static void start_packet(struct etl_parts *parts, uint64_t key)
{
    if (g_hash_table_size(parts->open) < OPEN_MAX) {
        struct open_packet *open = g_new0(struct open_packet, 1);
        open->key = key;
        open->bytes = g_byte_array_new();
        open->positions = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        g_hash_table_replace(parts->open, &open->key, open);
    }
}

static void finish_packet(struct etl_parts *parts, struct open_packet *open, uint64_t position)
{
    g_byte_array_set_size(parts->whole, 0);
    g_byte_array_append(parts->whole, open->bytes->data, open->bytes->len);
    g_hash_table_insert(parts->joined, g_memdup2(&position, sizeof position), open->positions);
    open->positions = NULL;
}

bool etl_parts_add(struct etl_parts *parts, const struct etl_entry *entry,
                   struct etl_packet *packet)
{
    uint64_t position = etl_position(&entry->place);
    uint64_t key = packet->place * 4 + packet->direction;
    if (packet->start) { /* what was open there will not be finished */
        g_hash_table_remove(parts->open, &key);
        start_packet(parts, key);
    }
    struct open_packet *open = g_hash_table_lookup(parts->open, &key);
    if (open == NULL) {
        return false;
    }
    bool fits = open->bytes->len + packet->bytes.size <= JOINED_SIZE_MAX &&
                parts->position_count < POSITIONS_MAX;
    if (fits) {
        g_byte_array_append(open->bytes, packet->bytes.at, (guint)packet->bytes.size);
        g_array_append_val(open->positions, position);
        parts->position_count++;
    }
    bool done = fits && packet->end;
    if (done) {
        finish_packet(parts, open, position);
    }
    if (done || !fits) {
        g_hash_table_remove(parts->open, &key);
    }
    return done && set_whole(parts, &entry->event, packet);
}

enum etl_status etl_parts_again(struct etl_parts *parts, struct etl_file *file, uint64_t position,
                                struct etl_entry *entry, struct etl_packet *ret_packet)
{
    const GArray *positions = g_hash_table_lookup(parts->joined, &position);
    enum etl_status status = positions != NULL ? ETL_OK : ETL_END;
    g_byte_array_set_size(parts->whole, 0);
    for (guint i = 0; status == ETL_OK && i < positions->len; i++) {
        status = etl_file_at(file, g_array_index(positions, uint64_t, i), entry);
        if (status == ETL_OK && !etl_packet_of_event(&entry->event, ret_packet)) {
            status = ETL_END;
        }
        if (status == ETL_OK) {
            g_byte_array_append(parts->whole, ret_packet->bytes.at, (guint)ret_packet->bytes.size);
        }
    }
    return status != ETL_OK || set_whole(parts, &entry->event, ret_packet) ? status : ETL_END;
}
