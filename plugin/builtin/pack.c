/*
 * Makes the program's form (core/schema/builtin_table.h) of the table of built-in events, while the program
 * is built: pack plugin/layouts/builtin.txt builtin_table.c
 *
 * The grammar stands in that file. A line that does not follow it, a map or a reference that there
 * is not, end the build with the line's number. Memory is the system's to free.
 */
#include "builtin/fields.h"
#include "builtin/pool.h"
#include "etl/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct map {
    const char *name;
    size_t provider;
    struct etl_builtin_map row;
};

static struct pool texts, templates, items, providers, events, maps, names;

uint32_t intern_text(const char *text)
{
    return (uint32_t)intern(&texts, text, strlen(text) + 1);
}

static size_t provider_count(void)
{
    return providers.size / sizeof(struct etl_builtin_provider);
}

static struct etl_builtin_provider *last_provider(void)
{
    if (providers.size == 0) {
        fail("before the first provider", "");
    }
    return (struct etl_builtin_provider *)(void *)providers.bytes + provider_count() - 1;
}

/* Cuts the text at the first `separator` and returns what follows; NULL when there is none. */
static char *cut(char *text, char separator)
{
    char *found = strchr(text, separator);
    if (found != NULL) {
        *found++ = '\0';
    }
    return found;
}

static void add_provider(char *line)
{
    struct etl_builtin_provider provider = {
        .first_event = (uint32_t)(events.size / sizeof(struct etl_builtin_event)),
        .first_item = (uint32_t)(items.size / sizeof(struct etl_builtin_item)),
    };
    char *name = cut(line, ' ');
    if (name == NULL || !etl_guid_parse(line, &provider.guid)) {
        fail("no GUID and name", line);
    }
    provider.name = intern_text(name);
    append(&providers, &provider, sizeof provider);
    pool_forget(&items); /* they are a provider's own */
}

static void add_map(char *line)
{
    char *kind = cut(line, ' ');
    if (kind == NULL || (strcmp(kind, "values") != 0 && strcmp(kind, "flags") != 0)) {
        fail("neither values nor flags", line);
    }
    last_provider();
    struct map map = {
        .name = unescape(line),
        .provider = provider_count(),
        .row = {.first_name = (uint32_t)(names.size / sizeof(struct etl_builtin_name)),
                .kind = strcmp(kind, "flags") == 0 ? ETL_NAMES_FLAGS : ETL_NAMES_VALUES}};
    append(&maps, &map, sizeof map);
}

static void add_name(char *line)
{
    char *text = cut(line, '\t');
    if (text == NULL || maps.size == 0) {
        fail("no number, tab and text of a map", line);
    }
    struct map *map = (struct map *)(void *)(maps.bytes + maps.size - sizeof *map);
    struct etl_builtin_name name = {.value = (uint32_t)number_of(line, UINT32_MAX)};
    if (map->row.name_count > 0) {
        struct etl_builtin_name *last = (struct etl_builtin_name *)(void *)(names.bytes +
                                                                            names.size -
                                                                            sizeof name);
        if (last->value >= name.value) {
            fail("not in ascending order", line);
        }
    }
    name.text = intern_text(text);
    append(&names, &name, sizeof name);
    map->row.name_count++;
}

uint16_t map_of(const char *name)
{
    const struct map *rows = (const struct map *)(const void *)maps.bytes;
    for (size_t i = maps.size / sizeof *rows; i > 0 && rows[i - 1].provider == provider_count();
         i--) {
        if (strcmp(rows[i - 1].name, name) == 0) {
            return (uint16_t)i;
        }
    }
    fail("no such map", name);
}

static uint32_t intern_template(const struct template *whole)
{
    uint16_t numbers[ITEMS_MAX + 2];
    numbers[0] = (uint16_t)(whole->top_count | (whole->open ? ETL_BUILTIN_OPEN : 0));
    numbers[1] = (uint16_t)whole->count;
    for (size_t i = 0; i < whole->count; i++) {
        size_t item = intern(&items, &whole->items[i], sizeof whole->items[i]) /
                      sizeof whole->items[i];
        if (item > UINT16_MAX) {
            fail("more items than have numbers", "");
        }
        numbers[i + 2] = (uint16_t)item;
    }
    return (uint32_t)(intern(&templates, numbers, (whole->count + 2) * 2) / 2);
}

/* The template of the event that "=12/0" names. */
static uint32_t template_like(char *text)
{
    const struct etl_builtin_event *rows = (const struct etl_builtin_event *)(void *)events.bytes;
    char *version = cut(text, '/');
    unsigned long id = number_of(text, UINT16_MAX);
    unsigned long which = version != NULL ? number_of(version, UINT8_MAX) : 0;
    for (size_t i = events.size / sizeof *rows; i > last_provider()->first_event; i--) {
        if (rows[i - 1].id == id && rows[i - 1].version == which) {
            return rows[i - 1].template_at;
        }
    }
    fail("no earlier event", text);
}

static void add_event(char *line)
{
    static struct template whole;
    char *columns[6] = {line};
    for (size_t i = 1; i < 6; i++) {
        columns[i] = cut(columns[i - 1], '\t');
        if (columns[i] == NULL) {
            fail("fewer than six columns", line);
        }
    }
    struct etl_builtin_event event = {
        .id = (uint16_t)number_of(columns[0], UINT16_MAX),
        .version = (uint8_t)number_of(columns[1], UINT8_MAX),
        .name = intern_text(columns[2]),
        .task = intern_text(columns[3]),
        .opcode = intern_text(columns[4]),
    };
    last_provider()->event_count++;
    if (columns[5][0] == '=') {
        event.template_at = template_like(columns[5] + 1);
    } else {
        read_fields(&whole, columns[5]);
        event.template_at = intern_template(&whole);
    }
    append(&events, &event, sizeof event);
    last_provider()->item_count = (uint32_t)(items.size / sizeof(struct etl_builtin_item)) -
                                  last_provider()->first_item;
}

static void read_line(char *line)
{
    if (strncmp(line, "provider ", 9) == 0) {
        add_provider(line + 9);
    } else if (strncmp(line, "map ", 4) == 0) {
        add_map(line + 4);
    } else if (line[0] == ' ') {
        add_name(line + 1);
    } else if (line[0] != '#' && line[0] != '\0') {
        add_event(line);
    }
}

/* The file, terminated. */
static char *read_file(void)
{
    struct pool whole = {0};
    char part[65536];
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail("cannot be opened", "");
    }
    while ((size = fread(part, 1, sizeof part, file)) > 0) {
        append(&whole, part, size);
    }
    fclose(file);
    append(&whole, "", 1);
    return (char *)whole.bytes;
}

/* Rows may stand in any order in the text; the program looks for them by halves. */
static int compare_providers(const void *left, const void *right)
{
    const struct etl_builtin_provider *a = left;
    const struct etl_builtin_provider *b = right;
    return memcmp(&a->guid, &b->guid, sizeof a->guid);
}

static int compare_events(const void *left, const void *right)
{
    const struct etl_builtin_event *a = left;
    const struct etl_builtin_event *b = right;
    return a->id != b->id ? (int)a->id - (int)b->id : (int)a->version - (int)b->version;
}

static void sort(void)
{
    struct etl_builtin_provider *rows = (struct etl_builtin_provider *)(void *)providers.bytes;
    struct etl_builtin_event *all = (struct etl_builtin_event *)(void *)events.bytes;
    for (size_t i = 0; i < provider_count(); i++) {
        struct etl_builtin_event *own = all + rows[i].first_event;
        qsort(own, rows[i].event_count, sizeof *own, compare_events);
        for (size_t j = 1; j < rows[i].event_count; j++) {
            if (compare_events(&own[j - 1], &own[j]) == 0) {
                fail("two events of one id and version", (const char *)texts.bytes + own[j].name);
            }
        }
    }
    qsort(rows, provider_count(), sizeof *rows, compare_providers);
}

static void print_texts(void)
{
    printf("const char etl_builtin_texts[] =");
    for (size_t at = 0; at < texts.size;) {
        printf("\n\"");
        for (; texts.bytes[at] != '\0'; at++) {
            bool plain = texts.bytes[at] >= ' ' && strchr("\"\\?", texts.bytes[at]) == NULL;
            printf(plain ? "%c" : "\\%03o", texts.bytes[at]);
        }
        at++;
        printf("\\0\"");
    }
    printf(";\n\n");
}

#define EACH(type, pool)                                         \
    (const type *row = (const type *)(const void *)(pool).bytes, \
     *end = row + (pool).size / sizeof(type);                    \
     row < end; row++)

static void print_providers(void)
{
    printf("const struct etl_builtin_provider etl_builtin_providers[] = {\n");
    for
        EACH(struct etl_builtin_provider, providers)
        {
            printf("{{{");
            for (size_t i = 0; i < sizeof row->guid.bytes; i++) {
                printf("%u,", row->guid.bytes[i]);
            }
            printf("}},%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "},\n", row->name,
                   row->first_event, row->event_count, row->first_item, row->item_count);
        }
    printf("};\nconst uint32_t etl_builtin_providers_count = %zu;\n\n", provider_count());
}

static void print_events(void)
{
    printf("const struct etl_builtin_event etl_builtin_events[] = {\n");
    for
        EACH(struct etl_builtin_event, events)
        {
            printf("{%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%u,%u},\n", row->name,
                   row->task, row->opcode, row->template_at, row->id, row->version);
        }
    printf("};\nconst uint32_t etl_builtin_events_count = %zu;\n\n",
           events.size / sizeof(struct etl_builtin_event));
}

static void print_items(void)
{
    printf("const struct etl_builtin_item etl_builtin_items[] = {\n");
    for
        EACH(struct etl_builtin_item, items)
        {
            printf("{%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%u,%u,%u,%u,%u,0},\n", row->label,
                   row->count, row->length, row->map, row->in, row->out, row->count_mode,
                   row->length_mode);
        }
    printf("};\nconst uint32_t etl_builtin_items_count = %zu;\n\n",
           items.size / sizeof(struct etl_builtin_item));
}

static void print_maps(void)
{
    printf("const struct etl_builtin_map etl_builtin_maps[] = {\n");
    for
        EACH(struct map, maps)
        {
            printf("{%" PRIu32 ",%u,%u},\n", row->row.first_name, row->row.name_count,
                   row->row.kind);
        }
    printf("};\n\nconst struct etl_builtin_name etl_builtin_names[] = {\n");
    for
        EACH(struct etl_builtin_name, names)
        {
            printf("{%" PRIu32 ",%" PRIu32 "},\n", row->value, row->text);
        }
    printf("};\n\nconst uint16_t etl_builtin_templates[] = {\n");
    for
        EACH(uint16_t, templates)
        {
            printf("%u,\n", *row);
        }
    printf("};\n");
}

int main(int count, char **arguments)
{
    if (count != 3 || freopen(arguments[2], "wb", stdout) == NULL) {
        fprintf(stderr, "usage: pack FILE builtin_table.c\n");
        return EXIT_FAILURE;
    }
    path = arguments[1];
    intern_text("");
    for (char *line = read_file(), *next; line != NULL; line = next) {
        line_number++;
        next = cut(line, '\n');
        read_line(line);
    }
    sort();
    printf("/* Made by plugin/builtin/pack.c of plugin/layouts/builtin.txt. */\n"
           "#include \"core/schema/builtin_table.h\"\n\n");
    print_texts();
    print_providers();
    print_events();
    print_items();
    print_maps();
    return ferror(stdout) || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
