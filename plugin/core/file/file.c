/*
 * A trace file from outside: open, what it is, the next event, the event at a position.
 */
#include "core/file/file_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LogFileMode */
#define MODE_COMPRESSED 0x04000000

/* In a first buffer's State: the format of the others, if they are compressed. */
#define STATE_FORMAT_MASK 0xFFFF

/* Before the order is known: room for the windows of the index pass. */
#define INDEX_PAGES_LIMIT ((size_t)1 << 20)

static enum etl_compression compression_of(uint32_t state)
{
    uint32_t format = state & STATE_FORMAT_MASK;
    bool known = format >= ETL_COMPRESSION_LZNT1 && format <= ETL_COMPRESSION_XPRESS_HUFFMAN;
    return known ? (enum etl_compression)format : ETL_COMPRESSION_NONE;
}

bool etl_take_first_header(struct etl_file *file, const uint8_t *bytes)
{
    struct etl_buffer_header header;
    uint32_t told = file->info.buffer_size;
    bool readable = etl_buffer_header_read(bytes, 0, &header) ||
                    etl_buffer_header_read_sized(bytes, told, &header);
    if (readable) {
        file->compression = compression_of(header.state);
    }
    if ((file->info.mode & MODE_COMPRESSED) != 0) {
        file->info.compression = file->compression;
    }
    return readable || file->options.search != ETL_SEARCH_NONE;
}

static bool start_file(struct etl_file *file, const uint8_t *bytes, size_t size)
{
    if (!etl_logfile_begins(bytes, size) || !etl_logfile_read(file, bytes, size)) {
        return etl_salvage(file, bytes, size);
    }
    return etl_take_first_header(file, bytes);
}

enum etl_status etl_file_open(struct etl_source *source, const struct etl_file_options *options,
                              struct etl_file **ret_file, char *message, size_t message_size)
{
    etl_layouts_start();
    struct etl_file *file = calloc(1, sizeof *file);
    uint8_t *bytes = malloc(ETL_FIRST_SIZE);
    enum etl_status status = ETL_NO_MEMORY;
    *ret_file = NULL;
    if (file != NULL && bytes != NULL && (file->keys = etl_keys_new(&options->limits)) != NULL) {
        file->options = *options;
        file->context.pointer_size = 8;
        file->first_buffer = ETL_NO_BUFFER;
        file->source = source;
        etl_pages_start(&file->pages, INDEX_PAGES_LIMIT);
        int64_t got = source->read(source, 0, bytes, ETL_FIRST_SIZE, &file->error);
        const char *refusal = got > 0 ? etl_logfile_refusal(bytes, (size_t)got) : NULL;
        if (got < 0) {
            status = ETL_READ_FAILED;
        } else if (start_file(file, bytes, (size_t)got)) {
            status = ETL_OK;
        } else {
            status = refusal != NULL ? ETL_REFUSED : ETL_NOT_MINE;
            snprintf(message, message_size, "%s", refusal != NULL ? refusal : "");
        }
    }
    free(bytes);
    if (status != ETL_OK) {
        if (file != NULL) {
            file->source = NULL; /* it stays the caller's */
        }
        etl_file_close(file);
        return status;
    }
    *ret_file = file;
    return ETL_OK;
}

void etl_file_close(struct etl_file *file)
{
    if (file == NULL) {
        return;
    }
    etl_pages_free(&file->pages);
    etl_keys_free(file->keys);
    etl_source_close(file->source);
    free(file->buffers);
    free(file->gaps.list);
    free(file->skips.list);
    free(file->searched);
    free(file->packed);
    free(file->lanes);
    free(file->turns.times);
    free(file->turns.places);
    free(file);
}

const struct etl_file_info *etl_file_info(const struct etl_file *file)
{
    return &file->info;
}

const struct etl_context *etl_file_context(const struct etl_file *file)
{
    return &file->context;
}

struct etl_keys *etl_file_keys(struct etl_file *file)
{
    return file->keys;
}

int etl_file_errno(const struct etl_file *file)
{
    return file->error;
}

void etl_file_random_access(struct etl_file *file)
{
    file->random_access = true;
}

static uint64_t size_of_index(const struct etl_file *file)
{
    return (uint64_t)file->buffer_count * ETL_INDEX_COST +
           (uint64_t)(file->gaps.count + file->skips.count) * sizeof(struct etl_damage);
}

bool etl_index_full(const struct etl_file *file)
{
    return size_of_index(file) >= etl_limit_bytes(&file->options.limits, ETL_LIMIT_INDEX);
}

static void spend(struct etl_limits *limits, enum etl_limit limit, uint64_t bytes)
{
    uint64_t most = etl_limit_bytes(limits, limit);
    limits->bytes[limit] = most > bytes ? most - bytes : 1;
}

void etl_file_spend(const struct etl_file *file, struct etl_limits *limits)
{
    static const enum etl_limit of_keys[] = {ETL_LIMIT_SCHEMAS, ETL_LIMIT_MAPS, ETL_LIMIT_STRINGS};
    spend(limits, ETL_LIMIT_INDEX, size_of_index(file));
    for (size_t i = 0; i < sizeof of_keys / sizeof of_keys[0]; i++) {
        spend(limits, of_keys[i], etl_keys_budget(file->keys, of_keys[i])->used);
    }
}

static void set_place(struct etl_place *place, const struct etl_page *page, uint32_t offset,
                      bool out_of_order)
{
    const struct etl_buffer_header *header = &page->header;
    *place = (struct etl_place){
        .position = page->position + (header->compressed ? 0 : offset),
        .buffer = page->buffer,
        .offset = offset,
        .cpu = header->cpu,
        .logger_id = header->logger_id,
        .sequence = header->sequence,
        .buffer_state = header->state,
        .buffer_flags = header->flags,
        .buffer_type = header->type,
        .compressed = header->compressed,
        .out_of_order = out_of_order,
    };
}

static void set_entry(struct etl_file *file, struct etl_page *page, uint32_t offset,
                      const struct etl_measure *measure, const struct etl_standing *standing,
                      struct etl_entry *entry)
{
    etl_event_read(etl_page_at(page, offset), measure, &file->context, &entry->event);
    set_place(&entry->place, page, offset, standing->out_of_order);
    entry->context = &file->context;
    entry->raw_time = measure->has_time ? measure->raw_time : standing->latest;
    entry->running_thread = standing->thread;
    etl_remark_entry(file, entry);
}

enum etl_status etl_file_step(struct etl_file *file, struct etl_step *ret_step)
{
    struct etl_lane *lane;
    enum etl_status status = file->indexed ? file->failure : etl_file_index(file, NULL, NULL);
    if (status == ETL_OK) {
        status = etl_order_next(file, &lane);
    }
    if (status != ETL_OK) {
        return status == ETL_END && file->info.cut_short ? ETL_CUT_SHORT : status;
    }
    ret_step->at = lane->at;
    ret_step->measure = lane->measure;
    ret_step->buffer = lane->buffer;
    ret_step->offset = lane->offset;
    ret_step->cpu = lane->cpu;
    return ETL_OK;
}

void etl_file_entry(struct etl_file *file, struct etl_entry *ret_entry)
{
    const struct etl_lane *lane = &file->lanes[etl_first_lane(&file->turns)];
    set_entry(file, lane->page, lane->offset, &lane->measure, &lane->standing, ret_entry);
}

enum etl_status etl_file_next(struct etl_file *file, struct etl_entry *ret_entry)
{
    struct etl_step step;
    enum etl_status status = etl_file_step(file, &step);
    if (status == ETL_OK) {
        etl_file_entry(file, ret_entry);
    }
    return status;
}

/*
 * Walks the page's buffer up to `offset` for what a sequential reader knows there. Goes on from
 * where the last call ended, so that jumping between buffers at every event costs no more than
 * reading them.
 */
static bool catch_up(struct etl_file *file, struct etl_page *page, uint32_t offset,
                     struct etl_measure *ret_measure)
{
    if (page->walked_to > offset || page->walked_to == 0) {
        page->walked_to = ETL_BUFFER_HEADER_SIZE;
        etl_standing_start(&page->standing, &file->buffers[page->buffer]);
    }
    while (etl_page_measure(file, page, page->walked_to, ret_measure) == ETL_MEASURED_EVENT ||
           etl_gap_follow(file, page, &page->walked_to, ret_measure)) {
        struct etl_standing before = page->standing;
        etl_standing_arrive(&page->standing, ret_measure);
        if (page->walked_to >= offset) {
            bool found = page->walked_to == offset;
            struct etl_standing here = page->standing;
            page->standing = before;
            page->arrived = here;
            return found;
        }
        etl_standing_pass(&page->standing, etl_page_at(page, page->walked_to), ret_measure);
        page->walked_to = etl_next_offset(page->walked_to, ret_measure->size);
    }
    return false;
}

enum etl_status etl_file_at(struct etl_file *file, uint64_t position, struct etl_entry *ret_entry)
{
    uint64_t buffer = position >> ETL_POSITION_OFFSET_BITS;
    uint32_t offset = (uint32_t)(position & (ETL_BUFFER_SIZE_MAX - 1));
    struct etl_page *page;
    struct etl_measure measure;
    if (buffer >= file->buffer_count || offset < ETL_BUFFER_HEADER_SIZE) {
        return ETL_END;
    }
    enum etl_status status = etl_page_get(file, (uint32_t)buffer, offset, &page);
    if (status != ETL_OK) {
        return status;
    }
    if (!catch_up(file, page, offset, &measure)) {
        return page->unreadable ? ETL_READ_FAILED : ETL_END;
    }
    set_entry(file, page, offset, &measure, &page->arrived, ret_entry);
    return ETL_OK;
}
