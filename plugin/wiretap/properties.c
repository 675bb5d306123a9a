/*
 * What only the events of a file tell of it as a whole: machine, build, who wrote events. Collected
 * while frames are read one after the other, and added to the section's comment at the end, where
 * capinfos and File Properties find it.
 */
#include "wiretap/reader.h"

#include "etl/hooks.h"
#include "etl/info.h"
#include "etl/keys.h"
#include "etl/providers.h"

/* A comment that somebody may want to read; what is more is counted. */
#define PROVIDERS_SHOWN_MAX 100
/* A hostile file shall not fill the memory. */
#define PROVIDERS_MAX 65536

struct etl_properties {
    uint8_t groups[ETL_GROUP_COUNT]; /* of kernel events: 1 for those that there are */
    GHashTable *providers;           /* set of struct etl_guid, owned */
    struct etl_guid last_provider;
    GString *machine; /* lines */
    unsigned seen;    /* of the rows below, by bit */
    bool names;       /* who wants no names gets none of the machine */
};

/* Fields of events that come once, or are the same each time. */
struct machine_row {
    uint16_t hookid;
    const char *label;
    const char *title;
    bool personal;
};

static const struct machine_row machine_rows[] = {
    {0x0042, "BuildString", "Build", false},
    {0x0B0A, "ComputerName", "Computer", true},
    {0x0B0A, "DomainName", "Domain", true},
    {0x0B0A, "MemSize", "Memory (MB)", false},
    {0x0B23, "ProcessorName", "Processor", false},
    {0x0B0D, "NICDescription", "Network card", false},
};

#define MACHINE_ROWS (sizeof machine_rows / sizeof machine_rows[0])

static guint hash_guid(gconstpointer key)
{
    const uint8_t *bytes = key;
    return etl_load_u32(bytes) ^ etl_load_u32(bytes + 4) ^ etl_load_u32(bytes + 12);
}

static gboolean equal_guids(gconstpointer a, gconstpointer b)
{
    return etl_guid_equal(a, b);
}

struct etl_properties *etl_properties_new(bool names)
{
    struct etl_properties *properties = g_new0(struct etl_properties, 1);
    properties->providers = g_hash_table_new_full(hash_guid, equal_guids, g_free, NULL);
    properties->machine = g_string_new(NULL);
    properties->names = names;
    return properties;
}

void etl_properties_free(struct etl_properties *properties)
{
    if (properties != NULL) {
        g_hash_table_destroy(properties->providers);
        g_string_free(properties->machine, TRUE);
        g_free(properties);
    }
}

struct collector {
    struct etl_sink sink; /* first: the core hands it back */
    struct etl_properties *properties;
    uint16_t hookid;
};

static void take(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct collector *collector = (struct collector *)sink;
    struct etl_properties *properties = collector->properties;
    char text[512];
    for (unsigned i = 0; i < MACHINE_ROWS; i++) {
        const struct machine_row *row = &machine_rows[i];
        if (row->hookid != collector->hookid || (properties->seen & 1u << i) != 0 ||
            strcmp(row->label, field->label) != 0 || (row->personal && !properties->names)) {
            continue;
        }
        if (etl_value_format(field, value, text, sizeof text) > 0) {
            properties->seen |= 1u << i;
            g_string_append_printf(properties->machine, "%s: %s\n", row->title, g_strstrip(text));
        }
    }
}

static void see_machine(struct etl_properties *properties, const struct etl_entry *entry)
{
    static const struct etl_sink functions = {
        .value = take, .begin = etl_ignore_begin, .end = etl_ignore_end, .note = etl_ignore_note};
    const struct etl_event *event = &entry->event;
    const struct etl_layout *layout = etl_layout_of_event(event);
    struct collector collector = {
        .sink = functions, .properties = properties, .hookid = event->hookid};
    const struct etl_decoder decoder = {.sink = &collector.sink,
                                        .clock = &entry->context->clock,
                                        .pointer_size = event->pointer_size};
    if (layout != NULL) {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    }
}

static void see_provider(struct etl_properties *properties, const struct etl_guid *provider)
{
    if (etl_guid_equal(provider, &properties->last_provider)) {
        return;
    }
    properties->last_provider = *provider;
    if (g_hash_table_size(properties->providers) < PROVIDERS_MAX &&
        !g_hash_table_contains(properties->providers, provider)) {
        g_hash_table_add(properties->providers, g_memdup2(provider, sizeof *provider));
    }
}

void etl_properties_see(struct etl_properties *properties, const struct etl_entry *entry)
{
    const struct etl_event *event = &entry->event;
    if (event->has_hook) {
        uint8_t group = (uint8_t)(event->hookid >> 8);
        if (group < ETL_GROUP_COUNT) {
            properties->groups[group] = 1;
        }
        if (group == 0x00 || group == 0x0B) {
            see_machine(properties, entry);
        }
    } else if (event->has_provider) {
        see_provider(properties, &event->provider);
    }
}

static char *name_of(const struct etl_keys *keys, const struct etl_guid *provider)
{
    struct etl_span name;
    char text[ETL_GUID_TEXT_SIZE];
    if (etl_keys_provider_name(keys, provider, &name) && name.size > 0) {
        char *copy = g_strndup((const char *)name.at, name.size);
        char *valid = g_utf8_make_valid(copy, -1);
        g_free(copy);
        return valid;
    }
    etl_guid_format(provider, text);
    const char *known = etl_provider_name(provider);
    return g_strdup(known != NULL ? known : text);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void append_providers(GString *text, const struct etl_properties *properties,
                             const struct etl_keys *keys)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GHashTableIter iterator;
    gpointer provider;
    g_hash_table_iter_init(&iterator, properties->providers);
    while (g_hash_table_iter_next(&iterator, &provider, NULL)) {
        g_ptr_array_add(names, name_of(keys, provider));
    }
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len && i < PROVIDERS_SHOWN_MAX; i++) {
        g_string_append_printf(text, "%s%s", i == 0 ? "Providers: " : ", ",
                               (const char *)g_ptr_array_index(names, i));
    }
    if (names->len > PROVIDERS_SHOWN_MAX) {
        g_string_append_printf(text, " and %u more", names->len - PROVIDERS_SHOWN_MAX);
    }
    g_string_append(text, names->len > 0 ? "\n" : "");
    g_ptr_array_free(names, TRUE);
}

static void append_groups(GString *text, const struct etl_properties *properties)
{
    const char *before = "Kernel events: ";
    for (unsigned i = 0; i < ETL_GROUP_COUNT; i++) {
        const struct etl_group *group = etl_group_find((uint8_t)i);
        if (properties->groups[i] != 0 && group != NULL) {
            g_string_append_printf(text, "%s%s", before, group->class_name);
            before = ", ";
        }
    }
}

/* A second comment: the first one is there from the beginning on. */
void etl_properties_finish(struct wtap *wth, const struct etl_properties *properties,
                           const struct etl_keys *keys)
{
    if (wth->shb_hdrs == NULL || wth->shb_hdrs->len == 0) {
        return;
    }
    GString *text = g_string_new(properties->machine->str);
    append_providers(text, properties, keys);
    append_groups(text, properties);
    if (text->len > 0 && text->str[text->len - 1] == '\n') {
        g_string_truncate(text, text->len - 1);
    }
    if (text->len > 0) {
        wtap_block_add_string_option(g_array_index(wth->shb_hdrs, wtap_block_t, 0), OPT_COMMENT,
                                     text->str, text->len);
    }
    g_string_free(text, TRUE);
}
