/*
 * Prints what the core says of each event of a trace, in time order, one line each, for compare.py:
 *
 *   buffer  offset  cpu  header type  size  pointer size  header size  items  payload size  checksum
 *   local time  out of order  FILETIME  field=value …
 *
 * with tabs between. Items are size:type:reserved:data size:checksum, separated by commas. The fields are
 * the rows of the header and of the extended items as any sink gets them, those of the payload of the first
 * event, which describes the file, and the record's ProviderName. Text is in hexadecimal. Checksums (CRC-32) are of the whole event and of the data of an item. The
 * event is shown as it stands in the file and as it comes out of the record that Wireshark would get: both
 * must give the same line.
 */
#include "etl/decode.h"
#include "etl/items.h"
#include "etl/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char text[65536]; /* a header's fields need some hundreds */
    size_t length;
};

struct line_sink {
    struct etl_sink sink;
    struct line *line;
};

static uint32_t crc_table[256];

static void start_crc(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xEDB88320) : crc >> 1;
        }
        crc_table[i] = crc;
    }
}

static uint32_t crc_more(uint32_t crc, const uint8_t *at, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc = crc >> 8 ^ crc_table[(crc ^ at[i]) & 0xFF];
    }
    return ~crc;
}

static void append(struct line *line, const char *text, size_t length)
{
    if (length < sizeof line->text - line->length) {
        memcpy(line->text + line->length, text, length);
        line->length += length;
    }
}

static void append_text(struct line *line, const char *text)
{
    append(line, text, strlen(text));
}

/* Decimal numbers are nearly all of the output, so not by printf. */
static void append_number(struct line *line, uint64_t number, bool negative)
{
    char digits[21];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (negative) {
        digits[--at] = '-';
    }
    append(line, digits + at, sizeof digits - at);
}

static void append_signed(struct line *line, int64_t number)
{
    append_number(line, number < 0 ? -(uint64_t)number : (uint64_t)number, number < 0);
}

static void append_column(struct line *line, uint64_t number)
{
    append_number(line, number, false);
    append(line, "\t", 1);
}

static void append_hex(struct line *line, const uint8_t *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char two[3];
        snprintf(two, sizeof two, "%02x", at[i]);
        append(line, two, 2);
    }
}

static void append_value(struct line *line, enum etl_shape shape, const struct etl_value *value)
{
    char text[ETL_GUID_TEXT_SIZE];
    struct etl_guid guid;
    switch (shape) {
    case ETL_SHAPE_NUMBER:
    case ETL_SHAPE_BOOLEAN:
        append_number(line, value->number, false);
        break;
    case ETL_SHAPE_SIGNED:
    case ETL_SHAPE_TIME:
        append_signed(line, (int64_t)value->number);
        break;
    case ETL_SHAPE_GUID:
        memcpy(guid.bytes, value->bytes, sizeof guid.bytes);
        etl_guid_format(&guid, text);
        append_text(line, text);
        break;
    default:
        append_hex(line, value->bytes, value->length);
    }
}

static void on_value(struct etl_sink *sink, const struct etl_field *field,
                     const struct etl_value *value)
{
    struct line *line = ((struct line_sink *)sink)->line;
    append(line, "\t", 1);
    append_text(line, field->filter);
    append_text(line, value->unknown ? "=?" : "=");
    append_value(line, etl_type_facts(field->type)->shape, value);
}

static void on_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                    const char *detail)
{
    static const char *const names[ETL_NOTE_COUNT] = {
#define NOTE(id, severity, group, sentence) [ETL_NOTE_##id] = #id,
#include "etl/notes.def"
#undef NOTE
    };
    (void)at, (void)size, (void)detail;
    struct line *line = ((struct line_sink *)sink)->line;
    append_text(line, "\tetl.note=");
    append_text(line, names[note]);
}

static void append_items(struct line *line, const struct etl_span *items)
{
    struct etl_bytes bytes = etl_bytes_of(items->at, items->size);
    while (etl_bytes_left(&bytes) >= 8) {
        uint16_t size = etl_bytes_u16(&bytes);
        uint16_t type = etl_bytes_u16(&bytes);
        uint16_t reserved = etl_bytes_u16(&bytes);
        uint16_t data_size = etl_bytes_u16(&bytes);
        size_t room = size >= 8 ? size - 8U : 0;
        const uint8_t *data = etl_bytes_take(&bytes, room);
        size_t length = data == NULL ? 0 : data_size < room ? data_size : room;
        char text[80];
        snprintf(text, sizeof text, "%u:%u:%u:%u:%08" PRIx32 ",", (unsigned)size, (unsigned)type,
                 (unsigned)reserved, (unsigned)data_size, crc_more(0, data, length));
        append_text(line, text);
    }
}

static void append_event(struct line *line, const struct etl_place *place,
                         const struct etl_event *event, const struct etl_context *context)
{
    append_column(line, place->buffer);
    append_column(line, place->offset);
    append_column(line, place->cpu);
    append_column(line, event->kind->family == ETL_FAMILY_OTHER ? event->header.at[2]
                                                                : event->kind->header_type);
    append_column(line, event->size);
    append_column(line, event->pointer_size);
    append_column(line, event->header.size);
    append_items(line, &event->items);
    append(line, "\t", 1);
    append_column(line, event->payload.size);
    uint32_t crc = crc_more(0, event->header.at, event->header.size);
    crc = crc_more(crc, event->items.at, event->items.size);
    append_column(line, crc_more(crc, event->payload.at, event->payload.size));
    append_column(line, event->local_time);
    append_column(line, place->out_of_order);
    int64_t filetime;
    if (event->has_time && etl_clock_filetime(&context->clock, event->raw_time, &filetime)) {
        append_signed(line, filetime);
    }
    struct line_sink sink = {.sink = {.value = on_value,
                                      .begin = etl_ignore_begin,
                                      .end = etl_ignore_end,
                                      .note = on_note},
                             .line = line};
    etl_event_show_header(event, context, &sink.sink);
    etl_items_show(event, context, &sink.sink);
    if (event->kind->family == ETL_FAMILY_SYSTEM && event->hookid == 0) {
        struct etl_decoder decoder = {
            .sink = &sink.sink, .clock = &context->clock, .pointer_size = event->pointer_size};
        etl_decode_layout(&decoder, etl_layout_of_hook(0, event->version), event->payload.at,
                          event->payload.size);
    }
}

static void append_provider_name(struct line *line, const struct etl_span *name)
{
    if (name->size > 0) {
        append_text(line, "\tetl.provider.name=");
        append_hex(line, name->at, name->size);
    }
    append(line, "\n", 1);
}

/* Prints the event; false, with a line on stderr, where its record says something else. */
static bool dump(const struct etl_entry *entry, const struct etl_keys *keys)
{
    static struct line line;
    static struct line from_record;
    static uint8_t room[ETL_RECORD_SIZE_MAX];
    struct etl_record_options options = {.no_names = false};
    struct etl_record record;
    line.length = from_record.length = 0;
    append_event(&line, &entry->place, &entry->event, entry->context);
    size_t size = etl_record_pack(entry, keys, &options, room);
    if (!etl_record_unpack(room, size, &record) || record.trailer != ETL_TRAILER_GOOD) {
        fprintf(stderr, "no good record: %.*s\n", (int)line.length, line.text);
        return false;
    }
    append_event(&from_record, &record.place, &record.event, &record.context);
    append_provider_name(&line, &record.provider_name);
    append_provider_name(&from_record, &record.provider_name);
    fwrite(line.text, 1, line.length, stdout);
    if (from_record.length != line.length ||
        memcmp(line.text, from_record.text, line.length) != 0) {
        fprintf(stderr, "event  %.*srecord %.*s", (int)line.length, line.text,
                (int)from_record.length, from_record.text);
        return false;
    }
    return true;
}

static struct etl_file *open_trace(const char *path)
{
    int descriptor = open(path, O_RDONLY);
    struct etl_source *source = descriptor >= 0 ? etl_source_of_descriptor(descriptor) : NULL;
    if (source == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    struct etl_file_options options = {.file_order = false};
    char message[200] = "not a trace";
    struct etl_file *file;
    if (etl_file_open(source, &options, &file, message, sizeof message) != ETL_OK) {
        fprintf(stderr, "%s: %s\n", path, message);
        etl_source_close(source);
        return NULL;
    }
    return file;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: oracle_dump FILE.etl\n");
        return 2;
    }
    struct etl_file *file = open_trace(argv[1]);
    if (file == NULL) {
        return 2;
    }
    start_crc();
    bool good = true;
    struct etl_entry entry;
    enum etl_status status;
    while ((status = etl_file_next(file, &entry)) == ETL_OK) {
        good = dump(&entry, etl_file_keys(file)) && good;
    }
    if (status != ETL_END) {
        fprintf(stderr, "%s: %s\n", argv[1],
                status == ETL_CUT_SHORT ? "cut short" : "cannot be read to its end");
    }
    etl_file_close(file);
    return good && (status == ETL_END || status == ETL_CUT_SHORT) ? 0 : 1;
}
