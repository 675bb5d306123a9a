/*
 * Decodes the fields that a template names into a few slots, then writes the template.
 */
#include "etl/info.h"

#include "etl/guid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Elements of an array that are written; the rest is an ellipsis. */
#define ELEMENTS_MAX 4

/* Bytes of a BYTES value that are written. */
#define BYTES_MAX 16

/* Different fields of one template. A unit test holds the rows to it. */
#define SLOTS_MAX 12

#define ELLIPSIS "…"

struct text {
    char *room;
    size_t size;
    size_t length;
    bool full; /* something was cut: nothing comes after it */
};

static void put(struct text *text, const char *from, size_t length)
{
    size_t left = text->full ? 0 : text->size - 1 - text->length;
    if (length > left) { /* cut, but not inside a character */
        length = left;
        text->full = true;
        while (length > 0 && ((uint8_t)from[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    memcpy(text->room + text->length, from, length);
    text->length += length;
    text->room[text->length] = '\0';
}

static void put_text(struct text *text, const char *from)
{
    put(text, from, strlen(from));
}

static void put_number(struct text *text, uint64_t number, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    if (base == 16) {
        put_text(text, "0x");
    }
    put(text, digits + at, sizeof digits - at);
}

static void put_signed(struct text *text, int64_t number)
{
    if (number < 0) {
        put_text(text, "-");
    }
    put_number(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

static void put_separator(struct text *text, size_t begin, const char *separator)
{
    if (text->length > begin) {
        put_text(text, separator);
    }
}

/* "NOCACHE|Priority=Normal|0x40000000": what no row names is last. */
static void put_flags(struct text *text, const struct etl_names *names, uint64_t number)
{
    size_t begin = text->length;
    uint64_t unnamed = number;
    for (size_t i = 0; i < names->count; i++) {
        const struct etl_name *row = &names->rows[i];
        uint64_t bits = etl_names_bits(number, row->value);
        unnamed &= ~row->value;
        if (bits == 0) {
            continue;
        }
        put_separator(text, begin, "|");
        put_text(text, row->text);
        if (row->multi_bit) {
            const char *name = etl_names_find(row->names, bits);
            put_text(text, "=");
            if (name != NULL) {
                put_text(text, name);
            } else {
                put_number(text, bits, 10);
            }
        }
    }
    if (unnamed != 0 || number == 0) {
        put_separator(text, begin, "|");
        put_number(text, unnamed, number == 0 ? 10 : 16);
    }
}

static void put_named(struct text *text, const struct etl_field *field, uint64_t number)
{
    const struct etl_names *names = field->map != NULL ? field->map : etl_names_list(field->names);
    const char *name = field->map != NULL ? etl_names_in(field->map, number)
                                          : etl_names_find(field->names, number);
    if (name != NULL) {
        put_text(text, name);
    } else if (names != NULL && names->kind == ETL_NAMES_FLAGS) {
        put_flags(text, names, number);
    } else {
        put_number(text, number,
                   etl_type_facts(field->type)->base == ETL_BASE_HEXADECIMAL ? 16 : 10);
    }
}

static void put_ipv4(struct text *text, const uint8_t *address)
{
    for (size_t i = 0; i < 4; i++) {
        if (i > 0) {
            put_text(text, ".");
        }
        put_number(text, address[i], 10);
    }
}

/* The longest run of zero words, of at least two: where "::" stands (RFC 5952). */
static void find_zeros(const uint8_t *address, size_t *ret_begin, size_t *ret_count)
{
    *ret_begin = 8;
    *ret_count = 1;
    for (size_t begin = 0; begin < 8; begin++) {
        size_t count = 0;
        while (begin + count < 8 && address[2 * (begin + count)] == 0 &&
               address[2 * (begin + count) + 1] == 0) {
            count++;
        }
        if (count > *ret_count) {
            *ret_begin = begin;
            *ret_count = count;
        }
    }
}

static void put_ipv6(struct text *text, const uint8_t *address)
{
    size_t zeros, count;
    find_zeros(address, &zeros, &count);
    for (size_t i = 0; i < 8; i++) {
        if (i == zeros) {
            put_text(text, "::");
            i += count - 1;
            continue;
        }
        if (i > 0 && i != zeros + count) {
            put_text(text, ":");
        }
        char word[8];
        snprintf(word, sizeof word, "%x", address[2 * i] << 8 | address[2 * i + 1]);
        put_text(text, word);
    }
}

static void put_hex(struct text *text, const uint8_t *bytes, size_t length, const char *separator)
{
    for (size_t i = 0; i < length && i < BYTES_MAX; i++) {
        char byte[4];
        snprintf(byte, sizeof byte, "%02x", bytes[i]);
        put_text(text, i > 0 ? separator : "");
        put_text(text, byte);
    }
    if (length > BYTES_MAX) {
        put_text(text, ELLIPSIS);
    }
}

static void put_sid(struct text *text, const uint8_t *sid, size_t length)
{
    uint64_t authority = 0;
    for (size_t i = 2; i < 8; i++) {
        authority = authority << 8 | sid[i];
    }
    put_text(text, "S-1-");
    put_number(text, authority, authority >> 32 != 0 ? 16 : 10);
    for (size_t at = 8; at + 4 <= length; at += 4) {
        put_text(text, "-");
        put_number(text, etl_load_u32(sid + at), 10);
    }
}

/* SYSTEMTIME: year, month, weekday, day, hour, minute, second, millisecond. */
static void put_systemtime(struct text *text, const uint8_t *at)
{
    char time[64];
    snprintf(time, sizeof time, "%04u-%02u-%02u %02u:%02u:%02u.%03u", etl_load_u16(at),
             etl_load_u16(at + 2), etl_load_u16(at + 6), etl_load_u16(at + 8),
             etl_load_u16(at + 10), etl_load_u16(at + 12), etl_load_u16(at + 14));
    put_text(text, time);
}

static void put_time(struct text *text, const struct etl_value *value)
{
    char time[40];
    if (value->unknown) {
        put_number(text, value->number, 10);
        return;
    }
    etl_filetime_format((int64_t)value->number, time);
    put_text(text, time);
}

static void put_real(struct text *text, const struct etl_value *value)
{
    char number[32];
    float single;
    double real = 0;
    if (value->length == sizeof single) {
        memcpy(&single, value->bytes, sizeof single);
        real = (double)single;
    } else if (value->length == sizeof real) {
        memcpy(&real, value->bytes, sizeof real);
    }
    snprintf(number, sizeof number, "%g", real);
    put_text(text, number);
}

static void put_string(struct text *text, const struct etl_value *value)
{
    size_t begin = text->length;
    char *room = text->room + begin;
    size_t size = text->full ? 1 : text->size - begin;
    if (value->encoding == ETL_ENCODING_UTF16) {
        text->length += etl_utf8_of_utf16(value->bytes, value->length, room, size);
    } else {
        text->length += etl_utf8_of_ansi(value->bytes, value->length, room, size);
    }
    text->full |= text->size - text->length <= 4; /* less than a character is left */
    for (char *at = room; *at != '\0'; at++) {
        if ((uint8_t)*at < 0x20 || *at == 0x7F) {
            *at = ' ';
        }
    }
}

static void put_guid(struct text *text, const uint8_t *bytes)
{
    struct etl_guid guid;
    char room[ETL_GUID_TEXT_SIZE];
    memcpy(guid.bytes, bytes, sizeof guid.bytes);
    etl_guid_format(&guid, room);
    put_text(text, room);
}

static void put_value(struct text *text, const struct etl_field *field,
                      const struct etl_value *value)
{
    switch (etl_type_facts(field->type)->shape) {
    case ETL_SHAPE_NUMBER:
        put_named(text, field, value->number);
        break;
    case ETL_SHAPE_SIGNED:
        put_signed(text, (int64_t)value->number);
        break;
    case ETL_SHAPE_BOOLEAN:
        put_text(text, value->number != 0 ? "True" : "False");
        break;
    case ETL_SHAPE_REAL:
        put_real(text, value);
        break;
    case ETL_SHAPE_TIME:
        put_time(text, value);
        break;
    case ETL_SHAPE_SYSTEMTIME:
        put_systemtime(text, value->bytes);
        break;
    case ETL_SHAPE_GUID:
        put_guid(text, value->bytes);
        break;
    case ETL_SHAPE_IPV4:
        put_ipv4(text, value->bytes);
        break;
    case ETL_SHAPE_IPV6:
        put_ipv6(text, value->bytes);
        break;
    case ETL_SHAPE_ETHER:
        put_hex(text, value->bytes, value->length, ":");
        break;
    case ETL_SHAPE_SID:
        put_sid(text, value->bytes, value->length);
        break;
    case ETL_SHAPE_TEXT:
        put_string(text, value);
        break;
    case ETL_SHAPE_BYTES:
        put_hex(text, value->bytes, value->length, "");
        break;
    case ETL_SHAPE_STRUCT:
    case ETL_SHAPE_PADDING:
        break;
    }
}

static struct text text_in(char *room, size_t size)
{
    room[0] = '\0';
    return (struct text){.room = room, .size = size};
}

size_t etl_value_format(const struct etl_field *field, const struct etl_value *value, char *room,
                        size_t size)
{
    struct text text = text_in(room, size);
    put_value(&text, field, value);
    return text.length;
}

/* A field that the template wants, as far as it was met. */
struct slot {
    const struct etl_field *field;
    size_t count; /* elements, or bytes of BYTES */
    size_t kept;
    struct etl_value values[ELEMENTS_MAX];
};

struct picker {
    struct etl_sink sink;
    unsigned depth; /* fields of nested layouts are not for the template */
    size_t slot_count;
    struct slot slots[SLOTS_MAX];
};

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    return field->in_info && ((struct picker *)sink)->depth == 0;
}

/* Elements of an array follow each other, so the field's slot is the last one if there is one. */
static struct slot *slot_of(struct picker *self, const struct etl_field *field)
{
    if (self->slot_count > 0 && self->slots[self->slot_count - 1].field == field) {
        return &self->slots[self->slot_count - 1];
    }
    if (self->slot_count == SLOTS_MAX) {
        return NULL;
    }
    struct slot *slot = &self->slots[self->slot_count++];
    slot->field = field;
    slot->count = 0;
    slot->kept = 0;
    return slot;
}

static void pick(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct slot *slot = slot_of((struct picker *)sink, field);
    if (slot == NULL) {
        return;
    }
    slot->count += etl_type_facts(field->type)->shape == ETL_SHAPE_BYTES ? value->length : 1;
    if (slot->kept < ELEMENTS_MAX) {
        slot->values[slot->kept++] = *value;
    }
}

static void begin(struct etl_sink *sink, const struct etl_field *field, const char *title,
                  const uint8_t *at, size_t size)
{
    (void)title, (void)at, (void)size;
    struct picker *self = (struct picker *)sink;
    struct slot *slot = wants(sink, field) ? slot_of(self, field) : NULL;
    if (slot != NULL) {
        slot->count++;
    }
    self->depth++;
}

static void end(struct etl_sink *sink)
{
    ((struct picker *)sink)->depth--;
}

static bool is_empty(const struct slot *slot)
{
    if (slot->count == 0 || (slot->count == 1 && slot->kept == 0)) {
        return slot->count == 0;
    }
    const struct etl_value *value = &slot->values[0];
    switch (etl_type_facts(slot->field->type)->shape) {
    case ETL_SHAPE_NUMBER:
    case ETL_SHAPE_SIGNED:
    case ETL_SHAPE_BOOLEAN:
    case ETL_SHAPE_TIME:
        return slot->count == 1 && value->number == 0;
    case ETL_SHAPE_TEXT:
        return slot->count == 1 && value->length == 0;
    default:
        return false;
    }
}

static void put_element(struct text *text, const struct etl_info_source *source,
                        const struct etl_field *field, const struct etl_value *value)
{
    enum etl_shape shape = etl_type_facts(field->type)->shape;
    bool number = shape == ETL_SHAPE_NUMBER && field->names == ETL_NAMES_NONE;
    const char *name = source->name != NULL && number
                           ? source->name(source->data, field, value->number)
                           : NULL;
    if (name == NULL) {
        put_value(text, field, value);
        return;
    }
    put_text(text, name);
    if (field->key != ETL_KEY_NONE) {
        put_text(text, " (");
        put_value(text, field, value);
        put_text(text, ")");
    }
}

static void put_slot(struct text *text, const struct etl_info_source *source,
                     const struct slot *slot)
{
    bool bytes = etl_type_facts(slot->field->type)->shape == ETL_SHAPE_BYTES;
    for (size_t i = 0; i < slot->kept; i++) {
        put_text(text, i > 0 ? ", " : "");
        put_element(text, source, slot->field, &slot->values[i]);
    }
    if (slot->kept > 0 && slot->count > slot->kept && !bytes) {
        put_text(text, ", " ELLIPSIS);
    }
}

/* Characters before `a`, `b` or the end. (strcspn makes a table first: dear for a few characters.) */
static size_t length_to(const char *text, char a, char b)
{
    size_t length = 0;
    while (text[length] != a && text[length] != b && text[length] != '\0') {
        length++;
    }
    return length;
}

/* Of rows with one label only one was there. NULL: none was. */
static const struct slot *find_slot(const struct picker *picker, const char *label, size_t length)
{
    for (size_t i = 0; i < picker->slot_count; i++) {
        const struct slot *slot = &picker->slots[i];
        if (strncmp(slot->field->label, label, length) == 0 && slot->field->label[length] == '\0') {
            return slot;
        }
    }
    return NULL;
}

/*
 * Writes what stands between `at` and `end`. Returns whether every value was there and not empty,
 * which is what optional parts ask for.
 */
static bool put_part(struct text *text, const struct etl_info_source *source,
                     const struct picker *picker, const char *at, const char *end_of_part)
{
    bool full = true;
    while (at < end_of_part) {
        size_t plain = length_to(at, '{', '<');
        size_t left = (size_t)(end_of_part - at);
        put(text, at, plain < left ? plain : left);
        at += plain;
        if (at >= end_of_part) {
            break;
        }
        if (*at == '<') {
            const char *close = strchr(at, '>');
            struct text before = *text;
            if (!put_part(text, source, picker, at + 1, close)) {
                *text = before;
                text->room[text->length] = '\0';
            }
            at = close + 1;
            continue;
        }
        size_t length = length_to(at + 1, '#', '}');
        const struct slot *slot = find_slot(picker, at + 1, length);
        bool count = at[1 + length] == '#';
        if (count) {
            put_number(text, slot != NULL ? slot->count : 0, 10);
        } else if (slot != NULL) {
            put_slot(text, source, slot);
        } else {
            put_text(text, "?");
        }
        full = full && slot != NULL && !is_empty(slot);
        at += 1 + length + (count ? 2 : 1);
    }
    return full;
}

/* Without a template: "Label=value, Label=value". */
static void put_all(struct text *text, const struct etl_info_source *source,
                    const struct picker *picker)
{
    for (size_t i = 0; i < picker->slot_count; i++) {
        put_text(text, i > 0 ? ", " : "");
        put_text(text, picker->slots[i].field->label);
        put_text(text, "=");
        put_slot(text, source, &picker->slots[i]);
    }
}

size_t etl_info_format(const struct etl_info_source *source, const struct etl_layout *layout,
                       const uint8_t *payload, size_t payload_size, char *room, size_t size)
{
    struct text text = text_in(room, size);
    struct picker picker; /* slots are set when they are used: most of them never are */
    picker.sink = (struct etl_sink){
        .wants = wants, .value = pick, .begin = begin, .end = end, .note = etl_ignore_note};
    picker.depth = 0;
    picker.slot_count = 0;
    struct etl_decoder decoder = {
        .sink = &picker.sink, .clock = source->clock, .pointer_size = source->pointer_size};
    etl_decode_layout(&decoder, layout, payload, payload_size);
    if (layout->info == NULL) {
        put_all(&text, source, &picker);
    } else if (payload_size > 0) {
        put_part(&text, source, &picker, layout->info, layout->info + strlen(layout->info));
    }
    return text.length;
}
