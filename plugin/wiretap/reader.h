/*
 * What the files of the wiretap adapter share: what hangs on a wtap, and who makes it.
 */
#ifndef ETL_WIRETAP_READER_H
#define ETL_WIRETAP_READER_H

#define ETL_COMPAT_WIRETAP
#include "compat/compat.h"

#include "etl/record.h"

/* Made with g_malloc: Wireshark frees it with g_free. */
struct etl_reader {
    struct etl_file *file;     /* owned */
    struct etl_source *source; /* the file's */
    int spool;    /* the file's descriptor where input is spooled; -1: it is the file itself */
    bool spooled; /* all of it */
    bool index_tried;
    uint64_t spool_limit; /* bytes */
    struct etl_record_options record_options;
    int *interface_of_cpu; /* owned; -1: no interface description yet */
};

extern int etl_file_type_subtype;

/* open.c */
wtap_open_return_val etl_open(struct wtap *wth, int *err, char **err_info);

/* read.c: makes the wtap's functions those of this reader. */
void etl_set_functions(struct wtap *wth);

/* spool.c: the first `size` bytes read so far, and the rest, go to an unlinked temporary file. */
bool etl_spool_start(struct etl_reader *reader, struct wtap *wth, const uint8_t *first, size_t size,
                     int *err, char **err_info);
bool etl_spool_rest(struct etl_reader *reader, struct wtap *wth, int *err, char **err_info);

/* write.c: lets Wireshark save records as .etl. */
void etl_set_writing(struct file_type_subtype_info *file_type);

/* blocks.c */
void etl_describe_section(struct wtap *wth, const struct etl_file_info *info);
/* The number of the CPU's interface description, made at its first event. */
int etl_interface_of_cpu(struct wtap *wth, struct etl_reader *reader, unsigned cpu);

#endif
