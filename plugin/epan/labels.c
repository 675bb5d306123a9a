/*
 * Names from hook ids, from the metadata that TraceLogging events carry, from the frame's own
 * provider name and from the built-in list.
 */
#include "epan/labels.h"

#include "epan/fields.h"
#include "epan/key_names.h"
#include "epan/strings.h"
#include "etl/decode.h"
#include "etl/event_source.h"
#include "etl/hooks.h"
#include "etl/items.h"
#include "etl/providers.h"
#include "etl/tracelogging.h"
#include "etl/traits.h"

/* Bytes of a name beside a number in Info: the whole one is in the tree. */
#define NAME_SHOWN_MAX 128

#define UTF8_PER_BYTE 3

/* Wants UTF-8 that need not be any: nothing in a frame is believed. */
static const char *copy_text(wmem_allocator_t *pool, struct etl_span text)
{
    size_t room_size = text.size * UTF8_PER_BYTE + 1;
    char *room = wmem_alloc(pool, room_size);
    etl_utf8_of_ansi(text.at, text.size, room, room_size);
    return room;
}

static const char *trace_logging_name(wmem_allocator_t *pool, const struct etl_event *event)
{
    struct etl_span schema;
    struct etl_span name;
    bool named = etl_items_find(event, ETL_ITEM_EVENT_SCHEMA_TL, &schema) &&
                 etl_tracelogging_event_name(schema, &name);
    return named ? copy_text(pool, name) : NULL;
}

static const char *traits_name(wmem_allocator_t *pool, const struct etl_event *event)
{
    struct etl_span traits;
    struct etl_span name;
    bool named = etl_items_find(event, ETL_ITEM_PROV_TRAITS, &traits) &&
                 etl_traits_name(traits, &name);
    return named ? copy_text(pool, name) : NULL;
}

/* "DnsServerForInterface", or else task and opcode; an opcode that says nothing is left out. */
static const char *described_name(wmem_allocator_t *pool, const struct etl_schema *schema)
{
    const char *name = schema->texts[ETL_SCHEMA_EVENT];
    const char *task = schema->texts[ETL_SCHEMA_TASK];
    const char *opcode = schema->texts[ETL_SCHEMA_OPCODE];
    bool plain = opcode[0] == '\0' || strcmp(opcode, "Info") == 0 ||
                 strcmp(opcode, "win:Info") == 0;
    if (schema->source == ETL_SCHEMA_TRACELOGGING) {
        return name[0] != '\0' ? name : NULL;
    }
    if (name[0] != '\0' || task[0] == '\0') {
        return name[0] != '\0' ? name : NULL;
    }
    if (plain) {
        return task;
    }
    opcode = strncmp(opcode, "win:", 4) == 0 ? opcode + 4 : opcode;
    return wmem_strdup_printf(pool, "%s/%s", task, opcode);
}

bool etl_is_kernel_event(const struct etl_record *record)
{
    return record->event.has_hook && record->event.kind->family != ETL_FAMILY_INSTANCE;
}

const char *etl_event_name(wmem_allocator_t *pool, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    if (etl_is_kernel_event(record)) {
        return etl_hook_text(event->hookid);
    }
    if (event->kind->family == ETL_FAMILY_FULL || event->kind->family == ETL_FAMILY_INSTANCE) {
        return event->has_provider ? etl_class_event_name(&event->provider, event->opcode) : NULL;
    }
    if (record->schema != NULL) {
        return described_name(pool, record->schema);
    }
    if (etl_event_source_is_chunk(event)) {
        return "ManifestData";
    }
    return event->items.size > 0 ? trace_logging_name(pool, event) : NULL;
}

static void add_unnamed_hook(struct etl_line *line, uint16_t hookid)
{
    const struct etl_group *group = etl_group_find((uint8_t)(hookid >> 8));
    if (group != NULL) {
        etl_line_text(line, group->class_name);
    } else {
        etl_line_text(line, "Group ");
        etl_line_number(line, hookid >> 8);
    }
    etl_line_text(line, "/Type ");
    etl_line_number(line, hookid & 0xFF);
}

/* What tells an event without a name from the others of its provider. */
static void add_number(struct etl_line *line, const struct etl_event *event)
{
    switch (event->kind->family) {
    case ETL_FAMILY_MODERN:
        etl_line_text(line, "Id ");
        etl_line_number(line, event->id);
        break;
    case ETL_FAMILY_MESSAGE:
        etl_line_text(line, "Message ");
        etl_line_number(line, event->id);
        break;
    case ETL_FAMILY_FULL:
    case ETL_FAMILY_INSTANCE:
        etl_line_text(line, "Type ");
        etl_line_number(line, event->opcode);
        break;
    default:
        etl_line_text(line, "Event");
    }
}

void etl_line_event_title(struct etl_line *line, wmem_allocator_t *pool,
                          const struct etl_record *record)
{
    const char *name = etl_event_name(pool, record);
    if (name != NULL) {
        etl_line_text(line, name);
    } else if (etl_is_kernel_event(record)) {
        add_unnamed_hook(line, record->event.hookid);
    } else {
        add_number(line, &record->event);
    }
}

const char *etl_event_title(wmem_allocator_t *pool, const struct etl_record *record)
{
    struct etl_line line;
    etl_line_start(&line);
    etl_line_event_title(&line, pool, record);
    return wmem_strdup(pool, line.text);
}

const char *etl_event_provider_name(wmem_allocator_t *pool, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    const char *name = event->items.size > 0 ? traits_name(pool, event) : NULL;
    if (name == NULL && record->provider_name.size > 2) {
        size_t room_size = record->provider_name.size / 2 * UTF8_PER_BYTE + 1;
        char *room = wmem_alloc(pool, room_size);
        etl_utf8_of_utf16(record->provider_name.at, record->provider_name.size, room, room_size);
        name = room[0] != '\0' ? room : NULL;
    }
    if (name == NULL && record->schema != NULL &&
        record->schema->texts[ETL_SCHEMA_PROVIDER][0] != '\0') {
        name = record->schema->texts[ETL_SCHEMA_PROVIDER];
    }
    if (name == NULL && event->has_provider) {
        name = etl_provider_name(&event->provider);
    }
    return name;
}

/* Statuses have Wireshark's own names, which their fields have borrowed. */
static const char *status_name(const struct etl_field *field, uint64_t number)
{
    const header_field_info *info = etl_shown(field)->info;
    bool status = field->type == ETL_TYPE_NTSTATUS || field->type == ETL_TYPE_WIN32ERROR ||
                  field->type == ETL_TYPE_HRESULT;
    if (!status || info->strings == NULL) {
        return NULL;
    }
    return info->display & BASE_EXT_STRING
               ? try_val_to_str_ext((uint32_t)number, (value_string_ext *)info->strings)
               : try_val_to_str((uint32_t)number, info->strings);
}

/* What the record calls an id; the Info column shows it beside the number. */
static size_t name_of(void *data, const struct etl_field *field, uint64_t number, char *room,
                      size_t size)
{
    size = MIN(size, NAME_SHOWN_MAX); /* a long path leaves room for what comes behind it */
    if (field->key == ETL_KEY_NONE) {
        const char *name = status_name(field, number);
        return name != NULL ? MIN(g_strlcpy(room, name, size), size - 1) : 0;
    }
    return etl_key_name(data, field->key, number, room, size);
}

struct etl_info_source etl_info_source_of(const struct etl_record *record)
{
    return (struct etl_info_source){.clock = &record->context.clock,
                                    .pointer_size = record->event.pointer_size,
                                    .name = name_of,
                                    .data = (void *)record};
}
