/*
 * Walks traces and prints, for each source of descriptions and each provider, how many of its modern
 * events there are and how many are decoded.
 *
 *     coverage FILE…
 *
 * Decoded means: the fields cover the payload, the last one ends by its own rule, texts are
 * terminated or flagged, and valid. An event without a payload that somebody describes has nothing
 * to decode, and is. Descriptions are tried in the dissector's order. Ends with 1 when a file cannot
 * be read.
 */
#include "etl/builtin.h"
#include "etl/decode.h"
#include "etl/embedded.h"
#include "etl/event_source.h"
#include "etl/file.h"
#include "etl/items.h"
#include "etl/packet.h"
#include "etl/providers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 4096

/* Of the packed schema of a record. */
#define HASH_SIZE 8

/* Sources beyond those of schemas. */
enum {
    LAYOUT = ETL_SCHEMA_SOURCE_COUNT, /* rows of plugin/layouts, mostly around packets */
    MANIFEST,                         /* a part of an EventSource's manifest */
    STRING,
    NONE,
    SOURCE_COUNT
};

struct row {
    unsigned source;
    struct etl_guid provider;
    unsigned long long events;
    unsigned long long decoded;
    unsigned long long why[5]; /* of those that are not, by enum reason */
};

enum reason { TRUNCATED, SURPLUS, SWALLOWED, BAD_TEXT, NOTHING_KNOWN, REASON_COUNT };

static const char *const reasons[REASON_COUNT] = {"truncated", "surplus", "swallowed", "bad text",
                                                  "no description"};

static struct row rows[ROWS_MAX];
static size_t row_count;

struct judge {
    struct etl_sink sink;
    const struct etl_field *last;
    bool bad_text;
};

/* Lone surrogates are no text. */
static bool is_utf16(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i += 2) {
        unsigned unit = etl_load_u16(text + i);
        unsigned next = i + 3 < length ? etl_load_u16(text + i + 2) : 0;
        if (unit >= 0xD800 && unit < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            i += 2;
        } else if (unit >= 0xD800 && unit < 0xE000) {
            return false;
        }
    }
    return true;
}

static void look(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct judge *self = (struct judge *)sink;
    self->last = field->part || field->hidden ? self->last : field;
    if (etl_type_facts(field->type)->shape == ETL_SHAPE_TEXT &&
        value->encoding == ETL_ENCODING_UTF16) {
        self->bad_text |= !is_utf16(value->bytes, value->length);
    }
}

/* A field that takes all that is left, whatever it is. */
static bool swallows(const struct etl_field *last)
{
    if (last == NULL || last->type != ETL_TYPE_BYTES) {
        return false;
    }
    if (last->described) {
        return ((const struct etl_schema_field *)(const void *)last)->length_mode ==
               ETL_QUANTITY_NATURAL;
    }
    return last->count_row < 0 && last->length == 0;
}

/* The first of what nothing can be said for; REASON_COUNT: it is decoded. */
static enum reason judge(const struct etl_entry *entry, const struct etl_schema *schema,
                         const struct etl_layout *layout)
{
    const struct etl_span *payload = &entry->event.payload;
    bool truncated = false;
    struct judge sink = {.sink = {.value = look,
                                  .begin = etl_ignore_begin,
                                  .end = etl_ignore_end,
                                  .note = etl_ignore_note}};
    struct etl_decoder decoder = {.sink = &sink.sink,
                                  .clock = &entry->context->clock,
                                  .pointer_size = entry->event.pointer_size,
                                  .truncated = &truncated};
    size_t covered = schema != NULL
                         ? etl_schema_decode(&decoder, schema, payload->at, payload->size)
                         : etl_decode_layout(&decoder, layout, payload->at, payload->size);
    return truncated                 ? TRUNCATED
           : covered < payload->size ? SURPLUS
           : swallows(sink.last)     ? SWALLOWED
           : sink.bad_text           ? BAD_TEXT
                                     : REASON_COUNT;
}

static struct row *row_of(unsigned source, const struct etl_guid *provider)
{
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].source == source && etl_guid_equal(&rows[i].provider, provider)) {
            return &rows[i];
        }
    }
    if (row_count == ROWS_MAX) {
        fprintf(stderr, "coverage: more than %d rows\n", ROWS_MAX);
        exit(EXIT_FAILURE);
    }
    rows[row_count] = (struct row){.source = source, .provider = *provider};
    return &rows[row_count++];
}

static struct etl_schema *unpacked(struct etl_span item)
{
    item.at += HASH_SIZE;
    item.size -= HASH_SIZE;
    return etl_schema_unpack(item);
}

/* Owned; NULL: no schema describes it. */
static struct etl_schema *schema_of(const struct etl_event *event, const struct etl_keys *keys)
{
    struct etl_span item;
    struct etl_packet packet;
    struct etl_builtin_match match;
    if (etl_items_find(event, ETL_ITEM_EVENT_SCHEMA_TL, &item) && item.size > 0) {
        return etl_schema_of_tracelogging(item);
    }
    if (!etl_packet_of_event(event, &packet) && /* those have layouts */
        (etl_embedded_find(etl_keys_embedded(keys), event, &item) ||
         etl_event_sources_find(etl_keys_event_sources(keys), event, &item))) {
        return unpacked(item);
    }
    if (etl_event_is_string(event) || etl_layout_of_event(event) != NULL ||
        !etl_builtin_find(&event->provider, event->id, event->version, &match)) {
        return NULL;
    }
    return etl_builtin_schema(&match);
}

static bool is_manifest(const struct etl_event *event)
{
    return event->id == 0xFFFE && event->opcode == 0xFE && event->task == 0xFFFE;
}

static void count_event(const struct etl_entry *entry, const struct etl_keys *keys)
{
    const struct etl_event *event = &entry->event;
    const struct etl_layout *layout = etl_layout_of_event(event);
    struct etl_schema *schema = schema_of(event, keys);
    bool string = etl_event_is_string(event);
    unsigned source = schema != NULL       ? (unsigned)schema->source
                      : layout != NULL     ? LAYOUT
                      : is_manifest(event) ? MANIFEST
                      : string             ? STRING
                                           : NONE;
    struct row *row = row_of(source, &event->provider);
    enum reason reason = REASON_COUNT;
    if (source == NONE) {
        reason = NOTHING_KNOWN;
    } else if (schema != NULL || (layout != NULL && event->payload.size > 0)) {
        reason = judge(entry, schema, layout);
    }
    row->events++;
    row->decoded += reason == REASON_COUNT;
    if (reason < REASON_COUNT) {
        row->why[reason]++;
    }
    etl_schema_free(schema);
}

static bool walk(const char *path)
{
    int descriptor = open(path, O_RDONLY);
    struct etl_source *source = descriptor >= 0 ? etl_source_of_descriptor(descriptor) : NULL;
    struct etl_file_options options = {0};
    struct etl_file *file;
    char message[256] = "cannot be opened";
    if (source == NULL ||
        etl_file_open(source, &options, &file, message, sizeof message) != ETL_OK) {
        fprintf(stderr, "coverage: %s: %s\n", path, message);
        return false;
    }
    struct etl_entry entry;
    enum etl_status status;
    etl_file_index(file, NULL, NULL);
    while ((status = etl_file_next(file, &entry)) == ETL_OK) {
        if (entry.event.kind->family == ETL_FAMILY_MODERN) {
            count_event(&entry, etl_file_keys(file));
        }
    }
    etl_file_close(file);
    return status == ETL_END || status == ETL_CUT_SHORT;
}

static const char *source_name(unsigned source)
{
    static const char *const names[] = {"layout", "manifest chunk", "string", "none"};
    return source < ETL_SCHEMA_SOURCE_COUNT ? etl_schema_source_name(source)
                                            : names[source - ETL_SCHEMA_SOURCE_COUNT];
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    if (a->source != b->source) {
        return (int)a->source - (int)b->source;
    }
    return a->events < b->events   ? 1
           : a->events > b->events ? -1
                                   : memcmp(&a->provider, &b->provider, sizeof a->provider);
}

static void print_row(const char *source, const char *provider, const struct row *row)
{
    printf("%-24s %-60s %8llu %8llu", source, provider, row->events, row->decoded);
    for (size_t i = 0; i < REASON_COUNT; i++) {
        if (row->why[i] > 0) {
            printf("  %s %llu", reasons[i], row->why[i]);
        }
    }
    printf("\n");
}

static void print_provider(const struct row *row)
{
    char guid[ETL_GUID_TEXT_SIZE];
    const char *name = etl_provider_name(&row->provider);
    etl_guid_format(&row->provider, guid);
    print_row(source_name(row->source), name != NULL ? name : guid, row);
}

static void add(struct row *sum, const struct row *row)
{
    sum->events += row->events;
    sum->decoded += row->decoded;
    for (size_t i = 0; i < REASON_COUNT; i++) {
        sum->why[i] += row->why[i];
    }
}

int main(int count, char **arguments)
{
    struct row sums[SOURCE_COUNT] = {0};
    struct row all = {0};
    bool good = count > 1;
    etl_layouts_start();
    for (int i = 1; i < count; i++) {
        good &= walk(arguments[i]);
    }
    qsort(rows, row_count, sizeof rows[0], compare_rows);
    for (size_t i = 0; i < row_count; i++) {
        print_provider(&rows[i]);
        add(&sums[rows[i].source], &rows[i]);
        add(&all, &rows[i]);
    }
    printf("\n");
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        if (sums[source].events > 0) {
            print_row(source_name(source), "(all)", &sums[source]);
        }
    }
    print_row("(all)", "(all)", &all);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
