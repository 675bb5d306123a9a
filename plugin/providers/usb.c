/*
 * Microsoft-Windows-USB-UCX and -USBPORT: transfers, as USBPcap has them.
 *
 *   00 size of this header u16 | 02 IRP u64 | 0A status u32 | 0E function u16 | 10 done u8
 *   | 11 bus u16 | 13 device u16 | 15 endpoint u8, 80 in | 16 kind u8 | 17 size of the data u32
 *   | control: 1B stage u8 | isochronous: 1B first frame, packets, errors u32, the packets
 *
 * UCX names controllers, devices and pipes by address only, and says in events of its own what they
 * are (etl_packet_add_usb_way): without these, bus, device and endpoint are 0, but for its direction.
 */
#include "etl/traffic.h"
#include "providers/packets.h"

#define HEADER_SIZE     27
#define BUS_AT          17
#define DEVICE_AT       19
#define ENDPOINT_AT     21
#define KIND_AT         22
#define DATA_SIZE_AT    23
#define STAGE_AT        27
#define STAGE_SETUP     0
#define STAGE_COMPLETE  3
#define DIRECTION_IN    0x80
#define SETUP_SIZE      8
#define ISO_FACTS_SIZE  12
#define ISO_PACKET_SIZE 12

enum { KIND_ISOCHRONOUS = 0, KIND_INTERRUPT = 1, KIND_CONTROL = 2, KIND_BULK = 3 };

/* Of an endpoint's descriptor, the last two bits: 0 control, 1 isochronous. */
#define ATTRIBUTES_BULK 2 /* and 3: interrupt */

#define PLACE (UINT64_MAX - 1) /* as in packet_fields.c */

enum {
    IRP,
    BUS,
    DEVICE,
    ENDPOINT,
    ATTRIBUTES,
    FUNCTION,
    STATUS,
    FLAGS,
    LENGTH,
    SETUP,
    UCX_CONTROLLER,
    UCX_DEVICE,
    UCX_PIPE,
    START_FRAME,
    ISO_COUNT,
    DATA,
    PICKS
};

static bool pick(const struct etl_event *event, const struct etl_packet_row *row,
                 struct etl_packet_field picks[PICKS])
{
    static const char *const labels[PICKS] = {
        [IRP] = "fid_IRP_Ptr",
        [BUS] = "PciBus",
        [DEVICE] = "DeviceAddress",
        [ENDPOINT] = "bEndpointAddress",
        [ATTRIBUTES] = "bmAttributes",
        [FUNCTION] = "Function",
        [STATUS] = "Status",
        [FLAGS] = "TransferFlags",
        [LENGTH] = "TransferBufferLength",
        [SETUP] = "SetupPacket",
        [UCX_CONTROLLER] = "fid_UcxController",
        [UCX_DEVICE] = "fid_UsbDevice",
        [UCX_PIPE] = "fid_PipeHandle",
        [START_FRAME] = "StartFrame",
        [ISO_COUNT] = "NumberOfPackets",
        [DATA] = "fid_URB_TransferData",
    };
    for (size_t i = 0; i < PICKS; i++) {
        picks[i] = (struct etl_packet_field){.label = labels[i]};
    }
    etl_packet_fields(event, (enum etl_layout_id)row->layout, picks, PICKS);
    return picks[LENGTH].found;
}

/* Of transfers that are neither to the control pipe nor isochronous the descriptor tells the kind. */
static void set_endpoint(uint8_t *header, uint8_t address, uint8_t attributes)
{
    uint8_t transfer = attributes & 3;
    if (header[KIND_AT] == KIND_CONTROL) {
        return;
    }
    header[ENDPOINT_AT] = address;
    if (header[KIND_AT] != KIND_ISOCHRONOUS && transfer >= ATTRIBUTES_BULK) {
        header[KIND_AT] = transfer == ATTRIBUTES_BULK ? KIND_BULK : KIND_INTERRUPT;
    }
}

void etl_packet_add_usb_way(struct etl_packet *packet, const struct etl_usb_way *way)
{
    if (packet->link != ETL_LINK_USB || !packet->has_pipe) {
        return;
    }
    etl_store_u16(packet->prefix + BUS_AT, way->bus);
    etl_store_u16(packet->prefix + DEVICE_AT, way->device);
    if (way->has_endpoint) {
        set_endpoint(packet->prefix, way->endpoint, way->attributes);
    }
}

/* The header, but for what is special of a kind. */
static void start(struct etl_packet *packet, const struct etl_packet_row *row,
                  const struct etl_packet_field *picks, uint8_t kind, bool in)
{
    uint8_t *at = packet->prefix;
    packet->link = ETL_LINK_USB;
    packet->place = PLACE;
    packet->direction = in ? ETL_DIRECTION_IN : ETL_DIRECTION_OUT;
    packet->prefix_size = HEADER_SIZE;
    etl_store_u16(at, HEADER_SIZE);
    etl_store_u32(at + 2, (uint32_t)picks[IRP].number);
    etl_store_u32(at + 6, (uint32_t)(picks[IRP].number >> 32));
    etl_store_u32(at + 10, row->done ? (uint32_t)picks[STATUS].number : 0);
    etl_store_u16(at + 14, (uint16_t)picks[FUNCTION].number);
    at[16] = row->done;
    etl_store_u16(at + BUS_AT, (uint16_t)picks[BUS].number);
    etl_store_u16(at + DEVICE_AT, (uint16_t)picks[DEVICE].number);
    at[ENDPOINT_AT] = in ? DIRECTION_IN : 0;
    at[KIND_AT] = kind;
    if (picks[ATTRIBUTES].found) {
        set_endpoint(at, (uint8_t)picks[ENDPOINT].number, (uint8_t)picks[ATTRIBUTES].number);
    }
    packet->has_pipe = picks[UCX_PIPE].found;
    packet->usb_controller = picks[UCX_CONTROLLER].number;
    packet->usb_device = picks[UCX_DEVICE].number;
    packet->usb_pipe = picks[UCX_PIPE].number;
    etl_store_u32(at + DATA_SIZE_AT, (uint32_t)packet->bytes.size);
}

/* Events without data, or with the first bytes of it, say how much there was. */
static void set_size(struct etl_packet *packet, uint64_t size)
{
    if (size > packet->bytes.size && size <= INT32_MAX - ETL_PACKET_PREFIX_MAX) {
        packet->original_size = (uint32_t)size;
        etl_store_u32(packet->prefix + DATA_SIZE_AT, (uint32_t)size);
    }
}

static struct etl_span nothing_of(const struct etl_event *event)
{
    return (struct etl_span){.at = event->payload.at, .size = 0};
}

bool etl_usb_control(const struct etl_event *event, const struct etl_packet_row *row,
                     struct etl_packet *packet)
{
    struct etl_packet_field picks[PICKS];
    if (!pick(event, row, picks) || !picks[SETUP].found) {
        return false;
    }
    bool in = (picks[SETUP].bytes.at[0] & DIRECTION_IN) != 0;
    packet->bytes = row->done ? picks[DATA].bytes : picks[SETUP].bytes;
    if (packet->bytes.size == 0) {
        packet->bytes = nothing_of(event);
    }
    start(packet, row, picks, KIND_CONTROL, in);
    packet->prefix[0] = HEADER_SIZE + 1;
    packet->prefix[STAGE_AT] = row->done ? STAGE_COMPLETE : STAGE_SETUP;
    packet->prefix_size = HEADER_SIZE + 1;
    if (row->done && in) {
        set_size(packet, picks[LENGTH].number);
    }
    return true;
}

bool etl_usb_bulk(const struct etl_event *event, const struct etl_packet_row *row,
                  struct etl_packet *packet)
{
    struct etl_packet_field picks[PICKS];
    if (!pick(event, row, picks)) {
        return false;
    }
    bool in = (picks[FLAGS].number & 1) != 0;
    packet->bytes = picks[DATA].bytes.size > 0 ? picks[DATA].bytes : nothing_of(event);
    start(packet, row, picks, KIND_BULK, in);
    if (in == row->done) { /* data goes in when a transfer is done, and out when it begins */
        set_size(packet, picks[LENGTH].number);
    }
    return true;
}

/* Frame, counts and the list of packets follow each other in the event; the data do not. */
bool etl_usb_isochronous(const struct etl_event *event, const struct etl_packet_row *row,
                         struct etl_packet *packet)
{
    struct etl_packet_field picks[PICKS];
    if (!pick(event, row, picks) || !picks[ISO_COUNT].found) {
        return false;
    }
    const uint8_t *at = picks[START_FRAME].bytes.at;
    size_t left = event->payload.size - (size_t)(at - event->payload.at);
    size_t size = ISO_FACTS_SIZE + ISO_PACKET_SIZE * (size_t)picks[ISO_COUNT].number;
    if (left < size || size > UINT16_MAX - HEADER_SIZE) {
        return false;
    }
    packet->bytes = (struct etl_span){.at = at, .size = size};
    start(packet, row, picks, KIND_ISOCHRONOUS, (picks[FLAGS].number & 1) != 0);
    etl_store_u16(packet->prefix, (uint16_t)(HEADER_SIZE + size));
    size_t data = picks[DATA].bytes.size;
    etl_store_u32(packet->prefix + DATA_SIZE_AT, (uint32_t)data);
    packet->original_size = data > 0 ? (uint32_t)(size + data) : 0;
    return true;
}
