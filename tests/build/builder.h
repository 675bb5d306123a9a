/*
 * What the parts of the builder share: the state of one build, statements with their words and
 * keys, and numbers, times and names as they are written.
 *
 *   script.c  lines -> statements          values*.c  words that put bytes
 *   builder.c statement -> words, errors   events.c   header + items + payload -> event
 *   expression.c  text -> numbers          buffers.c  events -> buffers -> file
 *   control.c repeat, define, let ...      logfile.c  the first buffer
 *
 * The first error is kept and everything after it does nothing, so callers need not look.
 */
#ifndef ETLBUILD_BUILDER_H
#define ETLBUILD_BUILDER_H

#include "blob.h"
#include "script.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUILDER_ERROR_SIZE = 512,
    BUILDER_CPUS = 2048,         /* the CPU index of a buffer has 11 bits */
    BUFFER_HEADER_SIZE = 0x48,   /* WMI_BUFFER_HEADER */
    BUILDER_DEPTH = 64,          /* of macros in macros */
    BUILDER_STATEMENTS = 500000, /* run in one build; more is a runaway repeat */
    BUILDER_MOST_FILL = 1 << 26, /* bytes put by one `zero` */
};

/* A number that has a name where it is written, for example a flag. Lists end with a NULL name. */
struct number_name {
    const char *name;
    uint64_t value;
};

struct variable {
    const char *name;
    const char *value;
    struct variable *next;
};

/* One call of a macro, one turn of a repeat, or (outermost) the text itself. */
struct scope {
    struct variable *variables;
    const struct script_node *body; /* what stands under the call of a macro */
    struct scope *outer;
};

struct macro {
    const char *name;
    const struct script_node *node;
    struct macro *next;
};

enum trace_writer { WRITER_KERNEL, WRITER_USER, WRITER_MERGE };

/* What `log` says; everything that comes after depends on it. */
struct trace_log {
    bool given;
    enum trace_writer writer;
    unsigned major, minor, build;
    unsigned pointer_size;
    unsigned compression; /* enum etl_compression; 0 is none */
    uint64_t buffer_size;
    uint64_t clock, frequency, mhz;
    uint64_t start; /* FILETIME */
    uint64_t first; /* raw clock at start */
    uint64_t logger_id;
    bool end_given, count_given;
    size_t end_at, count_at; /* where EndTime and BuffersWritten stand in the first buffer */
};

/* A buffer that events go into: its header is written when it is flushed. */
struct trace_buffer {
    struct blob data;
    uint64_t cpu;
    uint64_t sequence;
    bool open;
    bool bounded; /* whether it is an error to go over the log's buffer_size */
};

/* The event being written: extended items and payload, put together at its end. */
struct trace_event {
    struct blob items;
    struct blob payload;
    size_t last_item;   /* where the last item starts in items */
    bool linkage_given; /* whether the text says what its linkage is */
};

struct patch {
    uint64_t at;
    struct blob bytes;
    struct patch *next;
};

struct builder {
    struct arena arena;
    char *error;
    size_t error_size;
    bool failed;

    struct scope *scope;
    struct macro *macros;
    unsigned depth;
    unsigned long statements;
    uint64_t random;

    int64_t now;    /* nanoseconds since the trace's start */
    int64_t latest; /* largest of them used by an event */
    uint64_t cpu, pid, tid;

    struct trace_log log;
    struct trace_buffer header;   /* buffer 0 */
    struct trace_buffer *buffer;  /* the one being described; NULL: per CPU, filled in turn */
    struct trace_buffer *per_cpu; /* BUILDER_CPUS of them, owned */
    uint64_t sequence, buffers;
    struct blob file; /* what follows buffer 0 */

    struct trace_event *event;
    struct blob *bytes; /* where values go; NULL where there are none */
    unsigned pointer_size;
    uint64_t transport;                  /* IP protocol of the packet put last */
    unsigned fields;                     /* of the schema or struct being described */
    struct event_description *described; /* the event_info or map_info being put */

    struct patch *patches;
    int64_t cut; /* final size; -1: as it is */
    int mangle_from, mangle_to;
};

/* One statement about to run: its words, with variables replaced and quotes still on. */
struct statement {
    const struct script_node *node;
    size_t count;
    char **words;
    bool *used;
};

__attribute__((format(printf, 3, 4))) void
builder_fail(struct builder *builder, const struct script_node *node, const char *format, ...);

/* builder.c: words */
struct statement builder_statement(struct builder *builder, const struct script_node *node);
const char *builder_word(struct builder *builder, struct statement *statement, size_t index);
char *builder_text(struct builder *builder, struct statement *statement, size_t index);
const char *builder_key(struct statement *statement, const char *key);
char *builder_key_text(struct builder *builder, struct statement *statement, const char *key);
uint64_t builder_key_number(struct builder *builder, struct statement *statement, const char *key,
                            const struct number_name *names, uint64_t otherwise);
void builder_all_used(struct builder *builder, const struct statement *statement);
void builder_holds_nothing(struct builder *builder, const struct statement *statement);
char *builder_unquote(struct builder *builder, const char *word);
const char *builder_variable(const struct builder *builder, const char *name, size_t size);
void builder_set_variable(struct builder *builder, struct scope *scope, const char *name,
                          const char *value);

/* A word that puts bytes, and so must stand in an event. */
struct builder_put {
    const char *word;
    void (*put)(struct builder *builder, struct statement *statement);
};

/* Runs the one of `words` that the statement begins with; false when it is none of them. */
bool builder_put_word(struct builder *builder, struct statement *statement,
                      const struct builder_put *words, size_t count);

/* expression.c: numbers. `problem` is set, and 0 returned, when text is not one. */
uint64_t expression_value(struct builder *builder, const char *text,
                          const struct number_name *names, const char **problem);
uint64_t builder_number(struct builder *builder, const struct statement *statement,
                        const char *text, const struct number_name *names);
/* Whether value, signed or not, fits into width bytes. */
bool number_fits(uint64_t value, size_t width);

/* times.c: dates, and the trace's clock */
uint64_t builder_filetime(struct builder *builder, const struct statement *statement,
                          const char *text);
int64_t builder_duration(struct builder *builder, const struct statement *statement,
                         const char *text);
void builder_systemtime(uint64_t filetime, uint16_t fields[8]);
uint64_t clock_raw(const struct trace_log *log, int64_t nanoseconds);
uint64_t clock_filetime(const struct trace_log *log, int64_t nanoseconds);
void builder_take_time(struct builder *builder, struct statement *statement);

/* literals.c: bytes with a notation of their own */
void builder_put_guid(struct builder *builder, const struct statement *statement, const char *text,
                      struct blob *blob);
void builder_put_sid(struct builder *builder, const struct statement *statement, const char *text,
                     struct blob *blob);
void builder_put_ipv4(struct builder *builder, const struct statement *statement, const char *text,
                      struct blob *blob);
void builder_put_ipv6(struct builder *builder, const struct statement *statement, const char *text,
                      struct blob *blob);
void builder_put_mac(struct builder *builder, const struct statement *statement, const char *text,
                     struct blob *blob);
void builder_put_hex(struct builder *builder, const struct statement *statement, const char *text,
                     struct blob *blob);
/* UTF-8 to UTF-16; returns the number of code units. */
size_t blob_put_utf16(struct blob *blob, const char *text);

/* control.c: runs statements */
void builder_run(struct builder *builder, const struct script_node *first);
/* Runs what a statement holds with values going into `bytes`. */
void builder_run_into(struct builder *builder, const struct script_node *first, struct blob *bytes);
bool run_control(struct builder *builder, struct statement *statement);

/* Each of these runs the statement, or returns false when its first word isn't theirs. */
bool run_log(struct builder *builder, struct statement *statement);
bool run_buffers(struct builder *builder, struct statement *statement);
bool run_event(struct builder *builder, struct statement *statement);
bool run_value(struct builder *builder, struct statement *statement);
bool run_packet(struct builder *builder, struct statement *statement);
bool run_schema(struct builder *builder, struct statement *statement);
bool run_file(struct builder *builder, struct statement *statement);

/* buffers.c */
void buffers_add(struct builder *builder, const struct script_node *node, const struct blob *event);
void buffers_flush_all(struct builder *builder);
void buffers_write_header(struct builder *builder, struct trace_buffer *buffer,
                          struct statement *statement, uint64_t flags, uint64_t type);
void buffers_free(struct builder *builder);

/* logfile.c: writes what is only known at the end into the first buffer, and puts it first */
void logfile_finish(struct builder *builder);

extern const struct number_name logfile_modes[], buffer_flags[], buffer_types[], event_flags[],
    event_properties[], message_flags[], wnode_flags[], item_types[], trace_event_levels[];

#endif
