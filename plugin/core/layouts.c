/*
 * Expands the rows of plugin/layouts/ into arrays and completes them once at start.
 *
 * All rows are one array; a LAYOUT row of type COUNT stands before the fields of each layout:
 *
 *     | LAYOUT system_header | Version | HeaderType | … | LAYOUT compact_header | Version | …
 */
#include "etl/layout.h"

#include "etl/snake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest filter name Wireshark users are asked to type; also a limit of design. */
#define FILTER_NAME_MAX 128

static struct etl_field all_fields[] = {
#define LAYOUT(layout_id, class_text) \
    {.label = #layout_id, .filter = class_text, .type = ETL_TYPE_COUNT},
#define FIELD(field_type, field_label, ...) \
    {.label = #field_label, .type = ETL_TYPE_##field_type, __VA_ARGS__},
#include "layouts/all.def"
};

static struct etl_layout all_layouts[ETL_LAYOUT_COUNT];
static size_t field_count;

struct hook_layout {
    uint16_t hookid;
    uint8_t version_min;
    uint8_t version_max;
    uint16_t layout;
};

static struct hook_layout hook_layouts[] = {
#define EVENT(hook, min, max, layout_id) \
    {.hookid = (hook),                   \
     .version_min = (min),               \
     .version_max = (max),               \
     .layout = ETL_LAYOUT_##layout_id},
#include "layouts/all.def"
};

#define HOOK_LAYOUT_COUNT (sizeof hook_layouts / sizeof hook_layouts[0])

static const struct etl_type_facts types[ETL_TYPE_COUNT] = {
#define TYPE(type_name, type_width, type_shape, type_base)     \
    [ETL_TYPE_##type_name] = {.name = #type_name,              \
                              .width = (type_width),           \
                              .shape = ETL_SHAPE_##type_shape, \
                              .base = ETL_BASE_##type_base},
#include "etl/types.def"
#undef TYPE
};

const struct etl_type_facts *etl_type_facts(enum etl_type type)
{
    return &types[type];
}

/* A mistake in the tables: no trace can cause it, so that every start of every program finds it. */
static _Noreturn void table_mistake(const struct etl_layout *layout, const struct etl_field *field,
                                    const char *what)
{
    fprintf(stderr, "etl: layout %s, field %s: %s\n", layout->id, field->label, what);
    abort();
}

static int16_t row_of_label(const struct etl_layout *layout, const struct etl_field *field,
                            const char *label)
{
    if (label == NULL || strcmp(label, ETL_REST) == 0) {
        return -1;
    }
    for (const struct etl_field *row = layout->fields; row < field; row++) {
        if (strcmp(row->label, label) == 0) {
            return (int16_t)(row - layout->fields);
        }
    }
    table_mistake(layout, field, "refers to a label that no earlier field has");
}

/* "etl." class "." label, or "etl." and what the row says. */
static void name_filter(const struct etl_layout *layout, struct etl_field *field)
{
    char snake[FILTER_NAME_MAX];
    const char *class_name = layout->class_name;
    const char *last = field->filter;
    if (last == NULL) {
        etl_snake_case(field->label, snake, sizeof snake);
        last = snake;
    } else {
        class_name = "";
    }
    size_t size = sizeof "etl." + strlen(class_name) + 1 + strlen(last);
    if (size > FILTER_NAME_MAX) {
        table_mistake(layout, field, "filter name is too long");
    }
    char *name = malloc(size); /* lives as long as the program, like the row */
    if (name == NULL) {
        table_mistake(layout, field, "out of memory");
    }
    const char *dot = class_name[0] != '\0' ? "." : "";
    int length = snprintf(name, size, "etl.%s%s%s", class_name, dot, last);
    if (length < 0 || (size_t)length >= size) {
        table_mistake(layout, field, "filter name does not fit");
    }
    field->filter = name;
}

static void refer(struct etl_layout *layout, int16_t row)
{
    if (row >= 0) {
        layout->fields[row].referred = true;
    }
}

static bool is_single(const struct etl_field *field)
{
    switch (types[field->type].shape) {
    case ETL_SHAPE_SID:
    case ETL_SHAPE_TEXT:
    case ETL_SHAPE_BYTES:
    case ETL_SHAPE_STRUCT:
    case ETL_SHAPE_PADDING:
        return false;
    default:
        return field->count == NULL && field->length == 0;
    }
}

/* A field takes one number, and one for each of its flags. */
static void complete_field(struct etl_layout *layout, struct etl_field *field)
{
    field->count_row = row_of_label(layout, field, field->count);
    field->when_row = row_of_label(layout, field, field->when);
    if (field->type == ETL_TYPE_STRUCT && field->structure == ETL_LAYOUT_NONE) {
        table_mistake(layout, field, "STRUCT without .structure");
    }
    name_filter(layout, field);
    field->width = types[field->type].width;
    field->single = is_single(field);
    refer(layout, field->count_row);
    refer(layout, field->when_row);
    field->number = (uint16_t)field_count++;
    if (field->names != ETL_NAMES_NONE && etl_names_list(field->names)->kind == ETL_NAMES_FLAGS) {
        field_count += etl_names_list(field->names)->count;
    }
}

static int compare_hook_layouts(const void *left, const void *right)
{
    const struct hook_layout *a = left;
    const struct hook_layout *b = right;
    if (a->hookid != b->hookid) {
        return a->hookid < b->hookid ? -1 : 1;
    }
    return (int)a->version_min - (int)b->version_min;
}

void etl_layouts_start(void)
{
    if (field_count > 0) {
        return;
    }
    struct etl_layout *layout = all_layouts; /* the first place stands for ETL_LAYOUT_NONE */
    layout->id = "none";
    for (size_t i = 0; i < sizeof all_fields / sizeof all_fields[0]; i++) {
        struct etl_field *field = &all_fields[i];
        if (field->type == ETL_TYPE_COUNT) {
            layout++;
            layout->id = field->label;
            layout->class_name = field->filter;
            layout->fields = field + 1;
        } else {
            complete_field(layout, field);
            layout->count++;
        }
    }
    qsort(hook_layouts, HOOK_LAYOUT_COUNT, sizeof hook_layouts[0], compare_hook_layouts);
}

const struct etl_layout *etl_layout(enum etl_layout_id id)
{
    return &all_layouts[id];
}

size_t etl_field_count(void)
{
    return field_count;
}

const struct etl_layout *etl_layout_of_hook(uint16_t hookid, uint8_t version)
{
    size_t low = 0;
    size_t high = HOOK_LAYOUT_COUNT;
    while (low < high) { /* finds the first row after (hookid, version) */
        size_t middle = low + (high - low) / 2;
        const struct hook_layout *row = &hook_layouts[middle];
        if (row->hookid < hookid || (row->hookid == hookid && row->version_min <= version)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || hook_layouts[low - 1].hookid != hookid) {
        return NULL;
    }
    return etl_layout(hook_layouts[low - 1].layout);
}
