/*
 * Lines into a tree of statements.
 */
#include "script.h"

#include <stdint.h>
#include <string.h>

enum { SCRIPT_DEPTH = 32 };

/* One open level of indentation: where its next statement goes, and where the lines under its last
   one go. */
struct script_level {
    size_t indent;
    struct script_node **next;
    struct script_node **inside;
};

struct script_parser {
    struct arena *arena;
    const char *file;
    const char *at;
    const char *end;
    int line;
    struct script_level levels[SCRIPT_DEPTH];
    size_t depth;
    struct script_error *error;
};

static bool script_fail(struct script_parser *parser, const char *message)
{
    parser->error->line = parser->line;
    parser->error->message = message;
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether the `size` characters at `text` end inside quotes. */
static bool ends_quoted(const char *text, size_t size)
{
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        quoted ^= text[i] == '"';
    }
    return quoted;
}

/* How much of a line is left when its comment and the blanks at its end are taken off. */
static size_t line_length(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '#' && (i == 0 || is_blank(line[i - 1])) && !ends_quoted(line, i)) {
            size = i;
        }
    }
    while (size > 0 && (is_blank(line[size - 1]) || line[size - 1] == '\r')) {
        size--;
    }
    return size;
}

/* The next line, without comment, joined with the lines that continue it; NULL at the end. */
static char *next_line(struct script_parser *parser)
{
    struct blob joined = {0};
    bool more = parser->at < parser->end;
    if (!more) {
        return NULL;
    }
    while (more && parser->at < parser->end) {
        const char *newline = memchr(parser->at, '\n', (size_t)(parser->end - parser->at));
        const char *stop = newline != NULL ? newline : parser->end;
        size_t size = line_length(parser->at, (size_t)(stop - parser->at));
        more = size > 0 && parser->at[size - 1] == '\\' && !ends_quoted(parser->at, size);
        blob_put(&joined, parser->at, more ? size - 1 : size);
        parser->at = newline != NULL ? newline + 1 : parser->end;
        parser->line++;
    }
    char *line = arena_text(parser->arena, (const char *)joined.data, joined.size);
    blob_free(&joined);
    return line;
}

static struct script_node *new_node(struct script_parser *parser, const char *text, size_t size)
{
    while (size > 0 && is_blank(text[0])) {
        text++;
        size--;
    }
    while (size > 0 && is_blank(text[size - 1])) {
        size--;
    }
    if (size == 0) {
        script_fail(parser, "a statement is missing before ':' or ';'");
        return NULL;
    }
    struct script_node *node = arena_allocate(parser->arena, sizeof *node);
    node->file = parser->file;
    node->line = parser->line;
    node->text = arena_text(parser->arena, text, size);
    return node;
}

/* Length of the statement at the start of text: up to ";", " : " or the end. */
static size_t statement_length(const char *text)
{
    int open = 0;
    bool quoted = false;
    size_t i = 0;
    for (; text[i] != '\0'; i++) {
        char c = text[i];
        quoted ^= c == '"';
        if (quoted) {
            continue;
        }
        open += (c == '(') - (c == ')');
        bool alone = i > 0 && is_blank(text[i - 1]) && is_blank(text[i + 1]);
        if (open == 0 && (c == ';' || (c == ':' && alone))) {
            break;
        }
    }
    return i;
}

/* The statements of one line, appended to the level; lines indented under it belong to the last. */
static bool parse_statements(struct script_parser *parser, const char *text)
{
    struct script_level *level = &parser->levels[parser->depth];
    struct script_node **place = level->next;
    bool outermost = true;
    for (;;) {
        size_t size = statement_length(text);
        struct script_node *node = new_node(parser, text, size);
        if (node == NULL) {
            return false;
        }
        *place = node;
        level->inside = &node->child;
        if (outermost) {
            level->next = &node->next;
        }
        if (text[size] == '\0' || (text[size] == ';' && text[size + 1] == '\0')) {
            return true;
        }
        outermost &= text[size] == ';';
        place = text[size] == ';' ? &node->next : &node->child;
        text += size + 1;
    }
}

/* Makes `indent` the current level: deeper, the same, or one of those still open. */
static bool set_level(struct script_parser *parser, size_t indent)
{
    if (indent > parser->levels[parser->depth].indent) {
        if (parser->levels[parser->depth].inside == NULL) {
            return script_fail(parser, "the first line is indented");
        }
        if (parser->depth + 1 == SCRIPT_DEPTH) {
            return script_fail(parser, "indented too deeply");
        }
        struct script_node **inside = parser->levels[parser->depth].inside;
        parser->depth++;
        parser->levels[parser->depth] = (struct script_level){.indent = indent, .next = inside};
        return true;
    }
    while (parser->levels[parser->depth].indent > indent) {
        parser->depth--;
    }
    if (parser->levels[parser->depth].indent != indent) {
        return script_fail(parser, "the indentation matches no line above");
    }
    return true;
}

bool script_parse(struct arena *arena, const char *file, const char *text, size_t size,
                  struct script_node **ret_first, struct script_error *ret_error)
{
    struct script_node *first = NULL;
    struct script_parser parser = {.arena = arena,
                                   .file = file,
                                   .at = text,
                                   .end = text + size,
                                   .levels = {{.indent = 0, .next = &first}},
                                   .error = ret_error};
    for (char *line = next_line(&parser); line != NULL; line = next_line(&parser)) {
        size_t indent = strspn(line, " ");
        if (line[indent] == '\0') {
            continue;
        }
        if (line[indent] == '\t') {
            return script_fail(&parser, "indent with blanks, not tabs");
        }
        if (ends_quoted(line, strlen(line))) {
            return script_fail(&parser, "a quote is not closed");
        }
        if (!set_level(&parser, indent) || !parse_statements(&parser, line + indent)) {
            return false;
        }
    }
    *ret_first = first;
    return true;
}
