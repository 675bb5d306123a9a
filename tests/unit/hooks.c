/* Kernel groups and hook ids: the tables and how they are found. */
#include "etl/hooks.h"

#include "unit.h"

static struct etl_guid guid_of(const char *text)
{
    struct etl_guid guid = {{0}};
    CU_ASSERT_TRUE(etl_guid_parse(text, &guid));
    return guid;
}

static void test_count(void)
{
    size_t count;
    etl_hook_list(&count);
    CU_ASSERT_EQUAL(count, 605);
}

static void test_sorted(void)
{
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    for (size_t i = 1; i < count; i++) {
        CU_ASSERT_TRUE(hooks[i - 1].hookid < hooks[i].hookid);
    }
}

static void test_find(void)
{
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    size_t found = 0;
    for (uint32_t hookid = 0; hookid <= UINT16_MAX; hookid++) {
        const struct etl_hook *hook = etl_hook_find((uint16_t)hookid);
        if (hook != NULL) {
            CU_ASSERT_EQUAL(hook->hookid, hookid);
            CU_ASSERT_PTR_EQUAL(hook, &hooks[found]);
            found++;
        }
    }
    CU_ASSERT_EQUAL(found, count);
}

static void test_examples(void)
{
    const struct etl_hook *hook = etl_hook_find(0x0524);
    CU_ASSERT_PTR_NOT_NULL_FATAL(hook);
    CU_ASSERT_STRING_EQUAL(hook->class_name, "Thread");
    CU_ASSERT_STRING_EQUAL(hook->event_name, "CSwitch");
    CU_ASSERT_STRING_EQUAL(hook->constant, "PERFINFO_LOG_TYPE_CONTEXTSWAP");
    hook = etl_hook_find(0x030A);
    CU_ASSERT_PTR_NOT_NULL_FATAL(hook);
    CU_ASSERT_STRING_EQUAL(hook->class_name, "Image");
    CU_ASSERT_STRING_EQUAL(hook->event_name, "Load");
    hook = etl_hook_find(0x1820);
    CU_ASSERT_PTR_NOT_NULL_FATAL(hook);
    CU_ASSERT_STRING_EQUAL(hook->class_name, "StackWalk");
    CU_ASSERT_STRING_EQUAL(hook->event_name, "Stack");
}

static void test_unknown(void)
{
    CU_ASSERT_PTR_NULL(etl_hook_find(0x0001));
    CU_ASSERT_PTR_NULL(etl_hook_find(0x1EFF));
    CU_ASSERT_PTR_NULL(etl_hook_find(0x1F00));
    CU_ASSERT_PTR_NULL(etl_hook_find(0xFFFF));
}

static void test_classes(void)
{
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    for (size_t i = 0; i < count; i++) {
        const struct etl_group *group = etl_group_find((uint8_t)(hooks[i].hookid >> 8));
        CU_ASSERT_PTR_NOT_NULL_FATAL(group);
        const char *expected = hooks[i].hookid == 0x030A ? "Image" : group->class_name;
        CU_ASSERT_STRING_EQUAL(hooks[i].class_name, expected);
    }
}

static bool is_identifier(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
           strlen(text);
}

static void test_event_names(void)
{
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_TRUE(hooks[i].event_name[0] != '\0' && is_identifier(hooks[i].event_name));
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_FALSE(strcmp(hooks[i].class_name, hooks[j].class_name) == 0 &&
                            strcmp(hooks[i].event_name, hooks[j].event_name) == 0);
        }
    }
}

static void test_constants(void)
{
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_TRUE(is_identifier(hooks[i].constant));
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_FALSE(hooks[i].constant[0] != '\0' &&
                            strcmp(hooks[i].constant, hooks[j].constant) == 0);
        }
    }
}

static void test_groups(void)
{
    for (uint8_t i = 0; i < ETL_GROUP_COUNT; i++) {
        const struct etl_group *group = etl_group_find(i);
        CU_ASSERT_PTR_NOT_NULL_FATAL(group);
        CU_ASSERT_EQUAL(group->group, i);
        uint8_t found = 0xFF;
        CU_ASSERT_TRUE(etl_group_of_guid(&group->guid, &found));
        CU_ASSERT_EQUAL(found, i);
    }
    CU_ASSERT_STRING_EQUAL(etl_group_find(0x05)->constant, "THREAD");
    CU_ASSERT_STRING_EQUAL(etl_group_find(0x05)->class_name, "Thread");
}

static void test_unknown_group(void)
{
    uint8_t group = 0x77;
    struct etl_guid guid = guid_of("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716");
    CU_ASSERT_PTR_NULL(etl_group_find(ETL_GROUP_COUNT));
    CU_ASSERT_PTR_NULL(etl_group_find(0xFF));
    CU_ASSERT_FALSE(etl_group_of_guid(&guid, &group));
    CU_ASSERT_EQUAL(group, 0x77);
}

static void test_hook_of_class(void)
{
    uint16_t hookid = 0;
    struct etl_guid guid = guid_of("ce1dbfb4-137e-4da6-87b0-3f59aa102cbc");
    CU_ASSERT_TRUE(etl_hook_of_class(&guid, 34, &hookid));
    CU_ASSERT_EQUAL(hookid, 0x0F22);
    guid = guid_of("2cb15d1d-5fc1-11d2-abe1-00a0c911f518");
    CU_ASSERT_TRUE(etl_hook_of_class(&guid, 2, &hookid));
    CU_ASSERT_EQUAL(hookid, 0x1402);
    CU_ASSERT_TRUE(etl_hook_of_class(&guid, 10, &hookid));
    CU_ASSERT_EQUAL(hookid, 0x030A);
    guid = guid_of("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716");
    CU_ASSERT_FALSE(etl_hook_of_class(&guid, 10, &hookid));
    CU_ASSERT_EQUAL(hookid, 0x030A);
}

static void test_class_of_hook(void)
{
    size_t count;
    const struct etl_hook *hooks = etl_hook_list(&count);
    for (size_t i = 0; i < count; i++) {
        uint16_t hookid = 0;
        const struct etl_guid *guid = etl_class_of_hook(hooks[i].hookid);
        CU_ASSERT_PTR_NOT_NULL_FATAL(guid);
        CU_ASSERT_TRUE(etl_hook_of_class(guid, (uint8_t)hooks[i].hookid, &hookid));
        CU_ASSERT_EQUAL(hookid, hooks[i].hookid);
    }
    CU_ASSERT_PTR_NULL(etl_class_of_hook(0x1F00));
    CU_ASSERT_PTR_NULL(etl_class_of_hook(0xFFFF));
}

UNIT_SUITE("hooks", {"605 hook ids have names", test_count},
           {"hook ids are unique and in ascending order", test_sorted},
           {"every row is found under its hook id, and nothing else", test_find},
           {"well-known events have Microsoft's names", test_examples},
           {"a hook id without a name gives NULL", test_unknown},
           {"a hook has the class of its group, but for Image Load", test_classes},
           {"event names are words, unique within their class", test_event_names},
           {"constants are unique where they are known", test_constants},
           {"every group has a row and a GUID of its own", test_groups},
           {"an unknown group or GUID gives nothing", test_unknown_group},
           {"class GUID and type give the hook id", test_hook_of_class},
           {"a hook's class GUID leads back to the hook", test_class_of_hook})
