/*
 * Counters of performance logs (.blg): one event lists them, each later one of the same log has their values in the
 * same order.
 *
 *     list    performance_log_counters in plugin/layouts/classic/performance_log.def
 *     packed  u16 counters of the log, u16 0 | u32 type, u8 object, u8 instance, u8 name: bytes of each, u8 0, the texts
 *             in UTF-8 | …
 *     values  providers/performance_log.c draws them
 *
 * What a frame carries of the list is the packed form (plugin/FORMAT.md). Neither form is believed. Allocates nothing.
 */
#ifndef ETL_COUNTERS_H
#define ETL_COUNTERS_H

#include "etl/event.h"

/* Of one log's packed list, as of schemas; a counter that does not fit, and those after it, have no name. */
#define ETL_COUNTERS_SIZE_MAX 16384

/* Bytes of one counter's object, instance and name with what stands between them. */
#define ETL_COUNTER_PATH_SIZE 800

/* Which log an event belongs to: its id, borrowed from the event; false for events of other kinds. */
bool etl_counters_is_list(const struct etl_event *event, struct etl_guid *ret_log);
bool etl_counters_is_values(const struct etl_event *event, struct etl_guid *ret_log);

/* Packs the list of an event that has one into `room` of ETL_COUNTERS_SIZE_MAX bytes; returns its size. */
size_t etl_counters_pack(const struct etl_event *event, uint8_t *room);

/* One value. Texts are UTF-8, borrowed, and hold until the next one is asked for. */
struct etl_counter {
    struct etl_span object;
    struct etl_span instance; /* empty: the counter has none */
    struct etl_span name;
    uint32_t type; /* PERF_COUNTER_…: what the raw values are (names.def, perf_counter_type) */
    struct etl_span at; /* the value's own bytes in the payload */
    int64_t first;      /* PDH_RAW_COUNTER.FirstValue */
};

struct etl_counter_walk {
    struct etl_bytes records; /* what is left of the values … */
    struct etl_bytes list;    /* … and of the counters */
    struct etl_counter counter;
    struct etl_span record; /* of a counter of many instances: … */
    size_t item;            /* … the next one, */
    size_t items;           /* how many it has, */
    char instance[256];     /* and what this one is called */
};

/* False when the list is not the one of these values: others' names are worse than none. */
bool etl_counters_start(struct etl_counter_walk *walk, const struct etl_event *event,
                        struct etl_span list);

/* False at the end. */
bool etl_counters_next(struct etl_counter_walk *walk, struct etl_counter *ret_counter);

/* "\Processor(_Total)\% Processor Time". Returns the length of what is in the room, which is terminated. */
size_t etl_counter_path(const struct etl_counter *counter, char room[ETL_COUNTER_PATH_SIZE]);

#endif
