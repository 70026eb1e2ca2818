/* Sums over a part of an array (part_sum, part_deviations): the trees of ORDER.md 3.3 and 4. */
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>

static double add(double a, double b) { return a + b; }

static double step_sum(const terms_f64 *t, double lane, size_t i) { return lane + ref_real(t->x, i); }

static double step_magnitude(const terms_f64 *t, double lane, size_t i) { return lane + fabs(ref_real(t->x, i)); }

static double step_square(const terms_f64 *t, double lane, size_t i) {
    const double scaled = ref_real(t->x, i) * t->parameter;
    return fma(scaled, scaled, lane);
}

static double step_deviation(const terms_f64 *t, double lane, size_t i) {
    const double deviation = ref_real(t->x, i) - t->parameter;
    return fma(deviation, deviation, lane);
}

/* Returns the factor by which the elements are multiplied before they are squared. */
static double scale_of(double squares) {
    if (squares < WEFT_NORM2_LOW) return WEFT_NORM2_UP;
    return squares <= WEFT_NORM2_HIGH ? 1 : WEFT_NORM2_DOWN;
}

static double sum(const part_sum_call *c, array x) {
    terms_f64 t = {-0.0, step_sum, add, x, x, 0};
    if (c->op == WEFT_NORM1) t.step = step_magnitude;
    if (c->op == WEFT_NORM2) {
        t.step = step_square;
        t.parameter = scale_of(c->squares);
    }
    return tree_f64(&t, c->n);
}

weft_status ref_part_sum(void *state, const part_sum_call *c, weft_error *error) {
    void *values = NULL;
    (void)state;
    if (c->map) RETURN_IF_ERROR(ref_map_values(c->map, &values, error));
    ref_store_real(WEFT_F64, sum(c, (array){c->dtype, values ? values : c->x}), c->sum);
    free(values);
    return WEFT_OK;
}

weft_status ref_part_deviations(void *state, const part_deviations_call *c, weft_error *error) {
    const array x = {c->dtype, c->x};
    (void)state, (void)error;
    ref_store_real(WEFT_F64, tree_f64(&(terms_f64){-0.0, step_deviation, add, x, x, c->mean}, c->n), c->sum);
    return WEFT_OK;
}
