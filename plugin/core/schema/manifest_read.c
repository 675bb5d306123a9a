/*
 * Reads the XML of a manifest into rows, with libxml2: as it comes, no tree is built. Nothing is
 * fetched, no entity is declared or replaced, and what is nested deeper than any manifest ends it.
 *
 * An element counts where its parents are what the schema of manifests says; all others are passed
 * over. libxml2 hands the ampersand of an attribute as "&#38;" while entities are not replaced.
 */
#include "core/schema/manifest_rows.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AMPERSAND      "#38;"
#define SNIFF_SIZE     128     /* of the first bytes, in which the encoding is declared */
#define FEED_SIZE      0x10000 /* bytes that libxml2 is given at once */
#define NO_PROVIDER    UINT32_MAX
#define ATTRIBUTE_SIZE 5 /* pointers: name, prefix, namespace, value, its end */

enum element {
    ELEMENT_OTHER,
    ELEMENT_EVENTS,
    ELEMENT_PROVIDER,
    ELEMENT_EVENT,
    ELEMENT_TEMPLATE,
    ELEMENT_DATA,
    ELEMENT_STRUCT,
    ELEMENT_VALUE_MAP,
    ELEMENT_BIT_MAP,
    ELEMENT_MAP,
    ELEMENT_TASK,
    ELEMENT_OPCODE,
    ELEMENT_KEYWORD,
    ELEMENT_LEVEL,
    ELEMENT_CHANNEL,
    ELEMENT_RESOURCES,
    ELEMENT_STRING,
};

struct etl_manifest_reader {
    struct etl_manifest *manifest; /* borrowed */
    xmlParserCtxtPtr parser;       /* owned */
    xmlSAXHandler functions;
    bool refused;
    bool started;
    bool english;
    unsigned depth;
    uint8_t elements[ETL_MANIFEST_DEPTH_MAX + 1];
    uint32_t provider;                              /* that we are in; NO_PROVIDER */
    uint32_t task;                                  /* order + 1 of the task that we are in; 0 */
    uint32_t structure[ETL_MANIFEST_DEPTH_MAX + 1]; /* by depth: the struct's number + 1 */
};

struct attributes {
    struct etl_manifest_reader *reader;
    const xmlChar **at;
    int count;
};

static unsigned line_of(const struct etl_manifest_reader *reader)
{
    int line = xmlSAX2GetLineNumber(reader->parser);
    return line > 0 ? (unsigned)line : 1;
}

static void refuse(struct etl_manifest_reader *reader, const char *why)
{
    if (!reader->refused) {
        reader->refused = true;
        reader->manifest->problem_count = 0; /* this one counts, whatever was before */
        etl_manifest_add_problem(reader->manifest, line_of(reader), "%s", why);
        xmlStopParser(reader->parser);
    }
}

static const char *keep_text(struct etl_manifest_reader *reader, const char *text, size_t size)
{
    char *kept = etl_manifest_keep(reader->manifest, size + 1);
    if (kept == NULL) {
        refuse(reader, "has more text than any manifest");
        return "";
    }
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        kept[length++] = text[i];
        if (text[i] == '&' && size - i > strlen(AMPERSAND) &&
            memcmp(text + i + 1, AMPERSAND, strlen(AMPERSAND)) == 0) {
            i += strlen(AMPERSAND);
        }
    }
    kept[length] = '\0';
    return kept;
}

/* NULL when there is no such attribute. */
static const char *find(const struct attributes *attributes, const char *name)
{
    for (int i = 0; i < attributes->count; i++) {
        const xmlChar **one = attributes->at + (ptrdiff_t)i * ATTRIBUTE_SIZE;
        if (strcmp((const char *)one[0], name) == 0) {
            return keep_text(attributes->reader, (const char *)one[3], (size_t)(one[4] - one[3]));
        }
    }
    return NULL;
}

static const char *text_of(const struct attributes *attributes, const char *name)
{
    const char *text = find(attributes, name);
    return text != NULL ? text : "";
}

/* False where the attribute is no number of at most `most`; one that is missing is 0. */
static bool number_of(const struct attributes *attributes, const char *name, uint64_t most,
                      uint64_t *ret_number)
{
    const char *text = find(attributes, name);
    *ret_number = 0;
    if (text == NULL || (etl_manifest_number(text, ret_number) && *ret_number <= most)) {
        return true;
    }
    etl_manifest_add_problem(attributes->reader->manifest, line_of(attributes->reader),
                             "%s=\"%.40s\" is no number that fits", name, text);
    return false;
}

static void *add_row(struct etl_manifest_reader *reader, struct etl_manifest_array *array,
                     size_t size, size_t limit)
{
    void *row = etl_manifest_add_row(array, size, limit);
    if (row == NULL) {
        refuse(reader, "has more rows of one kind than any manifest");
    }
    return row;
}

static struct etl_manifest_name *add_name(const struct attributes *attributes,
                                          enum etl_manifest_kind kind, const char *name_attribute)
{
    struct etl_manifest_reader *reader = attributes->reader;
    struct etl_manifest_array *names = &reader->manifest->names;
    struct etl_manifest_name *row = add_row(reader, names, sizeof *row, ETL_MANIFEST_ROWS_MAX);
    if (row != NULL) {
        row->name = text_of(attributes, name_attribute);
        row->message = text_of(attributes, "message");
        row->kind = (uint8_t)kind;
        row->scope = reader->provider + 1;
        row->order = (uint32_t)names->count - 1;
    }
    return row;
}

static void start_provider(const struct attributes *attributes)
{
    struct etl_manifest_reader *reader = attributes->reader;
    struct etl_manifest_array *providers = &reader->manifest->providers;
    struct etl_guid guid;
    if (!etl_guid_parse(text_of(attributes, "guid"), &guid)) {
        etl_manifest_add_problem(reader->manifest, line_of(reader), "the provider has no GUID");
        return;
    }
    struct etl_manifest_provider_row *row = add_row(reader, providers, sizeof *row,
                                                    ETL_MANIFEST_ROWS_MAX);
    if (row != NULL) {
        row->guid = guid;
        row->name = text_of(attributes, "name");
        reader->provider = (uint32_t)providers->count - 1;
    }
}

static void start_event(const struct attributes *attributes)
{
    struct etl_manifest_reader *reader = attributes->reader;
    uint64_t id;
    uint64_t version;
    if (!number_of(attributes, "value", UINT16_MAX, &id) ||
        !number_of(attributes, "version", UINT8_MAX, &version)) {
        return;
    }
    struct etl_manifest_event *row = add_row(reader, &reader->manifest->events, sizeof *row,
                                             ETL_MANIFEST_EVENTS_MAX);
    if (row != NULL) {
        *row = (struct etl_manifest_event){
            .provider = reader->provider,
            .line = line_of(reader),
            .id = (uint16_t)id,
            .version = (uint8_t)version,
            .symbol = text_of(attributes, "symbol"),
            .template_id = text_of(attributes, "template"),
            .level = text_of(attributes, "level"),
            .task = text_of(attributes, "task"),
            .opcode = text_of(attributes, "opcode"),
            .keywords = text_of(attributes, "keywords"),
            .channel = text_of(attributes, "channel"),
            .message = text_of(attributes, "message"),
        };
    }
}

static void start_template(const struct attributes *attributes)
{
    struct etl_manifest_reader *reader = attributes->reader;
    struct etl_manifest *manifest = reader->manifest;
    struct etl_manifest_template *row = add_row(reader, &manifest->templates, sizeof *row,
                                                ETL_MANIFEST_ROWS_MAX);
    struct etl_manifest_name *name = add_name(attributes, ETL_MANIFEST_TEMPLATE, "tid");
    if (row != NULL && name != NULL) {
        row->provider = reader->provider;
        row->first = (uint32_t)manifest->fields.count;
        name->value = manifest->templates.count - 1;
    }
}

static void start_field(const struct attributes *attributes, bool structure)
{
    struct etl_manifest_reader *reader = attributes->reader;
    struct etl_manifest *manifest = reader->manifest;
    struct etl_manifest_field *row = add_row(reader, &manifest->fields, sizeof *row,
                                             ETL_MANIFEST_ROWS_MAX);
    if (row == NULL) {
        return;
    }
    struct etl_manifest_template *templates = manifest->templates.rows;
    struct etl_manifest_template *template = &templates[manifest->templates.count - 1];
    *row = (struct etl_manifest_field){
        .name = text_of(attributes, "name"),
        .in_type = text_of(attributes, "inType"),
        .out_type = text_of(attributes, "outType"),
        .map = text_of(attributes, "map"),
        .length = text_of(attributes, "length"),
        .count = text_of(attributes, "count"),
        .parent = reader->structure[reader->depth - 1],
        .line = line_of(reader),
        .structure = structure,
    };
    template->count++;
    reader->structure[reader->depth] = structure ? template->count : 0;
}

static void start_data(const struct attributes *attributes)
{
    start_field(attributes, false);
}

static void start_struct(const struct attributes *attributes)
{
    start_field(attributes, true);
}

static void add_map(const struct attributes *attributes, bool bits)
{
    struct etl_manifest *manifest = attributes->reader->manifest;
    struct etl_manifest_map *row = add_row(attributes->reader, &manifest->maps, sizeof *row,
                                           ETL_MANIFEST_ROWS_MAX);
    struct etl_manifest_name *name = add_name(attributes, ETL_MANIFEST_MAP, "name");
    if (row != NULL && name != NULL) {
        row->bits = bits;
        row->first = (uint32_t)manifest->entries.count;
        name->value = manifest->maps.count - 1;
    }
}

static void start_value_map(const struct attributes *attributes)
{
    add_map(attributes, false);
}

static void start_bit_map(const struct attributes *attributes)
{
    add_map(attributes, true);
}

/* A schema has 32 bits for a value; of an enumeration that is signed the upper ones are its sign. */
static bool fits_schema(uint64_t value)
{
    return value <= UINT32_MAX || value >= (uint64_t)INT32_MIN;
}

static void start_entry(const struct attributes *attributes)
{
    struct etl_manifest *manifest = attributes->reader->manifest;
    uint64_t value;
    if (!number_of(attributes, "value", UINT64_MAX, &value)) {
        return;
    }
    if (!fits_schema(value)) {
        return;
    }
    struct etl_manifest_entry *row = add_row(attributes->reader, &manifest->entries, sizeof *row,
                                             ETL_MANIFEST_ROWS_MAX);
    if (row != NULL) {
        struct etl_manifest_map *maps = manifest->maps.rows;
        row->value = (uint32_t)value;
        row->message = text_of(attributes, "message");
        maps[manifest->maps.count - 1].count++;
    }
}

static void start_task(const struct attributes *attributes)
{
    struct etl_manifest_name *row = add_name(attributes, ETL_MANIFEST_TASK, "name");
    if (row != NULL) {
        attributes->reader->task = row->order + 1;
    }
}

/* Windows' tools keep no opcode's value in an event's key, but it tells events apart. */
static void start_opcode(const struct attributes *attributes)
{
    struct etl_manifest_name *row = add_name(attributes, ETL_MANIFEST_OPCODE, "name");
    uint64_t value;
    if (row != NULL && number_of(attributes, "value", UINT8_MAX, &value)) {
        row->value = value;
        row->task = attributes->reader->task;
    }
}

static void start_keyword(const struct attributes *attributes)
{
    add_name(attributes, ETL_MANIFEST_KEYWORD, "name");
}

static void start_level(const struct attributes *attributes)
{
    add_name(attributes, ETL_MANIFEST_LEVEL, "name");
}

/* Events name a channel by its chid, or by its name where it has none. */
static void start_channel(const struct attributes *attributes)
{
    bool has_id = find(attributes, "chid") != NULL;
    struct etl_manifest_name *row = add_name(attributes, ETL_MANIFEST_CHANNEL,
                                             has_id ? "chid" : "name");
    if (row != NULL && row->message[0] == '\0') {
        row->message = text_of(attributes, "name");
    }
}

static void start_resources(const struct attributes *attributes)
{
    attributes->reader->english = strncasecmp(text_of(attributes, "culture"), "en", 2) == 0;
}

static void start_string(const struct attributes *attributes)
{
    struct etl_manifest_name *row = add_name(attributes, ETL_MANIFEST_STRING, "id");
    if (row != NULL) {
        row->scope = 0;
        row->message = text_of(attributes, "value");
        row->value = attributes->reader->english ? 0 : 1;
    }
}

#define ANYWHERE         UINT32_MAX
#define IN(element)      (1U << (element))
#define IN_FIELDS        (IN(ELEMENT_TEMPLATE) | IN(ELEMENT_STRUCT))
#define IN_MAPS          (IN(ELEMENT_VALUE_MAP) | IN(ELEMENT_BIT_MAP))
#define IN_EVENTS        IN(ELEMENT_EVENTS)
#define SOMEWHERE        IN(ELEMENT_OTHER)
#define OF_PROVIDER      true
#define OF_ALL_PROVIDERS false

/* Lists such as templates, maps and tasks are OTHER. */
static const struct {
    const char *name;
    enum element element;
    uint32_t parents;
    bool in_provider;
    void (*start)(const struct attributes *attributes);
} known_elements[] = {
    {"events", ELEMENT_EVENTS, ANYWHERE, OF_ALL_PROVIDERS, NULL},
    {"provider", ELEMENT_PROVIDER, IN_EVENTS, OF_ALL_PROVIDERS, start_provider},
    {"event", ELEMENT_EVENT, IN_EVENTS, OF_PROVIDER, start_event},
    {"template", ELEMENT_TEMPLATE, SOMEWHERE, OF_PROVIDER, start_template},
    {"data", ELEMENT_DATA, IN_FIELDS, OF_PROVIDER, start_data},
    {"struct", ELEMENT_STRUCT, IN_FIELDS, OF_PROVIDER, start_struct},
    {"valueMap", ELEMENT_VALUE_MAP, SOMEWHERE, OF_PROVIDER, start_value_map},
    {"bitMap", ELEMENT_BIT_MAP, SOMEWHERE, OF_PROVIDER, start_bit_map},
    /* Makes texts of numbers by a pattern: a map of no entries, the field is a number here. */
    {"patternMap", ELEMENT_OTHER, SOMEWHERE, OF_PROVIDER, start_value_map},
    {"map", ELEMENT_MAP, IN_MAPS, OF_PROVIDER, start_entry},
    {"task", ELEMENT_TASK, SOMEWHERE, OF_PROVIDER, start_task},
    {"opcode", ELEMENT_OPCODE, SOMEWHERE, OF_PROVIDER, start_opcode},
    {"keyword", ELEMENT_KEYWORD, SOMEWHERE, OF_PROVIDER, start_keyword},
    {"level", ELEMENT_LEVEL, SOMEWHERE, OF_PROVIDER, start_level},
    {"channel", ELEMENT_CHANNEL, SOMEWHERE, OF_PROVIDER, start_channel},
    {"resources", ELEMENT_RESOURCES, SOMEWHERE, OF_ALL_PROVIDERS, start_resources},
    {"string", ELEMENT_STRING, SOMEWHERE, OF_ALL_PROVIDERS, start_string},
};

static enum element recognise(struct etl_manifest_reader *reader, const char *name,
                              const struct attributes *attributes)
{
    uint32_t parent = IN(reader->elements[reader->depth - 1]);
    for (size_t i = 0; i < sizeof known_elements / sizeof known_elements[0]; i++) {
        if (strcmp(known_elements[i].name, name) != 0 || !(known_elements[i].parents & parent) ||
            (known_elements[i].in_provider && reader->provider == NO_PROVIDER)) {
            continue;
        }
        if (known_elements[i].start != NULL) {
            known_elements[i].start(attributes);
        }
        return known_elements[i].element;
    }
    return ELEMENT_OTHER;
}

static void start_element(void *data, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                          int attribute_count, int default_count, const xmlChar **at)
{
    struct etl_manifest_reader *reader = data;
    struct attributes attributes = {.reader = reader, .at = at, .count = attribute_count};
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
    if (reader->refused) {
        return;
    }
    if (reader->depth == ETL_MANIFEST_DEPTH_MAX) {
        refuse(reader, "is nested deeper than any manifest");
        return;
    }
    reader->depth++;
    reader->structure[reader->depth] = 0;
    reader->elements[reader->depth] = (uint8_t)recognise(reader, (const char *)name, &attributes);
}

static void end_element(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct etl_manifest_reader *reader = data;
    (void)name, (void)prefix, (void)uri;
    if (reader->refused || reader->depth == 0) {
        return;
    }
    enum element element = (enum element)reader->elements[reader->depth--];
    if (element == ELEMENT_PROVIDER) {
        reader->provider = NO_PROVIDER;
    } else if (element == ELEMENT_TASK) {
        reader->task = 0;
    }
}

static void declare_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id,
                           const xmlChar *system_id, xmlChar *content)
{
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    refuse(data, "declares an entity, as no manifest does");
}

struct etl_manifest_reader *etl_manifest_reader_new(struct etl_manifest *manifest)
{
    struct etl_manifest_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    reader->manifest = manifest;
    reader->provider = NO_PROVIDER;
    reader->functions.initialized = XML_SAX2_MAGIC;
    reader->functions.startElementNs = start_element;
    reader->functions.endElementNs = end_element;
    reader->functions.entityDecl = declare_entity;
    reader->parser = xmlCreatePushParserCtxt(&reader->functions, reader, NULL, 0, NULL);
    if (reader->parser == NULL) {
        free(reader);
        return NULL;
    }
    return reader;
}

void etl_manifest_reader_free(struct etl_manifest_reader *reader)
{
    if (reader != NULL) {
        xmlFreeDoc(reader->parser->myDoc);
        xmlFreeParserCtxt(reader->parser);
        free(reader);
    }
}

/* Files that say UTF-16 are often kept as UTF-8. */
static bool claims_wrong_encoding(const char *bytes, size_t size)
{
    static const char claim[] = "utf-16";
    size_t sniffed = size < SNIFF_SIZE ? size : SNIFF_SIZE;
    if (size < 2 || bytes[0] != '<' || bytes[1] == '\0') {
        return false;
    }
    for (size_t i = 0; i + strlen(claim) <= sniffed; i++) {
        if (strncasecmp(bytes + i, claim, strlen(claim)) == 0) {
            return true;
        }
    }
    return false;
}

static void take_error(struct etl_manifest_reader *reader)
{
    const xmlError *error = xmlCtxtGetLastError(reader->parser);
    char why[160] = "is no XML";
    if (error != NULL && error->message != NULL) {
        size_t length = strcspn(error->message, "\r\n");
        length = length < sizeof why - 1 ? length : sizeof why - 1;
        memcpy(why, error->message, length);
        why[length] = '\0';
    }
    refuse(reader, why);
}

bool etl_manifest_reader_feed(struct etl_manifest_reader *reader, const void *bytes, size_t size,
                              bool last)
{
    const char *at = bytes;
    if (!reader->started && size > 0) {
        int options = XML_PARSE_NONET;
        options |= claims_wrong_encoding(at, size) ? XML_PARSE_IGNORE_ENC : 0;
        xmlCtxtUseOptions(reader->parser, options);
        reader->started = true;
    }
    size_t done = 0;
    do {
        size_t piece = size - done < FEED_SIZE ? size - done : FEED_SIZE;
        const char *from = size > 0 ? at + done : "";
        done += piece;
        if (!reader->refused) {
            xmlParseChunk(reader->parser, from, (int)piece, last && done == size);
        }
        if (!reader->refused && !reader->parser->wellFormed) {
            take_error(reader);
        }
    } while (done < size && !reader->refused);
    return !reader->refused;
}
