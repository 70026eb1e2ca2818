/* The definition of weft_dot (ORDER.md 5). */
#include "core/types.h"
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>

static float add_f32(float a, float b) { return a + b; }
static double add_f64(double a, double b) { return a + b; }

static float step_f32(const terms_f32 *t, float lane, size_t i) {
    return fmaf((float)ref_real(t->x, i), (float)ref_real(t->y, i), lane);
}

static double step_f64(const terms_f64 *t, double lane, size_t i) {
    return fma(ref_real(t->x, i), ref_real(t->y, i), lane);
}

weft_status ref_dot(void *state, const dot_call *call, weft_error *error) {
    const array x = {call->dtype, call->x}, y = {call->dtype, call->y};
    (void)state, (void)error;
    if (!type_is_float(call->dtype)) {
        uint64_t total = 0;
        for (size_t i = 0; i < call->n; i++) total += ref_integer(x, i) * ref_integer(y, i);
        ref_store_integer(call->result, total, call->out);
    } else if (call->n == 0) {
        ref_store_real(call->result, 0.0, call->out);
    } else if (call->result == WEFT_F32) {
        ref_store_real(WEFT_F32, tree_f32(&(terms_f32){-0.0f, step_f32, add_f32, x, y}, call->n), call->out);
    } else {
        ref_store_real(WEFT_F64, tree_f64(&(terms_f64){-0.0, step_f64, add_f64, x, y, 0}, call->n), call->out);
    }
    return WEFT_OK;
}
