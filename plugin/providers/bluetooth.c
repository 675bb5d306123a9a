/*
 * Microsoft-Windows-BTH-BTHPORT: packets between host and Bluetooth controller, as H4 has them: a
 * byte that says what follows, then
 *
 *   1 command | 2 ACL: handle:12 and flags:4 u16, size u16, … | 3 SCO | 4 event
 */
#include "providers/packets.h"

enum { H4_COMMAND = 1, H4_ACL = 2, H4_SCO = 3, H4_EVENT = 4 };

/* BIP_Type; not H4's numbers. */
enum { BIP_COMMAND = 1, BIP_EVENT = 2, BIP_ACL_RECEIVED = 3, BIP_ACL_SENT = 4, BIP_SCO = 5 };

#define PLACE (UINT64_MAX - 1) /* as in packet_fields.c */

/* H4's type; 0: not known. */
static uint8_t h4_type(uint64_t bip_type, enum etl_direction *direction)
{
    switch (bip_type) {
    case BIP_COMMAND:
        *direction = ETL_DIRECTION_OUT;
        return H4_COMMAND;
    case BIP_EVENT:
        *direction = ETL_DIRECTION_IN;
        return H4_EVENT;
    case BIP_ACL_RECEIVED:
        *direction = ETL_DIRECTION_IN;
        return H4_ACL;
    case BIP_ACL_SENT:
        *direction = ETL_DIRECTION_OUT;
        return H4_ACL;
    case BIP_SCO:
        return H4_SCO;
    default:
        return 0;
    }
}

bool etl_bluetooth_hci(const struct etl_event *event, const struct etl_packet_row *row,
                       struct etl_packet *packet)
{
    struct etl_packet_field picks[] = {{.label = "BIP_Type"}, {.label = "BIP_Data"}};
    etl_packet_fields(event, (enum etl_layout_id)row->layout, picks, 2);
    if (picks[1].bytes.size == 0) {
        return false;
    }
    packet->place = PLACE;
    packet->bytes = picks[1].bytes;
    packet->prefix[0] = h4_type(picks[0].number, &packet->direction);
    packet->prefix_size = 1;
    if (packet->prefix[0] == 0) {
        packet->link = ETL_LINK_UNKNOWN;
        packet->prefix_size = 0;
    }
    return true;
}

/* The signal's packet again, of the fields that the driver took out of it. */
bool etl_bluetooth_signal(const struct etl_event *event, const struct etl_packet_row *row,
                          struct etl_packet *packet)
{
    enum { SENT, HANDLE, BOUNDARY, BROADCAST, BUFFER, PDU, CHANNEL, CODE, ID, LENGTH, DATA, COUNT };
    struct etl_packet_field picks[COUNT] = {[SENT] = {.label = "SentStatus"},
                                            [HANDLE] = {.label = "Connection_Handle"},
                                            [BOUNDARY] = {.label = "Packet_Boundary_Flag"},
                                            [BROADCAST] = {.label = "Broadcast_Flag"},
                                            [BUFFER] = {.label = "Buffer_Length"},
                                            [PDU] = {.label = "PDU_Length"},
                                            [CHANNEL] = {.label = "Channel_ID"},
                                            [CODE] = {.label = "Code"},
                                            [ID] = {.label = "Identifier"},
                                            [LENGTH] = {.label = "Signal_Length"},
                                            [DATA] = {.label = "Data"}};
    etl_packet_fields(event, (enum etl_layout_id)row->layout, picks, COUNT);
    if (!picks[LENGTH].found) {
        return false;
    }
    uint8_t *at = packet->prefix;
    at[0] = H4_ACL;
    etl_store_u16(at + 1,
                  (uint16_t)((picks[HANDLE].number & 0x0FFF) | (picks[BOUNDARY].number & 3) << 12 |
                             (picks[BROADCAST].number & 3) << 14));
    etl_store_u16(at + 3, (uint16_t)picks[BUFFER].number);
    etl_store_u16(at + 5, (uint16_t)picks[PDU].number);
    etl_store_u16(at + 7, (uint16_t)picks[CHANNEL].number);
    at[9] = (uint8_t)picks[CODE].number;
    at[10] = (uint8_t)picks[ID].number;
    etl_store_u16(at + 11, (uint16_t)picks[LENGTH].number);
    packet->prefix_size = 13;
    packet->bytes = picks[DATA].bytes;
    packet->place = PLACE;
    packet->direction = picks[SENT].number != 0 ? ETL_DIRECTION_OUT : ETL_DIRECTION_IN;
    return true;
}
