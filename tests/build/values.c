/*
 * Words that put bytes: numbers, texts, addresses, times. One row of a table per word.
 *
 *   u32 1 2 0x3      each word is one value       ansi "text"    8-bit, NUL       zero 16
 *   be16 443         network order                utf16 "text"   UTF-16, NUL      hex 01 ff
 *   ptr 0xffff...    as wide as the event says    text, wtext    without NUL      align 8
 */
#include "builder.h"

#include "lznt1_compress.h"

#include <stdlib.h>
#include <string.h>

typedef void value_writer(struct builder *builder, struct statement *statement, uint64_t argument);

static uint64_t fitting_number(struct builder *builder, struct statement *statement, size_t index,
                               size_t width)
{
    const char *word = builder_word(builder, statement, index);
    uint64_t value = builder_number(builder, statement, word, NULL);
    if (!number_fits(value, width)) {
        builder_fail(builder, statement->node, "'%s' does not fit into %zu bytes", word, width);
    }
    return value;
}

static void put_numbers(struct builder *builder, struct statement *statement, uint64_t width)
{
    for (size_t i = 1; i < statement->count; i++) {
        blob_put_number(builder->bytes, fitting_number(builder, statement, i, width), width);
    }
}

static void put_big_numbers(struct builder *builder, struct statement *statement, uint64_t width)
{
    for (size_t i = 1; i < statement->count; i++) {
        blob_put_big(builder->bytes, fitting_number(builder, statement, i, width), width);
    }
}

/* Wider numbers are cut, so that a text with 64-bit addresses serves its 32-bit twin as well. */
static void put_pointers(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    for (size_t i = 1; i < statement->count; i++) {
        const char *word = builder_word(builder, statement, i);
        uint64_t value = builder_number(builder, statement, word, NULL);
        blob_put_number(builder->bytes, value, builder->pointer_size);
    }
}

/* 1.5 as IEEE 754 with `width` bytes: read as a fraction, since no expression is meant here. */
static void put_floats(struct builder *builder, struct statement *statement, uint64_t width)
{
    for (size_t i = 1; i < statement->count; i++) {
        double value = 0;
        const char *word = builder_word(builder, statement, i);
        value = strtod(word, NULL);
        float narrow = (float)value;
        uint32_t bits32 = 0;
        uint64_t bits64 = 0;
        memcpy(&bits32, &narrow, sizeof bits32);
        memcpy(&bits64, &value, sizeof bits64);
        blob_put_number(builder->bytes, width == 4 ? bits32 : bits64, width);
    }
}

/* argument: bytes of the terminator. */
static void put_text(struct builder *builder, struct statement *statement, uint64_t terminator)
{
    const char *text = builder_text(builder, statement, 1);
    blob_put(builder->bytes, text, strlen(text));
    blob_fill(builder->bytes, 0, terminator);
}

static void put_wide_text(struct builder *builder, struct statement *statement, uint64_t terminator)
{
    blob_put_utf16(builder->bytes, builder_text(builder, statement, 1));
    blob_fill(builder->bytes, 0, terminator);
}

/* u16 length in bytes, then the text without NUL; argument: bytes of a character. */
static void put_counted_text(struct builder *builder, struct statement *statement, uint64_t unit)
{
    struct blob text = {0};
    const char *word = builder_text(builder, statement, 1);
    if (unit == 2) {
        blob_put_utf16(&text, word);
    } else {
        blob_put(&text, word, strlen(word));
    }
    blob_put_number(builder->bytes, text.size, 2);
    blob_put(builder->bytes, text.data, text.size);
    blob_free(&text);
}

/* fixed_utf16 COUNT "text": that many characters, the rest zero; argument: bytes of one. */
static void put_fixed_text(struct builder *builder, struct statement *statement, uint64_t unit)
{
    size_t room = unit * fitting_number(builder, statement, 1, 2);
    const char *text = builder_text(builder, statement, 2);
    size_t before = builder->bytes->size;
    if (unit == 2) {
        blob_put_utf16(builder->bytes, text);
    } else {
        blob_put(builder->bytes, text, strlen(text));
    }
    size_t used = builder->bytes->size - before;
    if (used > room) {
        builder_fail(builder, statement->node, "the text needs %zu bytes, not %zu", used, room);
        return;
    }
    blob_fill(builder->bytes, 0, room - used);
}

static void put_guids(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    for (size_t i = 1; i < statement->count; i++) {
        builder_put_guid(builder, statement, builder_text(builder, statement, i), builder->bytes);
    }
}

/* With a TOKEN_USER before it, as kernel events have it: two pointers, the first not 0. */
static void put_sid(struct builder *builder, struct statement *statement, uint64_t token_user)
{
    if (token_user) {
        blob_put_number(builder->bytes, 0xffffe00012345678, builder->pointer_size);
        blob_put_number(builder->bytes, 0, builder->pointer_size);
    }
    builder_put_sid(builder, statement, builder_text(builder, statement, 1), builder->bytes);
}

static void put_ipv4(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    builder_put_ipv4(builder, statement, builder_text(builder, statement, 1), builder->bytes);
}

static void put_ipv6(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    builder_put_ipv6(builder, statement, builder_text(builder, statement, 1), builder->bytes);
}

static void put_mac(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    builder_put_mac(builder, statement, builder_text(builder, statement, 1), builder->bytes);
}

static void put_hex(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    for (size_t i = 1; i < statement->count; i++) {
        builder_put_hex(builder, statement, builder_text(builder, statement, i), builder->bytes);
    }
}

static void put_fill(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    uint64_t count = fitting_number(builder, statement, 1, 4);
    bool given = statement->count > 2;
    if (count > BUILDER_MOST_FILL) {
        builder_fail(builder, statement->node, "more than %d bytes", BUILDER_MOST_FILL);
        return;
    }
    blob_fill(builder->bytes, given ? (uint8_t)fitting_number(builder, statement, 2, 1) : 0, count);
}

static void put_align(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    blob_align(builder->bytes, fitting_number(builder, statement, 1, 2));
}

/* A date is FILETIME; a duration is a place in the trace, "now" is the current one. */
static void put_filetime(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    const char *word = builder_word(builder, statement, 1);
    bool now = strcmp(word, "now") == 0;
    uint64_t value = strchr(word, 'T') != NULL
                         ? builder_filetime(builder, statement, word)
                         : clock_filetime(&builder->log,
                                          builder_duration(builder, statement, now ? "+0" : word));
    blob_put_number(builder->bytes, value, 8);
}

static void put_systemtime(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    uint16_t fields[8] = {0};
    const char *word = builder_word(builder, statement, 1);
    builder_systemtime(builder_filetime(builder, statement, word), fields);
    for (size_t i = 0; i < 8; i++) {
        blob_put_number(builder->bytes, fields[i], 2);
    }
}

/* The trace's clock at a place in the trace. */
static void put_raw_time(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    const char *word = builder_word(builder, statement, 1);
    bool now = strcmp(word, "now") == 0;
    int64_t when = builder_duration(builder, statement, now ? "+0" : word);
    blob_put_number(builder->bytes, clock_raw(&builder->log, when), 8);
}

/* counted u32 : ...    the size in bytes of what it holds, then that; times=2 has the size twice,
   for packets with an original and a logged length. */
static void put_counted(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    const char *word = builder_word(builder, statement, 1);
    size_t width = strcmp(word, "u32") == 0 ? 4 : strcmp(word, "u16") == 0 ? 2 : 1;
    if (width == 1 && strcmp(word, "u8") != 0) {
        builder_fail(builder, statement->node, "'counted' needs u8, u16 or u32, not '%s'", word);
    }
    struct blob held = {0};
    builder_run_into(builder, statement->node->child, &held);
    uint64_t size = builder_key_number(builder, statement, "size", NULL, held.size);
    uint64_t times = builder_key_number(builder, statement, "times", NULL, 1);
    for (uint64_t i = 0; i < times && i < 2; i++) {
        blob_put_number(builder->bytes, size, width);
    }
    blob_put(builder->bytes, held.data, held.size);
    blob_free(&held);
}

/* lznt1 : ...    what it holds, packed; size=1 has the size of all that before it, as u32. */
static void put_lznt1(struct builder *builder, struct statement *statement, uint64_t unused)
{
    (void)unused;
    struct blob held = {0};
    builder_run_into(builder, statement->node->child, &held);
    if (builder_key_number(builder, statement, "size", NULL, 0) != 0) {
        blob_put_number(builder->bytes, held.size, 4);
    }
    size_t room_size = 2 * held.size + 64; /* what cannot be packed grows by two bytes in 4096 */
    uint8_t *room = malloc(room_size);
    if (room == NULL) {
        abort();
    }
    blob_put(builder->bytes, room, etl_lznt1_compress(held.data, held.size, room, room_size));
    free(room);
    blob_free(&held);
}

static const struct value_word {
    const char *word;
    value_writer *write;
    uint64_t argument;
    bool holds_lines;
} value_words[] = {
    {"u8", put_numbers, 1, false},
    {"u16", put_numbers, 2, false},
    {"u32", put_numbers, 4, false},
    {"u64", put_numbers, 8, false},
    {"be16", put_big_numbers, 2, false},
    {"be32", put_big_numbers, 4, false},
    {"be64", put_big_numbers, 8, false},
    {"ptr", put_pointers, 0, false},
    {"f32", put_floats, 4, false},
    {"f64", put_floats, 8, false},
    {"ansi", put_text, 1, false},
    {"text", put_text, 0, false},
    {"utf16", put_wide_text, 2, false},
    {"wtext", put_wide_text, 0, false},
    {"counted_ansi", put_counted_text, 1, false},
    {"counted_utf16", put_counted_text, 2, false},
    {"fixed_ansi", put_fixed_text, 1, false},
    {"fixed_utf16", put_fixed_text, 2, false},
    {"guid", put_guids, 0, false},
    {"sid", put_sid, 0, false},
    {"token_user", put_sid, 1, false},
    {"ipv4", put_ipv4, 0, false},
    {"ipv6", put_ipv6, 0, false},
    {"mac", put_mac, 0, false},
    {"port", put_big_numbers, 2, false},
    {"hex", put_hex, 0, false},
    {"zero", put_fill, 0, false},
    {"fill", put_fill, 0, false},
    {"align", put_align, 0, false},
    {"filetime", put_filetime, 0, false},
    {"systemtime", put_systemtime, 0, false},
    {"rawtime", put_raw_time, 0, false},
    {"counted", put_counted, 0, true},
    {"lznt1", put_lznt1, 0, true},
};

bool run_value(struct builder *builder, struct statement *statement)
{
    for (size_t i = 0; i < sizeof value_words / sizeof value_words[0]; i++) {
        const struct value_word *row = &value_words[i];
        if (strcmp(statement->words[0], row->word) != 0) {
            continue;
        }
        if (builder->bytes == NULL) {
            builder_fail(builder, statement->node, "'%s' must stand in an event", row->word);
            return true;
        }
        row->write(builder, statement, row->argument);
        if (!row->holds_lines) {
            builder_holds_nothing(builder, statement);
        }
        return true;
    }
    return false;
}
