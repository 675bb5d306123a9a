/* Captures named by what once went wrong: how many events of each come, and what is said of the rest. */
#include "etl/file.h"

#include "files.h"
#include "read_trace.h"

#include <dirent.h>

struct expected {
    const char *name;
    size_t events;
    enum etl_note note; /* of one of its events, completed by this: */
    const char *detail;
};

static const struct expected rows[] = {
    {"events-of-last-use", 3, ETL_NOTE_DAMAGED_AFTER, "56 bytes of buffer 1"},
    {"expands-without-end", 1, ETL_NOTE_EXPANSION, ""},
    {"gap-at-the-start", 4, ETL_NOTE_DAMAGED_BEFORE, "24 bytes of buffer 1"},
    {"holes-without-end", 132, ETL_NOTE_DAMAGED_AFTER, "656 bytes of buffer 1"},
    {"interfaces-without-end", 1026, ETL_NOTE_LIMIT, "network interfaces"},
    {"packed-empty-first", 2, ETL_NOTE_SKIPPED_BYTES, "184"},
};

static void expect(const struct expected *row)
{
    char path[500];
    size_t size;
    size_t count = 0;
    bool noted = false;
    struct etl_entry entry;
    snprintf(path, sizeof path, "%s/captures/regressions/%s.etl", ETL_SOURCE_DIR, row->name);
    uint8_t *capture = files_read(path, &size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(capture);
    struct etl_file *file = open_bytes(capture, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (; etl_file_next(file, &entry) == ETL_OK; count++) {
        noted = noted || has_note(&entry, row->note, row->detail);
    }
    if (count != row->events || !noted) {
        printf("\n  %s: %zu events, %s", row->name, count, noted ? "noted" : "not noted");
    }
    CU_ASSERT_TRUE(count == row->events && noted);
    etl_file_close(file);
    free(capture);
}

static void test_all(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect(&rows[i]);
    }
}

/* Whoever adds a capture says what is expected of it. */
static void test_complete(void)
{
    DIR *folder = opendir(ETL_SOURCE_DIR "/captures/regressions");
    size_t count = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        count += strstr(entry->d_name, ".etl") != NULL;
    }
    closedir(folder);
    CU_ASSERT_EQUAL(count, sizeof rows / sizeof rows[0]);
}

UNIT_SUITE("regressions", {"of every capture comes what can come, and the rest is said", test_all},
           {"every capture is in the list", test_complete})
