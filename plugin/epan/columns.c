/*
 * Protocol: the provider, or the kernel's class. Source: the process, where the event has no
 * addresses. Info: the event, then facts of its kind. This is most of what the plugin costs in a
 * plain listing, so constants stay constants.
 */
#include "epan/columns.h"

#include "epan/counters.h"
#include "epan/fields.h"
#include "epan/labels.h"
#include "epan/line.h"
#include "epan/strings.h"
#include "etl/decode.h"
#include "etl/hooks.h"
#include "etl/info.h"
#include "etl/names.h"
#include "etl/providers.h"

#include <epan/column-utils.h>

/* Bytes of what a described event says in Info. */
#define INFO_SHOWN_MAX 300

/* A line that lives as long as the packet. */
static struct etl_line *start_column(packet_info *pinfo)
{
    struct etl_line *line = wmem_new(pinfo->pool, struct etl_line);
    etl_line_start(line);
    return line;
}

/*
 * The column keeps a pointer, as for a constant: columns are read before the packet ends. Copying the text into the
 * column's own room goes byte by byte.
 */
static void set_column(packet_info *pinfo, int column, const struct etl_line *line)
{
    col_set_str(pinfo->cinfo, column, line->text);
}

/* A name for a value, or the number. */
static void add_named(struct etl_line *line, enum etl_names_id names, uint64_t number)
{
    const char *name = etl_names_find(names, number);
    if (name != NULL) {
        etl_line_text(line, name);
    } else {
        etl_line_number(line, number);
    }
}

/* A stranger is its GUID: all of it in Info, its beginning where the column is narrow. */
static void add_guid(struct etl_line *line, const struct etl_guid *guid, size_t characters)
{
    char text[ETL_GUID_TEXT_SIZE];
    etl_guid_format(guid, text);
    etl_line_span(line, text, characters);
}

static void set_protocol(packet_info *pinfo, const struct etl_record *record, const char *provider)
{
    const struct etl_event *event = &record->event;
    struct etl_line *line = start_column(pinfo);
    if (provider != NULL) {
        /* A class of classic events stands after its provider: the class says more. */
        const char *slash = strstr(provider, " / ");
        etl_line_text(line, slash != NULL ? slash + 3 : etl_provider_short_name(provider));
    } else if (event->has_provider) {
        add_guid(line, &event->provider, 8);
    } else {
        etl_line_text(line, event->kind->family == ETL_FAMILY_MESSAGE ? "WPP" : "ETL");
    }
    set_column(pinfo, COL_PROTOCOL, line);
}

/*
 * What Source says of a process, made once and kept as long as the file: a trace has few processes
 * and many events. A process id that comes again with another name takes the place of the one
 * before.
 */
struct known_process {
    uint32_t id;
    size_t name_size;
    char *name;
    char *text;
};

#define KNOWN_PROCESSES 256
#define TEXTS_MAX       65536 /* over all: a hostile file shall not fill the memory */

static struct known_process known_processes[KNOWN_PROCESSES];
static unsigned texts_made;

void etl_columns_start_file(void)
{
    memset(known_processes, 0, sizeof known_processes);
    texts_made = 0;
}

static void make_process_text(struct etl_line *line, const struct etl_record_name *name)
{
    if (name->text.size > 0) {
        etl_line_foreign(line, name->text.at, name->text.size);
        etl_line_text(line, " (");
        etl_line_number(line, name->id);
        etl_line_text(line, ")");
    } else {
        etl_line_text(line, "PID ");
        etl_line_number(line, name->id);
    }
}

static void set_process_source(packet_info *pinfo, const struct etl_record_name *name)
{
    uint32_t id = (uint32_t)name->id;
    struct known_process *known =
        &known_processes[id / 4 % KNOWN_PROCESSES]; /* ids come in fours */
    size_t size = name->text.size;
    if (known->text != NULL && known->id == id && known->name_size == size &&
        (size == 0 || memcmp(known->name, name->text.at, size) == 0)) {
        col_set_str(pinfo->cinfo, COL_DEF_SRC, known->text);
        return;
    }
    struct etl_line *line = start_column(pinfo);
    make_process_text(line, name);
    set_column(pinfo, COL_DEF_SRC, line);
    if (texts_made < TEXTS_MAX) {
        texts_made++;
        known->id = id;
        known->name_size = size;
        known->name = wmem_memdup(wmem_file_scope(), name->text.at, size);
        known->text = wmem_strdup(wmem_file_scope(), line->text);
    }
}

static void set_source(packet_info *pinfo, const struct etl_record *record)
{
    struct etl_record_name name = {.id = record->process_id};
    if (record->has_ids && record->process_id != ETL_ID_UNKNOWN) {
        etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name);
        set_process_source(pinfo, &name);
        return;
    }
    struct etl_line *line = start_column(pinfo);
    etl_line_text(line, "CPU ");
    etl_line_number(line, record->place.cpu);
    set_column(pinfo, COL_DEF_SRC, line);
}

/* What comes behind a title and a blank, written where it stays. */
struct part {
    struct etl_line *line;
    size_t title; /* the line's length without it */
    char *room;
    size_t size;
};

static struct part begin_part(struct etl_line *line)
{
    size_t title = line->length;
    etl_line_text(line, " ");
    return (struct part){.line = line,
                         .title = title,
                         .room = line->text + line->length,
                         .size = sizeof line->text - line->length};
}

/* True if `length` bytes are anything; otherwise the blank goes too. */
static bool end_part(const struct part *part, size_t length)
{
    if (length == 0) {
        etl_line_cut(part->line, part->title);
    }
    part->line->length += length;
    return length > 0;
}

/* What the layout's template says of the payload; true if that is anything. */
static bool add_layout_info(struct etl_line *line, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    const struct etl_layout *layout = etl_layout_of_event(event);
    if (layout == NULL || event->payload.size == 0) {
        return false;
    }
    const struct etl_info_source source = etl_info_source_of(record);
    struct part part = begin_part(line);
    return end_part(&part, etl_info_format(&source, layout, event->payload.at, event->payload.size,
                                           part.room, part.size));
}

/* What a schema says of the payload; true if that is anything. */
static bool add_schema_info(struct etl_line *line, const struct etl_record *record)
{
    const struct etl_info_source source = etl_info_source_of(record);
    if (record->schema == NULL || record->schema_unfit) {
        return false;
    }
    struct part part = begin_part(line);
    return end_part(&part, etl_schema_info(&source, record->schema, record->event.payload,
                                           part.room, MIN(part.size, INFO_SHOWN_MAX)));
}

/* The text that is all that an event has; true if that is anything. */
static bool add_string(struct etl_line *line, const struct etl_event *event)
{
    if (!etl_event_is_string(event)) {
        return false;
    }
    struct etl_span string = etl_event_string(event);
    struct part part = begin_part(line);
    return end_part(&part, etl_utf8_of_utf16(string.at, string.size, part.room, part.size));
}

static void add_descriptor(struct etl_line *line, const struct etl_event *event, bool named)
{
    if (named) {
        etl_line_text(line, " Id ");
        etl_line_number(line, event->id);
    }
    etl_line_text(line, " v");
    etl_line_number(line, event->version);
    etl_line_text(line, " Task ");
    etl_line_number(line, event->task);
    etl_line_text(line, " Opcode ");
    add_named(line, ETL_NAMES_opcode, event->opcode);
    etl_line_text(line, " Level ");
    add_named(line, ETL_NAMES_event_level, event->level);
}

static void add_classic(struct etl_line *line, const struct etl_event *event)
{
    const char *name = etl_names_find(ETL_NAMES_classic_event_type, event->opcode);
    if (name != NULL) {
        etl_line_text(line, " ");
        etl_line_text(line, name);
    }
    etl_line_text(line, " v");
    etl_line_number(line, event->version);
}

static void add_provider(struct etl_line *line, const struct etl_event *event, const char *provider)
{
    if (provider != NULL) {
        etl_line_text(line, "  ");
        etl_line_text(line, provider);
    } else if (event->has_provider) {
        etl_line_text(line, "  ");
        add_guid(line, &event->provider, ETL_GUID_TEXT_SIZE - 1);
    }
}

static void add_info(struct etl_line *line, wmem_allocator_t *pool, const struct etl_record *record,
                     const char *provider)
{
    const struct etl_event *event = &record->event;
    etl_line_event_title(line, pool, record);
    switch (event->kind->family) {
    case ETL_FAMILY_MODERN:
        if (add_layout_info(line, record) || add_schema_info(line, record) ||
            add_string(line, event)) {
            return;
        }
        add_descriptor(line, event, etl_event_name(pool, record) != NULL);
        break;
    case ETL_FAMILY_FULL:
    case ETL_FAMILY_INSTANCE:
        if (etl_counters_line(line, record) ||
            add_layout_info(line, record)) { /* its title names the class */
            return;
        }
        add_classic(line, event);
        break;
    case ETL_FAMILY_OTHER:
        etl_line_text(line, " ");
        etl_line_text(line, event->kind->name);
        break;
    default:
        break;
    }
    add_provider(line, event, provider);
}

void etl_columns_line(struct etl_line *line, wmem_allocator_t *pool,
                      const struct etl_record *record)
{
    if (etl_is_kernel_event(record)) {
        etl_line_event_title(line, pool, record);
        add_layout_info(line, record);
    } else {
        add_info(line, pool, record, etl_event_provider_name(pool, record));
    }
}

/* Kernel events, which come by the million, have constants for names. */
static void set_kernel_columns(packet_info *pinfo, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    const struct etl_hook *hook = etl_hook_find(event->hookid);
    const struct etl_group *group = etl_group_find((uint8_t)(event->hookid >> 8));
    const char *class_name = hook != NULL    ? hook->class_name
                             : group != NULL ? group->class_name
                                             : "Kernel";
    col_set_str(pinfo->cinfo, COL_PROTOCOL, class_name);
    struct etl_line *line = start_column(pinfo);
    etl_line_event_title(line, pinfo->pool, record);
    add_layout_info(line, record);
    set_column(pinfo, COL_INFO, line);
}

void etl_columns_set(packet_info *pinfo, const struct etl_record *record)
{
    if (!col_get_writable(pinfo->cinfo, COL_INFO)) {
        return;
    }
    if (pinfo->src.type == AT_NONE) { /* otherwise the column shows the address */
        set_source(pinfo, record);
    }
    if (etl_is_kernel_event(record)) {
        set_kernel_columns(pinfo, record);
        return;
    }
    const char *provider = etl_event_provider_name(pinfo->pool, record);
    set_protocol(pinfo, record, provider);
    struct etl_line *line = start_column(pinfo);
    add_info(line, pinfo->pool, record, provider);
    set_column(pinfo, COL_INFO, line);
}
