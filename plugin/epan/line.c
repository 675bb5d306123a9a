/* Foreign text goes where it is shown at once. */
#include "epan/line.h"

#include "etl/decode.h"

void etl_line_foreign(struct etl_line *line, const uint8_t *text, size_t size)
{
    line->length += etl_utf8_of_ansi(text, size, line->text + line->length,
                                     sizeof line->text - line->length);
}
