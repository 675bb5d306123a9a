/* Modules at addresses and times; ids and what they mean; strings that are kept once. */
#include "core/names/images.h"

#include "unit.h"

enum { LOAD = ETL_IMAGE_LOAD, KNOWN = ETL_IMAGE_KNOWN, UNLOAD = ETL_IMAGE_UNLOAD };

/* Names stand for themselves here: no pool. */
static void row(struct etl_images *images, int moment, int64_t time, uint32_t scope, uint64_t base,
                uint64_t size, uint32_t name)
{
    const struct etl_image_span span = {.base = base,
                                        .end = base + size,
                                        .from = time,
                                        .scope = scope,
                                        .name = name,
                                        .moment = (uint8_t)moment};
    etl_images_add(images, &span);
}

/* 0: nothing is there. */
static uint32_t name_at(const struct etl_images *images, uint32_t scope, uint64_t address,
                        int64_t time)
{
    const struct etl_image_span *span = etl_images_find(images, scope, address, time);
    return span != NULL ? span->name : 0;
}

static void test_spans(void)
{
    struct etl_images images = {0};
    struct etl_meanings processes = {0};
    row(&images, UNLOAD, 50, 100, 0x10000, 0x1000, 1); /* not in the order of time */
    row(&images, LOAD, 20, 100, 0x10000, 0x1000, 1);
    row(&images, LOAD, 60, 100, 0x10000, 0x2000, 2);
    row(&images, KNOWN, 900, 100, 0x40000, 0x1000, 3); /* a rundown at the end */
    row(&images, KNOWN, 10, 100, 0x50000, 0x1000, 4);  /* at the start … */
    row(&images, KNOWN, 900, 100, 0x50000, 0x1000, 4); /* … and the end */
    row(&images, UNLOAD, 70, 100, 0x60000, 0x1000, 5);
    etl_images_settle(&images, &processes);
    CU_ASSERT_EQUAL(images.count, 5);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x10000, 19), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x10000, 20), 1);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x10FFF, 49), 1);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x11000, 49), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x10000, 50), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x11FFF, 60), 2);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x11FFF, INT64_MAX - 1), 2);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x40000, INT64_MIN), 3);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x50800, 500), 4);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x60800, 69), 5);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x60800, 70), 0);
    CU_ASSERT_EQUAL(name_at(&images, 101, 0x50800, 500), 0);
    CU_ASSERT_EQUAL(name_at(&images, 99, 0x50800, 500), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0, 500), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, UINT64_MAX, 500), 0);
    etl_images_free(&images);
}

static void begin_process(struct etl_meanings *processes, uint64_t id, int64_t time)
{
    const struct etl_meaning meaning = {.time = time, .id = id, .value = 1, .begins = true};
    etl_meanings_add(processes, &meaning);
}

static void test_reused_process(void)
{
    struct etl_images images = {0};
    struct etl_meanings processes = {0};
    begin_process(&processes, 100, 500);
    begin_process(&processes, 100, 700);
    row(&images, KNOWN, 10, 100, 0x10000, 0x1000, 1); /* whose unload was lost */
    row(&images, KNOWN, 900, 100, 0x20000, 0x1000, 2);
    row(&images, LOAD, 500, 100, 0x30000, 0x1000, 3);
    row(&images, KNOWN, 10, ETL_SCOPE_KERNEL, 0x40000, 0x1000, 4);
    etl_meanings_settle(&processes);
    etl_images_settle(&images, &processes);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x10000, 499), 1);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x10000, 500), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x20000, 699), 0);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x20000, 700), 2);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x30000, 699), 3);
    CU_ASSERT_EQUAL(name_at(&images, 100, 0x30000, 700), 0);
    CU_ASSERT_EQUAL(name_at(&images, ETL_SCOPE_KERNEL, 0x40000, 900), 4);
    etl_images_free(&images);
    etl_meanings_free(&processes);
}

/* A library that a process loads and frees all the time, always at the same place. */
static void test_often(void)
{
    struct etl_images images = {0};
    struct etl_meanings processes = {0};
    for (int64_t i = 0; i < 1000; i++) {
        row(&images, LOAD, 10 * i, 4, 0x10000, 0x1000, 7);
        row(&images, UNLOAD, 10 * i + 5, 4, 0x10000, 0x1000, 7);
    }
    row(&images, KNOWN, 0, 4, 0x8000, 0x20000, 8); /* cannot be: overlaps */
    etl_images_settle(&images, &processes);
    CU_ASSERT_EQUAL(images.count, 1001);
    for (int64_t i = 0; i < 1000; i++) {
        CU_ASSERT_EQUAL(name_at(&images, 4, 0x10800, 10 * i + 4), 7);
        CU_ASSERT_EQUAL(name_at(&images, 4, 0x10800, 10 * i + 5), 8);
    }
    etl_images_free(&images);
}

static void pdb(struct etl_images *images, int64_t time, uint64_t base, uint32_t age)
{
    const struct etl_image_pdb one = {.base = base, .time = time, .scope = 4, .age = age};
    etl_images_add_pdb(images, &one);
}

static uint32_t age_at(const struct etl_images *images, uint64_t address, int64_t time)
{
    const struct etl_image_span *span = etl_images_find(images, 4, address, time);
    return span != NULL && span->pdb != 0 ? images->pdbs[span->pdb - 1].age : 0;
}

static void test_pdbs(void)
{
    struct etl_images images = {0};
    struct etl_meanings processes = {0};
    row(&images, LOAD, 10, 4, 0x10000, 0x1000, 1);
    row(&images, UNLOAD, 20, 4, 0x10000, 0x1000, 1);
    row(&images, LOAD, 30, 4, 0x10000, 0x1000, 2);
    row(&images, KNOWN, 30, 4, 0x20000, 0x1000, 3);
    row(&images, KNOWN, 30, 4, 0x30000, 0x1000, 4);
    pdb(&images, 31, 0x10000, 12);
    pdb(&images, 11, 0x10000, 11);
    pdb(&images, 5, 0x30000, 14);
    pdb(&images, 5, 0x40000, 15);
    etl_images_settle(&images, &processes);
    CU_ASSERT_EQUAL(age_at(&images, 0x10000, 10), 11);
    CU_ASSERT_EQUAL(age_at(&images, 0x10000, 30), 12);
    CU_ASSERT_EQUAL(age_at(&images, 0x20000, 30), 0);
    CU_ASSERT_EQUAL(age_at(&images, 0x30000, 30), 14);
    etl_images_free(&images);
}

static void test_meanings(void)
{
    struct etl_meanings meanings = {0};
    CU_ASSERT_PTR_NULL(etl_meanings_find(&meanings, 0, 1, 0));
    static const struct etl_meaning rows[] = {
        {.time = 10, .id = 1, .scope = 5, .value = 1},
        {.time = 20, .id = 1, .scope = 5, .value = 1},
        {.time = 30, .id = 1, .scope = 6, .value = 2},
        {.time = 40, .id = 1, .scope = 5, .value = 3},
        {.time = 5, .id = UINT64_MAX, .value = 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        etl_meanings_add(&meanings, &rows[i]);
    }
    etl_meanings_settle(&meanings);
    CU_ASSERT_EQUAL(meanings.count, 4); /* what says nothing new is dropped */
    CU_ASSERT_EQUAL(etl_meanings_find(&meanings, 5, 1, 39)->value, 1);
    CU_ASSERT_EQUAL(etl_meanings_find(&meanings, 5, 1, 40)->value, 3);
    CU_ASSERT_EQUAL(etl_meanings_find(&meanings, 6, 1, 0)->value, 2);
    CU_ASSERT_PTR_NULL(etl_meanings_find(&meanings, 7, 1, 0));
    CU_ASSERT_EQUAL(etl_meanings_find(&meanings, 0, UINT64_MAX, 0)->value, 4);
    etl_meanings_free(&meanings);
}

static void test_pool(void)
{
    struct etl_pool pool = {0};
    uint32_t first, again, other, empty;
    char text[32];
    CU_ASSERT_TRUE(etl_pool_add_text(&pool, "first", &first));
    for (unsigned i = 0; i < 10000; i++) { /* places and bytes grow */
        snprintf(text, sizeof text, "text %u", i);
        CU_ASSERT_TRUE(etl_pool_add_text(&pool, text, &other));
    }
    CU_ASSERT_TRUE(etl_pool_add_text(&pool, "first", &again));
    CU_ASSERT_EQUAL(first, again);
    CU_ASSERT_STRING_EQUAL(etl_pool_text(&pool, first), "first");
    CU_ASSERT_STRING_EQUAL(etl_pool_text(&pool, other), "text 9999");
    CU_ASSERT_EQUAL(etl_pool_size_of(&pool, first), 6);
    CU_ASSERT_TRUE(etl_pool_add(&pool, NULL, 0, &empty));
    CU_ASSERT_EQUAL(etl_pool_size_of(&pool, empty), 0);
    CU_ASSERT_EQUAL(pool.count, 10002);
    etl_pool_free(&pool);
}

UNIT_SUITE("images",
           {"a module is there from its load to its unload, or to what comes in its place",
            test_spans},
           {"a process whose id is used again takes its modules with it", test_reused_process},
           {"a module that comes and goes a thousand times is found each time", test_often},
           {"a module has the PDB that was told while it was there", test_pdbs},
           {"an id means what was said last, in its scope", test_meanings},
           {"a string is kept once", test_pool})
