/*
 * What is kept of a manifest while it is read: rows of each kind, in the order of the file, and their
 * texts. Private to manifest.c, which makes schemas of them, and manifest_read.c, which fills them.
 */
#ifndef ETL_CORE_MANIFEST_ROWS_H
#define ETL_CORE_MANIFEST_ROWS_H

#include "etl/manifest.h"

/* All manifests of Windows together have fewer rows of each kind. */
#define ETL_MANIFEST_EVENTS_MAX 65536
#define ETL_MANIFEST_ROWS_MAX   262144
#define ETL_MANIFEST_TEXTS_MAX  ((size_t)64 << 20)

/* instrumentationManifest to data in a struct is 8 deep. */
#define ETL_MANIFEST_DEPTH_MAX 32

enum etl_manifest_kind {
    ETL_MANIFEST_STRING, /* value: 0 in English, 1 in other languages */
    ETL_MANIFEST_TEMPLATE,
    ETL_MANIFEST_MAP,
    ETL_MANIFEST_TASK,
    ETL_MANIFEST_OPCODE,
    ETL_MANIFEST_KEYWORD,
    ETL_MANIFEST_LEVEL,
    ETL_MANIFEST_CHANNEL,
};

/* Something with a name, in a scope: a provider's number + 1; strings have 0. */
struct etl_manifest_name {
    const char *name;
    const char *message; /* "" where there is none */
    uint64_t value;      /* of templates and maps: their number */
    uint32_t task;       /* of opcodes inside a task: its order + 1 */
    uint32_t scope;
    uint32_t order;
    uint8_t kind;
};

struct etl_manifest_provider_row {
    struct etl_guid guid;
    const char *name;
};

/* A data or a struct of a template. */
struct etl_manifest_field {
    const char *name;
    const char *in_type;
    const char *out_type;
    const char *map;
    const char *length;
    const char *count;
    uint32_t parent; /* number in the template of the struct that it is in, + 1; 0: top level */
    uint32_t line;
    bool structure;
};

struct etl_manifest_template {
    uint32_t provider;
    uint32_t first;
    uint32_t count;
    /* What manifest.c made of it: the packed rows of fields and maps. */
    bool packed;
    uint16_t top;
    uint16_t maps;
    struct etl_span bytes; /* at NULL: it can't be */
};

struct etl_manifest_map {
    bool bits;
    uint32_t first;
    uint32_t count;
};

struct etl_manifest_entry {
    uint32_t value;
    const char *message;
};

struct etl_manifest_event {
    uint32_t provider;
    uint32_t line;
    uint16_t id;
    uint8_t version;
    const char *symbol;
    const char *template_id;
    const char *level;
    const char *task;
    const char *opcode;
    const char *keywords;
    const char *channel;
    const char *message;
};

/* Rows that grow; `size` is that of one. */
struct etl_manifest_array {
    void *rows; /* owned */
    size_t count;
    size_t room;
};

struct etl_manifest_block;
struct etl_manifest_reader;

struct etl_manifest {
    struct etl_manifest_array providers;
    struct etl_manifest_array names;
    struct etl_manifest_array templates;
    struct etl_manifest_array fields;
    struct etl_manifest_array maps;
    struct etl_manifest_array entries;
    struct etl_manifest_array events;
    struct etl_manifest_block *blocks; /* owned: texts and packed rows */
    size_t block_bytes;
    struct etl_manifest_reader *reader; /* owned; NULL after closing */
    bool whole;
    unsigned problem_line;
    size_t problem_count;
    char problem[200];
};

/* A new zeroed row of `size` bytes; NULL at a limit or without memory. */
void *etl_manifest_add_row(struct etl_manifest_array *array, size_t size, size_t limit);

/* Bytes that live as long as the manifest; NULL at the limit or without memory. */
void *etl_manifest_keep(struct etl_manifest *manifest, size_t size);

/* Counts, and remembers the first. */
__attribute__((format(printf, 3, 4))) void
etl_manifest_add_problem(struct etl_manifest *manifest, unsigned line, const char *format, ...);

/* "12", "0x1f", "-1"; false for anything else. */
bool etl_manifest_number(const char *text, uint64_t *ret_number);

/* The first row of that scope, kind, task and name; NULL when there is none. After closing. */
const struct etl_manifest_name *etl_manifest_look_up(const struct etl_manifest *manifest,
                                                     const struct etl_manifest_name *key);

/* The same in a provider, outside of tasks. */
const struct etl_manifest_name *etl_manifest_find(const struct etl_manifest *manifest,
                                                  uint32_t provider, enum etl_manifest_kind kind,
                                                  const char *name);

/*
 * What a message attribute stands for: "$(string.id)" is in the string table; other references are
 * to tables that a manifest does not hold, and are "".
 */
const char *etl_manifest_resolve(const struct etl_manifest *manifest, const char *message);

/*
 * What is shown for a reference to something with a name: its message, or the name. `row` may be
 * NULL.
 */
const char *etl_manifest_shown_name(const struct etl_manifest *manifest,
                                    const struct etl_manifest_name *row, const char *name);

/* Bytes of a text, at most `most`, that end where a character does. */
size_t etl_manifest_clip(const char *text, size_t most);

/* Makes the packed rows of a template: manifest_fields.c. */
void etl_manifest_pack_template(struct etl_manifest *manifest,
                                struct etl_manifest_template *template);

/* The reader's part: manifest_read.c. */
struct etl_manifest_reader *etl_manifest_reader_new(struct etl_manifest *manifest);
void etl_manifest_reader_free(struct etl_manifest_reader *reader);
bool etl_manifest_reader_feed(struct etl_manifest_reader *reader, const void *bytes, size_t size,
                              bool last);

#endif
