/* The definition of weft_quantile_axis (ORDER.md 32.4). */
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the mean of a <= b, where b has the weight w. */
static double mean_of(double a, double b, double w) {
    if (w == 0 || a == b) return a;
    if (isinf(a) && isinf(b)) return NAN;
    if (isinf(a) || isinf(b)) return isinf(a) ? a : b;
    const double d = b - a;
    if (isinf(d)) return 2 * mean_of(a / 2, b / 2, w);
    const double from_a = d * w, from_b = d * (1 - w);
    return w < 0.5 ? a + from_a : b - from_b;
}

/* Stores the quantile q of the n elements of s, which are sorted and contain no NaN. */
static void store(const quantile_axis_call *c, array s, size_t n, double q, void *y) {
    const double position = q * (double)(n - 1), whole = floor(position), g = position - whole;
    const size_t lower = whole < (double)(n - 1) ? (size_t)whole : n - 1, upper = g > 0 ? lower + 1 : lower;
    const size_t size = weft_dtype_size(c->dtype);
    size_t moved = lower;
    switch (c->method) {
    case WEFT_LINEAR: ref_store_real(c->result, mean_of(ref_real(s, lower), ref_real(s, upper), g), y); return;
    case WEFT_MIDPOINT: ref_store_real(c->result, mean_of(ref_real(s, lower), ref_real(s, upper), 0.5), y); return;
    case WEFT_LOWER: break;
    case WEFT_HIGHER: moved = upper; break;
    case WEFT_NEAREST:
        if (g > 0.5 || (g == 0.5 && lower % 2 == 1)) moved = upper;
        break;
    }
    memcpy(y, (const char *)s.p + moved * size, size);
}

weft_status ref_quantile_axis(void *state, const quantile_axis_call *c, weft_error *error) {
    const size_t n = c->inner.n, size = weft_dtype_size(c->dtype);
    weft_status status = WEFT_OK;
    (void)state;
    char *const x = malloc(2 * n * size);
    RETURN_IF(!x, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", n);
    const array sorted = {c->dtype, x + n * size};
    const sort_call sort = {
        .dtype = c->dtype, .bits = 8 * (unsigned)size, .n = n, .keys = x, .sorted_keys = x + n * size};
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const from = (const char *)c->x + ref_offset_x(c->outer_count, c->outer, v);
        char *const to = (char *)c->y + ref_offset_y(c->outer_count, c->outer, v);
        for (size_t i = 0; i < n; i++) memcpy(x + i * size, from + (ptrdiff_t)i * c->inner.x, size);
        status = ref_sort(NULL, &sort, error);
        if (status != WEFT_OK) break;
        const bool has_nan = type_is_real(c->dtype) && isnan(ref_real(sorted, n - 1));
        for (size_t k = 0; k < c->count; k++) {
            char *const y = to + (ptrdiff_t)k * c->inner.y;
            if (has_nan)
                ref_store_real(c->result, NAN, y);
            else
                store(c, sorted, n, c->q[k], y);
        }
    }
    free(x);
    return status;
}
