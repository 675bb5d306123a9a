/*
 * A walk over a folder, in order of names, so that its output is the same everywhere.
 */
#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size > strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

static bool visit(const char *folder, const char *name,
                  bool (*each)(const char *path, void *context), void *context)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    struct stat about;
    if (path == NULL) {
        return false;
    }
    snprintf(path, size, "%s/%s", folder, name);
    bool good = true;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        good = folder_each_text(path, each, context);
    } else if (ends_with(name, ".txt")) {
        good = each(path, context);
    }
    free(path);
    return good;
}

bool folder_each_text(const char *folder, bool (*each)(const char *path, void *context),
                      void *context)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    bool good = count >= 0;
    if (!good) {
        perror(folder);
    }
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            good = visit(folder, entries[i]->d_name, each, context) && good;
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}
