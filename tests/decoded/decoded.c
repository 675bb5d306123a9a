/*
 * Walks traces and prints, for each kernel or classic event, version and pointer size: how many
 * there are, how many are decoded, and which values look odd.
 *
 *     decoded [-v] [-8] FILE…   -v: the first event of each row as text, field by field and by its
 *                               template; -8: pointers of kernel events with a classic header
 *                               have 8 bytes, for made-up logs whose headers say otherwise
 *
 * Decoded means: the rows cover the payload, the last one ends by its own rule, texts are
 * terminated or flagged; packed text expands to the size that it claims, and a description of
 * events can be read as a schema. Any other last field that takes whatever is left counts as
 * swallowed, not decoded.
 *
 * Ends with 1 when a file cannot be read, an event with a layout is truncated, or something is odd
 * or not decoded that explained.c has no reason for.
 */
#include "decoded.h"

#include "core/schema/event_metadata.h"
#include "etl/hooks.h"
#include "etl/info.h"
#include "etl/packed_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX 512

#define HOOK_PROCESS_DC_START 0x0303
#define HOOK_PROCESS_DC_END   0x0304
#define HOOK_THREAD_DC_START  0x0503
#define HOOK_THREAD_DC_END    0x0504

static struct row rows[ROWS_MAX];
static size_t row_count;
static bool verbose;
static unsigned explained; /* reasons given, and missing */
static unsigned unexplained;
static uint8_t classic_pointer_size; /* 0: as the header says */

struct judge_sink {
    struct etl_sink sink;
    struct row *row;
    const struct setting *setting;
    const struct etl_field *last;
    bool truncated, unterminated, example;
};

static void put_example(struct row *row, const struct etl_field *field,
                        const struct etl_value *value)
{
    size_t length = strlen(row->example);
    size_t left = sizeof row->example - length;
    int used = snprintf(row->example + length, left, "%s%s=", length > 0 ? ", " : "", field->label);
    if (used > 0 && (size_t)used < left) {
        etl_value_format(field, value, row->example + length + used, left - (size_t)used);
    }
}

static void show(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct judge_sink *self = (struct judge_sink *)sink;
    if (field->hidden) {
        return;
    }
    judge(self->row, self->setting, field, value);
    self->last = field->part ? self->last : field;
    if (self->example) {
        put_example(self->row, field, value);
    }
}

static void take_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                      const char *detail)
{
    (void)at, (void)size, (void)detail;
    struct judge_sink *self = (struct judge_sink *)sink;
    self->truncated |= note == ETL_NOTE_TRUNCATED;
    self->unterminated |= note == ETL_NOTE_NO_TERMINATOR;
}

static struct row *row_of(const char *name, const struct etl_event *event)
{
    for (size_t i = 0; i < row_count; i++) {
        struct row *row = &rows[i];
        if (row->version == event->version && row->pointer_size == event->pointer_size &&
            strcmp(row->name, name) == 0) {
            return row;
        }
    }
    if (row_count == ROWS_MAX) {
        fprintf(stderr, "decoded: more than %d rows\n", ROWS_MAX);
        exit(EXIT_FAILURE);
    }
    struct row *row = &rows[row_count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    row->version = event->version;
    row->pointer_size = event->pointer_size;
    return row;
}

/* "0524 Thread/CSwitch", "ImageID/DbgID_RSDS", or class GUID and type. */
static void name_event(const struct etl_event *event, char *room, size_t size)
{
    if (event->has_hook) {
        const struct etl_hook *hook = etl_hook_find(event->hookid);
        snprintf(room, size, "%04x %s/%s%s", event->hookid, hook != NULL ? hook->class_name : "?",
                 hook != NULL ? hook->event_name : "?",
                 event->kind->family == ETL_FAMILY_FULL ? " (classic)" : "");
        return;
    }
    const char *name = etl_class_event_name(&event->provider, event->opcode);
    char guid[ETL_GUID_TEXT_SIZE];
    etl_guid_format(&event->provider, guid);
    if (name != NULL && strchr(name, '/') != NULL) {
        snprintf(room, size, "     %s", name);
    } else {
        snprintf(room, size, "     %s type %u", name != NULL ? name : guid, event->opcode);
    }
}

/* Packed text that can be expanded to the size that the event says. */
static bool expands(const struct etl_event *event)
{
    static uint8_t room[ETL_PACKED_TEXT_MAX];
    struct etl_packed_text text;
    return etl_packed_text_of_event(event, &text) && !text.cut &&
           etl_packed_text_expand(&text, room) == text.size;
}

static bool find_no_map(const void *data, const struct etl_guid *provider,
                        struct etl_span utf16_name, struct etl_span *ret_map)
{
    (void)data, (void)provider, (void)utf16_name, (void)ret_map;
    return false;
}

/* A TRACE_EVENT_INFO. */
static bool is_schema(const struct etl_event *event)
{
    static uint8_t room[ETL_SCHEMA_SIZE_MAX];
    const struct etl_map_source no_maps = {.find = find_no_map};
    return etl_event_metadata_pack(event->payload, &no_maps, room) > 0;
}

/* A field that takes all that is left, whatever it is. */
static bool swallows(const struct etl_event *event, const struct etl_field *last)
{
    if (last != NULL && last->xml_size != NULL) {
        return !expands(event);
    }
    if (last != NULL && strcmp(last->label, "TraceEventInfo") == 0) {
        return !is_schema(event);
    }
    return last != NULL && last->type == ETL_TYPE_BYTES && last->count_row < 0 && last->length == 0;
}

static void put_info(struct row *row, const struct etl_layout *layout,
                     const struct etl_decoder *decoder, const struct etl_span *payload)
{
    struct etl_info_source source = {.clock = decoder->clock,
                                     .pointer_size = decoder->pointer_size};
    etl_info_format(&source, layout, payload->at, payload->size, row->info, sizeof row->info);
}

static void count_event(struct etl_entry *entry, struct setting *setting)
{
    struct etl_event *event = &entry->event;
    if (classic_pointer_size != 0 && event->has_hook && event->kind->family == ETL_FAMILY_FULL) {
        event->pointer_size = classic_pointer_size;
    }
    char name[sizeof rows[0].name];
    name_event(event, name, sizeof name);
    struct row *row = row_of(name, event);
    row->events++;
    const struct etl_layout *layout = etl_layout_of_event(event);
    row->known = layout != NULL;
    if (layout == NULL) {
        return;
    }
    setting->raw_time = entry->raw_time;
    etl_clock_filetime(&entry->context->clock, entry->raw_time, &setting->filetime);
    struct judge_sink sink = {.sink = {.value = show,
                                       .begin = etl_ignore_begin,
                                       .end = etl_ignore_end,
                                       .note = take_note},
                              .row = row,
                              .setting = setting,
                              .example = verbose && row->events == 1};
    struct etl_decoder decoder = {
        .sink = &sink.sink, .clock = &entry->context->clock, .pointer_size = event->pointer_size};
    size_t covered = etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    if (sink.example) {
        put_info(row, layout, &decoder, &event->payload);
    }
    bool surplus = covered < event->payload.size && !sink.truncated;
    bool swallowed = swallows(event, sink.last);
    row->surplus += surplus;
    row->truncated += sink.truncated;
    row->swallowed += swallowed;
    row->unterminated += sink.unterminated;
    row->decoded += !surplus && !sink.truncated && !swallowed;
}

static bool is_ours(const struct etl_event *event)
{
    return event->has_hook || event->kind->family == ETL_FAMILY_FULL ||
           event->kind->family == ETL_FAMILY_INSTANCE;
}

static struct etl_file *open_trace(const char *path)
{
    int descriptor = open(path, O_RDONLY);
    struct etl_source *source = descriptor >= 0 ? etl_source_of_descriptor(descriptor) : NULL;
    struct etl_file_options options = {0};
    struct etl_file *file = NULL;
    char message[256] = "cannot be opened";
    if (source == NULL ||
        etl_file_open(source, &options, &file, message, sizeof message) != ETL_OK) {
        fprintf(stderr, "decoded: %s: %s\n", path, message);
    }
    return file;
}

/* Which of both a trace lists: else ids that it knows nothing of are no wonder. */
static bool find_lists(const char *path, struct setting *setting)
{
    struct etl_file *file = open_trace(path);
    struct etl_entry entry;
    if (file == NULL) {
        return false;
    }
    etl_file_index(file, NULL, NULL);
    while (etl_file_next(file, &entry) == ETL_OK) {
        uint16_t hookid = entry.event.has_hook ? entry.event.hookid : 0;
        setting->processes_known |= hookid == HOOK_PROCESS_DC_START ||
                                    hookid == HOOK_PROCESS_DC_END;
        setting->threads_known |= hookid == HOOK_THREAD_DC_START || hookid == HOOK_THREAD_DC_END;
    }
    etl_file_close(file);
    return true;
}

static bool walk(const char *path)
{
    struct setting setting = {0};
    struct etl_file *file = find_lists(path, &setting) ? open_trace(path) : NULL;
    if (file == NULL) {
        return false;
    }
    setting.info = etl_file_info(file);
    setting.keys = etl_file_keys(file);
    etl_file_index(file, NULL, NULL);
    struct etl_entry entry;
    enum etl_status status;
    while ((status = etl_file_next(file, &entry)) == ETL_OK) {
        if (is_ours(&entry.event)) {
            count_event(&entry, &setting);
        }
    }
    etl_file_close(file);
    return status == ETL_END || status == ETL_CUT_SHORT;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    int order = strcmp(a->name, b->name);
    if (order == 0) {
        order = (int)a->version - (int)b->version;
    }
    return order != 0 ? order : (int)a->pointer_size - (int)b->pointer_size;
}

static void print_reason(const char *reason)
{
    printf("            %s\n", reason != NULL ? reason : "UNEXPLAINED");
    explained += reason != NULL;
    unexplained += reason == NULL;
}

static void print_row(const struct row *row)
{
    printf("%-58s v%u %u-bit %8llu %8llu", row->name, row->version, row->pointer_size * 8U,
           (unsigned long long)row->events, (unsigned long long)row->decoded);
    const struct {
        const char *name;
        uint64_t count;
    } rest[] = {{"surplus", row->surplus},
                {"truncated", row->truncated},
                {"swallowed", row->swallowed},
                {"unterminated", row->unterminated}};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        if (rest[i].count > 0) {
            printf("  %s %llu", rest[i].name, (unsigned long long)rest[i].count);
        }
    }
    printf("%s\n", row->known ? "" : "  no layout");
    if (row->decoded < row->events) {
        print_reason(explain_undecoded(row));
    }
    for (size_t i = 0; i < row->odd_count; i++) {
        const struct odd *odd = &row->odds[i];
        printf("        %s of %s: %llu, e.g. %s\n", oddity_name(odd->what), odd->field->label,
               (unsigned long long)odd->count, odd->example);
        print_reason(explain_oddity(row, odd));
    }
    if (verbose && row->known) {
        printf("        %s\n        = %s\n", row->example, row->info);
    }
}

int main(int count, char **arguments)
{
    int first = 1;
    for (; first < count && arguments[first][0] == '-'; first++) {
        verbose |= strcmp(arguments[first], "-v") == 0;
        classic_pointer_size = strcmp(arguments[first], "-8") == 0 ? 8 : classic_pointer_size;
    }
    if (first == count) {
        fprintf(stderr, "usage: decoded [-v] [-8] FILE...\n");
        return EXIT_FAILURE;
    }
    etl_layouts_start();
    bool good = true;
    for (int i = first; i < count; i++) {
        good &= walk(arguments[i]);
    }
    qsort(rows, row_count, sizeof rows[0], compare_rows);
    uint64_t events = 0, decoded = 0, unknown = 0, truncated = 0;
    for (size_t i = 0; i < row_count; i++) {
        print_row(&rows[i]);
        events += rows[i].events;
        decoded += rows[i].decoded;
        unknown += rows[i].known ? 0 : rows[i].events;
        truncated += rows[i].truncated;
    }
    printf("%llu events, %llu decoded, %llu without a layout, %llu truncated, "
           "%u exceptions explained, %u not\n",
           (unsigned long long)events, (unsigned long long)decoded, (unsigned long long)unknown,
           (unsigned long long)truncated, explained, unexplained);
    return good && truncated == 0 && unexplained == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
