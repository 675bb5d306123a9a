/*
 * Numbers as they are written: 12, 0x1f, 1.5ms, NAME|NAME, random(1,6), pick($i,4,5,6), and + - * /
 * % & | ^ ~ << >> == != < > <= >= with C's order of precedence. A time becomes nanoseconds.
 * All arithmetic is on 64 bits and wraps.
 */
#include "builder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct expression {
    struct builder *builder;
    const char *at;
    const struct number_name *names;
    const char *problem;
};

static uint64_t binary(struct expression *expression, unsigned level);

static void skip_blanks(struct expression *expression)
{
    expression->at += strspn(expression->at, " \t");
}

static uint64_t problem(struct expression *expression, const char *text)
{
    if (expression->problem == NULL) {
        expression->problem = text;
    }
    return 0;
}

static bool accept(struct expression *expression, char c)
{
    skip_blanks(expression);
    if (*expression->at != c) {
        return false;
    }
    expression->at++;
    return true;
}

static uint64_t time_unit(const char *unit, size_t size)
{
    static const struct number_name units[] = {
        {"ns", 1},         {"us", 1000},         {"ms", 1000000},
        {"s", 1000000000}, {"min", 60000000000}, {"h", 3600000000000}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) == size && memcmp(units[i].name, unit, size) == 0) {
            return units[i].value;
        }
    }
    return 0;
}

/* Digits, perhaps with a fraction, perhaps with a unit of time. */
static uint64_t number(struct expression *expression)
{
    char *end = NULL;
    const char *start = expression->at;
    bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    uint64_t value = strtoull(start, &end, hex ? 16 : 10);
    uint64_t fraction = 0;
    uint64_t scale = 1;
    bool fractional = *end == '.' && isdigit((unsigned char)end[1]) && !hex;
    if (fractional) {
        for (end++; isdigit((unsigned char)*end) && scale < 1000000000; end++) {
            fraction = fraction * 10 + (uint64_t)(*end - '0');
            scale *= 10;
        }
    }
    size_t letters = 0;
    while (isalnum((unsigned char)end[letters]) || end[letters] == '_' || end[letters] == '.') {
        letters++;
    }
    expression->at = end + letters;
    if (letters == 0) {
        return fractional ? problem(expression, "a fraction needs a unit of time") : value;
    }
    uint64_t unit = time_unit(end, letters);
    if (unit == 0 || hex) {
        return problem(expression, "not a number");
    }
    return value * unit + fraction * unit / scale;
}

/* xorshift64*, from a fixed seed: a trace built twice is the same trace. */
static uint64_t next_random(struct builder *builder)
{
    builder->random ^= builder->random >> 12;
    builder->random ^= builder->random << 25;
    builder->random ^= builder->random >> 27;
    return builder->random * 0x2545f4914f6cdd1d >> 16;
}

/* random(low, high), or pick(number, first, second, ...): one of them, counting round. */
static uint64_t call(struct expression *expression, const char *name, size_t size)
{
    enum { MOST = 32 };
    uint64_t arguments[MOST] = {0};
    size_t count = 0;
    do {
        arguments[count++] = binary(expression, 0);
    } while (accept(expression, ',') && count < MOST);
    if (!accept(expression, ')')) {
        return problem(expression, "a ')' is missing");
    }
    if (size == 6 && memcmp(name, "random", size) == 0 && count == 2 &&
        arguments[1] >= arguments[0]) {
        return arguments[0] + next_random(expression->builder) % (arguments[1] - arguments[0] + 1);
    }
    if (size == 4 && memcmp(name, "pick", size) == 0 && count > 1) {
        return arguments[1 + arguments[0] % (count - 1)];
    }
    return problem(expression, "not random(low,high) or pick(number,first,second,...)");
}

/* The name that stands next, in the list for this place; some begin with a digit. */
static const struct number_name *find_name(const struct expression *expression, size_t *ret_size)
{
    size_t size = 0;
    while (isalnum((unsigned char)expression->at[size]) || expression->at[size] == '_') {
        size++;
    }
    *ret_size = size;
    for (const struct number_name *n = expression->names; n != NULL && n->name != NULL; n++) {
        if (strlen(n->name) == size && memcmp(n->name, expression->at, size) == 0) {
            return n;
        }
    }
    return NULL;
}

static uint64_t name_or_call(struct expression *expression)
{
    size_t size = 0;
    const char *start = expression->at;
    const struct number_name *found = find_name(expression, &size);
    if (found != NULL) {
        expression->at += size;
        return found->value;
    }
    if (isdigit((unsigned char)*start)) {
        return number(expression);
    }
    expression->at += size;
    if (accept(expression, '(')) {
        return call(expression, start, size);
    }
    return problem(expression, size > 0 ? "no such name here" : "a number is missing");
}

static uint64_t primary(struct expression *expression)
{
    skip_blanks(expression);
    if (accept(expression, '(')) {
        uint64_t value = binary(expression, 0);
        return accept(expression, ')') ? value : problem(expression, "a ')' is missing");
    }
    if (accept(expression, '-')) {
        return 0 - primary(expression);
    }
    if (accept(expression, '~')) {
        return ~primary(expression);
    }
    return name_or_call(expression);
}

static uint64_t divide(struct expression *expression, char sign, uint64_t a, uint64_t b)
{
    if (b == 0) {
        return problem(expression, "division by zero");
    }
    return sign == '/' ? a / b : a % b;
}

static uint64_t apply(struct expression *expression, const char *sign, uint64_t a, uint64_t b)
{
    switch (sign[0]) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return sign[1] == '<' ? a << (b & 63) : sign[1] == '=' ? a <= b : a < b;
    case '>':
        return sign[1] == '>' ? a >> (b & 63) : sign[1] == '=' ? a >= b : a > b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return divide(expression, sign[0], a, b);
    }
}

/* The operator of this level that stands next, or NULL. Longer ones first: << is not <. */
static const char *operator_at(struct expression *expression, unsigned level)
{
    static const char *const operators[][5] = {
        {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    static const char *const shorter[] = {"<", ">", NULL};
    skip_blanks(expression);
    const char *const *row = operators[level];
    for (; *row != NULL; row++) {
        if (strncmp(expression->at, *row, strlen(*row)) == 0) {
            return *row;
        }
    }
    for (row = shorter; level == 4 && *row != NULL; row++) {
        if (expression->at[0] == (*row)[0] && expression->at[1] != (*row)[0]) {
            return *row;
        }
    }
    return NULL;
}

static uint64_t binary(struct expression *expression, unsigned level)
{
    enum { LEVELS = 8 };
    if (level == LEVELS) {
        return primary(expression);
    }
    uint64_t value = binary(expression, level + 1);
    const char *sign = operator_at(expression, level);
    while (sign != NULL && expression->problem == NULL) {
        expression->at += strlen(sign);
        value = apply(expression, sign, value, binary(expression, level + 1));
        sign = operator_at(expression, level);
    }
    return value;
}

uint64_t expression_value(struct builder *builder, const char *text,
                          const struct number_name *names, const char **ret_problem)
{
    struct expression expression = {.builder = builder, .at = text, .names = names};
    uint64_t value = binary(&expression, 0);
    skip_blanks(&expression);
    if (*expression.at != '\0') {
        problem(&expression, "not a number");
    }
    *ret_problem = expression.problem;
    return expression.problem == NULL ? value : 0;
}

uint64_t builder_number(struct builder *builder, const struct statement *statement,
                        const char *text, const struct number_name *names)
{
    const char *wrong = NULL;
    uint64_t value = expression_value(builder, text, names, &wrong);
    if (wrong != NULL) {
        builder_fail(builder, statement->node, "'%s': %s", text, wrong);
    }
    return value;
}

bool number_fits(uint64_t value, size_t width)
{
    if (width >= 8) {
        return true;
    }
    uint64_t above = value >> (8 * width - 1); /* with the bit that would be the sign */
    return above <= 1 || above == UINT64_MAX >> (8 * width - 1);
}
