/*
 * Who owns the ends of connections: what other events of a trace say of addresses, ports and processes,
 * for packets whose own header names whatever ran when they passed.
 *
 *     key (protocol, local end, remote end)  ->  pid, from first to last time that somebody said so
 *
 * Knows nothing of events but what owner_events.c tells it, and nothing of packets but their ends.
 */
#ifndef ETL_CORE_OWNERS_H
#define ETL_CORE_OWNERS_H

#include "etl/limits.h"
#include "etl/traffic.h"

/* One end; a size of 0: not known. */
struct etl_end {
    uint8_t address[16];
    uint8_t address_size; /* 0, 4, 16 */
    uint16_t port;        /* 0: not known */
};

/* Zeroed, there is nothing in it. */
struct etl_owners {
    struct etl_budget *budget; /* borrowed; NULL: memory alone is the limit */
    struct etl_claim *claims;  /* owned */
    size_t count;
    size_t room;
    uint32_t *slots; /* owned; key -> 1 + the place of its latest claim; 0: none */
    size_t slot_count;
};

void etl_owners_free(struct etl_owners *owners);

/* Protocol 0: any. Where memory or the budget ends, fewer are known. */
void etl_owners_add(struct etl_owners *owners, uint8_t protocol, const struct etl_end *local,
                    const struct etl_end *remote, int64_t raw_time, uint32_t process_id,
                    enum etl_owner_source source);

/* After the last etl_owners_add, before the first question. */
void etl_owners_settle(struct etl_owners *owners);

bool etl_owners_find(const struct etl_owners *owners, uint8_t protocol, const struct etl_end *local,
                     const struct etl_end *remote, int64_t raw_time, struct etl_owner *ret_owner);

/* Whether etl_owner_event wants to see a modern event. */
bool etl_owner_wants(const struct etl_guid *provider, uint16_t id);

/* Takes what an event says of ends: rows of layouts/owners.def, and kernel events of TcpIp, UdpIp. */
void etl_owner_event(struct etl_owners *owners, const struct etl_event *event);

#endif
