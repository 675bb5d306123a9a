/*
 * XML that an event carries packed: as LZNT1, in UTF-8 or UTF-16.
 *
 *     event's payload:  | … | size when expanded | … | LZNT1, to the end |
 *
 * Which events have one is an attribute of a row (layout.h, .xml_size). Knows nothing of XML.
 */
#ifndef ETL_PACKED_TEXT_H
#define ETL_PACKED_TEXT_H

#include "etl/event.h"

/*
 * Longer texts are cut here. An event is smaller than 64 KiB, out of which LZNT1 can make 30 MiB; the
 * longest that was met had 30 KiB.
 */
#define ETL_PACKED_TEXT_MAX ((size_t)1024 * 1024)

struct etl_packed_text {
    struct etl_span packed; /* borrowed from the payload */
    size_t size;            /* bytes when expanded, as the event says; at most the above */
    bool cut;               /* the event says more than that */
};

/* False, and *ret_text untouched, for events that have none. */
bool etl_packed_text_of_event(const struct etl_event *event, struct etl_packed_text *ret_text);

/*
 * Expands it into `room` of text->size bytes. Returns how many there are: fewer if the packed bytes
 * are damaged or end early.
 */
size_t etl_packed_text_expand(const struct etl_packed_text *text, uint8_t *room);

/* The room that expanded text of so many bytes needs as UTF-8, with its NUL. */
#define ETL_PACKED_TEXT_UTF8_SIZE(size) ((size) / 2 * 3 + 2)

/*
 * To UTF-8, from UTF-16LE if that is what it looks like; a byte order mark and NULs at the end
 * are left out. `utf8` has the room that the macro says. Returns the bytes of text.
 */
size_t etl_packed_text_utf8(const uint8_t *expanded, size_t size, char *utf8);

#endif
