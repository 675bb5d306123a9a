/*
 * The latest events in the order in which they came, chained by their raw time; and a map of frames that have links.
 *
 *     latest:  | 7 | 3 | 9 | … | 5 |     a ring: one after the other, so that the processor's cache need not hold it
 *                ^-----+               before: the event before it in its chain
 *     chains:  | . | 3 | . |           the last event of each
 */
#include "epan/stacks.h"

#include "etl/stack.h"

#include <epan/packet.h>

/* Events that are looked back on: a stack comes soon, the half in user mode when its thread runs again. */
#define LATEST 32768

#define CHAIN_BITS 16

/* Events of one chain that are looked at: more is made up. */
#define CHAIN_MAX 16

/* An event has two halves of a stack at most; more is another's with the same time. */
#define STACKS_MAX 4

struct seen_event {
    int64_t raw_time;
    uint32_t trace_id;
    uint32_t thread;
    uint32_t frame;
    uint32_t before; /* as in chains, when this one came */
    uint16_t cpu;
    bool
        classic; /* of no kernel class: merging tools add such with the time of the event that they explain */
};

struct links {
    uint32_t event; /* of a stack; 0: none */
    uint32_t stacks[STACKS_MAX];
    unsigned count;
};

static struct seen_event *latest;        /* of the file; NULL: no event yet */
static uint32_t chains[1 << CHAIN_BITS]; /* which event is the last: 1 for the first; 0: none */
static uint32_t seen;                    /* events so far */
static wmem_map_t *links_by_frame;
static int field_stack = -1;
static int field_event = -1;
static int field_other = -1;

static void start_of_file(void)
{
    latest = NULL; /* the memory went with the last file */
    memset(chains, 0, sizeof chains);
    seen = 0;
}

void etl_stacks_register(int protocol)
{
    static hf_register_info infos[] = {
        {&field_stack, {"Stack", "etl.stack.frame", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&field_event,
         {"Event of this stack", "etl.stack.event_frame", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL,
          HFILL}},
        {&field_other,
         {"Other half of this stack", "etl.stack.other_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          NULL, HFILL}},
    };
    proto_register_field_array(protocol, infos, array_length(infos));
    links_by_frame = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash,
                                            g_direct_equal);
    register_init_routine(start_of_file);
}

static uint32_t *chain_of(int64_t raw_time)
{
    uint64_t hash = (uint64_t)raw_time * UINT64_C(0x9E3779B97F4A7C15);
    return &chains[hash >> (64 - CHAIN_BITS)];
}

void etl_stacks_expect(const struct etl_record *record)
{
    __builtin_prefetch(chain_of(record->raw_time), 1);
}

static void see_event(packet_info *pinfo, const struct etl_record *record)
{
    uint32_t *chain = chain_of(record->raw_time);
    latest[seen++ % LATEST] = (struct seen_event){
        .raw_time = record->raw_time,
        .trace_id = record->context.trace_id,
        .thread = record->has_ids ? record->thread_id : ETL_ID_UNKNOWN,
        .frame = pinfo->num,
        .before = *chain,
        .cpu = record->place.cpu,
        .classic = !record->event.has_hook && record->event.kind->family == ETL_FAMILY_FULL};
    *chain = seen;
}

/* How well an event fits: its thread's is best; a context switch is the old thread's, its stack the new one's. */
static unsigned fit(const struct seen_event *event, const struct etl_record *stack,
                    const struct etl_stack_owner *owner)
{
    if (event->raw_time != owner->raw_time || event->trace_id != stack->context.trace_id) {
        return 0;
    }
    unsigned place = event->thread == owner->thread_id ? 3 : event->cpu == stack->place.cpu ? 2 : 1;
    return 2 * place - event->classic;
}

/* The frame of the stack's event; 0: it was too long ago, is not in the file, or there are two that fit. */
static uint32_t find_event(const struct etl_record *stack, const struct etl_stack_owner *owner)
{
    const struct seen_event *best = NULL;
    unsigned best_fit = 0;
    bool one = false;
    uint32_t at = *chain_of(owner->raw_time);
    for (unsigned i = 0; at != 0 && seen - at < LATEST && i < CHAIN_MAX; i++) {
        const struct seen_event *event = &latest[(at - 1) % LATEST];
        unsigned this_fit = fit(event, stack, owner);
        if (this_fit > best_fit) {
            best = event;
            best_fit = this_fit;
            one = true;
        } else if (this_fit == best_fit) {
            one = false;
        }
        at = event->before;
    }
    return one ? best->frame : 0;
}

static struct links *links_of(uint32_t frame)
{
    struct links *links = wmem_map_lookup(links_by_frame, GUINT_TO_POINTER(frame));
    if (links == NULL) {
        links = wmem_new0(wmem_file_scope(), struct links);
        wmem_map_insert(links_by_frame, GUINT_TO_POINTER(frame), links);
    }
    return links;
}

static void see_stack(packet_info *pinfo, const struct etl_record *record,
                      const struct etl_stack_owner *owner)
{
    uint32_t event = find_event(record, owner);
    if (event == 0) {
        return;
    }
    links_of(pinfo->num)->event = event;
    struct links *links = links_of(event);
    if (links->count < STACKS_MAX) {
        links->stacks[links->count++] = pinfo->num;
    }
}

void etl_stacks_see(packet_info *pinfo, const struct etl_record *record)
{
    struct etl_stack_owner owner;
    if (PINFO_FD_VISITED(pinfo)) {
        return;
    }
    if (latest == NULL) {
        latest = wmem_alloc_array(wmem_file_scope(), struct seen_event, LATEST);
    }
    if (etl_stack_owner(&record->event, &owner)) {
        see_stack(pinfo, record, &owner);
    } else {
        see_event(pinfo, record);
    }
}

static void show(tvbuff_t *tvb, proto_tree *tree, int field, uint32_t frame)
{
    proto_item_set_generated(proto_tree_add_uint(tree, field, tvb, 0, 0, frame));
}

void etl_stacks_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    const struct links *links = wmem_map_lookup(links_by_frame, GUINT_TO_POINTER(pinfo->num));
    if (links == NULL) {
        return;
    }
    for (unsigned i = 0; i < links->count; i++) {
        show(tvb, tree, field_stack, links->stacks[i]);
    }
    if (links->event == 0) {
        return;
    }
    show(tvb, tree, field_event, links->event);
    const struct links *owner = wmem_map_lookup(links_by_frame, GUINT_TO_POINTER(links->event));
    for (unsigned i = 0; owner != NULL && i < owner->count; i++) {
        if (owner->stacks[i] != pinfo->num) {
            show(tvb, tree, field_other, owner->stacks[i]);
        }
    }
}
