/*
 * A line of text built piece by piece, for columns: a frame has several and there are millions of
 * frames, so no format is parsed and nothing is allocated. What does not fit is cut between
 * characters.
 */
#ifndef ETL_EPAN_LINE_H
#define ETL_EPAN_LINE_H

#include "compat/compat.h"

#include <string.h>

struct etl_line {
    size_t length;
    char text[512]; /* always terminated */
};

static inline void etl_line_start(struct etl_line *line)
{
    line->length = 0;
    line->text[0] = '\0';
}

/* Takes back what came after its first `length` bytes. */
static inline void etl_line_cut(struct etl_line *line, size_t length)
{
    line->length = length;
    line->text[length] = '\0';
}

static inline void etl_line_span(struct etl_line *line, const char *text, size_t size)
{
    size_t room = sizeof line->text - 1 - line->length;
    if (size > room) {
        size = room;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) {
            size--;
        }
    }
    memcpy(line->text + line->length, text, size);
    line->length += size;
    line->text[line->length] = '\0';
}

static inline void etl_line_text(struct etl_line *line, const char *text)
{
    etl_line_span(line, text, strlen(text));
}

/* Of text that a file holds: UTF-8, if need be by way of Windows-1252. */
void etl_line_foreign(struct etl_line *line, const uint8_t *text, size_t size);

static inline void etl_line_number(struct etl_line *line, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    etl_line_span(line, digits + at, sizeof digits - at);
}

/* "0x1f" */
static inline void etl_line_hexadecimal(struct etl_line *line, uint64_t number)
{
    char digits[2 + 2 * sizeof number];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number > 0);
    digits[--at] = 'x';
    digits[--at] = '0';
    etl_line_span(line, digits + at, sizeof digits - at);
}

#endif
