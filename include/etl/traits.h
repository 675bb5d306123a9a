/*
 * Provider traits: what a provider says of itself when it registers.
 *
 *   u16 TraitsSize | UTF-8 name, NUL | trait … : u16 TraitSize, u8 Type, data
 *
 * Sizes include themselves. Source: SetInformation traits of evntprov.h, checked on 23,990 items of
 * real files. Knows nothing of where they are kept.
 */
#ifndef ETL_TRAITS_H
#define ETL_TRAITS_H

#include "etl/event.h"

enum etl_trait_type {
    ETL_TRAIT_GROUP = 1,          /* GUID of the provider group */
    ETL_TRAIT_DECODE_GUID = 2,    /* GUID under which the provider's schema is known */
    ETL_TRAIT_CUSTOM_FIRST = 128, /* from here on the provider's own; all below are Microsoft's */
};

/* Traits of this many bytes and more break the rule of those who write them. */
#define ETL_TRAITS_LARGE 256

/* The provider's name; false if it has none, an empty one, or one without its NUL. */
bool etl_traits_name(struct etl_span data, struct etl_span *ret_utf8);

/* Shows all of it; what is not understood, as bytes. */
void etl_traits_show(struct etl_span data, struct etl_sink *sink);

#endif
