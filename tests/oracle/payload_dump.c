/*
 * Prints what the core says of each kernel and classic event, in time order, for the scripts that compare it
 * with what other decoders say:
 *
 *   event  version  FILETIME  cpu  pid  tid  process  payload size  notes  name  label=value …
 *
 * with tabs between. The event is its hook id ("0524") or its class's GUID and type ("b3e675d7-…/36"). Ids and the
 * process's name are those that the event's record carries; "-" where it has none. The name is
 * class and type as the program shows them. Fields are as value_dump.h says.
 *
 * With -8 pointers of kernel events with a classic header have 8 bytes: for made-up logs of 64-bit systems whose
 * headers say otherwise.
 */
#include "value_dump.h"

#include "etl/decode.h"
#include "etl/guid.h"
#include "etl/hooks.h"
#include "etl/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool wide; /* -8 */

static void print_event(const struct etl_event *event)
{
    char guid[ETL_GUID_TEXT_SIZE];
    if (event->has_hook) {
        printf("%04x", event->hookid);
    } else {
        etl_guid_format(&event->provider, guid);
        printf("%s/%u", guid, event->opcode);
    }
    printf("\t%u", event->version);
}

/* What we call it: class and type. */
static void print_name(const struct etl_event *event)
{
    const struct etl_hook *hook = event->has_hook ? etl_hook_find(event->hookid) : NULL;
    const char *name = event->has_provider ? etl_class_event_name(&event->provider, event->opcode)
                                           : NULL;
    if (hook != NULL) {
        printf("\t%s/%s", hook->class_name, hook->event_name);
    } else {
        printf("\t%s", name != NULL ? name : "-");
    }
}

static void print_process(const struct etl_record *record)
{
    struct etl_record_name name;
    if (!record->has_ids) {
        printf("\t-\t-\t-");
        return;
    }
    printf("\t%" PRIu32 "\t%" PRIu32 "\t", record->process_id, record->thread_id);
    if (etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name)) {
        printf("%.*s", (int)name.text.size, (const char *)name.text.at);
    } else {
        printf("-");
    }
}

static void dump(struct etl_file *file, const struct etl_entry *entry)
{
    static struct dump_sink self;
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    const struct etl_record_options options = {0};
    struct etl_record record;
    int64_t filetime = 0;
    size_t size = etl_record_pack(entry, etl_file_keys(file), &options, room);
    if (!etl_record_unpack(room, size, &record)) {
        return;
    }
    struct etl_event *event = &record.event;
    if (wide && event->has_hook && event->kind->family == ETL_FAMILY_FULL) {
        event->pointer_size = 8;
    }
    const struct etl_layout *layout = etl_layout_of_event(event);
    if (event->kind->family == ETL_FAMILY_MODERN || event->kind->family == ETL_FAMILY_MESSAGE) {
        return;
    }
    dump_sink_start(&self);
    struct etl_decoder decoder = {
        .sink = &self.sink, .clock = &record.context.clock, .pointer_size = event->pointer_size};
    if (layout != NULL) {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    }
    etl_clock_filetime(&record.context.clock, record.raw_time, &filetime);
    print_event(event);
    printf("\t%" PRId64 "\t%u", filetime, record.place.cpu);
    print_process(&record);
    printf("\t%zu\t%u", event->payload.size, self.notes);
    print_name(event);
    printf("%s\n", self.text);
}

int main(int argc, char **argv)
{
    struct etl_entry entry;
    wide = argc == 3 && strcmp(argv[1], "-8") == 0;
    if (argc != 2 && !wide) {
        fprintf(stderr, "usage: payload_dump [-8] FILE.etl\n");
        return 2;
    }
    etl_layouts_start();
    struct etl_file *file = dump_open(argv[argc - 1]);
    if (file == NULL) {
        return 1;
    }
    while (etl_file_next(file, &entry) == ETL_OK) {
        dump(file, &entry);
    }
    etl_file_close(file);
    return 0;
}
