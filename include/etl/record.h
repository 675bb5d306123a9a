/*
 * The bytes of one frame: an event and all that a reader needs to know of it, without the file.
 *
 *     | EVENT_HEADER 80 | ETW_BUFFER_CONTEXT 4 | three lengths 12 |
 *     | user data, padded to 4 | provider name, padded to 4 | trailer: head 48 | items … |
 *
 * Up to the trailer it is what link type 290 (ETW) means, so any Wireshark opens it. Byte by byte
 * in plugin/FORMAT.md. Anybody can write such a frame: unpacking believes nothing. Knows nothing of
 * either adapter.
 */
#ifndef ETL_RECORD_H
#define ETL_RECORD_H

#include "etl/event_names.h"
#include "etl/file.h"
#include "etl/schema.h"
#include "etl/traffic.h"

/*
 * The largest record: an event of 65,535 bytes, its frame and its texts. The names that it may
 * carry end before: what does not fit is left out.
 */
#define ETL_RECORD_SIZE_MAX 0x18000

/* Goes up when the trailer's head changes; new kinds of item do not change it. */
#define ETL_RECORD_VERSION 1

struct etl_record_options {
    bool no_names; /* leave out names, paths, command lines: what is personal */
};

/* Packs into `room` of ETL_RECORD_SIZE_MAX bytes; returns the record's size. Cannot fail. */
size_t etl_record_pack(const struct etl_entry *entry, const struct etl_keys *keys,
                       const struct etl_record_options *options, uint8_t *room);

enum etl_record_trailer {
    ETL_TRAILER_NONE, /* made by somebody else: only the EVENT_HEADER is known */
    ETL_TRAILER_GOOD,
    ETL_TRAILER_DAMAGED, /* read as far as it goes */
    ETL_TRAILER_NEWER,   /* of a later version: not read */
};

struct etl_record {
    struct etl_event event; /* spans are borrowed from the record's bytes */
    struct etl_place place;
    struct etl_context context;
    enum etl_record_trailer trailer;
    struct etl_span buffer_context; /* ETW_BUFFER_CONTEXT */
    struct etl_span provider_name;  /* UTF-16LE; empty where the trace gave none */
    struct etl_span trailer_bytes;
    struct etl_span trailer_items;
    struct etl_span remark_items;    /* from the first remark on; empty where there is none */
    struct etl_span name_items;      /* from the first name, image or stack on */
    struct etl_span process_item;    /* what is known of the event's process */
    struct etl_span packed_schema;   /* u64 hash and rows (schema.h); empty where there is none */
    const struct etl_schema *schema; /* borrowed; for whoever unpacked the event's description */
    bool schema_unfit; /* it is not the trace's own, and bytes are missing or left over */
    int64_t raw_time;  /* of the event, or of the one before it where it has none */
    bool has_ids;      /* process or thread: its own, its payload's, or by the running thread; */
                       /* one that is not known is ETL_ID_UNKNOWN */
    struct etl_owner owner;     /* of the packet that the event carries; source NONE: not known */
    struct etl_span reception;  /* how that was received (traffic.h); mostly empty */
    struct etl_usb_way usb_way; /* where that goes; zeros: not known */
    struct etl_span counters;   /* what a performance log's values are (counters.h); mostly empty */
    uint32_t process_id;
    uint32_t thread_id;
    bool length_mismatch; /* UserDataLength is more than the frame holds: cut to that */
};

/* False when the bytes are too few for a record of anybody's. */
bool etl_record_unpack(const uint8_t *data, size_t size, struct etl_record *ret_record);

struct etl_record_name {
    enum etl_key key;
    uint64_t id;
    struct etl_span text; /* UTF-8, not terminated */
};

/* The texts that the record knows of an id; false when none. */
bool etl_record_find_name(const struct etl_record *record, enum etl_key key, uint64_t id,
                          struct etl_record_name *ret_name);

/* What the record knows of the event's process besides its name. Spans may be empty: not known. */
struct etl_record_process {
    uint32_t parent;
    uint32_t session;
    bool has_parent;
    bool has_session;
    struct etl_span user;         /* a SID */
    struct etl_span command_line; /* UTF-8, not terminated */
};

/* False when the record knows nothing of record->process_id. */
bool etl_record_find_process(const struct etl_record *record,
                             struct etl_record_process *ret_process);

/* A module; texts are UTF-8, not terminated. */
struct etl_record_image {
    uint64_t base;
    uint64_t size;
    struct etl_span name;     /* of the file, without its path */
    struct etl_span pdb_name; /* empty: what finds its symbols is not known */
    struct etl_guid pdb_id;
    uint32_t pdb_age;
};

/* The module at an address; false when the record knows none there. */
bool etl_record_find_image(const struct etl_record *record, uint64_t address,
                           struct etl_record_image *ret_image);

/* The addresses that a stack key stands for, u64 each; false when the record does not know. */
bool etl_record_find_stack(const struct etl_record *record, uint64_t key,
                           struct etl_span *ret_addresses);

/* Calls `visit` for each remark; `detail` is UTF-8, not terminated, may be empty. */
void etl_record_remarks(const struct etl_record *record,
                        void (*visit)(void *data, enum etl_note note, struct etl_span detail),
                        void *data);

#endif
