/*
 * Header rows come from the core; here are the generated facts around them. Which kind of event has
 * which is one table: a fact that a kind does not have is absent, never zero.
 */
#include "epan/facts.h"

#include "epan/labels.h"
#include "epan/notes.h"
#include "etl/decode.h"
#include "etl/facts.h"
#include "etl/items.h"

static bool wants(struct etl_tree_sink *tree_sink, enum etl_fact fact)
{
    return etl_tree_sink_wants(tree_sink, etl_fact(fact));
}

static void show_number(struct etl_tree_sink *tree_sink, enum etl_fact fact, uint64_t number)
{
    if (wants(tree_sink, fact)) {
        struct etl_value value = {.number = number};
        tree_sink->sink.value(&tree_sink->sink, etl_fact(fact), &value);
    }
}

/* `text` may be NULL: nothing is known, nothing is shown. */
static void show_text(struct etl_tree_sink *tree_sink, enum etl_fact fact, const char *text)
{
    if (text != NULL && wants(tree_sink, fact)) {
        etl_decode_text(&tree_sink->sink, etl_fact(fact), NULL, 0, text);
    }
}

void etl_show_buffer_context(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_place *place = &record->place;
    size_t first = etl_fact(ETL_FACT_Cpu)->number;
    size_t end = etl_fact(ETL_FACT_OutOfOrder)->number + 1;
    if (!tree_sink->visible && !etl_any_referenced(first, end - first)) {
        return;
    }
    tree_sink->subtree = ETL_SUBTREE_BUFFER;
    tree_sink->sink.begin(&tree_sink->sink, NULL, "Buffer context", NULL, 0);
    show_number(tree_sink, ETL_FACT_Cpu, place->cpu);
    show_number(tree_sink, ETL_FACT_LoggerId, place->logger_id);
    if (record->trailer == ETL_TRAILER_GOOD || record->trailer == ETL_TRAILER_DAMAGED) {
        show_number(tree_sink, ETL_FACT_BufferNumber, place->buffer);
        show_number(tree_sink, ETL_FACT_BufferSequence, (uint64_t)place->sequence);
        show_number(tree_sink, ETL_FACT_BufferFlags, place->buffer_flags);
        show_number(tree_sink, ETL_FACT_BufferType, place->buffer_type);
        show_number(tree_sink, ETL_FACT_BufferState, place->buffer_state);
        show_number(tree_sink, ETL_FACT_BufferOffset, place->offset);
        show_number(tree_sink, ETL_FACT_Offset, place->position);
        show_number(tree_sink, ETL_FACT_OutOfOrder, place->out_of_order);
        show_number(tree_sink, ETL_FACT_TraceId, record->context.trace_id);
    }
    tree_sink->sink.end(&tree_sink->sink);
}

/* Facts that some kinds of event get and others have in their own bytes, or not at all. */
enum {
    SHOW_HEADER_TYPE = 1 << 0, /* no message has one on disk */
    SHOW_HOOK = 1 << 1,        /* of classic events of a kernel class */
    SHOW_IDS = 1 << 2,         /* of the running thread */
    SHOW_TIME = 1 << 3,
    SHOW_PROVIDER = 1 << 4,   /* the class that the hook's group stands for */
    SHOW_DESCRIPTOR = 1 << 5, /* version and opcode, as the classic form of the event has them */
};

static void show_id(struct etl_tree_sink *tree_sink, enum etl_fact fact, uint32_t id)
{
    if (id != ETL_ID_UNKNOWN) {
        show_number(tree_sink, fact, id);
    }
}

static const unsigned shown_by_family[] = {
    [ETL_FAMILY_SYSTEM] = SHOW_PROVIDER | SHOW_DESCRIPTOR,
    [ETL_FAMILY_COMPACT] = SHOW_PROVIDER | SHOW_DESCRIPTOR,
    [ETL_FAMILY_PERFINFO] = SHOW_PROVIDER | SHOW_DESCRIPTOR | SHOW_IDS,
    [ETL_FAMILY_FULL] = SHOW_HOOK,
    [ETL_FAMILY_INSTANCE] = 0,
    [ETL_FAMILY_MODERN] = SHOW_HOOK, /* only in frames that others made of classic events */
    [ETL_FAMILY_MESSAGE] = SHOW_HEADER_TYPE | SHOW_TIME,
    [ETL_FAMILY_OTHER] = SHOW_TIME,
};

static void show_hook(struct etl_tree_sink *tree_sink, uint16_t hookid)
{
    show_number(tree_sink, ETL_FACT_HookId, hookid);
    show_number(tree_sink, ETL_FACT_HookType, hookid & 0xFF);
    show_number(tree_sink, ETL_FACT_HookGroup, hookid >> 8);
}

static void show_guid(struct etl_tree_sink *tree_sink, const struct etl_guid *guid)
{
    const struct etl_field *field = etl_fact(ETL_FACT_Provider);
    if (wants(tree_sink, ETL_FACT_Provider)) {
        struct etl_value value = {.bytes = guid->bytes, .length = sizeof guid->bytes};
        tree_sink->sink.value(&tree_sink->sink, field, &value);
    }
}

/* The time stamp of an event that has none: of the one before it in its buffer. */
static void show_time(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    int64_t filetime;
    if (etl_clock_filetime(&record->context.clock, record->raw_time, &filetime)) {
        show_number(tree_sink, ETL_FACT_TimeStamp, (uint64_t)filetime);
    }
    show_number(tree_sink, ETL_FACT_RawTimeStamp, (uint64_t)record->raw_time);
}

/* The facts that a family gets in place of bytes of its own. */
static void show_family_facts(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    unsigned shown = shown_by_family[event->kind->family];
    if (shown & SHOW_HEADER_TYPE) {
        show_number(tree_sink, ETL_FACT_HeaderType, event->kind->header_type);
    }
    if (shown & SHOW_HOOK && event->has_hook) {
        show_hook(tree_sink, event->hookid);
    }
    if (shown & SHOW_IDS && record->has_ids) {
        show_id(tree_sink, ETL_FACT_ThreadId, record->thread_id);
        show_id(tree_sink, ETL_FACT_ProcessId, record->process_id);
    }
    bool left_open = event->has_ids && event->process_id == ETL_ID_UNKNOWN && record->has_ids;
    if (left_open && record->process_id != ETL_ID_UNKNOWN) {
        show_id(tree_sink, ETL_FACT_ProcessId, record->process_id);
        show_id(tree_sink, ETL_FACT_ThreadId,
                event->thread_id == ETL_ID_UNKNOWN ? record->thread_id : ETL_ID_UNKNOWN);
    }
    if (shown & SHOW_TIME && !event->has_time && record->trailer != ETL_TRAILER_NONE) {
        show_time(tree_sink, record);
    }
    if (shown & SHOW_PROVIDER && event->has_provider) {
        show_guid(tree_sink, &event->provider);
    }
    if (shown & SHOW_DESCRIPTOR) {
        show_number(tree_sink, ETL_FACT_Version, event->version);
        show_number(tree_sink, ETL_FACT_Opcode, event->opcode);
    }
}

/* "2026-03-01 10:00:00.1234567 +01:00": as a clock on the traced machine's wall showed it. */
static void show_local_time(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_context *context = &record->context;
    int64_t filetime;
    char local[40];
    char text[64];
    if (!context->local_time_known || !wants(tree_sink, ETL_FACT_LocalTime) ||
        !etl_clock_filetime(&context->clock, record->raw_time, &filetime)) {
        return;
    }
    int minutes = -context->local_time_bias; /* |minutes| <= 32768: no overflow below */
    int64_t shift = (int64_t)minutes * 60 * ETL_FILETIME_PER_SECOND;
    if (filetime > INT64_MAX - INT64_C(60) * 32768 * ETL_FILETIME_PER_SECOND || filetime < 0) {
        return;
    }
    etl_filetime_format(filetime + shift, local);
    snprintf(text, sizeof text, "%s %c%02d:%02d", local, minutes < 0 ? '-' : '+', abs(minutes) / 60,
             abs(minutes) % 60);
    show_text(tree_sink, ETL_FACT_LocalTime, text);
}

static const char *source_of_ids(const struct etl_record *record)
{
    static const char *const texts[] = {[ETL_IDS_HEADER] = "header",
                                        [ETL_IDS_PAYLOAD] = "payload",
                                        [ETL_IDS_THREAD] = "thread",
                                        [ETL_IDS_RUNNING] = "running thread"};
    return texts[etl_ids_source(&record->event, &record->context.clock, record->process_id)];
}

static void show_span(struct etl_tree_sink *tree_sink, enum etl_fact fact, struct etl_span span)
{
    if (span.size > 0 && wants(tree_sink, fact)) {
        struct etl_value value = {
            .bytes = span.at, .length = span.size, .encoding = ETL_ENCODING_UTF8};
        tree_sink->sink.value(&tree_sink->sink, etl_fact(fact), &value);
    }
}

static void show_process_facts(struct etl_tree_sink *tree_sink,
                               const struct etl_record_process *process)
{
    show_span(tree_sink, ETL_FACT_ProcessCommandLine, process->command_line);
    show_span(tree_sink, ETL_FACT_ProcessUser, process->user);
    if (process->has_parent) {
        show_number(tree_sink, ETL_FACT_ProcessParent, process->parent);
    }
    if (process->has_session) {
        show_number(tree_sink, ETL_FACT_ProcessSession, process->session);
    }
}

/* What is known about the process hangs on its id. Its name does as with all ids (key_names.h). */
static void show_process(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    struct etl_record_process process;
    if (!record->has_ids) {
        return;
    }
    etl_tree_sink_enter_watched(tree_sink);
    if (wants(tree_sink, ETL_FACT_ProcessIdSource)) {
        show_text(tree_sink, ETL_FACT_ProcessIdSource, source_of_ids(record));
    }
    if (etl_record_find_process(record, &process)) {
        show_process_facts(tree_sink, &process);
    }
    etl_tree_sink_leave(tree_sink);
}

static void show_known(struct etl_tree_sink *tree_sink, enum etl_fact fact, const char *text)
{
    show_text(tree_sink, fact, text[0] != '\0' ? text : NULL);
}

static void show_names(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    wmem_allocator_t *pool = tree_sink->pinfo->pool;
    if (wants(tree_sink, ETL_FACT_ProviderName)) {
        show_text(tree_sink, ETL_FACT_ProviderName, etl_event_provider_name(pool, record));
    }
    if (wants(tree_sink, ETL_FACT_EventName)) {
        show_text(tree_sink, ETL_FACT_EventName, etl_event_name(pool, record));
    }
    if (record->schema != NULL) {
        const char *const *texts = record->schema->texts;
        show_known(tree_sink, ETL_FACT_TaskName, texts[ETL_SCHEMA_TASK]);
        show_known(tree_sink, ETL_FACT_OpcodeName, texts[ETL_SCHEMA_OPCODE]);
        show_known(tree_sink, ETL_FACT_LevelName, texts[ETL_SCHEMA_LEVEL]);
        show_known(tree_sink, ETL_FACT_ChannelName, texts[ETL_SCHEMA_CHANNEL]);
        show_known(tree_sink, ETL_FACT_KeywordNames, texts[ETL_SCHEMA_KEYWORDS]);
    }
}

/* The layouts of items.def have numbers one after the other. */
static bool items_are_wanted(const struct etl_tree_sink *tree_sink)
{
    size_t first = etl_layout(ETL_LAYOUT_item_header)->fields[0].number;
    const struct etl_layout *last = etl_layout(ETL_LAYOUT_schema_tl_field);
    size_t end = last->fields[last->count - 1].number + 1;
    return tree_sink->visible || etl_any_referenced(first, end - first) ||
           etl_code_is_referenced() || etl_notes_are_wanted();
}

/* Kernel events come by the million, and a filter asks for one row or two. */
static void show_header_rows(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_decoder decoder = {.clock = &record->context.clock,
                                  .pointer_size = event->pointer_size};
    bool kernel = event->kind->family <= ETL_FAMILY_PERFINFO;
    if (!kernel || !etl_tree_sink_show_fixed(tree_sink, &decoder, etl_layout(event->kind->layout),
                                             &event->header)) {
        etl_event_show_header(event, &record->context, &tree_sink->sink);
    }
}

void etl_show_header(struct etl_tree_sink *tree_sink, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    tree_sink->subtree = ETL_SUBTREE_HEADER;
    tree_sink->watched_id = etl_shown(etl_fact(ETL_FACT_ProcessId))->id;
    tree_sink->sink.begin(&tree_sink->sink, NULL, event->kind->name, event->header.at,
                          event->header.size);
    show_text(tree_sink, ETL_FACT_Kind, event->kind->name);
    show_header_rows(tree_sink, record);
    show_family_facts(tree_sink, record);
    show_process(tree_sink, record);
    tree_sink->watched_id = -1;
    show_local_time(tree_sink, record);
    show_number(tree_sink, ETL_FACT_PointerSize, event->pointer_size);
    show_names(tree_sink, record);
    tree_sink->sink.end(&tree_sink->sink);
    if (event->kind->family == ETL_FAMILY_MODERN && items_are_wanted(tree_sink)) {
        etl_items_show(event, &record->context, &tree_sink->sink);
    }
}
