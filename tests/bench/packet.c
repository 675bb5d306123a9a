/*
 * Reports of PktMon, each of another packet: TCP segments of 16 connections, without a gap.
 *
 *   | EVENT_HEADER 80 | PktMon's facts 34 | Ethernet 14 | IPv4 20 | TCP 20 | 10 bytes of text |
 */
#include "mix.h"

#include "etl/bytes.h"
#include "etl/guid.h"

#include <string.h>

#define HEADER_SIZE  80
#define FACTS_SIZE   34
#define FRAME_SIZE   64
#define IP_AT        14
#define TCP_AT       34
#define DATA_SIZE    10
#define CONNECTIONS  16
#define EVENT_PACKET 160

static void store_big(uint8_t *at, uint32_t number, size_t size)
{
    for (size_t i = size; i > 0; i--, number >>= 8) {
        at[i - 1] = (uint8_t)number;
    }
}

static uint16_t checksum_of(const uint8_t *header, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i += 2) {
        sum += (uint32_t)(header[i] << 8 | header[i + 1]);
    }
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t) ~((sum & 0xFFFF) + (sum >> 16));
}

static void put_frame(uint8_t *frame, unsigned number)
{
    static const uint8_t start[] = {0, 0, 0x5e, 0, 0x53, 1,  0,   0,  0x5e, 0, 0x53, 2,
                                    8, 0, 0x45, 0, 0,    50, 0,   0,  0x40, 0, 64,   6,
                                    0, 0, 192,  0, 2,    1,  198, 51, 100,  7};
    unsigned connection = number % CONNECTIONS;
    memcpy(frame, start, sizeof start);
    store_big(frame + IP_AT + 4, number, 2);
    store_big(frame + IP_AT + 10, checksum_of(frame + IP_AT, 20), 2);
    store_big(frame + TCP_AT, 50000 + connection, 2);
    store_big(frame + TCP_AT + 2, 9999, 2);
    store_big(frame + TCP_AT + 4, 1000 + number / CONNECTIONS * DATA_SIZE, 4);
    store_big(frame + TCP_AT + 8, 2000, 4);
    frame[TCP_AT + 12] = 0x50;
    frame[TCP_AT + 13] = 0x10;
    store_big(frame + TCP_AT + 14, 64240, 2);
    store_big(frame + TCP_AT + 16, 0, 4);
    memcpy(frame + TCP_AT + 20, "0123456789", DATA_SIZE);
}

size_t mix_packet(unsigned number, uint64_t now, uint8_t *room)
{
    static const struct etl_guid pktmon = ETL_GUID(0x4d4f80d9, 0xc8bd, 0x4d73, 0xbb, 0x5b, 0x19,
                                                   0xc9, 0x04, 0x02, 0xc5, 0xac);
    uint8_t *facts = room + HEADER_SIZE;
    memset(room, 0, HEADER_SIZE + FACTS_SIZE);
    etl_store_u16(room, HEADER_SIZE + FACTS_SIZE + FRAME_SIZE);
    room[2] = 0x13;
    room[3] = 0xC0;
    etl_store_u16(room + 4, 0x40);
    etl_store_u32(room + 8, 8);
    etl_store_u32(room + 12, 4);
    etl_store_u64(room + 16, now);
    memcpy(room + 24, pktmon.bytes, sizeof pktmon.bytes);
    etl_store_u16(room + 40, EVENT_PACKET);
    room[44] = 4;
    etl_store_u64(room + 48, 0x10);
    etl_store_u64(facts, number + 1);
    etl_store_u16(facts + 8, 1);
    etl_store_u16(facts + 12, 2); /* out */
    etl_store_u16(facts + 14, 1); /* Ethernet */
    etl_store_u16(facts + 16, 1);
    etl_store_u16(facts + 18, 1);
    etl_store_u16(facts + 30, FRAME_SIZE);
    etl_store_u16(facts + 32, FRAME_SIZE);
    put_frame(facts + FACTS_SIZE, number);
    return HEADER_SIZE + FACTS_SIZE + FRAME_SIZE;
}
