/*
 * Writes records as a trace file: a subset, a merge in another order, a repaired copy.
 *
 * Events keep their bytes, time stamps and CPUs. What a file has once is made anew: buffers of 64 KiB, one run of
 * them per CPU in the order in which they fill; and the logfile header, which is the trace's own when it is the
 * first record, with the values changed that speak of the old file, and is otherwise made of what every record
 * knows of its trace. Knows neither Wireshark nor where the bytes go.
 */
#ifndef ETL_WRITER_H
#define ETL_WRITER_H

#include "etl/record.h"

enum etl_written {
    ETL_WRITTEN,
    ETL_WRITE_FAILED,      /* the output's functions returned false */
    ETL_WRITE_NOT_OURS,    /* the record has no trailer of ours: its event's bytes are not known */
    ETL_WRITE_OTHER_TRACE, /* of a trace with another clock: one file has one */
    ETL_WRITE_NO_MEMORY,
};

struct etl_writer_output {
    /* Appends. */
    bool (*append)(void *data, const uint8_t *bytes, size_t size);
    /* Writes over what has been appended at `offset`, and goes back to the end. */
    bool (*replace)(void *data, uint64_t offset, const uint8_t *bytes, size_t size);
    void *data;
};

/* What a made header says; all optional. */
struct etl_writer_facts {
    const char *logger_name; /* UTF-8, borrowed during the call that uses it; NULL: "ETL" */
    uint8_t version_major;
    uint8_t version_minor;
    uint32_t build;
};

struct etl_writer;

/* NULL when out of memory. */
struct etl_writer *etl_writer_new(const struct etl_writer_output *output,
                                  const struct etl_writer_facts *facts);

enum etl_written etl_writer_add(struct etl_writer *writer, const struct etl_record *record);

/* Writes what is still in memory and completes the logfile header. */
enum etl_written etl_writer_finish(struct etl_writer *writer);

void etl_writer_free(struct etl_writer *writer); /* NULL is fine */

#endif
