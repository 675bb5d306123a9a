/* The sink and the file that the programs beside this share. */
#include "value_dump.h"

#include "etl/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROOM 262144

static void put(struct dump_sink *self, const char *text)
{
    size_t length = strlen(text);
    if (length < sizeof self->text - self->length) {
        memcpy(self->text + self->length, text, length + 1);
        self->length += length;
    }
}

void dump_hex(struct dump_sink *self, const void *bytes, size_t size)
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
    dump_hex(self, room, length);
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
        dump_hex(self, value->bytes, value->length);
    }
}

static void show(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct dump_sink *self = (struct dump_sink *)sink;
    put(self, "\t");
    dump_hex(self, field->label, strlen(field->label));
    put(self, "=");
    put_value(self, etl_type_facts(field->type)->shape, value);
}

static void begin(struct etl_sink *sink, const struct etl_field *field, const char *title,
                  const uint8_t *at, size_t size)
{
    (void)title, (void)at, (void)size;
    struct dump_sink *self = (struct dump_sink *)sink;
    put(self, "\t");
    dump_hex(self, field->label, strlen(field->label));
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

void dump_sink_start(struct dump_sink *self)
{
    self->sink = (struct etl_sink){.value = show, .begin = begin, .end = end, .note = count_note};
    self->notes = 0;
    self->length = 0;
    self->text[0] = '\0';
}

struct etl_file *dump_open(const char *path)
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
