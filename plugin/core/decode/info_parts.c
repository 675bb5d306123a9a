/*
 * "process {ProcessId}<, {Flags}>" is four parts: LITERAL "process ", VALUE, OPTIONAL of two:
 * LITERAL ", ", VALUE. The values of an event are kept in slots, one a label: of rows with one
 * label only one is there.
 */
#include "core/decode/info_parts.h"

#include <stdlib.h>
#include <string.h>

/* The slot of a label of `length` characters; -1: no row has it. */
static int slot_of_label(const struct etl_layout *layout, const char *label, size_t length)
{
    for (size_t i = 0; i < layout->info_row_count; i++) {
        const struct etl_field *field = &layout->fields[layout->info_rows[i]];
        if (strncmp(field->label, label, length) == 0 && field->label[length] == '\0') {
            return field->info_slot;
        }
    }
    return -1;
}

static bool take_row(struct etl_layout *layout, size_t row)
{
    struct etl_field *field = &layout->fields[row];
    if (layout->info_row_count == ETL_INFO_ROWS_MAX) {
        return false;
    }
    /* Without a template each row has its own name before it. */
    int slot = layout->info != NULL ? slot_of_label(layout, field->label, strlen(field->label))
                                    : -1;
    field->in_info = true;
    field->info_slot = (uint8_t)(slot >= 0 ? slot : layout->info_slots++);
    layout->info_rows[layout->info_row_count++] = (uint8_t)row;
    layout->info_fixed &= row < layout->fixed_rows;
    return true;
}

/* "{Label}", perhaps with a mark, somewhere in the template. */
static bool is_named(const struct etl_layout *layout, const struct etl_field *field)
{
    size_t length = strlen(field->label);
    for (const char *at = strchr(layout->info, '{'); at != NULL; at = strchr(at + 1, '{')) {
        if (strncmp(at + 1, field->label, length) == 0 && strchr("}#@!", at[1 + length]) != NULL &&
            at[1 + length] != '\0') {
            return true;
        }
    }
    return false;
}

static bool take_named_rows(struct etl_layout *layout)
{
    bool room = true;
    for (size_t row = 0; row < layout->count && room; row++) {
        const struct etl_field *field = &layout->fields[row];
        room = field->hidden || !is_named(layout, field) || take_row(layout, row);
    }
    return room;
}

static bool take_first_rows(struct etl_layout *layout)
{
    bool room = true;
    size_t shown = 0;
    for (size_t row = 0; row < layout->count && shown < ETL_INFO_FIELDS && room; row++) {
        const struct etl_field *field = &layout->fields[row];
        enum etl_shape shape = etl_type_facts(field->type)->shape;
        if (!field->hidden && shape != ETL_SHAPE_STRUCT && shape != ETL_SHAPE_PADDING) {
            bool alternative = row > 0 && strcmp(field->label, field[-1].label) == 0;
            shown += !alternative;
            room = take_row(layout, row);
        }
    }
    return room;
}

static enum etl_info_part_kind kind_of_mark(char mark)
{
    return mark == '#'   ? ETL_INFO_COUNT
           : mark == '@' ? ETL_INFO_NAME
           : mark == '!' ? ETL_INFO_NUMBER
                         : ETL_INFO_VALUE;
}

/* The part that begins at `at`; returns where the next one does, NULL if no row has the label. */
static const char *take_part(const struct etl_layout *layout, const char *at,
                             struct etl_info_part *ret_part)
{
    if (*at != '{') {
        size_t length = strcspn(at, "{<>");
        *ret_part = (struct etl_info_part){
            .kind = ETL_INFO_LITERAL, .text = at, .length = (uint16_t)length};
        return at + length;
    }
    size_t length = strcspn(at + 1, "#@!}");
    char mark = at[1 + length];
    int slot = slot_of_label(layout, at + 1, length);
    *ret_part = (struct etl_info_part){.kind = kind_of_mark(mark), .slot = (uint8_t)slot};
    return slot >= 0 ? at + 1 + length + (mark != '}' ? 2 : 1) : NULL;
}

static const char *take_parts(struct etl_layout *layout, struct etl_info_part *parts)
{
    struct etl_info_part *optional = NULL;
    size_t count = 0;
    for (const char *at = layout->info; *at != '\0';) {
        if (*at == '<') {
            optional = &parts[count++];
            *optional = (struct etl_info_part){.kind = ETL_INFO_OPTIONAL};
            at++;
        } else if (*at == '>' && optional != NULL) {
            optional->length = (uint16_t)(&parts[count] - optional - 1);
            optional = NULL;
            at++;
        } else if (*at == '>') {
            return "INFO has a > without a <";
        } else {
            at = take_part(layout, at, &parts[count++]);
        }
        if (at == NULL) {
            return "INFO has a label that no field has";
        }
    }
    layout->info_parts = parts;
    layout->info_part_count = count;
    return optional == NULL ? NULL : "INFO has a < without a >";
}

const char *etl_info_complete(struct etl_layout *layout)
{
    layout->info_fixed = true;
    if (layout->info == NULL) {
        return take_first_rows(layout) ? NULL : "has too many fields for a line";
    }
    if (!take_named_rows(layout)) {
        return "INFO has too many fields";
    }
    /* A part is at least a character. Lives as long as the program, like the layout. */
    struct etl_info_part *parts = calloc(strlen(layout->info) + 1, sizeof *parts);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the layout keeps them */
    return parts != NULL ? take_parts(layout, parts) : "out of memory";
}
