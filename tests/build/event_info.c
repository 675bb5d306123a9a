/*
 * TRACE_EVENT_INFO and EVENT_MAP_INFO, as tools that merge traces store them (classic events of
 * class bbccf6c1-6cd1-48c4-80ff-839482e37671, types 32 and 33; the latter after the provider GUID).
 *
 *   event_info provider={...} id=7 level=INFO keyword=1 name="Contoso-Orders" task_name="Order"
 *     property "Count" UINT32 out=UNSIGNEDINT
 *     property "Names" UNICODESTRING count="Count"
 *     property "Place" STRUCT
 *       property "X" INT32
 *   map_info "Colour" kind=1
 *     entry 0 "red "
 *
 * 00 provider GUID  10 event GUID  20 EVENT_DESCRIPTOR  30 source  34 offsets of texts  64 counts
 * 70 properties of 24 bytes: top-level ones first, members of structs after them; then the texts.
 */
#include "types.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PROPERTIES = 128,
    INFO_SIZE = 0x70,
    PROPERTY_SIZE = 24,
    MAP_SIZE = 16,
    IS_STRUCT = 0x01,
    LENGTH_IS_PROPERTY = 0x02,
    COUNT_IS_PROPERTY = 0x04,
    HAS_FIXED_LENGTH = 0x10,
    HAS_FIXED_COUNT = 0x20,
    HAS_TAGS = 0x40,
    STRUCT_TYPE = 24,
};

/* Texts are borrowed from the build's arena. */
struct described_property {
    const char *name, *map, *length, *count;
    uint64_t in, out, tags;
    int parent; /* index, or -1 */
    size_t place;
};

struct described_entry {
    const char *text;
    uint64_t value;
};

struct event_description {
    struct described_property properties[MOST_PROPERTIES];
    struct described_entry entries[MOST_PROPERTIES];
    size_t count;
    int parent; /* the struct whose members are being described */
    bool map;
};

/* A NUL-terminated UTF-16 text at the end; returns its offset from `start`, 0 without text. */
static uint64_t append_text(struct blob *blob, size_t start, const char *text)
{
    if (text == NULL) {
        return 0;
    }
    size_t at = blob->size - start;
    blob_put_utf16(blob, text);
    blob_fill(blob, 0, 2);
    return at;
}

/* The places of the properties in the array: by depth, so that members of a struct are together. */
static void place_properties(struct event_description *info)
{
    size_t next = 0;
    int order[MOST_PROPERTIES];
    for (size_t i = 0; i < info->count; i++) {
        if (info->properties[i].parent < 0) {
            info->properties[i].place = next;
            order[next++] = (int)i;
        }
    }
    for (size_t k = 0; k < next; k++) {
        for (size_t i = 0; i < info->count; i++) {
            if (info->properties[i].parent == order[k]) {
                info->properties[i].place = next;
                order[next++] = (int)i;
            }
        }
    }
}

/* A length or count: a number, or the name of the property that holds it. */
static uint64_t reference(struct builder *builder, struct statement *statement, const char *word,
                          bool *ret_is_property)
{
    struct event_description *info = builder->described;
    *ret_is_property = word != NULL && word[0] == '"';
    if (word == NULL || !*ret_is_property) {
        return word != NULL ? builder_number(builder, statement, word, NULL) : 0;
    }
    const char *name = builder_unquote(builder, word);
    for (size_t i = 0; i < info->count; i++) {
        if (strcmp(info->properties[i].name, name) == 0) {
            return info->properties[i].place;
        }
    }
    builder_fail(builder, statement->node, "no property named '%s'", name);
    return 0;
}

/* First and number of the members of struct `index`. */
static uint64_t members(const struct event_description *info, size_t index, size_t *ret_first)
{
    uint64_t count = 0;
    *ret_first = 0;
    for (size_t i = 0; i < info->count; i++) {
        if (info->properties[i].parent == (int)index) {
            *ret_first = count == 0 ? info->properties[i].place : *ret_first;
            count++;
        }
    }
    return count;
}

static uint64_t natural_length(uint64_t in)
{
    static const uint8_t lengths[] = {0, 0, 0, 1, 1,  2, 2, 4,  4, 8, 8,
                                      4, 8, 4, 0, 16, 8, 8, 16, 0, 4, 8};
    return in < sizeof lengths ? lengths[in] : 0;
}

static void write_property(struct builder *builder, struct statement *statement, size_t index,
                           size_t start, struct blob *blob)
{
    struct event_description *info = builder->described;
    const struct described_property *property = &info->properties[index];
    size_t at = start + INFO_SIZE + PROPERTY_SIZE * property->place;
    bool by_length = false, by_count = false;
    uint64_t length = reference(builder, statement, property->length, &by_length);
    uint64_t count = reference(builder, statement, property->count, &by_count);
    uint64_t flags = (by_length          ? LENGTH_IS_PROPERTY
                      : property->length ? HAS_FIXED_LENGTH
                                         : 0) |
                     (by_count          ? COUNT_IS_PROPERTY
                      : property->count ? HAS_FIXED_COUNT
                                        : 0) |
                     (property->tags != 0 ? HAS_TAGS : 0);
    uint64_t name = append_text(blob, start, property->name);
    if (property->in == STRUCT_TYPE) {
        size_t first = 0;
        uint64_t inside = members(info, index, &first);
        flags |= IS_STRUCT;
        blob_set_number(blob, at + 8, first, 2);
        blob_set_number(blob, at + 10, inside, 2);
    } else {
        uint64_t map = append_text(blob, start, property->map);
        blob_set_number(blob, at + 8, property->in, 2);
        blob_set_number(blob, at + 10, property->out, 2);
        blob_set_number(blob, at + 12, map, 4);
    }
    blob_set_number(blob, at, flags, 4);
    blob_set_number(blob, at + 4, name, 4);
    blob_set_number(blob, at + 16, property->count != NULL ? count : 1, 2);
    blob_set_number(blob, at + 18, property->length != NULL ? length : natural_length(property->in),
                    2);
    blob_set_number(blob, at + 20, property->tags, 4);
}

/* Provider, event, descriptor, source. */
static void put_description_start(struct builder *builder, struct statement *statement,
                                  struct blob *blob)
{
    static const struct {
        const char *key;
        size_t width;
        const struct number_name *names;
    } fields[] = {{"id", 2, NULL},      {"version", 1, NULL},
                  {"channel", 1, NULL}, {"level", 1, trace_event_levels},
                  {"opcode", 1, NULL},  {"task", 2, NULL},
                  {"keyword", 8, NULL}, {"source", 4, NULL}};
    const char *provider = builder_key_text(builder, statement, "provider");
    const char *event = builder_key_text(builder, statement, "event");
    const char *none = "{00000000-0000-0000-0000-000000000000}";
    builder_put_guid(builder, statement, provider != NULL ? provider : none, blob);
    builder_put_guid(builder, statement, event != NULL ? event : none, blob);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        blob_put_number(blob,
                        builder_key_number(builder, statement, fields[i].key, fields[i].names, 0),
                        fields[i].width);
    }
}

/* The texts of the event itself, and the offsets of them at 34..63. */
static void put_description_texts(struct builder *builder, struct statement *statement,
                                  size_t start, struct blob *blob)
{
    static const struct {
        const char *key;
        size_t at;
    } texts[] = {{"name", 0x34},         {"level_name", 0x38},       {"channel_name", 0x3c},
                 {"keyword_name", 0x40}, {"task_name", 0x44},        {"opcode_name", 0x48},
                 {"message", 0x4c},      {"provider_message", 0x50}, {"event_name", 0x5c},
                 {"attributes", 0x60}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text = builder_key_text(builder, statement, texts[i].key);
        blob_set_number(blob, start + texts[i].at, append_text(blob, start, text), 4);
        if (texts[i].at == 0x40 && text != NULL) {
            blob_fill(blob, 0, 2); /* the list of keywords ends with an empty one */
        }
    }
}

void put_event_info(struct builder *builder, struct statement *statement)
{
    struct event_description *info = calloc(1, sizeof *info);
    struct blob *blob = builder->bytes;
    struct blob unused = {0};
    size_t start = blob->size, top = 0;
    if (info == NULL || builder->described != NULL) {
        builder_fail(builder, statement->node, "'event_info' cannot stand in another");
        free(info);
        return;
    }
    info->parent = -1;
    builder->described = info;
    builder_run_into(builder, statement->node->child, &unused);
    place_properties(info);
    put_description_start(builder, statement, blob);
    blob_fill(blob, 0, start + INFO_SIZE + PROPERTY_SIZE * info->count - blob->size);
    for (size_t i = 0; i < info->count && !info->map; i++) {
        top += info->properties[i].parent < 0;
        write_property(builder, statement, i, start, blob);
    }
    put_description_texts(builder, statement, start, blob);
    blob_set_number(blob, start + 0x64, info->count, 4);
    blob_set_number(blob, start + 0x68, top, 4);
    blob_set_number(blob, start + 0x6c, 1, 4); /* the template is EventData */
    builder->described = NULL;
    blob_free(&unused);
    free(info);
}

void put_property(struct builder *builder, struct statement *statement)
{
    struct event_description *info = builder->described;
    if (info == NULL || info->map || info->count == MOST_PROPERTIES) {
        builder_fail(builder, statement->node, "'property' stands in 'event_info', %d at most",
                     MOST_PROPERTIES);
        return;
    }
    int index = (int)info->count++;
    int outer = info->parent;
    const char *type = builder_word(builder, statement, 2);
    info->properties[index] = (struct described_property){
        .name = builder_text(builder, statement, 1),
        .map = builder_key_text(builder, statement, "map"),
        .length = builder_key(statement, "length"),
        .count = builder_key(statement, "count"),
        .in = builder_number(builder, statement, type, data_in_types),
        .out = builder_key_number(builder, statement, "out", data_out_types, 0),
        .tags = builder_key_number(builder, statement, "tags", NULL, 0),
        .parent = outer,
    };
    info->parent = index;
    builder_run(builder, statement->node->child);
    info->parent = outer;
}

void put_map_info(struct builder *builder, struct statement *statement)
{
    struct event_description *info = calloc(1, sizeof *info);
    struct blob *blob = builder->bytes;
    struct blob unused = {0};
    size_t start = blob->size;
    if (info == NULL || builder->described != NULL) {
        builder_fail(builder, statement->node, "'map_info' cannot stand in another");
        free(info);
        return;
    }
    info->map = true;
    builder->described = info;
    builder_run_into(builder, statement->node->child, &unused);
    builder->described = NULL;
    blob_fill(blob, 0, MAP_SIZE + 8 * info->count);
    uint64_t name = append_text(blob, start, builder_text(builder, statement, 1));
    blob_set_number(blob, start, name, 4);
    blob_set_number(blob, start + 4, builder_key_number(builder, statement, "kind", NULL, 1), 4);
    blob_set_number(blob, start + 8, info->count, 4);
    for (size_t i = 0; i < info->count; i++) {
        size_t at = start + MAP_SIZE + 8 * i;
        blob_set_number(blob, at, append_text(blob, start, info->entries[i].text), 4);
        blob_set_number(blob, at + 4, info->entries[i].value, 4);
    }
    blob_free(&unused);
    free(info);
}

void put_map_entry(struct builder *builder, struct statement *statement)
{
    struct event_description *info = builder->described;
    if (info == NULL || !info->map || info->count == MOST_PROPERTIES) {
        builder_fail(builder, statement->node, "'entry' stands in 'map_info', %d at most",
                     MOST_PROPERTIES);
        return;
    }
    const char *value = builder_word(builder, statement, 1);
    info->entries[info->count].value = builder_number(builder, statement, value, NULL);
    info->entries[info->count++].text = builder_text(builder, statement, 2);
}
