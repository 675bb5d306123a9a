/* A whole file in memory, for programs without a test framework. */
#ifndef ETL_TESTS_WHOLE_FILE_H
#define ETL_TESTS_WHOLE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Owned by the caller; NULL where it cannot be read. */
static inline uint8_t *read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *ret_size = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*ret_size + 1);
        if (bytes != NULL && fread(bytes, 1, *ret_size, file) != *ret_size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

#endif
