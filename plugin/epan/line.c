/* Foreign text: nearly all of it is ASCII, which needs no conversion. */
#include "epan/line.h"

#include "etl/decode.h"

static bool is_ascii(const uint8_t *text, size_t size)
{
    uint8_t all = 0;
    for (size_t i = 0; i < size; i++) {
        all |= text[i];
    }
    return all < 0x80;
}

void etl_line_foreign(struct etl_line *line, const uint8_t *text, size_t size)
{
    char room[sizeof line->text];
    if (is_ascii(text, size)) {
        etl_line_span(line, (const char *)text, size);
    } else {
        etl_line_span(line, room, etl_utf8_of_ansi(text, size, room, sizeof room));
    }
}
