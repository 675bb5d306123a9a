/*
 * Prints what the core says of each modern event, in time order, for the script that compares it with what
 * TraceEvent says:
 *
 *   provider  id  version  FILETIME  cpu  pid  tid  process  payload size  source  label=number=text …  !notes
 *
 * with tabs between; before them a line with the trace's StartTime. Ids and the process's name are those that the event's record carries; "-" where it has none.
 * Labels and texts are in hexadecimal (UTF-8); the text is as the Info column has it, the number is empty for
 * fields that are none. Fields of structs are among the others.
 */
#include "value_dump.h"

#include "etl/builtin.h"
#include "etl/decode.h"
#include "etl/info.h"
#include "etl/items.h"
#include "etl/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HASH_SIZE 8
#define TEXT_ROOM 131072

static void put(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        printf("%02x", (uint8_t)text[i]);
    }
}

static void show(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    static char text[TEXT_ROOM];
    enum etl_shape shape = etl_type_facts(field->type)->shape;
    (void)sink;
    printf("\t");
    put(field->label, strlen(field->label));
    printf("=");
    if (shape == ETL_SHAPE_SIGNED || shape == ETL_SHAPE_TIME) {
        printf("%" PRId64, (int64_t)value->number);
    } else if (shape == ETL_SHAPE_NUMBER || shape == ETL_SHAPE_BOOLEAN) {
        printf("%" PRIu64, value->number);
    }
    printf("=");
    size_t length = etl_value_format(field, value, text, sizeof text);
    if (shape == ETL_SHAPE_TEXT && value->encoding == ETL_ENCODING_UTF16) {
        length = etl_utf8_of_utf16(value->bytes, value->length, text, sizeof text);
    }
    put(text, length);
}

struct note_sink {
    struct etl_sink sink;
    unsigned notes;
};

static void count_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                       const char *detail)
{
    (void)note, (void)at, (void)size, (void)detail;
    ((struct note_sink *)sink)->notes++;
}

/* As the dissector finds it; owned. */
static struct etl_schema *schema_of(const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_span item;
    struct etl_builtin_match match;
    if (etl_items_find(event, ETL_ITEM_EVENT_SCHEMA_TL, &item) && item.size > 0) {
        return etl_schema_of_tracelogging(item);
    }
    if (record->packed_schema.size > HASH_SIZE) {
        item = record->packed_schema;
        item.at += HASH_SIZE;
        item.size -= HASH_SIZE;
        return etl_schema_unpack(item);
    }
    if (etl_layout_of_event(event) != NULL ||
        !etl_builtin_find(&event->provider, event->id, event->version, &match)) {
        return NULL;
    }
    return etl_builtin_schema(&match);
}

static void print_head(const struct etl_record *record, const char *source)
{
    const struct etl_event *event = &record->event;
    char guid[ETL_GUID_TEXT_SIZE];
    struct etl_record_name name = {.text = {.at = (const uint8_t *)"-", .size = 1}};
    int64_t filetime = 0;
    etl_guid_format(&event->provider, guid);
    etl_clock_filetime(&record->context.clock, record->raw_time, &filetime);
    etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name);
    printf("%s\t%u\t%u\t%" PRId64 "\t%u\t%" PRIu32 "\t%" PRIu32 "\t%.*s\t%zu\t%s", guid, event->id,
           event->version, filetime, record->place.cpu, event->process_id, event->thread_id,
           (int)name.text.size, (const char *)name.text.at, event->payload.size, source);
}

static void decode(const struct etl_record *record, const struct etl_schema *schema,
                   struct etl_sink *sink)
{
    const struct etl_span *payload = &record->event.payload;
    struct etl_decoder decoder = {
        .sink = sink, .clock = &record->context.clock, .pointer_size = record->event.pointer_size};
    const struct etl_layout *layout = etl_layout_of_event(&record->event);
    if (schema != NULL) {
        etl_schema_decode(&decoder, schema, payload->at, payload->size);
    } else if (layout != NULL) {
        etl_decode_layout(&decoder, layout, payload->at, payload->size);
    }
}

static void dump(struct etl_file *file, const struct etl_entry *entry)
{
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    const struct etl_record_options options = {0};
    struct etl_record record;
    size_t size = etl_record_pack(entry, etl_file_keys(file), &options, room);
    if (!etl_record_unpack(room, size, &record) || record.event.kind->family != ETL_FAMILY_MODERN) {
        return;
    }
    struct etl_schema *schema = schema_of(&record);
    struct note_sink sink = {
        .sink = {
            .value = show, .begin = etl_ignore_begin, .end = etl_ignore_end, .note = count_note}};
    print_head(&record, schema != NULL ? etl_schema_source_name(schema->source) : "layout");
    decode(&record, schema, &sink.sink);
    printf("\t!%u\n", sink.notes);
    etl_schema_free(schema);
}

int main(int argc, char **argv)
{
    struct etl_entry entry;
    if (argc != 2) {
        fprintf(stderr, "usage: described_dump FILE.etl\n");
        return 2;
    }
    etl_layouts_start();
    struct etl_file *file = dump_open(argv[1]);
    if (file == NULL) {
        return 1;
    }
    printf("%" PRId64 "\n", etl_file_info(file)->start_time);
    while (etl_file_next(file, &entry) == ETL_OK) {
        dump(file, &entry);
    }
    etl_file_close(file);
    return 0;
}
