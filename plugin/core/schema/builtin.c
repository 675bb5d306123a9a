/*
 * The built-in table: finding an event in it, and making a schema of what it says.
 */
#include "etl/builtin.h"

#include "core/schema/builtin_table.h"
#include "core/schema/schema_make.h"

#include <stdlib.h>
#include <string.h>

static const char *text_at(uint32_t offset)
{
    return etl_builtin_texts + offset;
}

size_t etl_builtin_event_count(void)
{
    return etl_builtin_events_count;
}

size_t etl_builtin_provider_count(void)
{
    return etl_builtin_providers_count;
}

size_t etl_builtin_field_count(void)
{
    return etl_builtin_items_count;
}

const char *etl_builtin_provider_at(size_t index, struct etl_guid *ret_guid, size_t *ret_first,
                                    size_t *ret_end)
{
    const struct etl_builtin_provider *provider = &etl_builtin_providers[index];
    *ret_guid = provider->guid;
    *ret_first = provider->first_item;
    *ret_end = *ret_first + provider->item_count;
    return text_at(provider->name);
}

const char *etl_builtin_field_at(size_t number, enum etl_type *ret_type)
{
    const struct etl_builtin_item *item = &etl_builtin_items[number];
    *ret_type = etl_schema_type((enum etl_in)item->in, (enum etl_out)item->out);
    return text_at(item->label);
}

static const struct etl_builtin_provider *find_provider(const struct etl_guid *guid)
{
    size_t first = 0;
    size_t end = etl_builtin_providers_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct etl_builtin_provider *provider = &etl_builtin_providers[middle];
        int order = memcmp(provider->guid.bytes, guid->bytes, sizeof guid->bytes);
        if (order == 0) {
            return provider;
        }
        first = order < 0 ? middle + 1 : first;
        end = order < 0 ? end : middle;
    }
    return NULL;
}

/* Before this row all are of a lower id, or of the id and a version that is not higher. */
static const struct etl_builtin_event *upper_bound(const struct etl_builtin_provider *provider,
                                                   uint16_t id, uint8_t version)
{
    const struct etl_builtin_event *first = etl_builtin_events + provider->first_event;
    size_t count = provider->event_count;
    while (count > 0) {
        const struct etl_builtin_event *middle = first + count / 2;
        bool before = middle->id != id ? middle->id < id : middle->version <= version;
        first = before ? middle + 1 : first;
        count = before ? count - count / 2 - 1 : count / 2;
    }
    return first;
}

bool etl_builtin_find(const struct etl_guid *provider, uint16_t id, uint8_t version,
                      struct etl_builtin_match *ret_match)
{
    const struct etl_builtin_provider *found = find_provider(provider);
    if (found == NULL) {
        return false;
    }
    const struct etl_builtin_event *row = upper_bound(found, id, version);
    if (row == etl_builtin_events + found->first_event || row[-1].id != id) {
        return false;
    }
    ret_match->number = (size_t)(row - 1 - etl_builtin_events);
    ret_match->version = row[-1].version;
    ret_match->older = row[-1].version != version;
    return true;
}

static const struct etl_builtin_provider *provider_of(size_t event)
{
    const struct etl_builtin_provider *provider = etl_builtin_providers;
    while (event - provider->first_event >= provider->event_count) {
        provider++; /* they are not in the order of their events */
    }
    return provider;
}

/* The nearest earlier item of that label: of `count` ones from `first` on. SIZE_MAX: none. */
static size_t find_label(const uint16_t *items, size_t first, size_t count, uint32_t label)
{
    for (size_t i = first + count; i > first; i--) {
        if (etl_builtin_items[items[i - 1]].label == label) {
            return i - 1;
        }
    }
    return SIZE_MAX;
}

/* Which template an item is of, and where it is in that. */
struct position {
    struct etl_schema *schema;
    const uint16_t *items;
    size_t index;
    size_t first; /* of its struct's members; 0: it is none */
    size_t owner; /* its struct */
};

static uint16_t quantity_of(const struct position *position, uint8_t mode, uint32_t number)
{
    size_t found;
    if (mode != ETL_QUANTITY_REFERENCE) {
        return (uint16_t)number;
    }
    found = find_label(position->items, position->first, position->index - position->first, number);
    if (found == SIZE_MAX) {
        found = find_label(position->items, 0, position->owner, number);
    }
    if (found == SIZE_MAX) {
        return 0; /* pack.c saw that there is one */
    }
    position->schema->fields[found].referred = true;
    return (uint16_t)found;
}

/* False when out of memory: numbers stay numbers. */
static bool make_map(uint16_t map, struct etl_names *ret_map)
{
    const struct etl_builtin_map *from = &etl_builtin_maps[map];
    struct etl_name *rows = calloc(from->name_count + 1u, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < from->name_count; i++) {
        const struct etl_builtin_name *name = &etl_builtin_names[from->first_name + i];
        rows[i] = (struct etl_name){.value = name->value, .text = text_at(name->text)};
    }
    *ret_map = (struct etl_names){.id = "",
                                  .source = "",
                                  .kind = (enum etl_names_kind)from->kind,
                                  .rows = rows,
                                  .count = from->name_count};
    return true;
}

bool etl_builtin_field_map(size_t number, struct etl_names *ret_map)
{
    const struct etl_builtin_item *item = &etl_builtin_items[number];
    return item->map > 0 && make_map((uint16_t)(item->map - 1), ret_map);
}

void etl_builtin_map_free(struct etl_names *map)
{
    free((void *)map->rows);
    map->rows = NULL;
    map->count = 0;
}

static const struct etl_names *add_map(struct etl_schema *schema, uint16_t map)
{
    bool made = make_map(map, &schema->maps[schema->map_count]);
    return made ? &schema->maps[schema->map_count++] : NULL;
}

static void add_field(const struct position *position)
{
    const struct etl_builtin_item *item = &etl_builtin_items[position->items[position->index]];
    struct etl_schema_field *field = &position->schema->fields[position->index];
    field->row.label = text_at(item->label);
    field->count_mode = (enum etl_quantity)item->count_mode;
    field->length_mode = (enum etl_quantity)item->length_mode;
    field->count = quantity_of(position, item->count_mode, item->count);
    field->length = quantity_of(position, item->length_mode, item->length);
    field->members = item->in == ETL_IN_STRUCT ? field->length : 0;
    field->next = (uint16_t)(position->index + 1);
    etl_schema_settle(field, (enum etl_in)item->in, (enum etl_out)item->out);
    field->row.map = item->map > 0 ? add_map(position->schema, item->map - 1) : NULL;
}

/* Members of structs follow the items on top, struct by struct. */
static void add_fields(struct etl_schema *schema, const uint16_t *items, size_t count)
{
    struct position position = {.schema = schema, .items = items};
    schema->field_count = (uint16_t)count;
    for (; position.index < schema->top_count; position.index++) {
        position.owner = position.index;
        add_field(&position);
    }
    for (size_t i = 0; i < schema->top_count; i++) {
        struct etl_schema_field *structure = &schema->fields[i];
        position.owner = i;
        position.first = position.index;
        structure->first = (uint16_t)position.index;
        for (size_t end = position.index + structure->members; position.index < end;) {
            add_field(&position);
            position.index++;
        }
    }
}

struct etl_schema *etl_builtin_schema(const struct etl_builtin_match *match)
{
    const struct etl_builtin_event *event = &etl_builtin_events[match->number];
    const uint16_t *template = etl_builtin_templates + event->template_at;
    enum etl_schema_source source = match->older ? ETL_SCHEMA_BUILTIN_OLDER : ETL_SCHEMA_BUILTIN;
    size_t count = template[1];
    struct etl_schema *schema = etl_schema_new(source, count, count, 1);
    if (schema == NULL) {
        return NULL;
    }
    schema->version = match->version;
    schema->incomplete = template[0] & ETL_BUILTIN_OPEN;
    schema->top_count = template[0] & (ETL_BUILTIN_OPEN - 1);
    schema->texts[ETL_SCHEMA_EVENT] = text_at(event->name);
    schema->texts[ETL_SCHEMA_PROVIDER] = text_at(provider_of(match->number)->name);
    schema->texts[ETL_SCHEMA_TASK] = text_at(event->task);
    schema->texts[ETL_SCHEMA_OPCODE] = text_at(event->opcode);
    add_fields(schema, template + 2, count);
    return schema;
}
