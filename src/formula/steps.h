/* The steps of a formula before registers are assigned, and the operands from which the parser emits them. */
#ifndef WEFT_FORMULA_STEPS_H
#define WEFT_FORMULA_STEPS_H

#include "formula/expr.h"

/* Number of a value: below MAP_LEAVES a leaf, MAP_LEAVES + s the result of step number s. */
typedef uint16_t expr_value;

enum { EXPR_STEPS = 4 * MAP_STEPS }; /* maximum steps of a formula, also of those that its values do not need */

typedef struct expr_step {
    map_op op;
    expr_value operands[3]; /* operands that the operation does not have repeat the first */
    uint16_t offset;        /* offset of the operator or name in the formula */
} expr_step;

/* A formula whose steps are being emitted. After a failure, nothing is emitted, and `status` contains it. */
typedef struct expr_steps {
    weft_expr *expr; /* the formula and its leaves */
    weft_error *error;
    weft_status status;
    size_t offset; /* of the operator or name whose steps are being emitted */
    size_t count;
    expr_step steps[EXPR_STEPS];
} expr_steps;

/* An operand: a number that no step uses yet, or the value of a real or of both parts of a complex operand. */
typedef struct expr_operand {
    bool is_number, is_complex;
    expr_leaf number;
    expr_value value, imaginary; /* `value` is the real part of a complex operand */
} expr_operand;

/* Fails with a message, the formula's line and a caret under `offset`. Returns WEFT_INVALID. */
__attribute__((format(printf, 3, 4))) weft_status expr_refuse(expr_steps *s, size_t offset, const char *format, ...);

/* Returns the number of operands of an operation, and true if it is written as a function. */
int expr_op_operands(map_op op);
bool expr_op_is_function(map_op op);

/* Returns the operand of the number 0 or 1. */
expr_operand expr_small_number(unsigned number);

/* Returns the value of a leaf, which is added unless the formula has it. */
expr_value expr_add_leaf(expr_steps *s, const expr_leaf *leaf);

/* Makes an operand a value: adds a leaf if it is a number. Returns the value. */
expr_value expr_settle(expr_steps *s, expr_operand *v);

/* Emits a step at s->offset and returns its value. Operands that the operation does not have repeat the first. */
expr_value expr_emit(expr_steps *s, map_op op, expr_value x, expr_value y, expr_value z);

/* Replaces v[0] by op(v[0], ...), where no operand is complex. */
weft_status expr_apply(expr_steps *s, map_op op, expr_operand *v);

/* Writes the program of `count` values, one or the two parts of a complex one: the steps that they need, on
 * registers. The lowest free register is assigned first. The registers that a step is the last to read are freed
 * after its result register is assigned, so that a step never overwrites its inputs. A leaf becomes a step that
 * copies it. */
weft_status expr_assign(expr_steps *s, size_t count, const expr_value *values, expr_program *program);

#endif
