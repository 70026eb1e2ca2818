/* The definition of weft_reduce_lanes (ORDER.md 3.4). */
#include "ref/common/array.h"
#include "ref/ref.h"

static double combine(const reduce_lanes_call *c, double a, double b) {
    if (c->result == WEFT_F32) return c->op == WEFT_SUM ? (float)a + (float)b : (float)a * (float)b;
    return c->op == WEFT_SUM ? a + b : a * b;
}

/* Returns value j of a tree: an element of a lane, or the value of lane j. */
typedef double leaf(const reduce_lanes_call *c, size_t lane, size_t j);

/* Reduces values first .. first + count - 1. Adjacent values are combined in pairs, level by level; a value without a
 * partner moves up unchanged. Equivalently, the left part is the largest power of two less than `count`. */
static double tree(const reduce_lanes_call *c, leaf *value, size_t lane, size_t first, size_t count) {
    if (count == 1) return value(c, lane, first);
    size_t left = 1;
    while (left < count - left) left *= 2;
    const double a = tree(c, value, lane, first, left);
    const double b = tree(c, value, lane, first + left, count - left);
    return combine(c, a, b);
}

static double element(const reduce_lanes_call *c, size_t lane, size_t j) {
    return ref_real((array){c->dtype, c->x}, lane + j * c->lanes);
}

static double lane_value(const reduce_lanes_call *c, size_t unused, size_t lane) {
    (void)unused;
    return tree(c, element, lane, 0, (c->n - lane - 1) / c->lanes + 1);
}

weft_status ref_reduce_lanes(void *state, const reduce_lanes_call *c, weft_error *error) {
    const size_t present = c->n < c->lanes ? c->n : c->lanes; /* lanes that have elements */
    (void)state, (void)error;
    if (c->n == 0)
        ref_store_real(c->result, c->op == WEFT_SUM ? 0.0 : 1.0, c->out);
    else
        ref_store_real(c->result, tree(c, lane_value, 0, 0, present), c->out);
    return WEFT_OK;
}
