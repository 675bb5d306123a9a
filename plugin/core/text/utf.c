/*
 * UTF-16LE to UTF-8 and back, for the texts of a trace that go into names and comments.
 */
#include "etl/decode.h"

#define REPLACEMENT 0xFFFDU

/* The next code point of `utf16`; *ret_units is how many code units it took. */
static uint32_t code_point(const uint8_t *utf16, size_t units, size_t *ret_units)
{
    uint32_t first = etl_load_u16(utf16);
    *ret_units = 1;
    if (first < 0xD800 || first > 0xDFFF) {
        return first;
    }
    uint32_t second = first <= 0xDBFF && units > 1 ? etl_load_u16(utf16 + 2) : 0;
    if (second < 0xDC00 || second > 0xDFFF) {
        return REPLACEMENT;
    }
    *ret_units = 2;
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

/* Bytes of the code point in UTF-8, written to `room`. */
static size_t encode(uint32_t point, char room[4])
{
    if (point < 0x80) {
        room[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        room[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    room[0] = (char)((0xF00U >> length & 0xFF) | point);
    return length;
}

size_t etl_utf8_of_utf16(const uint8_t *utf16, size_t size, char *room, size_t room_size)
{
    size_t length = 0;
    for (size_t i = 0; i + 1 < size;) {
        size_t units;
        char bytes[4];
        size_t count = encode(code_point(utf16 + i, (size - i) / 2, &units), bytes);
        if (length + count >= room_size) {
            break;
        }
        for (size_t k = 0; k < count; k++) {
            room[length++] = bytes[k];
        }
        i += units * 2;
    }
    room[length] = '\0';
    return length;
}

/* Bytes of the well-formed UTF-8 sequence at `at`; 0: none. */
static size_t sequence_length(const uint8_t *at, size_t left)
{
    static const uint8_t least_second[3] = {0x80, 0xA0,
                                            0x90}; /* after E0 and F0: no overlong form */
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xF4) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    uint8_t least = at[0] == 0xE0 ? least_second[1] : at[0] == 0xF0 ? least_second[2] : 0x80;
    uint8_t most = at[0] == 0xED   ? 0x9F
                   : at[0] == 0xF4 ? 0x8F
                                   : 0xBF; /* surrogates, over U+10FFFF */
    return length == 1 || (at[1] >= least && at[1] <= most) ? length : 0;
}

/* The code points of Windows-1252 at 0x80..0x9F; 0: undefined there. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static size_t encode_ansi(uint8_t byte, char room[4])
{
    uint32_t point = byte >= 0x80 && byte < 0xA0 ? windows_1252[byte - 0x80] : byte;
    return encode(point != 0 || byte == 0 ? point : REPLACEMENT, room);
}

/* Copies the ASCII at the beginning, which most texts are to their end; returns its length. */
static size_t copy_ascii(const uint8_t *from, size_t size, char *room)
{
    const uint64_t high_bits = UINT64_C(0x8080808080808080);
    size_t length = 0;
    for (; size - length >= 8; length += 8) {
        uint64_t eight = etl_load_u64(from + length);
        if ((eight & high_bits) != 0) {
            break;
        }
        etl_store_u64((uint8_t *)room + length, eight);
    }
    for (; length < size && from[length] < 0x80; length++) {
        room[length] = (char)from[length];
    }
    return length;
}

size_t etl_utf8_of_ansi(const uint8_t *ansi, size_t size, char *room, size_t room_size)
{
    size_t taken;
    size_t length = copy_ascii(ansi, size < room_size - 1 ? size : room_size - 1, room);
    for (size_t i = length; i < size; i += taken) {
        char bytes[4];
        size_t count = taken = sequence_length(ansi + i, size - i);
        if (count == 0) {
            count = encode_ansi(ansi[i], bytes);
            taken = 1;
        } else {
            for (size_t k = 0; k < count; k++) {
                bytes[k] = (char)ansi[i + k];
            }
        }
        if (length + count >= room_size) {
            break;
        }
        for (size_t k = 0; k < count; k++) {
            room[length++] = bytes[k];
        }
    }
    room[length] = '\0';
    return length;
}

/* The code point of a well-formed sequence. */
static uint32_t decode(const uint8_t *at, size_t length)
{
    uint32_t point = length == 1 ? at[0] : at[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        point = point << 6 | (at[i] & 0x3F);
    }
    return point;
}

size_t etl_utf16_of_utf8(const uint8_t *utf8, size_t size, uint8_t *room, size_t room_size)
{
    size_t length = 0;
    size_t taken;
    for (size_t i = 0; i < size; i += taken) {
        size_t sequence = sequence_length(utf8 + i, size - i);
        uint32_t point = sequence > 0 ? decode(utf8 + i, sequence) : REPLACEMENT;
        size_t units = point < 0x10000 ? 1 : 2;
        if (length + 2 * units + 2 > room_size) {
            break;
        }
        if (units == 2) {
            etl_store_u16(room + length, (uint16_t)(0xD800 + ((point - 0x10000) >> 10)));
            point = 0xDC00 + (point & 0x3FF);
        }
        etl_store_u16(room + length + 2 * units - 2, (uint16_t)point);
        length += 2 * units;
        taken = sequence > 0 ? sequence : 1;
    }
    etl_store_u16(room + length, 0);
    return length;
}
