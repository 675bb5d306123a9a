/* Makes Wireshark's value strings out of the core's lists. */
#include "epan/strings.h"

#include "etl/hooks.h"

const value_string *etl_strings_of_list(enum etl_names_id list)
{
    static value_string *made[ETL_NAMES_COUNT];
    if (made[list] == NULL) {
        const struct etl_names *names = etl_names_list(list);
        made[list] = g_new0(value_string, names->count + 1);
        for (size_t i = 0; i < names->count; i++) {
            made[list][i].value = (guint32)names->rows[i].value;
            made[list][i].strptr = names->rows[i].text;
        }
    }
    return made[list];
}

const val64_string *etl_strings64_of_list(enum etl_names_id list)
{
    static val64_string *made[ETL_NAMES_COUNT];
    if (made[list] == NULL) {
        const struct etl_names *names = etl_names_list(list);
        made[list] = g_new0(val64_string, names->count + 1);
        for (size_t i = 0; i < names->count; i++) {
            made[list][i].value = names->rows[i].value;
            made[list][i].strptr = names->rows[i].text;
        }
    }
    return made[list];
}

static value_string *hook_strings;
static size_t hook_count;

static void make_hook_strings(void)
{
    const struct etl_hook *hooks = etl_hook_list(&hook_count);
    hook_strings = g_new0(value_string, hook_count + 1);
    for (size_t i = 0; i < hook_count; i++) {
        hook_strings[i].value = hooks[i].hookid;
        hook_strings[i].strptr = g_strconcat(hooks[i].class_name, "/", hooks[i].event_name, NULL);
    }
}

value_string_ext *etl_strings_of_hooks(void)
{
    if (hook_strings == NULL) {
        make_hook_strings();
    }
    return etl_value_string_ext_new(hook_strings, (guint)hook_count + 1, "etl_hooks");
}

const value_string *etl_strings_of_groups(void)
{
    static value_string made[ETL_GROUP_COUNT + 1];
    for (size_t i = 0; i < ETL_GROUP_COUNT; i++) {
        made[i].value = (guint32)i;
        made[i].strptr = etl_group_find((uint8_t)i)->class_name;
    }
    return made;
}

const char *etl_hook_text(uint16_t hookid)
{
    const struct etl_hook *hook = etl_hook_find(hookid);
    size_t count;
    return hook != NULL ? hook_strings[hook - etl_hook_list(&count)].strptr : NULL;
}
