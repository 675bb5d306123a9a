/*
 * Every event of every capture goes through everything that the core can do with one, as it is and with its payload
 * cut at each of its last bytes.
 */
#include "use_entry.h"

#include "files.h"
#include "read_trace.h"

#include <dirent.h>

/* Payloads of kernel events are short, and what is cut off ends in a few ways. */
#define CUTS_MAX 24

static uint8_t room[ETL_RECORD_SIZE_MAX];

static void use(struct etl_file *file, const struct etl_entry *entry)
{
    const struct etl_record_options options = {0};
    struct etl_record record;
    const struct etl_traffic *traffic = etl_keys_known_traffic(etl_file_keys(file));
    size_t size = etl_record_pack(entry, etl_file_keys(file), &options, room);
    CU_ASSERT_TRUE_FATAL(etl_record_unpack(room, size, &record));
    use_record(&record, traffic);
    for (size_t i = 0; i < CUTS_MAX && record.event.payload.size > 0; i++) {
        record.event.payload.size--;
        use_record(&record, traffic);
    }
}

static size_t use_all(const char *path)
{
    size_t size;
    size_t count = 0;
    struct etl_entry entry;
    uint8_t *capture = files_read(path, &size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(capture);
    struct etl_file *file = open_bytes(capture, size);
    if (file != NULL) {
        while (etl_file_next(file, &entry) == ETL_OK) {
            use(file, &entry);
            count++;
        }
        struct etl_keys_size sizes[ETL_KEYS_SIZES];
        etl_keys_measure(etl_file_keys(file), sizes);
        CU_ASSERT_TRUE(sizes[0].what != NULL);
        etl_file_close(file);
    }
    free(capture);
    return count;
}

static size_t use_folder(const char *name)
{
    char path[500];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", ETL_SOURCE_DIR, name);
    DIR *folder = opendir(path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".etl") != NULL) {
            snprintf(path, sizeof path, "%s/%s/%s", ETL_SOURCE_DIR, name, entry->d_name);
            count += use_all(path);
        }
    }
    closedir(folder);
    return count;
}

static void test_whole(void)
{
    CU_ASSERT_TRUE(use_folder("captures") > 5000);
}

static void test_broken(void)
{
    CU_ASSERT_TRUE(use_folder("captures/broken") > 50);
    CU_ASSERT_TRUE(use_folder("captures/regressions") > 50);
}

UNIT_SUITE("captures used",
           {"every event of the captures, whole and cut, can be used in every way", test_whole},
           {"so can those of broken ones", test_broken})
