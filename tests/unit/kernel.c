/* The rows of kernel and classic events: lint of the tables, and events decoded field by field. */
#include "etl/decode.h"
#include "etl/hooks.h"
#include "etl/snake.h"

#include "unit.h"

#include <stdio.h>

struct filter {
    const char *name;
    enum etl_shape kind;
    const char *layout;
};

static struct filter filters[1 << 15];
static size_t filter_count;

static void add_filter(const char *name, enum etl_shape kind, const struct etl_layout *layout)
{
    CU_ASSERT_FATAL(filter_count < sizeof filters / sizeof filters[0]);
    filters[filter_count++] = (struct filter){.name = name, .kind = kind, .layout = layout->id};
}

static void add_flags(const struct etl_field *field, const struct etl_layout *layout)
{
    const struct etl_names *names = etl_names_list(field->names);
    for (size_t i = 0; names != NULL && names->kind == ETL_NAMES_FLAGS && i < names->count; i++) {
        char name[256], word[128];
        etl_snake_case(names->rows[i].text, word, sizeof word);
        snprintf(name, sizeof name, "%s.%s", field->filter, word);
        CU_ASSERT_TRUE(strlen(name) <= 128);
        add_filter(strdup(name), names->rows[i].multi_bit ? ETL_SHAPE_NUMBER : ETL_SHAPE_BOOLEAN,
                   layout);
    }
}

static int compare_filters(const void *left, const void *right)
{
    return strcmp(((const struct filter *)left)->name, ((const struct filter *)right)->name);
}

static void collect_filters(void)
{
    etl_layouts_start();
    filter_count = 0;
    for (enum etl_layout_id id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout(id);
        for (size_t row = 0; row < layout->count; row++) {
            const struct etl_field *field = &layout->fields[row];
            enum etl_shape shape = etl_type_facts(field->type)->shape;
            if (shape != ETL_SHAPE_PADDING) {
                add_filter(field->filter, shape, layout);
                add_flags(field, layout);
            }
        }
    }
    qsort(filters, filter_count, sizeof filters[0], compare_filters);
}

static void test_one_kind(void)
{
    collect_filters();
    for (size_t i = 1; i < filter_count; i++) {
        const struct filter *a = &filters[i - 1];
        const struct filter *b = &filters[i];
        if (strcmp(a->name, b->name) == 0 && a->kind != b->kind) {
            printf("\n    %s has two kinds, in %s and %s", a->name, a->layout, b->layout);
            CU_FAIL("two kinds");
        }
    }
}

UNIT_SUITE("kernel", {"a filter name has one kind", test_one_kind})
