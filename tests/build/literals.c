/*
 * Bytes with a notation of their own: GUIDs, SIDs, addresses, hex, UTF-16.
 */
#include "builder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

/* 2e6d0c5a-1111-2222-3333-444455556666, braces allowed: three little-endian numbers, 8 bytes. */
void builder_put_guid(struct builder *builder, const struct statement *statement, const char *text,
                      struct blob *blob)
{
    unsigned a = 0, b = 0, c = 0, byte[8] = {0};
    const char *start = text + (text[0] == '{');
    size_t size = strcspn(start, "}");
    int used = 0;
    sscanf(start, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n", &a, &b, &c, &byte[0], &byte[1],
           &byte[2], &byte[3], &byte[4], &byte[5], &byte[6], &byte[7], &used);
    if (used != 36 || size != 36) {
        builder_fail(builder, statement->node, "'%s' is not a GUID", text);
        return;
    }
    blob_put_number(blob, a, 4);
    blob_put_number(blob, b, 2);
    blob_put_number(blob, c, 2);
    for (size_t i = 0; i < 8; i++) {
        blob_put_number(blob, byte[i], 1);
    }
}

/* S-1-5-18: revision, number of sub-authorities, 48-bit authority in network order, then those. */
void builder_put_sid(struct builder *builder, const struct statement *statement, const char *text,
                     struct blob *blob)
{
    enum { MOST = 15 };
    uint64_t parts[MOST + 2] = {0};
    size_t count = 0;
    const char *at = text;
    if (*at++ == 'S') {
        while (*at == '-' && isdigit((unsigned char)at[1]) && count < MOST + 2) {
            char *end = NULL;
            parts[count++] = strtoull(at + 1, &end, 10);
            at = end;
        }
    }
    if (count < 2 || *at != '\0') {
        builder_fail(builder, statement->node, "'%s' is not a SID", text);
        return;
    }
    blob_put_number(blob, parts[0], 1);
    blob_put_number(blob, count - 2, 1);
    blob_put_big(blob, parts[1], 6);
    for (size_t i = 2; i < count; i++) {
        blob_put_number(blob, parts[i], 4);
    }
}

void builder_put_ipv4(struct builder *builder, const struct statement *statement, const char *text,
                      struct blob *blob)
{
    unsigned byte[4] = {0};
    int used = 0;
    int found = sscanf(text, "%3u.%3u.%3u.%3u%n", &byte[0], &byte[1], &byte[2], &byte[3], &used);
    if (found != 4 || text[used] != '\0') {
        builder_fail(builder, statement->node, "'%s' is not an IPv4 address", text);
    }
    for (size_t i = 0; i < 4; i++) {
        blob_put_number(blob, byte[i], 1);
    }
}

/* Groups of 16 bits in hex; "::" once, for as many zero groups as are missing. */
void builder_put_ipv6(struct builder *builder, const struct statement *statement, const char *text,
                      struct blob *blob)
{
    enum { GROUPS = 8 };
    uint64_t groups[GROUPS] = {0};
    size_t count = 0;
    size_t gap = GROUPS;
    const char *at = text;
    while (*at != '\0' && count < GROUPS) {
        if (at[0] == ':' && at[1] == ':') {
            gap = count;
            at += 2;
        } else if (at[0] == ':') {
            at++;
        }
        char *end = NULL;
        unsigned long group = strtoul(at, &end, 16);
        if (end == at) {
            break;
        }
        groups[count++] = group;
        at = end;
    }
    if (*at != '\0' || (gap == GROUPS) != (count == GROUPS)) {
        builder_fail(builder, statement->node, "'%s' is not an IPv6 address", text);
        return;
    }
    for (size_t i = 0; i < GROUPS; i++) {
        bool after = i >= gap + GROUPS - count;
        uint64_t group = i < gap ? groups[i] : after ? groups[i - (GROUPS - count)] : 0;
        blob_put_big(blob, group, 2);
    }
}

/* Pairs of hex digits; blanks, ":" and "-" between them are skipped. */
void builder_put_hex(struct builder *builder, const struct statement *statement, const char *text,
                     struct blob *blob)
{
    for (const char *at = text; *at != '\0';) {
        if (strchr(" \t:-", *at) != NULL) {
            at++;
            continue;
        }
        int high = hex_digit(at[0]);
        int low = high >= 0 ? hex_digit(at[1]) : -1;
        if (low < 0) {
            builder_fail(builder, statement->node, "'%s' is not pairs of hex digits", text);
            return;
        }
        blob_put_number(blob, (uint64_t)(high << 4 | low), 1);
        at += 2;
    }
}

void builder_put_mac(struct builder *builder, const struct statement *statement, const char *text,
                     struct blob *blob)
{
    size_t before = blob->size;
    builder_put_hex(builder, statement, text, blob);
    if (blob->size - before != 6) {
        builder_fail(builder, statement->node, "'%s' is not a MAC address", text);
    }
}

/* One character of UTF-8; a byte that is none stands for itself. */
static uint32_t utf8_next(const unsigned char **at)
{
    unsigned char lead = *(*at)++;
    int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    uint32_t character = more > 0 ? lead & (0x3fu >> more) : lead;
    for (; more > 0 && (**at & 0xc0) == 0x80; more--) {
        character = character << 6 | (*(*at)++ & 0x3f);
    }
    return character;
}

size_t blob_put_utf16(struct blob *blob, const char *text)
{
    size_t before = blob->size;
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        uint32_t character = utf8_next(&at);
        if (character >= 0x10000) {
            character -= 0x10000;
            blob_put_number(blob, 0xd800 | (character >> 10), 2);
            character = 0xdc00 | (character & 0x3ff);
        }
        blob_put_number(blob, character, 2);
    }
    return (blob->size - before) / 2;
}
