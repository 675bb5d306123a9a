/*
 * Registers the rows: one pass over all layouts gathers distinct filter names, then Wireshark gets
 * them as one array. A few thousand rows cost a millisecond or two at each start of a program.
 */
#include "epan/fields.h"

#include "epan/strings.h"
#include "etl/snake.h"

#include <epan/unit_strings.h>

/* How Wireshark stores and writes a type: the epan field map. */
struct field_type {
    enum ftenum type;
    int base;
    const char
        *strings_of; /* a field of Wireshark's own that has the names of this type's values */
};

static const struct field_type field_types[ETL_TYPE_COUNT] = {
    [ETL_TYPE_U8] = {FT_UINT8, BASE_DEC, NULL},
    [ETL_TYPE_U16] = {FT_UINT16, BASE_DEC, NULL},
    [ETL_TYPE_U32] = {FT_UINT32, BASE_DEC, NULL},
    [ETL_TYPE_U64] = {FT_UINT64, BASE_DEC, NULL},
    [ETL_TYPE_I8] = {FT_INT8, BASE_DEC, NULL},
    [ETL_TYPE_I16] = {FT_INT16, BASE_DEC, NULL},
    [ETL_TYPE_I32] = {FT_INT32, BASE_DEC, NULL},
    [ETL_TYPE_I64] = {FT_INT64, BASE_DEC, NULL},
    [ETL_TYPE_HEX8] = {FT_UINT8, BASE_HEX, NULL},
    [ETL_TYPE_HEX16] = {FT_UINT16, BASE_HEX, NULL},
    [ETL_TYPE_HEX32] = {FT_UINT32, BASE_HEX, NULL},
    [ETL_TYPE_HEX64] = {FT_UINT64, BASE_HEX, NULL},
    [ETL_TYPE_BOOL8] = {FT_BOOLEAN, BASE_NONE, NULL},
    [ETL_TYPE_BOOL16] = {FT_BOOLEAN, BASE_NONE, NULL},
    [ETL_TYPE_BOOL32] = {FT_BOOLEAN, BASE_NONE, NULL},
    [ETL_TYPE_FLOAT] = {FT_FLOAT, BASE_NONE, NULL},
    [ETL_TYPE_DOUBLE] = {FT_DOUBLE, BASE_NONE, NULL},
    [ETL_TYPE_POINTER] = {FT_UINT64, BASE_HEX, NULL},
    [ETL_TYPE_SIZE] = {FT_UINT64, BASE_DEC, NULL},
    [ETL_TYPE_PORT] = {FT_UINT16, BASE_DEC, NULL},
    [ETL_TYPE_NTSTATUS] = {FT_UINT32, BASE_HEX, "smb.nt_status"},
    [ETL_TYPE_WIN32ERROR] = {FT_UINT32, BASE_HEX, "winreg.werror"},
    [ETL_TYPE_HRESULT] = {FT_UINT32, BASE_HEX, "spoolss.hresult"},
    [ETL_TYPE_FILETIME] = {FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL},
    [ETL_TYPE_CLOCKTIME] = {FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL},
    [ETL_TYPE_UNIXTIME] = {FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL},
    [ETL_TYPE_SYSTEMTIME] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_GUID] = {FT_GUID, BASE_NONE, NULL},
    [ETL_TYPE_IPV4] = {FT_IPv4, BASE_NONE, NULL},
    [ETL_TYPE_IPV6] = {FT_IPv6, BASE_NONE, NULL},
    [ETL_TYPE_ETHER] = {FT_ETHER, BASE_NONE, NULL},
    [ETL_TYPE_SID] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_USERSID] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_ANSI] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_UTF8] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_UTF16] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_BYTES] = {FT_BYTES, BASE_NONE, NULL},
    [ETL_TYPE_SOCKADDR] = {FT_STRING, BASE_NONE, NULL},
    [ETL_TYPE_STRUCT] = {FT_NONE, BASE_NONE, NULL},
};

int etl_protocol = -1;
struct etl_shown *etl_shown_rows;
int etl_subtrees[ETL_SUBTREE_COUNT];

/* Fields by name while they are gathered. Arrays are kept: Wireshark points into them. */
struct gathering {
    GHashTable *places; /* filter name -> place in the arrays below */
    hf_register_info *infos;
    int *ids;
    enum etl_names_id *names; /* of the newest row that has a list of values */
    enum etl_type *types;     /* of the newest row */
    size_t *place_of_number;
    size_t count;
};

static enum ftenum widest_of_kind(enum ftenum type)
{
    if (type >= FT_UINT8 && type <= FT_UINT64) {
        return FT_UINT64;
    }
    if (type >= FT_INT8 && type <= FT_INT64) {
        return FT_INT64;
    }
    return type == FT_FLOAT ? FT_DOUBLE : type;
}

/* The place of a field, made or widened. A name of two kinds would crash Wireshark's filters. */
static size_t place_of(struct gathering *all, const char *filter, const char *label,
                       enum ftenum type)
{
    gpointer found;
    if (!g_hash_table_lookup_extended(all->places, filter, NULL, &found)) {
        size_t place = all->count++;
        g_hash_table_insert(all->places, (gpointer)filter, GSIZE_TO_POINTER(place));
        all->infos[place].p_id = &all->ids[place];
        all->infos[place].hfinfo = (header_field_info){
            .name = label, .abbrev = filter, .type = type, .blurb = NULL, HFILL};
        return place;
    }
    header_field_info *info = &all->infos[GPOINTER_TO_SIZE(found)].hfinfo;
    if (widest_of_kind(info->type) != widest_of_kind(type)) {
        g_error("etl: %s has two kinds: %s and %s (the later one in a row labelled %s)", filter,
                ftype_name(info->type), ftype_name(type), label);
    }
    info->type = MAX(info->type, type); /* within a kind the order of the types is their width */
    return GPOINTER_TO_SIZE(found);
}

static int bits_of(enum ftenum type)
{
    switch (type) {
    case FT_UINT8:
        return 8;
    case FT_UINT16:
        return 16;
    case FT_UINT32:
        return 32;
    default:
        return 64;
    }
}

/* Units last as long as the fields, which is to the end of the program. */
static void give_unit(header_field_info *info, const char *unit)
{
    unit_name_string *strings = g_new0(unit_name_string, 1);
    strings->singular = g_strconcat(" ", unit, NULL);
    info->display |= BASE_UNIT_STRING;
    info->strings = strings;
}

static void gather_flag(struct gathering *all, const struct etl_field *field,
                        const struct etl_name *flag, size_t number)
{
    enum ftenum width = field_types[field->type].type;
    char snake[128];
    etl_snake_case(flag->text, snake, sizeof snake);
    char *filter = g_strconcat(field->filter, ".", snake, NULL);
    size_t place = place_of(all, filter, flag->text, flag->multi_bit ? width : FT_BOOLEAN);
    header_field_info *info = &all->infos[place].hfinfo;
    if (info->abbrev != filter) {
        g_free(filter);
    }
    info->bitmask = flag->value;
    info->display = flag->multi_bit ? BASE_DEC : MAX(info->display, bits_of(width));
    if (flag->multi_bit && flag->names != ETL_NAMES_NONE && bits_of(width) <= 32) {
        info->strings = etl_strings_of_list(flag->names);
    }
    all->place_of_number[number] = place;
}

/* etl.file_io.file_object.name */
static void gather_key_field(struct gathering *all, const struct etl_field *field, size_t which,
                             size_t number)
{
    const char *suffix = etl_key_fields[field->key][which];
    char *filter = g_strconcat(field->filter, ".", suffix, NULL);
    char *label = g_strconcat(field->label, "'s ", suffix, NULL);
    size_t place = place_of(all, filter, label, FT_STRING);
    if (all->infos[place].hfinfo.abbrev != filter) {
        g_free(filter);
        g_free(label);
    }
    all->infos[place].hfinfo.display = BASE_NONE;
    all->place_of_number[number] = place;
}

static size_t flag_count(const struct etl_field *field)
{
    const struct etl_names *names = etl_names_list(field->names);
    return names != NULL && names->kind == ETL_NAMES_FLAGS ? names->count : 0;
}

static void gather_row(struct gathering *all, const struct etl_field *field)
{
    const struct field_type *type = &field_types[field->type];
    if (type->type == FT_NONE && field->type != ETL_TYPE_STRUCT) {
        g_error("etl: no field type for %s", etl_type_facts(field->type)->name);
    }
    const struct etl_names *names = etl_names_list(field->names);
    size_t place = place_of(all, field->filter, field->label, type->type);
    all->infos[place].hfinfo.name = field->label; /* the newest row's, like its base */
    all->infos[place].hfinfo.display = type->base;
    all->types[place] = field->type;
    all->place_of_number[field->number] = place;
    if (field->unit != NULL && type->base == BASE_DEC) {
        give_unit(&all->infos[place].hfinfo, field->unit);
    }
    if (names != NULL && names->kind == ETL_NAMES_VALUES) {
        all->names[place] = field->names;
    }
    size_t flags = flag_count(field);
    for (size_t i = 0; i < flags; i++) {
        gather_flag(all, field, &names->rows[i], field->number + 1 + i);
    }
    for (size_t i = 0; i < etl_key_field_count(field); i++) {
        gather_key_field(all, field, i, field->number + 1 + flags + i);
    }
}

/* Calls `visit` for every row that is shown. */
static void for_each_row(struct gathering *all,
                         void (*visit)(struct gathering *, const struct etl_field *))
{
    for (enum etl_layout_id id = 1; id < ETL_LAYOUT_COUNT; id++) {
        const struct etl_layout *layout = etl_layout(id);
        for (size_t row = 0; row < layout->count; row++) {
            if (etl_type_facts(layout->fields[row].type)->shape != ETL_SHAPE_PADDING) {
                visit(all, &layout->fields[row]);
            }
        }
    }
}

/* Where a version of Wireshark lacks the lender, values are shown as numbers. */
static void borrow_strings(header_field_info *info, const char *lender)
{
    const header_field_info *lent = proto_registrar_get_byname(lender);
    if (lent != NULL && lent->strings != NULL && lent->type == FT_UINT32) {
        info->display |= lent->display & BASE_EXT_STRING;
        info->strings = lent->strings;
    }
}

/* After the last row: the type is as wide as it gets. */
static void give_strings(struct gathering *all, size_t place)
{
    header_field_info *info = &all->infos[place].hfinfo;
    enum etl_names_id names = all->names[place];
    bool number = info->type <= FT_INT64 && info->type >= FT_UINT8;
    if (strcmp(info->abbrev, "etl.hookid") == 0) {
        info->display |= BASE_EXT_STRING;
        info->strings = etl_strings_of_hooks();
    } else if (strcmp(info->abbrev, "etl.hookid.group") == 0) {
        info->strings = etl_strings_of_groups();
    } else if (field_types[all->types[place]].strings_of != NULL && info->type == FT_UINT32) {
        borrow_strings(info, field_types[all->types[place]].strings_of);
    } else if (names != ETL_NAMES_NONE && (info->type == FT_UINT64 || info->type == FT_INT64)) {
        info->display |= BASE_VAL64_STRING;
        info->strings = etl_strings64_of_list(names);
    } else if (names != ETL_NAMES_NONE && number) {
        info->strings = etl_strings_of_list(names);
    }
}

void etl_fields_describe(enum etl_type type, header_field_info *info)
{
    info->type = field_types[type].type;
    info->display = field_types[type].base;
    if (field_types[type].strings_of != NULL) {
        borrow_strings(info, field_types[type].strings_of);
    }
}

static void show_number(struct gathering *all, size_t number)
{
    size_t place = all->place_of_number[number];
    etl_shown_rows[number].id = all->ids[place];
    etl_shown_rows[number].info = &all->infos[place].hfinfo;
}

/* After registration, when the ids are known. */
static void show_row(struct gathering *all, const struct etl_field *field)
{
    const struct etl_names *names = etl_names_list(field->names);
    struct etl_shown *shown = &etl_shown_rows[field->number];
    show_number(all, field->number);
    if (names != NULL && names->kind == ETL_NAMES_VALUES) {
        shown->own_names = all->names[all->place_of_number[field->number]] != field->names;
    } else if (names != NULL) {
        shown->flags = names;
    }
    shown->more = (uint16_t)(flag_count(field) + etl_key_field_count(field));
    for (size_t i = 0; i < shown->more; i++) {
        show_number(all, field->number + 1 + i);
    }
}

static void register_subtrees(void)
{
    static int *ids[ETL_SUBTREE_COUNT];
    for (size_t i = 0; i < ETL_SUBTREE_COUNT; i++) {
        etl_subtrees[i] = -1;
        ids[i] = &etl_subtrees[i];
    }
    proto_register_subtree_array(ids, ETL_SUBTREE_COUNT);
}

/* Rows that are no fields are never asked for. */
static void fill_gaps(size_t count)
{
    static const header_field_info never = {.id = -1, .ref_type = HF_REF_TYPE_NONE};
    for (size_t number = 0; number < count; number++) {
        if (etl_shown_rows[number].info == NULL) {
            etl_shown_rows[number].info = &never;
        }
    }
}

bool etl_rows_are_referenced(const struct etl_layout *layout, size_t first_row)
{
    if (first_row >= layout->count) {
        return false;
    }
    const struct etl_field *last = &layout->fields[layout->count - 1];
    size_t first = layout->fields[first_row].number;
    return etl_any_referenced(first, last->number + etl_shown(last)->more + 1u - first);
}

void etl_fields_register(void)
{
    etl_layouts_start();
    size_t room = etl_field_count();
    struct gathering all = {
        .places = g_hash_table_new(g_str_hash, g_str_equal),
        .infos = g_new0(hf_register_info, room),
        .ids = g_new0(int, room),
        .names = g_new0(enum etl_names_id, room),
        .types = g_new0(enum etl_type, room),
        .place_of_number = g_new0(size_t, room),
    };
    for_each_row(&all, gather_row);
    for (size_t place = 0; place < all.count; place++) {
        give_strings(&all, place);
    }
    etl_protocol = proto_register_protocol("Event Trace Log", "ETL", "etl");
    proto_register_field_array(etl_protocol, all.infos, (int)all.count);
    register_subtrees();
    etl_shown_rows = g_new0(struct etl_shown, room);
    for_each_row(&all, show_row);
    fill_gaps(room);
    g_hash_table_destroy(all.places);
    g_free(all.names);
    g_free(all.types);
    g_free(all.place_of_number);
}
