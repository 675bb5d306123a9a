/*
 * Keeps a table's rows: found by what they are called, the largest first. Events come here only
 * while somebody has such a table open.
 *
 * Wireshark's dialog remembers where the values of a row are, so rows never move in memory: when two
 * change places, their values do.
 */
#include "epan/statistics.h"

#include "epan/labels.h"
#include "epan/line.h"
#include "etl/decode.h"
#include "etl/record.h"
#include "etl/statistics.h"

#include <epan/packet_info.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

/* A hostile file shall not fill the memory: what comes after so many rows is one more. */
#define ROWS_MAX 65536

#define TICKS_PER_MILLISECOND 10000

/* Digits of the largest sum; numbers are as wide as each other, so that their texts sort. */
#define NUMBER_SIZE 24

struct row {
    char *name;
    guint place;
    uint64_t sums[ETL_STATISTIC_COLUMNS_MAX]; /* times in 100 ns */
    char texts[ETL_STATISTIC_COLUMNS_MAX][NUMBER_SIZE];
};

struct table {
    stat_tap_table_ui ui;
    stat_tap_table_item items[1 + ETL_STATISTIC_COLUMNS_MAX];
    const struct etl_statistic *statistic;
    const char *columns[ETL_STATISTIC_COLUMNS_MAX];
    size_t column_count;
    GHashTable *rows; /* by name; owns them. NULL: never opened */
    GPtrArray *order; /* of struct row: the first is the largest */
    struct etl_switches *switches;
    guint room; /* rows that Wireshark's table has memory for, shown or not */
};

static struct table tables[ETL_STATISTIC_COUNT];

static void free_row(gpointer data)
{
    struct row *row = data;
    g_free(row->name);
    g_free(row);
}

static void start_rows(struct table *table)
{
    if (table->rows == NULL) {
        table->rows = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_row);
        table->order = g_ptr_array_new();
        table->switches = g_new(struct etl_switches, 1);
    }
    g_hash_table_remove_all(table->rows);
    g_ptr_array_set_size(table->order, 0);
    memset(table->switches, 0, sizeof *table->switches);
}

static struct table *table_of(const stat_tap_table_ui *ui)
{
    return (struct table *)ui; /* its first member */
}

static struct table *table_with(const stat_tap_table *shown)
{
    struct table *table = tables;
    while (strcmp(table->statistic->title, shown->title) != 0) {
        table++;
    }
    return table;
}

/* Memory of rows stays: a dialog may still point to it. */
static void reset(stat_tap_table *shown)
{
    struct table *table = table_with(shown);
    for (guint i = 0; i < table->room; i++) {
        memset(shown->elements[i], 0, shown->num_fields * sizeof shown->elements[i][0]);
        for (guint column = 0; column < shown->num_fields; column++) {
            shown->elements[i][column].type = TABLE_ITEM_STRING;
            shown->elements[i][column].value.string_value = "";
        }
    }
    shown->num_elements = 0;
    start_rows(table);
}

static void start(stat_tap_table_ui *ui)
{
    struct table *table = table_of(ui);
    stat_tap_table *shown = stat_tap_find_table(ui, table->statistic->title);
    if (shown != NULL) {
        reset(shown);
        return;
    }
    shown = stat_tap_init_table(table->statistic->title, (int)ui->nfields, 0, NULL);
    stat_tap_add_table(ui, shown);
    table->room = 0;
    start_rows(table);
}

/* Texts, as numbers of more than 32 bits are shown with six decimals by some versions. */
static void format(struct row *row, size_t column, bool is_time)
{
    uint64_t sum = row->sums[column];
    if (is_time) {
        snprintf(row->texts[column], NUMBER_SIZE, "%12" PRIu64 ".%04u", sum / TICKS_PER_MILLISECOND,
                 (unsigned)(sum % TICKS_PER_MILLISECOND));
    } else {
        snprintf(row->texts[column], NUMBER_SIZE, "%14" PRIu64, sum);
    }
}

static void show(struct table *table, stat_tap_table *shown, struct row *row)
{
    stat_tap_table_item_type values[1 + ETL_STATISTIC_COLUMNS_MAX] = {
        {.type = TABLE_ITEM_STRING, .value.string_value = row->name}};
    for (size_t i = 0; i < table->column_count; i++) {
        format(row, i, etl_statistic_is_time(table->columns[i]));
        values[1 + i].type = TABLE_ITEM_STRING;
        values[1 + i].value.string_value = row->texts[i];
    }
    if (row->place < table->room && row->place >= shown->num_elements) {
        shown->num_elements = row->place + 1;
    }
    stat_tap_init_table_row(shown, row->place, (guint)table->ui.nfields, values);
    table->room = MAX(table->room, shown->num_elements);
}

static struct row *row_of(struct table *table, const char *name)
{
    struct row *row = g_hash_table_lookup(table->rows, name);
    if (row == NULL && table->order->len >= ROWS_MAX) {
        name = "(others)";
        row = g_hash_table_lookup(table->rows, name);
    }
    if (row == NULL) {
        row = g_new0(struct row, 1);
        row->name = g_strdup(name);
        row->place = table->order->len;
        g_hash_table_insert(table->rows, row->name, row);
        g_ptr_array_add(table->order, row);
    }
    return row;
}

/* Up past all that are less. */
static void move_up(struct table *table, stat_tap_table *shown, struct row *row)
{
    gpointer *order = table->order->pdata;
    while (row->place > 0 && ((struct row *)order[row->place - 1])->sums[0] < row->sums[0]) {
        struct row *less = order[row->place - 1];
        order[row->place] = less;
        order[row->place - 1] = row;
        less->place++;
        row->place--;
        show(table, shown, less);
    }
}

static void add_process(struct etl_line *line, const struct etl_record *record, uint64_t id)
{
    struct etl_record_name name;
    if (etl_record_find_name(record, ETL_KEY_PROCESS, id, &name) && name.text.size > 0) {
        etl_line_foreign(line, name.text.at, name.text.size);
        etl_line_text(line, " (");
        etl_line_number(line, id);
        etl_line_text(line, ")");
    } else {
        etl_line_text(line, "PID ");
        etl_line_number(line, id);
    }
}

static void add_own_process(struct etl_line *line, const struct etl_record *record)
{
    if (record->has_ids && record->process_id != ETL_ID_UNKNOWN) {
        add_process(line, record, record->process_id);
    } else {
        etl_line_text(line, "unknown process");
    }
}

static void add_thread(struct etl_line *line, const struct etl_record *record, uint64_t id)
{
    struct etl_record_name name;
    if (record->has_ids && record->thread_id == id && record->process_id != ETL_ID_UNKNOWN) {
        add_process(line, record, record->process_id);
    } else if (etl_record_find_name(record, ETL_KEY_THREAD, id, &name) && name.text.size > 0) {
        etl_line_foreign(line, name.text.at, name.text.size);
    } else {
        etl_line_text(line, "TID ");
        etl_line_number(line, id);
    }
}

/* A file by its path, a routine by its module; else the number. */
static void add_other(struct etl_line *line, const struct etl_record *record,
                      const struct etl_addition *addition)
{
    struct etl_record_name name;
    struct etl_record_image image;
    if (addition->key == ETL_KEY_CODE && etl_record_find_image(record, addition->who, &image)) {
        etl_line_foreign(line, image.name.at, image.name.size);
    } else if (etl_record_find_name(record, addition->key, addition->who, &name) &&
               name.text.size > 0) {
        etl_line_foreign(line, name.text.at, name.text.size);
    } else {
        char text[24];
        snprintf(text, sizeof text, "0x%016" PRIx64, addition->who);
        etl_line_text(line, text);
    }
}

static void name_row(struct etl_line *line, const struct etl_record *record,
                     const struct etl_addition *addition)
{
    char text[512];
    etl_line_start(line);
    if (!addition->has_who) {
        add_own_process(line, record);
    } else if (addition->text.size > 0) {
        etl_utf8_of_utf16(addition->text.at, addition->text.size, text, sizeof text);
        etl_line_text(line, text);
    } else if (addition->key == ETL_KEY_PROCESS) {
        add_process(line, record, addition->who);
    } else if (addition->key == ETL_KEY_THREAD) {
        add_thread(line, record, addition->who);
    } else {
        add_other(line, record, addition);
    }
}

static tap_packet_status count_event(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                     const void *tapped, tap_flags_t flags)
{
    struct table *table = table_of(((stat_data_t *)data)->stat_tap_data);
    const struct etl_record *record = tapped;
    struct etl_addition addition;
    struct etl_line name;
    (void)pinfo;
    (void)edt;
    (void)flags;
    if (!etl_statistic_add(table->statistic, &record->event, &record->context, record->place.cpu,
                           table->switches, &addition)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    stat_tap_table *shown = stat_tap_find_table(&table->ui, table->statistic->title);
    name_row(&name, record, &addition);
    struct row *row = row_of(table, name.text);
    for (size_t i = 0; i < table->column_count; i++) {
        row->sums[i] += addition.amounts[i];
    }
    move_up(table, shown, row);
    show(table, shown, row);
    return TAP_PACKET_REDRAW;
}

/* Text is cut and numbers stand in line in tshark's output. */
static void describe_columns(struct table *table)
{
    table->items[0] = (stat_tap_table_item){.type = TABLE_ITEM_STRING,
                                            .align = TAP_ALIGN_LEFT,
                                            .column_name = table->statistic->row_title,
                                            .field_format = "%-40s"};
    for (size_t i = 0; i < table->column_count; i++) {
        table->items[1 + i] = (stat_tap_table_item){.type = TABLE_ITEM_STRING,
                                                    .align = TAP_ALIGN_RIGHT,
                                                    .column_name = table->columns[i],
                                                    .field_format = "%s"};
    }
}

static void register_table(struct table *table)
{
    static tap_param params[] = {{PARAM_FILTER, "filter", "Filter", NULL, TRUE}};
    table->column_count = etl_statistic_columns(table->statistic, table->columns);
    describe_columns(table);
    table->ui = (stat_tap_table_ui){
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = g_strdup_printf("ETL: %s", table->statistic->title),
        .tap_name = "etl",
        .cli_string = g_strdup_printf("etl,%s", table->statistic->id),
        .stat_tap_init_cb = start,
        .packet_func = count_event,
        .stat_tap_reset_table_cb = reset,
        .nfields = 1 + table->column_count,
        .fields = table->items,
        .nparams = G_N_ELEMENTS(params),
        .params = params,
    };
    register_stat_tap_table_ui(&table->ui);
}

void etl_statistics_register(void)
{
    for (size_t i = 0; i < ETL_STATISTIC_COUNT; i++) {
        tables[i].statistic = etl_statistic((enum etl_statistic_id)i);
        register_table(&tables[i]);
    }
}
