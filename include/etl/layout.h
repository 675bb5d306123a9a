/*
 * Fields as data: what a header, an extended item or a payload holds, row by row.
 *
 * A field is declared once, as a row of a file in plugin/layouts/. Its label, its display filter,
 * how it is decoded, shown, printed, tested and fuzzed all come from that row. Knows no bytes and
 * no sink.
 *
 *   LAYOUT(thread_cswitch_v2, "thread")                      filter names begin with etl.thread.
 *       INFO("{OldThreadId} → {NewThreadId}, {OldThreadWaitReason}")
 *       FIELD(U32, NewThreadId, .key = ETL_KEY_THREAD)
 *       FIELD(I8,  OldThreadWaitReason, .names = ETL_NAMES_wait_reason)
 *   END
 *   EVENT(0x0524, 2, 255, thread_cswitch_v2)                 hook id, versions from and to
 *
 *   CLASS(image_id, "ImageID", GUID(0xb3e675d7, …))          events with a classic header
 *   CLASSIC(image_id, 36, 0, 255, image_id_rsds, "DbgID_RSDS")   type, versions, layout, event name
 *
 *   PROVIDER(pktmon, GUID(0x4d4f80d9, …))                    modern events
 *   MODERN(pktmon, 20, pktmon_component)                     id, layout
 *
 * A field can feed a second filter name: ALSO(IPV4, addr) after FIELD(IPV4, daddr) and after
 * FIELD(IPV4, saddr) makes etl.tcp_ip.addr match either. It is a row of its own over the same
 * bytes, so that decoding, registration and lint treat it like any other; sinks don't print it.
 */
#ifndef ETL_LAYOUT_H
#define ETL_LAYOUT_H

#include "etl/bytes.h"
#include "etl/guid.h"
#include "etl/names.h"

enum etl_type {
#define TYPE(name, width, shape, base) ETL_TYPE_##name,
#include "etl/types.def"
#undef TYPE
    ETL_TYPE_COUNT
};

/* What a sink sees of a value. */
enum etl_shape {
    ETL_SHAPE_NUMBER,     /* value.number */
    ETL_SHAPE_SIGNED,     /* value.number, as int64_t */
    ETL_SHAPE_BOOLEAN,    /* value.number, 0 or 1 */
    ETL_SHAPE_REAL,       /* value.bytes: float or double */
    ETL_SHAPE_TIME,       /* value.number: 100 ns since 1601, as int64_t */
    ETL_SHAPE_SYSTEMTIME, /* value.bytes: eight u16 */
    ETL_SHAPE_GUID,       /* value.bytes */
    ETL_SHAPE_IPV4,
    ETL_SHAPE_IPV6,
    ETL_SHAPE_ETHER,
    ETL_SHAPE_SID,  /* value.bytes: the SID alone */
    ETL_SHAPE_TEXT, /* value.text, in value.encoding, without its terminator */
    ETL_SHAPE_BYTES,
    ETL_SHAPE_STRUCT,  /* between begin and end */
    ETL_SHAPE_PADDING, /* never shown */
};

enum etl_base { ETL_BASE_DECIMAL, ETL_BASE_HEXADECIMAL };

/* What a text is written in, where it is more than a text. */
enum etl_markup { ETL_MARKUP_NONE, ETL_MARKUP_XML, ETL_MARKUP_JSON, ETL_MARKUP_COUNT };

enum etl_encoding { ETL_ENCODING_ANSI, ETL_ENCODING_UTF8, ETL_ENCODING_UTF16 };

struct etl_type_facts {
    const char *name;
    uint8_t width; /* bytes; 0: by value or pointer size */
    enum etl_shape shape;
    enum etl_base base;
};

/* What a field's value identifies, for the names that the rest of the trace gives it (names of
 * keys). */
enum etl_key {
    ETL_KEY_NONE,
#define KEY(id, text, first, second) ETL_KEY_##id,
#include "etl/keys.def"
#undef KEY
    ETL_KEY_COUNT
};

#define ETL_KEY_FIELDS_MAX 2

/* What is known of an id has fields of its own, with these at the end of their names; NULL: no more. */
extern const char *const etl_key_fields[ETL_KEY_COUNT][ETL_KEY_FIELDS_MAX];

/* Values of .count that are not the label of an earlier field. */
#define ETL_REST "*" /* as many as fit until the payload ends */

/* Value of .at: the part begins where the row before it does, wherever that is. */
#define ETL_AT_ROW UINT16_MAX

/*
 * One row. Everything but type and label may be left out.
 * A field with neither .length nor .count occurs once.
 */
struct etl_field {
    const char *label;  /* Microsoft's spelling */
    const char *filter; /* in a row: the part after "etl.", when not class and label make it;
                           after etl_layouts_start: the whole filter name */
    enum etl_type type;
    uint16_t at;         /* parts: offset from the layout's start, or ETL_AT_ROW */
    uint16_t length;     /* elements, UTF-16 code units (UTF16) or bytes (BYTES, ANSI), fixed */
    const char *count;   /* label of the earlier row that holds how many; or ETL_REST */
    uint32_t count_mask; /* the bits of that row's value that are the number; 0: all */
    const char *when;    /* label of an earlier row; this one is there if (value & mask) == is */
    uint32_t when_mask;
    uint32_t when_is;
    enum etl_names_id names; /* names of values, or flags: each flag is a filter of its own */
    uint16_t structure;      /* STRUCT: the layout of one element (ETL_LAYOUT_…) */
    enum etl_key key;
    const struct etl_names *map; /* of fields that no table has: names of their values */
    const uint16_t
        *flags;     /* if they are bits: the adapter's number of each, borrowed; 0: it has none */
    bool described; /* a row of a schema (schema.h) */
    enum etl_markup markup; /* TEXT of such a row */
    bool array; /* texts: .count is how many, each up to its NUL, not how many units one has */
    bool part;  /* shows bytes that the row before covers already, below it */
    const char *xml_size; /* BYTES: LZNT1 of an XML text (packed_text.h), which is as long as the
                             earlier row of this label says */
    const char *unit;     /* what decimal numbers count, written after them: "bytes" */
    bool hidden;    /* a second name for the row before (ALSO): found by filters, never printed */
    bool otherwise; /* there if none of the .when rows right before it were */

    /* Set by etl_layouts_start. */
    uint16_t number;   /* this field's place among all fields; its flags have the next ones, */
                       /* and after them what is known of its key */
    int16_t count_row; /* index in the layout; -1: none */
    int16_t when_row;
    bool in_info;      /* the INFO template has it, or it is one of those that stand in for one */
    uint8_t info_slot; /* if so: where the line keeps its value; rows of one label share one */
    uint8_t width;     /* bytes of a value; 0: by value, or as wide as a pointer */
    bool single;       /* one value of a width that is known before it is read */
    uint16_t fixed_at[2]; /* where the row is, if it is one of the layout's fixed_rows */
    bool referred;        /* a later row's .count or .when names this one */
};

/*
 * .info is a template of the text that tells the event in one line: "{Label}" stands for the
 * field's value, "{Label#}" for the number of its elements, "{Label!}" for the value alone whatever is known of its id, "{Label@}" for what is known and nothing
 * where nothing is; what is between < and > is left out
 * when a value in it is missing, empty or zero. etl_info_format (info.h) fills it in.
 */
#define ETL_INFO_FIELDS 6 /* how many stand in where there is no template */

#define ETL_INFO_ROWS_MAX 12

enum etl_info_part_kind {
    ETL_INFO_LITERAL,
    ETL_INFO_VALUE,
    ETL_INFO_COUNT,
    ETL_INFO_NAME,
    ETL_INFO_NUMBER,
    ETL_INFO_OPTIONAL, /* the next `length` parts */
};

/* A piece of a template. */
struct etl_info_part {
    enum etl_info_part_kind kind;
    uint8_t slot;
    uint16_t length; /* LITERAL: bytes; OPTIONAL: parts */
    const char *text;
};

/* The most ids of one payload that are looked at: a context switch has two. */
#define ETL_PAYLOAD_IDS_MAX 8

/* Rows of events that tell of bytes from one end of a connection to the other: ALSO(…, source) and
 * so on, and FIELD(…, size). */
enum etl_end_row {
    ETL_END_source,
    ETL_END_destination,
    ETL_END_source_port,
    ETL_END_destination_port,
    ETL_END_size,
    ETL_END_COUNT
};

/* Rows with another .key whose places are kept. */
#define ETL_KEY_ROWS_MAX 8

struct etl_layout {
    const char *id;
    const char *class_name; /* the first part of its filter names; "" for header fields */
    const char *info;       /* NULL: its first fields as name=value */
    struct etl_field *fields;
    size_t count;
    uint16_t fixed_rows; /* set likewise: rows whose place does not depend on what is decoded … */
    uint16_t fixed_end[2]; /* … and where the last of them ends, with 4- and 8-byte pointers */
    unsigned process_rows; /* set by etl_layout_complete: rows that hold a process or thread id */
    unsigned thread_rows;
    uint8_t id_rows[ETL_PAYLOAD_IDS_MAX]; /* the first of them */
    uint8_t id_row_count;
    bool ids_fixed;                  /* all of them are fixed_rows */
    uint8_t end_rows[ETL_END_COUNT]; /* likewise; only if has_ends, and they are fixed_rows then */
    bool has_ends;
    uint8_t key_rows[ETL_KEY_ROWS_MAX]; /* rows with any other .key */
    uint8_t key_row_count;
    bool has_keys;   /* there are such rows */
    bool keys_fixed; /* all of them are in key_rows, and are fixed_rows */
    /* Set by etl_layouts_start: what a line of text needs of the layout. */
    uint8_t info_rows[ETL_INFO_ROWS_MAX];
    uint8_t info_row_count;
    uint8_t info_slots;
    bool info_fixed;                        /* all of info_rows are fixed_rows */
    const struct etl_info_part *info_parts; /* of .info */
    size_t info_part_count;
};

enum etl_layout_id {
    ETL_LAYOUT_NONE,
#define LAYOUT(id, class_name) ETL_LAYOUT_##id,
#include "layouts/all.def"
    ETL_LAYOUT_COUNT
};

/*
 * Completes the rows: filter names, numbers, the rows that others refer to by label. Call once,
 * before anything else here; later calls do nothing. A row that is wrong (an unknown label, two
 * kinds under one filter name) is a mistake in the tables: the program ends with a sentence that
 * names the row.
 */
void etl_layouts_start(void);

/* How many fields what is known of a row's ids has. Second names and described rows have none. */
static inline size_t etl_key_field_count(const struct etl_field *field)
{
    const char *const *fields = etl_key_fields[field->key];
    return field->hidden || field->described ? 0
                                             : (fields[0] != NULL) + (size_t)(fields[1] != NULL);
}

/* The same for one layout that is no row of the tables, filter names and numbers aside. */
void etl_layout_complete(struct etl_layout *layout);

/* Written by etl_layouts_start alone. */
extern struct etl_layout etl_all_layouts[ETL_LAYOUT_COUNT];

static inline const struct etl_layout *etl_layout(enum etl_layout_id id)
{
    return &etl_all_layouts[id];
}

/* All rows and their flags are numbered from 0 to this. */
size_t etl_field_count(void);

/* Asked several times for every field shown, hence inline. */
extern const struct etl_type_facts etl_types[ETL_TYPE_COUNT];

static inline const struct etl_type_facts *etl_type_facts(enum etl_type type)
{
    return &etl_types[type];
}

/*
 * The layout of a kernel event's payload; NULL when none is known. `version` is the event's own,
 * without the flags above its low byte. The nearest lower version stands in for one that is not
 * listed.
 */
const struct etl_layout *etl_layout_of_hook(uint16_t hookid, uint8_t version);

/*
 * The same for events with a classic header and a GUID that is not that of a kernel class
 * (plugin/layouts/classic/).
 */
const struct etl_layout *etl_layout_of_class(const struct etl_guid *guid, uint8_t type,
                                             uint8_t version);

/* The same for modern events, by provider and id (plugin/layouts/packets.def). */
const struct etl_layout *etl_layout_of_provider(const struct etl_guid *guid, uint16_t id);

/* "ImageID/DbgID_RSDS"; the class alone for a type without a row; NULL for any other GUID. */
const char *etl_class_event_name(const struct etl_guid *guid, uint8_t type);

#endif
