/*
 * Expands the rows of plugin/layouts/ into arrays and completes them once at start.
 *
 * All rows are one array; a LAYOUT row of type COUNT stands before the fields of each layout, and
 * after it another for its INFO, if it has one:
 *
 *     | LAYOUT process_v4 | INFO "…" | UniqueProcessKey | … | LAYOUT process_v5 | INFO "…" | …
 */
#include "etl/decode.h"
#include "etl/layout.h"

#include "core/decode/info_parts.h"
#include "etl/event_source.h"
#include "etl/hooks.h"
#include "etl/snake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest filter name Wireshark users are asked to type; also a limit of design. */
#define FILTER_NAME_MAX 128

static struct etl_field all_fields[] = {
#define LAYOUT(layout_id, class_text) \
    {.label = #layout_id, .filter = class_text, .type = ETL_TYPE_COUNT},
#define INFO(text) {.label = NULL, .filter = (text), .type = ETL_TYPE_COUNT},
#define FIELD(field_type, field_label, ...) \
    {.label = #field_label, .type = ETL_TYPE_##field_type, __VA_ARGS__},
#include "layouts/all.def"
};

struct etl_layout etl_all_layouts[ETL_LAYOUT_COUNT];
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

/* By hook id: 1 + the place of its last row, once they are sorted; 0 if there is none. Asked for
 * every event several times. */
static uint16_t last_row_of_hook[ETL_GROUP_COUNT * 0x100];

enum class_id {
#define CLASS(class_id, class_name, class_guid) CLASS_##class_id,
#include "layouts/all.def"
    CLASS_COUNT
};

struct class
{
    const char *name;
    struct etl_guid guid;
};

#define GUID ETL_GUID
static const struct class classes[CLASS_COUNT] = {
#define CLASS(class_id, class_name, class_guid) \
    [CLASS_##class_id] = {.name = (class_name), .guid = class_guid},
#include "layouts/all.def"
};
#undef GUID

struct class_layout {
    uint8_t class_id;
    uint8_t type;
    uint8_t version_min;
    uint8_t version_max;
    uint16_t layout;
    const char *name; /* class and event */
};

/* A few dozen rows, met seldom: searched from the first to the last. */
static const struct class_layout class_layouts[] = {
#define CLASSIC(id, event_type, min, max, layout_id, event_name) \
    {.class_id = CLASS_##id,                                     \
     .type = (event_type),                                       \
     .version_min = (min),                                       \
     .version_max = (max),                                       \
     .layout = ETL_LAYOUT_##layout_id,                           \
     .name = (event_name)},
#include "layouts/all.def"
};

#define CLASS_LAYOUT_COUNT (sizeof class_layouts / sizeof class_layouts[0])

enum provider_id {
#define PROVIDER(provider_id, provider_guid) PROVIDER_##provider_id,
#include "layouts/all.def"
    PROVIDER_COUNT
};

#define GUID ETL_GUID
static const struct etl_guid modern_providers[PROVIDER_COUNT] = {
#define PROVIDER(provider_id, provider_guid) [PROVIDER_##provider_id] = provider_guid,
#include "layouts/all.def"
};
#undef GUID

struct modern_layout {
    uint8_t provider;
    uint16_t first; /* ids, from … */
    uint16_t last;  /* … and to */
    uint16_t layout;
};

/* Few rows of few providers; most events are of none of them. */
static const struct modern_layout modern_layouts[] = {
#define MODERN_RANGE(provider_id, first_id, last_id, layout_id) \
    {.provider = PROVIDER_##provider_id,                        \
     .first = (first_id),                                       \
     .last = (last_id),                                         \
     .layout = ETL_LAYOUT_##layout_id},
#include "layouts/all.def"
};

#define MODERN_LAYOUT_COUNT (sizeof modern_layouts / sizeof modern_layouts[0])

const struct etl_type_facts etl_types[ETL_TYPE_COUNT] = {
#define TYPE(type_name, type_width, type_shape, type_base)     \
    [ETL_TYPE_##type_name] = {.name = #type_name,              \
                              .width = (type_width),           \
                              .shape = ETL_SHAPE_##type_shape, \
                              .base = ETL_BASE_##type_base},
#include "etl/types.def"
#undef TYPE
};

const char *const etl_key_fields[ETL_KEY_COUNT][ETL_KEY_FIELDS_MAX] = {
#define KEY(id, text, first, second) [ETL_KEY_##id] = {first, second},
#include "etl/keys.def"
#undef KEY
};

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

static char *append(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

/* "etl." class "." label, or "etl." and what the row says. */
static void name_filter(const struct etl_layout *layout, struct etl_field *field)
{
    char snake[FILTER_NAME_MAX];
    const char *class_name = layout->class_name;
    const char *last = field->filter;
    if (last == NULL) {
        if (etl_snake_case(field->label, snake, sizeof snake) >= sizeof snake) {
            table_mistake(layout, field, "label is too long");
        }
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
    char *at = append(append(name, "etl."), class_name);
    append(append(at, class_name[0] != '\0' ? "." : ""), last);
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
    switch (etl_types[field->type].shape) {
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

/* Whether the row's place follows from the rows before it alone; if so, sets it. */
static bool fix_row(struct etl_layout *layout, struct etl_field *field,
                    const struct etl_field *last)
{
    for (size_t i = 0; i < 2; i++) {
        size_t width = field->width > 0 ? field->width : i == 0 ? 4 : 8;
        size_t at = layout->fixed_end[i];
        if (field->part) {
            bool at_row = field->at == ETL_AT_ROW;
            at = !at_row ? field->at : last != NULL ? last->fixed_at[i] : 0;
        }
        bool inside = !field->part || at + width <= layout->fixed_end[i];
        if (!field->single || field->when != NULL || field->otherwise || !inside) {
            return false;
        }
        field->fixed_at[i] = (uint16_t)at;
    }
    for (size_t i = 0; i < 2 && !field->part; i++) {
        layout->fixed_end[i] += field->width > 0 ? field->width : i == 0 ? 4 : 8;
    }
    return true;
}

static void fix_rows(struct etl_layout *layout)
{
    const struct etl_field *last = NULL; /* that is no part */
    layout->fixed_rows = layout->fixed_end[0] = layout->fixed_end[1] = 0;
    while (layout->fixed_rows < layout->count) {
        struct etl_field *field = &layout->fields[layout->fixed_rows];
        if (!fix_row(layout, field, last)) {
            break;
        }
        last = field->part ? last : field;
        layout->fixed_rows++;
    }
}

static void find_ids(struct etl_layout *layout)
{
    layout->id_row_count = 0;
    layout->ids_fixed = layout->process_rows + layout->thread_rows <= ETL_PAYLOAD_IDS_MAX;
    for (size_t row = 0; row < layout->count; row++) {
        const struct etl_field *field = &layout->fields[row];
        bool id = field->key == ETL_KEY_PROCESS || field->key == ETL_KEY_THREAD;
        if (id && !field->hidden && layout->id_row_count < ETL_PAYLOAD_IDS_MAX) {
            layout->id_rows[layout->id_row_count++] = (uint8_t)row;
            layout->ids_fixed &= row < layout->fixed_rows;
        }
    }
}

static void find_ends(struct etl_layout *layout)
{
    static const char *const labels[ETL_END_COUNT] = {
        [ETL_END_source] = "source",
        [ETL_END_destination] = "destination",
        [ETL_END_source_port] = "source_port",
        [ETL_END_destination_port] = "destination_port",
        [ETL_END_size] = "size",
    };
    size_t found = 0;
    for (size_t row = 0; row < layout->fixed_rows; row++) {
        for (size_t end = 0; end < ETL_END_COUNT; end++) {
            if (layout->fields[row].hidden == (end != ETL_END_size) &&
                strcmp(layout->fields[row].label, labels[end]) == 0) {
                layout->end_rows[end] = (uint8_t)row;
                found++;
            }
        }
    }
    layout->has_ends = found == ETL_END_COUNT;
}

static void find_keys(struct etl_layout *layout)
{
    layout->key_row_count = 0;
    layout->has_keys = false;
    layout->keys_fixed = true;
    for (size_t row = 0; row < layout->count; row++) {
        const struct etl_field *field = &layout->fields[row];
        bool id = field->key == ETL_KEY_PROCESS || field->key == ETL_KEY_THREAD;
        if (field->key == ETL_KEY_NONE || id || field->hidden) {
            continue;
        }
        layout->has_keys = true;
        layout->keys_fixed &= row < layout->fixed_rows && layout->key_row_count < ETL_KEY_ROWS_MAX;
        if (layout->key_row_count < ETL_KEY_ROWS_MAX) {
            layout->key_rows[layout->key_row_count++] = (uint8_t)row;
        }
    }
}

void etl_layout_complete(struct etl_layout *layout)
{
    layout->process_rows = layout->thread_rows = 0;
    for (size_t row = 0; row < layout->count; row++) {
        struct etl_field *field = &layout->fields[row];
        field->count_row = row_of_label(layout, field, field->count);
        field->when_row = row_of_label(layout, field, field->when);
        (void)row_of_label(layout, field, field->xml_size); /* is there, or this is a mistake */
        if (field->type == ETL_TYPE_STRUCT && field->structure == ETL_LAYOUT_NONE) {
            table_mistake(layout, field, "STRUCT without .structure");
        }
        field->width = etl_types[field->type].width;
        field->single = is_single(field);
        refer(layout, field->count_row);
        refer(layout, field->when_row);
        layout->process_rows += field->key == ETL_KEY_PROCESS;
        layout->thread_rows += field->key == ETL_KEY_THREAD;
    }
    fix_rows(layout);
    find_ids(layout);
    find_ends(layout);
    find_keys(layout);
}

/* A field takes one number, and one for each of its flags and of what is known of its key. */
static void register_field(const struct etl_layout *layout, struct etl_field *field)
{
    name_filter(layout, field);
    field->number = (uint16_t)field_count++;
    if (field->names != ETL_NAMES_NONE && etl_names_list(field->names)->kind == ETL_NAMES_FLAGS) {
        field_count += etl_names_list(field->names)->count;
    }
    field_count += etl_key_field_count(field);
}

static void complete_info(struct etl_layout *layout)
{
    const char *mistake = etl_info_complete(layout);
    if (mistake != NULL) {
        table_mistake(layout, layout->fields, mistake);
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

static void sort_hook_layouts(void)
{
    qsort(hook_layouts, HOOK_LAYOUT_COUNT, sizeof hook_layouts[0], compare_hook_layouts);
    for (size_t i = 0; i < HOOK_LAYOUT_COUNT; i++) {
        const struct etl_layout *layout = &etl_all_layouts[hook_layouts[i].layout];
        if (hook_layouts[i].hookid >= ETL_GROUP_COUNT * 0x100) {
            table_mistake(layout, layout->fields, "is for a hook of no group");
        }
        last_row_of_hook[hook_layouts[i].hookid] = (uint16_t)(i + 1);
    }
}

void etl_layouts_start(void)
{
    if (field_count > 0) {
        return;
    }
    struct etl_layout *layout = etl_all_layouts; /* the first place stands for ETL_LAYOUT_NONE */
    layout->id = "none";
    for (size_t i = 0; i < sizeof all_fields / sizeof all_fields[0]; i++) {
        struct etl_field *field = &all_fields[i];
        if (field->type == ETL_TYPE_COUNT && field->label == NULL) {
            if (layout->count > 0) {
                table_mistake(layout, layout->fields, "INFO does not stand right after LAYOUT");
            }
            layout->info = field->filter;
            layout->fields = field + 1;
        } else if (field->type == ETL_TYPE_COUNT) {
            layout++;
            layout->id = field->label;
            layout->class_name = field->filter;
            layout->fields = field + 1;
        } else {
            register_field(layout, field);
            layout->count++;
        }
    }
    for (size_t id = 1; id < ETL_LAYOUT_COUNT; id++) {
        etl_layout_complete(&etl_all_layouts[id]);
        complete_info(&etl_all_layouts[id]);
    }
    sort_hook_layouts();
}

size_t etl_field_count(void)
{
    return field_count;
}

const struct etl_layout *etl_layout_of_hook(uint16_t hookid, uint8_t version)
{
    size_t row = hookid < ETL_GROUP_COUNT * 0x100 ? last_row_of_hook[hookid] : 0;
    while (row > 0 && hook_layouts[row - 1].version_min > version) {
        row--;
        if (row > 0 && hook_layouts[row - 1].hookid != hookid) {
            return NULL;
        }
    }
    return row > 0 ? etl_layout(hook_layouts[row - 1].layout) : NULL;
}

const struct etl_layout *etl_layout_of_class(const struct etl_guid *guid, uint8_t type,
                                             uint8_t version)
{
    for (size_t i = 0; i < CLASS_LAYOUT_COUNT; i++) {
        const struct class_layout *row = &class_layouts[i];
        if (row->type == type && row->version_min <= version && version <= row->version_max &&
            etl_guid_equal(&classes[row->class_id].guid, guid)) {
            return etl_layout(row->layout);
        }
    }
    return NULL;
}

const char *etl_class_event_name(const struct etl_guid *guid, uint8_t type)
{
    for (size_t i = 0; i < CLASS_LAYOUT_COUNT; i++) {
        const struct class_layout *row = &class_layouts[i];
        if (row->type == type && etl_guid_equal(&classes[row->class_id].guid, guid)) {
            return row->name;
        }
    }
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        if (etl_guid_equal(&classes[i].guid, guid)) {
            return classes[i].name;
        }
    }
    return NULL;
}

const struct etl_layout *etl_layout_of_provider(const struct etl_guid *guid, uint16_t id)
{
    unsigned provider = 0;
    while (provider < PROVIDER_COUNT && !etl_guid_equal(&modern_providers[provider], guid)) {
        provider++;
    }
    for (size_t i = 0; provider < PROVIDER_COUNT && i < MODERN_LAYOUT_COUNT; i++) {
        const struct modern_layout *row = &modern_layouts[i];
        if (row->provider == provider && row->first <= id && id <= row->last) {
            return row->layout != ETL_LAYOUT_NONE ? etl_layout(row->layout) : NULL;
        }
    }
    return NULL;
}

const struct etl_layout *etl_layout_of_event(const struct etl_event *event)
{
    if (event->has_hook) {
        return etl_layout_of_hook(event->hookid, event->version);
    }
    if (event->kind->family == ETL_FAMILY_MODERN && event->has_provider) {
        return etl_event_source_is_chunk(event)
                   ? etl_layout(ETL_LAYOUT_event_source_chunk)
                   : etl_layout_of_provider(&event->provider, event->id);
    }
    bool classic = event->kind->family == ETL_FAMILY_FULL ||
                   event->kind->family == ETL_FAMILY_INSTANCE;
    return classic && event->has_provider
               ? etl_layout_of_class(&event->provider, event->opcode, event->version)
               : NULL;
}
