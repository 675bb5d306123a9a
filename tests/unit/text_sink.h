/*
 * A sink that writes what it is shown as one line, for tests to compare:
 *
 *   Count=2 Flags=0x10 Name="abc" Point{X=1 Y=2} Raw=[00 ff] !TRUNCATED(3)
 *
 * A note has how many bytes it covers in parentheses.
 */
#ifndef ETL_TESTS_TEXT_SINK_H
#define ETL_TESTS_TEXT_SINK_H

#include "etl/decode.h"
#include "etl/guid.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text_sink {
    struct etl_sink sink;
    char text[16384];
    size_t length;
    const char *unwanted; /* label of a field that nobody wants; NULL: none */
};

static inline void text_sink_add(struct text_sink *sink, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof sink->text - sink->length;
    int length = vsnprintf(sink->text + sink->length, room, format, arguments);
    va_end(arguments);
    sink->length += length > 0 ? ((size_t)length < room ? (size_t)length : room - 1) : 0;
}

static inline void text_sink_separate(struct text_sink *sink)
{
    if (sink->length > 0 && sink->text[sink->length - 1] != '{') {
        text_sink_add(sink, " ");
    }
}

static inline void text_sink_hex(struct text_sink *sink, const uint8_t *bytes, size_t size)
{
    text_sink_add(sink, "[");
    for (size_t i = 0; i < size; i++) {
        text_sink_add(sink, i > 0 ? " %02x" : "%02x", bytes[i]);
    }
    text_sink_add(sink, "]");
}

static inline void text_sink_text(struct text_sink *sink, const struct etl_value *value)
{
    char text[4096];
    if (value->encoding == ETL_ENCODING_UTF16) {
        etl_utf8_of_utf16(value->bytes, value->length, text, sizeof text);
    } else if (value->encoding == ETL_ENCODING_ANSI) {
        etl_utf8_of_ansi(value->bytes, value->length, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "%.*s", (int)value->length, (const char *)value->bytes);
    }
    text_sink_add(sink, "\"%s\"", text);
}

static inline void text_sink_real(struct text_sink *sink, const struct etl_value *value)
{
    float number32;
    double number64;
    if (value->length == sizeof number32) {
        memcpy(&number32, value->bytes, sizeof number32);
        text_sink_add(sink, "%g", (double)number32);
    } else {
        memcpy(&number64, value->bytes, sizeof number64);
        text_sink_add(sink, "%g", number64);
    }
}

static inline void text_sink_value(struct etl_sink *sink, const struct etl_field *field,
                                   const struct etl_value *value)
{
    struct text_sink *self = (struct text_sink *)sink;
    const struct etl_type_facts *facts = etl_type_facts(field->type);
    char guid[ETL_GUID_TEXT_SIZE];
    text_sink_separate(self);
    text_sink_add(self, "%s=", field->label);
    switch (facts->shape) {
    case ETL_SHAPE_NUMBER:
        text_sink_add(self, facts->base == ETL_BASE_HEXADECIMAL ? "0x%" PRIx64 : "%" PRIu64,
                      value->number);
        break;
    case ETL_SHAPE_SIGNED:
        text_sink_add(self, "%" PRId64, (int64_t)value->number);
        break;
    case ETL_SHAPE_BOOLEAN:
        text_sink_add(self, value->number ? "true" : "false");
        break;
    case ETL_SHAPE_TIME:
        text_sink_add(self, value->unknown ? "raw:%" PRId64 : "%" PRId64, (int64_t)value->number);
        break;
    case ETL_SHAPE_GUID:
        etl_guid_format((const struct etl_guid *)value->bytes, guid);
        text_sink_add(self, "%s", guid);
        break;
    case ETL_SHAPE_TEXT:
        text_sink_text(self, value);
        break;
    case ETL_SHAPE_REAL:
        text_sink_real(self, value);
        break;
    default:
        text_sink_hex(self, value->bytes, value->length);
        break;
    }
}

static inline void text_sink_begin(struct etl_sink *sink, const struct etl_field *field,
                                   const char *title, const uint8_t *at, size_t size)
{
    (void)title, (void)at, (void)size;
    text_sink_separate((struct text_sink *)sink);
    text_sink_add((struct text_sink *)sink, "%s{", field->label);
}

static inline void text_sink_end(struct etl_sink *sink)
{
    text_sink_add((struct text_sink *)sink, "}");
}

static inline void text_sink_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at,
                                  size_t size, const char *detail)
{
    static const char *const names[] = {
#define NOTE(id, severity, group, sentence) #id,
#include "etl/notes.def"
#undef NOTE
    };
    (void)at, (void)detail;
    text_sink_separate((struct text_sink *)sink);
    text_sink_add((struct text_sink *)sink, "!%s(%zu)", names[note], size);
}

static inline bool text_sink_wants(struct etl_sink *sink, const struct etl_field *field)
{
    const char *unwanted = ((struct text_sink *)sink)->unwanted;
    return unwanted == NULL || strcmp(unwanted, field->label) != 0;
}

static inline void text_sink_start(struct text_sink *sink)
{
    memset(sink, 0, sizeof *sink);
    sink->sink = (struct etl_sink){.wants = text_sink_wants,
                                   .value = text_sink_value,
                                   .begin = text_sink_begin,
                                   .end = text_sink_end,
                                   .note = text_sink_note};
}

/* What `show` shows of the bytes; overwritten by the next call. */
static inline const char *text_sink_of(void (*show)(struct etl_span span, struct etl_sink *sink),
                                       const uint8_t *data, size_t size)
{
    static struct text_sink sink;
    text_sink_start(&sink);
    show((struct etl_span){.at = data, .size = size}, &sink.sink);
    return sink.text;
}

#endif
