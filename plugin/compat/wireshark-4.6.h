/*
 * What is different in Wireshark 4.6. Included through compat.h and nowhere else.
 *
 * Records carry their bytes themselves, and struct wtap is installed.
 */
#ifdef ETL_COMPAT_WIRETAP
#include <wsutil/array.h>

#include <wiretap/file_wrappers.h>
#include <wiretap/wtap.h>
#include <wiretap/wtap_module.h>
#include <wiretap/wtap_opttypes.h>
#include <wsutil/buffer.h>

typedef bool wtap_bool;

#define ETL_READ_FUNCTIONS(read_frame, seek_frame)                                         \
    static bool etl_read(struct wtap *wth, wtap_rec *rec, int *err, char **err_info,       \
                         int64_t *data_offset)                                             \
    {                                                                                      \
        return read_frame(wth, rec, &rec->data, err, err_info, data_offset);               \
    }                                                                                      \
    static bool etl_seek_read(struct wtap *wth, int64_t position, wtap_rec *rec, int *err, \
                              char **err_info)                                             \
    {                                                                                      \
        return seek_frame(wth, position, rec, &rec->data, err, err_info);                  \
    }

#define ETL_WRITE_FUNCTIONS(open_dump, write_frame)                                              \
    static bool etl_dump_open(wtap_dumper *wdh, int *err, char **err_info)                       \
    {                                                                                            \
        return open_dump(wdh, err, err_info);                                                    \
    }                                                                                            \
    static bool etl_dump_write(wtap_dumper *wdh, const wtap_rec *rec, int *err, char **err_info) \
    {                                                                                            \
        return write_frame(wdh, rec, ws_buffer_start_ptr(&rec->data), err, err_info);            \
    }

static inline void etl_start_record(wtap_rec *rec, int encap, wtap_block_t block)
{
    wtap_setup_packet_rec(rec, encap);
    rec->block = block;
}

/* What dropped the packet; hardware's verdicts are bytes of its own. */
static inline void etl_add_verdict_option(wtap_block_t block, const uint8_t *bytes, size_t size)
{
    packet_verdict_opt_t verdict = {.type = packet_verdict_hardware};
    verdict.data.verdict_bytes = g_byte_array_new();
    g_byte_array_append(verdict.data.verdict_bytes, bytes, (unsigned)size);
    wtap_block_add_packet_verdict_option(block, OPT_PKT_VERDICT, &verdict);
    g_byte_array_free(verdict.data.verdict_bytes, TRUE);
}

/* 64 bits: the process in the upper half; the thread, which nobody knows, in the lower. */
static inline void etl_add_process_option(wtap_block_t block, uint32_t process_id)
{
    wtap_block_add_uint64_option(block, OPT_PKT_PROCIDTHRDID, (uint64_t)process_id << 32);
}
#endif

/* For the epan adapter: the variable behind a yes-or-no preference, and what menus are told, and calls of the dissector that
 * a table has for a key. */
typedef bool etl_preference_bool;

#define etl_try_uint(table, key, tvb, pinfo, tree, data) \
    dissector_try_uint_with_data(table, key, tvb, pinfo, tree, TRUE, data)
#define etl_try_string(table, key, tvb, pinfo, tree, data) \
    dissector_try_string_with_data(table, key, tvb, pinfo, tree, TRUE, data)
#define etl_try_guid(table, key, tvb, pinfo, tree, data) \
    dissector_try_guid_with_data(table, key, tvb, pinfo, tree, TRUE, data)

#define etl_value_string_ext_new(strings, count, name) \
    value_string_ext_new(NULL, strings, count, name)

#include "compat/menus-from-4.2.h"

/* Between the parts of a menu's path. */
#define ETL_MENU_SEPARATOR "//"

/* What reads the frames of a file. */
#define ETL_COMPAT_FRAMES "compat/frames-4.6.h"
