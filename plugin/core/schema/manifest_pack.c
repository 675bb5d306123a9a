/*
 * Packed schemas (schema.h) of the events of a manifest: their texts, and the fields of their
 * template.
 */
#include "core/schema/manifest_rows.h"
#include "core/schema/schema_writer.h"

#include <stdio.h>
#include <string.h>

#define OPCODE_RECEIVE 240

static void put_text(struct etl_schema_writer *writer, const char *text)
{
    etl_schema_put_text(writer, text, etl_manifest_clip(text, ETL_SCHEMA_TEXT_MAX - 1));
}

/* "win:ResponseTime MyKeyword" to "ResponseTime, My keyword". */
static void put_keywords(struct etl_schema_writer *writer, const struct etl_manifest *manifest,
                         const struct etl_manifest_event *event)
{
    char names[1024] = "";
    char name[256];
    size_t used = 0;
    const char *at = event->keywords + strspn(event->keywords, " \t\r\n");
    while (*at != '\0') {
        size_t length = strcspn(at, " \t\r\n");
        size_t kept = length < sizeof name ? length : sizeof name - 1;
        memcpy(name, at, kept);
        name[kept] = '\0';
        const char *shown = etl_manifest_shown_name(
            manifest, etl_manifest_find(manifest, event->provider, ETL_MANIFEST_KEYWORD, name),
            name);
        size_t left = sizeof names - used;
        int written = snprintf(names + used, left, "%s%.255s", used > 0 ? ", " : "", shown);
        if (written < 0 || (size_t)written >= left) {
            names[used] = '\0';
            break;
        }
        used += (size_t)written;
        at += length;
        at += strspn(at, " \t\r\n");
    }
    put_text(writer, names);
}

/* NULL when the event's fields are not known. */
static const struct etl_manifest_template *template_of(struct etl_manifest *manifest,
                                                       const struct etl_manifest_event *event)
{
    static const uint8_t nothing[1];
    static const struct etl_manifest_template none = {.packed = true, .bytes = {nothing, 0}};
    struct etl_manifest_template *templates = manifest->templates.rows;
    if (event->template_id[0] == '\0') {
        return &none;
    }
    const struct etl_manifest_name *name = etl_manifest_find(
        manifest, event->provider, ETL_MANIFEST_TEMPLATE, event->template_id);
    if (name == NULL) {
        etl_manifest_add_problem(manifest, event->line, "no template is called \"%.60s\"",
                                 event->template_id);
        return NULL;
    }
    struct etl_manifest_template *template = &templates[name->value];
    if (!template->packed) {
        etl_manifest_pack_template(manifest, template);
    }
    return template->bytes.at != NULL ? template : NULL;
}

/* Those of Windows, where no opcode element says. */
static uint8_t standard_opcode(const char *name)
{
    static const char *const opcodes[] = {
        "win:Info",      "win:Start", "win:Stop",   "win:DC_Start", "win:DC_Stop",
        "win:Extension", "win:Reply", "win:Resume", "win:Suspend",  "win:Send"};
    uint8_t value = 0;
    while (value < sizeof opcodes / sizeof opcodes[0] && strcmp(opcodes[value], name) != 0) {
        value++;
    }
    if (value == sizeof opcodes / sizeof opcodes[0]) {
        return strcmp(name, "win:Receive") == 0 ? OPCODE_RECEIVE : 0;
    }
    return value;
}

/* An opcode may be the task's own. */
static const struct etl_manifest_name *opcode_of(const struct etl_manifest *manifest,
                                                 const struct etl_manifest_event *event,
                                                 const struct etl_manifest_name *task)
{
    struct etl_manifest_name key = {.name = event->opcode,
                                    .scope = event->provider + 1,
                                    .kind = ETL_MANIFEST_OPCODE,
                                    .task = task != NULL ? task->order + 1 : 0};
    const struct etl_manifest_name *row = etl_manifest_look_up(manifest, &key);
    key.task = 0;
    return row != NULL ? row : etl_manifest_look_up(manifest, &key);
}

static size_t pack_event(struct etl_manifest *manifest, const struct etl_manifest_event *event,
                         enum etl_schema_source source, uint8_t *room, uint8_t *ret_opcode)
{
    const struct etl_manifest_template *template = template_of(manifest, event);
    const struct etl_manifest_provider_row *providers = manifest->providers.rows;
    if (template == NULL) {
        return 0;
    }
    const struct etl_manifest_name *task = etl_manifest_find(manifest, event->provider,
                                                             ETL_MANIFEST_TASK, event->task);
    const struct etl_manifest_name *opcode = opcode_of(manifest, event, task);
    const struct etl_manifest_name *level = etl_manifest_find(manifest, event->provider,
                                                              ETL_MANIFEST_LEVEL, event->level);
    const struct etl_manifest_name *channel = etl_manifest_find(
        manifest, event->provider, ETL_MANIFEST_CHANNEL, event->channel);
    struct etl_schema_writer writer = {.at = room, .end = room + ETL_SCHEMA_SIZE_MAX};
    *ret_opcode = opcode != NULL ? (uint8_t)opcode->value : standard_opcode(event->opcode);
    etl_schema_put_u8(&writer, ETL_SCHEMA_PACKED_VERSION);
    etl_schema_put_u8(&writer, source);
    etl_schema_put_u16(&writer, template->count);
    etl_schema_put_u16(&writer, template->top);
    etl_schema_put_u16(&writer, template->maps);
    put_text(&writer, event->symbol);
    put_text(&writer, providers[event->provider].name);
    put_text(&writer, etl_manifest_shown_name(manifest, task, event->task));
    put_text(&writer, etl_manifest_shown_name(manifest, opcode, event->opcode));
    put_text(&writer, etl_manifest_shown_name(manifest, level, event->level));
    put_keywords(&writer, manifest, event);
    put_text(&writer, etl_manifest_resolve(manifest, event->message));
    put_text(&writer, etl_manifest_shown_name(manifest, channel, event->channel));
    etl_schema_put(&writer, template->bytes.at, template->bytes.size);
    return writer.failed ? 0 : (size_t)(writer.at - room);
}

void etl_manifest_add_schemas(struct etl_manifest *manifest, enum etl_schema_source source,
                              uint16_t origin, struct etl_schema_set *set)
{
    uint8_t room[ETL_SCHEMA_SIZE_MAX];
    const struct etl_manifest_event *events = manifest->events.rows;
    const struct etl_manifest_provider_row *providers = manifest->providers.rows;
    for (size_t i = 0; manifest->whole && i < manifest->events.count; i++) {
        struct etl_schema_key key = {.provider = providers[events[i].provider].guid,
                                     .id = events[i].id,
                                     .version = events[i].version,
                                     .origin = origin};
        struct etl_span packed = {.at = room};
        packed.size = pack_event(manifest, &events[i], source, room, &key.opcode);
        if (packed.size > 0 && !etl_schema_set_add(set, &key, packed)) {
            etl_manifest_add_problem(manifest, events[i].line,
                                     "there is no room for this event and those behind it");
            return;
        }
    }
}
