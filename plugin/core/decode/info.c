/*
 * Keeps the values of the fields that a template names in a few slots, then writes its parts.
 */
#include "etl/info.h"

#include "core/decode/scalars.h"
#include "core/decode/text.h"

/* Elements of an array that are written; the rest is an ellipsis. */
#define ELEMENTS_MAX 4

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

static void pick_numbers(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                         size_t width, size_t count)
{
    struct slot *slot = slot_of((struct picker *)sink, field);
    if (slot == NULL) {
        return;
    }
    for (size_t i = 0; i < count && slot->kept < ELEMENTS_MAX; i++) {
        const uint8_t *element = at + i * width;
        slot->values[slot->kept++] = (struct etl_value){.at = element,
                                                        .size = width,
                                                        .number = etl_load_number(element, width),
                                                        .bytes = element,
                                                        .length = width};
    }
    slot->count += count;
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

/* What is known of a number, where the line goes on; false: nothing. */
static bool put_name(struct text *text, const struct etl_info_source *source,
                     const struct etl_field *field, uint64_t number)
{
    size_t room = (size_t)(text->end - text->at) + 1;
    size_t length = source->name != NULL ? source->name(source->data, field, number, text->at, room)
                                         : 0;
    if (length > 0) {
        text->at += length;
        etl_text_end_if_full(text);
    }
    return length > 0;
}

static void put_element(struct text *text, const struct etl_info_source *source,
                        const struct etl_field *field, const struct etl_value *value)
{
    enum etl_shape shape = etl_type_facts(field->type)->shape;
    bool number = shape == ETL_SHAPE_NUMBER && field->names == ETL_NAMES_NONE &&
                  (field->key != ETL_KEY_NONE || is_status(field->type));
    if (!number || !put_name(text, source, field, value->number)) {
        etl_text_put_value(text, field, value);
        return;
    }
    if (field->key != ETL_KEY_NONE && field->type != ETL_TYPE_POINTER) {
        put_text(text, " (");
        etl_text_put_value(text, field, value);
        put_text(text, ")");
    }
}

static void put_slot(struct text *text, const struct etl_info_source *source,
                     const struct slot *slot)
{
    bool bytes = etl_type_facts(slot->field->type)->shape == ETL_SHAPE_BYTES;
    for (size_t i = 0; i < slot->kept; i++) {
        if (i > 0) {
            put_text(text, ", ");
        }
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
    for (; i < kept; i++) {
        struct text before = *text;
        if (i > 0) {
            put_text(text, ", ");
        }
        if (!put_name(text, source, slot->field, slot->values[i].number)) {
            *text = before;
            break;
        }
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
            etl_text_put_decimal(text, slot->field != NULL ? slot->count : 0);
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
            put_separator(text, text->start, ", ");
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
        picker->sink = (struct etl_sink){.wants = wants,
                                         .value = pick,
                                         .numbers = pick_numbers,
                                         .begin = begin,
                                         .end = end,
                                         .note = etl_ignore_note};
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
    return text_finish(&text);
}
