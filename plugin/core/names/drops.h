/*
 * Which packets were dropped, by what PktMon calls a packet: the report that says so may come after
 * the one that a packet is shown at.
 */
#ifndef ETL_CORE_DROPS_H
#define ETL_CORE_DROPS_H

#include "etl/limits.h"
#include "etl/packet.h"

/* Zeroed, there is nothing in it. */
struct etl_drops {
    struct etl_budget *budget; /* borrowed; NULL: no limit */
    struct etl_drop *all;
    size_t count;
    size_t room;
};

void etl_drops_free(struct etl_drops *drops);

/* Packets that were not dropped, and those without a group, are passed over. */
void etl_drops_learn(struct etl_drops *drops, const struct etl_packet *packet, int64_t raw_time);

/* After the last etl_drops_learn, before the first question. */
void etl_drops_settle(struct etl_drops *drops);

/* Makes a packet a dropped one if a later report says that it was. */
void etl_drops_tell(const struct etl_drops *drops, struct etl_packet *packet);

#endif
