/* Looks up hook ids, groups and class GUIDs. The names are rows of groups.def and hooks.def. */
#include "etl/hooks.h"

/* Image Load has the number of one group and the GUID of another, for a reason lost to history. */
#define HOOK_IMAGE_LOAD 0x030A
#define GROUP_IMAGE     0x14
#define TYPE_IMAGE_LOAD 0x0A

#define GUID ETL_GUID

static const struct etl_group groups[ETL_GROUP_COUNT] = {
#define GROUP(group, constant, class_name, guid) [group] = {group, #constant, class_name, guid},
#include "layouts/groups.def"
#undef GROUP
};

#undef GUID

static const struct etl_hook hooks[] = {
#define HOOK(hookid, class_name, event_name, constant) {hookid, class_name, event_name, constant},
#include "layouts/hooks.def"
#undef HOOK
};

/* The place of each row in `hooks`; two rows with one hook id don't compile. */
enum hook_row {
#define HOOK(hookid, class_name, event_name, constant) ROW_##hookid,
#include "layouts/hooks.def"
#undef HOOK
};

/* By hook id: 1 + the place of its row, 0 if there is none. 16 KB, and no search for each event. */
static const uint16_t rows_by_hookid[ETL_GROUP_COUNT * 0x100] = {
#define HOOK(hookid, class_name, event_name, constant) [hookid] = ROW_##hookid + 1,
#include "layouts/hooks.def"
#undef HOOK
};

const struct etl_hook *etl_hook_find(uint16_t hookid)
{
    if (hookid >= ETL_GROUP_COUNT * 0x100 || rows_by_hookid[hookid] == 0) {
        return NULL;
    }
    return &hooks[rows_by_hookid[hookid] - 1];
}

const struct etl_hook *etl_hook_list(size_t *ret_count)
{
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}

const struct etl_group *etl_group_find(uint8_t group)
{
    return group < ETL_GROUP_COUNT ? &groups[group] : NULL;
}

bool etl_group_of_guid(const struct etl_guid *guid, uint8_t *ret_group)
{
    for (size_t i = 0; i < ETL_GROUP_COUNT; i++) {
        if (etl_guid_equal(guid, &groups[i].guid)) {
            *ret_group = (uint8_t)i;
            return true;
        }
    }
    return false;
}

bool etl_hook_of_class(const struct etl_guid *guid, uint8_t type, uint16_t *ret_hookid)
{
    uint8_t group;
    if (!etl_group_of_guid(guid, &group)) {
        return false;
    }
    bool image_load = group == GROUP_IMAGE && type == TYPE_IMAGE_LOAD;
    *ret_hookid = image_load ? HOOK_IMAGE_LOAD : (uint16_t)(group << 8 | type);
    return true;
}

const struct etl_guid *etl_class_of_hook(uint16_t hookid)
{
    const struct etl_group *group = etl_group_find(
        hookid == HOOK_IMAGE_LOAD ? GROUP_IMAGE : (uint8_t)(hookid >> 8));
    return group != NULL ? &group->guid : NULL;
}
