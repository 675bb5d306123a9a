/* Rows sorted by offset; names one after the other, each with its NUL. */
#include "etl/symbols.h"

#include "etl/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest real module has some hundred thousand. */
#define SYMBOLS_MAX ((size_t)4 << 20)

/* C++ makes names of any length: longer ones are cut. */
#define NAME_MAX_LENGTH 512

struct symbol {
    uint64_t at;
    uint64_t end; /* 0: goes on to the next symbol */
    size_t name;
};

struct etl_symbols {
    struct symbol *rows; /* owned */
    size_t count;
    size_t room;
    char *names; /* owned */
    size_t names_size;
};

/* What is left of a line. */
struct cursor {
    const char *at;
    const char *end;
};

void etl_symbols_id(const struct etl_guid *pdb_id, uint32_t age, char room[ETL_SYMBOLS_ID_SIZE])
{
    const uint8_t *bytes = pdb_id->bytes;
    size_t length = (size_t)snprintf(room, ETL_SYMBOLS_ID_SIZE, "%08X%04X%04X", etl_load_u32(bytes),
                                     etl_load_u16(bytes + 4), etl_load_u16(bytes + 6));
    for (size_t i = 8; i < 16; i++) {
        length += (size_t)snprintf(room + length, ETL_SYMBOLS_ID_SIZE - length, "%02X", bytes[i]);
    }
    snprintf(room + length, ETL_SYMBOLS_ID_SIZE - length, "%X", age);
}

static struct cursor next_word(struct cursor *line)
{
    while (line->at < line->end && *line->at == ' ') {
        line->at++;
    }
    struct cursor word = {.at = line->at, .end = line->at};
    while (word.end < line->end && *word.end != ' ') {
        word.end++;
    }
    line->at = word.end;
    return word;
}

static bool is_word(struct cursor word, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(word.end - word.at) == length && memcmp(word.at, text, length) == 0;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

static bool take_number(struct cursor *line, uint64_t *ret_number)
{
    struct cursor word = next_word(line);
    size_t length = (size_t)(word.end - word.at);
    *ret_number = 0;
    for (; word.at < word.end; word.at++) {
        int digit = digit_of(*word.at);
        if (digit < 0) {
            return false;
        }
        *ret_number = *ret_number << 4 | (unsigned)digit;
    }
    return length > 0 && length <= 16;
}

static bool add(struct etl_symbols *symbols, struct symbol row, struct cursor name)
{
    if (symbols->count == symbols->room) {
        size_t room = symbols->room > 0 ? symbols->room * 2 : 1024;
        struct symbol *grown = symbols->count < SYMBOLS_MAX
                                   ? realloc(symbols->rows, room * sizeof *grown)
                                   : NULL;
        if (grown == NULL) {
            return false;
        }
        symbols->rows = grown;
        symbols->room = room;
    }
    size_t length = (size_t)(name.end - name.at);
    length = length < NAME_MAX_LENGTH ? length : NAME_MAX_LENGTH;
    memcpy(symbols->names + symbols->names_size, name.at, length);
    symbols->names[symbols->names_size + length] = '\0';
    row.name = symbols->names_size;
    symbols->names_size += length + 1; /* less than the line had */
    symbols->rows[symbols->count++] = row;
    return true;
}

/* "m" stands before offsets of which several functions share the code. */
static void skip_mark(struct cursor *line)
{
    struct cursor rest = *line;
    if (is_word(next_word(&rest), "m")) {
        *line = rest;
    }
}

/* False when no more can be taken. */
static bool take_symbol(struct etl_symbols *symbols, struct cursor line, bool function)
{
    struct symbol row = {0};
    uint64_t size = 0, parameters;
    skip_mark(&line);
    if (!take_number(&line, &row.at) || (function && !take_number(&line, &size)) ||
        !take_number(&line, &parameters)) {
        return true;
    }
    while (line.at < line.end && *line.at == ' ') {
        line.at++;
    }
    bool plausible = line.at < line.end && (!function || (size > 0 && row.at + size > row.at));
    row.end = function ? row.at + size : 0;
    return !plausible || add(symbols, row, line);
}

static struct cursor next_line(struct cursor *text)
{
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    struct cursor line = {.at = text->at, .end = newline != NULL ? newline : text->end};
    text->at = newline != NULL ? newline + 1 : text->end;
    if (line.end > line.at && line.end[-1] == '\r') {
        line.end--;
    }
    return line;
}

static bool is_module(struct cursor line, const char *id)
{
    bool module = is_word(next_word(&line), "MODULE");
    next_word(&line); /* system */
    next_word(&line); /* processor */
    struct cursor word = next_word(&line);
    size_t length = strlen(id);
    bool same = module && (size_t)(word.end - word.at) == length;
    for (size_t i = 0; i < length && same; i++) {
        same = digit_of(word.at[i]) == digit_of(id[i]);
    }
    return same;
}

/* At one offset a function comes after what is only public: the last one is found. */
static int compare(const void *left, const void *right)
{
    const struct symbol *a = left;
    const struct symbol *b = right;
    return a->at != b->at ? (a->at < b->at ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

struct etl_symbols *etl_symbols_parse(const char *text, size_t size, const char *id)
{
    struct cursor left = {.at = text, .end = text + size};
    struct etl_symbols *symbols = NULL;
    if (size > 0 && is_module(next_line(&left), id)) {
        symbols = calloc(1, sizeof *symbols);
    }
    if (symbols == NULL || (symbols->names = malloc(size)) == NULL) {
        free(symbols);
        return NULL;
    }
    for (bool room = true; left.at < left.end && room;) {
        struct cursor line = next_line(&left);
        struct cursor word = next_word(&line);
        if (is_word(word, "FUNC") || is_word(word, "PUBLIC")) {
            room = take_symbol(symbols, line, is_word(word, "FUNC"));
        }
    }
    if (symbols->count == 0) {
        etl_symbols_free(symbols);
        return NULL;
    }
    qsort(symbols->rows, symbols->count, sizeof symbols->rows[0], compare);
    char *names = realloc(symbols->names, symbols->names_size); /* lines were more */
    symbols->names = names != NULL ? names : symbols->names;
    return symbols;
}

void etl_symbols_free(struct etl_symbols *symbols)
{
    if (symbols != NULL) {
        free(symbols->rows);
        free(symbols->names);
        free(symbols);
    }
}

const char *etl_symbols_find(const struct etl_symbols *symbols, uint64_t offset, uint64_t *ret_into)
{
    size_t low = 0;
    size_t high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->rows[middle].at <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct symbol *row = low > 0 ? &symbols->rows[low - 1] : NULL;
    if (row == NULL || (row->end != 0 && offset >= row->end)) {
        return NULL;
    }
    *ret_into = offset - row->at;
    return symbols->names + row->name;
}
