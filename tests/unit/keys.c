/* What process and thread ids mean at a time. */
#include "etl/keys.h"

#include "unit.h"

static struct etl_context context = {.pointer_size = 8};

/* A Process event of version 2, 32-bit: key, pid, parent, session, status, no user, name, "". */
static void learn_process(struct etl_keys *keys, uint8_t type, int64_t time, uint32_t pid,
                          const char *name)
{
    uint8_t bytes[0x20 + 20 + 4 + 64 + 2] = {0x02, 0x00, 0x01, 0xC0};
    size_t length = strlen(name) + 1;
    size_t size = 0x20 + 20 + 4 + length + 2;
    etl_store_u16(bytes + 4, (uint16_t)size);
    etl_store_u16(bytes + 6, (uint16_t)(0x0300 | type));
    etl_store_u64(bytes + 0x10, (uint64_t)time);
    etl_store_u32(bytes + 0x24, pid);
    memcpy(bytes + 0x20 + 24, name, length);
    struct etl_measure measure;
    struct etl_event event;
    etl_layouts_start();
    CU_ASSERT_EQUAL_FATAL(etl_event_measure(bytes, size, &context, &measure), ETL_MEASURED_EVENT);
    etl_event_read(bytes, &measure, &context, &event);
    etl_keys_learn(keys, &event, &context);
}

/* A Thread event of version 1, cut after the two ids, as ends of threads are. */
static void learn_thread(struct etl_keys *keys, uint8_t type, int64_t time, uint32_t pid,
                         uint32_t tid)
{
    uint8_t bytes[0x28] = {0x01, 0x00, 0x02, 0xC0, 0x28, 0x00, type, 0x05};
    etl_store_u64(bytes + 0x10, (uint64_t)time);
    etl_store_u32(bytes + 0x20, pid);
    etl_store_u32(bytes + 0x24, tid);
    struct etl_measure measure;
    struct etl_event event;
    etl_layouts_start();
    CU_ASSERT_EQUAL_FATAL(etl_event_measure(bytes, sizeof bytes, &context, &measure),
                          ETL_MEASURED_EVENT);
    etl_event_read(bytes, &measure, &context, &event);
    etl_keys_learn(keys, &event, &context);
}

enum { START = 1, END = 2, DC_START = 3, DC_END = 4 };

static void expect_name(const struct etl_keys *keys, uint32_t pid, int64_t time,
                        const char *expected)
{
    const char *name = etl_keys_process_name(keys, pid, time);
    CU_ASSERT_EQUAL(name == NULL, expected == NULL);
    if (name != NULL && expected != NULL) {
        CU_ASSERT_STRING_EQUAL(name, expected);
    }
}

static void test_reuse(void)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    learn_process(keys, END, 50, 100, "first.exe"); /* not in the order of time */
    learn_process(keys, START, 80, 100, "second.exe");
    learn_process(keys, START, 10, 100, "first.exe");
    learn_process(keys, START, 20, 101, "other.exe");
    etl_keys_settle(keys);
    expect_name(keys, 100, 9, NULL); /* it began at 10, to be this */
    expect_name(keys, 100, 10, "first.exe");
    expect_name(keys, 100, 49, "first.exe");
    expect_name(keys, 100, 79, "first.exe");
    expect_name(keys, 100, 80, "second.exe");
    expect_name(keys, 100, INT64_MAX, "second.exe");
    expect_name(keys, 101, 30, "other.exe");
    expect_name(keys, 99, 30, NULL);
    expect_name(keys, 102, 30, NULL);
    etl_keys_free(keys);
}

static void test_rundown(void)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    learn_process(keys, DC_END, 1000, 4, "System");
    learn_process(keys, DC_START, 500, 8, "smss.exe");
    learn_process(keys, END, 700, 12, "short.exe");
    etl_keys_settle(keys);
    /* It ran before the rundown or the end that told. */
    expect_name(keys, 4, 1, "System");
    expect_name(keys, 4, 2000, "System");
    expect_name(keys, 8, INT64_MIN, "smss.exe");
    expect_name(keys, 12, 1, "short.exe");
    etl_keys_free(keys);
}

static void test_same_time(void)
{
    for (int order = 0; order < 2; order++) {
        struct etl_keys *keys = etl_keys_new(NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
        if (order == 0) {
            learn_process(keys, START, 10, 100, "new.exe");
        }
        learn_process(keys, END, 10, 100, "old.exe");
        if (order == 1) {
            learn_process(keys, START, 10, 100, "new.exe");
        }
        etl_keys_settle(keys);
        expect_name(keys, 100, 10, "new.exe");
        expect_name(keys, 100, 5, "old.exe");
        etl_keys_free(keys);
    }
}

static void test_threads(void)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    learn_thread(keys, START, 10, 100, 555);
    learn_thread(keys, END, 20, 100, 555);
    learn_thread(keys, START, 30, 200, 555);
    learn_thread(keys, DC_END, 99, 300, 777);
    etl_keys_settle(keys);
    uint32_t pid = 1;
    CU_ASSERT_FALSE(etl_keys_process_of_thread(keys, 555, 9, &pid));
    CU_ASSERT_EQUAL(pid, 1);
    CU_ASSERT_TRUE(etl_keys_process_of_thread(keys, 555, 25, &pid) && pid == 100);
    CU_ASSERT_TRUE(etl_keys_process_of_thread(keys, 555, 30, &pid) && pid == 200);
    CU_ASSERT_TRUE(etl_keys_process_of_thread(keys, 777, 0, &pid) && pid == 300);
    CU_ASSERT_FALSE(etl_keys_process_of_thread(keys, 556, 30, &pid));
    etl_keys_free(keys);
}

static void test_nothing(void)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    learn_process(keys, START, 10, 100, ""); /* no name: no meaning */
    etl_keys_settle(keys);
    expect_name(keys, 100, 10, NULL);
    uint32_t pid;
    CU_ASSERT_FALSE(etl_keys_process_of_thread(keys, 555, 9, &pid));
    etl_keys_free(keys);
    etl_keys_free(NULL);
    /* Events without a time or of a hook that is none of these say nothing. */
    struct etl_event event = {.hookid = 0x0301, .has_hook = true, .kind = etl_kind(0)};
    keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    etl_keys_learn(keys, &event, &context);
    event.hookid = 0xFFFF;
    event.has_time = true;
    etl_keys_learn(keys, &event, &context);
    etl_keys_free(keys);
}

static void test_constants(void)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    uint32_t pid = 1;
    expect_name(keys, 0, 10, "Idle");
    expect_name(keys, 4, 10, "System");
    CU_ASSERT_TRUE(etl_keys_process_of_thread(keys, 0, 10, &pid) && pid == 0);
    learn_process(keys, DC_END, 1000, 4, "Secure System"); /* a trace that says otherwise */
    etl_keys_settle(keys);
    expect_name(keys, 4, 10, "Secure System");
    etl_keys_free(keys);
}

static void test_many(void)
{
    struct etl_keys *keys = etl_keys_new(NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    char name[32];
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "process%u.exe", i);
        learn_process(keys, START, i, 1000 + i * 4, name);
    }
    etl_keys_settle(keys);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "process%u.exe", i);
        expect_name(keys, 1000 + i * 4, INT64_MAX, name);
        expect_name(keys, 1000 + i * 4, (int64_t)i - 1, NULL);
    }
    etl_keys_free(keys);
}

static bool has_label(const struct etl_layout *layout, const char *label)
{
    for (size_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->fields[i].label, label) == 0) {
            return true;
        }
    }
    return false;
}

/* A row of learned.def whose labels no version of its event has would never say anything. */
static void expect_labels(uint16_t hookid, const char *id, const char *text)
{
    bool found = false;
    CU_ASSERT_TRUE(etl_keys_wants_hook(hookid));
    for (unsigned version = 0; version <= 255 && !found; version++) {
        const struct etl_layout *layout = etl_layout_of_hook(hookid, (uint8_t)version);
        found = layout != NULL && has_label(layout, id) && has_label(layout, text);
    }
    CU_ASSERT_TRUE(found);
}

static void test_rows(void)
{
    etl_layouts_start();
    etl_keys_free(etl_keys_new(NULL));
#define LEARN(hook, what, when)          CU_ASSERT_TRUE(etl_keys_wants_hook(hook));
#define NAME(hook, what, id, text, when) expect_labels(hook, id, text);
#define CLASS_LEARN(name, what)
#define CLASS_NAME(name, what, id, text)                           \
    CU_ASSERT_TRUE(has_label(etl_layout(ETL_LAYOUT_##name), id) && \
                   has_label(etl_layout(ETL_LAYOUT_##name), text));
#include "layouts/learned.def"
    CU_ASSERT_FALSE(etl_keys_wants_hook(0x0524)); /* they come by the million */
    CU_ASSERT_FALSE(etl_keys_wants_hook(0x1820));
}

UNIT_SUITE("keys", {"an id that is used again means something new from its start", test_reuse},
           {"rundowns and ends tell what an id meant before them", test_rundown},
           {"where one ends and one starts at one tick, the new one holds", test_same_time},
           {"threads belong to a process at a time", test_threads},
           {"what is not told is not known", test_nothing},
           {"the idle process and the system's have their names anyway", test_constants},
           {"thousands of processes are kept apart", test_many},
           {"every row says labels that its event has", test_rows})
