/* The definition of weft_variance (ORDER.md 4). */
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>

static double add(double a, double b) { return a + b; }

static double step_add(const terms_f64 *t, double lane, size_t i) { return lane + ref_real(t->x, i); }

static double step_deviation(const terms_f64 *t, double lane, size_t i) {
    const double deviation = ref_real(t->x, i) - t->parameter;
    return fma(deviation, deviation, lane);
}

weft_status ref_variance(void *state, const variance_call *call, weft_error *error) {
    const array x = {call->dtype, call->x};
    (void)state, (void)error;
    const double mean = tree_f64(&(terms_f64){-0.0, step_add, add, x, x, 0}, call->n) / (double)call->n;
    const double squares = tree_f64(&(terms_f64){-0.0, step_deviation, add, x, x, mean}, call->n);
    ref_store_real(call->result, squares / (double)(call->n - call->ddof), call->out);
    return WEFT_OK;
}
