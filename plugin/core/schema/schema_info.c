/*
 * One line of text for a described event: its message with the values of its fields, or the first
 * fields by name. Values are written when they are met, as far as the room for them goes; the
 * message is written from those.
 *
 *   %1 … %99   the field of that place     %1!x!  the same, the format is ignored
 *   %% %. %!   the character               %n %r %t %b  blanks               %0  the end
 */
#include "etl/info.h"
#include "etl/schema.h"

#include <string.h>

#define SLOTS_MAX    24
#define VALUES_ROOM  1500
#define VALUE_MAX    200 /* bytes of one value */
#define ELEMENTS_MAX 4
#define NAMED_MAX    6 /* fields of an event without a message */
#define ELLIPSIS     "…"

struct slot {
    const struct etl_field *row; /* NULL: not met */
    uint16_t at;
    uint16_t length;
    unsigned elements;
};

struct picker {
    struct etl_sink sink;
    const struct etl_info_source *source;
    const struct etl_schema *schema;
    unsigned depth;
    size_t met; /* the slot of the last value */
    size_t used;
    struct slot slots[SLOTS_MAX];
    char room[VALUES_ROOM];
};

struct line {
    char *room;
    size_t size;
    size_t length;
};

static void put(struct line *line, const char *text, size_t length)
{
    size_t left = line->size - 1 - line->length;
    if (length > left) {
        length = left;
        while (length > 0 && ((uint8_t)text[length] & 0xC0) == 0x80) {
            length--;
        }
        line->size = line->length + length + 1; /* full */
    }
    memcpy(line->room + line->length, text, length);
    line->length += length;
    line->room[line->length] = '\0';
}

static void put_text(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* The place of a top-level field; members of structs are no top-level fields. */
static size_t slot_of(const struct picker *self, const struct etl_field *row)
{
    const struct etl_schema *schema = self->schema;
    uint16_t index = 0;
    for (size_t place = 0; place < schema->top_count && place < SLOTS_MAX; place++) {
        if (index >= schema->field_count) {
            break;
        }
        if (&schema->fields[index].row == row) {
            return place;
        }
        index = schema->fields[index].next;
    }
    return SLOTS_MAX;
}

static bool wants(struct etl_sink *sink, const struct etl_field *row)
{
    struct picker *self = (struct picker *)sink;
    if (self->depth > 0) {
        return false;
    }
    bool same = self->met < SLOTS_MAX && self->slots[self->met].row == row;
    self->met = same ? self->met : slot_of(self, row);
    return self->met < SLOTS_MAX && self->slots[self->met].elements <= ELEMENTS_MAX;
}

static void append(struct picker *self, struct slot *slot, const char *text, size_t length)
{
    if (length <= sizeof self->room - self->used) {
        memcpy(self->room + self->used, text, length);
        self->used += length;
        slot->length = (uint16_t)(slot->length + length);
    }
}

/* What the caller knows of a number that the schema has no name for; 0: nothing. */
static size_t name_of(const struct etl_info_source *source, const struct etl_field *row,
                      const struct etl_value *value, char *room, size_t size)
{
    bool plain = etl_type_facts(row->type)->shape == ETL_SHAPE_NUMBER && row->map == NULL;
    return plain && source->name != NULL
               ? source->name(source->data, row, value->number, room, size)
               : 0;
}

static void pick(struct etl_sink *sink, const struct etl_field *row, const struct etl_value *value)
{
    struct picker *self = (struct picker *)sink;
    struct slot *slot = &self->slots[self->met];
    if (slot->row == NULL) {
        *slot = (struct slot){.row = row, .at = (uint16_t)self->used};
    } else {
        append(self, slot, ", ", 2);
    }
    if (slot->elements++ == ELEMENTS_MAX) {
        append(self, slot, ELLIPSIS, strlen(ELLIPSIS));
        return;
    }
    char text[VALUE_MAX];
    char name[VALUES_ROOM];
    size_t length = etl_value_format(row, value, text, sizeof text);
    size_t name_length = name_of(self->source, row, value, name, sizeof name);
    if (name_length == 0) {
        append(self, slot, text, length);
        return;
    }
    append(self, slot, name, name_length);
    if (row->key != ETL_KEY_NONE) {
        append(self, slot, " (", 2);
        append(self, slot, text, length);
        append(self, slot, ")", 1);
    }
}

static void begin(struct etl_sink *sink, const struct etl_field *row, const char *title,
                  const uint8_t *at, size_t size)
{
    (void)row, (void)title, (void)at, (void)size;
    ((struct picker *)sink)->depth++;
}

static void end(struct etl_sink *sink)
{
    ((struct picker *)sink)->depth--;
}

static void put_slot(struct line *line, const struct picker *picker, size_t place)
{
    if (place < SLOTS_MAX && picker->slots[place].row != NULL) {
        put(line, picker->room + picker->slots[place].at, picker->slots[place].length);
    } else {
        put_text(line, "?");
    }
}

/* What follows a % sign; returns where the text goes on. */
static const char *put_escape(struct line *line, const struct picker *picker, const char *at)
{
    size_t place = 0;
    if (*at >= '1' && *at <= '9') {
        for (int digits = 0; digits < 2 && *at >= '0' && *at <= '9'; digits++) {
            place = place * 10 + (size_t)(*at++ - '0');
        }
        put_slot(line, picker, place - 1);
        const char *close = *at == '!' ? strchr(at + 1, '!') : NULL;
        return close != NULL ? close + 1 : at;
    }
    switch (*at) {
    case '\0':
        return at;
    case '0':
        return at + strlen(at);
    case 'n':
    case 'r':
    case 't':
    case 'b':
        put_text(line, " ");
        return at + 1;
    default:
        put(line, at, 1);
        return at + 1;
    }
}

static void put_message(struct line *line, const struct picker *picker, const char *message)
{
    while (*message != '\0' && line->length + 1 < line->size) {
        size_t plain = strcspn(message, "%\r\n\t");
        put(line, message, plain);
        message += plain;
        if (*message == '%') {
            message = put_escape(line, picker, message + 1);
        } else if (*message != '\0') {
            put_text(line, " ");
            message += strspn(message, "\r\n\t");
        }
    }
}

static void put_named(struct line *line, const struct picker *picker)
{
    size_t shown = 0;
    for (size_t i = 0; i < SLOTS_MAX && shown < NAMED_MAX; i++) {
        const struct slot *slot = &picker->slots[i];
        if (slot->row == NULL) {
            continue;
        }
        put_text(line, shown++ > 0 ? ", " : "");
        put_text(line, slot->row->label);
        put_text(line, "=");
        put_slot(line, picker, i);
    }
}

size_t etl_schema_info(const struct etl_info_source *source, const struct etl_schema *schema,
                       struct etl_span payload, char *room, size_t size)
{
    struct line line = {.room = room, .size = size};
    struct picker picker;
    room[0] = '\0';
    picker.sink = (struct etl_sink){
        .wants = wants, .value = pick, .begin = begin, .end = end, .note = etl_ignore_note};
    picker.schema = schema;
    picker.source = source;
    picker.depth = 0;
    picker.met = SLOTS_MAX;
    picker.used = 0;
    memset(picker.slots, 0, sizeof picker.slots);
    struct etl_decoder decoder = {
        .sink = &picker.sink, .clock = source->clock, .pointer_size = source->pointer_size};
    if (payload.size > 0) {
        etl_schema_decode(&decoder, schema, payload.at, payload.size);
    }
    if (schema->texts[ETL_SCHEMA_MESSAGE][0] != '\0') {
        put_message(&line, &picker, schema->texts[ETL_SCHEMA_MESSAGE]);
    } else {
        put_named(&line, &picker);
    }
    return line.length;
}
