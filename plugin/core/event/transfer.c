/*
 * Reads the few rows of a TcpIp or UdpIp event that tell who sent how much to whom. They are at
 * fixed places, so nothing is walked.
 */
#include "etl/transfer.h"

#include "etl/decode.h"

/* Of IP. */
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

static bool load(const struct etl_event *event, const struct etl_layout *layout,
                 struct etl_value values[ETL_END_COUNT])
{
    struct etl_decoder decoder = {.pointer_size = event->pointer_size};
    for (size_t end = 0; end < ETL_END_COUNT; end++) {
        const struct etl_field *field = &layout->fields[layout->end_rows[end]];
        size_t at = field->fixed_at[event->pointer_size == 8];
        if (at + field->width > event->payload.size) {
            return false;
        }
        etl_decode_fixed(&decoder, field, event->payload.at, &values[end]);
    }
    return true;
}

bool etl_transfer_of_event(const struct etl_event *event, struct etl_transfer *ret_transfer)
{
    struct etl_value values[ETL_END_COUNT];
    const struct etl_layout *layout = etl_event_may_transfer(event)
                                          ? etl_layout_of_hook(event->hookid, event->version)
                                          : NULL;
    if (layout == NULL || !layout->has_ends || !load(event, layout, values)) {
        return false;
    }
    *ret_transfer = (struct etl_transfer){
        .ends = {.address_size = (uint8_t)values[ETL_END_source].length,
                 .source = values[ETL_END_source].bytes,
                 .destination = values[ETL_END_destination].bytes,
                 .protocol = event->hookid >> 8 == ETL_GROUP_TCP_IP ? PROTOCOL_TCP : PROTOCOL_UDP,
                 .has_ports = true,
                 .source_port = (uint16_t)values[ETL_END_source_port].number,
                 .destination_port = (uint16_t)values[ETL_END_destination_port].number},
        .size = (uint32_t)values[ETL_END_size].number};
    return true;
}
