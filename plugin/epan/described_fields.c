/*
 * Names:   etl.<provider in snake case>.<field in snake case>
 *          a provider whose name is the first word of a built-in field gets _provider behind it
 *          over 128 bytes: cut, and a hash of the whole behind it
 *          a kind that the name does not have: another name, with the kind behind it;
 *          IPv6 addresses have _v6 behind it, unless it says so already
 *
 * Fields of one name and kind share one registration if they are written alike; otherwise each has
 * its own, which Wireshark allows for numbers of up to 32 bits.
 */
#include "epan/described_fields.h"

#include "epan/fields.h"
#include "etl/snake.h"

#include <epan/wmem_scopes.h>

#define NAME_SIZE 129

/* Fields that files may bring; a row's number has 16 bits, and the tables need a few thousand. */
#define DESCRIBED_FIELDS_MAX 50000

static GHashTable *kinds;    /* filter name -> suffix of its kind */
static GHashTable *numbers;  /* filter name, type and display -> number of a row */
static GHashTable *reserved; /* first words of built-in fields */
static size_t shown_count;
static size_t shown_room;

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

/* The name of a field of that type; one that another kind has gets its own kind behind it. */
static const char *filter_name(const char *provider, const struct etl_field *row, enum ftenum type)
{
    char field[512];
    char whole[1200];
    char name[NAME_SIZE];
    const char *suffix = suffix_of(type);
    const char *taken;
    if (etl_snake_case(row->label, field, sizeof field) == 0) {
        g_strlcpy(field, "unnamed", sizeof field);
    }
    /* Events of one provider often have either; the name must not depend on which comes first. */
    bool other = type == FT_IPv6 && strstr(field, "v6") == NULL;
    snprintf(whole, sizeof whole, "etl.%s.%s%s", provider, field, other ? suffix : "");
    limit_name(whole, name);
    taken = g_hash_table_lookup(kinds, name);
    if (taken != NULL && strcmp(taken, suffix) != 0) {
        g_strlcat(whole, suffix, sizeof whole);
        limit_name(whole, name);
        taken = g_hash_table_lookup(kinds, name);
        if (taken != NULL && strcmp(taken, suffix) != 0) {
            return NULL; /* another field is really called so */
        }
    }
    if (taken == NULL) {
        g_hash_table_insert(kinds, g_strdup(name), (gpointer)suffix);
    }
    gpointer kept = NULL;
    g_hash_table_lookup_extended(kinds, name, &kept, NULL);
    return kept;
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
                                       .blurb = NULL,
                                       HFILL};
    proto_register_field_array(etl_protocol, info, 1);
    make_room(1);
    etl_shown_rows[shown_count] = (struct etl_shown){.info = &info->hfinfo, .id = *id};
    return shown_count++;
}

static bool number_row(struct etl_field *row, const char *provider)
{
    header_field_info like = {.type = FT_NONE};
    etl_fields_describe(row->type, &like);
    const char *filter = filter_name(provider, row, like.type);
    if (filter == NULL) {
        return false;
    }
    char *key = g_strdup_printf("%s %d %d", filter, (int)like.type, like.display);
    gpointer number;
    if (g_hash_table_lookup_extended(numbers, key, NULL, &number)) {
        g_free(key);
    } else {
        if (shown_count >= UINT16_MAX || shown_count - etl_field_count() >= DESCRIBED_FIELDS_MAX) {
            g_free(key);
            return false;
        }
        number = GSIZE_TO_POINTER(
            add_field(filter, row->label[0] != '\0' ? row->label : "(unnamed)", &like));
        g_hash_table_insert(numbers, key, number);
    }
    row->filter = filter;
    row->number = (uint16_t)GPOINTER_TO_SIZE(number);
    return true;
}

bool etl_described_fields_register(struct etl_schema *schema, const struct etl_guid *provider,
                                   const char *provider_name)
{
    char word[512];
    if (kinds == NULL) {
        start();
    }
    provider_word(provider, provider_name, word, sizeof word);
    for (size_t i = 0; i < schema->field_count; i++) {
        if (!number_row(&schema->fields[i].row, word)) {
            return false;
        }
    }
    return true;
}
