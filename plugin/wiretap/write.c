/*
 * Saves records as an .etl: File > Save As, tshark and editcap -F etl, and reordercap, which writes what it reads.
 */
#include "wiretap/reader.h"

#include "etl/writer.h"

#include <errno.h>

/* Hangs on the dumper, which frees it with g_free. */
struct dump {
    struct etl_writer *writer; /* owned */
    struct wtap_dumper *wdh;
    int64_t size; /* bytes appended so far */
    int error;    /* of the last output call */
};

static bool append(void *data, const uint8_t *bytes, size_t size)
{
    struct dump *dump = data;
    if (!wtap_dump_file_write(dump->wdh, bytes, size, &dump->error)) {
        return false;
    }
    dump->size += (int64_t)size;
    dump->wdh->bytes_dumped = dump->size;
    return true;
}

static bool replace(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct dump *dump = data;
    return wtap_dump_file_seek(dump->wdh, (int64_t)offset, SEEK_SET, &dump->error) >= 0 &&
           wtap_dump_file_write(dump->wdh, bytes, size, &dump->error) &&
           wtap_dump_file_seek(dump->wdh, dump->size, SEEK_SET, &dump->error) >= 0;
}

static bool set_write_error(const struct dump *dump, enum etl_written written, int *err,
                            char **err_info)
{
    *err_info = NULL;
    switch (written) {
    case ETL_WRITTEN:
        return true;
    case ETL_WRITE_NOT_OURS:
        *err = WTAP_ERR_UNWRITABLE_REC_DATA;
        *err_info = g_strdup("etl: only events that were read from an .etl can be saved as one");
        break;
    case ETL_WRITE_OTHER_TRACE:
        *err = WTAP_ERR_UNWRITABLE_REC_DATA;
        *err_info = g_strdup(
            "etl: events of two traces do not go into one .etl, which has one clock; save them as pcapng");
        break;
    case ETL_WRITE_NO_MEMORY:
        *err = ENOMEM;
        break;
    case ETL_WRITE_FAILED:
        *err = dump->error;
        break;
    }
    return false;
}

static bool write_frame(struct wtap_dumper *wdh, const wtap_rec *rec, const uint8_t *data, int *err,
                        char **err_info)
{
    struct dump *dump = wdh->priv;
    struct etl_record record;
    if (rec->rec_type != REC_TYPE_PACKET) {
        *err = WTAP_ERR_UNWRITABLE_REC_TYPE;
        return false;
    }
    if (!etl_record_unpack(data, rec->rec_header.packet_header.caplen, &record)) {
        return set_write_error(dump, ETL_WRITE_NOT_OURS, err, err_info);
    }
    return set_write_error(dump, etl_writer_add(dump->writer, &record), err, err_info);
}

/* Interfaces are CPUs, which events know themselves. */
static wtap_bool add_interface(struct wtap_dumper *wdh, wtap_block_t interface, int *err,
                               char **err_info)
{
    (void)wdh, (void)interface, (void)err, (void)err_info;
    return TRUE;
}

static wtap_bool finish(struct wtap_dumper *wdh, int *err, char **err_info)
{
    struct dump *dump = wdh->priv;
    enum etl_written written = etl_writer_finish(dump->writer);
    etl_writer_free(dump->writer);
    dump->writer = NULL;
    return set_write_error(dump, written, err, err_info);
}

/* What the section of the file that is being saved says of the system and the session. */
static void read_section(const struct wtap_dumper *wdh, struct etl_writer_facts *facts)
{
    char *text = NULL;
    wtap_block_t section = wdh->shb_hdrs != NULL && wdh->shb_hdrs->len > 0
                               ? g_array_index(wdh->shb_hdrs, wtap_block_t, 0)
                               : NULL;
    unsigned major;
    unsigned minor;
    unsigned build;
    if (section == NULL) {
        return;
    }
    if (wtap_block_get_string_option_value(section, OPT_SHB_OS, &text) == WTAP_OPTTYPE_SUCCESS &&
        sscanf(text, "Windows %3u.%3u.%9u", &major, &minor, &build) == 3) {
        facts->version_major = (uint8_t)major;
        facts->version_minor = (uint8_t)minor;
        facts->build = build;
    }
    if (wtap_block_get_string_option_value(section, OPT_SHB_USERAPPL, &text) ==
        WTAP_OPTTYPE_SUCCESS) {
        facts->logger_name = text;
    }
}

static void set_dump_functions(struct wtap_dumper *wdh);

static bool open_dump(struct wtap_dumper *wdh, int *err, char **err_info)
{
    (void)err_info;
    struct dump *dump = g_new0(struct dump, 1);
    struct etl_writer_facts facts = {.version_major = 10};
    struct etl_writer_output output = {.append = append, .replace = replace, .data = dump};
    read_section(wdh, &facts);
    dump->wdh = wdh;
    dump->writer = etl_writer_new(&output, &facts);
    if (dump->writer == NULL) {
        g_free(dump);
        *err = ENOMEM;
        return false;
    }
    wdh->priv = dump;
    set_dump_functions(wdh);
    return true;
}

static int can_write_encap(int encap)
{
    if (encap == WTAP_ENCAP_PER_PACKET) {
        return WTAP_ERR_ENCAP_PER_PACKET_UNSUPPORTED;
    }
    return encap == WTAP_ENCAP_ETW ? 0 : WTAP_ERR_UNWRITABLE_ENCAP;
}

ETL_WRITE_FUNCTIONS(open_dump, write_frame)

static void set_dump_functions(struct wtap_dumper *wdh)
{
    wdh->subtype_add_idb = add_interface;
    wdh->subtype_write = etl_dump_write;
    wdh->subtype_finish = finish;
    wdh->needs_reload = TRUE; /* what the file says of itself has changed */
}

void etl_set_writing(struct file_type_subtype_info *file_type)
{
    file_type->writing_must_seek = TRUE;
    file_type->can_write_encap = can_write_encap;
    file_type->dump_open = etl_dump_open;
}
