/*
 * Where words begin in a label.
 *
 * Digits belong to the letters before them. In a run of capitals the last one begins a new word if
 * a small letter follows it (HTTP|Server), with three exceptions that Microsoft's names are full
 * of: a plural (GUIDs), a version (IPv4, TLSv1) and a unit (MHz).
 */
#include "etl/snake.h"

#include <stdbool.h>

/* ASCII only: <ctype.h> depends on the locale, and filter names must not. */
static bool is_capital(char character)
{
    return character >= 'A' && character <= 'Z';
}

static bool is_small(char character)
{
    return character >= 'a' && character <= 'z';
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool is_word(char character)
{
    return is_capital(character) || is_small(character) || is_digit(character);
}

/* Does the small letter at `tail`, which follows a run of capitals, still belong to the run? */
static bool ends_capitals(const char *tail)
{
    switch (tail[0]) {
    case 's':
        return !is_small(tail[1]);
    case 'v':
        return is_digit(tail[1]);
    case 'z':
        return tail[-1] == 'H' && (tail[-2] == 'K' || tail[-2] == 'M' || tail[-2] == 'G');
    default:
        return false;
    }
}

/* Does a word begin at `at`, whose predecessor is a letter or digit too? */
static bool begins_word(const char *at)
{
    if (!is_capital(at[0])) {
        return false;
    }
    if (!is_capital(at[-1])) {
        return true;
    }
    return is_small(at[1]) && !ends_capitals(at + 1);
}

size_t etl_snake_case(const char *label, char *room, size_t size)
{
    size_t length = 0;
    for (const char *at = label; *at != '\0'; at++) {
        if (!is_word(*at)) {
            continue;
        }
        bool begins = at > label && (!is_word(at[-1]) || begins_word(at));
        if (begins && length > 0) {
            if (length + 1 < size) {
                room[length] = '_';
            }
            length++;
        }
        if (length + 1 < size) {
            room[length] = is_capital(*at) ? (char)(*at - 'A' + 'a') : *at;
        }
        length++;
    }
    if (size > 0) {
        room[length < size ? length : size - 1] = '\0';
    }
    return length;
}
