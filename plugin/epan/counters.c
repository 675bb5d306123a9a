/* Values of a performance log, one line each. */
#include "epan/counters.h"

#include "etl/counters.h"

/* More do not fit a line. */
#define LINE_COUNTERS 4

static void show_text(struct etl_tree_sink *tree_sink, enum etl_fact fact, const void *text,
                      size_t length)
{
    if (length > 0 && etl_tree_sink_wants(tree_sink, etl_fact(fact))) {
        struct etl_value value = {.bytes = text, .length = length, .encoding = ETL_ENCODING_UTF8};
        tree_sink->sink.value(&tree_sink->sink, etl_fact(fact), &value);
    }
}

static void show_counter(struct etl_tree_sink *tree_sink, const struct etl_counter *counter)
{
    char path[ETL_COUNTER_PATH_SIZE];
    size_t length = etl_counter_path(counter, path);
    tree_sink->last_item = NULL;
    show_text(tree_sink, ETL_FACT_CounterPath, path, length);
    if (tree_sink->visible) {
        proto_item_append_text(tree_sink->last_item, " = %" PRId64, counter->first);
    }
    etl_tree_sink_enter(tree_sink, tree_sink->last_item);
    show_text(tree_sink, ETL_FACT_ObjectName, counter->object.at, counter->object.size);
    show_text(tree_sink, ETL_FACT_InstanceName, counter->instance.at, counter->instance.size);
    show_text(tree_sink, ETL_FACT_CounterName, counter->name.at, counter->name.size);
    if (etl_tree_sink_wants(tree_sink, etl_fact(ETL_FACT_CounterType))) {
        etl_decode_number(&tree_sink->sink, etl_fact(ETL_FACT_CounterType), NULL, 0, counter->type);
    }
    etl_tree_sink_leave(tree_sink);
}

static bool is_wanted(const struct etl_tree_sink *tree_sink)
{
    size_t first = etl_fact(ETL_FACT_CounterPath)->number;
    return tree_sink->visible ||
           etl_any_referenced(first, etl_fact(ETL_FACT_CounterType)->number + 1u - first);
}

void etl_counters_show(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    struct etl_counter_walk walk;
    struct etl_counter counter;
    struct etl_guid log;
    if (record->counters.size == 0 || !is_wanted(tree_sink) ||
        !etl_counters_is_values(&record->event, &log) ||
        !etl_counters_start(&walk, &record->event, record->counters)) {
        return;
    }
    tree_sink->subtree = ETL_SUBTREE_PAYLOAD;
    tree_sink->sink.begin(&tree_sink->sink, NULL, "Counters", NULL, 0);
    while (etl_counters_next(&walk, &counter)) {
        show_counter(tree_sink, &counter);
    }
    tree_sink->sink.end(&tree_sink->sink);
}

bool etl_counters_line(struct etl_line *line, const struct etl_record *record)
{
    struct etl_counter_walk walk;
    struct etl_counter counter;
    struct etl_guid log;
    if (record->counters.size == 0 || !etl_counters_is_values(&record->event, &log) ||
        !etl_counters_start(&walk, &record->event, record->counters)) {
        return false;
    }
    size_t shown = 0;
    for (; shown < LINE_COUNTERS && etl_counters_next(&walk, &counter); shown++) {
        char path[ETL_COUNTER_PATH_SIZE];
        char number[24];
        size_t length = etl_counter_path(&counter, path);
        etl_line_text(line, shown > 0 ? ", " : " ");
        etl_line_span(line, path, length);
        snprintf(number, sizeof number, " = %" PRId64, counter.first);
        etl_line_text(line, number);
    }
    if (shown == LINE_COUNTERS && etl_counters_next(&walk, &counter)) {
        etl_line_text(line, " …");
    }
    return shown > 0;
}
