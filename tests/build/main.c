/*
 * etlbuild TEXT OUT.etl       builds one trace from its text
 * etlbuild --all FOLDER       builds FOLDER/NAME.etl from every FOLDER/NAME.txt, folders below too
 */
#include "build.h"
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_file(const char *path, const struct blob *content)
{
    FILE *file = fopen(path, "wb");
    bool written = file != NULL &&
                   (content->size == 0 || fwrite(content->data, content->size, 1, file) == 1);
    if (file != NULL && fclose(file) != 0) {
        written = false;
    }
    if (!written) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    }
    return written;
}

static bool build(const char *text, const char *out)
{
    struct blob file = {0};
    char error[1024];
    bool built = etl_build_path(text, &file, error, sizeof error);
    if (!built) {
        fprintf(stderr, "%s\n", error);
    } else {
        built = write_file(out, &file);
    }
    blob_free(&file);
    return built;
}

static bool build_beside(const char *text, void *unused)
{
    (void)unused;
    size_t stem = strlen(text) - strlen(".txt");
    char *out = malloc(stem + sizeof ".etl");
    if (out == NULL) {
        return false;
    }
    memcpy(out, text, stem);
    memcpy(out + stem, ".etl", sizeof ".etl");
    bool built = build(text, out);
    free(out);
    return built;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--all") == 0) {
        return folder_each_text(argv[2], build_beside, NULL) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (argc == 3) {
        return build(argv[1], argv[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    fputs("usage: etlbuild TEXT OUT.etl\n       etlbuild --all FOLDER\n", stderr);
    return EXIT_FAILURE;
}
