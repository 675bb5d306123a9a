/*
 * All files are read into one set, each as an origin of its own: of two that describe one event the
 * first counts. What was made of a list of files is kept when another list takes its place, since
 * Wireshark points into it.
 */
#include "epan/user_schemas.h"

#include "epan/described_fields.h"
#include "epan/schema_files.h"

#include <epan/packet.h>
#include <wsutil/report_message.h>

#define FILES_MAX 4096

const char *etl_user_schemas_paths = "";

/* What was read; all of it stays. */
struct loaded {
    char *paths;                /* owned */
    struct etl_budget budget;   /* of the set */
    struct etl_schema_set *set; /* owned; NULL: nothing */
    GPtrArray *files;           /* of names, by origin */
    GHashTable *schemas;        /* by their packed rows in the set */
    GHashTable *older;          /* the same, where they stand in for a later version */
};

static struct loaded loaded;

static bool is_readable_name(const char *name)
{
    static const char *const extensions[] = {".man", ".xml", ".etl", ".pcapng"};
    for (size_t i = 0; i < G_N_ELEMENTS(extensions); i++) {
        size_t length = strlen(extensions[i]);
        size_t size = strlen(name);
        if (size > length && g_ascii_strcasecmp(name + size - length, extensions[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Those of a folder, in the order of their names, which is the same on every machine. */
static void add_folder(GPtrArray *files, const char *folder)
{
    GDir *directory = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new();
    const char *name;
    while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
        if (is_readable_name(name)) {
            g_ptr_array_add(names, g_build_filename(folder, name, NULL));
        }
    }
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        g_ptr_array_add(files, names->pdata[i]);
    }
    g_ptr_array_free(names, TRUE);
    if (directory != NULL) {
        g_dir_close(directory);
    }
}

static GPtrArray *list_files(const char *paths)
{
    GPtrArray *files = g_ptr_array_new();
    char **parts = g_strsplit(paths, G_SEARCHPATH_SEPARATOR_S, -1);
    for (char **part = parts; *part != NULL; part++) {
        const char *path = g_strstrip(*part);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            add_folder(files, path);
        } else if (path[0] != '\0') {
            g_ptr_array_add(files, g_strdup(path));
        }
    }
    g_strfreev(parts);
    return files;
}

/* A schema of the set's; NULL when its fields cannot be registered. */
static struct etl_schema *make_schema(const struct etl_schema_key *key, struct etl_span packed,
                                      bool older)
{
    struct etl_schema *schema = etl_schema_unpack(packed);
    if (schema == NULL) {
        return NULL;
    }
    schema->source = older ? ETL_SCHEMA_USER_OLDER : ETL_SCHEMA_USER;
    schema->file = loaded.files->pdata[key->origin];
    schema->version = key->version;
    if (!etl_described_fields_register(schema, &key->provider,
                                       schema->texts[ETL_SCHEMA_PROVIDER])) {
        etl_schema_free(schema);
        return NULL;
    }
    return schema;
}

/* Nothing is left out silently: fields have a limit, and one name has one kind. */
static void make_schemas(void)
{
    struct etl_schema_key key;
    struct etl_span packed;
    size_t unnamed = 0;
    for (size_t i = 0; i < etl_schema_set_count(loaded.set); i++) {
        etl_schema_set_get(loaded.set, i, &key, &packed);
        struct etl_schema *schema = make_schema(&key, packed, false);
        if (schema != NULL) {
            g_hash_table_insert(loaded.schemas, (gpointer)packed.at, schema);
        }
        unnamed += schema == NULL;
    }
    if (unnamed > 0) {
        report_warning(
            "etl: %zu descriptions of events are not used: more fields than can be named", unnamed);
    }
}

void etl_user_schemas_ensure(void)
{
    const char *environment = g_getenv("ETL_SCHEMAS");
    const char *paths = etl_user_schemas_paths;
    if (paths == NULL || paths[0] == '\0') {
        paths = environment != NULL ? environment : "";
    }
    if (g_strcmp0(paths, loaded.paths) == 0 || (paths[0] == '\0' && loaded.paths == NULL)) {
        return;
    }
    loaded.paths = g_strdup(paths);
    loaded.files = list_files(paths);
    loaded.budget = etl_schema_files_budget();
    loaded.set = etl_schema_set_new(&loaded.budget);
    loaded.schemas = g_hash_table_new(NULL, NULL);
    loaded.older = g_hash_table_new(NULL, NULL);
    for (guint i = 0; loaded.set != NULL && i < loaded.files->len && i < FILES_MAX; i++) {
        etl_schema_file_read(loaded.files->pdata[i], (uint16_t)i, loaded.set);
    }
    if (loaded.files->len > FILES_MAX) {
        report_warning("etl: of %u files only %d are read", loaded.files->len, FILES_MAX);
    }
    if (loaded.budget.met) {
        report_warning("etl: descriptions are left out that do not fit into etl.%s",
                       etl_limit_rows[ETL_LIMIT_SCHEMAS].preference);
    }
    if (loaded.set != NULL) {
        etl_schema_set_settle(loaded.set);
        make_schemas();
    }
}

void etl_user_schemas_register(void)
{
    register_init_routine(etl_user_schemas_ensure);
}

/* One that stands in for a later version of its event. */
static struct etl_schema *older_schema(const struct etl_schema_key *event, uint8_t version,
                                       struct etl_span packed)
{
    gpointer schema = NULL;
    struct etl_schema_key key = *event;
    if (!g_hash_table_lookup_extended(loaded.older, packed.at, NULL, &schema)) {
        const struct etl_schema *exact = g_hash_table_lookup(loaded.schemas, packed.at);
        key.version = version;
        schema = exact != NULL ? make_schema(&key, packed, true) : NULL;
        if (schema != NULL) {
            ((struct etl_schema *)schema)->file = exact->file;
        }
        g_hash_table_insert(loaded.older, (gpointer)packed.at, schema);
    }
    return schema;
}

bool etl_user_schemas_find(struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_span packed;
    uint8_t version;
    if (loaded.set == NULL || etl_schema_set_count(loaded.set) == 0) {
        return false;
    }
    const struct etl_schema_key key = {.provider = event->provider,
                                       .id = event->id,
                                       .version = (uint8_t)event->version,
                                       .opcode = event->opcode};
    if (etl_schema_set_find(loaded.set, &key, &packed)) {
        packed.at += ETL_SCHEMA_HASH_SIZE;
        record->schema = g_hash_table_lookup(loaded.schemas, packed.at);
    } else if (etl_schema_set_find_older(loaded.set, &key, &packed, &version)) {
        packed.at += ETL_SCHEMA_HASH_SIZE;
        packed.size -= ETL_SCHEMA_HASH_SIZE;
        record->schema = older_schema(&key, version, packed);
    }
    return record->schema != NULL;
}
