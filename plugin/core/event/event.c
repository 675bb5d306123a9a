/*
 * Event headers: which kind, how long, what it says. The rows of the headers are in
 * plugin/layouts/headers.def; here are the few facts that the code needs of each.
 *
 *     byte 0..3   the first dword: Size or Version, header type, marker
 *                 marker 0xC0: typed (byte 2 is the type), 0x9x: message
 */
#include "etl/event.h"

#include "core/file/measure.h"

#include "etl/decode.h"
#include "etl/facts.h"
#include "etl/hooks.h"

#include <string.h>

/* Bits of byte 3. */
#define MARKER_TRACE_HEADER \
    0x80 /* clear only in a WNODE_HEADER with a 32-bit size: never in files */
#define MARKER_EVENT_TRACE  0x40 /* byte 2 is a header type */
#define MARKER_MESSAGE_MASK 0xF0
#define MARKER_MESSAGE      0x90

/* Version word of SYSTEM, COMPACT and PERFINFO headers. */
#define VERSION_COUNTERS 0x0700
#define VERSION_PEBS     0x8000

/* OptionFlags of a message. */
#define MESSAGE_SEQUENCE     0x01
#define MESSAGE_GUID         0x02
#define MESSAGE_COMPONENT_ID 0x04
#define MESSAGE_TIMESTAMP    0x08
#define MESSAGE_ANY_TIME     0x18
#define MESSAGE_SYSTEM_INFO  0x20
#define MESSAGE_POINTER32    0x40
#define MESSAGE_POINTER64    0x80

/* What every header has: where a size may be, a type and a marker. */
#define HEADER_SIZE_MIN 4

/* EVENT_HEADER.Flags */
#define FLAG_EXTENDED_INFO 0x0001

/*
 * The last dword of a classic header holds WNODE flags, not UserTime, if TRACED_GUID is set and
 * nothing that no provider may set.
 */
#define WNODE_TRACED_GUID   0x00020000U
#define WNODE_POSSIBLE      0x003E0200U
#define WNODE_USE_TIMESTAMP 0x00000200U
#define WNODE_FLAGS_AT      0x2C

static const struct etl_kind kinds[ETL_KIND_COUNT] = {
#define KIND(id, type, kind_family, pointer, header, size_offset, time_offset, layout_id, text) \
    [ETL_KIND_##id] = {.name = (text),                                                          \
                       .family = ETL_FAMILY_##kind_family,                                      \
                       .header_type = (type),                                                   \
                       .pointer_size = (pointer),                                               \
                       .header_size = (header),                                                 \
                       .size_at = (size_offset),                                                \
                       .time_at = (time_offset),                                                \
                       .layout = ETL_LAYOUT_##layout_id},
#include "layouts/all.def"
};

/* By header type; what is missing is ETL_KIND_UNKNOWN. */
static const uint8_t kind_of_type[256] = {
#define KIND(id, type, ...) [type] = ETL_KIND_##id,
#define SPECIAL_KIND(id, ...)
#include "layouts/all.def"
};

/* Kinds whose header every event of them has as it is: instances depend on the file, others have no
 * time. */
#define FAST_SYSTEM   1
#define FAST_COMPACT  1
#define FAST_PERFINFO 1
#define FAST_FULL     1
#define FAST_MODERN   1
#define FAST_INSTANCE 0
#define FAST_OTHER    0
#define FAST_MESSAGE  0

const struct etl_measure_row etl_measure_rows[256] = {
#define KIND(id, type, kind_family, pointer, header, size_offset, time_offset, ...) \
    [type] = {.kind = &kinds[ETL_KIND_##id],                                        \
              .header_size = FAST_##kind_family ? (header) : 0,                     \
              .size_at = (size_offset),                                             \
              .time_at = (time_offset),                                             \
              .classic = ETL_FAMILY_##kind_family == ETL_FAMILY_FULL},
#define SPECIAL_KIND(id, ...)
#include "layouts/all.def"
};

const struct etl_kind *etl_kind(enum etl_kind_id id)
{
    return &kinds[id];
}

/* Bytes of a message's header with all that its flags announce. */
static size_t message_header_size(unsigned flags)
{
    size_t size = 8;
    size += flags & MESSAGE_SEQUENCE ? 4 : 0;
    size += flags & MESSAGE_COMPONENT_ID ? 4 : flags & MESSAGE_GUID ? 16 : 0;
    size += flags & MESSAGE_ANY_TIME ? 8 : 0;
    size += flags & MESSAGE_SYSTEM_INFO ? 8 : 0;
    return size;
}

/* Where a message's time stamp is; 0: it has none. */
static size_t message_time_offset(unsigned flags)
{
    if ((flags & MESSAGE_TIMESTAMP) == 0) {
        return 0;
    }
    return message_header_size(flags & ~(unsigned)(MESSAGE_ANY_TIME | MESSAGE_SYSTEM_INFO));
}

static enum etl_measured measure_message(const uint8_t *at, size_t left, struct etl_measure *ret)
{
    uint16_t size = etl_load_u16(at);
    unsigned flags = etl_load_u16(at + 6);
    if (size > left || size < message_header_size(flags)) {
        return ETL_MEASURED_DAMAGED;
    }
    size_t time_offset = message_time_offset(flags);
    ret->kind = &kinds[ETL_KIND_MESSAGE];
    ret->size = size;
    ret->has_time = time_offset != 0;
    ret->raw_time = time_offset != 0 ? (int64_t)etl_load_u64(at + time_offset) : 0;
    return ETL_MEASURED_EVENT;
}

static bool wnode_flags_of(const struct etl_kind *kind, const uint8_t *at, uint32_t *ret_flags)
{
    if (kind->family != ETL_FAMILY_FULL) {
        return false;
    }
    uint32_t flags = etl_load_u32(at + WNODE_FLAGS_AT);
    *ret_flags = flags;
    return (flags & WNODE_TRACED_GUID) != 0 && (flags & ~WNODE_POSSIBLE) == 0;
}

/*
 * Providers that pass time stamps of their own (performance logs) pass local time; where the
 * trace's clock is the system time that can be put right.
 */
static bool is_local_time(const struct etl_kind *kind, const uint8_t *at,
                          const struct etl_context *context)
{
    uint32_t flags;
    return kind->family == ETL_FAMILY_FULL && context->clock.kind == ETL_CLOCK_SYSTEM_TIME &&
           context->local_time_known && wnode_flags_of(kind, at, &flags) &&
           (flags & WNODE_USE_TIMESTAMP) != 0;
}

static int64_t utc_of_local(int64_t filetime, const struct etl_context *context)
{
    int64_t shift = (int64_t)context->local_time_bias * 60 * ETL_FILETIME_PER_SECOND;
    int64_t utc;
    return __builtin_add_overflow(filetime, shift, &utc) ? filetime : utc;
}

enum etl_measured etl_event_measure(const uint8_t *at, size_t left,
                                    const struct etl_context *context,
                                    struct etl_measure *ret_measure)
{
    if (left < ETL_EVENT_SIZE_MIN) {
        return ETL_MEASURED_END;
    }
    uint32_t marker = etl_load_u32(at);
    if (marker == 0 || marker == UINT32_MAX) {
        return ETL_MEASURED_END;
    }
    unsigned top = marker >> 24;
    if ((top & MARKER_MESSAGE_MASK) == MARKER_MESSAGE) {
        return measure_message(at, left, ret_measure);
    }
    if ((top & MARKER_TRACE_HEADER) == 0 || (top & MARKER_EVENT_TRACE) == 0) {
        return ETL_MEASURED_DAMAGED;
    }
    const struct etl_kind *kind = &kinds[kind_of_type[marker >> 16 & 0xFF]];
    if (kind == &kinds[ETL_KIND_INSTANCE32] && context->old_instances) {
        kind = &kinds[ETL_KIND_OLD_INSTANCE32];
    }
    uint16_t size = etl_load_u16(at + kind->size_at);
    if (size < kind->header_size || size < ETL_EVENT_SIZE_MIN || size > left) {
        return ETL_MEASURED_DAMAGED;
    }
    ret_measure->kind = kind;
    ret_measure->size = size;
    ret_measure->has_time = kind->time_at != 0;
    ret_measure->raw_time = kind->time_at != 0 ? (int64_t)etl_load_u64(at + kind->time_at) : 0;
    if (is_local_time(kind, at, context)) {
        ret_measure->raw_time = utc_of_local(ret_measure->raw_time, context);
    }
    return ETL_MEASURED_EVENT;
}

static void read_ids(const uint8_t *at, struct etl_event *event)
{
    event->has_ids = true;
    event->thread_id = etl_load_u32(at);
    event->process_id = etl_load_u32(at + 4);
}

static void read_cpu_times(const uint8_t *at, struct etl_event *event)
{
    event->has_cpu_times = true;
    event->kernel_time = etl_load_u32(at);
    event->user_time = etl_load_u32(at + 4);
}

static void read_provider(const uint8_t *at, struct etl_event *event)
{
    event->has_provider = true;
    memcpy(event->provider.bytes, at, sizeof event->provider.bytes);
}

/* SYSTEM, COMPACT, PERFINFO: hook id, and counters after a perfinfo header as far as they fit. */
static void read_kernel_header(const uint8_t *at, struct etl_event *event)
{
    event->header_version = etl_load_u16(at);
    event->version = at[0];
    event->has_hook = true;
    event->hookid = etl_load_u16(at + 6);
    event->opcode = at[6];
    const struct etl_guid *class_guid = etl_class_of_hook(event->hookid);
    if (class_guid != NULL) {
        event->has_provider = true;
        event->provider = *class_guid;
    }
    if (event->kind->family != ETL_FAMILY_PERFINFO) {
        read_ids(at + 8, event);
    }
    if (event->kind->family == ETL_FAMILY_SYSTEM) {
        read_cpu_times(at + 0x18, event);
    }
    size_t more = 8 * (size_t)((event->header_version & VERSION_COUNTERS) >> 8);
    more += event->header_version & VERSION_PEBS ? 8 : 0;
    if (event->kind->family == ETL_FAMILY_PERFINFO && event->header.size + more <= event->size) {
        event->header.size += more;
    }
}

static void read_classic_header(const uint8_t *at, struct etl_event *event)
{
    event->opcode = at[4];
    event->level = at[5];
    event->has_level = true;
    event->version = (uint8_t)etl_load_u16(at + 6);
    event->header_version = etl_load_u16(at + 6);
    read_ids(at + 8, event);
    read_cpu_times(at + 0x28, event);
    if (event->kind->layout != ETL_LAYOUT_old_instance_header) {
        read_provider(at + 0x18, event);
        event->has_hook = etl_hook_of_class(&event->provider, event->opcode, &event->hookid);
    }
    uint32_t flags;
    event->has_wnode_flags = wnode_flags_of(event->kind, at, &flags);
}

static void read_event_header(const uint8_t *at, struct etl_event *event)
{
    event->flags = etl_load_u16(at + 0x04);
    event->property = etl_load_u16(at + 0x06);
    read_ids(at + 0x08, event);
    read_provider(at + 0x18, event);
    event->id = etl_load_u16(at + 0x28);
    event->version = at[0x2A];
    event->channel = at[0x2B];
    event->level = at[0x2C];
    event->has_level = true;
    event->opcode = at[0x2D];
    event->task = etl_load_u16(at + 0x2E);
    event->keyword = etl_load_u64(at + 0x30);
    read_cpu_times(at + 0x38, event);
    memcpy(event->activity.bytes, at + 0x40, sizeof event->activity.bytes);
}

static void read_message_header(const uint8_t *at, const struct etl_context *context,
                                struct etl_event *event)
{
    unsigned flags = etl_load_u16(at + 6);
    event->id = etl_load_u16(at + 4);
    event->flags = (uint16_t)flags;
    event->header.size = message_header_size(flags);
    if ((flags & (MESSAGE_GUID | MESSAGE_COMPONENT_ID)) == MESSAGE_GUID) {
        read_provider(at + message_header_size(flags & MESSAGE_SEQUENCE), event);
    }
    if (flags & MESSAGE_SYSTEM_INFO) {
        read_ids(at + message_header_size(flags & ~(unsigned)MESSAGE_SYSTEM_INFO), event);
    }
    event->pointer_size = flags & MESSAGE_POINTER64   ? 8
                          : flags & MESSAGE_POINTER32 ? 4
                                                      : context->pointer_size;
}

/* The header at `at`, whose fixed part and announced parts are known to be there. */
static void read_any_header(const uint8_t *at, const struct etl_measure *measure,
                            const struct etl_context *context, struct etl_event *event)
{
    memset(event, 0, sizeof *event);
    event->kind = measure->kind;
    event->size = measure->size;
    event->header = (struct etl_span){.at = at, .size = measure->kind->header_size};
    event->header_flags = at[3];
    event->pointer_size = measure->kind->pointer_size != 0 ? measure->kind->pointer_size
                                                           : context->pointer_size;
    event->has_time = measure->has_time;
    event->local_time = is_local_time(measure->kind, at, context);
    event->raw_time = measure->raw_time;
    switch (measure->kind->family) {
    case ETL_FAMILY_SYSTEM:
    case ETL_FAMILY_COMPACT:
    case ETL_FAMILY_PERFINFO:
        read_kernel_header(at, event);
        break;
    case ETL_FAMILY_FULL:
    case ETL_FAMILY_INSTANCE:
        read_classic_header(at, event);
        break;
    case ETL_FAMILY_MODERN:
        read_event_header(at, event);
        break;
    case ETL_FAMILY_MESSAGE:
        read_message_header(at, context, event);
        break;
    case ETL_FAMILY_OTHER:
        break;
    }
}

/* Bytes of the chain of extended items at `at`: up to the one without Linkage, as far as they fit.
 */
static size_t items_size(const uint8_t *at, size_t left)
{
    size_t done = 0;
    while (left - done >= 8) {
        size_t size = etl_load_u16(at + done);
        bool more = (at[done + 4] & 1) != 0;
        if (size < 8 || size > left - done) {
            break;
        }
        done += size;
        if (!more) {
            break;
        }
    }
    return done;
}

void etl_event_read(const uint8_t *at, const struct etl_measure *measure,
                    const struct etl_context *context, struct etl_event *ret_event)
{
    read_any_header(at, measure, context, ret_event);
    size_t done = ret_event->header.size;
    size_t left = measure->size - done;
    if (measure->kind->family == ETL_FAMILY_MODERN && ret_event->flags & FLAG_EXTENDED_INFO) {
        ret_event->items = (struct etl_span){.at = at + done, .size = items_size(at + done, left)};
    }
    done += ret_event->items.size;
    ret_event->payload = (struct etl_span){.at = at + done, .size = measure->size - done};
}

bool etl_event_read_header(const uint8_t *header, size_t header_size,
                           const struct etl_context *context, struct etl_event *ret_event)
{
    /* A header that stands alone is measured as if its event were all there. */
    struct etl_measure measure;
    if (header_size < HEADER_SIZE_MIN) {
        return false;
    }
    uint8_t copy[ETL_EVENT_HEADER_SIZE] = {0};
    const uint8_t *at = header;
    if (header_size < sizeof copy) { /* the measure may look at what this header does not have */
        memcpy(copy, header, header_size);
        at = copy;
    }
    if (etl_measure(at, UINT16_MAX, context, &measure) != ETL_MEASURED_EVENT ||
        measure.kind->header_size > header_size) {
        return false;
    }
    read_any_header(at, &measure, context, ret_event);
    ret_event->header.at = header;
    return ret_event->header.size <= header_size;
}

/*
 * The last 8 bytes of a classic or modern header under their other names. As one number they are
 * generated: no flag on disk says which of the two they are.
 */
static void show_cpu_times_together(const struct etl_event *event, struct etl_sink *sink)
{
    const uint8_t *bytes = event->header.at +
                           (event->kind->family == ETL_FAMILY_MODERN ? 0x38 : 0x28);
    etl_decode_number(sink, etl_fact(ETL_FACT_ProcessorTime), NULL, 0, etl_load_u64(bytes));
    if (event->has_wnode_flags) {
        etl_decode_number(sink, etl_fact(ETL_FACT_WnodeFlags), bytes + 4, 4,
                          etl_load_u32(bytes + 4));
    }
}

void etl_event_show_header(const struct etl_event *event, const struct etl_context *context,
                           struct etl_sink *sink)
{
    struct etl_decoder decoder = {
        .sink = sink, .clock = &context->clock, .pointer_size = event->pointer_size};
    etl_decode_layout(&decoder, etl_layout(event->kind->layout), event->header.at,
                      event->header.size);
    if (event->has_cpu_times && event->kind->family != ETL_FAMILY_SYSTEM) {
        show_cpu_times_together(event, sink);
    }
}

/* EVENT_HEADER.Flags */
#define FLAG_STRING_ONLY 0x0004

bool etl_event_is_string(const struct etl_event *event)
{
    return event->kind->family == ETL_FAMILY_MODERN && (event->flags & FLAG_STRING_ONLY) != 0;
}

struct etl_span etl_event_string(const struct etl_event *event)
{
    struct etl_span text = event->payload;
    text.size &= ~(size_t)1;
    while (text.size >= 2 && etl_load_u16(text.at + text.size - 2) == 0) {
        text.size -= 2;
    }
    return text;
}
