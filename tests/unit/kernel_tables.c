/* Lint of the tables of kernel and classic events: names, versions, labels, templates. */
#include "etl/decode.h"
#include "etl/hooks.h"
#include "etl/snake.h"

#include "unit.h"

#include <stdio.h>

struct filter {
    char name[160];
    enum etl_shape kind;
    const char *layout;
};

static struct filter filters[1 << 14];
static size_t filter_count;

static void add_filter(const char *name, enum etl_shape kind, const struct etl_layout *layout)
{
    CU_ASSERT_FATAL(filter_count < sizeof filters / sizeof filters[0]);
    struct filter *filter = &filters[filter_count++];
    CU_ASSERT_TRUE(strlen(name) <= 128);
    snprintf(filter->name, sizeof filter->name, "%s", name);
    filter->kind = kind;
    filter->layout = layout->id;
}

static void add_flags(const struct etl_field *field, const struct etl_layout *layout)
{
    const struct etl_names *names = etl_names_list(field->names);
    for (size_t i = 0; names != NULL && names->kind == ETL_NAMES_FLAGS && i < names->count; i++) {
        char name[256], word[64];
        etl_snake_case(names->rows[i].text, word, sizeof word);
        snprintf(name, sizeof name, "%.150s.%s", field->filter, word);
        add_filter(name, names->rows[i].multi_bit ? ETL_SHAPE_NUMBER : ETL_SHAPE_BOOLEAN, layout);
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
            printf("\n    %s has two kinds, in %s and %s ", a->name, a->layout, b->layout);
            CU_FAIL("two kinds");
        }
    }
}

static const struct filter *find_filter(const char *name)
{
    struct filter key = {0};
    snprintf(key.name, sizeof key.name, "%s", name);
    return bsearch(&key, filters, filter_count, sizeof filters[0], compare_filters);
}

/* All fields that have a kind of their own because an older one of the same label has another. */
static const char *const double_kinds[] = {
    "etl.event_trace.parent_id_text",
    "etl.event_trace.partition_id_text",
    "etl.perf_info.reserved_bytes",
    "etl.registry.hive_text",
    "etl.system_config.physical_addr_rest_number",
    "etl.tcp_ip.addr_v6",
    "etl.tcp_ip.daddr_v6",
    "etl.tcp_ip.destination_v6",
    "etl.tcp_ip.saddr_v6",
    "etl.tcp_ip.source_v6",
    "etl.thread.reserved_bytes",
    "etl.udp_ip.addr_v6",
    "etl.udp_ip.daddr_v6",
    "etl.udp_ip.destination_v6",
    "etl.udp_ip.saddr_v6",
    "etl.udp_ip.source_v6",
};

static bool is_kernel_filter(const char *name)
{
    size_t length = strcspn(name + 4, ".");
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    for (size_t i = 0; i < count; i++) {
        char word[64];
        if (etl_snake_case(hooks[i].class_name, word, sizeof word) == length &&
            memcmp(word, name + 4, length) == 0) {
            return true;
        }
    }
    return false;
}

static void test_double_kinds(void)
{
    static const char *const suffixes[] = {"_v6", "_text", "_guid", "_bytes", "_number"};
    collect_filters();
    size_t found = 0;
    for (size_t i = 0; i < filter_count; i++) {
        const char *name = filters[i].name;
        if ((i > 0 && strcmp(filters[i - 1].name, name) == 0) || !is_kernel_filter(name)) {
            continue;
        }
        for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
            size_t stem = strlen(name) - strlen(suffixes[k]);
            char base[160];
            snprintf(base, sizeof base, "%.*s", (int)stem, name);
            const struct filter *other = strlen(name) > strlen(suffixes[k]) &&
                                                 strcmp(name + stem, suffixes[k]) == 0
                                             ? find_filter(base)
                                             : NULL;
            if (other == NULL || other->kind == filters[i].kind ||
                strstr(name, "tag_text") != NULL || /* the same bytes, shown both ways */
                strcmp(name, "etl.perf_info.message_number") == 0) { /* spelt so by Microsoft */
                continue;
            }
            CU_ASSERT_FATAL(found < sizeof double_kinds / sizeof double_kinds[0]);
            CU_ASSERT_STRING_EQUAL(name, double_kinds[found++]);
        }
    }
    CU_ASSERT_EQUAL(found, sizeof double_kinds / sizeof double_kinds[0]);
}

struct event_row {
    unsigned hookid, min, max;
    enum etl_layout_id layout;
};

static const struct event_row event_rows[] = {
#define EVENT(hookid, min, max, layout) {hookid, min, max, ETL_LAYOUT_##layout},
#include "layouts/all.def"
};

#define EVENT_ROW_COUNT (sizeof event_rows / sizeof event_rows[0])

static void test_versions(void)
{
    for (size_t i = 0; i < EVENT_ROW_COUNT; i++) {
        const struct event_row *a = &event_rows[i];
        CU_ASSERT_TRUE(a->min <= a->max && a->max <= 255);
        CU_ASSERT_PTR_NOT_NULL(etl_hook_find((uint16_t)a->hookid));
        for (size_t k = 0; k < i; k++) {
            const struct event_row *b = &event_rows[k];
            bool apart = a->hookid != b->hookid || a->max < b->min || b->max < a->min;
            if (!apart) {
                printf("\n    versions of %04x overlap ", a->hookid);
            }
            CU_ASSERT_TRUE(apart);
        }
        for (unsigned version = a->min; version <= a->max; version++) {
            CU_ASSERT_PTR_EQUAL(etl_layout_of_hook((uint16_t)a->hookid, (uint8_t)version),
                                etl_layout(a->layout));
        }
    }
}

/* Of these hook ids only names are known. */
static const uint16_t hooks_without_layout[] = {
    0x000A, 0x000B, 0x000C, 0x000D, 0x0124, 0x0126, 0x0127, 0x0128, 0x0129, 0x0130, 0x0131,
    0x0132, 0x0133, 0x0221, 0x0222, 0x0224, 0x0225, 0x0226, 0x0228, 0x0229, 0x022A, 0x022E,
    0x0328, 0x0364, 0x0454, 0x0456, 0x0523, 0x052E, 0x0621, 0x0623, 0x0624, 0x0625, 0x0626,
    0x0E24, 0x0E25, 0x0E26, 0x0E27, 0x0F26, 0x0F36, 0x0F40, 0x0F41, 0x0F80, 0x0F81, 0x0F82,
    0x0F83, 0x0F84, 0x0F85, 0x0F86, 0x0F87, 0x0F88, 0x0F89, 0x1318, 0x1319, 0x131A, 0x1320,
    0x1321, 0x1322, 0x1323, 0x1324, 0x1325, 0x1326, 0x1327, 0x1401, 0x1420, 0x1607, 0x1608,
};

static void test_every_hook(void)
{
    etl_layouts_start();
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    size_t without = 0;
    for (size_t i = 0; i < count; i++) {
        if (etl_layout_of_hook(hooks[i].hookid, 255) != NULL) {
            continue;
        }
        CU_ASSERT_FATAL(without < sizeof hooks_without_layout / sizeof hooks_without_layout[0]);
        CU_ASSERT_EQUAL(hooks[i].hookid, hooks_without_layout[without++]);
    }
    CU_ASSERT_EQUAL(without, sizeof hooks_without_layout / sizeof hooks_without_layout[0]);
    CU_ASSERT_EQUAL(count - without, 539);
}

/* Rows with one label are each other's alternatives, or the same bytes again. */
static void check_labels(const struct etl_layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct etl_field *a = &layout->fields[i];
        CU_ASSERT_FALSE(a->otherwise && (i == 0 || a[-1].when == NULL));
        CU_ASSERT_FALSE(a->hidden && (i == 0 || !a->part));
        for (size_t k = 0; k < i; k++) {
            const struct etl_field *b = &layout->fields[k];
            bool alternatives = b->when != NULL && (a->when != NULL || a->otherwise);
            if (strcmp(a->label, b->label) == 0 && !alternatives && !(a->hidden && b->hidden)) {
                printf("\n    layout %s has two fields %s ", layout->id, a->label);
                CU_FAIL("label");
            }
        }
    }
}

static void test_labels(void)
{
    etl_layouts_start();
    for (enum etl_layout_id id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout(id);
        CU_ASSERT_TRUE(layout->count <= 128); /* ROWS_MAX of decode.c */
        check_labels(layout);
    }
}

/* Filters are words of lower case parted by dots. */
static void test_filter_spelling(void)
{
    collect_filters();
    for (size_t i = 0; i < filter_count; i++) {
        const char *name = filters[i].name;
        CU_ASSERT_EQUAL(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_."), strlen(name));
        CU_ASSERT_PTR_NULL(strstr(name, ".."));
        CU_ASSERT_PTR_NULL(strstr(name, "._"));
        CU_ASSERT_EQUAL(strncmp(name, "etl.", 4), 0);
    }
}

/* Optional parts close, are not nested and hold a value; slots of info.c are enough. */
static void check_template(const struct etl_layout *layout)
{
    size_t fields = 0;
    for (size_t row = 0; row < layout->count; row++) {
        fields += layout->fields[row].in_info;
    }
    CU_ASSERT_TRUE(fields <= 12);
    for (const char *at = layout->info; at != NULL && *at != '\0'; at++) {
        if (*at == '<') {
            size_t length = strcspn(at + 1, "<>");
            CU_ASSERT_EQUAL_FATAL(at[1 + length], '>');
            CU_ASSERT_PTR_NOT_NULL(memchr(at, '{', length));
            at += 1 + length;
        } else if (*at == '{') {
            CU_ASSERT_PTR_NOT_NULL_FATAL(strchr(at, '}'));
            at = strchr(at, '}');
        } else {
            CU_ASSERT_NOT_EQUAL(*at, '>');
            CU_ASSERT_NOT_EQUAL(*at, '}');
        }
    }
}

static void test_templates(void)
{
    etl_layouts_start();
    for (enum etl_layout_id id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        check_template(etl_layout(id));
    }
}

UNIT_SUITE("kernel_tables", {"a filter name has one kind", test_one_kind},
           {"names that other versions have another kind of are these", test_double_kinds},
           {"versions of a hook don't overlap and are found", test_versions},
           {"every hook id that anybody has described has a layout", test_every_hook},
           {"labels are unique in a layout", test_labels},
           {"filter names are spelt alike", test_filter_spelling},
           {"templates are well-formed and not too long", test_templates})
