/*
 * Provider traits (etl/traits.h draws them): after the name, whose length nobody says, each trait
 * has a layout by its type. Rows: provider_traits and provider_trait of plugin/layouts/items.def.
 */
#include "etl/traits.h"

#include "etl/decode.h"
#include "etl/rows.h"

#include <string.h>

#define TRAITS_HEADER_SIZE 2
#define TRAIT_HEADER_SIZE  3

/* Traits end where TraitsSize says, if the data does not before. */
static struct etl_span bounded(struct etl_span data)
{
    size_t size = etl_load_u16(data.at);
    return (struct etl_span){.at = data.at, .size = size < data.size ? size : data.size};
}

/* The name's bytes without its NUL, from byte 2; *ret_closed says whether the NUL is there. */
static struct etl_span name_of(struct etl_span traits, bool *ret_closed)
{
    struct etl_span name = {.at = traits.at + TRAITS_HEADER_SIZE, .size = 0};
    if (traits.size > TRAITS_HEADER_SIZE) {
        name.size = traits.size - TRAITS_HEADER_SIZE;
    }
    const uint8_t *nul = name.size > 0 ? memchr(name.at, 0, name.size) : NULL;
    name.size = nul != NULL ? (size_t)(nul - name.at) : name.size;
    *ret_closed = nul != NULL;
    return name;
}

bool etl_traits_name(struct etl_span data, struct etl_span *ret_utf8)
{
    bool closed;
    if (data.size < TRAITS_HEADER_SIZE) {
        return false;
    }
    struct etl_span name = name_of(bounded(data), &closed);
    if (!closed || name.size == 0) {
        return false;
    }
    *ret_utf8 = name;
    return true;
}

static const char *title_of(uint8_t type)
{
    switch (type) {
    case ETL_TRAIT_GROUP:
        return "EtwProviderTraitTypeGroup";
    case ETL_TRAIT_DECODE_GUID:
        return "EtwProviderTraitDecodeGuid";
    default:
        return type < ETL_TRAIT_CUSTOM_FIRST ? "Reserved by Microsoft" : "Custom";
    }
}

static const struct etl_field *row_of(uint8_t type, size_t data_size)
{
    bool is_guid = data_size == sizeof(struct etl_guid);
    switch (type) {
    case ETL_TRAIT_GROUP:
        return is_guid ? ETL_ROW(provider_trait, Group) : ETL_ROW(item_header, Data);
    case ETL_TRAIT_DECODE_GUID:
        return is_guid ? ETL_ROW(provider_trait, DecodeGuid) : ETL_ROW(item_header, Data);
    default:
        return type < ETL_TRAIT_CUSTOM_FIRST ? ETL_ROW(provider_trait, Reserved)
                                             : ETL_ROW(provider_trait, Custom);
    }
}

/* One trait of `size` bytes, which are all there. */
static void show_trait(const uint8_t *at, size_t size, size_t *groups, struct etl_sink *sink)
{
    uint8_t type = at[2];
    const uint8_t *data = at + TRAIT_HEADER_SIZE;
    size_t data_size = size - TRAIT_HEADER_SIZE;
    const struct etl_field *row = row_of(type, data_size);
    sink->begin(sink, ETL_ROW(provider_traits, Trait), title_of(type), at, size);
    etl_decode_number(sink, ETL_ROW(provider_trait, TraitSize), at, 2, size);
    etl_decode_number(sink, ETL_ROW(provider_trait, Type), at + 2, 1, type);
    etl_decode_bytes(sink, row, data, data_size);
    if (row == ETL_ROW(item_header, Data)) {
        sink->note(sink, ETL_NOTE_BAD_TRAIT, at, size, "a GUID has 16 bytes");
    }
    *groups += type == ETL_TRAIT_GROUP;
    if (type == ETL_TRAIT_GROUP && *groups > 1) {
        sink->note(sink, ETL_NOTE_SECOND_GROUP, at, size, NULL);
    }
    sink->end(sink);
}

/* Each trait until the end, or until one that cannot be. */
static void show_list(struct etl_bytes *bytes, struct etl_sink *sink)
{
    size_t groups = 0;
    size_t left;
    while ((left = etl_bytes_left(bytes)) > 0) {
        const uint8_t *at = bytes->at;
        size_t size = left >= TRAIT_HEADER_SIZE ? etl_load_u16(at) : 0;
        if (size < TRAIT_HEADER_SIZE || size > left) {
            etl_decode_bytes(sink, ETL_ROW(item_header, Data), at, left);
            sink->note(sink, ETL_NOTE_BAD_TRAIT, at, left, NULL);
            return;
        }
        show_trait(at, size, &groups, sink);
        etl_bytes_take(bytes, size);
    }
}

static void show_size(struct etl_span data, struct etl_sink *sink)
{
    unsigned size = etl_load_u16(data.at);
    etl_decode_number(sink, ETL_ROW(provider_traits, TraitsSize), data.at, TRAITS_HEADER_SIZE,
                      size);
    if (size >= ETL_TRAITS_LARGE) {
        sink->note(sink, ETL_NOTE_TRAITS_LARGE, data.at, TRAITS_HEADER_SIZE, NULL);
    }
    if (size != data.size) {
        sink->note(sink, ETL_NOTE_ITEM_SIZES_DIFFER, data.at, TRAITS_HEADER_SIZE, NULL);
    }
}

void etl_traits_show(struct etl_span data, struct etl_sink *sink)
{
    if (data.size < TRAITS_HEADER_SIZE) {
        etl_decode_bytes(sink, ETL_ROW(item_header, Data), data.at, data.size);
        sink->note(sink, ETL_NOTE_TRUNCATED, data.at, data.size, NULL);
        return;
    }
    bool closed;
    struct etl_span traits = bounded(data);
    struct etl_span name = name_of(traits, &closed);
    struct etl_value value = {.at = name.at,
                              .size = name.size + closed,
                              .bytes = name.at,
                              .length = name.size,
                              .encoding = ETL_ENCODING_UTF8};
    show_size(data, sink);
    etl_sink_value(sink, ETL_ROW(provider_traits, ProviderName), &value);
    if (!closed) {
        sink->note(sink, ETL_NOTE_NO_TERMINATOR, name.at, name.size, NULL);
    }
    size_t done = TRAITS_HEADER_SIZE + value.size;
    struct etl_bytes list = etl_bytes_of(data.at + done,
                                         traits.size > done ? traits.size - done : 0);
    show_list(&list, sink);
    size_t covered = done > traits.size ? done : traits.size;
    etl_decode_bytes(sink, ETL_ROW(item_header, Data), data.at + covered, data.size - covered);
}
