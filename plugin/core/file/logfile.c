/*
 * The first event of a trace: TRACE_LOGFILE_HEADER, hook 0x0000, at 0x48 of the first buffer. Its
 * rows are in plugin/layouts/kernel/event_trace.def; this picks the values that the reader itself
 * needs.
 */
#include "core/file/file_private.h"

#include "etl/decode.h"

#include <string.h>

/* Where a value goes: label of the row, offset and width in struct etl_file_info. */
struct wanted_value {
    const char *label;
    size_t offset;
    size_t width;
};

#define WANTED(label, member)                                                                    \
    {                                                                                            \
        label, offsetof(struct etl_file_info, member), sizeof((struct etl_file_info *)0)->member \
    }

static const struct wanted_value wanted_values[] = {
    WANTED("BufferSize", buffer_size),
    WANTED("MajorVersion", version[0]),
    WANTED("MinorVersion", version[1]),
    WANTED("SubVersion", version[2]),
    WANTED("SubMinorVersion", version[3]),
    WANTED("ProviderVersion", build),
    WANTED("NumberOfProcessors", processors),
    WANTED("EndTime", end_time),
    WANTED("TimerResolution", timer_resolution),
    WANTED("MaximumFileSize", maximum_file_size),
    WANTED("LogFileMode", mode),
    WANTED("BuffersWritten", buffers_written),
    WANTED("PointerSize", pointer_size),
    WANTED("EventsLost", events_lost),
    WANTED("CpuSpeedInMHz", cpu_mhz),
    WANTED("Bias", time_zone_bias),
    WANTED("BootTime", boot_time),
    WANTED("PerfFreq", frequency),
    WANTED("StartTime", start_time),
    WANTED("ReservedFlags", clock_type),
    WANTED("BuffersLost", buffers_lost),
    WANTED("LoggerName", logger_name),
    WANTED("LogFileName", file_name),
};

/* Major version of Windows 2000, XP and Server 2003. */
#define VERSION_BEFORE_VISTA 5

struct collector {
    struct etl_sink sink;
    struct etl_file_info *info;
    const uint8_t *time_zone; /* TIME_ZONE_INFORMATION; NULL when the header ends before it */
};

static void store_number(void *room, size_t width, uint64_t number)
{
    switch (width) {
    case 1:
        *(uint8_t *)room = (uint8_t)number;
        break;
    case 4:
        *(uint32_t *)room = (uint32_t)number;
        break;
    default:
        *(uint64_t *)room = number;
    }
}

static void collect(struct etl_sink *sink, const struct etl_field *field,
                    const struct etl_value *value)
{
    struct collector *self = (struct collector *)sink;
    for (size_t i = 0; i < sizeof wanted_values / sizeof wanted_values[0]; i++) {
        const struct wanted_value *wanted = &wanted_values[i];
        char *room = (char *)self->info + wanted->offset;
        if (strcmp(wanted->label, field->label) != 0) {
            continue;
        }
        if (field->type == ETL_TYPE_UTF16) {
            etl_utf8_of_utf16(value->bytes, value->length, room, wanted->width);
        } else {
            store_number(room, wanted->width, value->number);
        }
    }
}

static void begin(struct etl_sink *sink, const struct etl_field *field, const char *title,
                  const uint8_t *at, size_t size)
{
    (void)field;
    (void)title;
    if (size >= 172) {
        ((struct collector *)sink)->time_zone = at;
    }
}

/* Days of SYSTEMTIME rules are "the n-th weekday of the month", n = 5 being the last. */
struct rule {
    uint16_t month, weekday, nth, hour, minute;
};

/* Before Vista the fields are in the order of the kernel's TIME_FIELDS. */
static struct rule rule_at(const uint8_t *systemtime, bool old)
{
    if (old) {
        return (struct rule){.month = etl_load_u16(systemtime + 2),
                             .weekday = etl_load_u16(systemtime + 14),
                             .nth = etl_load_u16(systemtime + 4),
                             .hour = etl_load_u16(systemtime + 6),
                             .minute = etl_load_u16(systemtime + 8)};
    }
    return (struct rule){.month = etl_load_u16(systemtime + 2),
                         .weekday = etl_load_u16(systemtime + 4),
                         .nth = etl_load_u16(systemtime + 6),
                         .hour = etl_load_u16(systemtime + 8),
                         .minute = etl_load_u16(systemtime + 10)};
}

static int days_in_month(int month, int64_t year)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Minutes from the year's start to the rule's moment in that year. `weekday` is that of 1 January.
 */
static int64_t minutes_of_rule(const struct rule *rule, int64_t year, int weekday)
{
    int64_t days = 0;
    for (int month = 1; month < rule->month; month++) {
        days += days_in_month(month, year);
    }
    int first = (int)((weekday + days) % 7);
    int day = (rule->weekday - first + 7) % 7 + 7 * (rule->nth - 1);
    while (day >= days_in_month(rule->month, year)) {
        day -= 7;
    }
    return ((days + day) * 24 + rule->hour) * 60 + rule->minute;
}

static bool valid_rule(const struct rule *rule)
{
    return rule->month >= 1 && rule->month <= 12 && rule->weekday <= 6 && rule->nth >= 1 &&
           rule->nth <= 5 && rule->hour <= 23 && rule->minute <= 59;
}

/*
 * Whether daylight saving is in force at a FILETIME, by a zone's rules in its standard time (the
 * hour in doubt when clocks go back is not looked into). Rules of one year only (wYear set) are
 * not.
 */
static bool in_daylight_time(const uint8_t *zone, int64_t filetime, int32_t bias, bool old)
{
    struct rule standard = rule_at(zone + 68, old);
    struct rule daylight = rule_at(zone + 152, old);
    if (!valid_rule(&standard) || !valid_rule(&daylight) || etl_load_u16(zone + 68) != 0) {
        return false;
    }
    int64_t minutes = filetime / (60 * ETL_FILETIME_PER_SECOND) - bias;
    int64_t days = minutes / 1440;
    int weekday = 1; /* 1601-01-01 was a Monday */
    int64_t year = 1601;
    for (int64_t length; days >= (length = 337 + days_in_month(2, year)); year++) {
        days -= length;
        weekday = (int)((weekday + length) % 7);
    }
    int64_t now = days * 1440 + minutes % 1440;
    int64_t on = minutes_of_rule(&daylight, year, weekday);
    int64_t off = minutes_of_rule(&standard, year, weekday) - 60;
    return on < off ? now >= on && now < off : now >= on || now < off;
}

static void set_local_time(struct etl_file *file, const uint8_t *zone)
{
    if (zone == NULL || file->info.start_time <= 0) {
        return;
    }
    int32_t bias = file->info.time_zone_bias;
    if (bias < -1440 || bias > 1440) {
        return;
    }
    bool daylight = in_daylight_time(zone, file->info.start_time, bias,
                                     file->info.version[0] == VERSION_BEFORE_VISTA);
    int32_t more = (int32_t)etl_load_u32(zone + (daylight ? 168 : 84));
    if (more >= -1440 && more <= 1440) {
        file->context.local_time_known = true;
        file->context.local_time_bias = (int16_t)(bias + more);
    }
}

static void set_clock(struct etl_file *file, int64_t raw_time)
{
    const struct etl_file_info *info = &file->info;
    struct etl_clock *clock = &file->context.clock;
    uint32_t kind = info->clock_type;
    if (info->version[0] == VERSION_BEFORE_VISTA && kind == 0) {
        kind = ETL_CLOCK_SYSTEM_TIME; /* before Vista 0 is the system's time */
    }
    clock->kind = kind <= ETL_CLOCK_CYCLES ? (enum etl_clock_kind)kind : ETL_CLOCK_UNKNOWN;
    if (kind == 0) { /* "default" in a session's properties: never in a file so far */
        clock->kind = ETL_CLOCK_SYSTEM_TIME;
    }
    clock->frequency = kind == ETL_CLOCK_CYCLES ? (uint64_t)info->cpu_mhz * 1000000
                                                : info->frequency;
    clock->base_raw = raw_time;
    clock->base_filetime = info->start_time;
}

/* FNV-1a: tells traces apart, nothing more. */
static uint32_t hash_of(const uint8_t *bytes, size_t size)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    }
    return hash;
}

/* The bytes of a first buffer: a logfile header event with hook 0x0000 at 0x48 (etl-format 1.2). */
bool etl_logfile_begins(const uint8_t *bytes, size_t size)
{
    if (size < ETL_BUFFER_HEADER_SIZE + 0x20) {
        return false;
    }
    const uint8_t *event = bytes + ETL_BUFFER_HEADER_SIZE;
    return event[3] == 0xC0 && (event[2] == 1 || event[2] == 2) && etl_load_u16(event + 6) == 0;
}

/* Windows 2000 and XP, and whatever else is below 1.1 of the structures' own version. */
static bool has_old_instances(const uint8_t version[4])
{
    if (version[0] == VERSION_BEFORE_VISTA && version[1] < 2) {
        return true;
    }
    return version[2] < 1 || (version[2] == 1 && version[3] < 1);
}

bool etl_logfile_read(struct etl_file *file, const uint8_t *buffer, size_t size)
{
    struct etl_measure measure;
    struct etl_event event;
    const uint8_t *at = buffer + ETL_BUFFER_HEADER_SIZE;
    if (size < ETL_BUFFER_HEADER_SIZE ||
        etl_event_measure(at, size - ETL_BUFFER_HEADER_SIZE, &file->context, &measure) !=
            ETL_MEASURED_EVENT) {
        return false;
    }
    etl_event_read(at, &measure, &file->context, &event);
    if (event.kind->family != ETL_FAMILY_SYSTEM || event.hookid != 0) {
        return false;
    }
    struct collector collector = {
        .sink = {.value = collect, .begin = begin, .end = etl_ignore_end, .note = etl_ignore_note},
        .info = &file->info,
    };
    struct etl_decoder decoder = {
        .sink = &collector.sink, .clock = &file->context.clock, .pointer_size = event.pointer_size};
    etl_decode_layout(&decoder, etl_layout(ETL_LAYOUT_event_trace_header), event.payload.at,
                      event.payload.size);
    size_t start_time_end = 0x100 + 2 * (size_t)event.pointer_size;
    if (event.payload.size < start_time_end) { /* no StartTime: no clock, no trace */
        return false;
    }
    file->context.pointer_size = file->info.pointer_size == 4 ? 4 : 8;
    file->context.old_instances = has_old_instances(file->info.version);
    file->context.trace_id = hash_of(event.header.at, event.size);
    set_clock(file, event.raw_time);
    set_local_time(file, collector.time_zone);
    return true;
}

/* A header buffer's first bytes, of which most are zero in a good file. */
#define LOOK_SIZE 0x110

static size_t count_byte(const uint8_t *bytes, size_t size, uint8_t byte)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == byte;
    }
    return count;
}

static bool contains_replacement_characters(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i + 2 < size; i++) {
        count += bytes[i] == 0xEF && bytes[i + 1] == 0xBF && bytes[i + 2] == 0xBD;
    }
    return count >= 2;
}

/* Whether the first event is a logfile header's but for its hook id 0, which two spaces stand for.
 */
static bool header_of_spaces(const uint8_t *bytes)
{
    const uint8_t *event = bytes + ETL_BUFFER_HEADER_SIZE;
    return event[3] == 0xC0 && (event[2] == 1 || event[2] == 2) &&
           etl_load_u16(event + 6) == 0x2020;
}

const char *etl_logfile_refusal(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return NULL;
    }
    size_t zeros = count_byte(bytes, size, 0);
    if (zeros == size) {
        return "the file holds only zero bytes: it was preallocated and never written, or lost its contents";
    }
    if (size < ETL_BUFFER_HEADER_SIZE + ETL_EVENT_SIZE_MIN) {
        return NULL;
    }
    size_t start = size < LOOK_SIZE ? size : LOOK_SIZE;
    if (zeros == 0 && (header_of_spaces(bytes) || count_byte(bytes, start, 0x20) > start / 4)) {
        return "its zero bytes have been replaced by spaces: it was copied as text";
    }
    if (contains_replacement_characters(bytes, start)) {
        return "its bytes have been replaced by U+FFFD characters: it was copied as text";
    }
    bool first_buffer = etl_load_u16(bytes + 0x36) == 4 &&
                        etl_load_u32(bytes) >= ETL_BUFFER_HEADER_SIZE &&
                        etl_load_u32(bytes) <= ETL_BUFFER_SIZE_MAX;
    if (first_buffer) {
        return "its first buffer holds no readable logfile header";
    }
    if (count_byte(bytes, ETL_BUFFER_HEADER_SIZE, 0) == ETL_BUFFER_HEADER_SIZE) {
        return "its first buffer header is all zero bytes";
    }
    return NULL;
}
