/*
 * Decodes the rows of a layout from bytes into a sink.
 *
 * Rows are taken one after another (or at their fixed offset). A payload that ends at the boundary
 * of two fields is complete: fields were added over the years without a new version. One that ends
 * inside a field gets a note. Knows nothing of what the sink does with a value. Allocates nothing.
 */
#ifndef ETL_DECODE_H
#define ETL_DECODE_H

#include "etl/event.h"
#include "etl/sink.h"

/* Deeper nesting of STRUCT rows is shown as bytes. No layout needs more than 2. */
#define ETL_DECODE_DEPTH_MAX 8

struct etl_decoder {
    struct etl_sink *sink;
    const struct etl_clock *clock; /* for CLOCKTIME fields */
    uint8_t pointer_size;
    bool *truncated; /* may be NULL; becomes true when a field does not fit: that has its note */
};

/*
 * Shows the rows over `bytes`; returns how many bytes the rows covered. What is left is for the
 * caller to show: nothing is swallowed.
 */
size_t etl_decode_layout(const struct etl_decoder *decoder, const struct etl_layout *layout,
                         const uint8_t *at, size_t size);

/* Whether a payload of `size` bytes has all of the layout's fixed_rows. */
static inline bool etl_decode_reaches(const struct etl_decoder *decoder,
                                      const struct etl_layout *layout, size_t size)
{
    return size > 0 && size >= layout->fixed_end[decoder->pointer_size == 8];
}

/* The value of one of them, for those who want a few rows and not the walk over all. */
void etl_decode_fixed(const struct etl_decoder *decoder, const struct etl_field *field,
                      const uint8_t *start, struct etl_value *ret_value);

/*
 * The layout of an event's payload: by hook id, also where a kernel event has a classic header, or
 * by class GUID and type. NULL when none is known, and for events that a schema describes.
 */
const struct etl_layout *etl_layout_of_event(const struct etl_event *event);

/* Shows one value of a row whose bytes are elsewhere or nowhere (at NULL: generated). */
void etl_decode_number(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                       size_t size, uint64_t number);
void etl_decode_text(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                     size_t size, const char *utf8);

/* The same for fields whose bytes are their value (BYTES, GUID …); nothing when there are none. */
void etl_decode_bytes(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                      size_t size);

/* UTF-16LE to UTF-8, lone surrogates as U+FFFD; `room` is always terminated. Returns the length. */
size_t etl_utf8_of_utf16(const uint8_t *utf16, size_t size, char *room, size_t room_size);

/*
 * The other way: `room` (bytes, at least 2) gets UTF-16LE and is always terminated; what is no
 * UTF-8 becomes U+FFFD. Returns the bytes before the terminator.
 */
size_t etl_utf16_of_utf8(const uint8_t *utf8, size_t size, uint8_t *room, size_t room_size);

/*
 * 8-bit text of unknown code page to UTF-8: what is well-formed UTF-8 stays, other bytes are taken
 * for Windows-1252. Otherwise as above.
 */
size_t etl_utf8_of_ansi(const uint8_t *ansi, size_t size, char *room, size_t room_size);

#endif
