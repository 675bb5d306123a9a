/*
 * Sorted by group, number and time, and looked up: the first drop of a packet counts.
 */
#include "core/names/drops.h"

#include <stdlib.h>

struct etl_drop {
    uint64_t group;
    int64_t raw_time;
    uint32_t reason;
    uint32_t location;
    uint16_t number;
};

void etl_drops_free(struct etl_drops *drops)
{
    etl_budget_free(drops->budget, drops->all, drops->room, sizeof *drops->all);
}

void etl_drops_learn(struct etl_drops *drops, const struct etl_packet *packet, int64_t raw_time)
{
    if (!packet->dropped || !packet->has_group) {
        return;
    }
    struct etl_drop *all = etl_budget_room(drops->budget, drops->all, drops->count, 1, &drops->room,
                                           sizeof *all);
    if (all != NULL) {
        drops->all = all;
        drops->all[drops->count++] = (struct etl_drop){.group = packet->group,
                                                       .number = packet->number,
                                                       .raw_time = raw_time,
                                                       .reason = packet->drop_reason,
                                                       .location = packet->drop_location};
    }
}

static int compare_packets(const struct etl_drop *a, uint64_t group, uint16_t number)
{
    if (a->group != group) {
        return a->group < group ? -1 : 1;
    }
    return a->number < number ? -1 : a->number > number;
}

static int compare(const void *left, const void *right)
{
    const struct etl_drop *a = left;
    const struct etl_drop *b = right;
    int packets = compare_packets(a, b->group, b->number);
    return packets != 0 ? packets : a->raw_time < b->raw_time ? -1 : a->raw_time > b->raw_time;
}

void etl_drops_settle(struct etl_drops *drops)
{
    if (drops->count > 0) {
        qsort(drops->all, drops->count, sizeof(struct etl_drop), compare);
    }
}

void etl_drops_tell(const struct etl_drops *drops, struct etl_packet *packet)
{
    size_t low = 0;
    size_t high = drops->count;
    if (packet->dropped || !packet->has_group) {
        return;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_packets(&drops->all[middle], packet->group, packet->number) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < drops->count &&
        compare_packets(&drops->all[low], packet->group, packet->number) == 0) {
        packet->dropped = true;
        packet->drop_reason = drops->all[low].reason;
        packet->drop_location = drops->all[low].location;
    }
}
