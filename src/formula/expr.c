/* Compiles a formula by precedence climbing over its characters (V. Pratt, POPL 1973). Steps are emitted during
 * parsing. Operations on complex operands are emitted as steps on their parts. At the end, registers are assigned to
 * the steps that the values need. */
#include "formula/complex_steps.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *formula;
    size_t at; /* offset of the next character */
    unsigned depth;
    expr_names complex_names;
    locale_t plain;   /* the C locale, in which the decimal separator is a point */
    expr_steps steps; /* its offset is that of the last name or operator, for messages */
} parser;

/* RETURN_FAILURE_AT(p, offset, "sentence with %s", ...): returns WEFT_INVALID with the message, the formula's line
 * and a caret. */
#define RETURN_FAILURE_AT(p, where, ...) return expr_refuse(&(p)->steps, (where), __VA_ARGS__)

/* ------------------------------------------------------------------------------- operators */

/* Binary operators. An operator must precede every operator that is a prefix of it. */
static const struct {
    const char *sign;
    int precedence;
    map_op op;
    bool swapped; /* swap the operands: x > y is y < x */
} SIGNS[] = {
    {"||", 1, MAP_OR, false},        {"&&", 2, MAP_AND, false},     {"==", 3, MAP_EQUAL, false},
    {"!=", 3, MAP_DIFFERENT, false}, {"<=", 4, MAP_AT_MOST, false}, {">=", 4, MAP_AT_MOST, true},
    {"<", 4, MAP_LESS, false},       {">", 4, MAP_LESS, true},      {"+", 5, MAP_ADD, false},
    {"-", 5, MAP_SUBTRACT, false},   {"*", 6, MAP_MULTIPLY, false}, {"/", 6, MAP_DIVIDE, false},
};
enum { SIGN_COUNT = sizeof SIGNS / sizeof *SIGNS };

/* ------------------------------------------------------------------------------- characters */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Skips white space and returns the next character. */
static char peek(parser *p) {
    while (is_space(p->formula[p->at])) p->at++;
    return p->formula[p->at];
}

static bool take(parser *p, char c) {
    if (peek(p) != c) return false;
    p->steps.offset = p->at++;
    return true;
}

static weft_status expect(parser *p, char c) {
    if (take(p, c)) return WEFT_OK;
    if (!p->formula[p->at]) RETURN_FAILURE_AT(p, p->at, "expected '%c', found the end of the formula", c);
    RETURN_FAILURE_AT(p, p->at, "expected '%c'", c);
}

/* Replaces v[0] by op(v[0], ...). */
static weft_status apply(parser *p, map_op op, size_t offset, expr_operand *v) {
    bool is_complex = false;
    for (int i = 0; i < expr_op_operands(op); i++) is_complex = is_complex || v[i].is_complex;
    p->steps.offset = offset;
    return is_complex ? expr_apply_complex(&p->steps, op, v) : expr_apply(&p->steps, op, v);
}

/* ------------------------------------------------------------------------------- the grammar */

static weft_status parse_choice(parser *p, expr_operand *v);
static weft_status parse_unary(parser *p, expr_operand *v);

/* Enters a nesting level; fails if there are too many. If it succeeds, `leave` must be called. */
static weft_status enter(parser *p) {
    if (p->depth == EXPR_DEPTH)
        RETURN_FAILURE_AT(p, p->at, "the formula is nested more than %d levels deep", (int)EXPR_DEPTH);
    p->depth++;
    return WEFT_OK;
}

static void leave(parser *p) { p->depth--; }

/* Returns the length of the number at s: digits, a point, an exponent. */
static size_t number_length(const char *s) {
    size_t n = 0;
    while (is_digit(s[n])) n++;
    if (s[n] == '.') n++;
    while (is_digit(s[n])) n++;
    if (s[n] != 'e' && s[n] != 'E') return n;
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
    if (!is_digit(s[n + 1 + sign])) return n;
    n += 1 + sign;
    while (is_digit(s[n])) n++;
    return n;
}

static weft_status parse_number(parser *p, expr_operand *v) {
    const char *text = p->formula + p->at;
    const size_t length = number_length(text);
    expr_leaf leaf = {.kind = EXPR_NUMBER, .offset = (uint16_t)p->at, .whole = true};
    p->steps.offset = p->at;
    if (length > EXPR_WORD)
        RETURN_FAILURE_AT(p, p->steps.offset, "the number has %zu characters: expected at most %d", length,
                          (int)EXPR_WORD);
    if (is_letter(text[length]) || text[length] == '.' || is_digit(text[length]))
        RETURN_FAILURE_AT(p, p->at + length, "expected an operator after the number");
    memcpy(leaf.text, text, length);
    for (size_t i = 0; i < length; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        leaf.whole = leaf.whole && is_digit(text[i]);
        if (!leaf.whole) break;
        leaf.large = leaf.large || leaf.integer > (UINT64_MAX - digit) / 10;
        leaf.integer = leaf.large ? UINT64_MAX : 10 * leaf.integer + digit;
    }
    leaf.f64 = strtod_l(leaf.text, NULL, p->plain);
    leaf.f32 = strtof_l(leaf.text, NULL, p->plain);
    if (isinf(leaf.f64)) RETURN_FAILURE_AT(p, p->steps.offset, "%s is greater than the largest f64", leaf.text);
    *v = (expr_operand){.is_number = true, .number = leaf};
    p->at += length;
    return WEFT_OK;
}

/* Parses the arguments of a function, (x, y, ...). */
static weft_status parse_arguments(parser *p, const char *name, int count, expr_operand *v) {
    RETURN_IF_ERROR(expect(p, '('));
    RETURN_IF_ERROR(enter(p));
    for (int i = 0; i < count; i++) {
        if (i > 0 && peek(p) == ')') RETURN_FAILURE_AT(p, p->at, "%s requires %d arguments, not %d", name, count, i);
        if (i > 0) RETURN_IF_ERROR(expect(p, ','));
        RETURN_IF_ERROR(parse_choice(p, &v[i]));
    }
    if (peek(p) == ',')
        RETURN_FAILURE_AT(p, p->at, "too many arguments: %s requires %d argument%s", name, count,
                          count == 1 ? "" : "s");
    RETURN_IF_ERROR(expect(p, ')'));
    leave(p);
    return WEFT_OK;
}

/* Parses a function of real numbers after its name. */
static weft_status parse_function(parser *p, map_op op, size_t offset, expr_operand *v) {
    expr_operand arguments[3] = {{.is_number = true}};
    RETURN_IF_ERROR(parse_arguments(p, expr_op_name(op), expr_op_operands(op), arguments));
    RETURN_IF_ERROR(apply(p, op, offset, arguments));
    *v = arguments[0];
    return WEFT_OK;
}

/* Parses a function that only exists for complex numbers, after its name. */
static weft_status parse_complex_function(parser *p, const char *name, size_t offset, expr_operand *v) {
    const complex_function function = expr_complex_function(name);
    expr_operand arguments[2] = {{.is_number = true}};
    if (function == COMPLEX_FUNCTIONS) RETURN_FAILURE_AT(p, offset, "unknown function %s", name);
    RETURN_IF_ERROR(parse_arguments(p, name, expr_function_operands(function), arguments));
    p->steps.offset = offset;
    RETURN_IF_ERROR(expr_apply_function(&p->steps, function, arguments));
    *v = arguments[0];
    return WEFT_OK;
}

/* Sets *v to a variable, or the index. */
static weft_status take_variable(parser *p, expr_leaf *leaf, expr_operand *v) {
    *v = (expr_operand){.is_complex = false};
    for (size_t k = 0; k < p->complex_names.count; k++)
        if (leaf->kind == EXPR_VARIABLE && strcmp(p->complex_names.list[k], leaf->text) == 0) v->is_complex = true;
    if (v->is_complex) leaf->part = EXPR_REAL;
    v->value = expr_add_leaf(&p->steps, leaf);
    if (v->is_complex) {
        leaf->part = EXPR_IMAGINARY;
        v->imaginary = expr_add_leaf(&p->steps, leaf);
    }
    return p->steps.status;
}

/* Parses a function call, the index i, or a variable. */
static weft_status parse_name(parser *p, expr_operand *v) {
    const char *text = p->formula + p->at;
    const size_t offset = p->steps.offset = p->at;
    size_t length = 0;
    expr_leaf leaf = {.kind = EXPR_VARIABLE, .offset = (uint16_t)offset};
    while (is_letter(text[length]) || is_digit(text[length])) length++;
    if (length > EXPR_WORD)
        RETURN_FAILURE_AT(p, offset, "the name has %zu characters: expected at most %d", length, (int)EXPR_WORD);
    memcpy(leaf.text, text, length);
    p->at += length;
    for (int op = 0; op < MAP_OPS; op++)
        if (expr_op_is_function((map_op)op) && strcmp(expr_op_name((map_op)op), leaf.text) == 0)
            return parse_function(p, (map_op)op, offset, v);
    if (peek(p) == '(') return parse_complex_function(p, leaf.text, offset, v);
    if (strcmp(leaf.text, "i") == 0) leaf.kind = EXPR_INDEX;
    return take_variable(p, &leaf, v);
}

static weft_status parse_primary(parser *p, expr_operand *v) {
    const char c = peek(p);
    if (is_digit(c) || (c == '.' && is_digit(p->formula[p->at + 1]))) return parse_number(p, v);
    if (is_letter(c)) return parse_name(p, v);
    if (!c) RETURN_FAILURE_AT(p, p->at, "expected a value, found the end of the formula");
    if (!take(p, '(')) RETURN_FAILURE_AT(p, p->at, "expected a value");
    RETURN_IF_ERROR(enter(p));
    RETURN_IF_ERROR(parse_choice(p, v));
    RETURN_IF_ERROR(expect(p, ')'));
    leave(p);
    return WEFT_OK;
}

/* Replaces *v by its power by repeated squaring (ORDER.md 20.4): for each bit of `power` below the highest set bit,
 * from high to low, squares the product and, if the bit is set, multiplies it by *v. */
static weft_status apply_chain(parser *p, unsigned power, expr_operand *v) {
    expr_steps *const s = &p->steps;
    if (v->is_complex) return expr_power_complex(s, power, v);
    const expr_value x = expr_settle(s, v);
    unsigned bit = 1;
    while (bit <= power / 2) bit *= 2;
    while (bit /= 2) {
        v->value = expr_emit(s, MAP_MULTIPLY, v->value, v->value, v->value);
        if (power & bit) v->value = expr_emit(s, MAP_MULTIPLY, v->value, x, v->value);
    }
    return s->status;
}

/* Replaces v[0] by v[0] ^ v[1]. */
static weft_status apply_power(parser *p, size_t offset, expr_operand v[2]) {
    const expr_leaf *power = &v[1].number;
    if (!v[1].is_number || !power->whole || power->integer > EXPR_POWER) return apply(p, MAP_POW, offset, v);
    if (power->integer == 0) {
        expr_settle(&p->steps, &v[0]);
        v[0] = expr_small_number(1);
        return p->steps.status;
    }
    p->steps.offset = offset;
    RETURN_IF_ERROR(apply_chain(p, (unsigned)power->integer, &v[0]));
    if (!power->negative) return WEFT_OK;
    expr_operand inverse[2] = {expr_small_number(1), v[0]};
    RETURN_IF_ERROR(apply(p, MAP_DIVIDE, offset, inverse));
    v[0] = inverse[0];
    return WEFT_OK;
}

static weft_status parse_power(parser *p, expr_operand *v) {
    expr_operand operands[2] = {{.is_number = true}};
    RETURN_IF_ERROR(parse_primary(p, &operands[0]));
    if (take(p, '^')) {
        const size_t offset = p->steps.offset;
        RETURN_IF_ERROR(enter(p));
        RETURN_IF_ERROR(parse_unary(p, &operands[1]));
        leave(p);
        RETURN_IF_ERROR(apply_power(p, offset, operands));
    }
    *v = operands[0];
    return WEFT_OK;
}

/* Negates a number: a minus sign before a number belongs to the number. */
static void negate_number(expr_leaf *leaf) {
    leaf->negative = !leaf->negative;
    leaf->f32 = -leaf->f32;
    leaf->f64 = -leaf->f64;
    if (leaf->negative) {
        memmove(leaf->text + 1, leaf->text, EXPR_WORD + 1);
        leaf->text[0] = '-';
    } else {
        memmove(leaf->text, leaf->text + 1, EXPR_WORD + 1);
    }
}

static weft_status parse_unary(parser *p, expr_operand *v) {
    const char sign = peek(p);
    if (sign != '-' && sign != '+' && sign != '!') return parse_power(p, v);
    const size_t offset = p->steps.offset = p->at++;
    RETURN_IF_ERROR(enter(p));
    RETURN_IF_ERROR(parse_unary(p, v));
    leave(p);
    if (sign == '!') return apply(p, MAP_NOT, offset, v);
    if (sign == '-' && v->is_number)
        negate_number(&v->number);
    else if (sign == '-')
        return apply(p, MAP_NEGATE, offset, v);
    return WEFT_OK;
}

/* Returns the index of the operator at the current position, or SIGN_COUNT. */
static int next_sign(parser *p) {
    (void)peek(p);
    int i = 0;
    while (i < SIGN_COUNT && strncmp(p->formula + p->at, SIGNS[i].sign, strlen(SIGNS[i].sign)) != 0) i++;
    return i;
}

/* Parses operands combined by left-associative binary operators with at least this precedence. */
static weft_status parse_signs(parser *p, int least, expr_operand *v) {
    RETURN_IF_ERROR(parse_unary(p, v));
    for (int i; (i = next_sign(p)) < SIGN_COUNT && SIGNS[i].precedence >= least;) {
        const size_t offset = p->steps.offset = p->at;
        expr_operand operands[2], *const right = &operands[SIGNS[i].swapped ? 0 : 1];
        p->at += strlen(SIGNS[i].sign);
        RETURN_IF_ERROR(parse_signs(p, SIGNS[i].precedence + 1, right));
        operands[SIGNS[i].swapped ? 1 : 0] = *v;
        RETURN_IF_ERROR(apply(p, SIGNS[i].op, offset, operands));
        *v = operands[0];
    }
    return WEFT_OK;
}

static weft_status parse_choice(parser *p, expr_operand *v) {
    expr_operand operands[3] = {{.is_number = true}};
    RETURN_IF_ERROR(parse_signs(p, 1, &operands[0]));
    if (take(p, '?')) {
        const size_t offset = p->steps.offset;
        RETURN_IF_ERROR(enter(p));
        RETURN_IF_ERROR(parse_choice(p, &operands[1]));
        RETURN_IF_ERROR(expect(p, ':'));
        RETURN_IF_ERROR(parse_choice(p, &operands[2]));
        leave(p);
        RETURN_IF_ERROR(apply(p, MAP_SELECT, offset, operands));
    }
    *v = operands[0];
    return WEFT_OK;
}

/* Fails unless each complex name is a variable of the formula. */
static weft_status check_complex_names(parser *p) {
    const weft_expr *const e = p->steps.expr;
    weft_error *const error = p->steps.error;
    for (size_t k = 0; k < p->complex_names.count; k++) {
        const char *const name = p->complex_names.list[k];
        size_t i = 0;
        while (i < e->leaf_count && (e->leaves[i].part != EXPR_REAL || strcmp(e->leaves[i].text, name) != 0)) i++;
        RETURN_IF(i == e->leaf_count, WEFT_INVALID, "%.64s is complex, but the formula has no variable of this name",
                  name);
    }
    return WEFT_OK;
}

/* Parses the whole formula, and writes the program of its values. */
static weft_status parse_formula(parser *p) {
    weft_expr *const e = p->steps.expr;
    expr_operand v;
    RETURN_IF_ERROR(parse_choice(p, &v));
    if (peek(p)) RETURN_FAILURE_AT(p, p->at, "expected an operator or the end of the formula");
    RETURN_IF_ERROR(check_complex_names(p));
    expr_settle(&p->steps, &v);
    e->is_complex = v.is_complex;
    e->has_complex = v.is_complex || p->complex_names.count > 0;
    const expr_value parts[] = {v.value, v.imaginary};
    return expr_assign(&p->steps, v.is_complex ? 2 : 1, parts, &e->program);
}

weft_status expr_compile(const char *formula, expr_names complex_names, weft_expr *expr, weft_error *error) {
    const size_t length = strnlen(formula, EXPR_LENGTH + 1);
    RETURN_IF(length > EXPR_LENGTH, WEFT_INVALID, "the formula has more than %d characters", (int)EXPR_LENGTH);
    memset(expr, 0, sizeof *expr);
    memcpy(expr->formula, formula, length);
    parser p = {.formula = expr->formula,
                .complex_names = complex_names,
                .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                .steps = {.expr = expr, .error = error}};
    RETURN_IF(p.plain == (locale_t)0, WEFT_OUT_OF_MEMORY, "cannot allocate a locale");
    const int rounding =
        fegetround(); /* mode of the x87 unit, which glibc uses to convert digits and fpmode.h does not set */
    fesetround(FE_TONEAREST);
    const weft_status status = parse_formula(&p);
    fesetround(rounding);
    freelocale(p.plain);
    return status;
}
