/* Each file is looked for once, and kept, or that it is not there. */
#include "epan/symbols.h"

#include "etl/symbols.h"

#include <glib/gstdio.h>

/* Modules that are looked for: frames that name more are made up. */
#define MODULES_MAX 4096

/* Bytes of a file, and of all: those of the kernel have 10 MB, of a browser 500. */
#define FILE_MAX  ((gsize)1 << 30)
#define TOTAL_MAX ((gsize)2 << 30)

#define NAME_SIZE 256

const char *etl_symbols_folder;
static GHashTable *modules; /* "name/id" -> struct etl_symbols, or NULL */
static gsize total;

static void free_symbols(gpointer symbols)
{
    etl_symbols_free(symbols);
}

void etl_symbols_reset(void)
{
    g_clear_pointer(&modules, g_hash_table_destroy);
    total = 0;
}

/* A name from a frame becomes part of a path: nothing in it may lead elsewhere. */
static bool take_name(struct etl_span text, char name[NAME_SIZE])
{
    if (text.size == 0 || text.size >= NAME_SIZE || text.at[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        bool harmless = g_ascii_isalnum(text.at[i]) ||
                        (text.at[i] != '\0' && strchr("._-+() ", text.at[i]) != NULL);
        if (!harmless) {
            return false;
        }
    }
    memcpy(name, text.at, text.size);
    name[text.size] = '\0';
    return true;
}

static struct etl_symbols *read_symbols(const char *name, const char *id)
{
    const char *dot = strrchr(name, '.');
    bool pdb = dot != NULL && g_ascii_strcasecmp(dot, ".pdb") == 0;
    char *file = g_strdup_printf("%.*s.sym", pdb ? (int)(dot - name) : (int)strlen(name), name);
    char *path = g_build_filename(etl_symbols_folder, name, id, file, NULL);
    struct etl_symbols *symbols = NULL;
    GStatBuf facts;
    char *text = NULL;
    gsize size = 0;
    bool readable = g_stat(path, &facts) == 0 && (gsize)facts.st_size <= FILE_MAX &&
                    total + (gsize)facts.st_size <= TOTAL_MAX &&
                    g_file_test(path, G_FILE_TEST_IS_REGULAR) &&
                    g_file_get_contents(path, &text, &size, NULL);
    if (readable) {
        total += size;
        symbols = etl_symbols_parse(text, size, id);
        g_free(text);
    }
    g_free(path);
    g_free(file);
    return symbols;
}

static const struct etl_symbols *find_symbols(const struct etl_record_image *image)
{
    char name[NAME_SIZE];
    char id[ETL_SYMBOLS_ID_SIZE];
    if (!take_name(image->pdb_name, name)) {
        return NULL;
    }
    if (modules == NULL) {
        modules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_symbols);
    }
    etl_symbols_id(&image->pdb_id, image->pdb_age, id);
    char *key = g_strconcat(name, "/", id, NULL);
    gpointer symbols = NULL;
    if (g_hash_table_lookup_extended(modules, key, NULL, &symbols)) {
        g_free(key);
    } else if (g_hash_table_size(modules) < MODULES_MAX) {
        symbols = read_symbols(name, id);
        g_hash_table_insert(modules, key, symbols);
    } else {
        g_free(key);
    }
    return symbols;
}

const char *etl_symbols_function(const struct etl_record_image *image, uint64_t offset,
                                 uint64_t *ret_into)
{
    bool wanted = etl_symbols_folder != NULL && etl_symbols_folder[0] != '\0';
    const struct etl_symbols *symbols = wanted ? find_symbols(image) : NULL;
    return symbols != NULL ? etl_symbols_find(symbols, offset, ret_into) : NULL;
}
