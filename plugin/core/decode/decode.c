/*
 * Interprets the rows of a layout over bytes: the one decoder of everything whose fields are
 * declared.
 */
#include "etl/decode.h"

#include "core/decode/scalars.h"

#include <string.h>

/* Rows of one layout; etl_layouts_start's rows are far below, a unit test holds them to it. */
#define ROWS_MAX 128

struct walk {
    const struct etl_decoder *decoder;
    const struct etl_layout *layout;
    const uint8_t *payload; /* what padding counts from: the start of the outermost layout */
    const uint8_t *start;
    const uint8_t *row; /* where the last row began that is not a part */
    struct etl_bytes bytes;
    unsigned depth;
    bool chosen;                /* one of the .when rows right before was there */
    uint64_t numbers[ROWS_MAX]; /* of the rows so far, for .count and .when */
};

static size_t decode_nested(const struct etl_decoder *decoder, const struct etl_layout *layout,
                            const uint8_t *payload, const uint8_t *at, size_t size, unsigned depth,
                            bool *ret_whole);

static bool wanted(const struct walk *walk, const struct etl_field *field)
{
    struct etl_sink *sink = walk->decoder->sink;
    return sink->wants == NULL || sink->wants(sink, field);
}

static void show(const struct walk *walk, const struct etl_field *field,
                 const struct etl_value *value)
{
    walk->decoder->sink->value(walk->decoder->sink, field, value);
}

static void note(const struct walk *walk, enum etl_note which, const uint8_t *at, size_t size)
{
    walk->decoder->sink->note(walk->decoder->sink, which, at, size, NULL);
}

/* The field does not fit: a note over what is left of the payload, and no more fields. */
static bool truncated(struct walk *walk)
{
    note(walk, ETL_NOTE_TRUNCATED, walk->bytes.at, etl_bytes_left(&walk->bytes));
    walk->bytes.failed = true;
    if (walk->decoder->truncated != NULL) {
        *walk->decoder->truncated = true;
    }
    return false;
}

static uint64_t extend_sign(uint64_t number, size_t width)
{
    uint64_t sign = UINT64_C(1) << ((width * 8 - 1) & 63);
    return (number ^ sign) - sign;
}

/* A bit for each type whose number is not just its bits. */
#define IS_INTERPRETED(shape) \
    ((shape) == ETL_SHAPE_SIGNED || (shape) == ETL_SHAPE_BOOLEAN || (shape) == ETL_SHAPE_TIME)
static const uint64_t interpreted_types = UINT64_C(1) << ETL_TYPE_PORT
#define TYPE(name, width, shape, base) \
    | (uint64_t)IS_INTERPRETED(ETL_SHAPE_##shape) << ETL_TYPE_##name
#include "etl/types.def"
#undef TYPE
    ;
_Static_assert(ETL_TYPE_COUNT <= 64, "a type has no bit");

static inline bool is_interpreted(enum etl_type type)
{
    return (interpreted_types >> type & 1) != 0;
}

/* Completes value.number, whose raw bits it holds. */
static void interpret_number(const struct etl_clock *clock, enum etl_type type,
                             struct etl_value *value)
{
    int64_t filetime;
    switch (type) {
    case ETL_TYPE_PORT:
        value->number = (value->number & 0xFF) << 8 | value->number >> 8;
        break;
    case ETL_TYPE_BOOL8:
    case ETL_TYPE_BOOL16:
    case ETL_TYPE_BOOL32:
        value->number = value->number != 0;
        break;
    case ETL_TYPE_UNIXTIME:
        value->number = value->number * (uint64_t)ETL_FILETIME_PER_SECOND +
                        (uint64_t)ETL_FILETIME_OF_UNIX_EPOCH;
        break;
    case ETL_TYPE_CLOCKTIME:
        if (etl_clock_filetime(clock, (int64_t)value->number, &filetime)) {
            value->number = (uint64_t)filetime;
        } else {
            value->unknown = true;
        }
        break;
    default:
        if (etl_type_facts(type)->shape == ETL_SHAPE_SIGNED) {
            value->number = extend_sign(value->number, value->size);
        }
    }
}

static inline void complete_number(const struct etl_clock *clock, enum etl_type type,
                                   struct etl_value *value)
{
    if (is_interpreted(type)) {
        interpret_number(clock, type, value);
    }
}

static inline uint64_t raw_number(const struct etl_field *field, const uint8_t *at, size_t width)
{
    return width <= 8 && field->type != ETL_TYPE_ETHER ? etl_load_number(at, width) : 0;
}

void etl_decode_fixed(const struct etl_decoder *decoder, const struct etl_field *field,
                      const uint8_t *start, struct etl_value *ret_value)
{
    bool wide = decoder->pointer_size == 8;
    size_t width = field->width > 0 ? field->width : wide ? 8 : 4;
    const uint8_t *at = start + field->fixed_at[wide];
    *ret_value = (struct etl_value){.at = at,
                                    .size = width,
                                    .number = raw_number(field, at, width),
                                    .bytes = at,
                                    .length = width};
    complete_number(decoder->clock, field->type, ret_value);
}

/* The value of `width` bytes at `at`, for whoever wants it. */
static inline void take_scalar(struct walk *walk, const struct etl_field *field, size_t row,
                               const uint8_t *at, size_t width, bool shown)
{
    if (!shown && !field->referred) {
        return;
    }
    uint64_t raw = raw_number(field, at, width);
    walk->numbers[row] = raw;
    if (shown) {
        struct etl_value value = {
            .at = at, .size = width, .number = raw, .bytes = at, .length = width};
        complete_number(walk->decoder->clock, field->type, &value);
        show(walk, field, &value);
    }
}

static size_t width_of(const struct walk *walk, const struct etl_field *field)
{
    return field->width > 0 ? field->width : walk->decoder->pointer_size;
}

static bool decode_scalar(struct walk *walk, const struct etl_field *field, size_t row)
{
    size_t width = width_of(walk, field);
    const uint8_t *at = etl_bytes_take(&walk->bytes, width);
    if (at == NULL) {
        walk->bytes.failed = false;
        return truncated(walk);
    }
    take_scalar(walk, field, row, at, width, wanted(walk, field));
    return true;
}

/* Whether the bytes are the number. */
static bool is_plain(const struct etl_field *field)
{
    return etl_type_facts(field->type)->shape == ETL_SHAPE_NUMBER && !is_interpreted(field->type);
}

/* An array of scalars; a count of SIZE_MAX: as many as there are. Stacks are most of what big traces hold. */
static bool decode_scalars(struct walk *walk, const struct etl_field *field, size_t row,
                           size_t count)
{
    size_t width = width_of(walk, field);
    size_t there = etl_bytes_left(&walk->bytes) / width;
    size_t whole = count < there ? count : there;
    const uint8_t *at = etl_bytes_take(&walk->bytes, whole * width);
    bool shown = wanted(walk, field);
    struct etl_sink *sink = walk->decoder->sink;
    if (shown && sink->numbers != NULL && is_plain(field)) {
        sink->numbers(sink, field, at, width, whole);
        shown = false;
    }
    for (size_t i = 0; i < whole && (shown || field->referred); i++) {
        take_scalar(walk, field, row, at + i * width, width, shown);
    }
    bool all = count == SIZE_MAX ? etl_bytes_left(&walk->bytes) == 0 : whole == count;
    return all || truncated(walk);
}

/* Text up to its NUL; one that the payload's end cuts is legal, and said so. */
static bool decode_text(struct walk *walk, const struct etl_field *field, size_t units)
{
    size_t unit = field->type == ETL_TYPE_UTF16 ? 2 : 1;
    size_t left = etl_bytes_left(&walk->bytes);
    bool fixed = units != SIZE_MAX;
    if (fixed && units > left / unit) {
        return truncated(walk);
    }
    size_t room = fixed ? units * unit : left;
    size_t length = etl_length_to_nul(walk->bytes.at, room, unit);
    bool terminated = length != SIZE_MAX;
    if (!terminated) {
        length = room - room % unit;
    }
    size_t size = fixed ? room : terminated ? length + unit : room;
    const uint8_t *at = etl_bytes_take(&walk->bytes, size);
    if (wanted(walk, field)) {
        struct etl_value value = {.at = at, .size = size, .bytes = at, .length = length};
        value.encoding = field->type == ETL_TYPE_UTF16  ? ETL_ENCODING_UTF16
                         : field->type == ETL_TYPE_UTF8 ? ETL_ENCODING_UTF8
                                                        : ETL_ENCODING_ANSI;
        show(walk, field, &value);
        if (!terminated && !fixed) {
            note(walk, ETL_NOTE_NO_TERMINATOR, at, size);
        }
    }
    return true;
}

/* Length of the SID at `at`, or 0: revision 1, 1 to 15 sub-authorities, all there. */
static size_t sid_length(const uint8_t *at, size_t left)
{
    if (left < 8 || at[0] != 1 || at[1] > 15 || left < 8 + 4 * (size_t)at[1]) {
        return 0;
    }
    return 8 + 4 * (size_t)at[1];
}

/*
 * Where the SID of a USERSID begins: after a TOKEN_USER of two pointers; SIZE_MAX when only a u32
 * of zero stands for none. Some writers zero the TOKEN_USER and keep the SID.
 */
static size_t sid_offset(const struct walk *walk)
{
    const uint8_t *at = walk->bytes.at;
    size_t left = etl_bytes_left(&walk->bytes);
    size_t token = 2 * (size_t)walk->decoder->pointer_size;
    if (left < 4 || etl_load_u32(at) != 0) {
        return token;
    }
    bool plausible = left > token && sid_length(at + token, left - token) > 8 &&
                     etl_load_u32(at + token + 2) == 0;
    return plausible ? token : SIZE_MAX;
}

static bool decode_sid(struct walk *walk, const struct etl_field *field)
{
    size_t before = field->type == ETL_TYPE_USERSID ? sid_offset(walk) : 0;
    size_t left = etl_bytes_left(&walk->bytes);
    size_t length = 0;
    if (before == SIZE_MAX) {
        before = 4;
    } else {
        length = before < left ? sid_length(walk->bytes.at + before, left - before) : 0;
        if (length == 0) {
            return truncated(walk);
        }
    }
    const uint8_t *at = etl_bytes_take(&walk->bytes, before + length);
    if (length > 0 && wanted(walk, field)) {
        struct etl_value value = {
            .at = at, .size = before + length, .bytes = at + before, .length = length};
        show(walk, field, &value);
    }
    return true;
}

/* `count` bytes, in a room of .length bytes if there are both. */
static bool decode_bytes(struct walk *walk, const struct etl_field *field, size_t count)
{
    size_t size = field->count_row >= 0 && field->length > 0 ? field->length : count;
    const uint8_t *at = etl_bytes_take(&walk->bytes, size);
    if (at == NULL) {
        walk->bytes.failed = false;
        return truncated(walk);
    }
    count = count < size ? count : size;
    if (count > 0 && wanted(walk, field)) {
        struct etl_value value = {.at = at, .size = size, .bytes = at, .length = count};
        show(walk, field, &value);
    }
    return true;
}

static bool decode_structure(struct walk *walk, const struct etl_field *field)
{
    const struct etl_layout *layout = etl_layout(field->structure);
    struct etl_sink *sink = walk->decoder->sink;
    const uint8_t *at = walk->bytes.at;
    size_t left = etl_bytes_left(&walk->bytes);
    if (walk->depth >= ETL_DECODE_DEPTH_MAX) {
        return truncated(walk);
    }
    sink->begin(sink, field, field->label, at, left);
    bool whole;
    size_t covered = decode_nested(walk->decoder, layout, walk->payload, at, left, walk->depth + 1,
                                   &whole);
    sink->end(sink);
    etl_bytes_take(&walk->bytes, covered);
    return whole && covered > 0;
}

static bool decode_padding(struct walk *walk, enum etl_type type)
{
    size_t unit = type == ETL_TYPE_PAD4   ? 4
                  : type == ETL_TYPE_PAD8 ? 8
                                          : walk->decoder->pointer_size;
    size_t offset = (size_t)(walk->bytes.at - walk->payload);
    size_t padding = (unit - offset % unit) % unit;
    size_t left = etl_bytes_left(&walk->bytes);
    etl_bytes_take(&walk->bytes, padding < left ? padding : left);
    return true;
}

static bool decode_element(struct walk *walk, const struct etl_field *field, size_t row)
{
    switch (etl_type_facts(field->type)->shape) {
    case ETL_SHAPE_TEXT:
        return decode_text(walk, field, SIZE_MAX);
    case ETL_SHAPE_SID:
        return decode_sid(walk, field);
    case ETL_SHAPE_STRUCT:
        return decode_structure(walk, field);
    case ETL_SHAPE_PADDING:
        return decode_padding(walk, field->type);
    default:
        return decode_scalar(walk, field, row);
    }
}

/* How many elements, code units or bytes the row has; SIZE_MAX: one, which says itself where it
 * ends. */
static size_t count_of(const struct walk *walk, const struct etl_field *field)
{
    if (field->count_row >= 0) {
        uint64_t number = walk->numbers[field->count_row];
        uint32_t mask = field->count_mask;
        number = mask != 0 ? (number & mask) / (mask & -mask) : number;
        return number < SIZE_MAX / 2 ? (size_t)number : SIZE_MAX / 2;
    }
    return field->length > 0 ? field->length : SIZE_MAX;
}

static bool decode_row(struct walk *walk, const struct etl_field *field, size_t row)
{
    if (field->single) { /* most rows of most layouts */
        return decode_scalar(walk, field, row);
    }
    bool rest = field->count != NULL && field->count_row < 0;
    size_t count = count_of(walk, field);
    enum etl_shape shape = etl_type_facts(field->type)->shape;
    if (shape == ETL_SHAPE_BYTES) {
        bool to_end = rest || count == SIZE_MAX;
        return decode_bytes(walk, field, to_end ? etl_bytes_left(&walk->bytes) : count);
    }
    if (shape == ETL_SHAPE_TEXT && !field->array && (rest || count != SIZE_MAX)) {
        size_t unit = field->type == ETL_TYPE_UTF16 ? 2 : 1;
        return decode_text(walk, field, rest ? etl_bytes_left(&walk->bytes) / unit : count);
    }
    if (!rest && count == SIZE_MAX) {
        return decode_element(walk, field, row);
    }
    if (shape != ETL_SHAPE_TEXT && shape != ETL_SHAPE_SID && shape != ETL_SHAPE_STRUCT &&
        shape != ETL_SHAPE_PADDING) {
        return decode_scalars(walk, field, row, rest ? SIZE_MAX : count);
    }
    size_t done = 0;
    for (; (rest || done < count) && etl_bytes_left(&walk->bytes) > 0; done++) {
        if (!decode_element(walk, field, row)) {
            return false;
        }
    }
    return rest || done == count || truncated(walk);
}

/* A row over bytes that the row before covers already. */
static void decode_part(struct walk *walk, const struct etl_field *field, size_t row)
{
    struct etl_bytes after = walk->bytes;
    walk->bytes = etl_bytes_of(walk->start, (size_t)(after.end - walk->start));
    size_t offset = field->at == ETL_AT_ROW ? (size_t)(walk->row - walk->start) : field->at;
    if (etl_bytes_take(&walk->bytes, offset) != NULL) {
        decode_row(walk, field, row);
    }
    walk->bytes = after;
}

static bool present(struct walk *walk, const struct etl_field *field)
{
    if (field->otherwise) {
        return !walk->chosen;
    }
    if (field->when_row < 0) {
        walk->chosen = false;
        return true;
    }
    bool is = (walk->numbers[field->when_row] & field->when_mask) == field->when_is;
    walk->chosen |= is;
    return is;
}

/*
 * The rows at the beginning whose places are known, if the bytes reach to the last of them: those that nobody
 * wants cost no more than the question. Returns how many rows that were.
 */
static size_t decode_fixed_rows(struct walk *walk)
{
    const struct etl_layout *layout = walk->layout;
    bool wide = walk->decoder->pointer_size == 8;
    size_t end = layout->fixed_end[wide];
    if (etl_bytes_left(&walk->bytes) < end) {
        return 0;
    }
    for (size_t row = 0; row < layout->fixed_rows; row++) {
        const struct etl_field *field = &layout->fields[row];
        const uint8_t *at = walk->start + field->fixed_at[wide];
        walk->row = field->part ? walk->row : at;
        take_scalar(walk, field, row, at, width_of(walk, field), wanted(walk, field));
    }
    etl_bytes_take(&walk->bytes, end);
    return layout->fixed_rows;
}

/* `*ret_whole` is false when a field did not fit: what follows is not where it would be. */
static size_t decode_nested(const struct etl_decoder *decoder, const struct etl_layout *layout,
                            const uint8_t *payload, const uint8_t *at, size_t size, unsigned depth,
                            bool *ret_whole)
{
    struct walk walk;
    walk.decoder = decoder;
    walk.layout = layout;
    walk.payload = payload;
    walk.start = at;
    walk.row = at;
    walk.bytes = etl_bytes_of(at, size);
    walk.depth = depth;
    walk.chosen = false;
    *ret_whole = true;
    for (size_t row = decode_fixed_rows(&walk); row < layout->count && *ret_whole; row++) {
        const struct etl_field *field = &layout->fields[row];
        walk.numbers[row] = 0;
        if (!present(&walk, field)) {
            continue;
        }
        if (field->part) {
            decode_part(&walk, field, row);
            continue;
        }
        walk.row = walk.bytes.at;
        if (etl_bytes_left(&walk.bytes) == 0) {
            break;
        }
        *ret_whole = decode_row(&walk, field, row);
    }
    return (size_t)(walk.bytes.at - at);
}

size_t etl_decode_layout(const struct etl_decoder *decoder, const struct etl_layout *layout,
                         const uint8_t *at, size_t size)
{
    bool whole;
    return size > 0 ? decode_nested(decoder, layout, at, at, size, 0, &whole) : 0;
}

void etl_decode_number(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                       size_t size, uint64_t number)
{
    struct etl_value value = {
        .at = at, .size = size, .number = number, .bytes = at, .length = size};
    etl_sink_value(sink, field, &value);
}

void etl_decode_text(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                     size_t size, const char *utf8)
{
    struct etl_value value = {.at = at,
                              .size = size,
                              .bytes = (const uint8_t *)utf8,
                              .length = strlen(utf8),
                              .encoding = ETL_ENCODING_UTF8};
    etl_sink_value(sink, field, &value);
}

void etl_decode_bytes(struct etl_sink *sink, const struct etl_field *field, const uint8_t *at,
                      size_t size)
{
    if (size > 0) {
        struct etl_value value = {.at = at, .size = size, .bytes = at, .length = size};
        etl_sink_value(sink, field, &value);
    }
}

const char *etl_note_sentence(enum etl_note note_id)
{
    static const char *const sentences[ETL_NOTE_COUNT] = {
#define NOTE(id, severity, group, sentence) [ETL_NOTE_##id] = (sentence),
#include "etl/notes.def"
#undef NOTE
    };
    return sentences[note_id];
}
