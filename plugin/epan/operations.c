/*
 * What has begun and not ended is found by its key; what has ended is kept in the order of the
 * frames in which it did, 24 bytes each:
 *
 *     frame 12  disk read begins  ┐  { ends 15, began 12, name, duration }
 *     frame 15  disk read ends    ┘
 *
 * Decided when Wireshark sees a frame for the first time. When frames are seen again, whoever looks
 * at a beginning gets the end as well.
 */
#include "epan/operations.h"

#include "epan/fields.h"
#include "epan/labels.h"
#include "etl/operations.h"

#include <epan/packet.h>
#include <epan/srt_table.h>
#include <epan/tap.h>

/* A hostile or endless trace shall not fill the memory: beginnings over this find no end, … */
#define OPEN_MAX (1u << 20)
/* … and what ended after so many is shown at its end only, when it is first seen. */
#define ENDED_MAX (1u << 22)
/* Providers and tasks with names of their own: the others share one. */
#define NAMES_MAX 1024

#define NANOSECONDS_PER_TICK 100

struct open_operation {
    uint64_t key;
    nstime_t began;
    uint32_t frame;
    uint32_t name;
};

struct ended_operation {
    uint32_t end_frame;
    uint32_t start_frame; /* 0: both ends are one event's */
    uint32_t name;
    uint64_t duration; /* nanoseconds */
};

/* Names that were seen, for as long as the program runs: numbers of rows in Wireshark's table. */
static GPtrArray *names;
static GHashTable *numbers_of_names;

static wmem_map_t *open_operations;
static wmem_array_t *ended;
static uint64_t *by_start; /* start frame << 32 | place in `ended`; sorted */
static guint by_start_count;

static int tap = -1;
static int field_start_frame = -1;
static int field_end_frame = -1;
static int field_operation = -1;
static int field_duration = -1;

static uint32_t number_of_name(const char *name)
{
    gpointer number;
    if (g_hash_table_lookup_extended(numbers_of_names, name, NULL, &number)) {
        return GPOINTER_TO_UINT(number);
    }
    if (names->len >= NAMES_MAX) {
        return 0;
    }
    char *copy = g_strdup(name);
    g_ptr_array_add(names, copy);
    g_hash_table_insert(numbers_of_names, copy, GUINT_TO_POINTER(names->len - 1));
    return names->len - 1;
}

static void start_file(void)
{
    open_operations = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    ended = wmem_array_new(wmem_file_scope(), sizeof(struct ended_operation));
    by_start = NULL;
    by_start_count = 0;
}

/* "Contoso-OrderClient: Order" */
static const char *task_name(wmem_allocator_t *pool, const struct etl_record *record)
{
    const char *provider = etl_event_provider_name(pool, record);
    char guid[ETL_GUID_TEXT_SIZE];
    etl_guid_format(&record->event.provider, guid);
    provider = provider != NULL ? provider : guid;
    if (record->schema != NULL && record->schema->texts[ETL_SCHEMA_TASK][0] != '\0') {
        return wmem_strdup_printf(pool, "%s: %s", provider, record->schema->texts[ETL_SCHEMA_TASK]);
    }
    return wmem_strdup_printf(pool, "%s: task %u", provider, record->event.task);
}

static uint32_t name_of(packet_info *pinfo, const struct etl_record *record,
                        const struct etl_operation *operation)
{
    return number_of_name(operation->name != NULL ? operation->name
                                                  : task_name(pinfo->pool, record));
}

/* One that begins again before it has ended never ended, as far as is known. */
static void begin(packet_info *pinfo, const struct etl_record *record,
                  const struct etl_operation *operation)
{
    struct open_operation *open = wmem_map_lookup(open_operations, &operation->key);
    if (open == NULL && wmem_map_size(open_operations) < OPEN_MAX) {
        open = wmem_new(wmem_file_scope(), struct open_operation);
        open->key = operation->key;
        wmem_map_insert(open_operations, &open->key, open);
    }
    if (open != NULL) {
        open->began = pinfo->abs_ts;
        open->frame = pinfo->num;
        open->name = name_of(pinfo, record, operation);
    }
}

static bool end(packet_info *pinfo, const struct etl_operation *operation,
                struct ended_operation *ret_ended)
{
    struct open_operation *open = wmem_map_lookup(open_operations, &operation->key);
    nstime_t duration;
    if (open == NULL) {
        return false;
    }
    nstime_delta(&duration, &pinfo->abs_ts, &open->began);
    double whole = nstime_to_sec(&duration);
    bool forward = whole >= 0 && whole < (double)(INT64_MAX / 2000000000);
    if (forward) {
        *ret_ended = (struct ended_operation){.end_frame = pinfo->num,
                                              .start_frame = open->frame,
                                              .name = open->name,
                                              .duration = (uint64_t)duration.secs * 1000000000 +
                                                          (uint64_t)duration.nsecs};
    }
    wmem_map_remove(open_operations, &operation->key);
    wmem_free(wmem_file_scope(), open);
    return forward;
}

static const struct ended_operation *ended_at(guint place)
{
    return (const struct ended_operation *)wmem_array_index(ended, place);
}

static bool find_end(uint32_t frame, struct ended_operation *ret_ended)
{
    guint low = 0;
    guint high = wmem_array_get_count(ended);
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (ended_at(middle)->end_frame < frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < wmem_array_get_count(ended) && ended_at(low)->end_frame == frame;
    if (found) {
        *ret_ended = *ended_at(low);
    }
    return found;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Only when somebody looks at a beginning, and more has ended since. */
static void sort_by_start(void)
{
    guint count = wmem_array_get_count(ended);
    if (by_start_count == count) {
        return;
    }
    by_start = wmem_realloc(wmem_file_scope(), by_start, count * sizeof *by_start);
    for (guint i = 0; i < count; i++) {
        by_start[i] = (uint64_t)ended_at(i)->start_frame << 32 | i;
    }
    qsort(by_start, count, sizeof *by_start, compare);
    by_start_count = count;
}

static bool find_start(uint32_t frame, struct ended_operation *ret_ended)
{
    sort_by_start();
    guint low = 0;
    guint high = by_start_count;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (by_start[middle] >> 32 < frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < by_start_count && by_start[low] >> 32 == frame;
    if (found) {
        *ret_ended = *ended_at((guint)(by_start[low] & UINT32_MAX));
    }
    return found;
}

/* Of an event that is an end; false where no beginning is known. */
static bool end_of_frame(packet_info *pinfo, const struct etl_record *record,
                         const struct etl_operation *operation, struct ended_operation *ret_ended)
{
    if (operation->role == ETL_OPERATION_LASTED) {
        *ret_ended = (struct ended_operation){.end_frame = pinfo->num,
                                              .name = name_of(pinfo, record, operation),
                                              .duration = operation->duration *
                                                          NANOSECONDS_PER_TICK};
        return operation->duration <= INT64_MAX / NANOSECONDS_PER_TICK;
    }
    if (PINFO_FD_VISITED(pinfo)) {
        return find_end(pinfo->num, ret_ended);
    }
    bool found = end(pinfo, operation, ret_ended);
    if (found && wmem_array_get_count(ended) < ENDED_MAX) {
        wmem_array_append_one(ended, *ret_ended);
    }
    return found;
}

static void add_frame(tvbuff_t *tvb, proto_tree *tree, int field, uint32_t frame)
{
    if (frame != 0) {
        proto_item_set_generated(proto_tree_add_uint(tree, field, tvb, 0, 0, frame));
    }
}

static void add_duration(tvbuff_t *tvb, proto_tree *tree, const struct ended_operation *operation)
{
    nstime_t duration = {.secs = (time_t)(operation->duration / 1000000000),
                         .nsecs = (int)(operation->duration % 1000000000)};
    proto_item_set_generated(proto_tree_add_string(tree, field_operation, tvb, 0, 0,
                                                   g_ptr_array_index(names, operation->name)));
    proto_item_set_generated(proto_tree_add_time(tree, field_duration, tvb, 0, 0, &duration));
}

static void queue(packet_info *pinfo, const struct ended_operation *operation)
{
    if (have_tap_listener(tap)) {
        struct ended_operation *copy = wmem_new(pinfo->pool, struct ended_operation);
        *copy = *operation;
        tap_queue_packet(tap, pinfo, copy);
    }
}

void etl_operations_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                         const struct etl_record *record)
{
    struct etl_operation operation;
    struct ended_operation found;
    if (!etl_operation_may_be(&record->event) ||
        !etl_operation_of_event(&record->event, &record->context, record->process_id, &operation)) {
        return;
    }
    if (operation.role == ETL_OPERATION_BEGINS) {
        if (!PINFO_FD_VISITED(pinfo)) {
            begin(pinfo, record, &operation);
        } else if (tree != NULL && find_start(pinfo->num, &found)) {
            add_frame(tvb, tree, field_end_frame, found.end_frame);
        }
    } else if (end_of_frame(pinfo, record, &operation, &found)) {
        if (tree != NULL) {
            add_frame(tvb, tree, field_start_frame, found.start_frame);
            add_duration(tvb, tree, &found);
        }
        queue(pinfo, &found);
    }
}

/* The table's rows are names in the order in which they were first seen. */
static tap_packet_status count(void *data, packet_info *pinfo, epan_dissect_t *edt,
                               const void *tapped, tap_flags_t flags)
{
    const srt_data_t *shown = data;
    const struct ended_operation *operation = tapped;
    srt_stat_table *table = g_array_index(shown->srt_array, srt_stat_table *, 0);
    int row = (int)operation->name;
    nstime_t duration = {.secs = (time_t)(operation->duration / 1000000000),
                         .nsecs = (int)(operation->duration % 1000000000)};
    nstime_t began;
    (void)edt;
    (void)flags;
    if (row >= table->num_procs) {
        for (int i = table->num_procs; i <= row; i++) {
            init_srt_table_row(table, i, g_ptr_array_index(names, (guint)i));
        }
    }
    nstime_delta(&began, &pinfo->abs_ts, &duration);
    add_srt_table_data(table, row, &began, pinfo);
    return TAP_PACKET_REDRAW;
}

static void start_table(struct register_srt *srt, GArray *tables)
{
    (void)srt;
    srt_stat_table *table = init_srt_table("ETL operations", "Operations", tables, (int)names->len,
                                           "Operation", NULL, NULL);
    for (guint i = 0; i < names->len; i++) {
        init_srt_table_row(table, (int)i, g_ptr_array_index(names, i));
    }
}

void etl_operations_register(int protocol)
{
    static hf_register_info infos[] = {
        {&field_start_frame,
         {"Began in", "etl.start_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
          0, NULL, HFILL}},
        {&field_end_frame,
         {"Ends in", "etl.end_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE),
          0, NULL, HFILL}},
        {&field_operation,
         {"Operation", "etl.operation", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&field_duration,
         {"Duration", "etl.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, NULL, HFILL}},
    };
    proto_register_field_array(protocol, infos, array_length(infos));
    names = g_ptr_array_new();
    numbers_of_names = g_hash_table_new(g_str_hash, g_str_equal);
    number_of_name("Other");
    register_init_routine(start_file);
    tap = register_tap("etl_operations");
    register_srt_table(protocol, "etl_operations", 1, count, start_table, NULL);
}
