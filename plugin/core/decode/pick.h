/*
 * A few fields of a payload by their labels, whatever version of the layout has them. Knows nothing of what
 * they are for.
 */
#ifndef ETL_CORE_PICK_H
#define ETL_CORE_PICK_H

#include "etl/decode.h"

struct etl_pick {
    const char *label;
    size_t count;           /* values met: several of an array; 0: the payload has none */
    struct etl_value value; /* the first; borrowed from the event */
};

void etl_pick(const struct etl_event *event, const struct etl_clock *clock,
              const struct etl_layout *layout, struct etl_pick *picks, size_t count);

/* Text as UTF-8 in `room`, terminated; the length. Empty where there is none. */
size_t etl_pick_text(const struct etl_pick *pick, char *room, size_t size);

#endif
