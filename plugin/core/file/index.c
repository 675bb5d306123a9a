/*
 * The pass over all buffers before the first event is given out: where each is, when it begins and
 * ends, what its CPU ran, which names it holds, and what is wrong with it.
 *
 * Buffers are walked by their own sizes to the end of the file, never by BuffersWritten; where that
 * leads astray resync.c knows better.
 */
#include "core/file/file_private.h"

#include "etl/event_source.h"
#include "etl/hooks.h"
#include "etl/items.h"
#include "etl/packet.h"
#include "etl/traffic.h"
#include "etl/traits.h"

#include <stdlib.h>
#include <string.h>

#define POSITION_MAX        ((UINT64_C(1) << 48) - 1)
#define EXPANSION_RATIO_MAX 64
#define EXPANSION_FREE      (UINT64_C(64) << 20) /* so that small files may be odd */
#define MODE_APPEND         0x00000004
#define MODE_CIRCULAR       0x00000002

/* EVENT_HEADER */
#define EVENT_FLAGS_AT           0x04
#define EVENT_PROVIDER_AT        0x18
#define EVENT_ID_AT              0x28
#define EVENT_FLAG_EXTENDED_INFO 0x0001

#define LAST_DROPPED 0x0052
#define RT_LOST_EVENT \
    ETL_GUID(0x6a399ae0, 0x4bc6, 0x4de9, 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e)

/* Sequence numbers as they come by: without restarts, a gap is what is missing between least and
 * most. */
struct sequences {
    int64_t least;
    int64_t most;
    uint64_t count;
};

static struct etl_buffer_entry *add_buffer(struct etl_file *file)
{
    if (file->buffer_count == file->buffer_room) {
        size_t room = file->buffer_room > 0 ? file->buffer_room * 2 : 256;
        struct etl_buffer_entry *grown = realloc(file->buffers, room * sizeof *grown);
        if (grown == NULL || room >= ETL_NO_BUFFER) {
            file->buffers = grown != NULL ? grown : file->buffers;
            return NULL;
        }
        file->buffers = grown;
        file->buffer_room = room;
    }
    struct etl_buffer_entry *entry = &file->buffers[file->buffer_count++];
    memset(entry, 0, sizeof *entry);
    entry->next = ETL_NO_BUFFER;
    entry->thread = ETL_ID_UNKNOWN;
    return entry;
}

/* A modern event's traits name its provider, for all events of that provider. */
static void learn_provider(struct etl_file *file, const uint8_t *at,
                           const struct etl_measure *measure)
{
    struct etl_span items = {.at = at + ETL_EVENT_HEADER_SIZE,
                             .size = measure->size - (size_t)ETL_EVENT_HEADER_SIZE};
    struct etl_span traits;
    struct etl_span name;
    if ((etl_load_u16(at + EVENT_FLAGS_AT) & EVENT_FLAG_EXTENDED_INFO) != 0 &&
        etl_item_find(items, ETL_ITEM_PROV_TRAITS, &traits) && etl_traits_name(traits, &name)) {
        struct etl_guid provider;
        memcpy(provider.bytes, at + EVENT_PROVIDER_AT, sizeof provider.bytes);
        etl_keys_learn_provider(file->keys, &provider, name);
    }
}

/* Modern events with something to learn: most have none. */
static bool is_modern_of_interest(const struct etl_file *file, const uint8_t *at)
{
    uint16_t id = etl_load_u16(at + EVENT_ID_AT);
    return etl_packet_names_component(id) || etl_packet_names_edge(id) ||
           id == ETL_EVENT_SOURCE_ID || etl_traffic_wants(etl_keys_traffic(file->keys), at);
}

static void learn(struct etl_file *file, const uint8_t *at, const struct etl_measure *measure)
{
    enum etl_family family = measure->kind->family;
    bool modern = family == ETL_FAMILY_MODERN;
    if (modern) {
        learn_provider(file, at, measure);
    }
    uint16_t hook = etl_load_u16(at + 6);
    bool kernel = family <= ETL_FAMILY_PERFINFO &&
                  (etl_keys_wants_hook(hook) || etl_traffic_wants_hook(hook));
    if (!kernel && !(modern && is_modern_of_interest(file, at)) && family != ETL_FAMILY_FULL) {
        return;
    }
    struct etl_event event;
    etl_event_read(at, measure, &file->context, &event);
    if (modern && event.id != ETL_EVENT_SOURCE_ID) {
        etl_keys_learn_component(file->keys, &event);
    } else {
        etl_keys_learn(file->keys, &event, &file->context);
    }
    etl_traffic_learn(etl_keys_traffic(file->keys), &event);
}

/*
 * What a trace records of events that were lost: the last time on each CPU, in the header buffer,
 * and in traces of real-time sessions events in their place.
 *
 *     LastDroppedTimes: u32 count | u32 0 | u64 time of each CPU
 */
static void count_losses(struct etl_file *file, const uint8_t *at,
                         const struct etl_measure *measure)
{
    static const struct etl_guid lost = RT_LOST_EVENT;
    if (measure->kind->family == ETL_FAMILY_FULL) {
        file->info.lost_records += memcmp(at + EVENT_PROVIDER_AT, lost.bytes, sizeof lost.bytes) ==
                                   0;
    } else if (measure->kind->family == ETL_FAMILY_SYSTEM && etl_load_u16(at + 6) == LAST_DROPPED) {
        struct etl_event event;
        etl_event_read(at, measure, &file->context, &event);
        struct etl_bytes times = etl_bytes_of(event.payload.at, event.payload.size);
        uint64_t count = etl_bytes_u64(&times); /* and zeros */
        for (; !times.failed && count > 0; count--) {
            file->info.dropping_cpus += etl_bytes_u64(&times) != 0;
        }
    }
}

/* Takes an event's time into the buffer's span. */
static void note_time(struct etl_buffer_entry *entry, int64_t raw_time)
{
    if (!entry->timed) {
        entry->timed = 1;
        entry->first = raw_time;
        entry->last = raw_time;
    } else if (raw_time > entry->last) {
        entry->last = raw_time;
    }
}

/* All events of one buffer. entry->thread becomes what its last context switch switched to. */
static enum etl_status index_buffer(struct etl_file *file, uint32_t number)
{
    struct etl_page *page;
    enum etl_status status = etl_page_get(file, number, ETL_BUFFER_HEADER_SIZE, &page);
    if (status != ETL_OK) {
        return status;
    }
    struct etl_buffer_entry *entry = &file->buffers[number];
    struct etl_measure measure;
    uint32_t offset = ETL_BUFFER_HEADER_SIZE;
    uint32_t before = 0;
    size_t gaps = file->gaps.count;
    etl_page_pin(page);
    while (status == ETL_OK) {
        if (etl_page_measure(file, page, offset, &measure) != ETL_MEASURED_EVENT) {
            status = page->unreadable ? ETL_READ_FAILED
                                      : etl_gap_pass(file, page, &offset, before,
                                                     entry->timed ? entry->last : INT64_MIN);
            continue;
        }
        const uint8_t *at = etl_page_at(page, offset);
        if (measure.has_time) {
            note_time(entry, measure.raw_time);
        }
        entry->switched |= etl_switched_to(at, &measure, &entry->thread);
        if (!file->options.no_keys) {
            learn(file, at, &measure);
        }
        if (number == 0 || measure.kind->family == ETL_FAMILY_FULL) {
            count_losses(file, at, &measure);
        }
        if (file->first_buffer == ETL_NO_BUFFER) {
            file->first_buffer = number;
            file->first_offset = offset;
        }
        before = offset;
        offset = etl_next_offset(offset, measure.size);
    }
    file->info.damaged_buffers += file->gaps.count > gaps && !entry->sized;
    etl_page_unpin(file, page, true);
    return status == ETL_END ? ETL_OK : status;
}

static void count_sequence(struct sequences *sequences, int64_t sequence)
{
    if (sequences->count == 0 || sequence < sequences->least) {
        sequences->least = sequence;
    }
    if (sequences->count == 0 || sequence > sequences->most) {
        sequences->most = sequence;
    }
    sequences->count++;
}

/*
 * Appended sessions begin again at 1, and a circular log has lost its oldest part without that
 * being a loss: there nothing is said.
 */
static uint64_t missing(const struct sequences *sequences, uint32_t mode)
{
    if (sequences->count == 0 || (mode & (MODE_APPEND | MODE_CIRCULAR)) != 0) {
        return 0;
    }
    uint64_t span = (uint64_t)sequences->most - (uint64_t)sequences->least;
    return span >= sequences->count ? span + 1 - sequences->count : 0;
}

/* Whether the next bytes of a buffer header's size, or to the end of the file, are zero. */
static enum etl_status look_for_zeros(struct etl_file *file, uint64_t position, bool *ret_zero)
{
    uint8_t bytes[ETL_BUFFER_HEADER_SIZE];
    uint64_t left = file->source->size - position;
    size_t size = left < sizeof bytes ? (size_t)left : sizeof bytes;
    int64_t got = etl_read_some(file, position, bytes, size);
    if (got < 0) {
        return ETL_READ_FAILED;
    }
    *ret_zero = got == (int64_t)size;
    for (int64_t i = 0; i < got; i++) {
        *ret_zero = *ret_zero && bytes[i] == 0;
    }
    return ETL_OK;
}

void etl_report_progress(const struct etl_file *file, uint64_t bytes)
{
    if (file->progress != NULL) {
        uint64_t size = file->source->size;
        file->progress(file->progress_data, bytes < size ? bytes : size);
    }
}

/* A buffer that was found: entered, and walked unless the order is that of the file. */
static enum etl_status take_buffer(struct etl_file *file, const struct etl_found *found,
                                   struct sequences *sequences)
{
    const struct etl_buffer_header *header = &found->header;
    uint32_t number = (uint32_t)file->buffer_count;
    struct etl_buffer_entry *entry = add_buffer(file);
    if (entry == NULL) {
        return ETL_NO_MEMORY;
    }
    entry->position = found->position;
    entry->cpu = header->cpu;
    entry->sized = found->sized;
    const struct etl_damages *skips = &file->skips;
    entry->damaged = skips->count > 0 && skips->list[skips->count - 1].buffer == number;
    file->last_end = found->position + header->size;
    file->info.damaged_buffers += found->sized;
    if (header->filled > file->largest_filled) {
        file->largest_filled = header->filled;
    }
    if (header->compressed) {
        file->any_compressed = true;
        file->pages.limit = etl_memory_limit(file);
    }
    if (number > 0) { /* the header buffer has number 0 whatever comes after it */
        count_sequence(sequences, header->sequence);
    }
    return file->options.file_order ? ETL_OK : index_buffer(file, number);
}

/* Bytes in front of the next buffer that belong to none. */
static enum etl_status skip_bytes(struct etl_file *file, uint64_t bytes)
{
    const struct etl_damage skip = {
        .buffer = (uint32_t)file->buffer_count,
        .of = ETL_NO_BUFFER,
        .note = ETL_NOTE_SKIPPED,
        .unread = bytes,
    };
    file->info.skipped_bytes += bytes;
    file->info.damaged_buffers += !etl_searches_all(file);
    return etl_damage_add(&file->skips, &skip) ? ETL_OK : ETL_NO_MEMORY;
}

/* Behind the last buffer: the file is cut, or what is left is no buffer; zeros were preallocated
 * and never used. */
static enum etl_status take_end(struct etl_file *file)
{
    uint64_t size = file->source->size;
    bool unused;
    bool fragments = etl_searches_all(file);
    if (file->last_end >= size) {
        file->info.cut_short = file->last_end > size && !fragments;
        return ETL_OK;
    }
    enum etl_status status = look_for_zeros(file, file->last_end, &unused);
    if (status == ETL_OK && !unused) {
        bool header = size - file->last_end < ETL_BUFFER_HEADER_SIZE && !fragments;
        file->info.cut_short = header;
        file->info.damaged_buffers += !header && !fragments;
        file->info.skipped_bytes += size - file->last_end;
    }
    return status;
}

/*
 * A file of a few kilobytes can claim terabytes. Real buffers expand 1 to 14 times; what is over this, summed up
 * to here, is read no further.
 */
static bool expands_too_far(struct etl_file *file, const struct etl_found *found)
{
    file->expanded += found->header.compressed ? found->header.filled : 0;
    return file->expanded >
           EXPANSION_FREE + (found->position + found->header.size) * EXPANSION_RATIO_MAX;
}

/* False with a remark where reading ends before the file does. */
static bool may_go_on(struct etl_file *file, const struct etl_found *found)
{
    if (expands_too_far(file, found)) {
        file->info.damaged_buffers++;
        etl_remark(file, ETL_NOTE_EXPANSION, "");
        return false;
    }
    if (etl_index_full(file)) {
        file->info.skipped_bytes += file->source->size - found->position;
        etl_remark_limit(file, ETL_NOTE_MANY_BUFFERS, ETL_LIMIT_INDEX);
        return false;
    }
    return found->position < POSITION_MAX;
}

/* Whether the buffer begins a trace of its own; what is read so far ends there. */
static bool is_other_trace(struct etl_file *file, const struct etl_found *found)
{
    uint8_t bytes[ETL_BUFFER_HEADER_SIZE + 0x20];
    if (file->options.search != ETL_SEARCH_ALL || found->header.compressed ||
        etl_read_some(file, found->position, bytes, sizeof bytes) != (int64_t)sizeof bytes ||
        !etl_logfile_begins(bytes, sizeof bytes)) {
        return false;
    }
    file->stop = found->position;
    return true;
}

static enum etl_status walk_buffers(struct etl_file *file, struct sequences *sequences)
{
    struct etl_found here;
    struct etl_found next;
    enum etl_status status = etl_first_buffer(file, &here);
    if (status == ETL_OK && file->start > 0) {
        status = skip_bytes(file, file->start);
    }
    while (status == ETL_OK && may_go_on(file, &here)) {
        enum etl_status more = etl_next_buffer(file, &here, &next);
        status = more == ETL_END ? ETL_OK : more;
        status = status == ETL_OK ? take_buffer(file, &here, sequences) : status;
        etl_report_progress(file, file->last_end);
        if (status != ETL_OK || more == ETL_END) {
            return status == ETL_OK ? take_end(file) : status;
        }
        if (is_other_trace(file, &next)) {
            return ETL_OK;
        }
        if (next.position > file->last_end) {
            status = skip_bytes(file, next.position - file->last_end);
        }
        here = next;
    }
    return status;
}

enum etl_status etl_file_index(struct etl_file *file, void (*progress)(void *, uint64_t),
                               void *progress_data)
{
    if (file->indexed) {
        return file->failure;
    }
    struct sequences sequences = {0};
    file->indexed = true;
    file->progress = progress;
    file->progress_data = progress_data;
    enum etl_status status = walk_buffers(file, &sequences);
    file->progress = NULL;
    if (status != ETL_OK) {
        file->failure = status;
        return status;
    }
    file->info.buffers = file->buffer_count;
    file->info.missing_sequences = missing(&sequences, file->info.mode);
    etl_keys_settle(file->keys);
    file->failure = etl_order_build(file);
    etl_remark_file(file);
    return file->failure;
}
