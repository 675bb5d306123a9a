/*
 * Numbers activities in the order in which they are first seen. Following one shows a line for each
 * of its events:
 *
 *     2026-03-02 08:30:01.1580000  OrderClient.exe (5284)  Contoso-OrderClient  Session/Start The client …
 *
 * Knows nothing of what happens in an activity.
 */
#include "epan/activities.h"

#include "epan/columns.h"
#include "epan/fields.h"
#include "epan/labels.h"
#include "epan/line.h"
#include "epan/sink.h"

#include <epan/conversation_filter.h>
#include <epan/follow.h>
#include <epan/packet.h>
#include <epan/proto_data.h>
#include <epan/tap.h>

/* A hostile trace shall not fill the memory: activities over this have no number. */
#define ACTIVITIES_MAX (1u << 20)

static wmem_map_t *streams; /* by activity; 1 + number */
static int tap = -1;
static int field_stream = -1;

static guint hash_guid(gconstpointer key)
{
    const uint8_t *bytes = key;
    return etl_load_u32(bytes) ^ etl_load_u32(bytes + 4) ^ etl_load_u32(bytes + 8) ^
           etl_load_u32(bytes + 12);
}

static gboolean equal_guids(gconstpointer a, gconstpointer b)
{
    return etl_guid_equal(a, b);
}

static void start_file(void)
{
    streams = wmem_map_new(wmem_file_scope(), hash_guid, equal_guids);
}

static bool has_activity(const struct etl_record *record)
{
    static const struct etl_guid none;
    return record->event.kind->family == ETL_FAMILY_MODERN &&
           !etl_guid_equal(&record->event.activity, &none);
}

/* False for activities without a number. */
static bool find_stream(const struct etl_record *record, uint32_t *ret_stream)
{
    const struct etl_guid *activity = &record->event.activity;
    uint32_t number = GPOINTER_TO_UINT(wmem_map_lookup(streams, activity));
    if (number == 0 && wmem_map_size(streams) < ACTIVITIES_MAX) {
        number = 1 + wmem_map_size(streams);
        wmem_map_insert(streams, wmem_memdup(wmem_file_scope(), activity, sizeof *activity),
                        GUINT_TO_POINTER(number));
    }
    *ret_stream = number - 1;
    return number > 0;
}

static void add_time(struct etl_line *line, const struct etl_record *record)
{
    char text[40];
    int64_t filetime;
    if (etl_clock_filetime(&record->context.clock, record->raw_time, &filetime)) {
        etl_filetime_format(filetime, text);
        etl_line_text(line, text);
        etl_line_text(line, "  ");
    }
}

static void add_process(struct etl_line *line, const struct etl_record *record)
{
    struct etl_record_name name;
    if (!record->has_ids || record->process_id == ETL_ID_UNKNOWN) {
        return;
    }
    if (etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name)) {
        etl_line_foreign(line, name.text.at, name.text.size);
        etl_line_text(line, " ");
    }
    etl_line_text(line, "(");
    etl_line_number(line, record->process_id);
    etl_line_text(line, ")  ");
}

static void add_provider(struct etl_line *line, wmem_allocator_t *pool,
                         const struct etl_record *record)
{
    const char *name = etl_event_provider_name(pool, record);
    if (name != NULL) {
        etl_line_text(line, name);
        etl_line_text(line, "  ");
    }
}

/* What the followed stream shows of an event. */
static void queue(tvbuff_t *tvb, packet_info *pinfo, const struct etl_record *record)
{
    struct etl_line line;
    etl_line_start(&line);
    add_time(&line, record);
    add_process(&line, record);
    add_provider(&line, pinfo->pool, record);
    etl_columns_line(&line, pinfo->pool, record);
    line.length = MIN(line.length, sizeof line.text - 2); /* there is always room for the end */
    line.text[line.length++] = '\n';
    guint8 *text = wmem_memdup(pinfo->pool, line.text, line.length);
    tap_queue_packet(tap, pinfo,
                     tvb_new_child_real_data(tvb, text, (guint)line.length, (gint)line.length));
}

void etl_activities_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                         const struct etl_record *record)
{
    uint32_t stream;
    if (tree != NULL &&
        PTREE_DATA(tree)->visible) { /* menus ask later, of the packet that is shown */
        p_add_proto_data(pinfo->pool, pinfo, etl_protocol, 0, (void *)record);
    }
    if (!has_activity(record) || !find_stream(record, &stream)) {
        return;
    }
    if (tree != NULL) {
        proto_item_set_generated(proto_tree_add_uint(tree, field_stream, tvb, 0, 0, stream));
    }
    if (have_tap_listener(tap)) {
        queue(tvb, pinfo, record);
    }
}

static const struct etl_record *record_of(packet_info *pinfo)
{
    return p_get_proto_data(pinfo->pool, pinfo, etl_protocol, 0);
}

static char *filter_of_packet(epan_dissect_t *edt, packet_info *pinfo, guint *ret_stream,
                              guint *ret_sub_stream)
{
    const struct etl_record *record = record_of(pinfo);
    uint32_t stream;
    (void)edt;
    if (record == NULL || !has_activity(record) || !find_stream(record, &stream)) {
        return NULL;
    }
    *ret_stream = stream;
    *ret_sub_stream = 0;
    return g_strdup_printf("etl.stream eq %u", stream);
}

static char *filter_of_stream(guint stream, guint sub_stream)
{
    (void)sub_stream;
    return g_strdup_printf("etl.stream eq %u", stream);
}

/* Activities have no addresses. */
static char *filter_of_addresses(address *source, address *destination, int source_port,
                                 int destination_port)
{
    (void)source;
    (void)destination;
    (void)source_port;
    (void)destination_port;
    return NULL;
}

static char *name_of_port(wmem_allocator_t *allocator, guint port)
{
    return wmem_strdup_printf(allocator, "%u", port);
}

static uint32_t G_GNUC_UNUSED count_streams(void)
{
    return streams != NULL ? wmem_map_size(streams) : 0;
}

ETL_FILTER_VALID(has_activity_filter)
{
    const struct etl_record *record = record_of(pinfo);
    return record != NULL && has_activity(record);
}

/* With events that begin another activity from this one. */
ETL_FILTER_BUILD(activity_filter)
{
    char guid[ETL_GUID_TEXT_SIZE];
    etl_guid_format(&record_of(pinfo)->event.activity, guid);
    return g_strdup_printf("etl.activity_id == %s || etl.related_activity_id == %s", guid, guid);
}

ETL_FILTER_VALID(has_process_filter)
{
    const struct etl_record *record = record_of(pinfo);
    return record != NULL && record->has_ids && record->process_id != ETL_ID_UNKNOWN;
}

/* Process ids are used again: by name as well, where that is known. */
ETL_FILTER_BUILD(process_filter)
{
    const struct etl_record *record = record_of(pinfo);
    struct etl_record_name name;
    char text[256];
    if (etl_record_find_name(record, ETL_KEY_PROCESS, record->process_id, &name)) {
        etl_utf8_of_ansi(name.text.at, name.text.size, text, sizeof text);
        if (text[0] != '\0' && strpbrk(text, "\"\\") == NULL) {
            return g_strdup_printf("etl.pid == %u && etl.pid.name == \"%s\"", record->process_id,
                                   text);
        }
    }
    return g_strdup_printf("etl.pid == %u", record->process_id);
}

ETL_FILTER_VALID(has_thread_filter)
{
    const struct etl_record *record = record_of(pinfo);
    return record != NULL && record->has_ids && record->thread_id != ETL_ID_UNKNOWN;
}

ETL_FILTER_BUILD(thread_filter)
{
    return g_strdup_printf("etl.tid == %u", record_of(pinfo)->thread_id);
}

void etl_activities_register(int protocol)
{
    static hf_register_info infos[] = {
        {&field_stream,
         {"Activity number", "etl.stream", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    };
    proto_register_field_array(protocol, infos, array_length(infos));
    register_init_routine(start_file);
    tap = register_tap("etl_follow");
    etl_register_follow(protocol, "etl_follow", filter_of_packet, filter_of_stream,
                        filter_of_addresses, name_of_port, follow_tvb_tap_listener, count_streams);
    etl_register_conversation_filter("Activity", has_activity_filter, activity_filter);
    etl_register_conversation_filter("Process", has_process_filter, process_filter);
    etl_register_conversation_filter("Thread", has_thread_filter, thread_filter);
}
