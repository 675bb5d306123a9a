/* Where bytes come from: a descriptor and a piece of memory behave alike. */
#include "etl/source.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char content[] = "0123456789";

/* A descriptor of a file that is already gone. */
static int descriptor_of(int flags)
{
    char path[] = "/tmp/etl-unit-XXXXXX";
    int made = mkstemp(path);
    CU_ASSERT_TRUE_FATAL(made >= 0);
    CU_ASSERT_EQUAL(write(made, content, 10), 10);
    close(made);
    int descriptor = open(path, flags);
    CU_ASSERT_TRUE_FATAL(descriptor >= 0);
    unlink(path);
    return descriptor;
}

static void check_reads(struct etl_source *source)
{
    char room[16];
    int error = 0;
    CU_ASSERT_EQUAL(source->size, 10);
    CU_ASSERT_EQUAL(source->read(source, 0, room, 4, &error), 4);
    CU_ASSERT_EQUAL(memcmp(room, "0123", 4), 0);
    CU_ASSERT_EQUAL(source->read(source, 7, room, 16, &error), 3); /* what there is */
    CU_ASSERT_EQUAL(memcmp(room, "789", 3), 0);
    CU_ASSERT_EQUAL(source->read(source, 10, room, 16, &error), 0);
    CU_ASSERT_EQUAL(source->read(source, UINT64_C(1) << 62, room, 16, &error), 0);
    CU_ASSERT_EQUAL(source->read(source, 3, room, 0, &error), 0);
    CU_ASSERT_EQUAL(source->read(source, 2, room, 1, &error), 1); /* nothing moved */
    CU_ASSERT_TRUE(room[0] == '2' && error == 0);
}

static void test_descriptor(void)
{
    int descriptor = descriptor_of(O_RDONLY);
    struct etl_source *source = etl_source_of_descriptor(descriptor);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    check_reads(source);
    etl_source_close(source);
    CU_ASSERT_TRUE(fcntl(descriptor, F_GETFD) == -1 && errno == EBADF); /* it was owned */
}

static void test_memory(void)
{
    uint8_t *copy = unit_copy(content, 10);
    struct etl_source *source = etl_source_of_memory(copy, 10);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    check_reads(source);
    etl_source_close(source);
    free(copy);
    source = etl_source_of_memory(NULL, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    int error;
    CU_ASSERT_EQUAL(source->read(source, 0, NULL, 0, &error), 0);
    etl_source_close(source);
}

static void test_errors(void)
{
    char room[4];
    int error = 0;
    struct etl_source *source = etl_source_of_descriptor(descriptor_of(O_WRONLY));
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL(source->read(source, 0, room, 4, &error), -1);
    CU_ASSERT_EQUAL(error, EBADF);
    etl_source_close(source);
    errno = 0;
    CU_ASSERT_PTR_NULL(etl_source_of_descriptor(-1));
    CU_ASSERT_EQUAL(errno, EBADF);
    etl_source_close(NULL);
}

UNIT_SUITE("source", {"a descriptor is read anywhere, and owned", test_descriptor},
           {"memory is read anywhere, and borrowed", test_memory},
           {"a read error is given on", test_errors})
