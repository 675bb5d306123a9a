/*
 * Files that suites read: whole ones, and where those are that are no part of the project.
 */
#ifndef ETL_TESTS_FILES_H
#define ETL_TESTS_FILES_H

#include "unit.h"

/* Where data lies that is no part of the project; it may not be there. */
static inline void files_shared_path(const char *name, char *room, size_t size)
{
    const char *shared = getenv("ETL_SHARED");
    snprintf(room, size, "%s/%s", shared != NULL ? shared : ETL_SOURCE_DIR "/../shared", name);
}

/* A whole file, owned by the caller, with a zero after it; NULL where there is none. */
static inline uint8_t *files_read(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    *ret_size = 0;
    if (file == NULL) {
        return NULL;
    }
    CU_ASSERT_EQUAL_FATAL(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    CU_ASSERT_TRUE_FATAL(size >= 0);
    rewind(file);
    uint8_t *bytes = calloc(1, (size_t)size + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    CU_ASSERT_EQUAL_FATAL(fread(bytes, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    *ret_size = (size_t)size;
    return bytes;
}

#endif
