/*
 * For each field all pairs that its maps have, and the table that Wireshark reads, made anew when a
 * pair comes. Texts and tables are kept until the program ends.
 */
#include "epan/value_names.h"

#include "epan/fields.h"

/* Pairs of one field: PktMon's drop reasons are 400. */
#define PAIRS_MAX 4096

struct pair {
    uint32_t value;
    const char *name; /* interned: equal texts are one pointer */
};

static GHashTable *pairs_of_field; /* number of a field -> GArray of struct pair */

static GArray *pairs_of(size_t number)
{
    if (pairs_of_field == NULL) {
        pairs_of_field = g_hash_table_new(NULL, NULL);
    }
    GArray *pairs = g_hash_table_lookup(pairs_of_field, GSIZE_TO_POINTER(number));
    if (pairs == NULL) {
        pairs = g_array_new(FALSE, FALSE, sizeof(struct pair));
        g_hash_table_insert(pairs_of_field, GSIZE_TO_POINTER(number), pairs);
    }
    return pairs;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left;
    const struct pair *b = right;
    if (a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

/* True if it is new. */
static bool add_pair(GArray *pairs, struct pair pair)
{
    guint low = 0;
    guint high = pairs->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (compare_pairs(&g_array_index(pairs, struct pair, middle), &pair) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool known = low < pairs->len &&
                 compare_pairs(&g_array_index(pairs, struct pair, low), &pair) == 0;
    if (known || pairs->len >= PAIRS_MAX) {
        return false;
    }
    g_array_insert_val(pairs, low, pair);
    return true;
}

/* The pairs whose value has no other name and whose name has no other value. */
static const value_string *make_table(const GArray *pairs)
{
    GHashTable *uses = g_hash_table_new(NULL, NULL); /* of names */
    value_string *table = g_new0(value_string, pairs->len + 1);
    const struct pair *all = (const struct pair *)(const void *)pairs->data;
    size_t count = 0;
    for (guint i = 0; i < pairs->len; i++) {
        gpointer name = (gpointer)all[i].name;
        gpointer before = g_hash_table_lookup(uses, name);
        g_hash_table_insert(uses, name, GUINT_TO_POINTER(GPOINTER_TO_UINT(before) + 1));
    }
    for (guint i = 0; i < pairs->len; i++) {
        bool again = (i > 0 && all[i - 1].value == all[i].value) ||
                     (i + 1 < pairs->len && all[i + 1].value == all[i].value);
        if (!again && GPOINTER_TO_UINT(g_hash_table_lookup(uses, all[i].name)) == 1) {
            table[count++] = (value_string){all[i].value, all[i].name};
        }
    }
    g_hash_table_destroy(uses);
    return table;
}

static bool takes_names(const struct etl_shown *shown)
{
    enum ftenum type = shown->info->type;
    bool number = (type >= FT_UINT8 && type <= FT_UINT32) || (type >= FT_INT8 && type <= FT_INT32);
    return number && (shown->info->strings == NULL || shown->mapped);
}

void etl_value_names_add(size_t number, const struct etl_names *map)
{
    struct etl_shown *shown = &etl_shown_rows[number];
    if (map->kind != ETL_NAMES_VALUES || !takes_names(shown)) {
        return;
    }
    GArray *pairs = pairs_of(number);
    bool changed = false;
    for (size_t i = 0; i < map->count; i++) {
        const char *name = g_intern_string(map->rows[i].text);
        changed |= name[0] != '\0' &&
                   add_pair(pairs, (struct pair){(uint32_t)map->rows[i].value, name});
    }
    if (changed) {
        header_field_info *info = (header_field_info *)shown->info; /* its memory is ours */
        info->strings = make_table(pairs);
        shown->mapped = true;
    }
}
