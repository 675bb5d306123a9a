/*
 * Values as text, each by the shape of its type; numbers by the names of their rows.
 */
#include "core/decode/text.h"

#include "etl/guid.h"
#include "etl/info.h"

#include <inttypes.h>
#include <stdio.h>

/* Bytes of a BYTES value that are written. */
#define BYTES_MAX 16

void etl_text_put_cut(struct text *text, const char *from)
{
    size_t length = (size_t)(text->end - text->at);
    while (length > 0 && ((uint8_t)from[length] & 0xC0) == 0x80) { /* not inside a character */
        length--;
    }
    memcpy(text->at, from, length);
    text->at += length;
    text->end = text->at;
}

/* No number is better than the beginning of one. */
static bool number_fits(struct text *text, size_t length)
{
    bool fits = length <= (size_t)(text->end - text->at);
    text->end = fits ? text->end : text->at;
    return fits;
}

/* Constants to divide by, of 32 bits for most numbers: other divisions take as long as all the rest. */
void etl_text_put_decimal(struct text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    for (; number > UINT32_MAX; number /= 10) {
        digits[--at] = (char)('0' + number % 10);
    }
    uint32_t rest = (uint32_t)number;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number_fits(text, sizeof digits - at)) {
        put(text, digits + at, sizeof digits - at);
    }
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
    if (number_fits(text, sizeof digits - at)) {
        put(text, digits + at, sizeof digits - at);
    }
}

static void put_number(struct text *text, uint64_t number, unsigned base)
{
    if (base == 16) {
        put_hexadecimal(text, number);
    } else {
        etl_text_put_decimal(text, number);
    }
}

static void put_signed(struct text *text, int64_t number)
{
    if (number < 0) {
        put_text(text, "-");
    }
    put_number(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

/* "NOCACHE|Priority=Normal|0x40000000": what no row names is last. */
static void put_flags(struct text *text, const struct etl_names *names, uint64_t number)
{
    const char *begin = text->at;
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

/* What a number means: by its schema's map, or its row's names; false where neither says anything. */
static bool put_meaning(struct text *text, const struct etl_field *field, uint64_t number)
{
    if (field->map == NULL && field->names == ETL_NAMES_NONE) {
        return false;
    }
    const struct etl_names *names = field->map != NULL ? field->map : etl_names_list(field->names);
    const char *name = field->map != NULL ? etl_map_name(field->map, number)
                                          : etl_names_find(field->names, number);
    if (name != NULL) {
        put_text(text, name);
    } else if (names != NULL && names->kind == ETL_NAMES_FLAGS) {
        put_flags(text, names, number);
    } else {
        return false;
    }
    return true;
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
    char *begin = text->at;
    size_t size = (size_t)(text->end - begin) + 1;
    text->at += value->encoding == ETL_ENCODING_UTF16
                    ? etl_utf8_of_utf16(value->bytes, value->length, begin, size)
                    : etl_utf8_of_ansi(value->bytes, value->length, begin, size);
    for (char *at = begin; at < text->at; at++) {
        if ((uint8_t)*at < 0x20 || *at == 0x7F) {
            *at = ' ';
        }
    }
    etl_text_end_if_full(text);
}

static void put_guid(struct text *text, const uint8_t *bytes)
{
    struct etl_guid guid;
    char room[ETL_GUID_TEXT_SIZE];
    memcpy(guid.bytes, bytes, sizeof guid.bytes);
    etl_guid_format(&guid, room);
    put_text(text, room);
}

/* All but plain numbers, which are most and shall not wait for what this sets up. */
__attribute__((noinline)) static void put_shape(struct text *text, enum etl_shape shape,
                                                const struct etl_field *field,
                                                const struct etl_value *value)
{
    switch (shape) {
    case ETL_SHAPE_SIGNED:
        if (!put_meaning(text, field, value->number)) {
            put_signed(text, (int64_t)value->number);
        }
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
    case ETL_SHAPE_NUMBER:
    case ETL_SHAPE_STRUCT:
    case ETL_SHAPE_PADDING:
        break;
    }
}

void etl_text_put_value(struct text *text, const struct etl_field *field,
                        const struct etl_value *value)
{
    const struct etl_type_facts *facts = etl_type_facts(field->type);
    if (facts->shape != ETL_SHAPE_NUMBER) {
        put_shape(text, facts->shape, field, value);
    } else if (!put_meaning(text, field, value->number)) {
        put_number(text, value->number, facts->base == ETL_BASE_HEXADECIMAL ? 16 : 10);
    }
}

size_t etl_value_format(const struct etl_field *field, const struct etl_value *value, char *room,
                        size_t size)
{
    struct text text = text_in(room, size);
    etl_text_put_value(&text, field, value);
    return text_finish(&text);
}
