/*
 * Prints what the core decodes of each event that a schema describes, in time order, for
 * schema_compare.py:
 *
 *   buffer  offset  source  payload size  covered  notes  label=value …
 *
 * with tabs between. Labels and texts are in hexadecimal (UTF-8), bytes too; numbers are decimal.
 * Structs are "label{" and "}". The schema is the one that the event's record would carry.
 */
#include "value_dump.h"

#include "etl/items.h"
#include "etl/record.h"
#include "etl/schema.h"

#include <inttypes.h>
#include <stdio.h>

#define HASH_SIZE 8

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
    dump_sink_start(&self);
    struct etl_decoder decoder = {
        .sink = &self.sink, .clock = &entry->context->clock, .pointer_size = event->pointer_size};
    size_t covered = etl_schema_decode(&decoder, schema, event->payload.at, event->payload.size);
    printf("%" PRIu32 "\t%" PRIu32 "\t%s\t%zu\t%zu\t%u%s\n", entry->place.buffer,
           entry->place.offset, etl_schema_source_name(schema->source), event->payload.size,
           covered, self.notes, self.text);
    etl_schema_free(schema);
}

int main(int argc, char **argv)
{
    struct etl_entry entry;
    if (argc != 2) {
        fprintf(stderr, "usage: schema_dump FILE.etl\n");
        return 2;
    }
    etl_layouts_start();
    struct etl_file *file = dump_open(argv[1]);
    if (file == NULL) {
        return 1;
    }
    while (etl_file_next(file, &entry) == ETL_OK) {
        dump(file, &entry);
    }
    etl_file_close(file);
    return 0;
}
