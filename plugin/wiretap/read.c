/*
 * One frame after the other, or the one at a position: from the core's entries to Wireshark's
 * records.
 */
#include "wiretap/reader.h"

#include <errno.h>
#include <unistd.h>

static void report_progress(void *data, uint64_t bytes)
{
    struct wtap *wth = data;
    int err;
    /* Only then is it a pure seek; it moves the progress bar, which asks where fh is. */
    if (wth->random_fh != NULL && wth->fh != NULL) {
        file_seek(wth->fh, (int64_t)bytes, SEEK_SET, &err);
    }
}

/* False with *err set; at the end of a whole file *err is 0. */
static bool set_error(const struct etl_reader *reader, enum etl_status status, int *err,
                      char **err_info)
{
    *err = 0;
    switch (status) {
    case ETL_CUT_SHORT:
        *err = WTAP_ERR_SHORT_READ;
        break;
    case ETL_READ_FAILED:
        *err = etl_file_errno(reader->file);
        break;
    case ETL_NO_MEMORY:
        *err = ENOMEM;
        break;
    default:
        break;
    }
    (void)err_info;
    return false;
}

static enum etl_status index_all(struct etl_reader *reader, bool random_access,
                                 void (*progress)(void *, uint64_t), void *progress_data)
{
    if (reader->recovery != NULL) {
        if (random_access) {
            etl_recovery_random_access(reader->recovery);
        }
        return etl_recovery_index(reader->recovery, progress, progress_data);
    }
    if (random_access) {
        etl_file_random_access(reader->file);
    }
    return etl_file_index(reader->file, progress, progress_data);
}

/* The next event, or the one at a position: of the file, or of the one that recovery is at. */
static enum etl_status entry_of(struct etl_reader *reader, const uint64_t *position,
                                struct etl_entry *entry)
{
    if (reader->recovery == NULL) {
        return position == NULL ? etl_file_next(reader->file, entry)
                                : etl_file_at(reader->file, *position, entry);
    }
    enum etl_status status = position == NULL ? etl_recovery_next(reader->recovery, entry)
                                              : etl_recovery_at(reader->recovery, *position, entry);
    reader->file = etl_recovery_file(reader->recovery);
    return status;
}

/* Spools what must be spooled and indexes, at the first read. */
static bool prepare(struct wtap *wth, struct etl_reader *reader, int *err, char **err_info)
{
    if (reader->index_tried) {
        return true;
    }
    reader->index_tried = true;
    if (!etl_spool_rest(reader, wth, err, err_info)) {
        return false;
    }
    bool plain = reader->spool < 0;
    enum etl_status status = index_all(reader, wth->random_fh != NULL,
                                       plain ? report_progress : NULL, wth);
    etl_describe_losses(wth, etl_file_info(reader->file));
    return status == ETL_OK || set_error(reader, status, err, err_info);
}

static void find_time(const struct etl_entry *entry, struct etl_frame *frame)
{
    int64_t filetime;
    frame->has_time = entry->raw_time != INT64_MIN &&
                      etl_clock_filetime(&entry->context->clock, entry->raw_time, &filetime);
    if (frame->has_time) {
        etl_filetime_to_unix(filetime, &frame->seconds, &frame->nanoseconds);
    }
}

/* The record goes to `room`, of ETL_RECORD_SIZE_MAX bytes. */
static void make_frame(struct etl_reader *reader, const struct etl_entry *entry, uint8_t *room,
                       struct etl_frame *ret_frame)
{
    *ret_frame = (struct etl_frame){
        .record = room,
        .size = etl_record_pack(entry, etl_file_keys(reader->file), &reader->record_options, room),
        .position = (int64_t)etl_position(&entry->place),
        .cpu = entry->place.cpu,
    };
    find_time(entry, ret_frame);
}

static void set_time(wtap_rec *rec, const struct etl_frame *frame)
{
    rec->presence_flags |= frame->has_time ? WTAP_HAS_TS : 0;
    rec->ts.secs = (time_t)frame->seconds;
    rec->ts.nsecs = (int)frame->nanoseconds;
}

/* All but the bytes, which are in the buffer. The block becomes the record's. */
static void set_record(struct wtap *wth, struct etl_reader *reader, const struct etl_frame *frame,
                       wtap_block_t block, wtap_rec *rec)
{
    etl_start_record(rec, WTAP_ENCAP_ETW, block);
    rec->presence_flags = WTAP_HAS_CAP_LEN | WTAP_HAS_INTERFACE_ID;
    rec->tsprec = WTAP_TSPREC_NSEC;
    set_time(rec, frame);
    rec->rec_header.packet_header.caplen = (uint32_t)frame->size;
    rec->rec_header.packet_header.len = (uint32_t)frame->size;
    rec->rec_header.packet_header.interface_id = (uint32_t)etl_interface_of_cpu(wth, reader,
                                                                                frame->cpu);
}

/* Sees each event once, and tells what all of them say. */
static void collect(struct wtap *wth, struct etl_reader *reader, enum etl_status status,
                    const struct etl_entry *entry)
{
    if (reader->properties == NULL) {
        return;
    }
    if (status == ETL_OK) {
        etl_properties_see(reader->properties, entry);
        return;
    }
    etl_properties_finish(wth, reader->properties, etl_file_keys(reader->file));
    etl_properties_free(reader->properties);
    reader->properties = NULL;
}

static void read_ahead(struct wtap *wth, struct etl_reader *reader)
{
    uint8_t *room;
    struct etl_entry entry;
    struct etl_frame frame;
    etl_ahead_clear(reader->ahead);
    while (reader->ahead_status == ETL_OK && (room = etl_ahead_room(reader->ahead)) != NULL) {
        reader->ahead_status = entry_of(reader, NULL, &entry);
        collect(wth, reader, reader->ahead_status, &entry);
        if (reader->ahead_status == ETL_OK) {
            make_frame(reader, &entry, room, &frame);
            etl_ahead_add(reader->ahead, &frame);
        }
    }
}

static bool read_event(struct wtap *wth, struct etl_reader *reader, wtap_rec *rec, Buffer *buffer,
                       int *err, char **err_info, int64_t *ret_position)
{
    const struct etl_frame *frame = etl_ahead_take(reader->ahead);
    if (frame == NULL) {
        read_ahead(wth, reader);
        frame = etl_ahead_take(reader->ahead);
    }
    if (frame == NULL) {
        return set_error(reader, reader->ahead_status, err, err_info);
    }
    *ret_position = frame->position;
    /* Some versions leave the last frame in the buffer, which would grow by all that is read. */
    ws_buffer_clean(buffer);
    ws_buffer_append(buffer, (uint8_t *)frame->record, frame->size);
    set_record(wth, reader, frame, etl_block_of_next(reader), rec);
    return true;
}

static bool seek_event(struct wtap *wth, struct etl_reader *reader, uint64_t position,
                       wtap_rec *rec, Buffer *buffer, int *err, char **err_info)
{
    struct etl_entry entry;
    struct etl_frame frame;
    enum etl_status status = entry_of(reader, &position, &entry);
    if (status != ETL_OK) {
        return set_error(reader, status == ETL_END ? ETL_CUT_SHORT : status, err, err_info);
    }
    ws_buffer_clean(buffer);
    ws_buffer_assure_space(buffer, ETL_RECORD_SIZE_MAX);
    make_frame(reader, &entry, ws_buffer_end_ptr(buffer), &frame);
    ws_buffer_increase_length(buffer, frame.size);
    set_record(wth, reader, &frame, wtap_block_create(WTAP_BLOCK_PACKET), rec);
    return true;
}

/* Events without packets are passed over. */
static enum etl_status next_packet(struct wtap *wth, struct etl_reader *reader,
                                   struct etl_entry *entry, struct etl_packet *packet)
{
    enum etl_status status;
    do {
        status = entry_of(reader, NULL, entry);
        collect(wth, reader, status, entry);
    } while (status == ETL_OK && !etl_packet_next(reader, entry, packet));
    return status;
}

static bool set_packet(struct wtap *wth, enum etl_status status, const struct etl_entry *entry,
                       const struct etl_packet *packet, wtap_rec *rec, Buffer *buffer, int *err,
                       char **err_info)
{
    struct etl_reader *reader = wth->priv;
    struct etl_frame frame = {.has_time = false};
    if (status != ETL_OK) {
        return set_error(reader, status, err, err_info);
    }
    etl_set_packet_record(wth, reader, entry, packet, rec, buffer);
    find_time(entry, &frame);
    set_time(rec, &frame);
    return true;
}

static bool read_frame(struct wtap *wth, wtap_rec *rec, Buffer *buffer, int *err, char **err_info,
                       int64_t *ret_position)
{
    struct etl_reader *reader = wth->priv;
    *ret_position = 0;
    if (!prepare(wth, reader, err, err_info)) {
        return false;
    }
    if (reader->packets == NULL) {
        return read_event(wth, reader, rec, buffer, err, err_info, ret_position);
    }
    struct etl_entry entry;
    struct etl_packet packet;
    enum etl_status status = next_packet(wth, reader, &entry, &packet);
    *ret_position = status == ETL_OK ? (int64_t)etl_position(&entry.place) : 0;
    return set_packet(wth, status, &entry, &packet, rec, buffer, err, err_info);
}

static bool seek_frame(struct wtap *wth, int64_t position, wtap_rec *rec, Buffer *buffer, int *err,
                       char **err_info)
{
    struct etl_reader *reader = wth->priv;
    if (reader->packets == NULL) {
        return seek_event(wth, reader, (uint64_t)position, rec, buffer, err, err_info);
    }
    struct etl_entry entry;
    struct etl_packet packet;
    enum etl_status status = etl_packet_at(reader, (uint64_t)position, &entry, &packet);
    status = status == ETL_END ? ETL_CUT_SHORT : status;
    return set_packet(wth, status, &entry, &packet, rec, buffer, err, err_info);
}

static void close_reader(struct wtap *wth)
{
    etl_reader_close(wth->priv);
}

ETL_READ_FUNCTIONS(read_frame, seek_frame)

void etl_set_functions(struct wtap *wth)
{
    wth->subtype_read = etl_read;
    wth->subtype_seek_read = etl_seek_read;
    wth->subtype_close = close_reader;
}
