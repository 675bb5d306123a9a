/* Lint of the tables of layouts, and how a hook's layout is found. */
#include "etl/layout.h"

#include "etl/decode.h"
#include "etl/facts.h"
#include "etl/hooks.h"
#include "etl/keys.h"

#include "null_sink.h"
#include "unit.h"

/* As decode.c has room for. */
#define ROWS_MAX 128

/* Kinds of field in Wireshark's eyes: what may share a filter name (widths may differ). */
enum class_of_name {
    CLASS_UNSIGNED,
    CLASS_SIGNED,
    CLASS_BOOLEAN,
    CLASS_REAL,
    CLASS_TIME,
    CLASS_GUID,
    CLASS_IPV4,
    CLASS_IPV6,
    CLASS_ETHER,
    CLASS_TEXT,
    CLASS_BYTES,
    CLASS_NONE,
};

static enum class_of_name class_of(enum etl_type type)
{
    switch (etl_type_facts(type)->shape) {
    case ETL_SHAPE_NUMBER:
        return CLASS_UNSIGNED;
    case ETL_SHAPE_SIGNED:
        return CLASS_SIGNED;
    case ETL_SHAPE_BOOLEAN:
        return CLASS_BOOLEAN;
    case ETL_SHAPE_REAL:
        return CLASS_REAL;
    case ETL_SHAPE_TIME:
    case ETL_SHAPE_SYSTEMTIME:
        return CLASS_TIME;
    case ETL_SHAPE_GUID:
        return CLASS_GUID;
    case ETL_SHAPE_IPV4:
        return CLASS_IPV4;
    case ETL_SHAPE_IPV6:
        return CLASS_IPV6;
    case ETL_SHAPE_ETHER:
        return CLASS_ETHER;
    case ETL_SHAPE_TEXT:
        return CLASS_TEXT;
    case ETL_SHAPE_SID:
    case ETL_SHAPE_BYTES:
        return CLASS_BYTES;
    default:
        return CLASS_NONE;
    }
}

struct name {
    const char *filter;
    const struct etl_field *field;
    const struct etl_layout *layout;
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct name *)left)->filter, ((const struct name *)right)->filter);
}

/* All fields that have values, sorted by filter name. */
static struct name *all_names(size_t *ret_count)
{
    struct name *names = calloc(etl_field_count(), sizeof *names);
    size_t count = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(names);
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout((enum etl_layout_id)id);
        for (size_t i = 0; i < layout->count; i++) {
            struct etl_field *field = &layout->fields[i];
            if (class_of(field->type) != CLASS_NONE) {
                names[count++] = (struct name){field->filter, field, layout};
            }
        }
    }
    qsort(names, count, sizeof *names, compare_names);
    *ret_count = count;
    return names;
}

static void test_one_kind(void)
{
    etl_layouts_start();
    size_t count;
    struct name *names = all_names(&count);
    for (size_t i = 1; i < count; i++) {
        const struct name *a = &names[i - 1];
        const struct name *b = &names[i];
        if (strcmp(a->filter, b->filter) == 0 &&
            class_of(a->field->type) != class_of(b->field->type)) {
            printf("\n    %s: %s in %s, %s in %s\n", a->filter,
                   etl_type_facts(a->field->type)->name, a->layout->id,
                   etl_type_facts(b->field->type)->name, b->layout->id);
            CU_FAIL("a filter name has two kinds");
        }
    }
    CU_ASSERT_TRUE(count > 50);
    free(names);
}

static void test_filter_names(void)
{
    size_t count;
    struct name *names = all_names(&count);
    for (size_t i = 0; i < count; i++) {
        const char *filter = names[i].filter;
        size_t length = strlen(filter);
        CU_ASSERT_TRUE(strncmp(filter, "etl.", 4) == 0 && length <= 128);
        CU_ASSERT_EQUAL(strspn(filter, "abcdefghijklmnopqrstuvwxyz0123456789_."), length);
        CU_ASSERT_PTR_NULL(strstr(filter, ".."));
        CU_ASSERT_TRUE(filter[length - 1] != '.');
    }
    free(names);
}

static void test_sizes(void)
{
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout((enum etl_layout_id)id);
        CU_ASSERT_TRUE(layout->count <= ROWS_MAX); /* none at all: events that only say that */
        CU_ASSERT_PTR_NOT_NULL(layout->class_name);
    }
    CU_ASSERT_TRUE(etl_field_count() < UINT16_MAX);
}

/* As info.c has slots for. */
#define SLOTS_MAX 12

static void check_template(const char *template)
{
    for (const char *at = template; at != NULL && *at != '\0'; at++) {
        /* Optional parts are closed, and none is in another. */
        const char *close = *at == '<' ? strchr(at, '>') : at;
        CU_ASSERT_PTR_NOT_NULL_FATAL(close);
        CU_ASSERT_TRUE(*at != '<' || memchr(at + 1, '<', (size_t)(close - at - 1)) == NULL);
        at = close;
    }
}

static void test_info(void)
{
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout((enum etl_layout_id)id);
        size_t labels = 0;
        for (size_t i = 0; i < layout->count; i++) {
            bool first = layout->fields[i].in_info;
            for (size_t k = 0; k < i; k++) {
                first = first && strcmp(layout->fields[k].label, layout->fields[i].label) != 0;
            }
            labels += first;
        }
        CU_ASSERT_TRUE(labels <= SLOTS_MAX);
        check_template(layout->info);
    }
}

static bool refers(const struct etl_layout *layout, const char *label, int16_t row)
{
    if (label == NULL || strcmp(label, ETL_REST) == 0) {
        return row == -1;
    }
    return row >= 0 && (size_t)row < layout->count && strcmp(layout->fields[row].label, label) == 0;
}

static void check_row(const struct etl_layout *layout, size_t row)
{
    const struct etl_field *field = &layout->fields[row];
    bool number = class_of(field->type) <= CLASS_BOOLEAN;
    CU_ASSERT_TRUE(refers(layout, field->count, field->count_row));
    CU_ASSERT_TRUE(refers(layout, field->when, field->when_row));
    CU_ASSERT_TRUE(field->count_row < (int)row && field->when_row < (int)row);
    /* Room of a fixed length of which a count is used is for bytes alone. */
    CU_ASSERT_TRUE(field->count == NULL || field->length == 0 || field->type == ETL_TYPE_BYTES);
    CU_ASSERT_TRUE(field->count_mask == 0 || field->count_row >= 0);
    /* Nothing can be that the mask does not let through. */
    CU_ASSERT_EQUAL(field->when_is & ~field->when_mask, 0);
    CU_ASSERT_TRUE((field->when == NULL) == (field->when_mask == 0));
    CU_ASSERT_TRUE(field->names == ETL_NAMES_NONE || number);
    CU_ASSERT_TRUE((field->type == ETL_TYPE_STRUCT) == (field->structure != ETL_LAYOUT_NONE));
    /* A part is one value; a text may say how long. */
    bool text = etl_type_facts(field->type)->shape == ETL_SHAPE_TEXT;
    CU_ASSERT_FALSE(field->part && (field->count != NULL || (field->length > 0 && !text)));
    CU_ASSERT_TRUE(field->part || field->at == 0);
    CU_ASSERT_TRUE(field->key == ETL_KEY_NONE || class_of(field->type) == CLASS_UNSIGNED);
}

static void test_rows(void)
{
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout((enum etl_layout_id)id);
        for (size_t i = 0; i < layout->count; i++) {
            check_row(layout, i);
        }
    }
}

static void test_numbering(void)
{
    size_t next = 0;
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout((enum etl_layout_id)id);
        for (size_t i = 0; i < layout->count; i++) {
            const struct etl_names *names = etl_names_list(layout->fields[i].names);
            CU_ASSERT_EQUAL(layout->fields[i].number, next);
            next += 1 + (names != NULL && names->kind == ETL_NAMES_FLAGS ? names->count : 0) +
                    etl_key_field_count(&layout->fields[i]);
        }
    }
    CU_ASSERT_EQUAL(next, etl_field_count());
    etl_layouts_start(); /* once more does nothing */
    CU_ASSERT_EQUAL(next, etl_field_count());
}

/* Deepest nesting of STRUCT rows from here; over the limit for a loop. */
static unsigned depth_of(const struct etl_layout *layout, unsigned depth)
{
    unsigned deepest = depth;
    for (size_t i = 0; i < layout->count && depth < ETL_DECODE_DEPTH_MAX; i++) {
        if (layout->fields[i].type == ETL_TYPE_STRUCT) {
            unsigned one = depth_of(etl_layout(layout->fields[i].structure), depth + 1);
            deepest = one > deepest ? one : deepest;
        }
    }
    return deepest;
}

static void test_recursion(void)
{
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        CU_ASSERT_TRUE(depth_of(etl_layout((enum etl_layout_id)id), 0) < ETL_DECODE_DEPTH_MAX);
    }
}

struct range {
    unsigned hookid, min, max;
    enum etl_layout_id layout;
};

static const struct range ranges[] = {
#define EVENT(hookid, min, max, layout) {hookid, min, max, ETL_LAYOUT_##layout},
#include "layouts/all.def"
};

#define RANGE_COUNT (sizeof ranges / sizeof ranges[0])

static void test_versions(void)
{
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        CU_ASSERT_TRUE(ranges[i].min <= ranges[i].max && ranges[i].max <= 255);
        CU_ASSERT_TRUE(ranges[i].hookid <= UINT16_MAX);
        CU_ASSERT_PTR_NOT_NULL(etl_hook_find((uint16_t)ranges[i].hookid));
        for (size_t j = 0; j < i; j++) {
            bool apart = ranges[i].hookid != ranges[j].hookid || ranges[i].min > ranges[j].max ||
                         ranges[j].min > ranges[i].max;
            CU_ASSERT_TRUE(apart);
        }
    }
}

/* The row of the version, or the one whose versions end nearest below. */
static const struct etl_layout *expected_layout(unsigned hookid, unsigned version)
{
    const struct range *best = NULL;
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        const struct range *row = &ranges[i];
        if (row->hookid == hookid && row->min <= version &&
            (best == NULL || row->min > best->min)) {
            best = row;
        }
    }
    return best != NULL ? etl_layout(best->layout) : NULL;
}

static void test_find(void)
{
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        for (unsigned version = 0; version <= 255; version++) {
            CU_ASSERT_PTR_EQUAL(etl_layout_of_hook((uint16_t)ranges[i].hookid, (uint8_t)version),
                                expected_layout(ranges[i].hookid, version));
        }
    }
    CU_ASSERT_PTR_EQUAL(etl_layout_of_hook(0x0301, 2),
                        etl_layout(ETL_LAYOUT_process_type_group1_v2));
    CU_ASSERT_PTR_EQUAL(etl_layout_of_hook(0x0301, 200),
                        etl_layout(ETL_LAYOUT_process_type_group1_v4));
    CU_ASSERT_PTR_NULL(etl_layout_of_hook(0x0548, 0)); /* older than the oldest that is known */
    CU_ASSERT_PTR_NULL(etl_layout_of_hook(0x0001, 0));
    CU_ASSERT_PTR_NULL(etl_layout_of_hook(0xFFFF, 255));
}

static void test_types(void)
{
    for (int type = 0; type < ETL_TYPE_COUNT; type++) {
        const struct etl_type_facts *facts = etl_type_facts((enum etl_type)type);
        CU_ASSERT_TRUE(facts->name[0] != '\0' && facts->width <= 16);
        bool number = facts->shape <= ETL_SHAPE_BOOLEAN || facts->shape == ETL_SHAPE_TIME;
        CU_ASSERT_TRUE(!number || facts->width <= 8);
    }
}

static void test_facts(void)
{
    CU_ASSERT_STRING_EQUAL(etl_fact(ETL_FACT_Cpu)->filter, "etl.cpu");
    CU_ASSERT_STRING_EQUAL(etl_fact(ETL_FACT_Payload)->label, "Payload");
    CU_ASSERT_EQUAL(etl_layout(ETL_LAYOUT_facts)->count, ETL_FACT_COUNT);
}

static const struct etl_layout *the_layout;
static uint8_t the_pointer_size;

static void decode(const uint8_t *data, size_t size)
{
    static const struct etl_clock clock = {.kind = ETL_CLOCK_SYSTEM_TIME};
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {
        .sink = &sink.sink, .clock = &clock, .pointer_size = the_pointer_size};
    CU_ASSERT_TRUE(etl_decode_layout(&decoder, the_layout, data, size) <= size);
    null_sink_check(&sink);
}

static void test_decoded(void)
{
    static uint8_t bytes[400];
    static const uint8_t fills[] = {0x00, 0x01, 0x02, 0x80, 0xFF};
    for (int id = ETL_LAYOUT_NONE + 1; id < ETL_LAYOUT_COUNT; id++) {
        the_layout = etl_layout((enum etl_layout_id)id);
        for (size_t i = 0; i < sizeof fills; i++) {
            memset(bytes, fills[i], sizeof bytes);
            the_pointer_size = 4;
            unit_every_truncation(bytes, sizeof bytes, decode);
            the_pointer_size = 8;
            unit_every_truncation(bytes, sizeof bytes, decode);
        }
    }
}

UNIT_SUITE("layouts", {"one filter name has one kind", test_one_kind},
           {"filter names are words in lower snake case", test_filter_names},
           {"no layout is empty or larger than the decoder's room", test_sizes},
           {"templates have no more fields than fit, and close what they open", test_info},
           {"rows refer to earlier rows and make sense", test_rows},
           {"fields and their flags are numbered in order", test_numbering},
           {"structures end", test_recursion},
           {"versions of a hook's layouts do not overlap, and its event has a name", test_versions},
           {"a hook's layout is that of its version or the nearest below", test_find},
           {"types have names and widths that fit their shape", test_types},
           {"facts are found by their labels", test_facts},
           {"every layout decodes any bytes of any length", test_decoded})
