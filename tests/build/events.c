/*
 * Events: one table row per header kind, one per field; sizes computed, everything overridable.
 *
 *   0        header             items (modern events only)        payload          size
 *   | fields of the kind | {u16 size, type, linkage, data size, data, pad}* | what it holds |
 *
 * Layouts: Windows SDK evntrace.h and evntcons.h; SYSTEM, COMPACT, PERFINFO and the instance forms
 * as described on geoffchappell.com. COMPACT, INSTANCE and the kinds TIMED, ERROR and WNODE were
 * never met in a real file.
 */
#include "builder.h"

#include <string.h>

enum field_kind { FIELD_NUMBER, FIELD_TIME, FIELD_GUID, FIELD_PID, FIELD_TID };

struct header_field {
    const char *key;
    uint8_t at;
    uint8_t width;
    enum field_kind kind;
    const struct number_name *names;
    uint64_t otherwise;
};

struct header_kind {
    const char *word;
    uint8_t type;
    uint8_t pointer_size;
    uint8_t size;    /* of the header */
    uint8_t size_at; /* where the size of the whole event stands */
    const struct header_field *fields;
};

#define FIELDS_END                        \
    {                                     \
        NULL, 0, 0, FIELD_NUMBER, NULL, 0 \
    }

static const struct header_field system_fields[] = {
    {"version", 0x00, 2, FIELD_NUMBER, NULL, 2}, {"hook", 0x06, 2, FIELD_NUMBER, NULL, 0},
    {"tid", 0x08, 4, FIELD_TID, NULL, 0},        {"pid", 0x0c, 4, FIELD_PID, NULL, 0},
    {"at", 0x10, 8, FIELD_TIME, NULL, 0},        {"kernel", 0x18, 4, FIELD_NUMBER, NULL, 0},
    {"user", 0x1c, 4, FIELD_NUMBER, NULL, 0},    FIELDS_END,
};

static const struct header_field compact_fields[] = {
    {"version", 0x00, 2, FIELD_NUMBER, NULL, 2}, {"hook", 0x06, 2, FIELD_NUMBER, NULL, 0},
    {"tid", 0x08, 4, FIELD_TID, NULL, 0},        {"pid", 0x0c, 4, FIELD_PID, NULL, 0},
    {"at", 0x10, 8, FIELD_TIME, NULL, 0},        FIELDS_END,
};

/* Counters and PEBS index follow the header: see put_counters(). */
static const struct header_field perfinfo_fields[] = {
    {"version", 0x00, 2, FIELD_NUMBER, NULL, 2},
    {"hook", 0x06, 2, FIELD_NUMBER, NULL, 0},
    {"at", 0x08, 8, FIELD_TIME, NULL, 0},
    FIELDS_END,
};

/* Later rows lie over earlier ones: processor_time over both times, wnode over user. */
#define CLASSIC_START                                                                      \
    {"opcode", 0x04, 1, FIELD_NUMBER, NULL, 0},                                            \
        {"level", 0x05, 1, FIELD_NUMBER, trace_event_levels, 0},                           \
        {"version", 0x06, 2, FIELD_NUMBER, NULL, 0}, {"tid", 0x08, 4, FIELD_TID, NULL, 0}, \
        {"pid", 0x0c, 4, FIELD_PID, NULL, 0},                                              \
    {                                                                                      \
        "at", 0x10, 8, FIELD_TIME, NULL, 0                                                 \
    }
#define CLASSIC_TIMES                           \
    {"kernel", 0x28, 4, FIELD_NUMBER, NULL, 0}, \
    {                                           \
        "user", 0x2c, 4, FIELD_NUMBER, NULL, 0  \
    }

static const struct header_field full_fields[] = {
    CLASSIC_START,
    {"guid", 0x18, 16, FIELD_GUID, NULL, 0},
    CLASSIC_TIMES,
    {"processor_time", 0x28, 8, FIELD_NUMBER, NULL, 0},
    {"context", 0x28, 4, FIELD_NUMBER, NULL, 0},
    {"wnode", 0x2c, 4, FIELD_NUMBER, wnode_flags, 0},
    FIELDS_END,
};

static const struct header_field instance_fields[] = {
    CLASSIC_START,
    {"guid", 0x18, 16, FIELD_GUID, NULL, 0},
    CLASSIC_TIMES,
    {"processor_time", 0x28, 8, FIELD_NUMBER, NULL, 0},
    {"instance", 0x30, 4, FIELD_NUMBER, NULL, 0},
    {"parent_instance", 0x34, 4, FIELD_NUMBER, NULL, 0},
    {"parent_guid", 0x38, 16, FIELD_GUID, NULL, 0},
    FIELDS_END,
};

/* Windows 2000 and XP. */
static const struct header_field old_instance_fields[] = {
    CLASSIC_START,
    {"handle", 0x18, 8, FIELD_NUMBER, NULL, 0},
    {"instance", 0x20, 4, FIELD_NUMBER, NULL, 0},
    {"parent_instance", 0x24, 4, FIELD_NUMBER, NULL, 0},
    CLASSIC_TIMES,
    {"parent_handle", 0x30, 8, FIELD_NUMBER, NULL, 0},
    FIELDS_END,
};

static const struct header_field event_fields[] = {
    {"flags", 0x04, 2, FIELD_NUMBER, event_flags, 0},
    {"property", 0x06, 2, FIELD_NUMBER, event_properties, 0},
    {"tid", 0x08, 4, FIELD_TID, NULL, 0},
    {"pid", 0x0c, 4, FIELD_PID, NULL, 0},
    {"at", 0x10, 8, FIELD_TIME, NULL, 0},
    {"provider", 0x18, 16, FIELD_GUID, NULL, 0},
    {"id", 0x28, 2, FIELD_NUMBER, NULL, 0},
    {"version", 0x2a, 1, FIELD_NUMBER, NULL, 0},
    {"channel", 0x2b, 1, FIELD_NUMBER, NULL, 0},
    {"level", 0x2c, 1, FIELD_NUMBER, trace_event_levels, 0},
    {"opcode", 0x2d, 1, FIELD_NUMBER, NULL, 0},
    {"task", 0x2e, 2, FIELD_NUMBER, NULL, 0},
    {"keyword", 0x30, 8, FIELD_NUMBER, NULL, 0},
    {"kernel", 0x38, 4, FIELD_NUMBER, NULL, 0},
    {"user", 0x3c, 4, FIELD_NUMBER, NULL, 0},
    {"processor_time", 0x38, 8, FIELD_NUMBER, NULL, 0},
    {"activity", 0x40, 16, FIELD_GUID, NULL, 0},
    FIELDS_END,
};

static const struct header_field no_fields[] = {FIELDS_END};

static const struct header_kind header_kinds[] = {
    {"system32", 0x01, 4, 0x20, 4, system_fields},
    {"system64", 0x02, 8, 0x20, 4, system_fields},
    {"compact32", 0x03, 4, 0x18, 4, compact_fields},
    {"compact64", 0x04, 8, 0x18, 4, compact_fields},
    {"full32", 0x0a, 4, 0x30, 0, full_fields},
    {"full64", 0x14, 8, 0x30, 0, full_fields},
    {"instance32", 0x0b, 4, 0x48, 0, instance_fields},
    {"instance64", 0x15, 8, 0x48, 0, instance_fields},
    {"old_instance32", 0x0b, 4, 0x38, 0, old_instance_fields},
    {"timed", 0x0c, 4, 0x08, 0, no_fields},
    {"error", 0x0d, 4, 0x08, 0, no_fields},
    {"wnode", 0x0e, 4, 0x08, 0, no_fields},
    {"other", 0x00, 4, 0x08, 0, no_fields},
    {"perfinfo32", 0x10, 4, 0x10, 4, perfinfo_fields},
    {"perfinfo64", 0x11, 8, 0x10, 4, perfinfo_fields},
    {"event32", 0x12, 4, 0x50, 0, event_fields},
    {"event64", 0x13, 8, 0x50, 0, event_fields},
};

/* The time an event carries: raw=, or the trace's clock at the place in time it stands at. */
static uint64_t event_time(struct builder *builder, struct statement *statement)
{
    if (builder->now > builder->latest) {
        builder->latest = builder->now;
    }
    return builder_key_number(builder, statement, "raw", NULL,
                              clock_raw(&builder->log, builder->now));
}

static void put_guid_field(struct builder *builder, struct statement *statement,
                           const struct header_field *field, uint8_t *place)
{
    const char *text = builder_key_text(builder, statement, field->key);
    struct blob guid = {0};
    if (text != NULL) {
        builder_put_guid(builder, statement, text, &guid);
    }
    if (guid.size == 16) {
        memcpy(place, guid.data, 16);
    }
    blob_free(&guid);
}

static void put_field(struct builder *builder, struct statement *statement,
                      const struct header_field *field, struct blob *header)
{
    uint64_t value = field->otherwise;
    switch (field->kind) {
    case FIELD_GUID:
        put_guid_field(builder, statement, field, header->data + field->at);
        return;
    case FIELD_TIME:
        value = event_time(builder, statement);
        break;
    case FIELD_PID:
        value = builder_key_number(builder, statement, field->key, NULL, builder->pid);
        break;
    case FIELD_TID:
        value = builder_key_number(builder, statement, field->key, NULL, builder->tid);
        break;
    case FIELD_NUMBER:
        if (builder_key(statement, field->key) == NULL && value == 0) {
            return; /* another row may have been written here */
        }
        value = builder_key_number(builder, statement, field->key, field->names, value);
        break;
    }
    if (!number_fits(value, field->width)) {
        builder_fail(builder, statement->node, "%s= does not fit into %u bytes", field->key,
                     field->width);
    }
    blob_set_number(header, field->at, value, field->width);
}

/* counters=1,2 and pebs=7 after a PERFINFO header; the version's high bits say that they are there.
   Which of both comes first where an event has both is not established. */
static void put_counters(struct builder *builder, struct statement *statement, struct blob *header)
{
    uint64_t count = 0;
    const char *at = builder_key_text(builder, statement, "counters");
    while (at != NULL && *at != '\0') {
        size_t size = strcspn(at, ",");
        const char *text = arena_text(&builder->arena, at, size);
        blob_put_number(header, builder_number(builder, statement, text, NULL), 8);
        count++;
        at += size + (at[size] == ',');
    }
    if (builder_key(statement, "pebs") != NULL) {
        blob_put_number(header, builder_key_number(builder, statement, "pebs", NULL, 0), 8);
        header->data[1] |= 0x80;
    }
    if (count > 7) {
        builder_fail(builder, statement->node, "a header has at most 7 counters");
    }
    header->data[1] |= (uint8_t)(count & 7);
}

static void write_event(struct builder *builder, struct statement *statement,
                        const struct header_kind *kind, struct blob *event)
{
    blob_fill(event, 0, kind->size);
    event->data[2] = (uint8_t)builder_key_number(builder, statement, "type", NULL, kind->type);
    event->data[3] = (uint8_t)builder_key_number(builder, statement, "marker", NULL, 0xc0);
    for (const struct header_field *field = kind->fields; field->key != NULL; field++) {
        put_field(builder, statement, field, event);
    }
    if (kind->fields == perfinfo_fields) {
        put_counters(builder, statement, event);
    }
    bool has_items = builder->event->items.size > 0;
    if (has_items && kind->fields != event_fields) {
        builder_fail(builder, statement->node, "'%s' has no items", kind->word);
    } else if (has_items && builder_key(statement, "flags") == NULL) {
        event->data[4] |= 0x01; /* EXTENDED_INFO */
    }
    blob_put(event, builder->event->items.data, builder->event->items.size);
    blob_put(event, builder->event->payload.data, builder->event->payload.size);
    uint64_t size = builder_key_number(builder, statement, "size", NULL, event->size);
    if (size > UINT16_MAX) {
        builder_fail(builder, statement->node, "an event of %zu bytes; 65535 is the most",
                     event->size);
    }
    blob_set_number(event, kind->size_at, size, 2);
}

/*
 * MESSAGE_TRACE_HEADER: what the flags ask for, in this order and unaligned.
 *
 *   u16 size | 00 | 90 | u16 number | u16 flags | [u32 sequence] [u32 component or GUID] [i64 time]
 *   [u32 tid, u32 pid]
 */
static void write_message(struct builder *builder, struct statement *statement, struct blob *event)
{
    uint64_t flags = builder_key_number(builder, statement, "flags", message_flags, 0);
    blob_fill(event, 0, 8);
    event->data[2] = (uint8_t)builder_key_number(builder, statement, "type", NULL, 0);
    event->data[3] = (uint8_t)builder_key_number(builder, statement, "marker", NULL, 0x90);
    blob_set_number(event, 4, builder_key_number(builder, statement, "number", NULL, 0), 2);
    blob_set_number(event, 6, flags, 2);
    /* Read whatever the flags say, so that one line serves all of them. */
    uint64_t sequence = builder_key_number(builder, statement, "sequence", NULL, 0);
    uint64_t component = builder_key_number(builder, statement, "component", NULL, 0);
    uint64_t tid = builder_key_number(builder, statement, "tid", NULL, builder->tid);
    uint64_t pid = builder_key_number(builder, statement, "pid", NULL, builder->pid);
    uint64_t time = event_time(builder, statement);
    static const struct header_field guid = {"guid", 0, 16, FIELD_GUID, NULL, 0};
    uint8_t guid_bytes[16] = {0};
    put_guid_field(builder, statement, &guid, guid_bytes);
    if (flags & 0x01) {
        blob_put_number(event, sequence, 4);
    }
    if (flags & 0x04) {
        blob_put_number(event, component, 4);
    } else if (flags & 0x02) {
        blob_put(event, guid_bytes, sizeof guid_bytes);
    }
    if (flags & 0x18) {
        blob_put_number(event, flags & 0x08 ? time : 0, 8);
    }
    if (flags & 0x20) {
        blob_put_number(event, tid, 4);
        blob_put_number(event, pid, 4);
    }
    blob_put(event, builder->event->payload.data, builder->event->payload.size);
    blob_set_number(event, 0, builder_key_number(builder, statement, "size", NULL, event->size), 2);
}

static unsigned message_pointer_size(struct builder *builder, struct statement *statement)
{
    uint64_t flags = builder_key_number(builder, statement, "flags", message_flags, 0);
    return flags & 0x80 ? 8 : flags & 0x40 ? 4 : builder->log.pointer_size;
}

/* kind NULL: a message. */
static void build_event(struct builder *builder, struct statement *statement,
                        const struct header_kind *kind)
{
    struct trace_event event = {0};
    struct blob bytes = {0};
    unsigned outer = builder->pointer_size;
    uint64_t cpu = builder->cpu;
    builder_take_time(builder, statement);
    builder->cpu = builder_key_number(builder, statement, "cpu", NULL, cpu);
    builder->pointer_size = kind != NULL ? kind->pointer_size
                                         : message_pointer_size(builder, statement);
    builder->event = &event;
    builder_run_into(builder, statement->node->child, &event.payload);
    if (kind != NULL) {
        write_event(builder, statement, kind, &bytes);
    } else {
        write_message(builder, statement, &bytes);
    }
    builder->event = NULL;
    builder->pointer_size = outer;
    buffers_add(builder, statement->node, &bytes);
    builder->cpu = cpu;
    blob_free(&bytes);
    blob_free(&event.items);
    blob_free(&event.payload);
}

/* item TYPE : what it holds. Linkage and sizes follow from what is there. */
static void build_item(struct builder *builder, struct statement *statement)
{
    struct trace_event *event = builder->event;
    struct blob data = {0};
    if (event == NULL) {
        builder_fail(builder, statement->node, "'item' must stand in an event");
        return;
    }
    uint64_t type = builder_number(builder, statement, builder_word(builder, statement, 1),
                                   item_types);
    builder_run_into(builder, statement->node->child, &data);
    size_t start = event->items.size;
    if (start > 0 && !event->linkage_given) {
        event->items.data[event->last_item + 4] |= 0x01;
    }
    event->last_item = start;
    event->linkage_given = builder_key(statement, "linkage") != NULL;
    size_t whole = (8 + data.size + 7) / 8 * 8;
    blob_put_number(&event->items, builder_key_number(builder, statement, "size", NULL, whole), 2);
    blob_put_number(&event->items, type, 2);
    uint64_t linkage = builder_key_number(builder, statement, "linkage", NULL, 0);
    uint64_t reserved = builder_key_number(builder, statement, "reserved", NULL, 0);
    blob_put_number(&event->items, linkage | reserved << 1, 2);
    blob_put_number(&event->items,
                    builder_key_number(builder, statement, "data_size", NULL, data.size), 2);
    blob_put(&event->items, data.data, data.size);
    blob_fill(&event->items, 0, whole - 8 - data.size);
    blob_free(&data);
}

/* raw : bytes that stand for an event without being one. */
static void build_raw(struct builder *builder, struct statement *statement)
{
    struct blob bytes = {0};
    uint64_t cpu = builder->cpu;
    builder->cpu = builder_key_number(builder, statement, "cpu", NULL, cpu);
    builder_run_into(builder, statement->node->child, &bytes);
    buffers_add(builder, statement->node, &bytes);
    builder->cpu = cpu;
    blob_free(&bytes);
}

bool run_event(struct builder *builder, struct statement *statement)
{
    const char *word = statement->words[0];
    const struct header_kind *kind = NULL;
    for (size_t i = 0; i < sizeof header_kinds / sizeof header_kinds[0]; i++) {
        if (strcmp(word, header_kinds[i].word) == 0) {
            kind = &header_kinds[i];
        }
    }
    if (strcmp(word, "item") == 0) {
        build_item(builder, statement);
        return true;
    }
    bool raw = strcmp(word, "raw") == 0;
    if (kind == NULL && !raw && strcmp(word, "message") != 0) {
        return false;
    }
    if (builder->bytes != NULL || !builder->log.given) {
        builder_fail(builder, statement->node,
                     builder->log.given ? "an event cannot stand in an event"
                                        : "'log' must come before the first event");
    } else if (raw) {
        build_raw(builder, statement);
    } else {
        build_event(builder, statement, kind);
    }
    return true;
}
