/* The grammar of FIELDS, which stands in plugin/layouts/builtin.txt. */
#include "builtin/fields.h"

#include "builtin/pool.h"
#include "etl/schema.h"

#include <stdio.h>
#include <stdlib.h>

unsigned long number_of(const char *text, unsigned long most)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || number > most) {
        fail("no number that fits", text);
    }
    return number;
}

char *unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        unsigned code;
        if (*from == '%' && sscanf(from + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

static const struct type {
    const char *name;
    enum etl_in in;
    enum etl_out out;
} types[] = {
    {"i8", ETL_IN_INT8, ETL_OUT_DEFAULT},
    {"u8", ETL_IN_UINT8, ETL_OUT_DEFAULT},
    {"i16", ETL_IN_INT16, ETL_OUT_DEFAULT},
    {"u16", ETL_IN_UINT16, ETL_OUT_DEFAULT},
    {"i32", ETL_IN_INT32, ETL_OUT_DEFAULT},
    {"u32", ETL_IN_UINT32, ETL_OUT_DEFAULT},
    {"i64", ETL_IN_INT64, ETL_OUT_DEFAULT},
    {"u64", ETL_IN_UINT64, ETL_OUT_DEFAULT},
    {"hex8", ETL_IN_UINT8, ETL_OUT_HEX},
    {"hex16", ETL_IN_UINT16, ETL_OUT_HEX},
    {"hex32", ETL_IN_HEX_INT32, ETL_OUT_DEFAULT},
    {"hex64", ETL_IN_HEX_INT64, ETL_OUT_DEFAULT},
    {"float", ETL_IN_FLOAT, ETL_OUT_DEFAULT},
    {"double", ETL_IN_DOUBLE, ETL_OUT_DEFAULT},
    {"bool32", ETL_IN_BOOL32, ETL_OUT_DEFAULT},
    {"pointer", ETL_IN_POINTER, ETL_OUT_DEFAULT},
    {"guid", ETL_IN_GUID, ETL_OUT_DEFAULT},
    {"sid", ETL_IN_SID, ETL_OUT_DEFAULT},
    {"filetime", ETL_IN_FILETIME, ETL_OUT_DEFAULT},
    {"systemtime", ETL_IN_SYSTEMTIME, ETL_OUT_DEFAULT},
    {"utf16", ETL_IN_UNICODE_STRING, ETL_OUT_DEFAULT},
    {"ansi", ETL_IN_ANSI_STRING, ETL_OUT_DEFAULT},
    {"bytes", ETL_IN_BINARY, ETL_OUT_DEFAULT},
    {"counted_utf16", ETL_IN_COUNTED_STRING, ETL_OUT_DEFAULT},
    {"counted_ansi", ETL_IN_COUNTED_ANSI_STRING, ETL_OUT_DEFAULT},
    {"counted_bytes", ETL_IN_COUNTED_BINARY, ETL_OUT_DEFAULT},
    {"ipv4", ETL_IN_UINT32, ETL_OUT_IPV4},
    {"ipv6", ETL_IN_BINARY, ETL_OUT_IPV6},
    {"sockaddr", ETL_IN_BINARY, ETL_OUT_SOCKET_ADDRESS},
    {"port", ETL_IN_UINT16, ETL_OUT_PORT},
    {"pid", ETL_IN_UINT32, ETL_OUT_PID},
    {"tid", ETL_IN_UINT32, ETL_OUT_TID},
    {"ntstatus", ETL_IN_UINT32, ETL_OUT_NTSTATUS},
    {"win32error", ETL_IN_UINT32, ETL_OUT_WIN32_ERROR},
    {"hresult", ETL_IN_INT32, ETL_OUT_HRESULT},
};

/* Where the reading of an event's fields is. */
struct scan {
    const char *at;
    char word[256]; /* the last one */
};

/* What is before one of the characters of `ends`. */
static char *read_word(struct scan *scan, const char *ends)
{
    size_t length = strcspn(scan->at, ends);
    if (length >= sizeof scan->word) {
        fail("too long", scan->at);
    }
    memcpy(scan->word, scan->at, length);
    scan->word[length] = '\0';
    scan->at += length;
    return unescape(scan->word);
}

static bool take(struct scan *scan, const char *text)
{
    bool there = strncmp(scan->at, text, strlen(text)) == 0;
    scan->at += there ? strlen(text) : 0;
    return there;
}

static void expect(struct scan *scan, const char *text)
{
    if (!take(scan, text)) {
        fail(text, scan->at);
    }
}

static const struct type *type_named(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    fail("no such type", name);
}

static bool has_label(const struct etl_builtin_item *item, size_t count, uint32_t label)
{
    while (count > 0 && item[count - 1].label != label) {
        count--;
    }
    return count > 0;
}

/*
 * A number, or the name of an item before: of those from `first` on, else of those on top. False
 * for "?".
 */
static bool read_quantity(struct scan *scan, const struct template *whole, size_t first,
                          const char *end, uint8_t *ret_mode, uint32_t *ret_number)
{
    const char *text = read_word(scan, end);
    expect(scan, end);
    if (strcmp(text, "?") == 0) {
        return false;
    }
    if (text[0] >= '0' && text[0] <= '9') {
        *ret_mode = ETL_QUANTITY_FIXED;
        *ret_number = (uint32_t)number_of(text, UINT16_MAX);
        return true;
    }
    *ret_mode = ETL_QUANTITY_REFERENCE;
    *ret_number = intern_text(text);
    if (!has_label(whole->items + first, whole->count - first, *ret_number) &&
        !has_label(whole->items, whole->top_count, *ret_number)) {
        fail("no earlier item", text);
    }
    return true;
}

/* What follows an item's type. A length that nobody knows is what those after it leave. */
static void read_item_rest(struct scan *scan, const struct template *whole, size_t first,
                           struct etl_builtin_item *item)
{
    if (take(scan, "{")) {
        item->map = map_of(read_word(scan, "}"));
        expect(scan, "}");
    }
    if (take(scan, "(len=") &&
        !read_quantity(scan, whole, first, ")", &item->length_mode, &item->length)) {
        item->length_mode = ETL_QUANTITY_REST;
    }
    if (take(scan, "(count=") &&
        !read_quantity(scan, whole, first, ")", &item->count_mode, &item->count)) {
        fail("a count has to be known", scan->at);
    }
}

static struct etl_builtin_item *add_item(struct template *whole, struct scan *scan)
{
    if (whole->count == ITEMS_MAX) {
        fail("too many items", scan->at);
    }
    struct etl_builtin_item *item = &whole->items[whole->count];
    *item = (struct etl_builtin_item){.label = intern_text(read_word(scan, ":;()"))};
    expect(scan, ":");
    return item;
}

static void read_plain_item(struct template *whole, struct scan *scan, size_t first)
{
    struct etl_builtin_item *item = add_item(whole, scan);
    const struct type *type = type_named(read_word(scan, "{(;)["));
    item->in = (uint8_t)type->in;
    item->out = (uint8_t)type->out;
    read_item_rest(scan, whole, first, item);
    whole->count++;
}

/* False when its members are not known: then nothing after it can be found. */
static bool read_struct(struct template *whole, struct scan *scan)
{
    struct etl_builtin_item *item = add_item(whole, scan);
    bool known = true;
    item->in = ETL_IN_STRUCT;
    expect(scan, "struct");
    if (take(scan, "[")) {
        known = read_quantity(scan, whole, 0, "]", &item->count_mode, &item->count);
    }
    expect(scan, "(");
    if (!known || *scan->at == '?') {
        return false;
    }
    whole->members[whole->count] = scan->at;
    item->length = 1;
    for (; *scan->at != ')'; scan->at++) {
        item->length += *scan->at == ';';
        if (*scan->at == '\0') {
            fail("no closing bracket", whole->members[whole->count]);
        }
        if (*scan->at == '(') {
            scan->at += strcspn(scan->at, ")");
        }
    }
    expect(scan, ")");
    whole->count++;
    return true;
}

static bool is_fixed(const struct etl_builtin_item *item)
{
    return item->count_mode == ETL_QUANTITY_NATURAL && item->in >= ETL_IN_INT8 &&
           item->in <= ETL_IN_HEX_INT64 && item->in != ETL_IN_BINARY && item->in != ETL_IN_SID;
}

/* Ends the template where an item's length is unknown and those after it do not tell. */
static void close_rest(struct template *whole)
{
    size_t fixed = whole->top_count;
    while (fixed > 0 && is_fixed(&whole->items[fixed - 1])) {
        fixed--;
    }
    for (size_t i = 0; i + 1 < fixed; i++) {
        if (whole->items[i].length_mode == ETL_QUANTITY_REST) {
            whole->top_count = whole->count = i;
            whole->open = true;
        }
    }
}

void read_fields(struct template *whole, const char *text)
{
    struct scan scan = {.at = text};
    *whole = (struct template){.open = false};
    while (*scan.at != '\0' && !whole->open) {
        const char *kind = scan.at + strcspn(scan.at, ":");
        if (strncmp(kind, ":struct", 7) == 0) {
            whole->open = !read_struct(whole, &scan);
        } else {
            read_plain_item(whole, &scan, 0);
        }
        whole->top_count = whole->count;
        if (*scan.at != '\0' && !whole->open) {
            expect(&scan, ";");
        }
    }
    close_rest(whole);
    for (size_t i = 0; i < whole->top_count; i++) {
        size_t first = whole->count;
        scan.at = whole->members[i];
        while (scan.at != NULL && !take(&scan, ")")) {
            read_plain_item(whole, &scan, first);
            take(&scan, ";");
        }
    }
}
