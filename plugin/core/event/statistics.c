/*
 * What one event adds to a statistic: looks for the few fields that its sums name, by label, in
 * whatever layout the event's version has. Knows no names of processes or files.
 */
#include "etl/statistics.h"

#include "etl/decode.h"

#include <string.h>

#define STATISTIC(id, title, row_title, who) static const struct etl_sum sums_of_##id[] = {
#define SUM(column_name, hook, amount_kind, field_label) \
    {column_name, hook, ETL_AMOUNT_##amount_kind, field_label},
#define END \
    }       \
    ;
#include "layouts/statistics.def"

static const struct etl_statistic statistics[] = {
#define STATISTIC(id, title, row_title, who) \
    {#id, title, row_title, who, sums_of_##id, sizeof sums_of_##id / sizeof sums_of_##id[0]},
#define SUM(column, hookid, amount, label)
#define END
#include "layouts/statistics.def"
};

const struct etl_statistic *etl_statistic(enum etl_statistic_id id)
{
    return &statistics[id];
}

/* Returns the place of a name among `count`, or `count`. */
static size_t place_of(const char *const *columns, size_t count, const char *name)
{
    size_t place = 0;
    while (place < count && strcmp(columns[place], name) != 0) {
        place++;
    }
    return place;
}

size_t etl_statistic_columns(const struct etl_statistic *statistic,
                             const char *ret_columns[ETL_STATISTIC_COLUMNS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < statistic->sum_count; i++) {
        const char *name = statistic->sums[i].column;
        if (place_of(ret_columns, count, name) == count && count < ETL_STATISTIC_COLUMNS_MAX) {
            ret_columns[count++] = name;
        }
    }
    return count;
}

bool etl_statistic_is_time(const char *column)
{
    return strstr(column, "(ms)") != NULL;
}

/* Collects the fields that the statistic names. */
struct collector {
    struct etl_sink sink; /* first: the core hands it back */
    const struct etl_statistic *statistic;
    uint16_t hookid;
    struct etl_addition *addition;
    bool found[ETL_STATISTIC_SUMS_MAX];
    uint64_t numbers[ETL_STATISTIC_SUMS_MAX];
};

static bool is_label(const char *wanted, const struct etl_field *field)
{
    return wanted != NULL && strcmp(wanted, field->label) == 0;
}

static void take(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct collector *collector = (struct collector *)sink;
    const struct etl_statistic *statistic = collector->statistic;
    if (is_label(statistic->who, field)) {
        bool text = etl_type_facts(field->type)->shape == ETL_SHAPE_TEXT;
        collector->addition->has_who = true;
        collector->addition->key = field->key;
        collector->addition->who = value->number;
        if (text) {
            collector->addition->text = (struct etl_span){value->bytes, value->length};
        }
    }
    for (size_t i = 0; i < statistic->sum_count; i++) {
        const struct etl_sum *sum = &statistic->sums[i];
        if (sum->hookid == collector->hookid && is_label(sum->label, field)) {
            collector->found[i] = !value->unknown;
            collector->numbers[i] = value->number;
        }
    }
}

static void collect(struct collector *collector, const struct etl_event *event,
                    const struct etl_context *context)
{
    static const struct etl_sink functions = {
        .value = take, .begin = etl_ignore_begin, .end = etl_ignore_end, .note = etl_ignore_note};
    const struct etl_layout *layout = etl_layout_of_event(event);
    struct etl_decoder decoder = {
        .sink = &collector->sink, .clock = &context->clock, .pointer_size = event->pointer_size};
    collector->sink = functions;
    if (layout != NULL) {
        etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    }
}

/* The time since the CPU's last switch; 0 for its first one. */
static uint64_t since_switch(struct etl_switches *switches, uint16_t cpu, uint32_t trace_id,
                             int64_t now)
{
    uint32_t hash = trace_id + cpu * UINT32_C(2654435761);
    for (uint32_t i = 0; i < ETL_SWITCHES_MAX; i++) {
        struct etl_switch *at = &switches->of_cpu[(hash + i) % ETL_SWITCHES_MAX];
        if (at->used && (at->cpu != cpu || at->trace_id != trace_id)) {
            continue;
        }
        int64_t last = at->used ? at->filetime : now;
        *at = (struct etl_switch){.used = true, .cpu = cpu, .trace_id = trace_id, .filetime = now};
        return etl_time_between(last, now);
    }
    return 0;
}

/* In 100 ns; 0 where the trace has another clock, whose ticks say nothing of the counter's. */
static uint64_t time_of_ticks(const struct etl_clock *clock, uint64_t ticks)
{
    const uint64_t second = (uint64_t)ETL_FILETIME_PER_SECOND;
    bool known = clock->kind == ETL_CLOCK_PERFORMANCE_COUNTER && clock->frequency > 0;
    return known && ticks <= UINT64_MAX / second ? ticks * second / clock->frequency : 0;
}

/* What everything that a sum may need of the event is taken from. */
struct moment {
    const struct etl_clock *clock;
    bool known;
    int64_t now;          /* FILETIME */
    uint64_t switch_time; /* since the last one, if this is one */
};

static uint64_t amount_of(const struct etl_sum *sum, const struct moment *moment, bool found,
                          uint64_t number)
{
    switch (sum->amount) {
    case ETL_AMOUNT_ONE:
        return 1;
    case ETL_AMOUNT_FIELD:
        return found ? number : 0;
    case ETL_AMOUNT_SINCE:
        return found && moment->known ? etl_time_between((int64_t)number, moment->now) : 0;
    case ETL_AMOUNT_SWITCH:
        return moment->switch_time;
    case ETL_AMOUNT_TICKS:
        return found ? time_of_ticks(moment->clock, number) : 0;
    }
    return 0;
}

static bool has_sum_of(const struct etl_statistic *statistic, uint16_t hookid)
{
    bool has = false;
    for (size_t i = 0; i < statistic->sum_count; i++) {
        has = has || statistic->sums[i].hookid == hookid;
    }
    return has;
}

static bool is_switch(const struct etl_statistic *statistic, uint16_t hookid)
{
    const struct etl_sum *sum = &statistic->sums[0];
    return sum->amount == ETL_AMOUNT_SWITCH && sum->hookid == hookid;
}

bool etl_statistic_add(const struct etl_statistic *statistic, const struct etl_event *event,
                       const struct etl_context *context, uint16_t cpu,
                       struct etl_switches *switches, struct etl_addition *ret_addition)
{
    if (!event->has_hook || !has_sum_of(statistic, event->hookid)) {
        return false;
    }
    *ret_addition = (struct etl_addition){.has_who = false};
    struct collector collector = {
        .statistic = statistic, .hookid = event->hookid, .addition = ret_addition};
    struct moment moment = {.clock = &context->clock};
    const char *columns[ETL_STATISTIC_COLUMNS_MAX];
    size_t count = etl_statistic_columns(statistic, columns);
    collect(&collector, event, context);
    moment.known = event->has_time &&
                   etl_clock_filetime(&context->clock, event->raw_time, &moment.now);
    if (moment.known && is_switch(statistic, event->hookid)) {
        moment.switch_time = since_switch(switches, cpu, context->trace_id, moment.now);
    }
    for (size_t i = 0; i < statistic->sum_count; i++) {
        const struct etl_sum *sum = &statistic->sums[i];
        if (sum->hookid == event->hookid) {
            ret_addition->amounts[place_of(columns, count, sum->column)] += amount_of(
                sum, &moment, collector.found[i], collector.numbers[i]);
        }
    }
    return true;
}
