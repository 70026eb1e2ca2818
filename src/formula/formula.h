/* A formula is compiled to steps over registers and leaves. Constants and data types only: src/ref/map.c defines
 * the value of a step, src/arith/map.h computes it for the fast backends. */
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

/* Computes register[to] = op(a, b, c). An operand number below MAP_REGISTERS denotes a register, any other number n
 * denotes leaf n - MAP_REGISTERS. `to` must differ from all operands. Operands that the operation does not have
 * repeat a. The register of the last step is the result. */
typedef struct map_step {
    uint8_t op, to, a, b, c;
} map_step;

#endif
