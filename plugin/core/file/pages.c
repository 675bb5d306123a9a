/*
 * Buffers in memory, within one limit: compressed ones expanded, others as a window of 64 KiB.
 *
 *     newest <-> … <-> oldest       the oldest page that nobody stands on goes first
 *
 * Lanes pin the page they stand on. A merge and a random reader jump between lanes at every event,
 * so the cache must hold at least a page per lane: order.c sees to it.
 */
#include "core/file/file_private.h"

#include <stdlib.h>
#include <string.h>

#define BUCKET_COUNT (sizeof((struct etl_pages *)0)->buckets / sizeof(struct etl_page *))

void etl_pages_start(struct etl_pages *pages, size_t limit)
{
    memset(pages, 0, sizeof *pages);
    pages->limit = limit;
}

static void unlink_use(struct etl_pages *pages, struct etl_page *page)
{
    *(page->newer != NULL ? &page->newer->older : &pages->newest) = page->older;
    *(page->older != NULL ? &page->older->newer : &pages->oldest) = page->newer;
    page->newer = page->older = NULL;
}

static void link_newest(struct etl_pages *pages, struct etl_page *page)
{
    page->older = pages->newest;
    page->newer = NULL;
    *(pages->newest != NULL ? &pages->newest->newer : &pages->oldest) = page;
    pages->newest = page;
}

static void link_oldest(struct etl_pages *pages, struct etl_page *page)
{
    page->newer = pages->oldest;
    page->older = NULL;
    *(pages->oldest != NULL ? &pages->oldest->older : &pages->newest) = page;
    pages->oldest = page;
}

static void forget(struct etl_pages *pages, struct etl_page *page)
{
    struct etl_page **link = &pages->buckets[page->buffer % BUCKET_COUNT];
    while (*link != page) {
        link = &(*link)->next_in_bucket;
    }
    *link = page->next_in_bucket;
    unlink_use(pages, page);
    pages->used -= page->room;
    free(page->bytes);
    free(page);
}

void etl_pages_free(struct etl_pages *pages)
{
    while (pages->oldest != NULL) {
        forget(pages, pages->oldest);
    }
}

/* Frees what nobody stands on until `room` more bytes fit, or nothing more can go. */
static void make_room(struct etl_pages *pages, size_t room)
{
    struct etl_page *page = pages->oldest;
    while (page != NULL && pages->used + room > pages->limit) {
        struct etl_page *newer = page->newer;
        if (page->pins == 0) {
            forget(pages, page);
        }
        page = newer;
    }
}

/* A window that a lane stands on is its own: it must not move under it. */
static bool usable(const struct etl_page *page)
{
    return page->pins == 0 || page->header.compressed;
}

static struct etl_page *find(struct etl_pages *pages, uint32_t buffer)
{
    struct etl_page *page = pages->buckets[buffer % BUCKET_COUNT];
    while (page != NULL && (page->buffer != buffer || !usable(page))) {
        page = page->next_in_bucket;
    }
    return page;
}

static struct etl_page *add(struct etl_pages *pages, uint32_t buffer, uint32_t room)
{
    make_room(pages, room);
    struct etl_page *page = calloc(1, sizeof *page);
    uint8_t *bytes = malloc(room);
    if (page == NULL || bytes == NULL) {
        free(page);
        free(bytes);
        return NULL;
    }
    page->buffer = buffer;
    page->bytes = bytes;
    page->room = room;
    page->next_in_bucket = pages->buckets[buffer % BUCKET_COUNT];
    pages->buckets[buffer % BUCKET_COUNT] = page;
    pages->used += room;
    link_newest(pages, page);
    return page;
}

int64_t etl_read_some(struct etl_file *file, uint64_t offset, void *room, size_t size)
{
    return file->source->read(file->source, offset, room, size, &file->error);
}

static enum etl_status read_header(struct etl_file *file, uint64_t position, uint32_t size,
                                   struct etl_buffer_header *ret_header)
{
    uint8_t bytes[ETL_BUFFER_HEADER_SIZE];
    int64_t got = etl_read_some(file, position, bytes, sizeof bytes);
    if (got < 0) {
        return ETL_READ_FAILED;
    }
    if (got < (int64_t)sizeof bytes ||
        !(size != 0 ? etl_buffer_header_read_sized(bytes, size, ret_header)
                    : etl_buffer_header_read(bytes, file->old_buffer_size, ret_header))) {
        return ETL_END;
    }
    return ETL_OK;
}

/*
 * What is read at once, and what a window has room for until a longer event comes: a part of it, so
 * that the windows of many lanes stay in the processor's cache. 64 KiB apart, they would also share
 * the same few of its sets.
 */
#define READ_SIZE 0x4000

static enum etl_status load_window(struct etl_file *file, struct etl_page *page, uint32_t offset,
                                   uint32_t most)
{
    uint32_t left = page->header.filled > offset ? page->header.filled - offset : 0;
    uint32_t size = left < page->room ? left : page->room;
    size = size < most ? size : most;
    int64_t got = etl_read_some(file, page->position + offset, page->bytes, size);
    page->start = offset;
    page->size = got > 0 ? (uint32_t)got : 0;
    page->unreadable = got < 0;
    return got < 0 ? ETL_READ_FAILED : ETL_OK;
}

/* The format that the file names, then the others: the first that gives exactly what is declared.
 */
size_t etl_expand(const struct etl_file *file, const uint8_t *packed, size_t packed_size,
                  uint8_t *room, size_t room_size)
{
    const enum etl_compression formats[] = {file->compression, ETL_COMPRESSION_XPRESS,
                                            ETL_COMPRESSION_LZNT1, ETL_COMPRESSION_XPRESS_HUFFMAN};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t size = 0;
        if (formats[i] != ETL_COMPRESSION_NONE &&
            etl_decompress(formats[i], packed, packed_size, room, room_size, &size) &&
            size == room_size) {
            return size;
        }
    }
    enum etl_compression likely = file->compression != ETL_COMPRESSION_NONE
                                      ? file->compression
                                      : ETL_COMPRESSION_XPRESS;
    size_t size = 0;
    etl_decompress(likely, packed, packed_size, room, room_size, &size);
    return size;
}

static enum etl_status load_compressed(struct etl_file *file, struct etl_page *page)
{
    size_t packed_size = page->header.size - ETL_BUFFER_HEADER_SIZE;
    if (packed_size > file->packed_room) {
        uint8_t *packed = realloc(file->packed, packed_size);
        if (packed == NULL) {
            return ETL_NO_MEMORY;
        }
        file->packed = packed;
        file->packed_room = packed_size;
    }
    int64_t got = etl_read_some(file, page->position + ETL_BUFFER_HEADER_SIZE, file->packed,
                                packed_size);
    if (got < 0) {
        return ETL_READ_FAILED;
    }
    size_t wanted = page->header.filled - ETL_BUFFER_HEADER_SIZE;
    size_t size = etl_expand(file, file->packed, (size_t)got, page->bytes, wanted);
    page->start = ETL_BUFFER_HEADER_SIZE;
    page->size = (uint32_t)size;
    return ETL_OK;
}

enum etl_status etl_page_reload(struct etl_file *file, struct etl_page *page, uint32_t offset)
{
    return page->header.compressed ? load_compressed(file, page)
                                   : load_window(file, page, offset, READ_SIZE);
}

/* Of a buffer whose header lies: it ends where the next one begins. */
static uint32_t extent_of(const struct etl_file *file, uint32_t buffer)
{
    bool last = buffer + 1 == file->buffer_count;
    uint64_t end = last ? file->last_end : file->buffers[buffer + 1].position;
    uint64_t size = end - file->buffers[buffer].position;
    return size < ETL_BUFFER_SIZE_MAX ? (uint32_t)size : ETL_BUFFER_SIZE_MAX;
}

static enum etl_status load_new(struct etl_file *file, uint32_t buffer, uint32_t offset,
                                struct etl_page **ret_page)
{
    struct etl_buffer_header header;
    uint64_t position = file->buffers[buffer].position;
    uint32_t size = file->buffers[buffer].sized ? extent_of(file, buffer) : 0;
    enum etl_status status = read_header(file, position, size, &header);
    if (status != ETL_OK) { /* it was there when it was indexed */
        return status == ETL_END ? ETL_CUT_SHORT : status;
    }
    uint32_t room = header.filled;
    if (!header.compressed && room > READ_SIZE) {
        room = READ_SIZE;
    }
    struct etl_page *page = add(&file->pages, buffer, room);
    if (page == NULL) {
        return ETL_NO_MEMORY;
    }
    page->header = header;
    page->position = position;
    status = etl_page_reload(file, page, offset);
    if (status != ETL_OK) {
        forget(&file->pages, page);
        return status;
    }
    *ret_page = page;
    return ETL_OK;
}

enum etl_status etl_page_get(struct etl_file *file, uint32_t buffer, uint32_t offset,
                             struct etl_page **ret_page)
{
    struct etl_page *page = find(&file->pages, buffer);
    if (page == NULL) {
        return load_new(file, buffer, offset, ret_page);
    }
    unlink_use(&file->pages, page);
    link_newest(&file->pages, page);
    *ret_page = page;
    if (page->header.compressed || (offset >= page->start && offset < page->start + page->size)) {
        return ETL_OK;
    }
    return etl_page_reload(file, page, offset);
}

void etl_page_pin(struct etl_page *page)
{
    page->pins++;
}

void etl_page_unpin(struct etl_file *file, struct etl_page *page, bool done)
{
    page->pins--;
    if (done && page->pins == 0) {
        unlink_use(&file->pages, page);
        link_oldest(&file->pages, page);
    }
}

/* Gives the page room for a whole window; false when out of memory, as if the rest were unreadable. */
static bool widen(struct etl_pages *pages, struct etl_page *page)
{
    uint32_t room = page->header.filled < ETL_WINDOW_SIZE ? page->header.filled : ETL_WINDOW_SIZE;
    if (page->room >= room) {
        return true;
    }
    uint8_t *bytes = realloc(page->bytes, room);
    if (bytes == NULL) {
        page->unreadable = true;
        return false;
    }
    pages->used += room - page->room;
    page->bytes = bytes;
    page->room = room;
    return true;
}

enum etl_measured etl_page_measure_slowly(struct etl_file *file, struct etl_page *page,
                                          uint32_t offset, struct etl_measure *ret_measure)
{
    uint32_t end = page->start + page->size;
    bool inside = offset >= page->start && offset < end;
    if (inside && (page->header.compressed || end >= page->header.filled)) {
        return etl_event_measure(etl_page_at(page, offset), end - offset, &file->context,
                                 ret_measure);
    }
    if (page->header.compressed || offset >= page->header.filled ||
        etl_page_reload(file, page, offset) != ETL_OK) {
        return ETL_MEASURED_END;
    }
    enum etl_measured measured = etl_event_measure(page->bytes, page->size, &file->context,
                                                   ret_measure);
    bool whole = offset + page->size >= page->header.filled;
    if (measured == ETL_MEASURED_EVENT || whole || !widen(&file->pages, page) ||
        load_window(file, page, offset, page->room) != ETL_OK) {
        return measured;
    }
    return etl_event_measure(page->bytes, page->size, &file->context, ret_measure);
}
