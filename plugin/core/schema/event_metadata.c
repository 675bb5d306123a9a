/*
 * Compiles what Windows' TDH wrote into traces. Texts are UTF-16, at offsets from the start, and end
 * in a blank.
 *
 *   TRACE_EVENT_INFO
 *   00 provider GUID   10 event GUID     20 EVENT_DESCRIPTOR   30 decoding source
 *   34 provider        38 level          3C channel            40 keywords (a list)
 *   44 task            48 opcode         4C message            50 provider's message
 *   54 binary XML      58 its size       5C event name         60 attributes
 *   64 properties      68 at top level   6C flags              70 EVENT_PROPERTY_INFO …
 *
 *   EVENT_PROPERTY_INFO, 24 bytes
 *   00 flags   04 name   08 u16 in type, u16 out type, u32 map's name; or u16 first member, u16 members
 *   10 u16 count, or the property that says   12 u16 length, likewise   14 tags
 *
 *   EVENT_MAP_INFO
 *   00 name   04 flags   08 entries   0C value type   10 {u32 text, u32 value} …
 *
 * Source: tdh.h; all 446 and 165 of the corpus.
 */
#include "core/schema/event_metadata.h"

#include "core/schema/schema_writer.h"

#include <string.h>

#define INFO_SIZE      0x70
#define PROPERTY_SIZE  24
#define MAP_SIZE       16
#define MAP_ENTRY_SIZE 8

enum {
    PROPERTY_STRUCT = 0x01,
    PROPERTY_LENGTH_REFERS = 0x02,
    PROPERTY_COUNT_REFERS = 0x04,
    PROPERTY_FIXED_LENGTH = 0x10,
    PROPERTY_FIXED_COUNT = 0x20,
};

#define MAP_FLAGS_OF_BITS (0x02 | 0x10)
#define MAP_FLAG_PATTERN  0x04
#define MAP_VALUES_TEXTS  1

/* Microsoft-Windows-DotNETRuntime, CLRStackWalk. */
static const struct etl_guid dotnet_runtime = ETL_GUID(0xe13c0d23, 0xccbc, 0x4e12, 0x93, 0x1b, 0xd9,
                                                       0xcc, 0x2e, 0xee, 0x27, 0xe4);
#define CLR_STACK_WALK 82

struct etl_span etl_metadata_text(struct etl_span whole, uint32_t offset)
{
    struct etl_span text = {.at = whole.at};
    if (offset == 0 || offset >= whole.size) {
        return text;
    }
    text.at = whole.at + offset;
    size_t left = whole.size - offset;
    while (text.size + 2 <= left && etl_load_u16(text.at + text.size) != 0) {
        text.size += 2;
    }
    while (text.size >= 2 && etl_load_u16(text.at + text.size - 2) == ' ') {
        text.size -= 2;
    }
    return text;
}

static void put_text(struct etl_schema_writer *writer, struct etl_span text)
{
    char utf8[ETL_SCHEMA_TEXT_MAX];
    size_t length = etl_utf8_of_utf16(text.at, text.size, utf8, sizeof utf8);
    etl_schema_put_text(writer, utf8, length);
}

/* A list of texts with commas between. */
static void put_texts(struct etl_schema_writer *writer, struct etl_span whole, uint32_t offset)
{
    char utf8[ETL_SCHEMA_TEXT_MAX];
    size_t length = 0;
    utf8[0] = '\0';
    while (offset != 0 && offset < whole.size && length + 4 < sizeof utf8) {
        struct etl_span text = etl_metadata_text(whole, offset);
        if (text.size == 0) {
            break;
        }
        if (length > 0) {
            memcpy(utf8 + length, ", ", 3);
            length += 2;
        }
        length += etl_utf8_of_utf16(text.at, text.size, utf8 + length, sizeof utf8 - length);
        offset = (uint32_t)(text.at - whole.at + (ptrdiff_t)text.size);
        while (offset + 2 <= whole.size && etl_load_u16(whole.at + offset) != 0) {
            offset += 2; /* the blank */
        }
        offset += 2;
    }
    etl_schema_put_text(writer, utf8, length);
}

/* TDH's out types. */
static enum etl_out out_of_tdh(uint16_t out)
{
    static const uint8_t outs[] = {
        [1] = ETL_OUT_STRING,       [3] = ETL_OUT_SIGNED,
        [4] = ETL_OUT_UNSIGNED,     [5] = ETL_OUT_SIGNED,
        [6] = ETL_OUT_UNSIGNED,     [7] = ETL_OUT_SIGNED,
        [8] = ETL_OUT_UNSIGNED,     [9] = ETL_OUT_SIGNED,
        [10] = ETL_OUT_UNSIGNED,    [13] = ETL_OUT_BOOLEAN,
        [16] = ETL_OUT_HEX,         [17] = ETL_OUT_HEX,
        [18] = ETL_OUT_HEX,         [19] = ETL_OUT_HEX,
        [20] = ETL_OUT_PID,         [21] = ETL_OUT_TID,
        [22] = ETL_OUT_PORT,        [23] = ETL_OUT_IPV4,
        [24] = ETL_OUT_IPV6,        [25] = ETL_OUT_SOCKET_ADDRESS,
        [28] = ETL_OUT_XML,         [29] = ETL_OUT_HEX,
        [30] = ETL_OUT_WIN32_ERROR, [31] = ETL_OUT_NTSTATUS,
        [32] = ETL_OUT_HRESULT,     [34] = ETL_OUT_JSON,
        [35] = ETL_OUT_UTF8,        [37] = ETL_OUT_HEX,
    };
    return out < sizeof outs ? (enum etl_out)outs[out] : ETL_OUT_DEFAULT;
}

/* TDH's in types; COUNT for one that cannot be decoded. */
static enum etl_in in_of_tdh(uint16_t in)
{
    switch (in) {
    case 300:
        return ETL_IN_COUNTED_STRING;
    case 301:
        return ETL_IN_COUNTED_ANSI_STRING;
    case 308:
        return ETL_IN_SIZE;
    default:
        return in < ETL_IN_SIZE && in != ETL_IN_STRUCT ? (enum etl_in)in : ETL_IN_COUNT;
    }
}

/* What has been packed so far. */
struct packing {
    struct etl_span info;
    const struct etl_map_source *source;
    struct etl_schema_writer writer;
    uint32_t properties;
    uint32_t top;
    struct etl_span maps[ETL_SCHEMA_MAPS_MAX]; /* EVENT_MAP_INFOs */
    size_t map_count;
};

/* Whether a map names numbers; patterns and WMI's maps of texts to texts have offsets in their place. */
static bool names_numbers(struct etl_span map)
{
    return (etl_load_u32(map.at + 4) & MAP_FLAG_PATTERN) == 0 &&
           etl_load_u32(map.at + 0x0C) != MAP_VALUES_TEXTS;
}

/* 1 + the place of the property's map, which is kept; 0: it has none. */
static unsigned map_of(struct packing *packing, uint32_t name_offset)
{
    struct etl_guid provider;
    struct etl_span map;
    struct etl_span name = etl_metadata_text(packing->info, name_offset);
    memcpy(provider.bytes, packing->info.at, sizeof provider.bytes);
    if (name.size == 0 || !packing->source->find(packing->source->data, &provider, name, &map) ||
        !names_numbers(map)) {
        return 0;
    }
    for (size_t i = 0; i < packing->map_count; i++) {
        if (packing->maps[i].at == map.at) {
            return (unsigned)i + 1;
        }
    }
    if (packing->map_count == ETL_SCHEMA_MAPS_MAX) {
        return 0;
    }
    packing->maps[packing->map_count++] = map;
    return (unsigned)packing->map_count;
}

static bool label_is(const struct packing *packing, const uint8_t *property, const char *label)
{
    char utf8[32];
    struct etl_span name = etl_metadata_text(packing->info, etl_load_u32(property + 4));
    etl_utf8_of_utf16(name.at, name.size, utf8, sizeof utf8);
    return strcmp(utf8, label) == 0;
}

/*
 * CLRStackWalk says that its Stack has two u64; it has FrameCount pointers (verified with real
 * traces of both widths).
 */
static bool is_clr_stack(const struct packing *packing, uint32_t index, const uint8_t *property)
{
    return index > 0 && memcmp(packing->info.at, dotnet_runtime.bytes, 16) == 0 &&
           etl_load_u16(packing->info.at + 0x20) == CLR_STACK_WALK &&
           label_is(packing, property, "Stack") &&
           label_is(packing, property - PROPERTY_SIZE, "FrameCount");
}

static struct etl_schema_packed_field amounts_of(const uint8_t *property, enum etl_in in)
{
    uint32_t flags = etl_load_u32(property);
    bool sized = in == ETL_IN_UNICODE_STRING || in == ETL_IN_ANSI_STRING || in == ETL_IN_BINARY;
    struct etl_schema_packed_field amounts = {
        .in = in, .count = etl_load_u16(property + 16), .length = etl_load_u16(property + 18)};
    if (flags & PROPERTY_COUNT_REFERS) {
        amounts.count_mode = ETL_QUANTITY_REFERENCE;
    } else if ((flags & PROPERTY_FIXED_COUNT) || amounts.count > 1) {
        amounts.count_mode = ETL_QUANTITY_FIXED;
    }
    if (flags & PROPERTY_LENGTH_REFERS) {
        amounts.length_mode = ETL_QUANTITY_REFERENCE;
    } else if (sized && amounts.length > 0) {
        amounts.length_mode = ETL_QUANTITY_FIXED;
    }
    return amounts;
}

static bool put_property(struct packing *packing, uint32_t index)
{
    const uint8_t *property = packing->info.at + INFO_SIZE + index * (size_t)PROPERTY_SIZE;
    bool structure = etl_load_u32(property) & PROPERTY_STRUCT;
    enum etl_in in = structure ? ETL_IN_STRUCT : in_of_tdh(etl_load_u16(property + 8));
    struct etl_schema_packed_field field = amounts_of(property, in);
    char name[ETL_SCHEMA_LABEL_MAX + 1];
    struct etl_span label = etl_metadata_text(packing->info, etl_load_u32(property + 4));
    size_t length = etl_utf8_of_utf16(label.at, label.size, name, sizeof name);
    if (in == ETL_IN_COUNT) {
        return false;
    }
    if (structure) {
        field.map = etl_load_u16(property + 8);
        field.length = etl_load_u16(property + 10);
        field.length_mode = ETL_QUANTITY_NATURAL;
    } else if (is_clr_stack(packing, index, property)) {
        field.in = ETL_IN_POINTER;
        field.count_mode = ETL_QUANTITY_REFERENCE;
        field.count = index - 1;
    } else {
        field.out = out_of_tdh(etl_load_u16(property + 10));
        field.map = map_of(packing, etl_load_u32(property + 12));
    }
    etl_schema_put_field(&packing->writer, &field, name, length);
    return true;
}

static void put_map(struct etl_schema_writer *writer, struct etl_span map)
{
    size_t count = etl_load_u32(map.at + 8);
    size_t room = (map.size - MAP_SIZE) / MAP_ENTRY_SIZE;
    count = count < room ? count : room;
    count = count < ETL_SCHEMA_ENTRIES_MAX ? count : ETL_SCHEMA_ENTRIES_MAX;
    bool bits = etl_load_u32(map.at + 4) & MAP_FLAGS_OF_BITS;
    etl_schema_put_map(writer, bits ? ETL_NAMES_FLAGS : ETL_NAMES_VALUES, count);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = map.at + MAP_SIZE + i * MAP_ENTRY_SIZE;
        char name[ETL_SCHEMA_LABEL_MAX + 1];
        struct etl_span text = etl_metadata_text(map, etl_load_u32(entry));
        size_t length = etl_utf8_of_utf16(text.at, text.size, name, sizeof name);
        etl_schema_put_entry(writer, etl_load_u32(entry + 4), name, length);
    }
}

static void put_texts_of_event(struct packing *packing)
{
    static const uint8_t text_at[ETL_SCHEMA_TEXT_COUNT] = {
        [ETL_SCHEMA_EVENT] = 0x5C,   [ETL_SCHEMA_PROVIDER] = 0x34, [ETL_SCHEMA_TASK] = 0x44,
        [ETL_SCHEMA_OPCODE] = 0x48,  [ETL_SCHEMA_LEVEL] = 0x38,    [ETL_SCHEMA_KEYWORDS] = 0x40,
        [ETL_SCHEMA_MESSAGE] = 0x4C, [ETL_SCHEMA_CHANNEL] = 0x3C,
    };
    for (size_t i = 0; i < ETL_SCHEMA_TEXT_COUNT; i++) {
        uint32_t offset = etl_load_u32(packing->info.at + text_at[i]);
        if (i == ETL_SCHEMA_KEYWORDS) {
            put_texts(&packing->writer, packing->info, offset);
        } else {
            put_text(&packing->writer, etl_metadata_text(packing->info, offset));
        }
    }
}

size_t etl_event_metadata_pack(struct etl_span info, const struct etl_map_source *maps,
                               uint8_t *room)
{
    struct packing packing = {.info = info, .source = maps};
    if (info.size < INFO_SIZE) {
        return 0;
    }
    packing.properties = etl_load_u32(info.at + 0x64);
    packing.top = etl_load_u32(info.at + 0x68);
    if (packing.properties > ETL_SCHEMA_FIELDS_MAX || packing.top > packing.properties ||
        packing.properties > (info.size - INFO_SIZE) / PROPERTY_SIZE) {
        return 0;
    }
    packing.writer = (struct etl_schema_writer){.at = room, .end = room + ETL_SCHEMA_SIZE_MAX};
    etl_schema_put_u8(&packing.writer, ETL_SCHEMA_PACKED_VERSION);
    etl_schema_put_u8(&packing.writer, ETL_SCHEMA_EMBEDDED);
    etl_schema_put_u16(&packing.writer, packing.properties);
    etl_schema_put_u16(&packing.writer, packing.top);
    uint8_t *map_count_at = packing.writer.at;
    etl_schema_put_u16(&packing.writer, 0);
    put_texts_of_event(&packing);
    for (uint32_t i = 0; i < packing.properties; i++) {
        if (!put_property(&packing, i)) {
            return 0;
        }
    }
    etl_store_u16(map_count_at, (uint16_t)packing.map_count);
    for (size_t i = 0; i < packing.map_count; i++) {
        put_map(&packing.writer, packing.maps[i]);
    }
    return packing.writer.failed ? 0 : (size_t)(packing.writer.at - room);
}
