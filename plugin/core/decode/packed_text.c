/*
 * Finds the rows of a packed text among an event's rows, and expands it.
 */
#include "etl/packed_text.h"

#include "etl/compression.h"
#include "etl/decode.h"

#include <string.h>

struct finder {
    struct etl_sink sink;
    const struct etl_field *data; /* the row of the packed bytes */
    struct etl_span packed;
    uint64_t size;
    bool found;
};

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    const struct finder *finder = (struct finder *)sink;
    return field == finder->data || strcmp(field->label, finder->data->xml_size) == 0;
}

static void take(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct finder *finder = (struct finder *)sink;
    if (field == finder->data) {
        finder->packed = (struct etl_span){.at = value->bytes, .size = value->length};
        finder->found = true;
    } else {
        finder->size = value->number;
    }
}

static const struct etl_field *data_row(const struct etl_layout *layout)
{
    for (size_t row = 0; row < layout->count; row++) {
        if (layout->fields[row].xml_size != NULL) {
            return &layout->fields[row];
        }
    }
    return NULL;
}

bool etl_packed_text_of_event(const struct etl_event *event, struct etl_packed_text *ret_text)
{
    const struct etl_layout *layout = etl_layout_of_event(event);
    const struct etl_field *data = layout != NULL ? data_row(layout) : NULL;
    if (data == NULL) {
        return false;
    }
    struct finder finder = {.sink = {.wants = wants,
                                     .value = take,
                                     .begin = etl_ignore_begin,
                                     .end = etl_ignore_end,
                                     .note = etl_ignore_note},
                            .data = data};
    struct etl_decoder decoder = {.sink = &finder.sink, .pointer_size = event->pointer_size};
    etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    if (!finder.found) {
        return false;
    }
    bool cut = finder.size > ETL_PACKED_TEXT_MAX;
    *ret_text = (struct etl_packed_text){
        .packed = finder.packed, .size = cut ? ETL_PACKED_TEXT_MAX : finder.size, .cut = cut};
    return true;
}

size_t etl_packed_text_expand(const struct etl_packed_text *text, uint8_t *room)
{
    size_t size = 0;
    etl_decompress(ETL_COMPRESSION_LZNT1, text->packed.at, text->packed.size, room, text->size,
                   &size);
    return size;
}

/* XML begins with '<', whose second byte is zero. */
static bool is_utf16(const uint8_t *text, size_t size)
{
    return size >= 2 && (text[1] == 0 || (text[0] == 0xFF && text[1] == 0xFE));
}

static size_t without_nul(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == '\0') {
        length--;
    }
    return length;
}

size_t etl_packed_text_utf8(const uint8_t *expanded, size_t size, char *utf8)
{
    size_t length;
    if (is_utf16(expanded, size)) {
        size_t mark = expanded[0] == 0xFF ? 2 : 0;
        length = etl_utf8_of_utf16(expanded + mark, size - mark, utf8,
                                   ETL_PACKED_TEXT_UTF8_SIZE(size));
    } else {
        size_t mark = size >= 3 && memcmp(expanded, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        length = size - mark;
        memcpy(utf8, expanded + mark, length);
        utf8[length] = '\0';
    }
    return without_nul(utf8, length);
}
