/* What a formula is compiled to: steps over registers and leaves, and nothing else. Numbers and shapes only; what a
 * step computes is in src/ref/map.c, and for the fast backends in src/arith/map_body.h. */
#ifndef WEFT_CORE_FORMULA_H
#define WEFT_CORE_FORMULA_H

#include <stdint.h>

typedef enum map_op {
#define OPERATOR(ID, text, operands, domain) MAP_##ID,
#define FUNCTION(ID, name, operands, domain) MAP_##ID,
#include "formula/formula.def"
    MAP_OPS
} map_op;

/* Limits of a formula (include/weft.h). */
enum { MAP_REGISTERS = 16, MAP_LEAVES = 64, MAP_STEPS = 256 };

/* register[to] = op(a, b, c). An operand below MAP_REGISTERS is a register, else leaf operand - MAP_REGISTERS; `to`
 * is none of the operands. Operands that the op does not have repeat a. The last step's register is the result. */
typedef struct map_step {
    uint8_t op, to, a, b, c;
} map_step;

#endif
