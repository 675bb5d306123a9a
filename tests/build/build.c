/*
 * One build from text to file, and the words that change the file as a whole:
 *
 *   bytes : ...            raw bytes, where the next buffer would go
 *   patch OFFSET : ...     overwrite, when all else is done
 *   truncate SIZE          cut, then
 *   mangle FROM TO         replace every byte FROM by TO, as a copy in text mode does
 */
#include "build.h"
#include "builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_patch(struct builder *builder, struct statement *statement)
{
    struct patch *patch = arena_allocate(&builder->arena, sizeof *patch);
    patch->at = builder_number(builder, statement, builder_word(builder, statement, 1), NULL);
    patch->next = builder->patches;
    builder->patches = patch;
    builder_run_into(builder, statement->node->child, &patch->bytes);
}

static void run_mangle(struct builder *builder, struct statement *statement)
{
    const char *from = builder_word(builder, statement, 1);
    const char *to = builder_word(builder, statement, 2);
    builder->mangle_from = (int)(builder_number(builder, statement, from, NULL) & 0xff);
    builder->mangle_to = (int)(builder_number(builder, statement, to, NULL) & 0xff);
}

bool run_file(struct builder *builder, struct statement *statement)
{
    const char *word = statement->words[0];
    if (strcmp(word, "bytes") == 0) {
        builder_run_into(builder, statement->node->child, &builder->file);
    } else if (strcmp(word, "patch") == 0) {
        run_patch(builder, statement);
    } else if (strcmp(word, "truncate") == 0) {
        const char *size = builder_word(builder, statement, 1);
        builder->cut = (int64_t)builder_number(builder, statement, size, NULL);
    } else if (strcmp(word, "mangle") == 0) {
        run_mangle(builder, statement);
    } else {
        return false;
    }
    return true;
}

static void apply_patches(struct builder *builder, const struct script_node *place)
{
    struct blob *file = &builder->file;
    for (struct patch *patch = builder->patches; patch != NULL; patch = patch->next) {
        if (patch->at > file->size || patch->bytes.size > file->size - patch->at) {
            builder_fail(builder, place, "a patch lies outside of the file");
        } else if (patch->bytes.size > 0) {
            memcpy(file->data + patch->at, patch->bytes.data, patch->bytes.size);
        }
    }
    if (builder->cut >= 0 && (uint64_t)builder->cut < file->size) {
        file->size = (size_t)builder->cut;
    }
    for (size_t i = 0; builder->mangle_from >= 0 && i < file->size; i++) {
        if (file->data[i] == builder->mangle_from) {
            file->data[i] = (uint8_t)builder->mangle_to;
        }
    }
}

static void run_whole(struct builder *builder, const struct script_node *first)
{
    builder_run(builder, first);
    if (builder->failed) {
        return;
    }
    buffers_flush_all(builder);
    logfile_finish(builder);
    apply_patches(builder, first);
}

bool etl_build_text(const char *name, const char *text, size_t size, struct blob *ret_file,
                    char *error, size_t error_size)
{
    struct scope scope = {0};
    struct builder builder = {.error = error,
                              .error_size = error_size,
                              .scope = &scope,
                              .random = 0x9e3779b97f4a7c15,
                              .pointer_size = 8,
                              .cut = -1,
                              .mangle_from = -1};
    struct script_node *first = NULL;
    struct script_error problem = {0};
    builder.per_cpu = calloc(BUILDER_CPUS, sizeof *builder.per_cpu);
    const struct script_node start = {.file = name, .line = 1};
    if (builder.per_cpu == NULL) {
        builder_fail(&builder, &start, "out of memory");
    } else if (!script_parse(&builder.arena, name, text, size, &first, &problem)) {
        const struct script_node place = {.file = name, .line = problem.line};
        builder_fail(&builder, &place, "%s", problem.message);
    } else {
        run_whole(&builder, first);
    }
    for (struct patch *patch = builder.patches; patch != NULL; patch = patch->next) {
        blob_free(&patch->bytes);
    }
    buffers_free(&builder);
    blob_free(&builder.header.data);
    arena_free(&builder.arena);
    if (builder.failed) {
        blob_free(&builder.file);
    }
    *ret_file = builder.file;
    return !builder.failed;
}

bool etl_build_read(const char *path, struct blob *ret_content, char *error, size_t error_size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    char part[4096];
    struct blob content = {0};
    for (size_t size = fread(part, 1, sizeof part, file); size > 0;
         size = fread(part, 1, sizeof part, file)) {
        blob_put(&content, part, size);
    }
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) {
        snprintf(error, error_size, "%s: cannot be read", path);
        blob_free(&content);
    }
    *ret_content = content;
    return !failed;
}

bool etl_build_path(const char *path, struct blob *ret_file, char *error, size_t error_size)
{
    struct blob text = {0};
    *ret_file = (struct blob){0};
    if (!etl_build_read(path, &text, error, error_size)) {
        return false;
    }
    bool built = etl_build_text(path, text.data != NULL ? (const char *)text.data : "", text.size,
                                ret_file, error, error_size);
    blob_free(&text);
    return built;
}
