/*
 * etl_event_measure for the many: events with a fixed header, a size and a time, which are nearly
 * all of a trace. What is not plainly that goes the long way, so that only event.c decides.
 */
#ifndef ETL_CORE_MEASURE_H
#define ETL_CORE_MEASURE_H

#include "etl/event.h"

/* By header type. `header_size` is 0 for kinds that must go the long way. */
struct etl_measure_row {
    const struct etl_kind *kind;
    uint8_t header_size;
    uint8_t size_at;
    uint8_t time_at;
    bool classic; /* the provider may have passed local time */
};

extern const struct etl_measure_row etl_measure_rows[256];

static inline enum etl_measured etl_measure(const uint8_t *at, size_t left,
                                            const struct etl_context *context,
                                            struct etl_measure *ret_measure)
{
    if (left >= ETL_EVENT_SIZE_MIN && at[3] == 0xC0) {
        const struct etl_measure_row *row = &etl_measure_rows[at[2]];
        uint16_t size = etl_load_u16(at + row->size_at);
        bool wary = row->classic && context->clock.kind == ETL_CLOCK_SYSTEM_TIME;
        if (row->header_size != 0 && size >= row->header_size && size <= left && !wary) {
            ret_measure->kind = row->kind;
            ret_measure->size = size;
            ret_measure->has_time = true;
            ret_measure->raw_time = (int64_t)etl_load_u64(at + row->time_at);
            return ETL_MEASURED_EVENT;
        }
    }
    return etl_event_measure(at, left, context, ret_measure);
}

#endif
