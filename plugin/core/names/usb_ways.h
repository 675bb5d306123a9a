/*
 * Where the transfers of Windows' USB 3 stack go: they name controller, device and pipe by addresses,
 * and other events of the trace say what is there.
 *
 *     controller -> bus        device -> number        pipe, or a stream's pipe -> endpoint
 *
 * Knows nothing of packets, but the three addresses that one has.
 */
#ifndef ETL_CORE_USB_WAYS_H
#define ETL_CORE_USB_WAYS_H

#include "etl/limits.h"
#include "etl/traffic.h"

/* Zeroed, there is nothing in it. */
struct etl_usb_ways {
    struct etl_budget *budget; /* borrowed; NULL: no limit */
    struct etl_usb_fact *facts;
    size_t count;
    size_t room;
};

void etl_usb_ways_free(struct etl_usb_ways *ways);

/* Whether etl_usb_ways_learn wants to see a modern event. */
bool etl_usb_ways_want(const struct etl_guid *provider, uint16_t id);

/* Other events are passed over. Where memory or the budget ends, fewer are known. */
void etl_usb_ways_learn(struct etl_usb_ways *ways, const struct etl_event *event);

/* After the last etl_usb_ways_learn, before the first question. */
void etl_usb_ways_settle(struct etl_usb_ways *ways);

/* False when nothing is known of any of the packet's three addresses. */
bool etl_usb_ways_find(const struct etl_usb_ways *ways, const struct etl_packet *packet,
                       int64_t raw_time, struct etl_usb_way *ret_way);

#endif
