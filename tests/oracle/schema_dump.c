/*
 * Prints what the core decodes of each event that a schema describes, in time order, for
 * schema_compare.py:
 *
 *   buffer  offset  source  payload size  covered  notes  label=value …
 *
 * with tabs between. Labels and texts are in hexadecimal (UTF-8), bytes too; numbers are decimal.
 * Structs are "label{" and "}". The schema is the one that the event's record would carry.
 */
#include "etl/items.h"
#include "etl/record.h"
#include "etl/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM      262144
#define HASH_SIZE 8

struct dump_sink {
    struct etl_sink sink;
    unsigned notes;
    size_t length;
    char text[1 << 20];
};

static void put(struct dump_sink *self, const char *text)
{
    size_t length = strlen(text);
    if (length < sizeof self->text - self->length) {
        memcpy(self->text + self->length, text, length + 1);
        self->length += length;
    }
}

static void put_hex(struct dump_sink *self, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) {
        char two[3];
        snprintf(two, sizeof two, "%02x", at[i]);
        put(self, two);
    }
}

static void put_text(struct dump_sink *self, const struct etl_value *value)
{
    static char room[ROOM];
    size_t length = value->encoding == ETL_ENCODING_UTF16
                        ? etl_utf8_of_utf16(value->bytes, value->length, room, sizeof room)
                        : etl_utf8_of_ansi(value->bytes, value->length, room, sizeof room);
    put_hex(self, room, length);
}

static void put_value(struct dump_sink *self, enum etl_shape shape, const struct etl_value *value)
{
    char number[32];
    switch (shape) {
    case ETL_SHAPE_NUMBER:
    case ETL_SHAPE_BOOLEAN:
        snprintf(number, sizeof number, "%" PRIu64, value->number);
        put(self, number);
        break;
    case ETL_SHAPE_SIGNED:
    case ETL_SHAPE_TIME:
        snprintf(number, sizeof number, "%" PRId64, (int64_t)value->number);
        put(self, number);
        break;
    case ETL_SHAPE_TEXT:
        put_text(self, value);
        break;
    default:
        put_hex(self, value->bytes, value->length);
    }
}

static void show(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct dump_sink *self = (struct dump_sink *)sink;
    put(self, "\t");
    put_hex(self, field->label, strlen(field->label));
    put(self, "=");
    put_value(self, etl_type_facts(field->type)->shape, value);
}

static void begin(struct etl_sink *sink, const struct etl_field *field, const char *title,
                  const uint8_t *at, size_t size)
{
    (void)title, (void)at, (void)size;
    struct dump_sink *self = (struct dump_sink *)sink;
    put(self, "\t");
    put_hex(self, field->label, strlen(field->label));
    put(self, "{");
}

static void end(struct etl_sink *sink)
{
    put((struct dump_sink *)sink, "\t}");
}

static void count_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                       const char *detail)
{
    (void)note, (void)at, (void)size, (void)detail;
    ((struct dump_sink *)sink)->notes++;
}

static struct etl_schema *schema_of(const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_span item;
    if (event->kind->family != ETL_FAMILY_MODERN) {
        return NULL;
    }
    if (etl_items_find(event, ETL_ITEM_EVENT_SCHEMA_TL, &item)) {
        return etl_schema_of_tracelogging(item);
    }
    if (record->packed_schema.size <= HASH_SIZE) {
        return NULL;
    }
    item.at = record->packed_schema.at + HASH_SIZE;
    item.size = record->packed_schema.size - HASH_SIZE;
    return etl_schema_unpack(item);
}

static void dump(struct etl_file *file, const struct etl_entry *entry)
{
    static struct dump_sink self;
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    const struct etl_record_options options = {.no_names = true};
    struct etl_record record;
    size_t size = etl_record_pack(entry, etl_file_keys(file), &options, room);
    struct etl_schema *schema = etl_record_unpack(room, size, &record) ? schema_of(&record) : NULL;
    if (schema == NULL) {
        return;
    }
    const struct etl_event *event = &record.event;
    self.sink = (struct etl_sink){.value = show, .begin = begin, .end = end, .note = count_note};
    self.notes = 0;
    self.length = 0;
    self.text[0] = '\0';
    struct etl_decoder decoder = {
        .sink = &self.sink, .clock = &entry->context->clock, .pointer_size = event->pointer_size};
    size_t covered = etl_schema_decode(&decoder, schema, event->payload.at, event->payload.size);
    printf("%" PRIu32 "\t%" PRIu32 "\t%s\t%zu\t%zu\t%u%s\n", entry->place.buffer,
           entry->place.offset, etl_schema_source_name(schema->source), event->payload.size,
           covered, self.notes, self.text);
    etl_schema_free(schema);
}

static struct etl_file *open_trace(const char *path)
{
    char message[256] = "";
    struct etl_file_options options = {0};
    struct etl_file *file;
    int fd = open(path, O_RDONLY);
    struct etl_source *source = fd >= 0 ? etl_source_of_descriptor(fd) : NULL;
    if (source == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    if (etl_file_open(source, &options, &file, message, sizeof message) != ETL_OK) {
        fprintf(stderr, "%s: %s\n", path, message);
        etl_source_close(source);
        return NULL;
    }
    return file;
}

int main(int argc, char **argv)
{
    struct etl_entry entry;
    if (argc != 2) {
        fprintf(stderr, "usage: schema_dump FILE.etl\n");
        return 2;
    }
    etl_layouts_start();
    struct etl_file *file = open_trace(argv[1]);
    if (file == NULL) {
        return 1;
    }
    while (etl_file_next(file, &entry) == ETL_OK) {
        dump(file, &entry);
    }
    etl_file_close(file);
    return 0;
}
