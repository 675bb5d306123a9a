/*
 * What every unit test program shares: a main() that runs one CUnit suite whose test names are
 * sentences, texts that are compared, and the loop that runs a decoder over every truncation of an
 * input.
 */
#ifndef ETL_TESTS_UNIT_H
#define ETL_TESTS_UNIT_H

#include <CUnit/Basic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_test {
    const char *sentence;
    void (*run)(void);
};

/* Defines main() for a suite: UNIT_SUITE("bytes", {"a cursor that ...", test_function}, ...) */
#define UNIT_SUITE(name, ...)                                         \
    int main(void)                                                    \
    {                                                                 \
        static const struct unit_test tests[] = {__VA_ARGS__};        \
        return unit_run(name, tests, sizeof tests / sizeof tests[0]); \
    }

static inline int unit_run(const char *name, const struct unit_test *tests, size_t count)
{
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_pSuite suite = CU_add_suite(name, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        if (CU_add_test(suite, tests[i].sentence, tests[i].run) == NULL) {
            return EXIT_FAILURE;
        }
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures() + (CU_get_number_of_tests_run() == 0);
    CU_cleanup_registry();
    return failed != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Compares texts; where they differ, both are printed. */
static inline void unit_same_text(const char *shown, const char *expected)
{
    CU_ASSERT_STRING_EQUAL(shown, expected);
    if (strcmp(shown, expected) != 0) {
        printf("\n  shown    %s\n  expected %s\n", shown, expected);
    }
}

/* A heap block of exactly this size, owned by the caller: checkers see a byte outside. */
static inline uint8_t *unit_room(size_t size)
{
    uint8_t *room = malloc(size > 0 ? size : 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(room);
    if (room == NULL) {
        abort(); /* never: for analyzers, to which an assertion is nothing */
    }
    return room;
}

/* The same with a copy of the data. */
static inline uint8_t *unit_copy(const void *data, size_t size)
{
    uint8_t *copy = unit_room(size);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

/*
 * Calls decode with every prefix of data, each in a block of its own.
 */
static inline void unit_every_truncation(const uint8_t *data, size_t size,
                                         void (*decode)(const uint8_t *data, size_t size))
{
    for (size_t n = 0; n <= size; n++) {
        uint8_t *copy = unit_copy(data, n);
        decode(copy, n);
        free(copy);
    }
}

#endif
