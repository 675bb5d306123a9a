/* What frames of captures/names-*.etl tell of the ids of their events; and what damaged ones can. */
#include "etl/record.h"

#include "null_sink.h"
#include "unit.h"

#include <fcntl.h>

static uint8_t room[ETL_RECORD_SIZE_MAX];
static const struct etl_record_options with_names;
static const struct etl_record_options without_names = {.no_names = true};

static struct etl_file *open_capture(const char *path)
{
    static const struct etl_file_options options;
    struct etl_file *file = NULL;
    char message[200];
    int descriptor = open(path, O_RDONLY);
    struct etl_source *source = descriptor >= 0 ? etl_source_of_descriptor(descriptor) : NULL;
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL_FATAL(etl_file_open(source, &options, &file, message, sizeof message), ETL_OK);
    return file;
}

static void touch(const uint8_t *data, size_t size)
{
    struct null_sink sink = null_sink_new();
    struct etl_record record;
    struct etl_record_name name;
    struct etl_record_process process;
    struct etl_record_image image;
    struct etl_span addresses;
    static const uint64_t ids[] = {4, 100, 104, 0xF100, 0x10000020, 0xFFFFF80000001234, UINT64_MAX};
    if (!etl_record_unpack(data, size, &record)) {
        return;
    }
    if (etl_record_find_process(&record, &process)) {
        null_sink_touch(&sink, process.command_line.at, process.command_line.size);
        null_sink_touch(&sink, process.user.at, process.user.size);
    }
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        for (int key = 0; key < ETL_KEY_COUNT; key++) {
            if (etl_record_find_name(&record, (enum etl_key)key, ids[i], &name)) {
                null_sink_touch(&sink, name.text.at, name.text.size);
            }
        }
        if (etl_record_find_image(&record, ids[i], &image)) {
            CU_ASSERT_TRUE(ids[i] - image.base < image.size);
            null_sink_touch(&sink, image.name.at, image.name.size);
            null_sink_touch(&sink, image.pdb_name.at, image.pdb_name.size);
        }
    }
    if (etl_record_find_stack(&record, 0xE100, &addresses)) {
        CU_ASSERT_EQUAL(addresses.size % 8, 0);
        null_sink_touch(&sink, addresses.at, addresses.size);
    }
    null_sink_check(&sink);
}

static void corrupt(size_t size)
{
    static const uint8_t values[] = {0x00, 0x01, 0x0B, 0x7F, 0xFF};
    uint8_t *copy = unit_copy(room, size);
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < sizeof values; k++) {
            copy[i] = values[k];
            touch(copy, size);
        }
        copy[i] = room[i];
    }
    free(copy);
}

struct seen {
    size_t names, processes, images, pdbs, stacks;
};

static void count(const struct etl_record *record, struct seen *seen)
{
    struct etl_record_name name;
    struct etl_record_process process;
    struct etl_record_image image;
    struct etl_span addresses;
    uint64_t kernel = record->event.pointer_size == 4 ? 0x81000000 : 0xFFFFF80000000000;
    seen->names += etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name);
    seen->processes += etl_record_find_process(record, &process);
    if (etl_record_find_image(record, kernel + 0x1234, &image)) {
        seen->images++;
        seen->pdbs += image.pdb_age == 2 && image.pdb_name.size == strlen("ntkrnlmp.pdb") &&
                      memcmp(image.pdb_name.at, "ntkrnlmp.pdb", image.pdb_name.size) == 0;
        CU_ASSERT_EQUAL(memcmp(image.name.at, "ntoskrnl.exe", image.name.size), 0);
    }
    if (etl_record_find_stack(record, 0xE100, &addresses)) {
        seen->stacks++;
        CU_ASSERT_EQUAL(addresses.size, 16);
        CU_ASSERT_EQUAL(etl_load_u64(addresses.at), kernel + 0x2010);
    }
}

static void read_capture(const char *path)
{
    struct etl_file *file = open_capture(path);
    struct etl_entry entry;
    struct etl_record record;
    struct seen seen = {0}, none = {0};
    while (etl_file_next(file, &entry) == ETL_OK) {
        size_t size = etl_record_pack(&entry, etl_file_keys(file), &without_names, room);
        CU_ASSERT_TRUE_FATAL(etl_record_unpack(room, size, &record));
        count(&record, &none);
        size = etl_record_pack(&entry, etl_file_keys(file), &with_names, room);
        CU_ASSERT_TRUE_FATAL(etl_record_unpack(room, size, &record));
        count(&record, &seen);
        uint8_t *copy = unit_copy(room, size);
        unit_every_truncation(copy, size, touch);
        free(copy);
        corrupt(size);
    }
    CU_ASSERT_EQUAL(seen.names, 49); /* all but a context switch's and two volumes' */
    CU_ASSERT_EQUAL(seen.processes, seen.names);
    CU_ASSERT_EQUAL(seen.images, 8);
    CU_ASSERT_EQUAL(seen.pdbs, seen.images);
    CU_ASSERT_EQUAL(seen.stacks, 2);
    CU_ASSERT_EQUAL(none.names + none.processes + none.images, 0);
    CU_ASSERT_EQUAL(none.stacks, 2); /* addresses are no names */
    etl_file_close(file);
}

static void test_wide(void)
{
    read_capture(ETL_SOURCE_DIR "/captures/names-64.etl");
}

static void test_narrow(void)
{
    read_capture(ETL_SOURCE_DIR "/captures/names-32.etl");
}

/* A frame that is asked for again is the same, byte for byte, in whatever order. */
static void test_again(void)
{
    enum { EVENTS_MAX = 64 };
    static uint8_t again[ETL_RECORD_SIZE_MAX];
    struct etl_file *file = open_capture(ETL_SOURCE_DIR "/captures/names-64.etl");
    struct etl_entry entry;
    uint64_t positions[EVENTS_MAX];
    uint8_t *frames[EVENTS_MAX];
    size_t sizes[EVENTS_MAX];
    size_t events = 0;
    etl_file_random_access(file);
    for (; events < EVENTS_MAX && etl_file_next(file, &entry) == ETL_OK; events++) {
        positions[events] = etl_position(&entry.place);
        sizes[events] = etl_record_pack(&entry, etl_file_keys(file), &with_names, room);
        frames[events] = unit_copy(room, sizes[events]);
    }
    CU_ASSERT_EQUAL(events, 52);
    for (size_t i = events; i > 0; i--) {
        CU_ASSERT_EQUAL_FATAL(etl_file_at(file, positions[i - 1], &entry), ETL_OK);
        size_t size = etl_record_pack(&entry, etl_file_keys(file), &with_names, again);
        CU_ASSERT_EQUAL(size, sizes[i - 1]);
        CU_ASSERT_EQUAL(memcmp(again, frames[i - 1], size), 0);
        free(frames[i - 1]);
    }
    etl_file_close(file);
}

UNIT_SUITE("record_names", {"frames tell names, processes, modules and stacks, 64 bits", test_wide},
           {"frames tell names, processes, modules and stacks, 32 bits", test_narrow},
           {"a frame that is asked for again tells the same", test_again})
