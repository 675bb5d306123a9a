/*
 * How libFuzzer changes the inputs of targets that read whole files: as traces (tests/mutate), with the byte of options
 * behind them.
 */
#ifndef ETL_TESTS_FUZZ_TRACE_MUTATOR_H
#define ETL_TESTS_FUZZ_TRACE_MUTATOR_H

#include "mutate.h"

#include <string.h>

/* libFuzzer's, which we may call and it calls. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other,
                                 size_t other_size, uint8_t *room, size_t room_size, unsigned seed);

static inline struct etl_mutator trace_mutator(unsigned seed)
{
    return (struct etl_mutator){.random = UINT64_C(0x9E3779B97F4A7C15) ^ seed,
                                .change_bytes = LLVMFuzzerMutate};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct etl_mutator mutator = trace_mutator(seed);
    if (size < 2 || room < size) {
        return LLVMFuzzerMutate(data, size, room);
    }
    uint8_t options = data[size - 1];
    options = etl_mutator_random(&mutator) % 8 == 0 ? (uint8_t)etl_mutator_random(&mutator)
                                                    : options;
    size = etl_mutate_trace(&mutator, data, size - 1, room - 1);
    data[size] = options;
    return size + 1;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other,
                                 size_t other_size, uint8_t *room, size_t room_size, unsigned seed)
{
    struct etl_mutator mutator = trace_mutator(seed);
    if (one_size < 1 || other_size < 1 || one_size > room_size) {
        return 0;
    }
    memcpy(room, one, one_size - 1);
    size_t size = etl_mutate_join(&mutator, room, one_size - 1, room_size - 1, other,
                                  other_size - 1);
    room[size] = one[one_size - 1];
    return size + 1;
}

#endif
