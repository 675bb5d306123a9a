/*
 * Runs statements: variables, macros, repetition, and the hand-over to whoever knows the word.
 *
 *   let NAME VALUE                       define NAME PARAMETER ...     NAME VALUE ...
 *   repeat COUNT [every TIME] [as NAME]  wait TIME                     if NUMBER
 *   on [cpu=] [pid=] [tid=] [at=]        include FILE                  body
 */
#include "build.h"
#include "builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A word as the value of a variable: quoted or braced text as it is, a number computed. */
static const char *word_value(struct builder *builder, const char *word)
{
    const char *wrong = NULL;
    if (strchr(word, '"') != NULL || word[0] == '{') {
        return builder_unquote(builder, word);
    }
    uint64_t value = expression_value(builder, word, NULL, &wrong);
    if (wrong != NULL) {
        return word;
    }
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    return arena_text(&builder->arena, digits, strlen(digits));
}

/* The scope in which a name is already known, or the innermost one. */
static struct scope *scope_of(struct builder *builder, const char *name)
{
    for (struct scope *scope = builder->scope; scope != NULL; scope = scope->outer) {
        for (const struct variable *v = scope->variables; v != NULL; v = v->next) {
            if (strcmp(v->name, name) == 0) {
                return scope;
            }
        }
    }
    return builder->scope;
}

static void run_let(struct builder *builder, struct statement *statement)
{
    const char *name = builder_word(builder, statement, 1);
    const char *value = word_value(builder, builder_word(builder, statement, 2));
    builder_set_variable(builder, scope_of(builder, name), name, value);
}

static void run_define(struct builder *builder, struct statement *statement)
{
    struct macro *macro = arena_allocate(&builder->arena, sizeof *macro);
    macro->name = builder_word(builder, statement, 1);
    macro->node = statement->node;
    macro->next = builder->macros;
    builder->macros = macro;
    for (size_t i = 2; i < statement->count; i++) {
        statement->used[i] = true;
    }
}

/* The words of "define NAME PARAMETER ..." are names, never expanded: taken from the text itself.
 */
static void call_macro(struct builder *builder, const struct macro *macro,
                       struct statement *statement)
{
    struct scope scope = {.body = statement->node->child, .outer = builder->scope};
    const char *at = macro->node->text;
    size_t index = 0;
    for (size_t size = strcspn(at, " "); *at != '\0'; size = strcspn(at, " ")) {
        if (index >= 2) {
            const char *value = word_value(builder, builder_word(builder, statement, index - 1));
            builder_set_variable(builder, &scope, arena_text(&builder->arena, at, size), value);
        }
        index++;
        at += size + strspn(at + size, " ");
    }
    if (builder->depth == BUILDER_DEPTH) {
        builder_fail(builder, statement->node, "macros call each other without end");
        return;
    }
    builder->depth++;
    builder->scope = &scope;
    builder_run(builder, macro->node->child);
    builder->scope = scope.outer;
    builder->depth--;
}

/* What stands under the call of a macro, with the variables of the place of the call. */
static void run_body(struct builder *builder, struct statement *statement)
{
    struct scope *inner = builder->scope;
    struct scope *scope = inner;
    while (scope != NULL && scope->body == NULL) {
        scope = scope->outer;
    }
    if (scope == NULL) {
        builder_fail(builder, statement->node, "'body' has nothing to stand for here");
        return;
    }
    builder->scope = scope->outer;
    builder_run(builder, scope->body);
    builder->scope = inner;
}

static void run_repeat(struct builder *builder, struct statement *statement)
{
    uint64_t count = builder_number(builder, statement, builder_word(builder, statement, 1), NULL);
    int64_t every = 0;
    const char *name = NULL;
    for (size_t i = 2; i + 1 < statement->count; i += 2) {
        const char *word = builder_word(builder, statement, i);
        const char *value = builder_word(builder, statement, i + 1);
        if (strcmp(word, "every") == 0) {
            every = (int64_t)builder_number(builder, statement, value, NULL);
        } else if (strcmp(word, "as") == 0) {
            name = value;
        } else {
            builder_fail(builder, statement->node, "'repeat' knows 'every' and 'as', not '%s'",
                         word);
        }
    }
    struct scope scope = {.outer = builder->scope};
    builder->scope = &scope;
    for (uint64_t i = 0; i < count && !builder->failed; i++) {
        char digits[24];
        snprintf(digits, sizeof digits, "%" PRIu64, i);
        if (name != NULL) {
            builder_set_variable(builder, &scope, name, digits);
        }
        builder_run(builder, statement->node->child);
        builder->now += every;
    }
    builder->scope = scope.outer;
}

static void run_on(struct builder *builder, struct statement *statement)
{
    uint64_t cpu = builder->cpu, pid = builder->pid, tid = builder->tid;
    builder->cpu = builder_key_number(builder, statement, "cpu", NULL, cpu);
    builder->pid = builder_key_number(builder, statement, "pid", NULL, pid);
    builder->tid = builder_key_number(builder, statement, "tid", NULL, tid);
    builder_take_time(builder, statement);
    builder_run(builder, statement->node->child);
    builder->cpu = cpu;
    builder->pid = pid;
    builder->tid = tid;
}

static void run_if(struct builder *builder, struct statement *statement)
{
    if (builder_number(builder, statement, builder_word(builder, statement, 1), NULL) != 0) {
        builder_run(builder, statement->node->child);
    }
}

static void run_wait(struct builder *builder, struct statement *statement)
{
    builder->now += (int64_t)builder_number(builder, statement, builder_word(builder, statement, 1),
                                            NULL);
    builder_holds_nothing(builder, statement);
}

/* A file beside this one, as if it stood here. */
static void run_include(struct builder *builder, struct statement *statement)
{
    struct blob path = {0}, content = {0};
    const char *here = statement->node->file;
    const char *slash = strrchr(here, '/');
    const char *name = builder_text(builder, statement, 1);
    blob_put(&path, here, slash != NULL ? (size_t)(slash - here) + 1 : 0);
    blob_put(&path, name, strlen(name) + 1);
    char *full = arena_text(&builder->arena, (const char *)path.data, path.size);
    blob_free(&path);
    char reason[BUILDER_ERROR_SIZE];
    struct script_node *first = NULL;
    struct script_error error = {0};
    if (!etl_build_read(full, &content, reason, sizeof reason)) {
        builder_fail(builder, statement->node, "%s", reason);
    } else if (!script_parse(&builder->arena, full, (const char *)content.data, content.size,
                             &first, &error)) {
        const struct script_node place = {.file = full, .line = error.line};
        builder_fail(builder, &place, "%s", error.message);
    } else {
        builder_run(builder, first);
    }
    blob_free(&content);
}

bool run_control(struct builder *builder, struct statement *statement)
{
    static const struct {
        const char *word;
        void (*run)(struct builder *builder, struct statement *statement);
    } words[] = {{"let", run_let},   {"define", run_define},  {"repeat", run_repeat},
                 {"on", run_on},     {"if", run_if},          {"wait", run_wait},
                 {"body", run_body}, {"include", run_include}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(statement->words[0], words[i].word) == 0) {
            words[i].run(builder, statement);
            return true;
        }
    }
    for (const struct macro *macro = builder->macros; macro != NULL; macro = macro->next) {
        if (strcmp(statement->words[0], macro->name) == 0) {
            call_macro(builder, macro, statement);
            return true;
        }
    }
    return false;
}

static void run_statement(struct builder *builder, const struct script_node *node)
{
    struct statement statement = builder_statement(builder, node);
    if (builder->failed) {
        return;
    }
    if (builder->statements++ == BUILDER_STATEMENTS) {
        builder_fail(builder, node, "more than %d statements", BUILDER_STATEMENTS);
        return;
    }
    if (!run_control(builder, &statement) && !run_value(builder, &statement) &&
        !run_packet(builder, &statement) && !run_schema(builder, &statement) &&
        !run_event(builder, &statement) && !run_buffers(builder, &statement) &&
        !run_log(builder, &statement) && !run_file(builder, &statement)) {
        builder_fail(builder, node, "unknown word '%s'", statement.words[0]);
        return;
    }
    builder_all_used(builder, &statement);
}

void builder_run(struct builder *builder, const struct script_node *first)
{
    for (const struct script_node *node = first; node != NULL && !builder->failed;
         node = node->next) {
        run_statement(builder, node);
    }
}

void builder_run_into(struct builder *builder, const struct script_node *first, struct blob *bytes)
{
    struct blob *outer = builder->bytes;
    builder->bytes = bytes;
    builder_run(builder, first);
    builder->bytes = outer;
}
