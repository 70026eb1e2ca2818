/* Emits the steps on the parts of complex operands. Each statement emits at most one step whose order matters:
 * compilers may evaluate the arguments of a function in any order, and the number of registers depends on the order.
 */
#include "formula/complex_steps.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- steps */

static expr_value number(expr_steps *s, unsigned n) {
    expr_operand v = expr_small_number(n);
    return expr_settle(s, &v);
}

static expr_value one(expr_steps *s, map_op op, expr_value x) { return expr_emit(s, op, x, x, x); }
static expr_value two(expr_steps *s, map_op op, expr_value x, expr_value y) { return expr_emit(s, op, x, y, x); }
static expr_value negated(expr_steps *s, expr_value x) { return one(s, MAP_NEGATE, x); }
static expr_value product(expr_steps *s, expr_value x, expr_value y) { return two(s, MAP_MULTIPLY, x, y); }
static expr_value quotient(expr_steps *s, expr_value x, expr_value y) { return two(s, MAP_DIVIDE, x, y); }
static expr_value fused(expr_steps *s, expr_value x, expr_value y, expr_value z) {
    return expr_emit(s, MAP_FMA, x, y, z);
}
static expr_value chosen(expr_steps *s, expr_value c, expr_value x, expr_value y) {
    return expr_emit(s, MAP_SELECT, c, x, y);
}

static expr_operand complex_of(expr_value re, expr_value im) {
    return (expr_operand){.is_complex = true, .value = re, .imaginary = im};
}

static expr_operand real_of(expr_value re) { return (expr_operand){.value = re}; }

/* ------------------------------------------------------------------------------ operations */

/* The sum or the difference. The imaginary part of a real operand is not added. */
static expr_operand sum(expr_steps *s, map_op op, const expr_operand *x, const expr_operand *y) {
    const expr_value re = two(s, op, x->value, y->value);
    if (!y->is_complex) return complex_of(re, x->imaginary);
    if (x->is_complex) return complex_of(re, two(s, op, x->imaginary, y->imaginary));
    return complex_of(re, op == MAP_SUBTRACT ? negated(s, y->imaginary) : y->imaginary);
}

/* The product. That with a real operand has two products. */
static expr_operand multiply(expr_steps *s, const expr_operand *x, const expr_operand *y) {
    if (!x->is_complex || !y->is_complex) {
        const expr_value re = product(s, x->value, y->value);
        return complex_of(re,
                          x->is_complex ? product(s, x->imaginary, y->value) : product(s, x->value, y->imaginary));
    }
    const expr_value re = fused(s, x->value, y->value, negated(s, product(s, x->imaginary, y->imaginary)));
    const expr_value im = fused(s, x->imaginary, y->value, product(s, x->value, y->imaginary));
    return complex_of(re, im);
}

/* A divisor c + d i: p is the part of the greater magnitude, q the other one. */
typedef struct divisor {
    expr_value swapped; /* |c| < |d| */
    expr_value ratio;   /* q/p, or q if p is 0 */
    expr_value sum;     /* p + q ratio, that is (c^2 + d^2)/p */
} divisor;

static divisor divisor_of(expr_steps *s, const expr_operand *y) {
    const expr_value c = one(s, MAP_ABS, y->value), d = one(s, MAP_ABS, y->imaginary);
    const expr_value swapped = two(s, MAP_LESS, c, d);
    const expr_value p = chosen(s, swapped, y->imaginary, y->value);
    const expr_value q = chosen(s, swapped, y->value, y->imaginary);
    const expr_value ratio = quotient(s, q, chosen(s, p, p, number(s, 1)));
    return (divisor){swapped, ratio, fused(s, q, ratio, p)};
}

/* Divides a real by a complex number. */
static expr_operand invert(expr_steps *s, expr_value x, const divisor *by) {
    const expr_value small = product(s, x, by->ratio);
    const expr_value re = quotient(s, chosen(s, by->swapped, small, x), by->sum);
    return complex_of(re, negated(s, quotient(s, chosen(s, by->swapped, x, small), by->sum)));
}

/* Divides (R. Smith, CACM 5, 1962). */
static expr_operand divide(expr_steps *s, const expr_operand *x, const expr_operand *y) {
    if (!y->is_complex) {
        const expr_value re = quotient(s, x->value, y->value);
        return complex_of(re, quotient(s, x->imaginary, y->value));
    }
    const divisor by = divisor_of(s, y);
    if (!x->is_complex) return invert(s, x->value, &by);
    const expr_value u = chosen(s, by.swapped, x->imaginary, x->value);
    const expr_value v = chosen(s, by.swapped, x->value, x->imaginary);
    const expr_value re = quotient(s, fused(s, v, by.ratio, u), by.sum);
    const expr_value im = quotient(s, fused(s, negated(s, u), by.ratio, v), by.sum);
    return complex_of(re, chosen(s, by.swapped, negated(s, im), im));
}

/* x == y, or x != y. The imaginary part of a real operand is 0. */
static expr_operand compare(expr_steps *s, map_op op, const expr_operand *x, const expr_operand *y) {
    const expr_value x_im = x->is_complex ? x->imaginary : number(s, 0);
    const expr_value y_im = y->is_complex ? y->imaginary : number(s, 0);
    const expr_value re = two(s, op, x->value, y->value), im = two(s, op, x_im, y_im);
    return real_of(two(s, op == MAP_EQUAL ? MAP_AND : MAP_OR, re, im));
}

/* The modulus: m sqrt(1 + (k/m)^2), where m and k are the greater and the lesser magnitude of a part; m if that is 0,
 * infinite or a NaN. */
static expr_operand modulus(expr_steps *s, const expr_operand *x) {
    const expr_value a = one(s, MAP_ABS, x->value), b = one(s, MAP_ABS, x->imaginary);
    const expr_value m = two(s, MAP_MAX, a, b), r = quotient(s, two(s, MAP_MIN, a, b), m);
    const expr_value zero = number(s, 0), unit = number(s, 1);
    const expr_value root = one(s, MAP_SQRT, two(s, MAP_ADD, unit, product(s, r, r)));
    const expr_value length = product(s, m, root);
    const expr_value is_positive = two(s, MAP_LESS, zero, m);
    const expr_value is_finite = two(s, MAP_LESS, m, quotient(s, unit, zero));
    return real_of(chosen(s, two(s, MAP_AND, is_positive, is_finite), length, m));
}

static expr_operand exponential(expr_steps *s, const expr_operand *x) {
    const expr_value e = one(s, MAP_EXP, x->value);
    const expr_value re = product(s, e, one(s, MAP_COS, x->imaginary));
    return complex_of(re, product(s, e, one(s, MAP_SIN, x->imaginary)));
}

/* c ? x : y. The imaginary part of a real operand is 0. */
static weft_status choose(expr_steps *s, expr_operand *v) {
    if (v[0].is_complex) return expr_refuse(s, s->offset, "the condition before ? is complex: expected a real value");
    const expr_value x = v[1].is_complex ? v[1].imaginary : number(s, 0);
    const expr_value y = v[2].is_complex ? v[2].imaginary : number(s, 0);
    const expr_value c = v[0].value;
    const expr_value re = chosen(s, c, v[1].value, v[2].value);
    v[0] = complex_of(re, chosen(s, c, x, y));
    return s->status;
}

/* Fails for an operation that is not defined for complex numbers. */
static weft_status refuse(expr_steps *s, map_op op) {
    if (op == MAP_LESS || op == MAP_AT_MOST || op == MAP_MIN || op == MAP_MAX)
        return expr_refuse(s, s->offset,
                           "complex numbers have no order: compare their parts or moduli, re(z), im(z), abs(z)");
    if (op == MAP_POW)
        return expr_refuse(s, s->offset,
                           "a power of complex numbers requires an exponent that is an integer from -%d to %d",
                           (int)EXPR_POWER, (int)EXPR_POWER);
    return expr_refuse(s, s->offset, "%s is not defined for complex numbers", expr_op_name(op));
}

weft_status expr_apply_complex(expr_steps *s, map_op op, expr_operand *v) {
    for (int i = 0; i < expr_op_operands(op); i++) expr_settle(s, &v[i]);
    switch (op) {
    case MAP_ADD:
    case MAP_SUBTRACT: v[0] = sum(s, op, &v[0], &v[1]); break;
    case MAP_MULTIPLY: v[0] = multiply(s, &v[0], &v[1]); break;
    case MAP_DIVIDE: v[0] = divide(s, &v[0], &v[1]); break;
    case MAP_NEGATE: v[0] = complex_of(negated(s, v[0].value), negated(s, v[0].imaginary)); break;
    case MAP_EQUAL:
    case MAP_DIFFERENT: v[0] = compare(s, op, &v[0], &v[1]); break;
    case MAP_SELECT: return choose(s, v);
    case MAP_ABS: v[0] = modulus(s, &v[0]); break;
    case MAP_EXP: v[0] = exponential(s, &v[0]); break;
    default: return refuse(s, op);
    }
    return s->status;
}

weft_status expr_power_complex(expr_steps *s, unsigned power, expr_operand *v) {
    const expr_operand z = *v;
    unsigned bit = 1;
    while (bit <= power / 2) bit *= 2;
    while (bit /= 2) {
        *v = multiply(s, v, v);
        if (power & bit) *v = multiply(s, v, &z);
    }
    return s->status;
}

/* ------------------------------------------------------------------------------- functions */

static const struct {
    const char *name;
    int operands;
} FUNCTIONS[] = {[COMPLEX_RE] = {"re", 1},
                 [COMPLEX_IM] = {"im", 1},
                 [COMPLEX_CONJ] = {"conj", 1},
                 [COMPLEX_MAKE] = {"complex", 2}};

complex_function expr_complex_function(const char *name) {
    int f = 0;
    while (f < COMPLEX_FUNCTIONS && strcmp(FUNCTIONS[f].name, name) != 0) f++;
    return (complex_function)f;
}

int expr_function_operands(complex_function function) { return FUNCTIONS[function].operands; }

weft_status expr_apply_function(expr_steps *s, complex_function function, expr_operand *v) {
    if (function == COMPLEX_MAKE) {
        if (v[0].is_complex || v[1].is_complex)
            return expr_refuse(s, s->offset, "complex(x, y) requires real arguments, the two parts");
        const expr_value re = expr_settle(s, &v[0]);
        v[0] = complex_of(re, expr_settle(s, &v[1]));
    } else if (!v[0].is_complex) {
        if (function == COMPLEX_IM) v[0] = expr_small_number(0);
    } else if (function == COMPLEX_CONJ) {
        v[0].imaginary = negated(s, v[0].imaginary);
    } else {
        v[0] = real_of(function == COMPLEX_RE ? v[0].value : v[0].imaginary);
    }
    return s->status;
}
