/*
 * Words that put descriptions of other data: TraceLogging's schema (item 11), provider traits
 * (item 12), and the TRACE_EVENT_INFO and EVENT_MAP_INFO that merging tools store.
 *
 *   schema "Ordered" tags=0x200000                 traits "Contoso.Orders"
 *     field "Count" UINT32 out=HEX                   trait 1 : guid {...}
 *     field "Sizes" UINT16 count=*   (or count=3)
 *     field "Place" STRUCT
 *       field "X" INT32
 *
 * schema: u16 size, tags, name NUL, then fields: name NUL, in-type | count mode | 0x80, [out-type |
 * 0x80, [tags]], [u16 count].   traits: u16 size, name NUL, then {u16 size, u8 type, data}.
 */
#include "builder.h"
#include "types.h"

#include <string.h>

enum { STRUCT_TYPE = 24 };

/* 28 bits, seven a byte, most significant first; trailing zero bytes are left out. */
static void put_tags(struct builder *builder, struct statement *statement, struct blob *blob)
{
    uint64_t tags = builder_key_number(builder, statement, "tags", NULL, 0);
    do {
        uint8_t part = tags >> 21 & 0x7f;
        tags = tags << 7 & 0xfffffff;
        blob_put_number(blob, part | (tags != 0 ? 0x80 : 0), 1);
    } while (tags != 0);
}

static void put_name(struct builder *builder, struct statement *statement, struct blob *blob)
{
    const char *name = builder_text(builder, statement, 1);
    blob_put(blob, name, strlen(name) + 1);
}

/* A u16 size that counts itself, then what `held` has. */
static void put_sized(struct builder *builder, struct statement *statement, struct blob *held)
{
    uint64_t size = builder_key_number(builder, statement, "size", NULL, held->size + 2);
    blob_put_number(builder->bytes, size, 2);
    blob_put(builder->bytes, held->data, held->size);
    blob_free(held);
}

static void put_schema(struct builder *builder, struct statement *statement)
{
    struct blob held = {0};
    unsigned fields = builder->fields;
    put_tags(builder, statement, &held);
    put_name(builder, statement, &held);
    builder_run_into(builder, statement->node->child, &held);
    builder->fields = fields;
    put_sized(builder, statement, &held);
}

/* The in-type with its count mode: 0x20 constant, 0x40 variable, 0x60 custom. */
static uint64_t count_mode(struct builder *builder, struct statement *statement, struct blob *after)
{
    const char *count = builder_key(statement, "count");
    const char *custom = builder_key_text(builder, statement, "custom");
    if (custom != NULL) {
        struct blob bytes = {0};
        builder_put_hex(builder, statement, custom, &bytes);
        blob_put_number(after, bytes.size, 2);
        blob_put(after, bytes.data, bytes.size);
        blob_free(&bytes);
        return 0x60;
    }
    if (count == NULL) {
        return 0;
    }
    if (strcmp(count, "*") == 0) {
        return 0x40;
    }
    blob_put_number(after, builder_number(builder, statement, count, NULL), 2);
    return 0x20;
}

static void put_schema_field(struct builder *builder, struct statement *statement)
{
    struct blob members = {0}, after = {0};
    unsigned outer = builder->fields;
    put_name(builder, statement, builder->bytes);
    uint64_t in = builder_number(builder, statement, builder_word(builder, statement, 2),
                                 data_in_types);
    if (in != STRUCT_TYPE && statement->node->child != NULL) {
        builder_fail(builder, statement->node->child, "only a STRUCT holds fields");
    }
    builder->fields = 0;
    builder_run_into(builder, statement->node->child, &members);
    uint64_t out = builder_key_number(builder, statement, "out", schema_out_types,
                                      in == STRUCT_TYPE ? builder->fields : 0);
    builder->fields = outer + 1;
    bool tagged = builder_key(statement, "tags") != NULL;
    bool has_out = out != 0 || tagged || in == STRUCT_TYPE;
    in |= count_mode(builder, statement, &after);
    blob_put_number(builder->bytes, in | (has_out ? 0x80 : 0), 1);
    if (has_out) {
        blob_put_number(builder->bytes, out | (tagged ? 0x80 : 0), 1);
    }
    if (tagged) {
        put_tags(builder, statement, builder->bytes);
    }
    blob_put(builder->bytes, after.data, after.size);
    blob_put(builder->bytes, members.data, members.size);
    blob_free(&after);
    blob_free(&members);
}

static void put_traits(struct builder *builder, struct statement *statement)
{
    struct blob held = {0};
    put_name(builder, statement, &held);
    builder_run_into(builder, statement->node->child, &held);
    put_sized(builder, statement, &held);
}

static void put_trait(struct builder *builder, struct statement *statement)
{
    struct blob held = {0}, data = {0};
    blob_put_number(
        &held, builder_number(builder, statement, builder_word(builder, statement, 1), NULL), 1);
    builder_run_into(builder, statement->node->child, &data);
    blob_put(&held, data.data, data.size);
    blob_free(&data);
    put_sized(builder, statement, &held);
}

bool run_schema(struct builder *builder, struct statement *statement)
{
    static const struct builder_put words[] = {
        {"schema", put_schema},     {"field", put_schema_field},    {"traits", put_traits},
        {"trait", put_trait},       {"event_info", put_event_info}, {"property", put_property},
        {"map_info", put_map_info}, {"entry", put_map_entry}};
    return builder_put_word(builder, statement, words, sizeof words / sizeof words[0]);
}
