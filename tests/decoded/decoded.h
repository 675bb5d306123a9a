/*
 * What the parts of the tool share: one row per class, event, version and pointer size, with what
 * was odd about the values of its fields.
 */
#ifndef ETL_TESTS_DECODED_H
#define ETL_TESTS_DECODED_H

#include "etl/file.h"

/* What can be odd about a value that decodes. */
enum oddity {
    ODD_TIME,     /* outside the trace */
    ODD_TEXT,     /* unprintable, not well-formed, or something after its NUL in a fixed room */
    ODD_PROCESS,  /* a process that the trace knows nothing of */
    ODD_THREAD,   /* the same for threads */
    ODD_NAME,     /* a value or bit without a name in a list */
    ODD_BOOLEAN,  /* neither 0 nor 1 */
    ODD_RESERVED, /* a reserved field or padding that is not zero */
    ODD_COUNT
};

/* Oddities of one kind in one field. */
struct odd {
    const struct etl_field *field;
    enum oddity what;
    uint64_t count;
    char example[160];
};

#define ODDS_MAX     24
#define EXAMPLE_SIZE 400

struct row {
    char name[96];
    uint8_t version;
    uint8_t pointer_size;
    bool known; /* has a layout */
    uint64_t events;
    uint64_t decoded;
    uint64_t surplus;   /* events with bytes after the last row */
    uint64_t truncated; /* events that end inside a field */
    uint64_t swallowed; /* events whose last field takes whatever is left */
    uint64_t unterminated;
    size_t odd_count;
    struct odd odds[ODDS_MAX];
    char example[EXAMPLE_SIZE]; /* the first event, field by field */
    char info[EXAMPLE_SIZE];    /* the same by its template */
};

/* What plausibility is measured by. */
struct setting {
    const struct etl_file_info *info;
    const struct etl_keys *keys;
    int64_t raw_time;
    int64_t filetime;     /* of the event */
    bool processes_known; /* the trace lists its processes, so unknown ones are odd */
    bool threads_known;
};

/* Looks at one value, and counts in the row what is odd about it. */
void judge(struct row *row, const struct setting *setting, const struct etl_field *field,
           const struct etl_value *value);

const char *oddity_name(enum oddity what);

/* NULL: nobody has explained it. */
const char *explain_oddity(const struct row *row, const struct odd *odd);

/* The same for a row whose events are not all decoded. */
const char *explain_undecoded(const struct row *row);

#endif
