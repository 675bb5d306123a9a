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

static void set_time(wtap_rec *rec, const struct etl_entry *entry)
{
    int64_t filetime;
    int64_t seconds;
    uint32_t nanoseconds;
    if (entry->raw_time == INT64_MIN ||
        !etl_clock_filetime(&entry->context->clock, entry->raw_time, &filetime)) {
        rec->ts.secs = 0;
        rec->ts.nsecs = 0;
        return;
    }
    etl_filetime_to_unix(filetime, &seconds, &nanoseconds);
    rec->presence_flags |= WTAP_HAS_TS;
    rec->ts.secs = (time_t)seconds;
    rec->ts.nsecs = (int)nanoseconds;
}

static void set_record(struct wtap *wth, struct etl_reader *reader, const struct etl_entry *entry,
                       wtap_rec *rec, Buffer *buffer)
{
    /* Some versions leave the last frame in the buffer, which would grow by all that is read. */
    ws_buffer_clean(buffer);
    ws_buffer_assure_space(buffer, ETL_RECORD_SIZE_MAX);
    size_t size = etl_record_pack(entry, etl_file_keys(reader->file), &reader->record_options,
                                  ws_buffer_end_ptr(buffer));
    ws_buffer_increase_length(buffer, size);
    etl_start_record(rec, WTAP_ENCAP_ETW);
    rec->presence_flags = WTAP_HAS_CAP_LEN | WTAP_HAS_INTERFACE_ID;
    rec->tsprec = WTAP_TSPREC_NSEC;
    set_time(rec, entry);
    rec->rec_header.packet_header.caplen = (uint32_t)size;
    rec->rec_header.packet_header.len = (uint32_t)size;
    rec->rec_header.packet_header.interface_id = (uint32_t)etl_interface_of_cpu(wth, reader,
                                                                                entry->place.cpu);
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

/* Events without packets are passed over where only packets are wanted. */
static enum etl_status next_entry(struct wtap *wth, struct etl_reader *reader,
                                  struct etl_entry *entry, struct etl_packet *packet)
{
    enum etl_status status;
    do {
        status = entry_of(reader, NULL, entry);
        collect(wth, reader, status, entry);
    } while (status == ETL_OK && reader->packets != NULL &&
             !etl_packet_next(reader, entry, packet));
    return status;
}

static bool set_frame(struct wtap *wth, enum etl_status status, const struct etl_entry *entry,
                      const struct etl_packet *packet, wtap_rec *rec, Buffer *buffer, int *err,
                      char **err_info)
{
    struct etl_reader *reader = wth->priv;
    if (status != ETL_OK) {
        return set_error(reader, status, err, err_info);
    }
    if (reader->packets != NULL) {
        etl_set_packet_record(wth, reader, entry, packet, rec, buffer);
        set_time(rec, entry);
    } else {
        set_record(wth, reader, entry, rec, buffer);
    }
    return true;
}

static bool read_frame(struct wtap *wth, wtap_rec *rec, Buffer *buffer, int *err, char **err_info,
                       int64_t *ret_position)
{
    struct etl_reader *reader = wth->priv;
    struct etl_entry entry;
    struct etl_packet packet;
    if (!prepare(wth, reader, err, err_info)) {
        return false;
    }
    enum etl_status status = next_entry(wth, reader, &entry, &packet);
    *ret_position = status == ETL_OK ? (int64_t)etl_position(&entry.place) : 0;
    return set_frame(wth, status, &entry, &packet, rec, buffer, err, err_info);
}

static bool seek_frame(struct wtap *wth, int64_t position, wtap_rec *rec, Buffer *buffer, int *err,
                       char **err_info)
{
    struct etl_reader *reader = wth->priv;
    struct etl_entry entry;
    struct etl_packet packet;
    const uint64_t place = (uint64_t)position;
    enum etl_status status = reader->packets != NULL
                                 ? etl_packet_at(reader, (uint64_t)position, &entry, &packet)
                                 : entry_of(reader, &place, &entry);
    status = status == ETL_END ? ETL_CUT_SHORT : status;
    return set_frame(wth, status, &entry, &packet, rec, buffer, err, err_info);
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
