/* Compiles a formula by precedence climbing over its characters (V. Pratt, POPL 1973). Steps are emitted during
 * parsing.
 *
 * An operand is a number that has not been used yet, a leaf, or a register. The lowest free register is allocated
 * first. The registers that a step reads are freed after its result register is allocated, so a step never
 * overwrites its inputs. */
#include "formula/expr.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum operand_kind { NUMBER, SLOT } operand_kind;

typedef struct operand {
    operand_kind kind;
    expr_leaf number;
    uint8_t slot; /* operand number, as in map_step */
} operand;

typedef struct parser {
    const char *formula;
    size_t at;     /* offset of the next character */
    size_t offset; /* offset of the last name or operator, for messages */
    unsigned depth;
    uint32_t held; /* allocated registers, as a bit mask */
    weft_expr *expr;
    locale_t plain; /* the C locale, in which the decimal separator is a point */
} parser;

/* --------------------------------------------------------------------------------- messages */

weft_status expr_point(const char *formula, size_t offset, weft_status status, weft_error *error) {
    enum { BEFORE = 40, SHOWN = 72 };
    const size_t used = strlen(error->message), start = offset > BEFORE ? offset - BEFORE : 0;
    char line[SHOWN + 1], *to = line;
    for (const char *from = formula + start; *from && to < line + SHOWN; from++)
        *to++ = *from >= ' ' && *from <= '~' ? *from : '?';
    *to = '\0';
    snprintf(error->message + used, sizeof error->message - used, "\n  %s\n  %*s", line, (int)(offset - start + 1),
             "^");
    return status;
}

/* RETURN_FAILURE_AT(p, offset, "sentence with %s", ...): returns WEFT_INVALID with the message, the formula's line
 * and a caret. */
#define RETURN_FAILURE_AT(p, where, ...)                               \
    do {                                                               \
        weft_fail(error, WEFT_INVALID, __VA_ARGS__);                   \
        return expr_point((p)->formula, (where), WEFT_INVALID, error); \
    } while (0)

/* -------------------------------------------------------------------------------- the lists */

enum { EVERY = false, REALS = true };
static const struct {
    const char *name;
    int operands;
    bool real, function;
} OPS[] = {
#define OPERATOR(ID, text, operands, domain) {text, operands, domain, false},
#define FUNCTION(ID, name, operands, domain) {#name, operands, domain, true},
#include "formula/formula.def"
};

const char *expr_op_name(map_op op) { return OPS[op].name; }
bool expr_op_is_real(map_op op) { return OPS[op].real; }

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
    p->offset = p->at++;
    return true;
}

static weft_status expect(parser *p, char c, weft_error *error) {
    if (take(p, c)) return WEFT_OK;
    if (!p->formula[p->at]) RETURN_FAILURE_AT(p, p->at, "expected '%c', found the end of the formula", c);
    RETURN_FAILURE_AT(p, p->at, "expected '%c'", c);
}

/* ------------------------------------------------------------------------ leaves and registers */

static weft_status add_leaf(parser *p, const expr_leaf *leaf, uint8_t *slot, weft_error *error) {
    weft_expr *e = p->expr;
    size_t i = 0;
    while (i < e->leaf_count && (e->leaves[i].kind != leaf->kind || strcmp(e->leaves[i].text, leaf->text) != 0)) i++;
    if (i == MAP_LEAVES)
        RETURN_FAILURE_AT(p, p->offset, "the formula has more than %d distinct names and numbers", (int)MAP_LEAVES);
    if (i == e->leaf_count) e->leaves[e->leaf_count++] = *leaf;
    *slot = (uint8_t)(MAP_REGISTERS + i);
    return WEFT_OK;
}

/* Makes the value an operand of steps: adds a leaf if it is a number. */
static weft_status settle(parser *p, operand *v, weft_error *error) {
    if (v->kind == NUMBER) RETURN_IF_ERROR(add_leaf(p, &v->number, &v->slot, error));
    v->kind = SLOT;
    return WEFT_OK;
}

static void release(parser *p, const operand *v) {
    if (v->slot < MAP_REGISTERS) p->held &= ~(UINT32_C(1) << v->slot);
}

/* Emits the step with a new result register, which becomes *v. */
static weft_status add_step(parser *p, map_step step, size_t offset, operand *v, weft_error *error) {
    weft_expr *e = p->expr;
    uint8_t to = 0;
    while (to < MAP_REGISTERS && p->held >> to & 1) to++;
    if (to == MAP_REGISTERS)
        RETURN_FAILURE_AT(p, offset, "the formula needs more than %d intermediate values at this point",
                          (int)MAP_REGISTERS);
    if (e->step_count == MAP_STEPS)
        RETURN_FAILURE_AT(p, offset, "the formula has more than %d steps", (int)MAP_STEPS);
    step.to = to;
    e->offsets[e->step_count] = (uint16_t)offset;
    e->steps[e->step_count++] = step;
    if (e->register_count <= to) e->register_count = to + 1U;
    p->held |= UINT32_C(1) << to;
    v->kind = SLOT;
    v->slot = to;
    return WEFT_OK;
}

/* Replaces v[0] by op(v[0], ...). */
static weft_status apply(parser *p, map_op op, size_t offset, operand *v, weft_error *error) {
    const int count = OPS[op].operands;
    operand result;
    for (int i = 0; i < count; i++) RETURN_IF_ERROR(settle(p, &v[i], error));
    const map_step step = {
        .op = (uint8_t)op, .a = v[0].slot, .b = v[count > 1 ? 1 : 0].slot, .c = v[count > 2 ? 2 : 0].slot};
    RETURN_IF_ERROR(add_step(p, step, offset, &result, error));
    for (int i = 0; i < count; i++) release(p, &v[i]);
    v[0] = result;
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- the grammar */

static weft_status parse_choice(parser *p, operand *v, weft_error *error);
static weft_status parse_unary(parser *p, operand *v, weft_error *error);

/* Enters a nesting level; fails if there are too many. If it succeeds, `leave` must be called. */
static weft_status enter(parser *p, weft_error *error) {
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

static weft_status parse_number(parser *p, operand *v, weft_error *error) {
    const char *text = p->formula + p->at;
    const size_t length = number_length(text);
    expr_leaf *leaf = &v->number;
    p->offset = p->at;
    if (length > EXPR_WORD)
        RETURN_FAILURE_AT(p, p->offset, "the number has %zu characters: expected at most %d", length, (int)EXPR_WORD);
    if (is_letter(text[length]) || text[length] == '.' || is_digit(text[length]))
        RETURN_FAILURE_AT(p, p->at + length, "expected an operator after the number");
    *leaf = (expr_leaf){.kind = EXPR_NUMBER, .offset = (uint16_t)p->at, .whole = true};
    memcpy(leaf->text, text, length);
    for (size_t i = 0; i < length; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        leaf->whole = leaf->whole && is_digit(text[i]);
        if (!leaf->whole) break;
        leaf->large = leaf->large || leaf->integer > (UINT64_MAX - digit) / 10;
        leaf->integer = leaf->large ? UINT64_MAX : 10 * leaf->integer + digit;
    }
    leaf->f64 = strtod_l(leaf->text, NULL, p->plain);
    leaf->f32 = strtof_l(leaf->text, NULL, p->plain);
    if (isinf(leaf->f64)) RETURN_FAILURE_AT(p, p->offset, "%s is greater than the largest f64", leaf->text);
    v->kind = NUMBER;
    p->at += length;
    return WEFT_OK;
}

/* Parses the arguments of a function, name(x, y, ...), after its name. */
static weft_status parse_function(parser *p, map_op op, size_t offset, operand *v, weft_error *error) {
    operand arguments[3] = {{.kind = NUMBER}};
    RETURN_IF_ERROR(expect(p, '(', error));
    RETURN_IF_ERROR(enter(p, error));
    for (int i = 0; i < OPS[op].operands; i++) {
        if (i > 0 && peek(p) == ')')
            RETURN_FAILURE_AT(p, p->at, "%s requires %d arguments, not %d", OPS[op].name, OPS[op].operands, i);
        if (i > 0) RETURN_IF_ERROR(expect(p, ',', error));
        RETURN_IF_ERROR(parse_choice(p, &arguments[i], error));
    }
    if (peek(p) == ',')
        RETURN_FAILURE_AT(p, p->at, "too many arguments: %s requires %d argument%s", OPS[op].name, OPS[op].operands,
                          OPS[op].operands == 1 ? "" : "s");
    RETURN_IF_ERROR(expect(p, ')', error));
    leave(p);
    RETURN_IF_ERROR(apply(p, op, offset, arguments, error));
    *v = arguments[0];
    return WEFT_OK;
}

/* Parses a function call, the index i, or a variable. */
static weft_status parse_name(parser *p, operand *v, weft_error *error) {
    const char *text = p->formula + p->at;
    const size_t offset = p->offset = p->at;
    size_t length = 0;
    expr_leaf leaf = {.kind = EXPR_VARIABLE, .offset = (uint16_t)offset};
    while (is_letter(text[length]) || is_digit(text[length])) length++;
    if (length > EXPR_WORD)
        RETURN_FAILURE_AT(p, offset, "the name has %zu characters: expected at most %d", length, (int)EXPR_WORD);
    memcpy(leaf.text, text, length);
    p->at += length;
    for (int op = 0; op < MAP_OPS; op++)
        if (OPS[op].function && strcmp(OPS[op].name, leaf.text) == 0)
            return parse_function(p, (map_op)op, offset, v, error);
    if (peek(p) == '(') RETURN_FAILURE_AT(p, offset, "unknown function %s", leaf.text);
    if (strcmp(leaf.text, "i") == 0) leaf.kind = EXPR_INDEX;
    v->kind = SLOT;
    return add_leaf(p, &leaf, &v->slot, error);
}

static weft_status parse_primary(parser *p, operand *v, weft_error *error) {
    const char c = peek(p);
    if (is_digit(c) || (c == '.' && is_digit(p->formula[p->at + 1]))) return parse_number(p, v, error);
    if (is_letter(c)) return parse_name(p, v, error);
    if (!c) RETURN_FAILURE_AT(p, p->at, "expected a value, found the end of the formula");
    if (!take(p, '(')) RETURN_FAILURE_AT(p, p->at, "expected a value");
    RETURN_IF_ERROR(enter(p, error));
    RETURN_IF_ERROR(parse_choice(p, v, error));
    RETURN_IF_ERROR(expect(p, ')', error));
    leave(p);
    return WEFT_OK;
}

/* Emits *v to the given power by square-and-multiply (ORDER.md 20.4): for each bit of `power` below the highest set
 * bit, from high to low, squares the product and, if the bit is set, multiplies it by x. *v is x; its register is
 * freed at the end. */
static weft_status apply_chain(parser *p, unsigned power, size_t offset, operand *v, weft_error *error) {
    unsigned bit = 1;
    operand x = *v;
    RETURN_IF_ERROR(settle(p, &x, error));
    operand product = x;
    while (bit <= power / 2) bit *= 2;
    while (bit /= 2) {
        for (int turn = 0; turn < (power & bit ? 2 : 1); turn++) {
            const operand before = product;
            const map_step step = {MAP_MULTIPLY, 0, before.slot, turn ? x.slot : before.slot, before.slot};
            RETURN_IF_ERROR(add_step(p, step, offset, &product, error));
            if (before.slot != x.slot) release(p, &before);
        }
    }
    if (product.slot != x.slot) release(p, &x);
    *v = product;
    return WEFT_OK;
}

static operand number_one(void) {
    return (operand){.kind = NUMBER,
                     .number = {.kind = EXPR_NUMBER, .text = "1", .whole = true, .integer = 1, .f32 = 1, .f64 = 1}};
}

/* Replaces v[0] by v[0] ^ v[1]. */
static weft_status apply_power(parser *p, size_t offset, operand v[2], weft_error *error) {
    const expr_leaf *power = &v[1].number;
    if (v[1].kind != NUMBER || !power->whole || power->integer > EXPR_POWER)
        return apply(p, MAP_POW, offset, v, error);
    if (power->integer == 0) {
        RETURN_IF_ERROR(settle(p, &v[0], error));
        release(p, &v[0]);
        v[0] = number_one();
        return WEFT_OK;
    }
    RETURN_IF_ERROR(apply_chain(p, (unsigned)power->integer, offset, &v[0], error));
    if (!power->negative) return WEFT_OK;
    operand quotient[2] = {number_one(), v[0]};
    RETURN_IF_ERROR(apply(p, MAP_DIVIDE, offset, quotient, error));
    v[0] = quotient[0];
    return WEFT_OK;
}

static weft_status parse_power(parser *p, operand *v, weft_error *error) {
    operand operands[2] = {{.kind = NUMBER}};
    RETURN_IF_ERROR(parse_primary(p, &operands[0], error));
    if (take(p, '^')) {
        const size_t offset = p->offset;
        RETURN_IF_ERROR(enter(p, error));
        RETURN_IF_ERROR(parse_unary(p, &operands[1], error));
        leave(p);
        RETURN_IF_ERROR(apply_power(p, offset, operands, error));
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

static weft_status parse_unary(parser *p, operand *v, weft_error *error) {
    const char sign = peek(p);
    if (sign != '-' && sign != '+' && sign != '!') return parse_power(p, v, error);
    const size_t offset = p->offset = p->at++;
    RETURN_IF_ERROR(enter(p, error));
    RETURN_IF_ERROR(parse_unary(p, v, error));
    leave(p);
    if (sign == '!') return apply(p, MAP_NOT, offset, v, error);
    if (sign == '-' && v->kind == NUMBER)
        negate_number(&v->number);
    else if (sign == '-')
        return apply(p, MAP_NEGATE, offset, v, error);
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
static weft_status parse_signs(parser *p, int least, operand *v, weft_error *error) {
    RETURN_IF_ERROR(parse_unary(p, v, error));
    for (int i; (i = next_sign(p)) < SIGN_COUNT && SIGNS[i].precedence >= least;) {
        const size_t offset = p->offset = p->at;
        operand operands[2], *const right = &operands[SIGNS[i].swapped ? 0 : 1];
        p->at += strlen(SIGNS[i].sign);
        RETURN_IF_ERROR(parse_signs(p, SIGNS[i].precedence + 1, right, error));
        operands[SIGNS[i].swapped ? 1 : 0] = *v;
        RETURN_IF_ERROR(apply(p, SIGNS[i].op, offset, operands, error));
        *v = operands[0];
    }
    return WEFT_OK;
}

static weft_status parse_choice(parser *p, operand *v, weft_error *error) {
    operand operands[3] = {{.kind = NUMBER}};
    RETURN_IF_ERROR(parse_signs(p, 1, &operands[0], error));
    if (take(p, '?')) {
        const size_t offset = p->offset;
        RETURN_IF_ERROR(enter(p, error));
        RETURN_IF_ERROR(parse_choice(p, &operands[1], error));
        RETURN_IF_ERROR(expect(p, ':', error));
        RETURN_IF_ERROR(parse_choice(p, &operands[2], error));
        leave(p);
        RETURN_IF_ERROR(apply(p, MAP_SELECT, offset, operands, error));
    }
    *v = operands[0];
    return WEFT_OK;
}

/* Parses the whole formula. The result of the formula is that of the last step. */
static weft_status parse_formula(parser *p, weft_error *error) {
    operand v;
    RETURN_IF_ERROR(parse_choice(p, &v, error));
    if (peek(p)) RETURN_FAILURE_AT(p, p->at, "expected an operator or the end of the formula");
    return v.kind == SLOT && v.slot < MAP_REGISTERS ? WEFT_OK : apply(p, MAP_COPY, 0, &v, error);
}

weft_status expr_compile(const char *formula, weft_expr *expr, weft_error *error) {
    const size_t length = strnlen(formula, EXPR_LENGTH + 1);
    RETURN_IF(length > EXPR_LENGTH, WEFT_INVALID, "the formula has more than %d characters", (int)EXPR_LENGTH);
    memset(expr, 0, sizeof *expr);
    memcpy(expr->formula, formula, length);
    parser p = {.formula = expr->formula, .expr = expr, .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    RETURN_IF(p.plain == (locale_t)0, WEFT_OUT_OF_MEMORY, "cannot allocate a locale");
    const int rounding =
        fegetround(); /* mode of the x87 unit, which glibc uses to convert digits and fpmode.h does not set */
    fesetround(FE_TONEAREST);
    const weft_status status = parse_formula(&p, error);
    fesetround(rounding);
    freelocale(p.plain);
    return status;
}
