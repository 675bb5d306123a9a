/*
 * Words of a statement, its keys, variables, and the first error.
 */
#include "builder.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void builder_fail(struct builder *builder, const struct script_node *node, const char *format, ...)
{
    if (builder->failed) {
        return;
    }
    builder->failed = true;
    char message[BUILDER_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(builder->error, builder->error_size, "%s:%d: %s", node->file, node->line, message);
}

const char *builder_variable(const struct builder *builder, const char *name, size_t size)
{
    for (const struct scope *scope = builder->scope; scope != NULL; scope = scope->outer) {
        for (const struct variable *v = scope->variables; v != NULL; v = v->next) {
            if (strlen(v->name) == size && memcmp(v->name, name, size) == 0) {
                return v->value;
            }
        }
    }
    return NULL;
}

void builder_set_variable(struct builder *builder, struct scope *scope, const char *name,
                          const char *value)
{
    struct variable *variable = scope->variables;
    while (variable != NULL && strcmp(variable->name, name) != 0) {
        variable = variable->next;
    }
    if (variable == NULL) {
        variable = arena_allocate(&builder->arena, sizeof *variable);
        variable->name = arena_text(&builder->arena, name, strlen(name));
        variable->next = scope->variables;
        scope->variables = variable;
    }
    variable->value = arena_text(&builder->arena, value, strlen(value));
}

static char *expand(struct builder *builder, const struct script_node *node, const char *text);

/* Length of the name at `at`: letters, digits, "_" - or, in braces, up to the one that closes. */
static size_t name_length(const char *at, bool braced)
{
    size_t size = 0;
    int open = 1;
    while (braced ? at[size] != '\0' : isalnum((unsigned char)at[size]) || at[size] == '_') {
        open += braced ? (at[size] == '{') - (at[size] == '}') : 0;
        if (open == 0) {
            break;
        }
        size++;
    }
    return size;
}

/* Puts the value of the variable named at `at` (after its "$"); returns what follows the name. A
   name in braces may have variables in it: ${running$cpu}. */
static const char *expand_variable(struct builder *builder, const struct script_node *node,
                                   const char *at, struct blob *text)
{
    bool braced = *at == '{';
    at += braced;
    size_t size = name_length(at, braced);
    const char *name = arena_text(&builder->arena, at, size);
    name = braced ? expand(builder, node, name) : name;
    const char *value = builder_variable(builder, name, strlen(name));
    if (value == NULL) {
        builder_fail(builder, node, "no variable named '$%s'", name);
        value = "";
    }
    blob_put(text, value, strlen(value));
    return at + size + (braced && at[size] == '}');
}

/* The text with every $name, ${name} and $$ replaced. */
static char *expand(struct builder *builder, const struct script_node *node, const char *at)
{
    struct blob text = {0};
    while (*at != '\0') {
        if (*at != '$') {
            blob_put(&text, at++, 1);
        } else if (at[1] == '$') {
            blob_put(&text, at, 1);
            at += 2;
        } else {
            at = expand_variable(builder, node, at + 1, &text);
        }
    }
    char *expanded = arena_text(&builder->arena, (const char *)text.data, text.size);
    blob_free(&text);
    return expanded;
}

/* Length of the word at the start of text: up to a blank outside quotes and parentheses. */
static size_t word_length(const char *text)
{
    bool quoted = false;
    int open = 0;
    size_t size = 0;
    for (; text[size] != '\0'; size++) {
        char c = text[size];
        quoted ^= c == '"';
        if (!quoted) {
            open += (c == '(') - (c == ')');
            if ((c == ' ' || c == '\t') && open <= 0) {
                break;
            }
        }
    }
    return size;
}

struct statement builder_statement(struct builder *builder, const struct script_node *node)
{
    const char *text = expand(builder, node, node->text);
    size_t most = strlen(text) / 2 + 1;
    struct statement statement = {.node = node};
    statement.words = arena_allocate(&builder->arena, most * sizeof *statement.words);
    statement.used = arena_allocate(&builder->arena, most * sizeof *statement.used);
    for (text += strspn(text, " \t"); *text != '\0'; text += strspn(text, " \t")) {
        size_t size = word_length(text);
        statement.words[statement.count++] = arena_text(&builder->arena, text, size);
        text += size;
    }
    if (statement.count == 0) {
        statement.words[statement.count++] = arena_text(&builder->arena, "", 0);
    }
    statement.used[0] = true;
    return statement;
}

/* Without quotes around it or after its "=", and with doubled quotes made single. */
char *builder_unquote(struct builder *builder, const char *word)
{
    char *text = arena_text(&builder->arena, word, strlen(word));
    size_t size = 0;
    bool quoted = false;
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '"' && quoted && at[1] == '"') {
            text[size++] = *at++;
        } else if (*at == '"') {
            quoted = !quoted;
        } else {
            text[size++] = *at;
        }
    }
    text[size] = '\0';
    return text;
}

const char *builder_word(struct builder *builder, struct statement *statement, size_t index)
{
    if (index >= statement->count) {
        builder_fail(builder, statement->node, "'%s' needs more words", statement->words[0]);
        return "0";
    }
    statement->used[index] = true;
    return statement->words[index];
}

char *builder_text(struct builder *builder, struct statement *statement, size_t index)
{
    return builder_unquote(builder, builder_word(builder, statement, index));
}

const char *builder_key(struct statement *statement, const char *key)
{
    size_t size = strlen(key);
    for (size_t i = 1; i < statement->count; i++) {
        const char *word = statement->words[i];
        if (strncmp(word, key, size) == 0 && word[size] == '=') {
            statement->used[i] = true;
            return word + size + 1;
        }
    }
    return NULL;
}

char *builder_key_text(struct builder *builder, struct statement *statement, const char *key)
{
    const char *word = builder_key(statement, key);
    return word != NULL ? builder_unquote(builder, word) : NULL;
}

uint64_t builder_key_number(struct builder *builder, struct statement *statement, const char *key,
                            const struct number_name *names, uint64_t otherwise)
{
    const char *text = builder_key(statement, key);
    return text != NULL ? builder_number(builder, statement, text, names) : otherwise;
}

void builder_all_used(struct builder *builder, const struct statement *statement)
{
    for (size_t i = 0; i < statement->count; i++) {
        if (!statement->used[i]) {
            builder_fail(builder, statement->node, "'%s' means nothing to '%s'",
                         statement->words[i], statement->words[0]);
        }
    }
}

void builder_holds_nothing(struct builder *builder, const struct statement *statement)
{
    if (statement->node->child != NULL) {
        builder_fail(builder, statement->node->child, "'%s' cannot hold other lines",
                     statement->words[0]);
    }
}

bool builder_put_word(struct builder *builder, struct statement *statement,
                      const struct builder_put *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(statement->words[0], words[i].word) == 0) {
            if (builder->bytes == NULL) {
                builder_fail(builder, statement->node, "'%s' must stand in an event",
                             words[i].word);
            } else {
                words[i].put(builder, statement);
            }
            return true;
        }
    }
    return false;
}
