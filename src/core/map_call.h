/* A formula and its operands, as the backends see them. */
#ifndef WEFT_CORE_MAP_CALL_H
#define WEFT_CORE_MAP_CALL_H

#include "formula/formula.h"
#include "weft.h"

#include <stdbool.h>
#include <stddef.h>

/* Input of a formula: an array, one value for all elements, or the index of the element. */
typedef enum map_leaf_kind { LEAF_ARRAY, LEAF_VALUE, LEAF_INDEX } map_leaf_kind;

typedef struct map_leaf {
    map_leaf_kind kind;
    /* LEAF_ARRAY: type of the elements: any type, but no float if the formula is evaluated in integers. */
    weft_dtype dtype;
    const void *p;
    /* LEAF_VALUE: the value in the type of the evaluation, integers extended to 64 bits. LEAF_INDEX: the index of
     * element 0. */
    union {
        float f32;
        double f64;
        uint64_t u64;
    } value;
} map_leaf;

/* A formula over n elements. */
typedef struct map_call {
    weft_dtype dtype;  /* type of the evaluation: i32, i64, u32, u64, f32 or f64 */
    weft_dtype result; /* type of the values: dtype, or f16 or bf16 if dtype is f32 and the values are stored */
    size_t n;
    const map_step *steps;
    size_t step_count, register_count, leaf_count; /* step_count and register_count >= 1 */
    const map_leaf *leaves;
    /* n values of type result. May be equal to p of an array leaf of this type; must not otherwise overlap any array.
     * NULL if the values are reduced. */
    void *out;
    /* Values of calls on views may be complex: then each has a real part at its address in `out` and an imaginary
     * part `imaginary` bytes after it. `results`: the registers of the two parts. Else the result of the last step is
     * the value. */
    bool is_complex;
    uint8_t results[2];
    ptrdiff_t imaginary;
} map_call;

#endif
