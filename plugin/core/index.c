/*
 * The pass over all buffers before the first event is given out: where each is, when it begins and
 * ends, what its CPU ran, which names it holds, and what is wrong with it.
 *
 * Buffers are walked by their own sizes to the end of the file, never by BuffersWritten. At a place
 * where no buffer header can be, the next one is looked for at the rhythm of the session's buffer
 * size.
 */
#include "core/file_private.h"

#include "etl/event_source.h"
#include "etl/hooks.h"
#include "etl/items.h"
#include "etl/packet.h"
#include "etl/traffic.h"
#include "etl/traits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places at the file's rhythm that are tried after damage, before the rest counts as lost. */
#define RESYNC_PLACES_MAX 64

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

bool etl_damage_add(struct etl_file *file, struct etl_damage damage)
{
    if (file->damage_count == file->damage_room) {
        size_t room = file->damage_room > 0 ? file->damage_room * 2 : 16;
        struct etl_damage *grown = realloc(file->damages, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        file->damages = grown;
        file->damage_room = room;
    }
    file->damages[file->damage_count++] = damage;
    return true;
}

static int compare_damages(const void *left, const void *right)
{
    const struct etl_damage *a = left;
    const struct etl_damage *b = right;
    return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

const struct etl_damage *etl_damage_of(const struct etl_file *file, uint32_t buffer)
{
    const struct etl_damage key = {.buffer = buffer};
    return file->damage_count > 0
               ? bsearch(&key, file->damages, file->damage_count, sizeof key, compare_damages)
               : NULL;
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
    return id == ETL_PACKET_COMPONENT_EVENT || id == ETL_PACKET_EDGE_EVENT ||
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
    struct etl_damage damage = {.buffer = number};
    etl_page_pin(page);
    while (etl_page_measure(file, page, offset, &measure) == ETL_MEASURED_EVENT) {
        const uint8_t *at = etl_page_at(page, offset);
        if (measure.has_time) {
            note_time(entry, measure.raw_time);
        }
        entry->switched |= etl_switched_to(at, &measure, &entry->thread);
        if (!file->options.no_keys) {
            learn(file, at, &measure);
        }
        damage.event = offset;
        offset = etl_next_offset(offset, measure.size);
    }
    if (page->unreadable) {
        etl_page_unpin(file, page, true);
        return ETL_READ_FAILED;
    }
    damage.unread = offset < page->header.filled ? page->header.filled - offset : 0;
    entry->damaged = damage.unread >= ETL_EVENT_SIZE_MIN;
    file->info.damaged_buffers += entry->damaged;
    etl_page_unpin(file, page, true);
    return !entry->damaged || etl_damage_add(file, damage) ? ETL_OK : ETL_NO_MEMORY;
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

/* The next place at the session's rhythm where a buffer header is; ETL_END when none is near. */
static enum etl_status resync(struct etl_file *file, uint64_t *position)
{
    uint64_t rhythm = file->info.buffer_size;
    uint64_t at = *position;
    struct etl_buffer_header header;
    if (rhythm < ETL_BUFFER_HEADER_SIZE || file->any_compressed) {
        return ETL_END;
    }
    for (int i = 0; i < RESYNC_PLACES_MAX; i++) {
        at += rhythm;
        if (at + ETL_BUFFER_HEADER_SIZE > file->source->size) {
            return ETL_END;
        }
        enum etl_status status = etl_read_buffer_header(file, at, &header);
        if (status == ETL_READ_FAILED) {
            return status;
        }
        if (status == ETL_OK && header.size == rhythm) {
            *position = at;
            return ETL_OK;
        }
    }
    return ETL_END;
}

static void remark(struct etl_file *file, enum etl_note note, const char *detail)
{
    if (file->file_remark_count < sizeof file->file_remarks / sizeof file->file_remarks[0]) {
        struct etl_remark *one = &file->file_remarks[file->file_remark_count++];
        one->note = note;
        snprintf(one->detail, sizeof one->detail, "%s", detail);
    }
}

static void remark_count(struct etl_file *file, enum etl_note note, uint64_t count)
{
    char detail[32];
    if (count > 0) {
        snprintf(detail, sizeof detail, "%" PRIu64, count);
        remark(file, note, detail);
    }
}

/* What the whole file's reader has to be told, on its first event. */
static void remark_file(struct etl_file *file)
{
    struct etl_file_info *info = &file->info;
    remark_count(file, ETL_NOTE_EVENTS_LOST, info->events_lost);
    remark_count(file, ETL_NOTE_BUFFERS_LOST, info->buffers_lost);
    remark_count(file, ETL_NOTE_SEQUENCE_GAP, info->missing_sequences);
    remark_count(file, ETL_NOTE_DAMAGED_BUFFERS, info->damaged_buffers);
    if (info->end_time == 0) {
        remark(file, ETL_NOTE_NOT_CLOSED, "");
    }
    if (info->cut_short) {
        remark(file, ETL_NOTE_CUT_SHORT, "");
    }
    int64_t filetime;
    const struct etl_clock *clock = &file->context.clock;
    if (!etl_clock_filetime(clock, clock->base_raw, &filetime)) {
        remark(file, ETL_NOTE_NO_CLOCK, "");
    }
    if (!file->merged) {
        remark(file, ETL_NOTE_FILE_ORDER, "");
    }
    char problem[sizeof file->file_remarks[0].detail];
    if (etl_event_sources_problem(etl_keys_event_sources(file->keys), problem, sizeof problem) >
        0) {
        remark(file, ETL_NOTE_BAD_MANIFEST, problem);
    }
    const struct etl_damage *damage = etl_damage_of(file, 0);
    if (damage != NULL && damage->event == ETL_BUFFER_HEADER_SIZE) {
        char detail[64];
        snprintf(detail, sizeof detail, "%" PRIu32 " bytes of buffer 0", damage->unread);
        remark(file, ETL_NOTE_DAMAGED_AFTER, detail);
    }
}

/* The buffer whose header is at `position`: entered, and walked unless the order is that of the
 * file. */
static enum etl_status take_buffer(struct etl_file *file, uint64_t position,
                                   const struct etl_buffer_header *header,
                                   struct sequences *sequences)
{
    uint32_t number = (uint32_t)file->buffer_count;
    struct etl_buffer_entry *entry = add_buffer(file);
    if (entry == NULL) {
        return ETL_NO_MEMORY;
    }
    entry->position = position;
    entry->cpu = header->cpu;
    if (header->filled > file->largest_filled) {
        file->largest_filled = header->filled;
    }
    if (header->compressed) {
        file->any_compressed = true;
        file->pages.limit = file->options.memory_limit;
    }
    if (number > 0) { /* the header buffer has number 0 whatever comes after it */
        count_sequence(sequences, header->sequence);
    }
    return file->options.file_order ? ETL_OK : index_buffer(file, number);
}

/*
 * Nothing that can be a buffer header at `*position`. ETL_OK if there is one further on; ETL_END at
 * the end: a tail of zeros was preallocated and never used.
 */
static enum etl_status skip_damage(struct etl_file *file, uint64_t *position)
{
    bool unused;
    enum etl_status status = look_for_zeros(file, *position, &unused);
    if (status == ETL_OK) {
        status = resync(file, position);
        file->info.damaged_buffers += status == ETL_OK || !unused;
    }
    return status;
}

/* The file ends inside a buffer header, unless only zeros are left. */
static enum etl_status take_tail(struct etl_file *file, uint64_t position)
{
    bool unused;
    enum etl_status status = look_for_zeros(file, position, &unused);
    file->info.cut_short = status == ETL_OK && !unused;
    return status;
}

/*
 * A file of a few kilobytes can claim terabytes. Real buffers expand 1 to 14 times; what is over this, summed up
 * to here, is read no further.
 */
static bool expands_too_far(struct etl_file *file, uint64_t position,
                            const struct etl_buffer_header *header)
{
    file->expanded += header->compressed ? header->filled : 0;
    return file->expanded > EXPANSION_FREE + (position + header->size) * EXPANSION_RATIO_MAX;
}

static enum etl_status walk_buffers(struct etl_file *file, struct sequences *sequences,
                                    void (*progress)(void *, uint64_t), void *progress_data)
{
    uint64_t size = file->source->size < POSITION_MAX ? file->source->size : POSITION_MAX;
    uint64_t position = 0;
    while (position < size) {
        struct etl_buffer_header header;
        enum etl_status status = etl_read_buffer_header(file, position, &header);
        if (status == ETL_END && size - position < ETL_BUFFER_HEADER_SIZE) {
            return take_tail(file, position);
        }
        if (status == ETL_END) {
            status = skip_damage(file, &position);
            if (status == ETL_OK) {
                continue;
            }
            return status == ETL_END ? ETL_OK : status;
        }
        if (status == ETL_OK && expands_too_far(file, position, &header)) {
            file->info.damaged_buffers++;
            remark(file, ETL_NOTE_EXPANSION, "");
            return ETL_OK;
        }
        status = status == ETL_OK ? take_buffer(file, position, &header, sequences) : status;
        if (status != ETL_OK) {
            return status;
        }
        position += header.size;
        file->info.cut_short = position > size;
        if (progress != NULL) {
            progress(progress_data, position < size ? position : size);
        }
    }
    return ETL_OK;
}

enum etl_status etl_file_index(struct etl_file *file, void (*progress)(void *, uint64_t),
                               void *progress_data)
{
    if (file->indexed) {
        return file->failure;
    }
    struct sequences sequences = {0};
    file->indexed = true;
    enum etl_status status = walk_buffers(file, &sequences, progress, progress_data);
    if (status != ETL_OK) {
        file->failure = status;
        return status;
    }
    file->info.buffers = file->buffer_count;
    file->info.missing_sequences = missing(&sequences, file->info.mode);
    etl_keys_settle(file->keys);
    file->failure = etl_order_build(file);
    remark_file(file);
    return file->failure;
}
