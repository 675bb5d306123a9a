/*
 * The wiretap reader's interface of Wireshark 4.0 to 4.4, which differ in a few members and in
 * bool.
 *
 * struct wtap is not installed by these versions: its members are declared here as facts, and
 * checked against the library's own getters when the module is loaded (plugin/wiretap/plugin.c).
 */
#ifndef ETL_COMPAT_WIRETAP_BEFORE_4_6_H
#define ETL_COMPAT_WIRETAP_BEFORE_4_6_H

#include <wiretap/wtap.h>
#include <wiretap/wtap_opttypes.h>
#include <wsutil/buffer.h>

typedef __typeof__(wtap_dump_can_open(0)) wtap_bool;

typedef wtap_bool (*etl_subtype_read)(struct wtap *, wtap_rec *, Buffer *, int *, char **,
                                      gint64 *);
typedef wtap_bool (*etl_subtype_seek_read)(struct wtap *, gint64, wtap_rec *, Buffer *, int *,
                                           char **);

struct wtap {
    FILE_T fh;
    FILE_T random_fh;
    int ispipe; /* one byte and padding where it is a bool */
    int file_type_subtype;
    unsigned snapshot_length;
    GArray *shb_hdrs;
#ifdef ETL_WTAP_HAS_SHB_IFACE_TO_GLOBAL
    GArray *shb_iface_to_global;
#endif
    GArray *interface_data;
    unsigned next_interface_data;
    GArray *nrb_hdrs;
    GArray *dsbs;
#ifdef ETL_WTAP_HAS_META_EVENTS
    GArray *meta_events;
#endif
    char *pathname;
    void *priv;
    void *wslua_data;
    etl_subtype_read subtype_read;
    etl_subtype_seek_read subtype_seek_read;
    void (*subtype_sequential_close)(struct wtap *);
    void (*subtype_close)(struct wtap *);
    int file_encap;
    int file_tsprec;
    uint8_t rest[256]; /* what the module does not use */
};

WS_DLL_PUBLIC gint64 file_seek(FILE_T stream, gint64 offset, int whence, int *err);
WS_DLL_PUBLIC int file_read(void *buf, unsigned int count, FILE_T file);
WS_DLL_PUBLIC int file_error(FILE_T fh, gchar **err_info);
WS_DLL_PUBLIC wtap_bool file_iscompressed(FILE_T stream);

#define ETL_READ_FUNCTIONS(read_frame, seek_frame)                                       \
    static wtap_bool etl_read(struct wtap *wth, wtap_rec *rec, Buffer *buffer, int *err, \
                              char **err_info, gint64 *data_offset)                      \
    {                                                                                    \
        int64_t position = 0;                                                            \
        bool good = read_frame(wth, rec, buffer, err, err_info, &position);              \
        *data_offset = position;                                                         \
        return good;                                                                     \
    }                                                                                    \
    static wtap_bool etl_seek_read(struct wtap *wth, gint64 position, wtap_rec *rec,     \
                                   Buffer *buffer, int *err, char **err_info)            \
    {                                                                                    \
        return seek_frame(wth, position, rec, buffer, err, err_info);                    \
    }

/* What the module uses of struct wtap_dumper, which is not installed either: the same in 4.0 to 4.6. */
struct wtap_dumper {
    void *fh;
    int file_type_subtype;
    int snaplen;
    int encap;
    int compression_type;
    wtap_bool needs_reload;
    int64_t bytes_dumped;
    void *priv;
    void *wslua_data;
    wtap_bool (*subtype_add_idb)(struct wtap_dumper *, wtap_block_t, int *, char **);
    wtap_bool (*subtype_write)(struct wtap_dumper *, const wtap_rec *, const uint8_t *, int *,
                               char **);
    wtap_bool (*subtype_finish)(struct wtap_dumper *, int *, char **);
    void *addrinfo_lists;
    GArray *shb_hdrs;
};

WS_DLL_PUBLIC wtap_bool wtap_dump_file_write(wtap_dumper *wdh, const void *buf, size_t bufsize,
                                             int *err);
WS_DLL_PUBLIC gint64 wtap_dump_file_seek(wtap_dumper *wdh, gint64 offset, int whence, int *err);

#define ETL_WRITE_FUNCTIONS(open_dump, write_frame)                                             \
    static ETL_DUMP_OPEN_RESULT etl_dump_open(wtap_dumper *wdh, int *err, char **err_info)      \
    {                                                                                           \
        return open_dump(wdh, err, err_info);                                                   \
    }                                                                                           \
    static wtap_bool etl_dump_write(wtap_dumper *wdh, const wtap_rec *rec, const uint8_t *data, \
                                    int *err, char **err_info)                                  \
    {                                                                                           \
        return write_frame(wdh, rec, data, err, err_info);                                      \
    }

static inline void etl_start_record(wtap_rec *rec, int encap, wtap_block_t block)
{
    rec->rec_type = REC_TYPE_PACKET;
    rec->block = block;
    rec->rec_header.packet_header.pkt_encap = encap;
}

/* The option for a process is from 4.6 on. */
static inline void etl_add_process_option(wtap_block_t block, uint32_t process_id)
{
    (void)block;
    (void)process_id;
}

#endif
