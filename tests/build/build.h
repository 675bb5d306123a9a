/*
 * Builds a trace file from its readable description. ../../captures/LANGUAGE.md has the words.
 *
 * Knows nothing of the reader in plugin/core: a mistake made on one side is not made on both.
 */
#ifndef ETLBUILD_BUILD_H
#define ETLBUILD_BUILD_H

#include "blob.h"

#include <stdbool.h>

/*
 * Builds the file described in the file `path` into `*ret_file`, which the caller frees with
 * blob_free(). False: `error` holds "file:line: what is wrong", and `*ret_file` is empty.
 */
bool etl_build_path(const char *path, struct blob *ret_file, char *error, size_t error_size);

/* The same for a text in memory; `name` is used in messages, and its folder for `include`. */
bool etl_build_text(const char *name, const char *text, size_t size, struct blob *ret_file,
                    char *error, size_t error_size);

/* Reads a whole file, or says in `error` why it cannot be read. */
bool etl_build_read(const char *path, struct blob *ret_content, char *error, size_t error_size);

#endif
