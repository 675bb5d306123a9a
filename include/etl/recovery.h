/*
 * Traces inside of other files: a memory dump, what a disk has left, logs one behind the other with
 * something between them.
 *
 *     | … | buffer | buffer | … | first buffer | buffer | … | buffer | … | first buffer | …
 *     part 0: no logfile header   part 1                                   part 2
 *
 * Each first buffer begins a part, which is a trace of its own (file.h) with its own clock and
 * names: parts come one after the other, in the order of the file. Buffers are found wherever they
 * are; what is no buffer is passed over.
 */
#ifndef ETL_RECOVERY_H
#define ETL_RECOVERY_H

#include "etl/file.h"

struct etl_recovery;

/*
 * Searches `source` for its first buffer, wherever that is. On ETL_OK the recovery owns the source;
 * otherwise the caller still does. ETL_NOT_MINE: there is none. options->search is not looked at.
 */
enum etl_status etl_recovery_open(struct etl_source *source, const struct etl_file_options *options,
                                  struct etl_recovery **ret_recovery);

void etl_recovery_close(struct etl_recovery *recovery); /* NULL is fine; closes the source */

/* The trace that the last call gave an event of, at first the first one. Borrowed. */
struct etl_file *etl_recovery_file(struct etl_recovery *recovery);

/* As the functions of a file; positions and numbers of buffers are those of the whole. */
enum etl_status etl_recovery_index(struct etl_recovery *recovery,
                                   void (*progress)(void *, uint64_t), void *progress_data);
enum etl_status etl_recovery_next(struct etl_recovery *recovery, struct etl_entry *ret_entry);
enum etl_status etl_recovery_at(struct etl_recovery *recovery, uint64_t position,
                                struct etl_entry *ret_entry);
void etl_recovery_random_access(struct etl_recovery *recovery);

#endif
