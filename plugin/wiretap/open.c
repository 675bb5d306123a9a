/*
 * Opens a file: looks at its first bytes, and takes it only if they are those of a trace. The file
 * dialog calls this for every file under the cursor, so nothing else is read.
 */
#include "wiretap/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Recognised by this: a buffer header and the first eight bytes of an event. A pipe gives no more
 * back. */
#define RECOGNISE_SIZE (ETL_BUFFER_HEADER_SIZE + ETL_EVENT_SIZE_MIN)

/* What opening needs of a file that must be spooled: the header buffer's first event. */
#define FIRST_SIZE (ETL_BUFFER_HEADER_SIZE + 0x10000)

#define CPU_COUNT 2048

/* Behind the reason why a file is refused. */
#define RECOVER_HINT \
    "Buffers anywhere in it are found by the format \"Windows Event Trace Log (recover)\""

static bool has_extension(const char *name)
{
    return name != NULL && strlen(name) > 4 &&
           g_ascii_strcasecmp(name + strlen(name) - 4, ".etl") == 0;
}

static bool is_plain_file(struct wtap *wth)
{
    struct stat status;
    return !wth->ispipe && !file_iscompressed(wth->fh) && wth->pathname != NULL &&
           stat(wth->pathname, &status) == 0 && S_ISREG(status.st_mode);
}

/* As many bytes as there are, up to `size`. */
static size_t read_first(FILE_T file, uint8_t *room, size_t size)
{
    size_t done = 0;
    int count;
    while (done < size && (count = file_read(room + done, (unsigned)(size - done), file)) > 0) {
        done += (size_t)count;
    }
    return done;
}

static struct etl_source *plain_source(struct wtap *wth, int *err)
{
    int descriptor = open(wth->pathname, O_RDONLY | O_CLOEXEC);
    struct etl_source *source = descriptor >= 0 ? etl_source_of_descriptor(descriptor) : NULL;
    if (source == NULL) {
        *err = errno;
        if (descriptor >= 0) {
            close(descriptor);
        }
    }
    return source;
}

static struct etl_source *spool_source(struct wtap *wth, struct etl_reader *reader,
                                       const uint8_t *start, size_t start_size, int *err,
                                       char **err_info)
{
    uint8_t *first = g_malloc(FIRST_SIZE);
    memcpy(first, start, start_size);
    size_t size = start_size + read_first(wth->fh, first + start_size, FIRST_SIZE - start_size);
    struct etl_source *source = NULL;
    if (etl_spool_start(reader, wth, first, size, err, err_info)) {
        source = etl_source_of_descriptor(reader->spool);
        *err = source == NULL ? errno : 0;
    }
    g_free(first);
    return source;
}

void etl_reader_close(struct etl_reader *reader)
{
    if (reader->recovery != NULL) {
        etl_recovery_close(reader->recovery);
    } else {
        etl_file_close(reader->file); /* and its source, and with it the spool */
    }
    g_free(reader->ahead);
    g_free(reader->interface_of_cpu);
    wtap_block_unref(reader->no_options); /* NULL is fine */
    etl_packet_reader_free(reader->packets);
    etl_properties_free(reader->properties);
}

static void free_reader(struct etl_reader *reader)
{
    etl_reader_close(reader);
    g_free(reader);
}

static struct etl_reader *new_reader(void)
{
    struct etl_reader *reader = g_new0(struct etl_reader, 1);
    const char *names = g_getenv("ETL_NAMES");
    reader->spool = -1;
    for (unsigned i = 0; i < ETL_LIMIT_COUNT; i++) {
        reader->limits.bytes[i] = etl_limit_parse(g_getenv(etl_limit_rows[i].variable));
    }
    reader->record_options.no_names = names != NULL && strcmp(names, "0") == 0;
    reader->properties = etl_properties_new(!reader->record_options.no_names);
    reader->ahead = etl_ahead_new();
    reader->ahead_status = ETL_OK;
    reader->interface_of_cpu = g_new(int, CPU_COUNT);
    for (size_t i = 0; i < CPU_COUNT; i++) {
        reader->interface_of_cpu[i] = -1;
    }
    return reader;
}

static enum etl_status open_recovery(struct etl_reader *reader, struct etl_source *source,
                                     const struct etl_file_options *options)
{
    enum etl_status status = etl_recovery_open(source, options, &reader->recovery);
    if (status == ETL_OK) {
        reader->file = etl_recovery_file(reader->recovery);
    }
    return status;
}

static wtap_open_return_val open_source(struct wtap *wth, struct etl_reader *reader,
                                        struct etl_source *source, bool recover, int *err,
                                        char **err_info)
{
    const char *order = g_getenv("ETL_ORDER");
    struct etl_file_options options = {
        .file_order = order != NULL && strcmp(order, "file") == 0,
        /* What is called a trace may have lost its beginning. */
        .limits = reader->limits,
        .search = has_extension(wth->pathname) ? ETL_SEARCH_NEAR : ETL_SEARCH_NONE,
    };
    char message[200] = "";
    enum etl_status status = recover ? open_recovery(reader, source, &options)
                                     : etl_file_open(source, &options, &reader->file, message,
                                                     sizeof message);
    if (status == ETL_OK) {
        reader->source = source;
        return WTAP_OPEN_MINE;
    }
    etl_source_close(source);
    if (status == ETL_REFUSED && has_extension(wth->pathname)) {
        *err = WTAP_ERR_BAD_FILE;
        *err_info = g_strdup_printf("etl: not a readable trace: %s. " RECOVER_HINT, message);
        return WTAP_OPEN_ERROR;
    }
    if (status == ETL_NO_MEMORY) {
        *err = ENOMEM;
        return WTAP_OPEN_ERROR;
    }
    return WTAP_OPEN_NOT_MINE;
}

/* The cheap look that spares every other kind of file the rest. */
static bool may_be_trace(struct wtap *wth, const uint8_t *bytes, size_t size)
{
    bool trace = size == RECOGNISE_SIZE && bytes[0x4B] == 0xC0 &&
                 (bytes[0x4A] == 1 || bytes[0x4A] == 2);
    return trace || has_extension(wth->pathname);
}

static struct etl_source *source_of(struct wtap *wth, struct etl_reader *reader,
                                    const uint8_t *start, size_t start_size, bool recover, int *err,
                                    char **err_info)
{
    if (is_plain_file(wth)) {
        return plain_source(wth, err);
    }
    struct etl_source *source = spool_source(wth, reader, start, start_size, err, err_info);
    reader->source = source;
    if (source != NULL && recover && !etl_spool_rest(reader, wth, err, err_info)) {
        etl_source_close(source); /* what is to be searched must all be there */
        return NULL;
    }
    return source;
}

static wtap_open_return_val open_trace(struct wtap *wth, bool recover, int *err, char **err_info)
{
    uint8_t start[RECOGNISE_SIZE];
    size_t start_size = read_first(wth->fh, start, sizeof start);
    if (!recover && !may_be_trace(wth, start, start_size)) {
        return WTAP_OPEN_NOT_MINE;
    }
    struct etl_reader *reader = new_reader();
    *err = 0;
    struct etl_source *source = source_of(wth, reader, start, start_size, recover, err, err_info);
    wtap_open_return_val result = WTAP_OPEN_ERROR;
    if (source != NULL) {
        result = open_source(wth, reader, source, recover, err, err_info);
    }
    if (result != WTAP_OPEN_MINE) {
        free_reader(reader);
        return result;
    }
    wth->priv = reader;
    wth->file_type_subtype = etl_file_type_subtype;
    wth->file_encap = WTAP_ENCAP_ETW;
    wth->file_tsprec = WTAP_TSPREC_NSEC;
    wth->snapshot_length = 0;
    etl_set_functions(wth);
    return WTAP_OPEN_MINE;
}

static wtap_open_return_val open_events(struct wtap *wth, bool recover, int *err, char **err_info)
{
    wtap_open_return_val result = open_trace(wth, recover, err, err_info);
    if (result == WTAP_OPEN_MINE) {
        const struct etl_reader *reader = wth->priv;
        etl_describe_section(wth, etl_file_info(reader->file), true);
    }
    return result;
}

/*
 * The file that the first routine has just declined. Wireshark tries all routines of the same kind
 * one after the other, unless somebody named the one: then the first was not asked before.
 */
static struct wtap *declined;

wtap_open_return_val etl_open(struct wtap *wth, int *err, char **err_info)
{
    wtap_open_return_val result = open_events(wth, false, err, err_info);
    declined = result == WTAP_OPEN_NOT_MINE ? wth : NULL;
    return result;
}

wtap_open_return_val etl_open_recover(struct wtap *wth, int *err, char **err_info)
{
    if (declined == wth) {
        declined = NULL;
        return WTAP_OPEN_NOT_MINE;
    }
    return open_events(wth, true, err, err_info);
}

wtap_open_return_val etl_open_packets(struct wtap *wth, int *err, char **err_info)
{
    wtap_open_return_val result = open_trace(wth, false, err, err_info);
    if (result == WTAP_OPEN_MINE) {
        struct etl_reader *reader = wth->priv;
        reader->packets = etl_packet_reader_new(wth);
        wth->file_encap = WTAP_ENCAP_PER_PACKET;
        /* Packets are given away: nothing is said of the machine, nor where the trace lay. */
        etl_describe_section(wth, etl_file_info(reader->file), false);
        etl_properties_free(reader->properties);
        reader->properties = NULL;
    }
    return result;
}
