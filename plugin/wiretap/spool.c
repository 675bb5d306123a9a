/*
 * Compressed files and pipes go to a temporary file that has no name any more, and are read from
 * there: the merge reads in many places at once, which they cannot.
 */
#include "wiretap/reader.h"

#include <errno.h>
#include <unistd.h>

#define CHUNK_SIZE (1 << 20)

static bool write_all(struct etl_reader *reader, const uint8_t *bytes, size_t size, int *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = write(reader->spool, bytes + done, size - done);
        if (count < 0 && errno != EINTR) {
            *err = errno;
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

bool etl_spool_start(struct etl_reader *reader, struct wtap *wth, const uint8_t *first, size_t size,
                     int *err, char **err_info)
{
    (void)wth;
    char *name = NULL;
    GError *error = NULL;
    reader->spool = g_file_open_tmp("etl-XXXXXX", &name, &error);
    if (reader->spool < 0) {
        *err = WTAP_ERR_INTERNAL;
        *err_info = g_strdup(error->message);
        g_error_free(error);
        return false;
    }
    unlink(name);
    g_free(name);
    return write_all(reader, first, size, err);
}

bool etl_spool_rest(struct etl_reader *reader, struct wtap *wth, int *err, char **err_info)
{
    if (reader->spool < 0 || reader->spooled) {
        return true;
    }
    reader->spooled = true;
    uint64_t most = etl_limit_bytes(&reader->limits, ETL_LIMIT_SPOOL);
    uint8_t *chunk = g_malloc(CHUNK_SIZE);
    bool good = true;
    int count;
    while (good && (count = file_read(chunk, CHUNK_SIZE, wth->fh)) > 0) {
        reader->source->size += (uint64_t)count;
        if (reader->source->size > most) {
            *err = WTAP_ERR_UNSUPPORTED;
            *err_info = g_strdup_printf(
                "etl: more than %" PRIu64
                " MiB when expanded; the preference etl.spool_limit allows no more",
                most >> 20);
            good = false;
        } else {
            good = write_all(reader, chunk, (size_t)count, err);
        }
    }
    if (good && count < 0) {
        *err = file_error(wth->fh, err_info);
        good = false;
    }
    g_free(chunk);
    return good;
}
