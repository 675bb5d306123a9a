/*
 * A sink that writes fields as text for the scripts beside it: "\tlabel=value" each, structs
 * "\tlabel{" … "\t}". Labels and texts are in hexadecimal (UTF-8), bytes too; numbers are decimal.
 */
#ifndef ETL_TESTS_VALUE_DUMP_H
#define ETL_TESTS_VALUE_DUMP_H

#include "etl/file.h"
#include "etl/sink.h"

struct dump_sink {
    struct etl_sink sink;
    unsigned notes;
    size_t length;
    char text[1 << 20];
};

void dump_sink_start(struct dump_sink *self);

/* Bytes in hexadecimal, to the text. */
void dump_hex(struct dump_sink *self, const void *bytes, size_t size);

/* NULL, after a sentence, if it cannot be read. */
struct etl_file *dump_open(const char *path);

#endif
