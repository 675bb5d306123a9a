/*
 * Packets inside events: the first byte chooses the event, the next two bits of its keyword's
 * medium, what follows is the payload.
 */
#include "etl/packet.h"

#include "fuzz.h"

#define NDIS   ETL_GUID(0x2ed6006e, 0x4729, 0x4609, 0xb4, 0x23, 0x3e, 0xe7, 0xbc, 0xd6, 0x78, 0xef)
#define PKTMON ETL_GUID(0x4d4f80d9, 0xc8bd, 0x4d73, 0xbb, 0x5b, 0x19, 0xc9, 0x04, 0x02, 0xc5, 0xac)

static void check(const struct etl_event *event)
{
    struct etl_packet packet;
    struct etl_packet_ends ends;
    if (!etl_packet_of_event(event, &packet)) {
        return;
    }
    const uint8_t *end = event->payload.at + event->payload.size;
    fuzz_require(packet.bytes.size > 0 && packet.bytes.at >= event->payload.at &&
                 packet.bytes.at + packet.bytes.size <= end);
    fuzz_require(packet.original_size == 0 || packet.original_size >= packet.bytes.size);
    etl_packet_ends(packet.link, packet.bytes, &ends);
    fuzz_require(ends.address_size == 0 ||
                 (ends.source >= packet.bytes.at && ends.destination + ends.address_size <= end));
    etl_packet_hash(packet.bytes, packet.original_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        struct etl_guid provider;
        uint16_t id;
    } events[] = {{NDIS, 1001}, {NDIS, 1003}, {PKTMON, 160}, {PKTMON, 170}};
    static const uint64_t media[] = {0x1, 0x200, 0x10000, 0x2000001};
    etl_layouts_start();
    if (size < 2) {
        return 0;
    }
    uint8_t *copy = fuzz_copy(data + 2, size - 2);
    if (copy == NULL) {
        return 0;
    }
    struct etl_event event = {.kind = etl_kind(ETL_KIND_EVENT64),
                              .has_provider = true,
                              .provider = events[data[0] % 4].provider,
                              .id = events[data[0] % 4].id,
                              .keyword = UINT64_C(0xC0000000) | media[data[1] % 4],
                              .pointer_size = data[1] & 4 ? 4 : 8,
                              .payload = {.at = copy, .size = size - 2}};
    check(&event);
    free(copy);
    return 0;
}
