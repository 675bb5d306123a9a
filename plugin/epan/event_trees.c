/*
 * Each tree has one root, groups below it and events below each group:
 *
 *     Events by process        2779
 *      └ explorer.exe (4128)    129
 *         └ FileIo/Read          12
 *
 * Events come here only while somebody has such a tree open.
 */
#include "epan/event_trees.h"

#include "epan/labels.h"
#include "epan/line.h"
#include "etl/names.h"
#include "etl/record.h"

#include <epan/packet_info.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

static void add_title(struct etl_line *line, wmem_allocator_t *pool,
                      const struct etl_record *record)
{
    etl_line_event_title(line, pool, record);
}

static void add_provider(struct etl_line *line, wmem_allocator_t *pool,
                         const struct etl_record *record)
{
    const char *name = etl_event_provider_name(pool, record);
    char text[ETL_GUID_TEXT_SIZE];
    if (name != NULL) {
        etl_line_text(line, name);
    } else if (record->event.has_provider) {
        etl_guid_format(&record->event.provider, text);
        etl_line_text(line, text);
    } else {
        etl_line_text(line, "No provider");
    }
}

/* Numbers of events mean something only beside their provider. */
static void add_event(struct etl_line *line, wmem_allocator_t *pool,
                      const struct etl_record *record)
{
    if (!etl_is_kernel_event(record)) {
        add_provider(line, pool, record);
        etl_line_text(line, ": ");
    }
    add_title(line, pool, record);
}

static void add_process(struct etl_line *line, wmem_allocator_t *pool,
                        const struct etl_record *record)
{
    struct etl_record_name name = {.id = record->process_id};
    (void)pool;
    if (!record->has_ids || record->process_id == ETL_ID_UNKNOWN) {
        etl_line_text(line, "Unknown process");
        return;
    }
    if (etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name) &&
        name.text.size > 0) {
        etl_line_foreign(line, name.text.at, name.text.size);
    } else {
        etl_line_text(line, "PID");
    }
    etl_line_text(line, " (");
    etl_line_number(line, record->process_id);
    etl_line_text(line, ")");
}

static void add_cpu(struct etl_line *line, wmem_allocator_t *pool, const struct etl_record *record)
{
    (void)pool;
    etl_line_text(line, "CPU ");
    etl_line_number(line, record->place.cpu);
}

static void add_level(struct etl_line *line, wmem_allocator_t *pool,
                      const struct etl_record *record)
{
    const char *name = etl_names_find(ETL_NAMES_event_level, record->event.level);
    (void)pool;
    if (!record->event.has_level) {
        etl_line_text(line, "No level");
    } else if (name != NULL) {
        etl_line_text(line, name);
    } else {
        etl_line_text(line, "Level ");
        etl_line_number(line, record->event.level);
    }
}

typedef void (*add_name)(struct etl_line *, wmem_allocator_t *, const struct etl_record *);

static tap_packet_status count(stats_tree *tree, packet_info *pinfo, const void *tapped,
                               const char *root, add_name add_group, add_name add_member)
{
    struct etl_line group;
    struct etl_line member;
    etl_line_start(&group);
    etl_line_start(&member);
    add_group(&group, pinfo->pool, tapped);
    int at = tick_stat_node(tree, root, 0, TRUE);
    at = tick_stat_node(tree, group.text, at, add_member != NULL);
    if (add_member != NULL) {
        add_member(&member, pinfo->pool, tapped);
        tick_stat_node(tree, member.text, at, FALSE);
    }
    return TAP_PACKET_REDRAW;
}

/* TREE(name, title, group, member): what -z calls it, and what there is below the root. */
#define TREES                                                      \
    TREE(providers, "Events by provider", add_provider, add_title) \
    TREE(events, "Events by event", add_event, add_process)        \
    TREE(processes, "Events by process", add_process, add_event)   \
    TREE(cpus, "Events by CPU", add_cpu, add_event)                \
    TREE(levels, "Events by level", add_level, add_provider)

#define TREE(name, title, group, member)                                           \
    static tap_packet_status count_##name(stats_tree *tree, packet_info *pinfo,    \
                                          epan_dissect_t *edt, const void *tapped, \
                                          tap_flags_t flags)                       \
    {                                                                              \
        (void)edt;                                                                 \
        (void)flags;                                                               \
        return count(tree, pinfo, tapped, title, group, member);                   \
    }                                                                              \
    static void start_##name(stats_tree *tree)                                     \
    {                                                                              \
        stats_tree_create_node(tree, title, 0, STAT_DT_INT, TRUE);                 \
    }
TREES
#undef TREE

void etl_event_trees_register(void)
{
#define TREE(name, title, group, member)                                               \
    stats_tree_register_plugin("etl", "etl_" #name, "ETL" ETL_MENU_SEPARATOR title, 0, \
                               count_##name, start_##name, NULL);
    TREES
#undef TREE
}
