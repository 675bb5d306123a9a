/*
 * Packs and unpacks frames (etl/record.h, plugin/FORMAT.md).
 *
 * The trailer's head, 48 bytes:
 *
 *   00 "ETL", u8 version      04 u8 head length       05 i8 local time, quarter hours
 *   06 u48 position           0C u32 trace id         10 u16 CPU          12 u16 LoggerId
 *   14 u32 buffer number      18 u32 buffer offset:25, clock kind:3, flags:4
 *   1C u32 clock frequency    20 i64 base raw time    28 i64 base FILETIME
 *
 * (local time: UTC = local + that; -128: unknown)
 *
 * then items: u16 type, u16 length, bytes, padded to 4.
 */
#include "etl/record.h"

#include "core/event/record_items.h"
#include "etl/counters.h"
#include "etl/hooks.h"

#include "etl/decode.h"
#include "etl/embedded.h"
#include "etl/event_source.h"
#include "etl/items.h"
#include "etl/packet.h"
#include "etl/providers.h"
#include "etl/traits.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT_SIZE     4
#define LENGTHS_SIZE     12
#define FIXED_SIZE       (ETL_EVENT_HEADER_SIZE + CONTEXT_SIZE + LENGTHS_SIZE)
#define HEAD_SIZE        48
#define QUARTER_UNKNOWN  (-128)
#define QUARTER_MAX      127
#define SCHEMA_HASH_SIZE 8
#define USB_WAY_SIZE     8
#define OWNER_SIZE       8

/* UTF-16 takes at most twice the bytes of UTF-8. */
#define PROVIDER_NAME_ROOM (2 * ETL_PROVIDER_NAME_MAX + 2)

/* Flags in the top bits of the word at 18. */
#define FLAG_COMPRESSED    0x10000000U
#define FLAG_OUT_OF_ORDER  0x20000000U
#define FLAG_POINTER64     0x40000000U
#define FLAG_OLD_INSTANCES 0x80000000U
#define CLOCK_SHIFT        ETL_POSITION_OFFSET_BITS
#define CLOCK_MASK         7U

/* The types of an EVENT_HEADER, and the marker of every typed header. */
#define TYPE_EVENT32 0x12
#define TYPE_EVENT64 0x13
#define MARKER_TYPED 0xC0

/* EVENT_HEADER.Flags of a synthesised header. */
enum {
    HEADER_TRACE_MESSAGE = 0x0008,
    HEADER_32_BIT = 0x0020,
    HEADER_64_BIT = 0x0040,
    HEADER_CLASSIC = 0x0100,
    HEADER_PROCESSOR_INDEX = 0x0200,
};

static uint16_t synthesised_flags(const struct etl_event *event)
{
    uint16_t flags = event->pointer_size == 4 ? HEADER_32_BIT : HEADER_64_BIT;
    return flags |
           (event->kind->family == ETL_FAMILY_MESSAGE ? HEADER_TRACE_MESSAGE : HEADER_CLASSIC);
}

/* An EVENT_HEADER as a consumer on Windows would get it for an event of another kind. */
static void put_synthesised_header(struct writer *writer, const struct etl_entry *entry,
                                   const struct etl_event_names *names)
{
    const struct etl_event *event = &entry->event;
    bool message = event->kind->family == ETL_FAMILY_MESSAGE;
    uint8_t *at = claim(writer, ETL_EVENT_HEADER_SIZE);
    etl_store_u16(at, event->size);
    at[0x02] = event->kind->header_type;
    at[0x03] = event->header_flags;
    etl_store_u16(at + 0x04, synthesised_flags(event));
    etl_store_u16(at + 0x06, 0);
    etl_store_u32(at + 0x08, names->thread_id);
    etl_store_u32(at + 0x0C, names->process_id);
    etl_store_u64(at + 0x10, entry->raw_time != INT64_MIN ? (uint64_t)entry->raw_time : 0);
    memcpy(at + 0x18, event->provider.bytes, sizeof event->provider.bytes);
    etl_store_u16(at + 0x28, message ? event->id : 0);
    at[0x2A] = event->version;
    at[0x2B] = 0; /* channel */
    at[0x2C] = event->level;
    at[0x2D] = event->opcode;
    etl_store_u16(at + 0x2E, 0); /* task */
    etl_store_u64(at + 0x30, 0); /* keywords */
    etl_store_u32(at + 0x38, event->kernel_time);
    etl_store_u32(at + 0x3C, event->user_time);
    memcpy(at + 0x40, event->activity.bytes, sizeof event->activity.bytes);
}

static void put_head(struct writer *writer, const struct etl_entry *entry)
{
    const struct etl_place *place = &entry->place;
    const struct etl_context *context = entry->context;
    bool quarters = context->local_time_known && context->local_time_bias % 15 == 0 &&
                    abs(context->local_time_bias / 15) <= QUARTER_MAX;
    int quarter = quarters ? context->local_time_bias / 15 : QUARTER_UNKNOWN;
    uint32_t word = place->offset | (uint32_t)context->clock.kind << CLOCK_SHIFT;
    word |= place->compressed ? FLAG_COMPRESSED : 0;
    word |= place->out_of_order ? FLAG_OUT_OF_ORDER : 0;
    word |= context->pointer_size == 8 ? FLAG_POINTER64 : 0;
    word |= context->old_instances ? FLAG_OLD_INSTANCES : 0;
    bool small = context->clock.frequency <= UINT32_MAX;
    uint8_t *at = claim(writer, HEAD_SIZE);
    const uint8_t start[6] = {'E', 'T', 'L', ETL_RECORD_VERSION, HEAD_SIZE, (uint8_t)quarter};
    memcpy(at, start, sizeof start);
    etl_store_u16(at + 0x06, (uint16_t)place->position);
    etl_store_u32(at + 0x08, (uint32_t)(place->position >> 16));
    etl_store_u32(at + 0x0C, context->trace_id);
    etl_store_u16(at + 0x10, place->cpu);
    etl_store_u16(at + 0x12, place->logger_id);
    etl_store_u32(at + 0x14, place->buffer);
    etl_store_u32(at + 0x18, word);
    etl_store_u32(at + 0x1C, small ? (uint32_t)context->clock.frequency : 0);
    etl_store_u64(at + 0x20, (uint64_t)context->clock.base_raw);
    etl_store_u64(at + 0x28, (uint64_t)context->clock.base_filetime);
    if (!small) {
        uint8_t frequency[8];
        etl_store_u64(frequency, context->clock.frequency);
        put_item(writer, ITEM_FREQUENCY, frequency, sizeof frequency);
    }
    if (context->local_time_known && !quarters) {
        uint8_t bias[2];
        etl_store_u16(bias, (uint16_t)context->local_time_bias);
        put_item(writer, ITEM_LOCAL_BIAS, bias, sizeof bias);
    }
}

static void put_buffer_item(struct writer *writer, const struct etl_place *place)
{
    bool small = place->sequence >= 0 && place->sequence <= UINT32_MAX &&
                 place->buffer_type <= UINT8_MAX && place->buffer_state <= UINT8_MAX;
    size_t size = small ? 8 : 16;
    uint8_t *at = begin_item(writer, ITEM_BUFFER, size, size);
    if (at != NULL && small) {
        etl_store_u32(at, (uint32_t)place->sequence);
        etl_store_u16(at + 4, place->buffer_flags);
        at[6] = (uint8_t)place->buffer_type;
        at[7] = (uint8_t)place->buffer_state;
    } else if (at != NULL) {
        etl_store_u64(at, (uint64_t)place->sequence);
        etl_store_u16(at + 8, place->buffer_flags);
        etl_store_u16(at + 10, place->buffer_type);
        etl_store_u32(at + 12, place->buffer_state);
    }
}

static void put_remarks(struct writer *writer, const struct etl_entry *entry)
{
    for (size_t i = 0; i < entry->remark_count; i++) {
        const struct etl_remark *remark = &entry->remarks[i];
        size_t size = 2 + strlen(remark->detail);
        uint8_t *at = begin_item(writer, ITEM_REMARK, size, size);
        if (at != NULL) {
            etl_store_u16(at, (uint16_t)remark->note);
            memcpy(at + 2, remark->detail, size - 2);
            pad(writer, size);
        }
    }
}

/* What the event's own traits say, or those of another event of its provider. */
static bool provider_name_of(const struct etl_event *event, const struct etl_keys *keys,
                             struct etl_span *ret_utf8)
{
    struct etl_span traits;
    if (etl_items_find(event, ETL_ITEM_PROV_TRAITS, &traits) && etl_traits_name(traits, ret_utf8) &&
        ret_utf8->size <= ETL_PROVIDER_NAME_MAX) {
        return true;
    }
    return event->has_provider && event->kind->family > ETL_FAMILY_PERFINFO &&
           etl_keys_provider_name(keys, &event->provider, ret_utf8);
}

/* The name as the record has it, NUL included; 0: the trace gives none. */
static size_t make_provider_name(const struct etl_event *event, const struct etl_keys *keys,
                                 uint8_t room[PROVIDER_NAME_ROOM])
{
    struct etl_span utf8;
    return provider_name_of(event, keys, &utf8)
               ? etl_utf16_of_utf8(utf8.at, utf8.size, room, PROVIDER_NAME_ROOM) + 2
               : 0;
}

/* What the trace says of events of this kind. */
static void put_schema(struct writer *writer, const struct etl_event *event,
                       const struct etl_keys *keys)
{
    struct etl_span schema;
    if (etl_embedded_find(etl_keys_embedded(keys), event, &schema) ||
        etl_event_sources_find(etl_keys_event_sources(keys), event, &schema)) {
        put_item(writer, ITEM_SCHEMA, schema.at, schema.size);
    }
}

static void put_usb_way(struct writer *writer, const struct etl_traffic *traffic,
                        const struct etl_packet *packet, int64_t raw_time)
{
    struct etl_usb_way way;
    if (etl_traffic_usb_way(traffic, packet, raw_time, &way)) {
        uint8_t item[USB_WAY_SIZE] = {0};
        etl_store_u16(item, way.bus);
        etl_store_u16(item + 2, way.device);
        item[4] = way.has_endpoint;
        item[5] = way.endpoint;
        item[6] = way.attributes;
        put_item(writer, ITEM_USB_WAY, item, sizeof item);
    }
}

static void read_usb_way(struct etl_span item, struct etl_usb_way *ret_way)
{
    if (item.size != USB_WAY_SIZE) {
        return;
    }
    ret_way->bus = etl_load_u16(item.at);
    ret_way->device = etl_load_u16(item.at + 2);
    ret_way->has_endpoint = item.at[4] != 0;
    ret_way->endpoint = item.at[5];
    ret_way->attributes = item.at[6];
}

static void read_owner(struct etl_span item, struct etl_owner *ret_owner)
{
    if (item.size == OWNER_SIZE) {
        ret_owner->process_id = etl_load_u32(item.at);
        ret_owner->source = (enum etl_owner_source)etl_load_u16(item.at + 4);
    }
}

/*
 * What the trace knows of a packet. No schema: packets come by the million, their rows are known, and
 * the description of PktMon's is 10 KB of names of drop reasons.
 */
static void put_packet(struct writer *writer, const struct etl_packet *packet,
                       const struct etl_keys *keys, int64_t raw_time, struct etl_event_names *names)
{
    const struct etl_traffic *traffic = etl_keys_known_traffic(keys);
    struct etl_owner owner = {.process_id = ETL_ID_UNKNOWN};
    struct etl_span reception;
    if (etl_traffic_owner(traffic, packet, raw_time, &owner)) {
        uint8_t item[OWNER_SIZE] = {0};
        etl_store_u32(item, owner.process_id);
        etl_store_u16(item + 4, (uint16_t)owner.source);
        put_item(writer, ITEM_OWNER, item, sizeof item);
    }
    if (etl_traffic_reception(traffic, packet, raw_time, &reception)) {
        put_item(writer, ITEM_RECEPTION, reception.at, reception.size);
    }
    put_usb_way(writer, traffic, packet, raw_time);
    etl_packet_names(packet, owner.process_id, keys, raw_time, names);
}

/* Which counters a performance log's values belong to. */
static void put_counters(struct writer *writer, const struct etl_entry *entry,
                         const struct etl_keys *keys)
{
    struct etl_guid log;
    struct etl_span list;
    if (etl_counters_is_values(&entry->event, &log) &&
        etl_keys_counters(keys, &log, entry->raw_time, &list)) {
        put_item(writer, ITEM_COUNTERS, list.at, list.size);
    }
}

size_t etl_record_pack(const struct etl_entry *entry, const struct etl_keys *keys,
                       const struct etl_record_options *options, uint8_t *room)
{
    const struct etl_event *event = &entry->event;
    bool modern = event->kind->family == ETL_FAMILY_MODERN;
    struct writer writer = {.at = room, .end = room + ETL_RECORD_SIZE_MAX};
    struct etl_event_names names;
    etl_event_names(event, entry->context, keys, entry->raw_time, entry->running_thread, &names);
    uint8_t name[PROVIDER_NAME_ROOM];
    size_t name_size = make_provider_name(event, keys, name);
    if (modern) {
        put(&writer, event->header.at, ETL_EVENT_HEADER_SIZE);
    } else {
        put_synthesised_header(&writer, entry, &names);
    }
    uint8_t *at = claim(&writer, CONTEXT_SIZE + LENGTHS_SIZE);
    etl_store_u16(at, entry->place.cpu);
    etl_store_u16(at + 2, entry->place.logger_id);
    etl_store_u32(at + 4, (uint32_t)event->payload.size);
    etl_store_u32(at + 8, 0);
    etl_store_u32(at + 12, (uint32_t)name_size);
    put(&writer, event->payload.at, event->payload.size);
    pad(&writer, event->payload.size);
    put(&writer, name, name_size);
    pad(&writer, name_size);
    put_head(&writer, entry);
    if (!modern) {
        put_item(&writer, ITEM_HEADER, event->header.at, event->header.size);
    }
    if (event->items.size > 0) {
        put_item(&writer, ITEM_EXTENDED, event->items.at, event->items.size);
    }
    put_buffer_item(&writer, &entry->place);
    put_remarks(&writer, entry);
    struct etl_packet packet;
    if (etl_packet_of_event(event, &packet)) {
        put_packet(&writer, &packet, keys, entry->raw_time, &names);
    } else {
        put_schema(&writer, event, keys);
    }
    if (!options->no_names) {
        put_counters(&writer, entry, keys);
    }
    etl_record_put_names(&writer, &names, options);
    return (size_t)(writer.at - room);
}

static void read_buffer_item(struct etl_span span, struct etl_place *place)
{
    if (span.size == 8) {
        place->sequence = etl_load_u32(span.at);
        place->buffer_flags = etl_load_u16(span.at + 4);
        place->buffer_type = span.at[6];
        place->buffer_state = span.at[7];
    } else if (span.size == 16) {
        place->sequence = (int64_t)etl_load_u64(span.at);
        place->buffer_flags = etl_load_u16(span.at + 8);
        place->buffer_type = etl_load_u16(span.at + 10);
        place->buffer_state = etl_load_u32(span.at + 12);
    }
}

static struct etl_span rest_of(const struct etl_bytes *bytes, const uint8_t *from)
{
    return (struct etl_span){.at = from, .size = (size_t)(bytes->end - from)};
}

/* Spans of the items that say what the event is; the others are read when somebody asks. */
struct parts {
    struct etl_span header;
    struct etl_span extended;
};

/* Of an item that should be there once, the first counts. */
static void keep_first(struct etl_span *kept, struct etl_span span)
{
    if (kept->size == 0) {
        *kept = span;
    }
}

/* What few records have. */
__attribute__((noinline)) static void read_rare_item(uint16_t type, struct etl_span span,
                                                     struct etl_record *record)
{
    switch (type) {
    case ITEM_SCHEMA:
        if (span.size > SCHEMA_HASH_SIZE) {
            record->packed_schema = span;
        }
        break;
    case ITEM_OWNER:
        read_owner(span, &record->owner);
        break;
    case ITEM_RECEPTION:
        record->reception = span;
        break;
    case ITEM_USB_WAY:
        read_usb_way(span, &record->usb_way);
        break;
    case ITEM_COUNTERS:
        keep_first(&record->counters, span);
        break;
    case ITEM_FREQUENCY:
        if (span.size == 8) {
            record->context.clock.frequency = etl_load_u64(span.at);
        }
        break;
    case ITEM_LOCAL_BIAS:
        if (span.size == 2) {
            record->context.local_time_known = true;
            record->context.local_time_bias = (int16_t)etl_load_u16(span.at);
        }
        break;
    default: /* a later version's */
        break;
    }
}

/* Most items are names, of which only the first one's place matters here. */
static void read_items(struct etl_record *record, struct parts *ret_parts)
{
    struct etl_bytes bytes = etl_bytes_of(record->trailer_items.at, record->trailer_items.size);
    uint16_t type;
    struct etl_span span;
    for (const uint8_t *at = bytes.at; next_item(&bytes, &type, &span); at = bytes.at) {
        if (type == ITEM_NAME || type == ITEM_IMAGE || type == ITEM_STACK) {
            keep_first(&record->name_items, rest_of(&bytes, at));
        } else if (type == ITEM_HEADER) {
            ret_parts->header = span;
        } else if (type == ITEM_BUFFER) {
            read_buffer_item(span, &record->place);
        } else if (type == ITEM_PROCESS) {
            keep_first(&record->process_item, span);
        } else if (type == ITEM_EXTENDED) {
            ret_parts->extended = span;
        } else if (type == ITEM_REMARK) {
            keep_first(&record->remark_items, rest_of(&bytes, at));
        } else {
            read_rare_item(type, span, record);
        }
    }
    if (bytes.failed || etl_bytes_left(&bytes) > 0) {
        record->trailer = ETL_TRAILER_DAMAGED;
    }
}

static void read_head(const uint8_t *head, struct etl_record *record)
{
    struct etl_place *place = &record->place;
    struct etl_context *context = &record->context;
    uint32_t word = etl_load_u32(head + 0x18);
    int quarter = (int8_t)head[5];
    place->position = etl_load_u16(head + 6) | (uint64_t)etl_load_u32(head + 8) << 16;
    context->trace_id = etl_load_u32(head + 0x0C);
    place->cpu = etl_load_u16(head + 0x10);
    place->logger_id = etl_load_u16(head + 0x12);
    place->buffer = etl_load_u32(head + 0x14);
    place->offset = word & (ETL_BUFFER_SIZE_MAX - 1);
    place->compressed = (word & FLAG_COMPRESSED) != 0;
    place->out_of_order = (word & FLAG_OUT_OF_ORDER) != 0;
    uint32_t kind = word >> CLOCK_SHIFT & CLOCK_MASK;
    context->clock.kind = kind <= ETL_CLOCK_CYCLES ? (enum etl_clock_kind)kind : ETL_CLOCK_UNKNOWN;
    context->clock.frequency = etl_load_u32(head + 0x1C);
    context->clock.base_raw = (int64_t)etl_load_u64(head + 0x20);
    context->clock.base_filetime = (int64_t)etl_load_u64(head + 0x28);
    context->pointer_size = word & FLAG_POINTER64 ? 8 : 4;
    context->old_instances = (word & FLAG_OLD_INSTANCES) != 0;
    context->local_time_known = quarter != QUARTER_UNKNOWN;
    context->local_time_bias = (int16_t)(quarter != QUARTER_UNKNOWN ? quarter * 15 : 0);
}

/* Looks for our trailer in what is left of the frame. */
static void read_trailer(struct etl_bytes *bytes, struct etl_record *record,
                         struct parts *ret_parts)
{
    const uint8_t *head = bytes->at;
    size_t left = etl_bytes_left(bytes);
    record->trailer_bytes = (struct etl_span){.at = head, .size = left};
    if (left < 8 || memcmp(head, "ETL", 3) != 0) {
        record->trailer = ETL_TRAILER_NONE;
    } else if (head[3] > ETL_RECORD_VERSION) {
        record->trailer = ETL_TRAILER_NEWER;
    } else if (head[3] != ETL_RECORD_VERSION || left < HEAD_SIZE || head[4] < HEAD_SIZE ||
               head[4] > left) {
        record->trailer = ETL_TRAILER_DAMAGED;
    } else {
        record->trailer = ETL_TRAILER_GOOD;
        read_head(head, record);
        record->trailer_items = (struct etl_span){.at = head + head[4], .size = left - head[4]};
        read_items(record, ret_parts);
    }
}

/*
 * The record's own EVENT_HEADER. Whatever its type says: consumers on Windows leave 0 there, and a
 * synthesised one has that of the header it stands for.
 */
static void read_event_header(const uint8_t *data, struct etl_record *record)
{
    uint8_t header[ETL_EVENT_HEADER_SIZE];
    memcpy(header, data, sizeof header);
    bool narrow = header[2] == TYPE_EVENT32 ||
                  (header[2] != TYPE_EVENT64 && (etl_load_u16(header + 4) & HEADER_32_BIT) != 0);
    header[2] = narrow ? TYPE_EVENT32 : TYPE_EVENT64;
    header[3] = MARKER_TYPED;
    if (etl_load_u16(header) < ETL_EVENT_HEADER_SIZE) {
        etl_store_u16(header, ETL_EVENT_HEADER_SIZE);
    }
    etl_event_read_header(header, sizeof header, &record->context, &record->event);
    record->event.header.at = data;
}

/*
 * What is so in frames that others make from what a consumer on Windows gets: FILETIMEs, a CPU of one byte
 * unless a flag says otherwise, and classic events, also the kernel's, in an EVENT_HEADER.
 */
static void read_foreign(struct etl_record *record)
{
    struct etl_event *event = &record->event;
    record->context.clock.kind = ETL_CLOCK_SYSTEM_TIME;
    if ((event->flags & HEADER_PROCESSOR_INDEX) == 0) {
        record->place.cpu &= 0xFF;
    }
    if (event->flags & HEADER_CLASSIC) {
        event->has_hook = etl_hook_of_class(&event->provider, event->opcode, &event->hookid);
    }
}

/* The event from its header as it was on disk, or from the record's. */
static void read_event(const uint8_t *data, const struct parts *parts, struct etl_record *record)
{
    bool typed = parts->header.size > 0;
    if (!typed || !etl_event_read_header(parts->header.at, parts->header.size, &record->context,
                                         &record->event)) {
        read_event_header(data, record);
        record->trailer = typed ? ETL_TRAILER_DAMAGED : record->trailer;
    }
    if (record->trailer == ETL_TRAILER_NONE) {
        read_foreign(record);
    }
    record->event.items = parts->extended;
    if (parts->extended.at == NULL && record->trailer == ETL_TRAILER_GOOD) {
        record->event.items.at = record->trailer_items.at; /* known to be none */
    }
}

/* The ids that the event has no place for, or leaves open, are in the synthesised EVENT_HEADER. */
static void read_ids(const uint8_t *data, struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    bool modern = event->kind->family == ETL_FAMILY_MODERN;
    record->has_ids = event->has_ids;
    record->thread_id = event->thread_id;
    record->process_id = event->process_id;
    if (!event->has_ids || (event->process_id == ETL_ID_UNKNOWN && !modern)) {
        uint32_t thread = etl_load_u32(data + 8);
        uint32_t process = etl_load_u32(data + 12);
        record->thread_id = thread;
        record->process_id = process;
        record->has_ids = thread != ETL_ID_UNKNOWN || process != ETL_ID_UNKNOWN;
    }
    record->raw_time = record->event.has_time ? record->event.raw_time
                                              : (int64_t)etl_load_u64(data + 16);
}

bool etl_record_unpack(const uint8_t *data, size_t size, struct etl_record *ret_record)
{
    struct etl_bytes bytes = etl_bytes_of(data, size);
    struct parts parts = {0};
    memset(ret_record, 0, sizeof *ret_record);
    ret_record->context.pointer_size = 8;
    if (size < FIXED_SIZE) {
        return false;
    }
    etl_bytes_take(&bytes, ETL_EVENT_HEADER_SIZE);
    ret_record->buffer_context = (struct etl_span){.at = etl_bytes_take(&bytes, CONTEXT_SIZE),
                                                   .size = CONTEXT_SIZE};
    size_t lengths[3];
    struct etl_span texts[3];
    for (size_t i = 0; i < 3; i++) {
        lengths[i] = etl_bytes_u32(&bytes);
    }
    for (size_t i = 0; i < 3; i++) {
        size_t left = etl_bytes_left(&bytes);
        ret_record->length_mismatch |= lengths[i] > left;
        size_t length = lengths[i] < left ? lengths[i] : left;
        texts[i] = (struct etl_span){.at = etl_bytes_take(&bytes, length), .size = length};
        left = etl_bytes_left(&bytes);
        etl_bytes_take(&bytes, padding_of(length) < left ? padding_of(length) : left);
    }
    ret_record->provider_name = texts[2];
    ret_record->place.cpu = etl_load_u16(ret_record->buffer_context.at);
    ret_record->place.logger_id = etl_load_u16(ret_record->buffer_context.at + 2);
    read_trailer(&bytes, ret_record, &parts);
    read_event(data, &parts, ret_record);
    ret_record->event.payload = texts[0];
    read_ids(data, ret_record);
    return true;
}

void etl_record_remarks(const struct etl_record *record,
                        void (*visit)(void *data, enum etl_note note, struct etl_span detail),
                        void *data)
{
    struct etl_bytes bytes = etl_bytes_of(record->remark_items.at, record->remark_items.size);
    uint16_t type;
    struct etl_span span;
    while (next_item(&bytes, &type, &span)) {
        if (type == ITEM_REMARK && span.size >= 2 && etl_load_u16(span.at) < ETL_NOTE_COUNT) {
            visit(data, (enum etl_note)etl_load_u16(span.at),
                  (struct etl_span){.at = span.at + 2, .size = span.size - 2});
        }
    }
}
