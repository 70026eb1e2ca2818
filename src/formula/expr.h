/* A compiled formula (weft_expr): its steps and leaves. */
#ifndef WEFT_CORE_EXPR_H
#define WEFT_CORE_EXPR_H

#include "core/error.h"
#include "formula/formula.h"
#include "weft.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    EXPR_LENGTH = 4095, /* maximum characters of a formula */
    EXPR_WORD = 63,     /* maximum characters of a name or a number */
    EXPR_DEPTH = 64,    /* maximum nesting levels */
    EXPR_POWER = 1024   /* largest exponent that is computed by multiplications */
};

typedef enum expr_leaf_kind { EXPR_VARIABLE, EXPR_NUMBER, EXPR_INDEX } expr_leaf_kind;

/* Part of a variable that a leaf is. The two parts of a complex variable are adjacent leaves. */
typedef enum expr_part { EXPR_WHOLE, EXPR_REAL, EXPR_IMAGINARY } expr_part;

typedef struct expr_leaf {
    expr_leaf_kind kind;
    expr_part part;
    char text[EXPR_WORD + 2]; /* the name, or the number with its sign */
    uint16_t offset;          /* offset in the formula */
    /* The number consists of digits only; `integer` is its magnitude. */
    bool whole;
    uint64_t integer; /* UINT64_MAX if `large` */
    bool large;       /* the magnitude exceeds UINT64_MAX */
    bool negative;
    float f32; /* value of the number, rounded once to each type */
    double f64;
} expr_leaf;

/* The steps that compute the values. */
typedef struct expr_program {
    map_step steps[MAP_STEPS];
    uint16_t offsets[MAP_STEPS]; /* offset of each step's operator or name in the formula, for messages */
    size_t step_count, register_count;
    uint8_t results[2]; /* registers of the real and of the imaginary part. Real values: that of the last step */
} expr_program;

struct weft_expr {
    expr_program program;
    bool is_complex;  /* the values are complex */
    bool has_complex; /* a variable or the values are complex */
    expr_leaf leaves[MAP_LEAVES];
    size_t leaf_count;
    char formula[EXPR_LENGTH + 1];
};

/* The names of complex variables. */
typedef struct expr_names {
    const char *const *list;
    size_t count;
} expr_names;

/* Compiles `formula` into *expr. The message of a failure contains the line and a caret. */
weft_status expr_compile(const char *formula, expr_names complex_names, weft_expr *expr, weft_error *error);

/* Appends the formula's line, with a caret under offset `offset`, to the message; returns `status`. */
weft_status expr_point(const char *formula, size_t offset, weft_status status, weft_error *error);

/* expr_op_name returns the operator or function name: "+", "sqrt", .... expr_op_is_real returns true if the
 * operation is defined only for f32 and f64. */
const char *expr_op_name(map_op op);
bool expr_op_is_real(map_op op);

#endif
