/*
 * Fuzzes the search for buffers in any file: every event in order, and read again by its position.
 *
 *   last byte: options | the rest: the file
 */
#include "etl/recovery.h"

#include "fuzz.h"
#include "trace_mutator.h"

#define EVENTS_MAX    2000
#define POSITIONS_MAX 64

#define MEMORY_LIMIT ((size_t)1 << 20)

static void read_all(struct etl_recovery *recovery)
{
    static uint64_t known[POSITIONS_MAX];
    struct etl_entry entry;
    size_t count = 0;
    for (; count < EVENTS_MAX && etl_recovery_next(recovery, &entry) == ETL_OK; count++) {
        known[count % POSITIONS_MAX] = etl_position(&entry.place);
    }
    size_t kept = count < POSITIONS_MAX ? count : POSITIONS_MAX;
    for (size_t i = 0; i < kept; i++) {
        uint64_t position = known[i * 5 % kept];
        fuzz_require(etl_recovery_at(recovery, position, &entry) == ETL_OK);
        fuzz_require(etl_position(&entry.place) == position);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    uint8_t choice = data[size - 1];
    const struct etl_file_options options = {.file_order = (choice & 1) != 0,
                                             .no_keys = (choice & 2) != 0,
                                             .limits.bytes[ETL_LIMIT_MEMORY] = MEMORY_LIMIT};
    uint8_t *copy = fuzz_copy(data, size - 1);
    struct etl_source *source = copy != NULL ? etl_source_of_memory(copy, size - 1) : NULL;
    struct etl_recovery *recovery;
    if (source != NULL) {
        if (etl_recovery_open(source, &options, &recovery) == ETL_OK) {
            if ((choice & 4) != 0) {
                etl_recovery_random_access(recovery);
            }
            read_all(recovery);
            etl_recovery_close(recovery);
        } else {
            etl_source_close(source);
        }
    }
    free(copy);
    return 0;
}
