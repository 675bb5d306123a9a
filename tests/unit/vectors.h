/*
 * The table of byte vectors that other authors' tests have: comma-separated values, a heading and
 * one row each. It is no part of the project and may not be there.
 */
#ifndef ETL_TESTS_VECTORS_H
#define ETL_TESTS_VECTORS_H

#include "files.h"

#include <stdbool.h>

enum vector_column { NAME, TYPE, HEX, EXPECTED, COLUMN_COUNT };

struct vector {
    const char *columns[COLUMN_COUNT]; /* borrowed from the text; "" where a row is short */
};

/* Takes a cell, quoted or not, in place; *ret_last says that its line ends with it. */
static inline char *vectors_cell(char **text, bool *ret_last)
{
    char *from = *text;
    bool quoted = *from == '"';
    from += quoted;
    char *cell = from;
    char *to = from;
    while (*from != '\0') {
        if (quoted && from[0] == '"' && from[1] == '"') {
            from++;
        } else if (quoted && *from == '"') {
            quoted = false;
            from++;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\n')) {
            break;
        }
        *to++ = *from++;
    }
    *ret_last = *from != ',';
    *text = *from != '\0' ? from + 1 : from;
    *to = '\0';
    return cell;
}

static inline bool vectors_next(char **text, struct vector *ret_vector)
{
    bool last = **text == '\0';
    if (last) {
        return false;
    }
    *ret_vector = (struct vector){{"", "", "", ""}};
    for (size_t i = 0; !last; i++) {
        const char *cell = vectors_cell(text, &last);
        if (i < COLUMN_COUNT) {
            ret_vector->columns[i] = cell;
        }
    }
    return true;
}

/* The table, owned by the caller; NULL, and a word about it, where there is none. */
static inline char *vectors_read(void)
{
    char path[4096];
    size_t size;
    files_shared_path("data/vectors.csv", path, sizeof path);
    char *text = (char *)files_read(path, &size);
    if (text == NULL) {
        printf("skipped: no vectors.csv ");
    }
    return text;
}

static inline uint8_t *vectors_bytes(const char *hex, size_t *ret_size)
{
    size_t size = strlen(hex) / 2;
    uint8_t *bytes = unit_room(size);
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        CU_ASSERT_EQUAL(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    *ret_size = size;
    return bytes;
}

#endif
