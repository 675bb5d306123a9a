/* Text is made only where somebody looks at it. */
#include "epan/key_names.h"

#include "epan/line.h"
#include "epan/symbols.h"
#include "etl/decode.h"

/* Names beside ids: a path has at most 32,767 characters, nearly all have less than this. */
#define NAME_SHOWN_MAX 1024

/* Addresses of one key that are shown; Windows walks at most 192. */
#define STACK_SHOWN_MAX 256

static size_t copy(struct etl_span text, char *room, size_t size)
{
    return etl_utf8_of_ansi(text.at, text.size, room, size);
}

/* "ntoskrnl.exe+0x1234", "ntoskrnl.exe!KiSwapContext+0x34" */
static size_t code_name(const struct etl_record *record, uint64_t address, char *room, size_t size)
{
    struct etl_record_image image;
    struct etl_line line;
    if (!etl_record_find_image(record, address, &image)) {
        return 0;
    }
    uint64_t into = address - image.base;
    const char *function = etl_symbols_function(&image, into, &into);
    size_t length = copy(image.name, room, size);
    etl_line_start(&line);
    if (function != NULL) {
        etl_line_text(&line, "!");
        etl_line_text(&line, function);
    }
    etl_line_text(&line, "+");
    etl_line_hexadecimal(&line, into);
    const struct etl_span place = {.at = (const uint8_t *)line.text, .size = line.length};
    return length + copy(place, room + length, size - length);
}

/* The thread of the event itself goes by its process, which has its name already. */
static bool find_name(const struct etl_record *record, enum etl_key key, uint64_t id,
                      struct etl_record_name *ret_name)
{
    if (etl_record_find_name(record, key, id, ret_name)) {
        return true;
    }
    return key == ETL_KEY_THREAD && id == record->thread_id && id != ETL_ID_UNKNOWN &&
           record->process_id != ETL_ID_UNKNOWN &&
           etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, ret_name);
}

size_t etl_key_name(const struct etl_record *record, enum etl_key key, uint64_t id, char *room,
                    size_t size)
{
    struct etl_record_name name;
    room[0] = '\0';
    if (key == ETL_KEY_CODE || key == ETL_KEY_RETURN_ADDRESS) {
        return code_name(record, id, room, size);
    }
    if (key == ETL_KEY_IMAGE) {
        struct etl_record_image image;
        bool known = etl_record_find_image(record, id, &image) && image.base == id;
        return known ? copy(image.name, room, size) : 0;
    }
    return find_name(record, key, id, &name) ? copy(name.text, room, size) : 0;
}

static void show_text(struct etl_tree_sink *tree_sink, enum etl_fact fact, const char *text)
{
    if (etl_tree_sink_wants(tree_sink, etl_fact(fact))) {
        etl_decode_text(&tree_sink->sink, etl_fact(fact), NULL, 0, text);
    }
}

static void show_number(struct etl_tree_sink *tree_sink, enum etl_fact fact, uint64_t number)
{
    if (etl_tree_sink_wants(tree_sink, etl_fact(fact))) {
        etl_decode_number(&tree_sink->sink, etl_fact(fact), NULL, 0, number);
    }
}

static void show_function(struct etl_tree_sink *tree_sink, enum etl_fact fact,
                          const struct etl_record_image *image, uint64_t offset)
{
    uint64_t into;
    const char *function = etl_tree_sink_wants(tree_sink, etl_fact(fact))
                               ? etl_symbols_function(image, offset, &into)
                               : NULL;
    if (function != NULL) {
        show_text(tree_sink, fact, function);
    }
}

/* Which module an address is in, and where: the same fields for all addresses. */
static void show_code(struct etl_tree_sink *tree_sink, bool in_stack, uint64_t address)
{
    struct etl_record_image image;
    char name[256];
    if (etl_record_find_image(tree_sink->record, address, &image)) {
        copy(image.name, name, sizeof name);
        show_text(tree_sink, in_stack ? ETL_FACT_StackModule : ETL_FACT_CodeModule, name);
        show_number(tree_sink, in_stack ? ETL_FACT_StackOffset : ETL_FACT_CodeOffset,
                    address - image.base);
        show_function(tree_sink, in_stack ? ETL_FACT_StackFunction : ETL_FACT_CodeFunction, &image,
                      address - image.base);
    }
}

/* The addresses that a key stands for, as if they were here. */
static void show_stack(struct etl_tree_sink *tree_sink, uint64_t key)
{
    struct etl_span addresses;
    if (!etl_record_find_stack(tree_sink->record, key, &addresses)) {
        return;
    }
    for (size_t at = 0; at + 8 <= addresses.size && at < 8 * (size_t)STACK_SHOWN_MAX; at += 8) {
        show_number(tree_sink, ETL_FACT_StackAddress, etl_load_u64(addresses.at + at));
    }
}

/* One of the fields that etl_key_fields names: below the row's number, after its flags. */
static void show_field(struct etl_tree_sink *tree_sink, const struct etl_field *field, size_t which,
                       const char *text)
{
    const struct etl_shown *shown = etl_shown(field);
    size_t flags = shown->flags != NULL ? shown->flags->count : 0;
    const struct etl_shown *known = &shown[1 + flags + which];
    if (tree_sink->visible || etl_is_referenced(known)) {
        proto_tree *tree = tree_sink->branches[tree_sink->depth].tree;
        proto_item_set_generated(
            proto_tree_add_string(tree, known->id, tree_sink->tvb, 0, 0, text));
    }
}

static void show_names(struct etl_tree_sink *tree_sink, const struct etl_field *field, uint64_t id)
{
    char text[NAME_SHOWN_MAX];
    size_t fields = etl_key_field_count(field);
    if (fields > 0 && etl_key_name(tree_sink->record, field->key, id, text, sizeof text) > 0) {
        show_field(tree_sink, field, 0, text);
    }
    if (fields > 1 &&
        etl_key_name(tree_sink->record, ETL_KEY_THREAD_NAME, id, text, sizeof text) > 0) {
        show_field(tree_sink, field, 1, text);
    }
}

void etl_key_names_show(struct etl_tree_sink *tree_sink, const struct etl_field *field,
                        const struct etl_value *value, proto_item *item)
{
    const struct etl_record *record = tree_sink->record;
    if (record->name_items.size == 0) {
        return;
    }
    if (tree_sink->visible) {
        char text[NAME_SHOWN_MAX];
        if (etl_key_name(record, field->key, value->number, text, sizeof text) > 0) {
            proto_item_append_text(item, " (%s)", text);
        }
    }
    proto_item *last = tree_sink->last_item;
    etl_tree_sink_enter(tree_sink, item);
    show_names(tree_sink, field, value->number);
    if (field->key == ETL_KEY_STACK) {
        show_stack(tree_sink, value->number);
    } else if (etl_is_code(field->key)) {
        show_code(tree_sink, field->key == ETL_KEY_RETURN_ADDRESS, value->number);
    }
    etl_tree_sink_leave(tree_sink);
    tree_sink->last_item = last;
}
