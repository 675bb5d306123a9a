/*
 * Reading the frames of a file from the epan adapter, in Wireshark 4.6. Included by name of
 * ETL_COMPAT_FRAMES.
 */
#ifndef ETL_COMPAT_FRAMES_H
#define ETL_COMPAT_FRAMES_H

#include <wiretap/wtap.h>
#include <wsutil/buffer.h>

/* The frames of a file, one after the other. */
struct etl_frames {
    wtap_rec rec;
};

static inline void etl_frames_start(struct etl_frames *frames)
{
    wtap_rec_init(&frames->rec, 4096);
}

static inline bool etl_frames_next(struct wtap *wth, struct etl_frames *frames)
{
    int err = 0;
    char *err_info = NULL;
    int64_t offset;
    bool read = wtap_read(wth, &frames->rec, &err, &err_info, &offset);
    g_free(err_info);
    return read;
}

static inline const uint8_t *etl_frames_bytes(const struct etl_frames *frames)
{
    return ws_buffer_start_ptr(&frames->rec.data);
}

static inline void etl_frames_end(struct etl_frames *frames)
{
    wtap_rec_cleanup(&frames->rec);
}

#endif
