/*
 * How a wireless packet was received, as radiotap has it.
 *
 *   DOT11_EXTSTA_RECV_CONTEXT   00 type, revision u8, size u16 | 04 flags | 08 PHY | 0C MHz
 *                               | 10 frames u16 | 14 dBm i32 | 18 rate u8, 500 kbit/s | … | 28 time u64
 *   radiotap                    00 version u8, 0, size u16 | 04 which of them u32 | [time u64, µs]
 *                               | flags u8 | rate u8 | MHz u16, band u16 | dBm i8
 */
#include "etl/traffic.h"

#define FLAGS_AT     0x04
#define FREQUENCY_AT 0x0C
#define RSSI_AT      0x14
#define RATE_AT      0x18
#define TIME_AT      0x28
#define SHORTEST     0x19 /* up to the rate */

#define FLAG_RAW_PACKET_TIMESTAMP UINT32_C(0x80000000)

enum { HAS_TIME = 1, HAS_FLAGS = 2, HAS_RATE = 4, HAS_CHANNEL = 8, HAS_SIGNAL = 32 };

#define BAND_2_GHZ 0x0080
#define BAND_5_GHZ 0x0100
#define BAND_LIMIT 3000 /* MHz */

static uint8_t *put_channel(uint8_t *at, uint32_t frequency)
{
    etl_store_u16(at, (uint16_t)frequency);
    etl_store_u16(at + 2, frequency < BAND_LIMIT ? BAND_2_GHZ : BAND_5_GHZ);
    return at + 4;
}

void etl_packet_add_reception(struct etl_packet *packet, struct etl_span reception)
{
    if (packet->link != ETL_LINK_IEEE_802_11 || reception.size < SHORTEST) {
        return;
    }
    const uint8_t *from = reception.at;
    uint8_t *at = packet->prefix + 8;
    uint32_t has = HAS_FLAGS | HAS_RATE | HAS_SIGNAL;
    uint32_t frequency = etl_load_u32(from + FREQUENCY_AT);
    int32_t signal = (int32_t)etl_load_u32(from + RSSI_AT);
    bool timed = (etl_load_u32(from + FLAGS_AT) & FLAG_RAW_PACKET_TIMESTAMP) != 0 &&
                 reception.size >= TIME_AT + 8;
    if (timed) {
        has |= HAS_TIME;
        etl_store_u32(at, etl_load_u32(from + TIME_AT));
        etl_store_u32(at + 4, etl_load_u32(from + TIME_AT + 4));
        at += 8;
    }
    *at++ = 0; /* no FCS, no WEP: it was decrypted */
    *at++ = from[RATE_AT];
    if (frequency > 0 && frequency <= UINT16_MAX) {
        has |= HAS_CHANNEL;
        at = put_channel(at, frequency);
    }
    *at++ = (uint8_t)(signal < INT8_MIN ? INT8_MIN : signal > 0 ? 0 : signal);
    packet->prefix_size = (uint8_t)(at - packet->prefix);
    etl_store_u16(packet->prefix, 0);
    etl_store_u16(packet->prefix + 2, packet->prefix_size);
    etl_store_u32(packet->prefix + 4, has);
    packet->link = ETL_LINK_RADIOTAP;
}
