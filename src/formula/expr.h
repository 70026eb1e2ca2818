/* A compiled formula (weft_expr): its steps, and what their leaves stand for. */
#ifndef WEFT_CORE_EXPR_H
#define WEFT_CORE_EXPR_H

#include "core/error.h"
#include "formula/formula.h"
#include "weft.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    EXPR_LENGTH = 4095, /* characters of a formula */
    EXPR_WORD = 63,     /* of a name or a number */
    EXPR_DEPTH = 64,    /* nesting */
    EXPR_POWER = 1024   /* the largest power that is a chain of multiplications */
};

typedef enum expr_leaf_kind { EXPR_VARIABLE, EXPR_NUMBER, EXPR_INDEX } expr_leaf_kind;

typedef struct expr_leaf {
    expr_leaf_kind kind;
    char text[EXPR_WORD + 2]; /* the name, or the number with its sign */
    uint16_t place;           /* in the formula */
    bool whole;               /* a number of digits only, whose magnitude is */
    uint64_t integer;         /* or more than that, */
    bool large;               /* if so */
    bool negative;
    float f32; /* the number, rounded to each type once */
    double f64;
} expr_leaf;

struct weft_expr {
    map_step steps[MAP_STEPS];
    uint16_t places[MAP_STEPS]; /* of the sign or name in the formula, for messages */
    size_t step_count, register_count;
    expr_leaf leaves[MAP_LEAVES];
    size_t leaf_count;
    char formula[EXPR_LENGTH + 1];
};

/* Compiles `formula` into *expr; a failure's sentence has the line and a caret. */
weft_status expr_compile(const char *formula, weft_expr *expr, weft_error *error);

/* Appends the formula's line and a caret under `place` to the message, and returns `status`. */
weft_status expr_point(const char *formula, size_t place, weft_status status, weft_error *error);

/* "+", "sqrt", ...; whether the op is defined for integers. */
const char *expr_op_name(map_op op);
bool expr_op_is_real(map_op op);

#endif
