/* Decides which elements select, partition, unique and run_length keep, and writes them. */
#include "ref/common/selected.h"
#include "core/types.h"
#include "ref/common/array.h"

#include <math.h>
#include <string.h>

/* Returns true if the comparison holds for two values that are less, equal, greater, or none of these (a NaN). */
static bool holds(weft_comparison comparison, bool less, bool equal, bool greater) {
    switch (comparison) {
    case WEFT_LT: return less;
    case WEFT_LE: return less || equal;
    case WEFT_EQ: return equal;
    case WEFT_NE: return !equal;
    case WEFT_GE: return equal || greater;
    default: return greater;
    }
}

static bool compares(const select_call *c, size_t i) {
    const array x = {c->dtype, c->x}, value = {c->dtype, c->value};
    if (type_is_real(c->dtype)) {
        const double a = ref_real(x, i), b = ref_real(value, 0);
        return holds(c->comparison, a<b, a == b, a> b);
    }
    const uint64_t a = ref_integer(x, i), b = ref_integer(value, 0);
    const bool less = type_is_signed(c->dtype) ? (int64_t)a < (int64_t)b : a < b;
    return holds(c->comparison, less, a == b, !less && a != b);
}

bool ref_is_kept(const select_call *c, size_t i) { return c->by_flags ? c->flags[i] != 0 : compares(c, i); }

void ref_put(const select_call *c, size_t i, size_t k) {
    const size_t size = weft_dtype_size(c->dtype);
    if (c->kind == SELECT_INDICES)
        ((uint64_t *)c->y)[k] = i;
    else
        memcpy((char *)c->y + k * size, (const char *)c->x + i * size, size);
}

static bool equal(array x, size_t i, size_t k) {
    if (!type_is_float(x.dtype)) return ref_integer(x, i) == ref_integer(x, k);
    const double a = ref_real(x, i), b = ref_real(x, k);
    return a == b || (isnan(a) && isnan(b));
}

bool ref_begins_run(const run_length_call *c, size_t i) {
    return i == 0 || !equal((array){c->dtype, c->x}, i - 1, i);
}
