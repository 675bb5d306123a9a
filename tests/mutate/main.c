/*
 * Writes damaged copies of captures:
 *
 *     mutate COUNT SEED FOLDER FILE...
 *
 * The same seed makes the same copies. Each has a few changes.
 */
#include "mutate.h"

#include "../damage/whole_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_MAX 8

/* What a trace may grow by. */
#define MORE ((size_t)1 << 16)

static struct etl_mutator mutator;

/* Some bytes overwritten, or only one. */
static size_t change_bytes(uint8_t *data, size_t size, size_t room)
{
    (void)room;
    size_t at = size > 0 ? etl_mutator_random(&mutator) % size : 0;
    size_t most = etl_mutator_random(&mutator) % 4 == 0 ? etl_mutator_random(&mutator) % 600 : 1;
    uint8_t value = (uint8_t)etl_mutator_random(&mutator);
    for (size_t i = at; i < size && i - at < most; i++) {
        data[i] = value;
    }
    return size;
}

static bool write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    return (file == NULL || fclose(file) == 0) && good;
}

static bool write_mutated(const char *path, const char *folder, unsigned number)
{
    char to[4096];
    const char *slash = strrchr(path, '/');
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    uint8_t *room = bytes != NULL ? malloc(size + MORE) : NULL;
    if (room == NULL) {
        free(bytes);
        return false;
    }
    size_t changed = size;
    memcpy(room, bytes, size);
    for (unsigned i = 1 + (unsigned)(etl_mutator_random(&mutator) % CHANGES_MAX); i > 0; i--) {
        changed = etl_mutate_trace(&mutator, room, changed, size + MORE);
    }
    snprintf(to, sizeof to, "%s/%03u-%s", folder, number, slash != NULL ? slash + 1 : path);
    bool good = write_file(to, room, changed);
    free(room);
    free(bytes);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: mutate COUNT SEED FOLDER FILE...\n");
        return 2;
    }
    unsigned count = (unsigned)strtoul(argv[1], NULL, 10);
    mutator = (struct etl_mutator){.random = strtoull(argv[2], NULL, 10) * 2 + 1,
                                   .change_bytes = change_bytes};
    for (unsigned i = 0; i < count; i++) {
        const char *path = argv[4 + i % (unsigned)(argc - 4)];
        if (!write_mutated(path, argv[3], i)) {
            fprintf(stderr, "%s: cannot be read, or its copy written\n", path);
            return 1;
        }
    }
    return 0;
}
