/* The fields of one event: from the text of a row to items. */
#ifndef ETL_BUILTIN_FIELDS_H
#define ETL_BUILTIN_FIELDS_H

#include "core/schema/builtin_table.h"

#include <stdbool.h>
#include <stddef.h>

#define ITEMS_MAX 512 /* of one event */

/* The items of one event: those on top, and the members of structs behind all of them. */
struct template
{
    struct etl_builtin_item items[ITEMS_MAX];
    const char *members[ITEMS_MAX]; /* of structs on top: where the text of theirs is */
    size_t top_count;
    size_t count;
    bool open;
};

void read_fields(struct template *whole, const char *text);

/* Where in the pool of texts the text is, for this and for the rows around it. */
uint32_t intern_text(const char *text);

/* The number of the current provider's map, from 1. */
uint16_t map_of(const char *name);

/* Decimal; ends the program for anything else, or more than `most`. */
unsigned long number_of(const char *text, unsigned long most);

/* In place: %3A is a colon. Returns the text. */
char *unescape(char *text);

#endif
