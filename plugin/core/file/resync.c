/*
 * From one buffer to the next, also where headers are damaged, sizes lie, or something else lies
 * between.
 *
 *     | header 48 | event …      a plausible place: size, use, flags and type can be, the reference
 *                                count is 0, and at 48 is an event (or packed bytes, or nothing)
 *
 * Where the next buffer should be and no plausible header is, in this order: the size of this one
 * is wrong; only the header there is damaged, and the session's rhythm goes on behind it; the next
 * place at that rhythm; the next plausible header at all.
 */
#include "core/file/file_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Places at the file's rhythm that are tried after damage, before any place is. */
#define RHYTHM_PLACES_MAX 64

/* How much is searched for a header byte by byte, unless everything is to be found: what
 * preallocation and file systems leave behind traces may be terabytes. */
#define SEARCH_MAX (UINT64_C(64) << 20)

#define CHUNK_SIZE ((size_t)1 << 20)

/* Of a place: the header, and what measures the first event. */
#define LOOK_SIZE (ETL_BUFFER_HEADER_SIZE + ETL_EVENT_HEADER_SIZE)

#define AT_REFERENCE_COUNT 0x0C

/* Bytes that are expanded only to see whether they can be, for each byte of the file so far. */
#define TRIED_RATIO_MAX 64
#define TRIED_FREE      (UINT64_C(256) << 20)

/* Buffers of Windows 2000 to 2003 are so many KiB. */
#define OLD_SIZE_STEP 0x400
#define OLD_SIZE_MAX  0x100000

/* Events that must follow each other where a header is found that nothing announced. */
#define CHAIN 4

/* Windows 2000 to 2003: headers say no size, and not much else. */
static bool is_old(const struct etl_file *file)
{
    return file->old_buffer_size != 0;
}

/* Whether the first event of a plain buffer can be measured, or it has none. */
static bool begins_well(const struct etl_file *file, const uint8_t *bytes, size_t got,
                        const struct etl_buffer_header *header)
{
    struct etl_measure measure;
    size_t left = header->filled - ETL_BUFFER_HEADER_SIZE;
    if (header->compressed || left < ETL_EVENT_SIZE_MIN) {
        return true;
    }
    const uint8_t *at = bytes + ETL_BUFFER_HEADER_SIZE;
    size_t there = got - ETL_BUFFER_HEADER_SIZE;
    if (there < ETL_EVENT_HEADER_SIZE) { /* the file ends here */
        left = left < there ? left : there;
    }
    return etl_event_measure(at, left, &file->context, &measure) == ETL_MEASURED_EVENT;
}

/* The `got` bytes of a place. `size`: the buffer's, where its header is not believed; else 0. */
static void judge(struct etl_file *file, uint64_t position, const uint8_t *bytes, size_t got,
                  uint32_t size, struct etl_found *ret_found)
{
    memset(ret_found, 0, sizeof *ret_found);
    ret_found->position = position;
    struct etl_buffer_header *header = &ret_found->header;
    if (got < ETL_BUFFER_HEADER_SIZE ||
        !(size != 0 ? etl_buffer_header_read_sized(bytes, size, header)
                    : etl_buffer_header_read(bytes, file->old_buffer_size, header))) {
        return;
    }
    ret_found->looks = ETL_LOOKS_POSSIBLE;
    ret_found->sized = size != 0;
    bool plausible = is_old(file) || etl_buffer_header_plausible(bytes) ||
                     (header->size == file->rhythm && !header->compressed && size == 0);
    if (plausible) {
        bool good = is_old(file) || begins_well(file, bytes, got, header);
        ret_found->looks = good ? ETL_LOOKS_GOOD : ETL_LOOKS_PLAUSIBLE;
    }
}

static enum etl_status look(struct etl_file *file, uint64_t position, uint32_t size,
                            struct etl_found *ret_found)
{
    uint8_t bytes[LOOK_SIZE];
    int64_t got = etl_read_some(file, position, bytes, sizeof bytes);
    judge(file, position, bytes, got > 0 ? (size_t)got : 0, size, ret_found);
    return got < 0 ? ETL_READ_FAILED : ETL_OK;
}

static bool is_good(struct etl_file *file, uint64_t position, struct etl_found *ret_found)
{
    return look(file, position, 0, ret_found) == ETL_OK && ret_found->looks == ETL_LOOKS_GOOD;
}

static bool at_rhythm(const struct etl_file *file, const struct etl_found *found)
{
    return found->looks == ETL_LOOKS_GOOD && !found->header.compressed &&
           found->header.size == file->rhythm;
}

/* Whether the packed bytes expand to exactly what the header says. What is tried in a file is
 * bounded: headers that lie may be anywhere. */
static bool expands(struct etl_file *file, const struct etl_found *found)
{
    const struct etl_buffer_header *header = &found->header;
    size_t packed_size = header->size - ETL_BUFFER_HEADER_SIZE;
    size_t size = header->filled - ETL_BUFFER_HEADER_SIZE;
    file->tried += packed_size + size;
    if (file->tried > TRIED_FREE + found->position * TRIED_RATIO_MAX) {
        return false;
    }
    uint8_t *packed = malloc(packed_size + 1);
    uint8_t *room = malloc(size + 1);
    bool exact = false;
    if (packed != NULL && room != NULL) {
        int64_t got = etl_read_some(file, found->position + ETL_BUFFER_HEADER_SIZE, packed,
                                    packed_size);
        exact = got == (int64_t)packed_size &&
                etl_expand(file, packed, packed_size, room, size) == size;
    }
    free(packed);
    free(room);
    return exact;
}

/* How many events follow each other from the buffer's start, `most` or to its end; -1: something
 * else does. */
static int count_events(struct etl_file *file, const struct etl_found *found, int most)
{
    uint8_t bytes[ETL_EVENT_HEADER_SIZE];
    struct etl_measure measure;
    uint32_t offset = ETL_BUFFER_HEADER_SIZE;
    uint32_t filled = found->header.filled;
    int events = 0;
    for (; events < most && offset + ETL_EVENT_SIZE_MIN <= filled; events++) {
        uint32_t left = filled - offset;
        int64_t got = etl_read_some(file, found->position + offset, bytes, sizeof bytes);
        if (got < (int64_t)sizeof bytes) { /* the file ends here, or the buffer */
            left = got > 0 && (uint32_t)got < left ? (uint32_t)got : left;
        }
        if (got < ETL_EVENT_SIZE_MIN ||
            etl_event_measure(bytes, left, &file->context, &measure) != ETL_MEASURED_EVENT ||
            !etl_event_plausible(file, bytes, &measure)) {
            return got == 0 ? events : -1;
        }
        offset = etl_next_offset(offset, measure.size);
    }
    return events;
}

static bool holds_events(struct etl_file *file, const struct etl_found *found)
{
    return count_events(file, found, CHAIN) > 0;
}

/* Whether all of the buffer is what it says, so that no other begins in it. */
static bool is_whole(struct etl_file *file, const struct etl_found *found)
{
    return found->header.compressed ? expands(file, found)
                                    : count_events(file, found, INT_MAX) >= 0;
}

/* A header that nothing announced must show more than that it can be one. */
static bool is_sure(struct etl_file *file, const struct etl_found *found)
{
    if (found->looks != ETL_LOOKS_GOOD) {
        return false;
    }
    return found->header.compressed ? expands(file, found) : holds_events(file, found);
}

/* A part of the file that is searched. */
struct chunk {
    uint8_t *bytes;
    size_t size;
    uint64_t base; /* in the file */
};

/*
 * Tries the places that a run of zero bytes allows, from offset `first` of the chunk to before
 * `last`: a header whose reference count is in it, and whose size is not.
 */
static bool try_run(struct etl_file *file, const struct chunk *chunk, size_t first, size_t last,
                    struct etl_found *ret_found)
{
    for (size_t before = AT_REFERENCE_COUNT; before > 0; before--) {
        size_t at = first - before;
        if (first < before || at + AT_REFERENCE_COUNT + 4 > last) {
            continue;
        }
        uint32_t size = etl_load_u32(chunk->bytes + at);
        if (size < ETL_BUFFER_HEADER_SIZE || size > ETL_BUFFER_SIZE_MAX) {
            continue;
        }
        if (chunk->size - at >= LOOK_SIZE) {
            judge(file, chunk->base + at, chunk->bytes + at, LOOK_SIZE, 0, ret_found);
        } else {
            look(file, chunk->base + at, 0, ret_found);
        }
        if (is_sure(file, ret_found)) {
            return true;
        }
    }
    return false;
}

/* Where a run of at least four zero bytes begins, from `at`; `size` if there is none. Every such
 * run has one byte among each four. */
static size_t next_zeros(const uint8_t *chunk, size_t at, size_t size)
{
    for (size_t i = at + 3; i < size; i += 4) {
        if (chunk[i] != 0) {
            continue;
        }
        size_t first = i;
        while (first > at && chunk[first - 1] == 0) {
            first--;
        }
        size_t last = i + 1;
        while (last < size && last < first + 4 && chunk[last] == 0) {
            last++;
        }
        if (last - first >= 4) {
            return first;
        }
    }
    return size;
}

static size_t end_of_zeros(const uint8_t *chunk, size_t at, size_t size)
{
    static const uint8_t zeros[64];
    while (at + sizeof zeros <= size && memcmp(chunk + at, zeros, sizeof zeros) == 0) {
        at += sizeof zeros;
    }
    while (at < size && chunk[at] == 0) {
        at++;
    }
    return at;
}

static bool search_chunk(struct etl_file *file, const struct chunk *chunk,
                         struct etl_found *ret_found)
{
    size_t last;
    for (size_t first = next_zeros(chunk->bytes, 0, chunk->size); first < chunk->size;
         first = next_zeros(chunk->bytes, last, chunk->size)) {
        last = end_of_zeros(chunk->bytes, first, chunk->size);
        if (try_run(file, chunk, first, last, ret_found)) {
            return true;
        }
    }
    return false;
}

enum etl_status etl_search_buffer(struct etl_file *file, uint64_t position, uint64_t limit,
                                  struct etl_found *ret_found)
{
    struct chunk chunk = {.bytes = malloc(CHUNK_SIZE), .base = position};
    enum etl_status status = chunk.bytes != NULL ? ETL_END : ETL_NO_MEMORY;
    uint64_t size = file->source->size;
    uint64_t left = position < size ? size - position : 0;
    uint64_t end = position + (left < limit ? left : limit);
    while (status == ETL_END && chunk.base + ETL_BUFFER_HEADER_SIZE <= end) {
        int64_t got = etl_read_some(file, chunk.base, chunk.bytes, CHUNK_SIZE);
        if (got < ETL_BUFFER_HEADER_SIZE) {
            status = got < 0 ? ETL_READ_FAILED : ETL_END;
            break;
        }
        chunk.size = (size_t)got;
        status = search_chunk(file, &chunk, ret_found) ? ETL_OK : ETL_END;
        /* Chunks overlap, since a header may lie across. */
        chunk.base += chunk.size < CHUNK_SIZE ? chunk.size : CHUNK_SIZE - ETL_BUFFER_HEADER_SIZE;
        etl_report_progress(file, chunk.base);
    }
    free(chunk.bytes);
    return status;
}

/* Reads the buffer again with the size that it must have. */
static void resize(struct etl_file *file, struct etl_found *here, uint64_t size)
{
    uint32_t most = ETL_BUFFER_SIZE_MAX;
    look(file, here->position, size < most ? (uint32_t)size : most, here);
}

/* This buffer's size is wrong if at the rhythm the next one is, or the file ends. */
static bool resize_to_rhythm(struct etl_file *file, struct etl_found *here, struct etl_found *next)
{
    uint64_t rhythm = file->rhythm;
    if (rhythm == 0 || here->header.compressed || here->header.size == rhythm) {
        return false;
    }
    if (is_good(file, here->position + rhythm, next) ||
        here->position + rhythm == file->source->size) {
        resize(file, here, rhythm);
        return true;
    }
    return false;
}

/* Only the header at `at` is damaged: the buffer is there, and behind it the next or the end. */
static bool take_by_rhythm(struct etl_file *file, uint64_t at, struct etl_found *next)
{
    struct etl_found behind;
    return file->rhythm != 0 && look(file, at, file->rhythm, next) == ETL_OK &&
           next->looks != ETL_LOOKS_NOTHING && !next->header.compressed &&
           holds_events(file, next) &&
           (is_good(file, at + file->rhythm, &behind) || at + file->rhythm >= file->source->size);
}

static bool next_at_rhythm(struct etl_file *file, uint64_t at, struct etl_found *next)
{
    for (int i = 1; file->rhythm != 0 && i <= RHYTHM_PLACES_MAX; i++) {
        uint64_t place = at + (uint64_t)i * file->rhythm;
        if (place + ETL_BUFFER_HEADER_SIZE > file->source->size) {
            return false;
        }
        if (is_good(file, place, next) && at_rhythm(file, next)) {
            return true;
        }
    }
    return false;
}

/* As the header says, since nothing speaks against its size. */
static bool take_as_it_is(struct etl_file *file, struct etl_found *next)
{
    struct etl_found behind;
    if (next->looks == ETL_LOOKS_NOTHING) {
        return false;
    }
    uint64_t end = next->position + next->header.size;
    return end == file->source->size || is_good(file, end, &behind) ||
           (next->looks == ETL_LOOKS_PLAUSIBLE && next->header.size == file->rhythm);
}

/* Nothing good where the next buffer should be. */
static enum etl_status find_further(struct etl_file *file, struct etl_found *here,
                                    struct etl_found *next)
{
    bool everything = etl_searches_all(file);
    uint64_t at = next->position;
    bool packed_wrong = here->header.compressed && !expands(file, here);
    if (!everything && resize_to_rhythm(file, here, next)) {
        return next->looks == ETL_LOOKS_GOOD ? ETL_OK : ETL_END;
    }
    if (!packed_wrong && take_as_it_is(file, next)) {
        return ETL_OK;
    }
    if (!everything && take_by_rhythm(file, at, next)) {
        return ETL_OK;
    }
    if (!everything && !file->any_compressed && next_at_rhythm(file, at, next)) {
        if (here->sized) { /* whoever reads it again takes it to end there */
            resize(file, here, next->position - here->position);
        }
        return ETL_OK;
    }
    bool inside = everything ? !is_whole(file, here)
                             : here->header.compressed || here->header.size != file->rhythm;
    uint64_t from = inside ? here->position + ETL_BUFFER_HEADER_SIZE : at;
    enum etl_status status = etl_search_buffer(file, from, everything ? UINT64_MAX : SEARCH_MAX,
                                               next);
    if (status == ETL_OK && (next->position < at || packed_wrong || here->sized)) {
        resize(file, here, next->position - here->position);
    } else if (status == ETL_END) {
        next->position = at;
    }
    return status;
}

/* A size that is wrong may lead to another buffer than the next. */
static bool skips_some(struct etl_file *file, const struct etl_found *here)
{
    struct etl_found between;
    return file->rhythm != 0 && here->header.size > file->rhythm && !here->header.compressed &&
           is_good(file, here->position + file->rhythm, &between);
}

enum etl_status etl_next_buffer(struct etl_file *file, struct etl_found *here,
                                struct etl_found *next)
{
    uint64_t at = here->position + here->header.size;
    enum etl_status status = look(file, at, 0, next);
    if (status != ETL_OK || (next->looks == ETL_LOOKS_GOOD && !skips_some(file, here))) {
        return status;
    }
    if (is_old(file)) {
        return next->looks == ETL_LOOKS_NOTHING ? ETL_END : ETL_OK;
    }
    if (at == file->source->size && !skips_some(file, here)) {
        return ETL_END;
    }
    return find_further(file, here, next);
}

bool etl_buffer_leads_on(struct etl_file *file, uint64_t position)
{
    struct etl_found next;
    return position == file->source->size || is_good(file, position, &next);
}

/* Whether a buffer is at `position` and can end where it says. */
static bool ends_well(struct etl_file *file, uint64_t position)
{
    struct etl_found found;
    return is_good(file, position, &found) &&
           etl_buffer_leads_on(file, position + found.header.size);
}

/* Whether the second buffer of a file of Windows 2000 to 2003 can be at `size`, or the file ends. */
static bool is_old_size(struct etl_file *file, uint32_t size)
{
    struct etl_found second;
    if (size < ETL_BUFFER_HEADER_SIZE || size > ETL_BUFFER_SIZE_MAX) {
        return false;
    }
    if (size == file->source->size) {
        return true;
    }
    return !ends_well(file, size) && look(file, size, size, &second) == ETL_OK &&
           second.looks != ETL_LOOKS_NOTHING && holds_events(file, &second);
}

/* Windows 2000 to 2003 (?): no size in headers, whatever else is where it is later. */
static bool has_old_buffers(struct etl_file *file)
{
    struct etl_found first;
    uint32_t told = file->info.buffer_size;
    if (file->guessed || file->start > 0) {
        return false;
    }
    if (file->info.version[0] == 5) {
        return !ends_well(file, 0) && !ends_well(file, told);
    }
    bool damaged = file->options.search != ETL_SEARCH_NONE && !is_old_size(file, told);
    return !damaged && look(file, 0, 0, &first) == ETL_OK && first.looks == ETL_LOOKS_NOTHING;
}

/* The size of all buffers there. */
static uint32_t old_buffer_size(struct etl_file *file)
{
    uint32_t told = file->info.buffer_size;
    if (is_old_size(file, told)) {
        return told;
    }
    for (uint32_t size = OLD_SIZE_STEP; size <= OLD_SIZE_MAX; size += OLD_SIZE_STEP) {
        if (size < file->source->size && is_old_size(file, size)) {
            return size;
        }
    }
    return told;
}

/*
 * How far it is from buffer to buffer, where that is always the same. The header's size and the
 * logfile header's BufferSize agree, unless one of them is damaged or buffers are compressed.
 */
static uint32_t rhythm_of(struct etl_file *file, const struct etl_found *first)
{
    struct etl_found next;
    uint32_t own = first->header.size;
    uint32_t told = file->info.buffer_size;
    bool told_fits = told >= ETL_BUFFER_HEADER_SIZE && told <= ETL_BUFFER_SIZE_MAX;
    bool own_good = is_good(file, first->position + own, &next);
    if (told_fits && (!own_good || told < own) && is_good(file, first->position + told, &next)) {
        return next.header.compressed ? 0 : told;
    }
    if (own_good) { /* a flag alone makes none compressed */
        is_good(file, first->position + own, &next);
        return next.header.compressed && expands(file, &next) ? 0 : own;
    }
    bool only = first->position + own == file->source->size;
    if (only || (told_fits && first->position + told == file->source->size)) {
        return only ? own : told;
    }
    enum etl_status status = etl_search_buffer(file, first->position + ETL_BUFFER_HEADER_SIZE,
                                               SEARCH_MAX, &next);
    return status == ETL_OK && next.header.compressed ? 0 : own;
}

/*
 * Times tell events from other bytes only if events are near the StartTime, which may itself be
 * damaged: the second buffer decides.
 */
static void judge_times(struct etl_file *file, const struct etl_found *first)
{
    uint8_t bytes[ETL_EVENT_HEADER_SIZE];
    struct etl_measure measure;
    struct etl_found second;
    if (!is_good(file, first->position + file->rhythm, &second) || second.header.compressed) {
        return;
    }
    int64_t got = etl_read_some(file, second.position + ETL_BUFFER_HEADER_SIZE, bytes,
                                sizeof bytes);
    file->timeless = got == (int64_t)sizeof bytes &&
                     etl_event_measure(bytes, UINT16_MAX, &file->context, &measure) ==
                         ETL_MEASURED_EVENT &&
                     !etl_event_plausible(file, bytes, &measure);
}

enum etl_status etl_first_buffer(struct etl_file *file, struct etl_found *ret_first)
{
    file->old_buffer_size = 0; /* while that is found out */
    file->old_buffer_size = has_old_buffers(file) ? old_buffer_size(file) : 0;
    enum etl_status status = look(file, file->start, 0, ret_first);
    if (status == ETL_OK && ret_first->looks == ETL_LOOKS_NOTHING) {
        struct etl_found next;
        uint64_t from = file->start + ETL_BUFFER_HEADER_SIZE;
        uint64_t size = file->info.buffer_size;
        if (size < ETL_BUFFER_HEADER_SIZE || size > ETL_BUFFER_SIZE_MAX) {
            status = etl_search_buffer(file, from, SEARCH_MAX, &next);
            size = (status == ETL_OK ? next.position : file->source->size) - file->start;
        }
        resize(file, ret_first, size);
        status = ret_first->looks == ETL_LOOKS_NOTHING ? ETL_END : ETL_OK;
    }
    if (status == ETL_OK && !is_old(file)) {
        file->rhythm = rhythm_of(file, ret_first);
        judge_times(file, ret_first);
    }
    return status;
}
