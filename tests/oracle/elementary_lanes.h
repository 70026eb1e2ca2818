/* Elementary functions over arrays, as compiled for each level of the instruction set. */
#ifndef WEFT_TESTS_ORACLE_ELEMENTARY_LANES_H
#define WEFT_TESTS_ORACLE_ELEMENTARY_LANES_H

#include <stddef.h>
#include <stdint.h>

/* FUNCTION(name): calls the macro for each function of one argument. */
#define ELEMENTARY_FUNCTIONS \
    FUNCTION(exp)            \
    FUNCTION(log)            \
    FUNCTION(sin)            \
    FUNCTION(cos)            \
    FUNCTION(erf)            \
    FUNCTION(probit)

typedef enum elementary {
#define FUNCTION(name) ELEMENTARY_##name,
    ELEMENTARY_FUNCTIONS
#undef FUNCTION
        ELEMENTARY_COUNT
} elementary;

typedef struct elementary_level {
    const char *name;
    void (*f64[ELEMENTARY_COUNT])(size_t n, const double *x, double *out);
    void (*f32[ELEMENTARY_COUNT])(size_t n, const float *x, float *out);
    void (*pow_f64)(size_t n, const double *x, const double *y, double *out);
    void (*pow_f32)(size_t n, const float *x, const float *y, float *out);
    /* sin and cos for arguments that do not need the reduction of large arguments */
    void (*near_f64)(size_t n, const double *x, double *sin, double *cos);
    /* block i has the counter (x[2 i], x[2 i + 1]) */
    void (*philox)(size_t n, const uint64_t *counters, uint64_t key, uint32_t *out);
} elementary_level;

#endif
