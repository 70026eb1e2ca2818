/* Operations on complex operands, as steps on their parts (docs/spec/ORDER.md 20.6). */
#ifndef WEFT_FORMULA_COMPLEX_STEPS_H
#define WEFT_FORMULA_COMPLEX_STEPS_H

#include "formula/steps.h"

/* Replaces v[0] by op(v[0], ...), where at least one operand is complex. Fails if the operation is only defined for
 * real numbers. */
weft_status expr_apply_complex(expr_steps *s, map_op op, expr_operand *v);

/* Replaces the complex *v by its power, 1 <= power, by repeated squaring (20.4). */
weft_status expr_power_complex(expr_steps *s, unsigned power, expr_operand *v);

/* Functions that only exist for complex numbers. */
typedef enum complex_function {
    COMPLEX_RE,
    COMPLEX_IM,
    COMPLEX_CONJ,
    COMPLEX_MAKE,
    COMPLEX_FUNCTIONS
} complex_function;

/* Returns the function of this name, or COMPLEX_FUNCTIONS. */
complex_function expr_complex_function(const char *name);
/* Returns the number of its operands. */
int expr_function_operands(complex_function function);
/* Replaces v[0] by function(v[0], ...). Operands may be real. */
weft_status expr_apply_function(expr_steps *s, complex_function function, expr_operand *v);

#endif
