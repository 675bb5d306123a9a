/*
 * What the files of the wiretap adapter share: what hangs on a wtap, and who makes it.
 */
#ifndef ETL_WIRETAP_READER_H
#define ETL_WIRETAP_READER_H

#define ETL_COMPAT_WIRETAP
#include "compat/compat.h"

#include "etl/packet.h"
#include "etl/record.h"
#include "etl/recovery.h"
#include "etl/traffic.h"

struct etl_ahead;
struct etl_packet_reader;
struct etl_properties;
struct etl_parts;

/* Made with g_malloc: Wireshark frees it with g_free. */
struct etl_reader {
    struct etl_file *file;         /* owned, or the recovery's that the last event is of */
    struct etl_recovery *recovery; /* owned; NULL: the file is a trace */
    struct etl_source *source;     /* of the file or the recovery */
    int spool;    /* the file's descriptor where input is spooled; -1: it is the file itself */
    bool spooled; /* all of it */
    bool index_tried;
    struct etl_limits limits; /* by the environment, into which preferences go */
    struct etl_record_options record_options;
    struct etl_ahead *ahead;           /* owned; the next events of a sequential read */
    enum etl_status ahead_status;      /* what came behind them */
    struct etl_packet_reader *packets; /* owned; NULL: all events */
    struct etl_properties *properties; /* owned; NULL once they are told */
    int *interface_of_cpu;             /* owned; -1: no interface description yet */
    wtap_block_t no_options;           /* owned; NULL: not made yet */
};

extern int etl_file_type_subtype;

/* open.c */
wtap_open_return_val etl_open(struct wtap *wth, int *err, char **err_info);
/* The same file, only its packets: for who asks for it by name, as the first one takes the file. */
wtap_open_return_val etl_open_packets(struct wtap *wth, int *err, char **err_info);

/* Any file, only for who asks for it by name: buffers wherever they are. */
wtap_open_return_val etl_open_recover(struct wtap *wth, int *err, char **err_info);
void etl_reader_close(struct etl_reader *reader); /* all that it owns, not itself */

/* read.c: makes the wtap's functions those of this reader. */
void etl_set_functions(struct wtap *wth);

/* spool.c: the first `size` bytes read so far, and the rest, go to an unlinked temporary file. */
bool etl_spool_start(struct etl_reader *reader, struct wtap *wth, const uint8_t *first, size_t size,
                     int *err, char **err_info);
bool etl_spool_rest(struct etl_reader *reader, struct wtap *wth, int *err, char **err_info);

/* An event as a frame, before it is Wireshark's. */
struct etl_frame {
    const uint8_t *record; /* borrowed */
    size_t size;
    int64_t position;
    int64_t seconds; /* since 1970; 0 where there is no time */
    uint32_t nanoseconds;
    bool has_time;
    uint16_t cpu;
};

/* ahead.c: frames that were made before they were asked for. */
struct etl_ahead *etl_ahead_new(void); /* to be freed with g_free */
void etl_ahead_clear(struct etl_ahead *ahead);
/* Where the next record goes, ETL_RECORD_SIZE_MAX bytes; NULL: there are enough. */
uint8_t *etl_ahead_room(struct etl_ahead *ahead);
/* The frame whose record was put there. */
void etl_ahead_add(struct etl_ahead *ahead, const struct etl_frame *frame);
/* The next one, until etl_ahead_clear; NULL: none is left. */
const struct etl_frame *etl_ahead_take(struct etl_ahead *ahead);

/* write.c: lets Wireshark save records as .etl. */
void etl_set_writing(struct file_type_subtype_info *file_type);

/* packets.c: the packets of a file, each once. */
struct etl_packet_reader *etl_packet_reader_new(struct wtap *wth);
void etl_packet_reader_free(struct etl_packet_reader *packets); /* NULL is fine */
/*
 * Whether the event is, or completes, a packet that was not there before. To be asked in the order of
 * the file, once of each. What *ret_packet borrows lives until the next call with the same reader.
 */
bool etl_packet_next(struct etl_reader *reader, const struct etl_entry *entry,
                     struct etl_packet *ret_packet);
/* The packet that was at a position. */
enum etl_status etl_packet_at(struct etl_reader *reader, uint64_t position,
                              struct etl_entry *ret_entry, struct etl_packet *ret_packet);
void etl_set_packet_record(struct wtap *wth, struct etl_reader *reader,
                           const struct etl_entry *entry, const struct etl_packet *packet,
                           wtap_rec *rec, Buffer *buffer);

/* properties.c: to see every event once, in the order of the file, and to finish after the last. */
struct etl_properties *etl_properties_new(bool names);
void etl_properties_free(struct etl_properties *properties); /* NULL is fine */
void etl_properties_see(struct etl_properties *properties, const struct etl_entry *entry);
void etl_properties_finish(struct wtap *wth, const struct etl_properties *properties,
                           const struct etl_keys *keys);

/* parts.c: packets in several events. */
struct etl_parts *etl_parts_new(void);
void etl_parts_free(struct etl_parts *parts);
/* Takes a part; true when it is the last one of a packet, which *packet then is. */
bool etl_parts_add(struct etl_parts *parts, const struct etl_entry *entry,
                   struct etl_packet *packet);
/* The packet whose last part is at `position`; ETL_END if that is none. */
enum etl_status etl_parts_again(struct etl_parts *parts, struct etl_file *file, uint64_t position,
                                struct etl_entry *entry, struct etl_packet *ret_packet);

/* blocks.c */
/*
 * A reference to a block without options, for the next frame of a sequential read. Frames share it: each used to
 * cost two allocations for nothing. For frames that are kept and edited make one of their own.
 */
wtap_block_t etl_block_of_next(struct etl_reader *reader);
int etl_add_interface(struct wtap *wth, int encapsulation, const char *name);
/* With or without what the session and its file are called. */
void etl_describe_section(struct wtap *wth, const struct etl_file_info *info, bool names);
/* What only the pass over the whole file can count, as another comment of the section. */
void etl_describe_losses(struct wtap *wth, const struct etl_file_info *info);
/* The number of the CPU's interface description, made at its first event. */
int etl_interface_of_cpu(struct wtap *wth, struct etl_reader *reader, unsigned cpu);

#endif
