/* The definition of weft_reduce (ORDER.md 3). */
#include "core/types.h"
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------- sum and product (ORDER 3.1) */

static float add_f32(float a, float b) { return a + b; }
static double add_f64(double a, double b) { return a + b; }
static float mul_f32(float a, float b) { return a * b; }
static double mul_f64(double a, double b) { return a * b; }

static float step_add_f32(const terms_f32 *t, float lane, size_t i) { return lane + (float)ref_real(t->x, i); }
static double step_add_f64(const terms_f64 *t, double lane, size_t i) { return lane + ref_real(t->x, i); }
static float step_mul_f32(const terms_f32 *t, float lane, size_t i) { return lane * (float)ref_real(t->x, i); }
static double step_mul_f64(const terms_f64 *t, double lane, size_t i) { return lane * ref_real(t->x, i); }

static void define_sum(const reduce_call *c, array x) {
    if (!type_is_float(c->dtype)) {
        uint64_t total = 0;
        for (size_t i = 0; i < c->n; i++) total += ref_integer(x, i);
        ref_store_integer(c->result, total, c->out);
    } else if (c->n == 0) {
        ref_store_real(c->result, 0.0, c->out);
    } else if (c->result == WEFT_F32) {
        ref_store_real(WEFT_F32, tree_f32(&(terms_f32){-0.0f, step_add_f32, add_f32, x, x}, c->n), c->out);
    } else {
        ref_store_real(WEFT_F64, tree_f64(&(terms_f64){-0.0, step_add_f64, add_f64, x, x, 0}, c->n), c->out);
    }
}

static void define_prod(const reduce_call *c, array x) {
    if (!type_is_float(c->dtype)) {
        uint64_t total = 1;
        for (size_t i = 0; i < c->n; i++) total *= ref_integer(x, i);
        ref_store_integer(c->result, total, c->out);
    } else if (c->n == 0) {
        ref_store_real(c->result, 1.0, c->out);
    } else if (c->result == WEFT_F32) {
        ref_store_real(WEFT_F32, tree_f32(&(terms_f32){1.0f, step_mul_f32, mul_f32, x, x}, c->n), c->out);
    } else {
        ref_store_real(WEFT_F64, tree_f64(&(terms_f64){1.0, step_mul_f64, mul_f64, x, x, 0}, c->n), c->out);
    }
}

/* ------------------------------------------------------ minimum and maximum (ORDER 3.2) */

/* Returns true if a precedes b in the total order: -0 before +0. Neither may be a NaN. */
static bool precedes(array x, size_t a, size_t b) {
    if (type_is_float(x.dtype)) {
        const double p = ref_real(x, a), q = ref_real(x, b);
        return p < q || (p == q && signbit(p) && !signbit(q));
    }
    const uint64_t p = ref_integer(x, a), q = ref_integer(x, b);
    return type_is_signed(x.dtype) ? (int64_t)p < (int64_t)q : p < q;
}

static bool is_nan(array x, size_t i) { return type_is_float(x.dtype) && isnan(ref_real(x, i)); }

/* Returns the first index of the extreme element, or of the first NaN if there is one. */
static size_t find_extreme(const reduce_call *c, array x, bool largest) {
    size_t best = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (is_nan(x, i)) return i;
        if (largest ? precedes(x, best, i) : precedes(x, i, best)) best = i;
    }
    return best;
}

static void store_element(const reduce_call *c, array x, size_t i) {
    const size_t size = weft_dtype_size(c->dtype);
    if (is_nan(x, i))
        ref_store_real(c->dtype, NAN, c->out);
    else
        memcpy(c->out, (const char *)x.p + i * size, size);
}

static void define_min(const reduce_call *c, array x) { store_element(c, x, find_extreme(c, x, false)); }
static void define_max(const reduce_call *c, array x) { store_element(c, x, find_extreme(c, x, true)); }
static void define_argmin(const reduce_call *c, array x) {
    ref_store_integer(WEFT_U64, find_extreme(c, x, false), c->out);
}
static void define_argmax(const reduce_call *c, array x) {
    ref_store_integer(WEFT_U64, find_extreme(c, x, true), c->out);
}

/* -------------------------------------------------------------- bits and truth */

static void define_and(const reduce_call *c, array x) {
    uint64_t bits = UINT64_MAX;
    for (size_t i = 0; i < c->n; i++) bits &= ref_integer(x, i);
    ref_store_integer(c->dtype, bits, c->out);
}

static void define_or(const reduce_call *c, array x) {
    uint64_t bits = 0;
    for (size_t i = 0; i < c->n; i++) bits |= ref_integer(x, i);
    ref_store_integer(c->dtype, bits, c->out);
}

static void define_xor(const reduce_call *c, array x) {
    uint64_t bits = 0;
    for (size_t i = 0; i < c->n; i++) bits ^= ref_integer(x, i);
    ref_store_integer(c->dtype, bits, c->out);
}

static uint64_t nonzeros(const reduce_call *c, array x) {
    uint64_t count = 0;
    for (size_t i = 0; i < c->n; i++) count += type_is_float(c->dtype) ? ref_real(x, i) != 0 : ref_integer(x, i) != 0;
    return count;
}

static void define_any(const reduce_call *c, array x) { ref_store_integer(WEFT_U8, nonzeros(c, x) > 0, c->out); }
static void define_all(const reduce_call *c, array x) { ref_store_integer(WEFT_U8, nonzeros(c, x) == c->n, c->out); }
static void define_count_nonzero(const reduce_call *c, array x) {
    ref_store_integer(WEFT_U64, nonzeros(c, x), c->out);
}

/* -------------------------------------------------------- mean and norms (ORDER 3.3) */

static double step_abs(const terms_f64 *t, double lane, size_t i) { return lane + fabs(ref_real(t->x, i)); }

static double step_square(const terms_f64 *t, double lane, size_t i) {
    const double scaled = ref_real(t->x, i) * t->parameter;
    return fma(scaled, scaled, lane);
}

static void define_mean(const reduce_call *c, array x) {
    const double total = tree_f64(&(terms_f64){-0.0, step_add_f64, add_f64, x, x, 0}, c->n);
    ref_store_real(c->result, total / (double)c->n, c->out);
}

static void define_norm1(const reduce_call *c, array x) {
    const double total = c->n ? tree_f64(&(terms_f64){-0.0, step_abs, add_f64, x, x, 0}, c->n) : 0;
    ref_store_real(c->result, total, c->out);
}

/* Returns the factor to scale the elements by before their squares are summed again, or 1 if `squares` is final. */
static double scale_of(double squares) {
    if (squares >= WEFT_NORM2_LOW && squares <= WEFT_NORM2_HIGH) return 1;
    return squares < WEFT_NORM2_LOW ? WEFT_NORM2_UP : WEFT_NORM2_DOWN;
}

static void define_norm2(const reduce_call *c, array x) {
    double scale = 1, squares = c->n ? tree_f64(&(terms_f64){-0.0, step_square, add_f64, x, x, 1}, c->n) : 0;
    if (c->n && scale_of(squares) != 1) {
        scale = scale_of(squares);
        squares = tree_f64(&(terms_f64){-0.0, step_square, add_f64, x, x, scale}, c->n);
    }
    ref_store_real(c->result, sqrt(squares) / scale, c->out);
}

static void define_norminf(const reduce_call *c, array x) {
    double largest = 0;
    for (size_t i = 0; i < c->n; i++) {
        const double v = fabs(ref_real(x, i));
        if (v > largest || isnan(v)) largest = v;
        if (isnan(v)) break;
    }
    ref_store_real(c->result, largest, c->out);
}

weft_status ref_reduce(void *state, const reduce_call *call, weft_error *error) {
    static void (*const definitions[])(const reduce_call *, array) = {
#define REDUCE(ID, name, domain, result, empty, help) define_##name,
#include "core/ops.def"
    };
    if (call->map) return ref_map_reduce(state, call, error);
    definitions[call->op](call, (array){call->dtype, call->x});
    return WEFT_OK;
}
