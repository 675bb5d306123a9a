/*
 * Fields of the built-in table are registered at start, all at once, so that every filter, list and
 * completion knows them; those of other schemas when they are first seen.
 *
 * Names:   etl.<provider in snake case>.<field in snake case>
 *          a provider whose name is the first word of a built-in field gets _provider behind it
 *          over 128 bytes: cut, and a hash of the whole behind it
 *          a kind that the name does not have: another name, with the kind behind it;
 *          IPv6 addresses have _v6 behind it, unless it says so already
 *
 * Bits of a map are fields below their field's, one for each name: etl.contoso_types.access.read.
 *
 * Fields of one name and kind share one registration if they are written alike; otherwise each has
 * its own, which Wireshark allows for numbers of up to 32 bits. But a built-in name stays one
 * registration, as wide as its widest row, and narrower fields of other schemas use it: a filter
 * that was compiled with that name before would not find another one.
 */
#include "epan/described_fields.h"

#include "epan/fields.h"
#include "epan/value_names.h"
#include "etl/builtin.h"
#include "etl/snake.h"

#include <epan/wmem_scopes.h>

#define NAME_SIZE 129

/* Fields that files may bring; a row's number has 16 bits, and the tables need some 20,000. */
#define DESCRIBED_FIELDS_MAX 40000

/* Bits of one schema that get fields: real ones have some dozens, and names cost time. */
#define SCHEMA_FLAGS_MAX 1024

/* A filter name and its kind. */
struct kind {
    const char *filter;
    enum ftenum type; /* of a built-in name the widest, of others the first */
    uint16_t builtin; /* number of its row; 0: it is no built-in name */
};

static GHashTable *kinds;    /* filter name -> struct kind; none is ever freed */
static GHashTable *numbers;  /* filter name, type and display -> number of a row */
static GHashTable *flags;    /* filter name of a flag -> number of its row */
static GHashTable *reserved; /* first words of built-in fields */
static size_t shown_count;
static size_t shown_room;
static size_t file_fields; /* registered for files' schemas */

static void reserve(const struct etl_field *field)
{
    const char *word = field->filter + strlen("etl.");
    g_hash_table_add(reserved, g_strndup(word, strcspn(word, ".")));
}

static void start(void)
{
    static const char *const others[] = {"note", "field", "schema", "event", "payload", "hookid"};
    kinds = g_hash_table_new(g_str_hash, g_str_equal);
    numbers = g_hash_table_new(g_str_hash, g_str_equal);
    flags = g_hash_table_new(g_str_hash, g_str_equal);
    reserved = g_hash_table_new(g_str_hash, g_str_equal);
    shown_count = shown_room = etl_field_count();
    for (enum etl_layout_id id = 1; id < ETL_LAYOUT_COUNT; id++) {
        for (size_t row = 0; row < etl_layout(id)->count; row++) {
            reserve(&etl_layout(id)->fields[row]);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_hash_table_add(reserved, (gpointer)others[i]);
    }
}

/* What is behind a name that has another kind already. */
static const char *suffix_of(enum ftenum type)
{
    switch (type) {
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
        return "_number";
    case FT_UINT64:
        return "_number64";
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return "_signed";
    case FT_INT64:
        return "_signed64";
    case FT_BOOLEAN:
        return "_flag";
    case FT_FLOAT:
        return "_float";
    case FT_DOUBLE:
        return "_double";
    case FT_ABSOLUTE_TIME:
        return "_time";
    case FT_GUID:
        return "_guid";
    case FT_IPv4:
        return "_v4";
    case FT_IPv6:
        return "_v6";
    case FT_BYTES:
        return "_bytes";
    case FT_NONE:
        return "_struct";
    default:
        return "_text";
    }
}

/* Over the limit a name is cut, and a hash of all of it tells it from others cut there. */
static void limit_name(const char *whole, char name[NAME_SIZE])
{
    size_t length = strlen(whole);
    if (length < NAME_SIZE) {
        memcpy(name, whole, length + 1);
        return;
    }
    struct etl_span bytes = {.at = (const uint8_t *)whole, .size = length};
    memcpy(name, whole, NAME_SIZE - 10);
    snprintf(name + NAME_SIZE - 10, 10, "_%08x", (unsigned)(uint32_t)etl_schema_hash(bytes));
}

static void provider_word(const struct etl_guid *provider, const char *name, char *room,
                          size_t size)
{
    char guid[ETL_GUID_TEXT_SIZE];
    if (name == NULL || etl_snake_case(name, room, size) == 0) {
        etl_guid_format(provider, guid);
        char text[ETL_GUID_TEXT_SIZE + 16];
        snprintf(text, sizeof text, "provider_%s", guid);
        etl_snake_case(text, room, size);
    } else if (g_hash_table_contains(reserved, room)) {
        g_strlcat(room, "_provider", size);
    }
}

static enum ftenum family_of(enum ftenum type)
{
    return type >= FT_UINT8 && type <= FT_UINT64 ? FT_UINT64
           : type >= FT_INT8 && type <= FT_INT64 ? FT_INT64
           : type == FT_FLOAT                    ? FT_DOUBLE
                                                 : type;
}

/* Whether a field of that type may have the name. While built-in names are gathered they widen. */
static bool fits(const struct kind *kind, enum ftenum type, bool gathering)
{
    if (kind->builtin > 0 || gathering) {
        return family_of(kind->type) == family_of(type) && (gathering || type <= kind->type);
    }
    return strcmp(suffix_of(kind->type), suffix_of(type)) == 0;
}

static struct kind *new_kind(const char *name, enum ftenum type)
{
    struct kind *kind = g_new0(struct kind, 1);
    kind->filter = g_strdup(name);
    kind->type = type;
    g_hash_table_insert(kinds, (gpointer)kind->filter, kind);
    return kind;
}

/* "etl.<provider>.<field>" */
static void join_name(const char *provider, const char *label, char *room, size_t size)
{
    char field[512];
    if (etl_snake_case(label, field, sizeof field) == 0) {
        g_strlcpy(field, "unnamed", sizeof field);
    }
    g_strlcpy(room, "etl.", size);
    g_strlcat(room, provider, size);
    g_strlcat(room, ".", size);
    g_strlcat(room, field, size);
}

/*
 * The name of a field of that type; one that another kind has gets its own kind behind it. NULL:
 * another field is really called so.
 */
static struct kind *kind_of(const char *provider, const char *label, enum ftenum type,
                            bool gathering)
{
    char whole[1200];
    char name[NAME_SIZE];
    join_name(provider, label, whole, sizeof whole);
    /* Events of one provider often have either; the name must not depend on which comes first. */
    if (type == FT_IPv6 && strstr(whole + strlen("etl.") + strlen(provider), "v6") == NULL) {
        g_strlcat(whole, suffix_of(type), sizeof whole);
    }
    limit_name(whole, name);
    struct kind *kind = g_hash_table_lookup(kinds, name);
    if (kind != NULL && !fits(kind, type, gathering)) {
        g_strlcat(whole, suffix_of(type), sizeof whole);
        limit_name(whole, name);
        kind = g_hash_table_lookup(kinds, name);
        if (kind != NULL && !fits(kind, type, gathering)) {
            return NULL;
        }
    }
    return kind != NULL ? kind : new_kind(name, type);
}

static void make_room(size_t more)
{
    if (shown_count + more > shown_room) {
        shown_room = (shown_count + more) * 2;
        etl_shown_rows = g_renew(struct etl_shown, etl_shown_rows, shown_room);
    }
}

/* A registration of its own; lives as long as the program. */
static size_t add_field(const char *filter, const char *label, const header_field_info *like)
{
    hf_register_info *info = wmem_new0(wmem_epan_scope(), hf_register_info);
    int *id = wmem_new(wmem_epan_scope(), int);
    *id = -1;
    info->p_id = id;
    info->hfinfo = (header_field_info){.name = wmem_strdup(wmem_epan_scope(), label),
                                       .abbrev = filter,
                                       .type = like->type,
                                       .display = like->display,
                                       .strings = like->strings,
                                       .bitmask = like->bitmask,
                                       .blurb = NULL,
                                       HFILL};
    proto_register_field_array(etl_protocol, info, 1);
    make_room(1);
    etl_shown_rows[shown_count] = (struct etl_shown){.info = &info->hfinfo, .id = *id};
    return shown_count++;
}

/* The registration of a field that no table has: one of the same name that is written alike, or a new one. */
static bool number_file_row(struct etl_field *row, const struct kind *kind,
                            const header_field_info *like)
{
    char *key = g_strdup_printf("%s %d %d", kind->filter, (int)like->type, like->display);
    gpointer number;
    if (g_hash_table_lookup_extended(numbers, key, NULL, &number)) {
        g_free(key);
    } else {
        if (shown_count >= UINT16_MAX || file_fields >= DESCRIBED_FIELDS_MAX) {
            g_free(key);
            return false;
        }
        file_fields++;
        number = GSIZE_TO_POINTER(
            add_field(kind->filter, row->label[0] != '\0' ? row->label : "(unnamed)", like));
        g_hash_table_insert(numbers, key, number);
    }
    row->number = (uint16_t)GPOINTER_TO_SIZE(number);
    return true;
}

static bool number_row(struct etl_field *row, const char *provider)
{
    header_field_info like = {.type = FT_NONE};
    etl_fields_describe(row->type, &like);
    const struct kind *kind = kind_of(provider, row->label, like.type, false);
    if (kind == NULL) {
        return false;
    }
    row->filter = kind->filter;
    row->number = kind->builtin;
    return kind->builtin > 0 || number_file_row(row, kind, &like);
}

/* How many bits a flag is drawn among: its field's, or as many as it takes. */
static int bits_around(const struct etl_field *row, uint64_t flag)
{
    int bits = row->width > 0 ? row->width * 8 : 64;
    while (bits < 64 && flag >> bits != 0) {
        bits *= 2;
    }
    return bits;
}

/* The number of a flag; 0: its name is another field's, or there are too many fields. */
static uint16_t number_flag(const char *filter, const struct etl_field *row,
                            const struct etl_name *flag)
{
    char snake[256];
    char whole[512];
    char name[NAME_SIZE];
    if (flag->value == 0 || etl_snake_case(flag->text, snake, sizeof snake) == 0) {
        return 0;
    }
    snprintf(whole, sizeof whole, "%s.%s", filter, snake);
    limit_name(whole, name);
    gpointer number = g_hash_table_lookup(flags, name);
    bool full = shown_count >= UINT16_MAX || file_fields >= DESCRIBED_FIELDS_MAX;
    if (number == NULL && !full && g_hash_table_lookup(kinds, name) == NULL) {
        header_field_info like = {
            .type = FT_BOOLEAN, .display = bits_around(row, flag->value), .bitmask = flag->value};
        const struct kind *kind = new_kind(name, FT_BOOLEAN);
        file_fields++;
        number = GSIZE_TO_POINTER(add_field(kind->filter, flag->text, &like));
        g_hash_table_insert(flags, (gpointer)kind->filter, number);
    }
    return (uint16_t)GPOINTER_TO_SIZE(number);
}

/* Returns how many bits were named. Maps of bits that no number can have are left alone. */
static size_t number_flags(struct etl_field *row, const char *filter, const struct etl_names *map,
                           size_t most)
{
    enum etl_shape shape = etl_type_facts(row->type)->shape;
    if (map->kind != ETL_NAMES_FLAGS || map->count == 0 || map->count > most ||
        (shape != ETL_SHAPE_NUMBER && shape != ETL_SHAPE_SIGNED)) {
        return 0;
    }
    uint16_t *all = wmem_alloc_array(wmem_epan_scope(), uint16_t, map->count);
    for (size_t i = 0; i < map->count; i++) {
        all[i] = number_flag(filter, row, &map->rows[i]);
    }
    row->flags = all;
    return map->count;
}

bool etl_described_fields_register(struct etl_schema *schema, const struct etl_guid *provider,
                                   const char *provider_name)
{
    size_t named = 0;
    char word[512];
    provider_word(provider, provider_name, word, sizeof word);
    for (size_t i = 0; i < schema->field_count; i++) {
        struct etl_field *row = &schema->fields[i].row;
        if (!number_row(row, word)) {
            return false;
        }
        if (row->map != NULL) {
            etl_value_names_add(row->number, row->map);
            named += number_flags(row, row->filter, row->map, SCHEMA_FLAGS_MAX - named);
        }
    }
    return true;
}

/* Built-in fields. Both arrays are kept: Wireshark points into them. */
static hf_register_info *builtin_infos;
static int *builtin_ids;
static size_t builtin_count;

static void gather(const char *provider, size_t number)
{
    enum etl_type type;
    const char *label = etl_builtin_field_at(number, &type);
    header_field_info like = {.type = FT_NONE};
    etl_fields_describe(type, &like);
    struct kind *kind = kind_of(provider, label, like.type, true);
    if (kind == NULL) {
        return; /* an event with this field is shown as bytes */
    }
    if (kind->builtin == 0) {
        builtin_ids[builtin_count] = -1;
        builtin_infos[builtin_count] = (hf_register_info){.p_id = &builtin_ids[builtin_count],
                                                          .hfinfo = {.name = label,
                                                                     .abbrev = kind->filter,
                                                                     .type = like.type,
                                                                     .display = like.display,
                                                                     .strings = like.strings,
                                                                     .blurb = NULL,
                                                                     HFILL}};
        kind->builtin = (uint16_t)(shown_count + builtin_count++);
        return;
    }
    header_field_info *info = &builtin_infos[kind->builtin - shown_count].hfinfo;
    if (like.type > info->type) { /* within a family the order of the types is their width */
        info->type = kind->type = like.type;
    }
    if (info->strings != NULL && (like.strings == NULL || info->type != FT_UINT32)) {
        info->strings = NULL; /* one row's statuses are another one's numbers */
        info->display = BASE_HEX;
    }
}

/* So that filters may name values of the field before any event with it is met. */
static void name_values(const char *provider, size_t number)
{
    struct etl_names map;
    enum etl_type type;
    header_field_info like = {.type = FT_NONE};
    if (!etl_builtin_field_map(number, &map)) {
        return;
    }
    const char *label = etl_builtin_field_at(number, &type);
    etl_fields_describe(type, &like);
    const struct kind *kind = kind_of(provider, label, like.type, false);
    if (kind != NULL && kind->builtin > 0) {
        struct etl_field row = {.type = type, .width = etl_type_facts(type)->width};
        etl_value_names_add(kind->builtin, &map);
        number_flags(&row, kind->filter, &map, SCHEMA_FLAGS_MAX);
    }
    etl_builtin_map_free(&map);
}

static void for_each_builtin(void (*visit)(const char *provider, size_t number))
{
    for (size_t i = 0; i < etl_builtin_provider_count(); i++) {
        struct etl_guid guid;
        size_t number;
        size_t end;
        char word[512];
        const char *name = etl_builtin_provider_at(i, &guid, &number, &end);
        provider_word(&guid, name, word, sizeof word);
        for (; number < end; number++) {
            visit(word, number);
        }
    }
}

void etl_described_fields_register_builtin(void)
{
    size_t room = etl_builtin_field_count();
    builtin_infos = g_new0(hf_register_info, room);
    builtin_ids = g_new(int, room);
    start();
    for_each_builtin(gather);
    proto_register_field_array(etl_protocol, builtin_infos, (int)builtin_count);
    make_room(builtin_count);
    for (size_t i = 0; i < builtin_count; i++) {
        etl_shown_rows[shown_count++] = (struct etl_shown){.info = &builtin_infos[i].hfinfo,
                                                           .id = builtin_ids[i]};
    }
    for_each_builtin(name_values);
}
