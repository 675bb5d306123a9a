/*
 * Keeps the values of the fields that a template names in a few slots, then writes its parts.
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

/* Constants to divide by: a division by a variable takes as long as all the rest. */
static void put_decimal(struct text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(text, digits + at, sizeof digits - at);
}

static void put_hexadecimal(struct text *text, uint64_t number)
{
    char digits[18];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number != 0);
    digits[--at] = 'x';
    digits[--at] = '0';
    put(text, digits + at, sizeof digits - at);
}

static void put_number(struct text *text, uint64_t number, unsigned base)
{
    if (base == 16) {
        put_hexadecimal(text, number);
    } else {
        put_decimal(text, number);
    }
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

/* What is kept of a label's values; no field: it was not met. */
struct slot {
    const struct etl_field *field;
    size_t count; /* elements, or bytes of BYTES */
    size_t kept;
    struct etl_value values[ELEMENTS_MAX];
};

struct picker {
    struct etl_sink sink;
    unsigned depth;                       /* fields of nested layouts are not for the template */
    struct slot slots[ETL_INFO_ROWS_MAX]; /* as many as the layout's info_slots are set */
};

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    return field->in_info && ((struct picker *)sink)->depth == 0;
}

/* NULL: another row of the same label was there before. */
static struct slot *slot_of(struct picker *self, const struct etl_field *field)
{
    struct slot *slot = &self->slots[field->info_slot];
    if (slot->field == NULL) {
        slot->field = field;
        slot->count = 0;
        slot->kept = 0;
    }
    return slot->field == field ? slot : NULL;
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

static bool is_status(enum etl_type type)
{
    return type == ETL_TYPE_NTSTATUS || type == ETL_TYPE_WIN32ERROR || type == ETL_TYPE_HRESULT;
}

static void put_element(struct text *text, const struct etl_info_source *source,
                        const struct etl_field *field, const struct etl_value *value)
{
    enum etl_shape shape = etl_type_facts(field->type)->shape;
    bool number = shape == ETL_SHAPE_NUMBER && field->names == ETL_NAMES_NONE &&
                  (field->key != ETL_KEY_NONE || is_status(field->type));
    const char *name = source->name != NULL && number
                           ? source->name(source->data, field, value->number)
                           : NULL;
    if (name == NULL) {
        put_value(text, field, value);
        return;
    }
    put_text(text, name);
    if (field->key != ETL_KEY_NONE && field->type != ETL_TYPE_POINTER) {
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

/* What is known of the ids, up to the first of which nothing is. */
static bool put_names(struct text *text, const struct etl_info_source *source,
                      const struct slot *slot)
{
    size_t kept = slot->field != NULL ? slot->kept : 0;
    size_t i = 0;
    for (; i < kept && source->name != NULL; i++) {
        const char *name = source->name(source->data, slot->field, slot->values[i].number);
        if (name == NULL) {
            break;
        }
        put_text(text, i > 0 ? ", " : "");
        put_text(text, name);
    }
    if (i > 0 && slot->count > i) {
        put_text(text, ", " ELLIPSIS);
    }
    return i > 0;
}

static const struct etl_info_source no_names; /* where an event says what its id is called */

static void put_value_or_mark(struct text *text, const struct etl_info_source *source,
                              const struct slot *slot)
{
    if (slot->field != NULL) {
        put_slot(text, source, slot);
    } else {
        put(text, "?", 1);
    }
}

static bool put_parts(struct text *text, const struct etl_info_source *source,
                      const struct picker *picker, const struct etl_info_part *part,
                      const struct etl_info_part *end_of_parts);

/* Takes back what it wrote if a value was missing. */
static void put_optional(struct text *text, const struct etl_info_source *source,
                         const struct picker *picker, const struct etl_info_part *part)
{
    struct text before = *text;
    if (!put_parts(text, source, picker, part + 1, part + 1 + part->length)) {
        *text = before;
        text->room[text->length] = '\0';
    }
}

/*
 * Writes the parts up to `end_of_parts`. Returns whether every value was there and not empty, which
 * is what optional parts ask for.
 */
static bool put_parts(struct text *text, const struct etl_info_source *source,
                      const struct picker *picker, const struct etl_info_part *part,
                      const struct etl_info_part *end_of_parts)
{
    bool full = true;
    for (; part < end_of_parts; part++) {
        const struct slot *slot = &picker->slots[part->slot];
        switch (part->kind) {
        case ETL_INFO_LITERAL:
            put(text, part->text, part->length);
            continue;
        case ETL_INFO_OPTIONAL:
            put_optional(text, source, picker, part);
            part += part->length;
            continue;
        case ETL_INFO_VALUE:
            put_value_or_mark(text, source, slot);
            break;
        case ETL_INFO_NUMBER:
            put_value_or_mark(text, &no_names, slot);
            break;
        case ETL_INFO_NAME:
            full = put_names(text, source, slot) && full;
            break;
        case ETL_INFO_COUNT:
            put_number(text, slot->field != NULL ? slot->count : 0, 10);
            break;
        }
        full = full && slot->field != NULL && !is_empty(slot);
    }
    return full;
}

/* Without a template: "Label=value, Label=value". */
static void put_all(struct text *text, const struct etl_info_source *source,
                    const struct picker *picker, size_t slots)
{
    for (size_t i = 0; i < slots; i++) {
        if (picker->slots[i].field != NULL) {
            put_separator(text, 0, ", ");
            put_text(text, picker->slots[i].field->label);
            put(text, "=", 1);
            put_slot(text, source, &picker->slots[i]);
        }
    }
}

/* The values of info_rows: at once where their places are known, as most are, or by the walk. */
static void pick_all(struct picker *picker, const struct etl_info_source *source,
                     const struct etl_layout *layout, const uint8_t *payload, size_t payload_size)
{
    struct etl_decoder decoder = {
        .sink = &picker->sink, .clock = source->clock, .pointer_size = source->pointer_size};
    picker->depth = 0;
    for (size_t i = 0; i < layout->info_slots; i++) {
        picker->slots[i].field = NULL;
    }
    if (!layout->info_fixed || !etl_decode_reaches(&decoder, layout, payload_size)) {
        picker->sink = (struct etl_sink){
            .wants = wants, .value = pick, .begin = begin, .end = end, .note = etl_ignore_note};
        etl_decode_layout(&decoder, layout, payload, payload_size);
        return;
    }
    for (size_t i = 0; i < layout->info_row_count; i++) {
        const struct etl_field *field = &layout->fields[layout->info_rows[i]];
        struct slot *slot = slot_of(picker, field);
        if (slot != NULL) {
            slot->count = slot->kept = 1;
            etl_decode_fixed(&decoder, field, payload, &slot->values[0]);
        }
    }
}

size_t etl_info_format(const struct etl_info_source *source, const struct etl_layout *layout,
                       const uint8_t *payload, size_t payload_size, char *room, size_t size)
{
    struct text text = text_in(room, size);
    struct picker picker; /* its slots are set when they are used: most of them never are */
    pick_all(&picker, source, layout, payload, payload_size);
    if (layout->info == NULL) {
        put_all(&text, source, &picker, layout->info_slots);
    } else if (payload_size > 0) {
        put_parts(&text, source, &picker, layout->info_parts,
                  layout->info_parts + layout->info_part_count);
    }
    return text.length;
}
