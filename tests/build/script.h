/*
 * The shape of a trace's text: lines, statements, and what stands inside what.
 *
 *   repeat 3 every 10us as i              # a comment ends the line
 *     system64 hook=0x0301 : u32 1; u32 $i
 *
 * A statement holds the lines that are indented under it. On one line, " : " opens what the
 * statement before it holds, and ";" ends a statement. A "\" at the end joins the next line.
 * Quotes keep blanks and signs together; inside quotes "" is one quote, and nothing else is
 * special. Knows nothing of what the words mean.
 */
#ifndef ETLBUILD_SCRIPT_H
#define ETLBUILD_SCRIPT_H

#include "blob.h"

#include <stdbool.h>
#include <stddef.h>

/* One statement; all of it lives in the arena it was parsed into. */
struct script_node {
    const char *file;
    int line;
    const char *text;
    struct script_node *child;
    struct script_node *next;
};

struct script_error {
    int line;
    const char *message;
};

/* Parses `size` bytes of text. False: `*ret_error` says what is wrong in which line. */
bool script_parse(struct arena *arena, const char *file, const char *text, size_t size,
                  struct script_node **ret_first, struct script_error *ret_error);

#endif
