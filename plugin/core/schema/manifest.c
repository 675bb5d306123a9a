/*
 * The rows of a manifest: room for them, and who is called what.
 */
#include "core/schema/manifest_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE      ((size_t)64 << 10)
#define STANDARD_PREFIX "win:"
#define STRING_PREFIX   "$(string."

struct etl_manifest_block {
    struct etl_manifest_block *next; /* owned */
    size_t used;
    size_t room;
    uint8_t bytes[];
};

void *etl_manifest_add_row(struct etl_manifest_array *array, size_t size, size_t limit)
{
    if (array->count >= limit) {
        return NULL;
    }
    if (array->count == array->room) {
        size_t room = array->room > 0 ? array->room * 2 : 32;
        void *grown = realloc(array->rows, room * size);
        if (grown == NULL) {
            return NULL;
        }
        array->rows = grown;
        array->room = room;
    }
    uint8_t *row = (uint8_t *)array->rows + array->count++ * size;
    memset(row, 0, size);
    return row;
}

void *etl_manifest_keep(struct etl_manifest *manifest, size_t size)
{
    struct etl_manifest_block *block = manifest->blocks;
    if (block == NULL || block->room - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        if (room > ETL_MANIFEST_TEXTS_MAX - manifest->block_bytes) {
            return NULL;
        }
        block = malloc(sizeof *block + room);
        if (block == NULL) {
            return NULL;
        }
        *block = (struct etl_manifest_block){.next = manifest->blocks, .room = room};
        manifest->blocks = block;
        manifest->block_bytes += room;
    }
    void *kept = block->bytes + block->used;
    block->used += size;
    return kept;
}

void etl_manifest_add_problem(struct etl_manifest *manifest, unsigned line, const char *format, ...)
{
    if (manifest->problem_count++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it overlooks va_start */
        vsnprintf(manifest->problem, sizeof manifest->problem, format, arguments);
        va_end(arguments);
        manifest->problem_line = line;
    }
}

bool etl_manifest_number(const char *text, uint64_t *ret_number)
{
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    digits += hexadecimal ? 2 : 0;
    size_t length = strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
    if (length == 0 || length > (hexadecimal ? 16U : 19U) || digits[length] != '\0') {
        return false;
    }
    uint64_t number = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    *ret_number = negative ? 0 - number : number;
    return true;
}

struct etl_manifest *etl_manifest_new(void)
{
    struct etl_manifest *manifest = calloc(1, sizeof *manifest);
    if (manifest != NULL) {
        manifest->reader = etl_manifest_reader_new(manifest);
        if (manifest->reader == NULL) {
            free(manifest);
            manifest = NULL;
        }
    }
    return manifest;
}

void etl_manifest_free(struct etl_manifest *manifest)
{
    if (manifest == NULL) {
        return;
    }
    etl_manifest_reader_free(manifest->reader);
    for (struct etl_manifest_block *block = manifest->blocks; block != NULL;) {
        struct etl_manifest_block *next = block->next;
        free(block);
        block = next;
    }
    free(manifest->providers.rows);
    free(manifest->names.rows);
    free(manifest->templates.rows);
    free(manifest->fields.rows);
    free(manifest->maps.rows);
    free(manifest->entries.rows);
    free(manifest->events.rows);
    free(manifest);
}

bool etl_manifest_feed(struct etl_manifest *manifest, const void *bytes, size_t size)
{
    return manifest->reader != NULL &&
           (size == 0 || etl_manifest_reader_feed(manifest->reader, bytes, size, false));
}

/* By scope, kind and task; those of one name in the order in which they count. */
static int compare_names(const struct etl_manifest_name *a, const struct etl_manifest_name *b)
{
    if (a->scope != b->scope) {
        return a->scope < b->scope ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static int compare_rows(const void *left, const void *right)
{
    const struct etl_manifest_name *a = left;
    const struct etl_manifest_name *b = right;
    int order = compare_names(a, b);
    if (order == 0 && a->kind == ETL_MANIFEST_STRING && a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

bool etl_manifest_close(struct etl_manifest *manifest)
{
    if (manifest->reader != NULL) {
        manifest->whole = etl_manifest_reader_feed(manifest->reader, NULL, 0, true);
        etl_manifest_reader_free(manifest->reader);
        manifest->reader = NULL;
        if (manifest->names.count > 0) {
            qsort(manifest->names.rows, manifest->names.count, sizeof(struct etl_manifest_name),
                  compare_rows);
        }
    }
    return manifest->whole;
}

const char *etl_manifest_problem(const struct etl_manifest *manifest, unsigned *ret_line,
                                 size_t *ret_count)
{
    *ret_line = manifest->problem_line;
    *ret_count = manifest->problem_count;
    return manifest->problem_count > 0 ? manifest->problem : NULL;
}

const char *etl_manifest_provider(const struct etl_manifest *manifest, size_t number,
                                  struct etl_guid *ret_guid)
{
    const struct etl_manifest_provider_row *rows = manifest->providers.rows;
    if (number >= manifest->providers.count) {
        return NULL;
    }
    *ret_guid = rows[number].guid;
    return rows[number].name;
}

const struct etl_manifest_name *etl_manifest_look_up(const struct etl_manifest *manifest,
                                                     const struct etl_manifest_name *key)
{
    const struct etl_manifest_name *rows = manifest->names.rows;
    size_t low = 0;
    size_t high = manifest->names.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_names(&rows[middle], key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < manifest->names.count && compare_names(&rows[low], key) == 0 ? &rows[low] : NULL;
}

const struct etl_manifest_name *etl_manifest_find(const struct etl_manifest *manifest,
                                                  uint32_t provider, enum etl_manifest_kind kind,
                                                  const char *name)
{
    const struct etl_manifest_name key = {
        .name = name, .scope = provider + 1, .kind = (uint8_t)kind};
    return name[0] != '\0' ? etl_manifest_look_up(manifest, &key) : NULL;
}

const char *etl_manifest_resolve(const struct etl_manifest *manifest, const char *message)
{
    char id[256];
    size_t prefix = strlen(STRING_PREFIX);
    size_t length = strnlen(message, prefix + sizeof id + 1); /* texts have no limit of their own */
    if (strncmp(message, "$(", 2) != 0) {
        return message;
    }
    if (strncmp(message, STRING_PREFIX, prefix) != 0 || message[length - 1] != ')' ||
        length - prefix - 1 >= sizeof id) {
        return "";
    }
    memcpy(id, message + prefix, length - prefix - 1);
    id[length - prefix - 1] = '\0';
    const struct etl_manifest_name key = {.name = id, .kind = ETL_MANIFEST_STRING};
    const struct etl_manifest_name *row = etl_manifest_look_up(manifest, &key);
    return row != NULL ? row->message : "";
}

const char *etl_manifest_shown_name(const struct etl_manifest *manifest,
                                    const struct etl_manifest_name *row, const char *name)
{
    const char *message = row != NULL ? etl_manifest_resolve(manifest, row->message) : "";
    size_t prefix = strlen(STANDARD_PREFIX);
    if (message[0] != '\0') {
        return message;
    }
    return strncmp(name, STANDARD_PREFIX, prefix) == 0 ? name + prefix : name;
}

size_t etl_manifest_clip(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length > most) {
        length = most;
        while (length > 0 && ((uint8_t)text[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    return length;
}
