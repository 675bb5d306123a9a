/*
 * Two lists of "id means this from then on", for processes and threads, sorted by id and time when
 * all are in; and the table of providers.
 */
#include "etl/keys.h"

#include "core/provider_names.h"
#include "etl/decode.h"
#include "etl/embedded.h"
#include "etl/packet.h"

#include <stdlib.h>
#include <string.h>

/* A process's image name is a file name: longer ones are cut. */
#define NAME_SIZE 260

/*
 * A small compressed buffer can expand to half a million events. These bound what a hostile file
 * makes us keep of them; a year of starting processes stays below.
 */
#define MEANINGS_MAX ((size_t)4 << 20)
#define TEXTS_MAX    ((size_t)256 << 20)

/* Types of Process and Thread events (the low byte of the hook id). */
enum { TYPE_START = 1, TYPE_END = 2, TYPE_DC_START = 3, TYPE_DC_END = 4 };

/* What these mean on every Windows since 2000, where the trace says nothing. */
enum { IDLE_PROCESS = 0, SYSTEM_PROCESS = 4, IDLE_THREAD = 0 };

struct meaning {
    int64_t time; /* raw */
    uint32_t id;
    uint32_t value; /* offset of the name, or process id */
    bool begins;    /* Start: the id meant something else before */
};

struct meanings {
    struct meaning *rows;
    size_t count;
    size_t room;
};

struct etl_keys {
    struct meanings processes;
    struct meanings threads;
    struct meanings components;
    struct etl_provider_names providers;
    struct etl_embedded *embedded; /* owned */
    char *texts;
    size_t text_size;
    size_t text_room;
};

struct etl_keys *etl_keys_new(void)
{
    struct etl_keys *keys = calloc(1, sizeof *keys);
    if (keys != NULL) {
        keys->embedded = etl_embedded_new();
        if (keys->embedded == NULL) {
            free(keys);
            keys = NULL;
        }
    }
    return keys;
}

void etl_keys_free(struct etl_keys *keys)
{
    if (keys != NULL) {
        free(keys->processes.rows);
        free(keys->threads.rows);
        free(keys->components.rows);
        free(keys->texts);
        etl_provider_names_free(&keys->providers);
        etl_embedded_free(keys->embedded);
        free(keys);
    }
}

/* Names are a help: where memory ends, fewer are known. */
static void add(struct meanings *meanings, struct meaning meaning)
{
    if (meanings->count >= MEANINGS_MAX) {
        return;
    }
    if (meanings->count == meanings->room) {
        size_t room = meanings->room > 0 ? meanings->room * 2 : 64;
        struct meaning *grown = realloc(meanings->rows, room * sizeof *grown);
        if (grown == NULL) {
            return;
        }
        meanings->rows = grown;
        meanings->room = room;
    }
    meanings->rows[meanings->count++] = meaning;
}

static bool add_text(struct etl_keys *keys, const char *text, uint32_t *ret_offset)
{
    size_t size = strlen(text) + 1;
    if (keys->text_size + size > keys->text_room) {
        size_t room = (keys->text_room + size) * 2;
        char *grown = room <= TEXTS_MAX ? realloc(keys->texts, room) : NULL;
        if (grown == NULL) {
            return false;
        }
        keys->texts = grown;
        keys->text_room = room;
    }
    memcpy(keys->texts + keys->text_size, text, size);
    *ret_offset = (uint32_t)keys->text_size;
    keys->text_size += size;
    return true;
}

/* Picks what is wanted of a Process or Thread payload, by the labels of its rows. */
struct picker {
    struct etl_sink sink;
    bool has_process, has_thread;
    uint32_t process_id;
    uint32_t thread_id;
    char name[NAME_SIZE];
};

static void pick(struct etl_sink *sink, const struct etl_field *field,
                 const struct etl_value *value)
{
    struct picker *self = (struct picker *)sink;
    if (strcmp(field->label, "ProcessId") == 0) {
        self->has_process = true;
        self->process_id = (uint32_t)value->number;
    } else if (strcmp(field->label, "TThreadId") == 0) {
        self->has_thread = true;
        self->thread_id = (uint32_t)value->number;
    } else if (strcmp(field->label, "ImageFileName") == 0) {
        etl_utf8_of_ansi(value->bytes, value->length, self->name, sizeof self->name);
    }
}

void etl_keys_learn(struct etl_keys *keys, const struct etl_event *event,
                    const struct etl_context *context)
{
    const struct etl_layout *layout = etl_layout_of_hook(event->hookid, event->version);
    if (layout == NULL || !event->has_time) {
        return;
    }
    struct picker picker = {.sink = {.value = pick,
                                     .begin = etl_ignore_begin,
                                     .end = etl_ignore_end,
                                     .note = etl_ignore_note}};
    struct etl_decoder decoder = {
        .sink = &picker.sink, .clock = &context->clock, .pointer_size = event->pointer_size};
    etl_decode_layout(&decoder, layout, event->payload.at, event->payload.size);
    struct meaning meaning = {.time = event->raw_time,
                              .begins = (event->hookid & 0xFF) == TYPE_START};
    if (picker.has_thread && picker.has_process) {
        meaning.id = picker.thread_id;
        meaning.value = picker.process_id;
        add(&keys->threads, meaning);
    } else if (picker.has_process && picker.name[0] != '\0' &&
               add_text(keys, picker.name, &meaning.value)) {
        meaning.id = picker.process_id;
        add(&keys->processes, meaning);
    }
}

void etl_keys_learn_component(struct etl_keys *keys, const struct etl_event *event)
{
    uint16_t component;
    struct etl_span name;
    char text[NAME_SIZE];
    struct meaning meaning = {.time = event->raw_time};
    if (etl_packet_component(event, &component, &name)) {
        etl_utf8_of_utf16(name.at, name.size, text, sizeof text);
        if (add_text(keys, text, &meaning.value)) {
            meaning.id = component;
            add(&keys->components, meaning);
        }
    }
}

static int compare(const void *left, const void *right)
{
    const struct meaning *a = left;
    const struct meaning *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    /* What ended and what began at the same tick: the new one holds from there on. */
    return a->begins != b->begins ? (int)a->begins - (int)b->begins
                                  : (a->value > b->value) - (a->value < b->value);
}

void etl_keys_settle(struct etl_keys *keys)
{
    if (keys->processes.count > 0) {
        qsort(keys->processes.rows, keys->processes.count, sizeof(struct meaning), compare);
    }
    if (keys->threads.count > 0) {
        qsort(keys->threads.rows, keys->threads.count, sizeof(struct meaning), compare);
    }
    if (keys->components.count > 0) {
        qsort(keys->components.rows, keys->components.count, sizeof(struct meaning), compare);
    }
    etl_embedded_settle(keys->embedded);
}

/*
 * The last row of the id at or before the time; failing that the first after it, unless that one
 * says that the id began to mean this only then.
 */
static const struct meaning *find(const struct meanings *meanings, uint32_t id, int64_t time)
{
    size_t low = 0;
    size_t high = meanings->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct meaning *row = &meanings->rows[middle];
        if (row->id < id || (row->id == id && row->time <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0 && meanings->rows[low - 1].id == id) {
        return &meanings->rows[low - 1];
    }
    if (low < meanings->count && meanings->rows[low].id == id && !meanings->rows[low].begins) {
        return &meanings->rows[low];
    }
    return NULL;
}

const char *etl_keys_process_name(const struct etl_keys *keys, uint32_t process_id,
                                  int64_t raw_time)
{
    const struct meaning *row = find(&keys->processes, process_id, raw_time);
    if (row != NULL) {
        return keys->texts + row->value;
    }
    return process_id == IDLE_PROCESS ? "Idle" : process_id == SYSTEM_PROCESS ? "System" : NULL;
}

const char *etl_keys_component_name(const struct etl_keys *keys, uint32_t component,
                                    int64_t raw_time)
{
    const struct meaning *row = find(&keys->components, component, raw_time);
    return row != NULL ? keys->texts + row->value : NULL;
}

bool etl_keys_process_of_thread(const struct etl_keys *keys, uint32_t thread_id, int64_t raw_time,
                                uint32_t *ret_process_id)
{
    const struct meaning *row = find(&keys->threads, thread_id, raw_time);
    if (row == NULL && thread_id != IDLE_THREAD) {
        return false;
    }
    *ret_process_id = row != NULL ? row->value : IDLE_PROCESS;
    return true;
}

void etl_keys_learn_metadata(struct etl_keys *keys, const struct etl_event *event)
{
    etl_embedded_learn(keys->embedded, event);
}

const struct etl_embedded *etl_keys_embedded(const struct etl_keys *keys)
{
    return keys->embedded;
}

void etl_keys_learn_provider(struct etl_keys *keys, const struct etl_guid *provider,
                             struct etl_span utf8)
{
    etl_provider_names_add(&keys->providers, provider, utf8);
}

bool etl_keys_provider_name(const struct etl_keys *keys, const struct etl_guid *provider,
                            struct etl_span *ret_utf8)
{
    return etl_provider_names_find(&keys->providers, provider, ret_utf8);
}
