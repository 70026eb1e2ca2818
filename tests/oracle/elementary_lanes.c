/* Loops over the elementary functions of src/arith, compiled once per level of the instruction set, like the kernels
 * of src/cpu. */
#include "tests/oracle/elementary_lanes.h"
#include "arith/elementary.h"
#include "arith/philox.h"

#define PASTE_LEVEL(name, level) name##_##level
#define EXPAND_LEVEL(name, level) PASTE_LEVEL(name, level)
#define TEXT(level) #level
#define EXPAND_TEXT(level) TEXT(level)

#define FUNCTION(name)                                                                 \
    static void name##_f64(size_t n, const double *restrict x, double *restrict out) { \
        for (size_t i = 0; i < n; i++) out[i] = weft_##name##_f64(x[i]);               \
    }                                                                                  \
    static void name##_f32(size_t n, const float *restrict x, float *restrict out) {   \
        for (size_t i = 0; i < n; i++) out[i] = weft_##name##_f32(x[i]);               \
    }
ELEMENTARY_FUNCTIONS
#undef FUNCTION

static void pow_f64(size_t n, const double *restrict x, const double *restrict y, double *restrict out) {
    for (size_t i = 0; i < n; i++) out[i] = weft_pow_f64(x[i], y[i]);
}

static void pow_f32(size_t n, const float *restrict x, const float *restrict y, float *restrict out) {
    for (size_t i = 0; i < n; i++) out[i] = weft_pow_f32(x[i], y[i]);
}

static void near_f64(size_t n, const double *restrict x, double *restrict sine, double *restrict cosine) {
    for (size_t i = 0; i < n; i++) sine[i] = weft_sin_near_f64(x[i]);
    for (size_t i = 0; i < n; i++) cosine[i] = weft_cos_near_f64(x[i]);
}

static void philox(size_t n, const uint64_t *restrict counters, uint64_t key, uint32_t *restrict out) {
    for (size_t i = 0; i < n; i++) {
        const weft_philox_block block = weft_philox(counters[2 * i], counters[2 * i + 1], key);
        for (size_t k = 0; k < 4; k++) out[4 * i + k] = block.v[k];
    }
}

extern const elementary_level EXPAND_LEVEL(elementary, WEFT_LEVEL);
const elementary_level EXPAND_LEVEL(elementary, WEFT_LEVEL) = {
    .name = EXPAND_TEXT(WEFT_LEVEL),
    .f64 =
        {
#define FUNCTION(name) name##_f64,
            ELEMENTARY_FUNCTIONS
#undef FUNCTION
        },
    .f32 =
        {
#define FUNCTION(name) name##_f32,
            ELEMENTARY_FUNCTIONS
#undef FUNCTION
        },
    .pow_f64 = pow_f64,
    .pow_f32 = pow_f32,
    .near_f64 = near_f64,
    .philox = philox,
};
