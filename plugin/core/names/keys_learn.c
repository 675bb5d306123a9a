/*
 * From events to meanings: plugin/layouts/learned.def says which events name what, and under which labels.
 */
#include "core/decode/pick.h"
#include "core/names/keys_private.h"
#include "etl/counters.h"
#include "etl/embedded.h"
#include "etl/event_source.h"
#include "etl/packet.h"

#include <string.h>

/* Longer names are cut: a path has at most 32,767 characters, and few have more than 260. */
#define NAME_SIZE 1024

/* Longer command lines are cut in frames. Whole ones are in the events of the process. */
#define COMMAND_LINE_SIZE 1024

/* Addresses of one stack; Windows walks at most 192. */
#define STACK_ADDRESSES_MAX 256

enum moment { BEGINS, KNOWN, ENDS };

struct source {
    struct etl_keys *keys;
    const struct etl_event *event;
    const struct etl_context *context;
    const struct etl_layout *layout;
    enum moment moment;
};

static void pick(const struct source *source, struct etl_pick *picks, size_t count)
{
    etl_pick(source->event, &source->context->clock, source->layout, picks, count);
}

static void add(const struct source *source, enum etl_key key, uint32_t scope, uint64_t id,
                uint32_t value)
{
    const struct etl_meaning meaning = {.time = source->event->raw_time,
                                        .id = id,
                                        .scope = scope,
                                        .value = value,
                                        .begins = source->moment == BEGINS,
                                        .ends = source->moment == ENDS};
    etl_meanings_add(&source->keys->meanings[key], &meaning);
}

static void learn_process(const struct source *source)
{
    struct etl_keys *keys = source->keys;
    struct etl_pick picks[] = {{.label = "ProcessId"}, {.label = "ImageFileName"},
                               {.label = "ParentId"},  {.label = "SessionId"},
                               {.label = "UserSID"},   {.label = "CommandLine"}};
    enum { PROCESS, NAME, PARENT, SESSION, USER, COMMAND_LINE };
    struct etl_process_facts facts = {0};
    char text[COMMAND_LINE_SIZE];
    uint32_t value;
    pick(source, picks, sizeof picks / sizeof picks[0]);
    size_t length = etl_pick_text(&picks[NAME], text, NAME_SIZE);
    bool known = picks[PROCESS].count > 0 && length > 0 &&
                 etl_pool_add_text(&keys->texts, text, &facts.name);
    etl_pick_text(&picks[COMMAND_LINE], text, sizeof text);
    known = known && etl_pool_add_text(&keys->texts, text, &facts.command_line) &&
            etl_pool_add(&keys->texts, picks[USER].value.bytes, picks[USER].value.length,
                         &facts.user);
    facts.has_parent = picks[PARENT].count > 0;
    facts.parent = (uint32_t)picks[PARENT].value.number;
    facts.has_session = picks[SESSION].count > 0;
    facts.session = (uint32_t)picks[SESSION].value.number;
    if (known && etl_pool_add(&keys->facts, &facts, sizeof facts, &value)) {
        add(source, ETL_KEY_PROCESS, 0, (uint32_t)picks[PROCESS].value.number, value);
    }
}

static void learn_thread(const struct source *source)
{
    struct etl_pick picks[] = {{.label = "TThreadId"}, {.label = "ProcessId"}};
    pick(source, picks, 2);
    if (picks[0].count > 0 && picks[1].count > 0) {
        add(source, ETL_KEY_THREAD, 0, (uint32_t)picks[0].value.number,
            (uint32_t)picks[1].value.number);
    }
}

/* What is after the last backslash. */
static const char *file_of_path(const char *path)
{
    const char *slash = strrchr(path, '\\');
    return slash != NULL ? slash + 1 : path;
}

static uint32_t scope_of_image(const struct source *source, uint64_t base, uint64_t process)
{
    bool kernel = etl_is_kernel_address(base, source->event->pointer_size);
    return kernel ? ETL_SCOPE_KERNEL : (uint32_t)process;
}

/* Labels of the first version, and of all later ones. */
static void learn_image(const struct source *source)
{
    struct etl_pick picks[] = {{.label = "ImageBase"},    {.label = "ImageSize"},
                               {.label = "ProcessId"},    {.label = "FileName"},
                               {.label = "BaseAddress"},  {.label = "ModuleSize"},
                               {.label = "ImageFileName"}};
    enum { BASE, SIZE, PROCESS, NAME, OLD };
    char path[NAME_SIZE];
    pick(source, picks, sizeof picks / sizeof picks[0]);
    size_t old = picks[BASE].count > 0 ? 0 : OLD;
    const struct etl_pick *name = &picks[old == 0 ? NAME : OLD + 2];
    uint64_t base = picks[old + BASE].value.number;
    uint64_t size = picks[old + SIZE].value.number;
    static const enum etl_image_moment moments[] = {
        [BEGINS] = ETL_IMAGE_LOAD, [KNOWN] = ETL_IMAGE_KNOWN, [ENDS] = ETL_IMAGE_UNLOAD};
    struct etl_image_span row = {.base = base,
                                 .end = base + size,
                                 .from = source->event->raw_time,
                                 .scope = scope_of_image(source, base, picks[PROCESS].value.number),
                                 .moment = (uint8_t)moments[source->moment]};
    if (etl_pick_text(name, path, sizeof path) > 0 && row.end > base &&
        etl_pool_add_text(&source->keys->texts, file_of_path(path), &row.name)) {
        etl_images_add(&source->keys->images, &row);
    }
}

static void learn_pdb(const struct source *source)
{
    struct etl_pick picks[] = {{.label = "ImageBase"},
                               {.label = "ProcessId"},
                               {.label = "GuidSig"},
                               {.label = "Age"},
                               {.label = "PdbFileName"}};
    enum { BASE, PROCESS, ID, AGE, NAME };
    char path[NAME_SIZE];
    pick(source, picks, sizeof picks / sizeof picks[0]);
    uint64_t base = picks[BASE].value.number;
    struct etl_image_pdb pdb = {.base = base,
                                .time = source->event->raw_time,
                                .scope = scope_of_image(source, base, picks[PROCESS].value.number),
                                .age = (uint32_t)picks[AGE].value.number};
    if (etl_pick_text(&picks[NAME], path, sizeof path) > 0 && picks[ID].value.length == 16 &&
        etl_pool_add_text(&source->keys->texts, file_of_path(path), &pdb.name)) {
        memcpy(pdb.guid.bytes, picks[ID].value.bytes, sizeof pdb.guid.bytes);
        etl_images_add_pdb(&source->keys->images, &pdb);
    }
}

/* The addresses stand one after the other, as wide as the event's pointers. */
static void learn_stack(const struct source *source)
{
    struct etl_pick picks[] = {{.label = "key"}, {.label = "StackFrame"}};
    uint8_t addresses[8 * STACK_ADDRESSES_MAX];
    uint32_t value;
    pick(source, picks, 2);
    size_t width = source->event->pointer_size;
    size_t count = picks[1].count < STACK_ADDRESSES_MAX ? picks[1].count : STACK_ADDRESSES_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = picks[1].value.at + i * width;
        etl_store_u64(addresses + 8 * i, width == 4 ? etl_load_u32(at) : etl_load_u64(at));
    }
    if (picks[0].count > 0 && count > 0 &&
        etl_pool_add(&source->keys->stacks, addresses, 8 * count, &value)) {
        add(source, ETL_KEY_STACK, 0, picks[0].value.number, value);
    }
}

static void learn_drive(const struct source *source)
{
    struct etl_pick picks[] = {{.label = "NtPath"}, {.label = "DosPath"}};
    struct etl_keys *keys = source->keys;
    struct etl_drive drive;
    char nt_path[NAME_SIZE];
    char dos_path[NAME_SIZE];
    pick(source, picks, 2);
    if (keys->drive_count < ETL_DRIVES_MAX &&
        etl_pick_text(&picks[0], nt_path, sizeof nt_path) > 0 &&
        etl_pick_text(&picks[1], dos_path, sizeof dos_path) <= strlen(nt_path) &&
        etl_pool_add_text(&keys->texts, nt_path, &drive.nt_path) &&
        etl_pool_add_text(&keys->texts, dos_path, &drive.dos_path)) {
        keys->drives[keys->drive_count++] = drive;
    }
}

static void learn_counters(const struct source *source)
{
    uint8_t list[ETL_COUNTERS_SIZE_MAX];
    struct etl_guid log;
    uint32_t value;
    if (etl_counters_is_list(source->event, &log) &&
        etl_pool_add(&source->keys->texts, list, etl_counters_pack(source->event, list), &value)) {
        add(source, ETL_KEY_PERFORMANCE_LOG, etl_load_u32(log.bytes + 8), etl_load_u64(log.bytes),
            value);
    }
}

/* One id and its name, by their labels. */
static void learn_name(const struct source *source, enum etl_key key, const char *id_label,
                       const char *name_label)
{
    struct etl_pick picks[] = {{.label = id_label}, {.label = name_label}, {.label = "ProcessId"}};
    char name[NAME_SIZE];
    uint32_t value;
    pick(source, picks, key == ETL_KEY_SERVICE_TAG ? 3 : 2);
    if (picks[0].count > 0 && etl_pick_text(&picks[1], name, sizeof name) > 0 &&
        etl_pool_add_text(etl_keys_pool(source->keys, key), name, &value)) {
        add(source, key, (uint32_t)picks[2].value.number, picks[0].value.number, value);
    }
}

/* A row of learned.def. Without `learn` it is of the names. */
struct row {
    uint16_t hookid;
    uint16_t layout;
    enum moment moment;
    void (*learn)(const struct source *source);
    enum etl_key key;
    const char *id_label;
    const char *name_label;
};

static const struct row rows[] = {
#define LEARN(hook, what, when) {.hookid = (hook), .moment = (when), .learn = learn_##what},
#define NAME(hook, what, id, text, when) \
    {.hookid = (hook),                   \
     .moment = (when),                   \
     .key = ETL_KEY_##what,              \
     .id_label = (id),                   \
     .name_label = (text)},
#define CLASS_LEARN(name, what) \
    {.layout = ETL_LAYOUT_##name, .moment = KNOWN, .learn = learn_##what},
#define CLASS_NAME(name, what, id, text) \
    {.layout = ETL_LAYOUT_##name,        \
     .moment = KNOWN,                    \
     .key = ETL_KEY_##what,              \
     .id_label = (id),                   \
     .name_label = (text)},
#include "layouts/learned.def"
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

uint8_t etl_learned_hooks[0x10000 / 8];

void etl_keys_set_hooks(void)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].layout == ETL_LAYOUT_NONE) {
            etl_learned_hooks[rows[i].hookid >> 3] |= (uint8_t)(1 << (rows[i].hookid & 7));
        }
    }
}

static void learn_by_rows(struct source *source)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &rows[i];
        bool fits = row->layout == ETL_LAYOUT_NONE
                        ? source->event->has_hook && row->hookid == source->event->hookid
                        : source->layout == etl_layout((enum etl_layout_id)row->layout);
        source->moment = row->moment;
        if (fits && row->learn != NULL) {
            row->learn(source);
        } else if (fits) {
            learn_name(source, row->key, row->id_label, row->name_label);
        }
    }
}

void etl_keys_learn(struct etl_keys *keys, const struct etl_event *event,
                    const struct etl_context *context)
{
    if (etl_embedded_is_metadata(event)) {
        etl_embedded_learn(keys->embedded, event);
        return;
    }
    if (etl_event_source_is_chunk(event)) {
        etl_event_sources_learn(keys->sources, event);
        return;
    }
    struct source source = {
        .keys = keys, .event = event, .context = context, .layout = etl_layout_of_event(event)};
    bool wanted = !event->has_hook || etl_keys_wants_hook(event->hookid);
    if (wanted && source.layout != NULL && event->has_time) {
        learn_by_rows(&source);
    }
}

void etl_keys_learn_component(struct etl_keys *keys, const struct etl_event *event)
{
    struct source source = {.keys = keys, .event = event, .moment = KNOWN};
    uint16_t component;
    uint32_t id;
    struct etl_span name;
    char text[NAME_SIZE];
    uint32_t value;
    bool is_component = etl_packet_component(event, &component, &name);
    if (is_component || etl_packet_edge(event, &id, &name)) {
        etl_utf8_of_utf16(name.at, name.size, text, sizeof text);
        if (etl_pool_add_text(&keys->texts, text, &value)) {
            add(&source, is_component ? ETL_KEY_COMPONENT : ETL_KEY_EDGE, 0,
                is_component ? component : id, value);
        }
    }
}

void etl_keys_learn_provider(struct etl_keys *keys, const struct etl_guid *provider,
                             struct etl_span utf8)
{
    etl_provider_names_add(&keys->providers, provider, utf8);
}
