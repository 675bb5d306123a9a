/*
 * Templates of a manifest to packed fields and maps (schema.h), each once: the fields at the top
 * first, then the members of each struct.
 */
#include "core/schema/manifest_rows.h"
#include "core/schema/schema_writer.h"

#include <string.h>

#define STANDARD_PREFIX    "win:"
#define COUNT_OF(an_array) (sizeof(an_array) / sizeof(an_array)[0])

struct named_type {
    const char *name;
    uint8_t type;
};

static const struct named_type in_types[] = {
    {"UnicodeString", ETL_IN_UNICODE_STRING},
    {"AnsiString", ETL_IN_ANSI_STRING},
    {"Int8", ETL_IN_INT8},
    {"UInt8", ETL_IN_UINT8},
    {"Int16", ETL_IN_INT16},
    {"UInt16", ETL_IN_UINT16},
    {"Int32", ETL_IN_INT32},
    {"UInt32", ETL_IN_UINT32},
    {"Int64", ETL_IN_INT64},
    {"UInt64", ETL_IN_UINT64},
    {"Float", ETL_IN_FLOAT},
    {"Double", ETL_IN_DOUBLE},
    {"Boolean", ETL_IN_BOOL32},
    {"Binary", ETL_IN_BINARY},
    {"GUID", ETL_IN_GUID},
    {"Pointer", ETL_IN_POINTER},
    {"FILETIME", ETL_IN_FILETIME},
    {"SYSTEMTIME", ETL_IN_SYSTEMTIME},
    {"SID", ETL_IN_SID},
    {"HexInt32", ETL_IN_HEX_INT32},
    {"HexInt64", ETL_IN_HEX_INT64},
    {"CountedUnicodeString", ETL_IN_COUNTED_STRING},
    {"CountedAnsiString", ETL_IN_COUNTED_ANSI_STRING},
    {"CountedBinary", ETL_IN_COUNTED_BINARY},
    {"SizeT", ETL_IN_SIZE},
};

/* Types that change nothing are here too: what is not is unknown. */
static const struct named_type out_types[] = {
    {"", ETL_OUT_DEFAULT},
    {"xs:string", ETL_OUT_STRING},
    {"xs:dateTime", ETL_OUT_DEFAULT},
    {"xs:byte", ETL_OUT_SIGNED},
    {"xs:unsignedByte", ETL_OUT_UNSIGNED},
    {"xs:short", ETL_OUT_SIGNED},
    {"xs:unsignedShort", ETL_OUT_UNSIGNED},
    {"xs:int", ETL_OUT_SIGNED},
    {"xs:unsignedInt", ETL_OUT_UNSIGNED},
    {"xs:long", ETL_OUT_SIGNED},
    {"xs:unsignedLong", ETL_OUT_UNSIGNED},
    {"xs:float", ETL_OUT_DEFAULT},
    {"xs:double", ETL_OUT_DEFAULT},
    {"xs:boolean", ETL_OUT_BOOLEAN},
    {"xs:GUID", ETL_OUT_DEFAULT},
    {"xs:hexBinary", ETL_OUT_DEFAULT},
    {"win:HexInt8", ETL_OUT_HEX},
    {"win:HexInt16", ETL_OUT_HEX},
    {"win:HexInt32", ETL_OUT_HEX},
    {"win:HexInt64", ETL_OUT_HEX},
    {"win:PID", ETL_OUT_PID},
    {"win:TID", ETL_OUT_TID},
    {"win:Port", ETL_OUT_PORT},
    {"win:IPv4", ETL_OUT_IPV4},
    {"win:IPv6", ETL_OUT_IPV6},
    {"win:SocketAddress", ETL_OUT_SOCKET_ADDRESS},
    {"win:CIMDateTime", ETL_OUT_DEFAULT},
    {"win:ETWTIME", ETL_OUT_DEFAULT},
    {"win:Xml", ETL_OUT_XML},
    {"win:ErrorCode", ETL_OUT_HEX},
    {"win:Win32Error", ETL_OUT_WIN32_ERROR},
    {"win:NTSTATUS", ETL_OUT_NTSTATUS},
    {"win:HResult", ETL_OUT_HRESULT},
    {"win:DateTimeCultureInsensitive", ETL_OUT_DEFAULT},
    {"win:Json", ETL_OUT_JSON},
    {"win:Utf8", ETL_OUT_UTF8},
    {"win:Pkcs7WithTypeInfo", ETL_OUT_DEFAULT},
    {"win:CodePointer", ETL_OUT_HEX},
    {"win:DateTimeUtc", ETL_OUT_DEFAULT},
    {"win:NoPrint", ETL_OUT_DEFAULT},
};

static bool type_of(const struct named_type *types, size_t count, const char *name,
                    uint8_t *ret_type)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *ret_type = types[i].type;
            return true;
        }
    }
    return false;
}

/* A template while it is packed. Places are those of packed fields; numbers those in the manifest. */
struct packing {
    struct etl_manifest *manifest;
    const struct etl_manifest_template *template;
    const struct etl_manifest_field *fields;
    struct etl_schema_writer writer;
    uint16_t order[ETL_SCHEMA_FIELDS_MAX];        /* place to number */
    uint16_t first_member[ETL_SCHEMA_FIELDS_MAX]; /* of a struct, by number: a place */
    uint16_t member_count[ETL_SCHEMA_FIELDS_MAX];
    const struct etl_manifest_map *maps[ETL_SCHEMA_MAPS_MAX];
    size_t map_count;
};

/* Fields at the top first, then the members of each struct in turn. Returns how many are at the top. */
static uint16_t set_order(struct packing *packing)
{
    uint16_t count = 0;
    for (uint16_t i = 0; i < packing->template->count; i++) {
        if (packing->fields[i].parent == 0) {
            packing->order[count++] = i;
        }
    }
    uint16_t top = count;
    for (uint16_t place = 0; place < count; place++) {
        uint16_t number = packing->order[place];
        if (!packing->fields[number].structure) {
            continue;
        }
        packing->first_member[number] = count;
        for (uint16_t i = number; i < packing->template->count; i++) {
            if (packing->fields[i].parent == number + 1U) {
                packing->order[count++] = i;
            }
        }
        packing->member_count[number] = (uint16_t)(count - packing->first_member[number]);
    }
    return top;
}

/* The field that a length or count names: of the same struct, or else of those around it. */
static bool find_field(const struct packing *packing, uint16_t place, const char *name,
                       unsigned *ret_place)
{
    const struct etl_manifest_field *field = &packing->fields[packing->order[place]];
    for (uint32_t parent = field->parent;; parent = packing->fields[parent - 1].parent) {
        for (uint16_t i = 0; i < place; i++) {
            const struct etl_manifest_field *other = &packing->fields[packing->order[i]];
            if (other->parent == parent && strcmp(other->name, name) == 0) {
                *ret_place = i;
                return true;
            }
        }
        if (parent == 0) {
            return false;
        }
    }
}

static bool set_quantity(const struct packing *packing, uint16_t place, const char *attribute,
                         const char *text, enum etl_quantity *ret_mode, unsigned *ret_number)
{
    uint64_t number;
    if (text[0] == '\0') {
        return true;
    }
    if (etl_manifest_number(text, &number) && number <= UINT16_MAX) {
        *ret_mode = ETL_QUANTITY_FIXED;
        *ret_number = (unsigned)number;
        return true;
    }
    if (find_field(packing, place, text, ret_number)) {
        *ret_mode = ETL_QUANTITY_REFERENCE;
        return true;
    }
    etl_manifest_add_problem(packing->manifest, packing->fields[packing->order[place]].line,
                             "%s=\"%.60s\" is neither a number nor a field before this one",
                             attribute, text);
    return false;
}

/* 1 + the place of the field's map, which is kept; 0: it has none. */
static unsigned map_of(struct packing *packing, const struct etl_manifest_field *field)
{
    const struct etl_manifest_map *maps = packing->manifest->maps.rows;
    const struct etl_manifest_name *name = etl_manifest_find(
        packing->manifest, packing->template->provider, ETL_MANIFEST_MAP, field->map);
    if (name == NULL) {
        if (field->map[0] != '\0') {
            etl_manifest_add_problem(packing->manifest, field->line, "no map is called \"%.60s\"",
                                     field->map);
        }
        return 0;
    }
    const struct etl_manifest_map *map = &maps[name->value];
    for (size_t i = 0; i < packing->map_count; i++) {
        if (packing->maps[i] == map) {
            return (unsigned)i + 1;
        }
    }
    if (packing->map_count == ETL_SCHEMA_MAPS_MAX) {
        return 0;
    }
    packing->maps[packing->map_count++] = map;
    return (unsigned)packing->map_count;
}

static bool set_types(struct packing *packing, const struct etl_manifest_field *field,
                      struct etl_schema_packed_field *packed)
{
    size_t prefix = strlen(STANDARD_PREFIX);
    bool standard = strncmp(field->in_type, STANDARD_PREFIX, prefix) == 0;
    uint8_t in;
    uint8_t out = ETL_OUT_DEFAULT;
    if (!standard || !type_of(in_types, COUNT_OF(in_types), field->in_type + prefix, &in)) {
        etl_manifest_add_problem(packing->manifest, field->line, "inType=\"%.60s\" is not known",
                                 field->in_type);
        return false;
    }
    if (!type_of(out_types, COUNT_OF(out_types), field->out_type, &out)) {
        etl_manifest_add_problem(packing->manifest, field->line, "outType=\"%.60s\" is not known",
                                 field->out_type);
    }
    packed->in = (enum etl_in)in;
    packed->out = (enum etl_out)out;
    packed->map = map_of(packing, field);
    return true;
}

static bool put_field(struct packing *packing, uint16_t place)
{
    uint16_t number = packing->order[place];
    const struct etl_manifest_field *field = &packing->fields[number];
    struct etl_schema_packed_field packed = {.in = ETL_IN_STRUCT};
    bool good = set_quantity(packing, place, "count", field->count, &packed.count_mode,
                             &packed.count);
    if (field->structure) {
        packed.length = packing->member_count[number];
        packed.map = packing->first_member[number];
    } else {
        good = good && set_types(packing, field, &packed) &&
               set_quantity(packing, place, "length", field->length, &packed.length_mode,
                            &packed.length);
    }
    etl_schema_put_field(&packing->writer, &packed, field->name,
                         etl_manifest_clip(field->name, ETL_SCHEMA_LABEL_MAX));
    return good;
}

static void put_map(struct packing *packing, const struct etl_manifest_map *map)
{
    const struct etl_manifest_entry *entries = packing->manifest->entries.rows;
    size_t count = map->count < ETL_SCHEMA_ENTRIES_MAX ? map->count : ETL_SCHEMA_ENTRIES_MAX;
    etl_schema_put_map(&packing->writer, map->bits ? ETL_NAMES_FLAGS : ETL_NAMES_VALUES, count);
    for (size_t i = 0; i < count; i++) {
        const struct etl_manifest_entry *entry = &entries[map->first + i];
        const char *text = etl_manifest_resolve(packing->manifest, entry->message);
        size_t length = etl_manifest_clip(text, ETL_SCHEMA_LABEL_MAX);
        while (length > 0 && text[length - 1] == ' ') {
            length--;
        }
        etl_schema_put_entry(&packing->writer, entry->value, text, length);
    }
}

void etl_manifest_pack_template(struct etl_manifest *manifest,
                                struct etl_manifest_template *template)
{
    uint8_t room[ETL_SCHEMA_SIZE_MAX] = {0};
    const struct etl_manifest_field *fields = manifest->fields.rows;
    struct packing packing = {.manifest = manifest,
                              .template = template,
                              .fields = template->count > 0 ? fields + template->first : NULL,
                              .writer = {.at = room, .end = room + sizeof room}};
    template->packed = true;
    if (template->count > ETL_SCHEMA_FIELDS_MAX) {
        etl_manifest_add_problem(manifest, packing.fields[0].line, "the template has %u fields",
                                 (unsigned)template->count);
        return;
    }
    template->top = set_order(&packing);
    bool good = true;
    for (uint32_t place = 0; place < template->count; place++) {
        good &= put_field(&packing, (uint16_t)place);
    }
    for (size_t i = 0; i < packing.map_count; i++) {
        put_map(&packing, packing.maps[i]);
    }
    size_t size = (size_t)(packing.writer.at - room);
    uint8_t *kept = good && !packing.writer.failed ? etl_manifest_keep(manifest, size + 1) : NULL;
    if (kept != NULL) {
        memcpy(kept, room, size);
        template->maps = (uint16_t)packing.map_count;
        template->bytes = (struct etl_span){.at = kept, .size = size};
    }
}
