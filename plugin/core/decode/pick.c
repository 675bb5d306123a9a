/* A sink that keeps what has one of its labels. */
#include "core/decode/pick.h"

#include <string.h>

struct picker {
    struct etl_sink sink;
    struct etl_pick *picks;
    size_t count;
};

static struct etl_pick *pick_of(const struct picker *self, const struct etl_field *field)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(field->label, self->picks[i].label) == 0) {
            return &self->picks[i];
        }
    }
    return NULL;
}

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    return !field->hidden && pick_of((struct picker *)sink, field) != NULL;
}

static void take(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct etl_pick *pick = pick_of((struct picker *)sink, field);
    if (pick != NULL && pick->count++ == 0) {
        pick->value = *value;
    }
}

void etl_pick(const struct etl_event *event, const struct etl_clock *clock,
              const struct etl_layout *layout, struct etl_pick *picks, size_t count)
{
    struct picker picker = {.sink = {.wants = wants,
                                     .value = take,
                                     .begin = etl_ignore_begin,
                                     .end = etl_ignore_end,
                                     .note = etl_ignore_note},
                            .picks = picks,
                            .count = count};
    struct etl_decoder decoder = {
        .sink = &picker.sink, .clock = clock, .pointer_size = event->pointer_size};
    etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
}

size_t etl_pick_text(const struct etl_pick *pick, char *room, size_t size)
{
    const struct etl_value *value = &pick->value;
    room[0] = '\0';
    if (pick->count == 0) {
        return 0;
    }
    return value->encoding == ETL_ENCODING_UTF16
               ? etl_utf8_of_utf16(value->bytes, value->length, room, size)
               : etl_utf8_of_ansi(value->bytes, value->length, room, size);
}
