/*
 * Gaps in buffers: bytes that are no events. The next event behind them is looked for, and which
 * event has to say so is kept.
 *
 *     | event | event | ? ? ? ? ? ? ? | event | event | event …
 *                     offset          next: headers follow each other by their sizes, and their
 *                                     times can be
 *
 * Knows one buffer; between buffers it is resync.c that looks.
 */
#include "core/file/file_private.h"

#include <stdlib.h>
#include <string.h>

/* A buffer with more holes holds something else than events: the rest of it is one. */
#define GAPS_PER_BUFFER_MAX 64

/* How sure a place must be. A header with a time counts 2: its marker, type, size and time rarely
 * are chance, and that its size leads to another such never is. */
#define SURE       4
#define SURE_TIMED 2
#define SURE_OTHER 1

/* What is read at once of a buffer that is searched. */
#define VIEW_SIZE 0x10000

/* How far the next event is looked for: disks lose sectors, and files parts of a few. Behind fill
 * there rarely is one, and buffers of nothing else may be many. */
#define DISTANCE_MAX      0x100000
#define DISTANCE_FILL_MAX 0x10000

/* What of an event's bytes its measure looks at. */
#define LOOK_SIZE ETL_EVENT_HEADER_SIZE

/* A trace's events are not further from its StartTime than this: ten years, since logs are appended to. */
#define SPAN (INT64_C(3660) * 86400 * ETL_FILETIME_PER_SECOND)

#define MARKER_TRACE_HEADER 0xC0
#define MARKER_MESSAGE      0x90

/* A buffer that is searched: all of it, or a part that moves. */
struct view {
    struct etl_file *file;
    const struct etl_page *page;
    const uint8_t *bytes;
    uint32_t start; /* offset in the buffer of bytes[0] */
    uint32_t size;
    uint32_t end; /* of the buffer's bytes, as far as the file has them */
};

bool etl_damage_add(struct etl_damages *damages, const struct etl_damage *damage)
{
    if (damages->count == damages->room) {
        size_t room = damages->room > 0 ? damages->room * 2 : 16;
        struct etl_damage *grown = realloc(damages->list, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        damages->list = grown;
        damages->room = room;
    }
    damages->list[damages->count++] = *damage;
    return true;
}

size_t etl_damages_from(const struct etl_damages *damages, uint32_t buffer)
{
    size_t low = 0;
    size_t high = damages->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (damages->list[middle].buffer < buffer) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static const struct etl_damage *find_gap(const struct etl_file *file, uint32_t buffer,
                                         uint32_t offset)
{
    const struct etl_damages *gaps = &file->gaps;
    for (size_t i = etl_damages_from(gaps, buffer);
         i < gaps->count && gaps->list[i].buffer == buffer; i++) {
        if (gaps->list[i].offset == offset) {
            return &gaps->list[i];
        }
    }
    return NULL;
}

static size_t count_gaps(const struct etl_file *file, uint32_t buffer)
{
    return file->gaps.count - etl_damages_from(&file->gaps, buffer);
}

static uint32_t end_of(const struct etl_file *file, const struct etl_page *page)
{
    if (page->header.compressed) {
        return page->start + page->size;
    }
    uint64_t left = file->source->size > page->position ? file->source->size - page->position : 0;
    return left < page->header.filled ? (uint32_t)left : page->header.filled;
}

static bool view_start(struct view *view, struct etl_file *file, const struct etl_page *page)
{
    *view = (struct view){.file = file, .page = page, .end = end_of(file, page)};
    if (page->header.compressed) {
        view->bytes = page->bytes;
        view->start = page->start;
        view->size = page->size;
        return true;
    }
    if (file->searched == NULL) {
        file->searched = malloc(VIEW_SIZE);
    }
    view->bytes = file->searched;
    return file->searched != NULL;
}

/* The bytes at `offset`, at least those that are looked at of an event; NULL when they cannot be
 * read. */
static const uint8_t *view_at(struct view *view, uint32_t offset)
{
    uint32_t left = view->end - offset;
    uint32_t need = left < LOOK_SIZE ? left : LOOK_SIZE;
    uint32_t inside = offset - view->start; /* huge where the view begins later */
    if (inside < view->size && view->size - inside >= need) {
        return view->bytes + inside;
    }
    if (view->page->header.compressed) {
        return NULL;
    }
    int64_t got = etl_read_some(view->file, view->page->position + offset, view->file->searched,
                                left < VIEW_SIZE ? left : VIEW_SIZE);
    view->start = offset;
    view->size = got > 0 ? (uint32_t)got : 0;
    return view->size >= need ? view->bytes : NULL;
}

bool etl_event_plausible(const struct etl_file *file, const uint8_t *at,
                         const struct etl_measure *measure)
{
    int64_t filetime;
    const struct etl_clock *clock = &file->context.clock;
    if (measure->kind->family == ETL_FAMILY_MESSAGE) {
        if (at[2] != 0 || at[3] != MARKER_MESSAGE || at[7] != 0) {
            return false;
        }
    } else if (at[3] != MARKER_TRACE_HEADER || measure->kind->family == ETL_FAMILY_OTHER) {
        return false;
    }
    if (!measure->has_time || file->guessed || file->timeless || clock->kind == ETL_CLOCK_UNKNOWN) {
        return true;
    }
    return etl_clock_filetime(clock, measure->raw_time, &filetime) &&
           filetime / 2 - clock->base_filetime / 2 <= SPAN / 2 &&
           filetime / 2 - clock->base_filetime / 2 >= -SPAN / 2;
}

/* Whether events begin at `offset`, none before `latest`. */
static bool leads_on(struct view *view, uint32_t offset, int64_t latest)
{
    struct etl_measure measure;
    int sure = 0;
    while (sure < SURE) {
        if (view->end - offset < ETL_EVENT_SIZE_MIN) { /* to the very end */
            return sure > 0;
        }
        const uint8_t *at = view_at(view, offset);
        enum etl_measured measured = at == NULL ? ETL_MEASURED_END
                                                : etl_event_measure(at, view->end - offset,
                                                                    &view->file->context, &measure);
        if (measured != ETL_MEASURED_EVENT || !etl_event_plausible(view->file, at, &measure)) {
            return false;
        }
        if (sure == 0 && measure.has_time && measure.raw_time < latest) {
            return false; /* what is left of the buffer's last use */
        }
        sure += measure.has_time ? SURE_TIMED : SURE_OTHER;
        uint32_t next = etl_next_offset(offset, measure.size);
        offset = next < view->end ? next : view->end;
    }
    return true;
}

/* A time that no other can be behind is damage too. */
static int64_t floor_of(const struct etl_file *file, int64_t latest)
{
    int64_t filetime;
    const struct etl_clock *clock = &file->context.clock;
    bool known = latest != INT64_MIN && clock->kind != ETL_CLOCK_UNKNOWN &&
                 etl_clock_filetime(clock, latest, &filetime);
    bool possible = known && filetime / 2 - clock->base_filetime / 2 <= SPAN / 2;
    return possible || file->guessed || file->timeless ? latest : INT64_MIN;
}

static bool is_fill(const uint8_t *bytes)
{
    uint32_t first = bytes != NULL ? etl_load_u32(bytes) : 0;
    return first == 0 || first == UINT32_MAX;
}

/* The next event behind `offset`, where none is; 0: none in this buffer. */
static uint32_t find_next(struct etl_file *file, const struct etl_page *page, uint32_t offset,
                          int64_t latest)
{
    struct view view;
    if (count_gaps(file, page->buffer) >= GAPS_PER_BUFFER_MAX || etl_index_full(file) ||
        !view_start(&view, file, page)) {
        return 0;
    }
    int64_t no_earlier = floor_of(file, latest);
    uint32_t at = etl_next_offset(offset, 1);
    uint32_t most = is_fill(view_at(&view, offset)) ? DISTANCE_FILL_MAX : DISTANCE_MAX;
    for (; at + ETL_EVENT_SIZE_MIN <= view.end && at - offset < most; at += 8) {
        const uint8_t *bytes = view_at(&view, at);
        if (bytes == NULL) {
            return 0;
        }
        if ((bytes[3] == MARKER_TRACE_HEADER || bytes[3] == MARKER_MESSAGE) &&
            leads_on(&view, at, no_earlier)) {
            return at;
        }
    }
    return 0;
}

enum etl_status etl_gap_pass(struct etl_file *file, struct etl_page *page, uint32_t *offset,
                             uint32_t before, int64_t latest)
{
    uint32_t filled = page->header.filled;
    uint32_t left = *offset < filled ? filled - *offset : 0;
    if (left < ETL_EVENT_SIZE_MIN) {
        return ETL_END;
    }
    uint32_t next = find_next(file, page, *offset, latest);
    const struct etl_damage gap = {
        .buffer = page->buffer,
        .offset = *offset,
        .next = next,
        .event = before != 0 ? before : next,
        .note = before != 0 ? ETL_NOTE_DAMAGED_AFTER : ETL_NOTE_DAMAGED_BEFORE,
        .of = page->buffer,
        .unread = next != 0 ? next - *offset : left,
    };
    file->buffers[page->buffer].damaged = 1;
    file->info.skipped_bytes += gap.unread;
    *offset = next;
    if (!etl_damage_add(&file->gaps, &gap)) {
        return ETL_NO_MEMORY;
    }
    return next != 0 ? ETL_OK : ETL_END;
}

bool etl_gap_follow(struct etl_file *file, struct etl_page *page, uint32_t *offset,
                    struct etl_measure *ret_measure)
{
    const struct etl_damage *gap = file->buffers[page->buffer].damaged
                                       ? find_gap(file, page->buffer, *offset)
                                       : NULL;
    if (page->unreadable || gap == NULL || gap->next <= *offset) {
        return false;
    }
    *offset = gap->next;
    return etl_page_measure(file, page, *offset, ret_measure) == ETL_MEASURED_EVENT;
}
