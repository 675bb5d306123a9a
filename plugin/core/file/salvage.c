/*
 * A trace whose first buffer is damaged or lost: what the logfile header said is taken from what is
 * left of it, or guessed from the events.
 *
 *     | 48: event header, damaged | 68: TRACE_LOGFILE_HEADER, whose values can be true |
 *
 * Without any of it: pointers are as wide as the first event's, times that can be FILETIMEs are
 * some, and others are ticks since start of a counter at 10 MHz, as on Windows 10 and later. So they
 * are shown as times since 1970.
 */
#include "core/file/file_private.h"

#include <stdlib.h>
#include <string.h>

/* The logfile header event is 0x20 bytes and its payload. */
#define PAYLOAD_AT (ETL_BUFFER_HEADER_SIZE + 0x20)

/* TRACE_LOGFILE_HEADER: its end before the two texts, with 4-byte pointers. */
#define PAYLOAD_SIZE_MIN 0x110
#define EVENT_SIZE_MIN   (0x20 + 0x118)
#define AT_POINTER_SIZE  0x2C

/* FILETIMEs of 1998 and 2100. */
#define FILETIME_FIRST INT64_C(125000000000000000)
#define FILETIME_LAST  INT64_C(157800000000000000)

#define COUNTER_FREQUENCY 10000000
#define PROCESSORS_MAX    2048

/* How far a first buffer is looked for in a file that is called a trace. */
#define NEAR_MAX ((uint64_t)16 << 20)

static bool can_be_filetime(int64_t time)
{
    return time >= FILETIME_FIRST && time <= FILETIME_LAST;
}

/* Whether what was read as a logfile header says what one can say. */
static bool is_sensible(const struct etl_file_info *info)
{
    return (info->pointer_size == 4 || info->pointer_size == 8) && info->processors > 0 &&
           info->processors <= PROCESSORS_MAX && can_be_filetime(info->start_time) &&
           info->clock_type <= ETL_CLOCK_CYCLES && info->version[0] >= 5 && info->version[0] <= 10;
}

/* Reads the logfile header as if its event header were whole. */
static bool repair_header(struct etl_file *file, const uint8_t *bytes, size_t size)
{
    if (size < PAYLOAD_AT + PAYLOAD_SIZE_MIN) {
        return false;
    }
    uint8_t *copy = malloc(size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, bytes, size);
    uint8_t *event = copy + ETL_BUFFER_HEADER_SIZE;
    size_t left = size - ETL_BUFFER_HEADER_SIZE;
    size_t told = etl_load_u16(event + 4);
    bool wide = etl_load_u32(copy + PAYLOAD_AT + AT_POINTER_SIZE) != 4;
    event[2] = wide ? 2 : 1;
    event[3] = 0xC0;
    if (told < EVENT_SIZE_MIN || told > left) {
        etl_store_u16(event + 4, (uint16_t)(left < UINT16_MAX ? left : UINT16_MAX));
    }
    etl_store_u16(event + 6, 0);
    bool good = etl_logfile_read(file, copy, size) && is_sensible(&file->info);
    free(copy);
    return good;
}

/* What is not known of the file. */
static void forget_header(struct etl_file *file)
{
    memset(&file->info, 0, sizeof file->info);
    memset(&file->context, 0, sizeof file->context);
    file->context.pointer_size = 8;
    file->old_buffer_size = 0;
    file->guessed = true;
}

/* The first event of a plain buffer at `position`, its header at least. */
static bool first_event(struct etl_file *file, const struct etl_found *found,
                        struct etl_measure *ret_measure)
{
    uint8_t bytes[ETL_EVENT_HEADER_SIZE] = {0};
    uint64_t at = found->position + ETL_BUFFER_HEADER_SIZE;
    size_t left = found->header.filled - ETL_BUFFER_HEADER_SIZE;
    if (found->header.compressed) {
        return false;
    }
    return etl_read_some(file, at, bytes, sizeof bytes) >= ETL_EVENT_SIZE_MIN &&
           etl_event_measure(bytes, left, &file->context, ret_measure) == ETL_MEASURED_EVENT;
}

static void guess(struct etl_file *file, const struct etl_found *found)
{
    struct etl_measure measure = {.kind = NULL};
    struct etl_clock *clock = &file->context.clock;
    bool known = first_event(file, found, &measure);
    if (known && measure.kind->pointer_size != 0) {
        file->context.pointer_size = measure.kind->pointer_size;
    }
    bool filetime = known && measure.has_time && can_be_filetime(measure.raw_time);
    clock->kind = filetime ? ETL_CLOCK_SYSTEM_TIME : ETL_CLOCK_PERFORMANCE_COUNTER;
    clock->frequency = COUNTER_FREQUENCY;
    clock->base_filetime = filetime ? measure.raw_time : ETL_FILETIME_OF_UNIX_EPOCH;
    clock->base_raw = filetime ? measure.raw_time : 0;
    file->info.pointer_size = file->context.pointer_size;
    file->info.clock_type = clock->kind;
    file->info.frequency = clock->frequency;
    file->info.buffer_size = found->header.compressed ? 0 : found->header.size;
}

/* The first buffer that is found may have a logfile header. */
static bool read_header_at(struct etl_file *file, uint64_t position)
{
    uint8_t *bytes = malloc(ETL_FIRST_SIZE);
    int64_t got = bytes != NULL ? etl_read_some(file, position, bytes, ETL_FIRST_SIZE) : 0;
    bool good = got > 0 && etl_logfile_begins(bytes, (size_t)got) &&
                etl_logfile_read(file, bytes, (size_t)got) && etl_take_first_header(file, bytes);
    file->guessed = !good;
    free(bytes);
    return good;
}

/* Whether there is anything to read behind a first event that cannot be. */
static bool leads_somewhere(struct etl_file *file)
{
    struct etl_found first;
    struct etl_found next;
    file->start = 0;
    if (etl_first_buffer(file, &first) != ETL_OK) {
        return false;
    }
    bool more = first.header.size < file->source->size &&
                etl_buffer_leads_on(file, first.header.size);
    return more || (file->old_buffer_size == 0 &&
                    etl_search_buffer(file, ETL_BUFFER_HEADER_SIZE, NEAR_MAX, &next) == ETL_OK);
}

bool etl_salvage(struct etl_file *file, const uint8_t *bytes, size_t size)
{
    struct etl_found found;
    if (file->options.search == ETL_SEARCH_NONE) {
        return false;
    }
    if (repair_header(file, bytes, size) && etl_take_first_header(file, bytes) &&
        leads_somewhere(file)) {
        return true;
    }
    forget_header(file);
    uint64_t limit = etl_searches_all(file) ? UINT64_MAX : NEAR_MAX;
    if (etl_search_buffer(file, 0, limit, &found) != ETL_OK) {
        return false;
    }
    file->start = found.position;
    if (!read_header_at(file, found.position)) {
        guess(file, &found);
    }
    return true;
}
