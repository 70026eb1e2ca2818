/* The definition of weft_run_length (docs/ops/run_length.md). */
#include "ref/array.h"
#include "ref/ref.h"
#include "ref/select.h"

#include <math.h>
#include <string.h>

static bool equal(array x, size_t i, size_t k) {
    if (!ref_is_float(x.dtype)) return ref_integer(x, i) == ref_integer(x, k);
    const double a = ref_real(x, i), b = ref_real(x, k);
    return a == b || (isnan(a) && isnan(b));
}

bool ref_begins_run(const run_length_call *c, size_t i) {
    return i == 0 || !equal((array){c->dtype, c->x}, i - 1, i);
}

static void lengths(const run_length_call *c) {
    size_t run = 0, length = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i > 0 && ref_begins_run(c, i)) {
            c->lengths[run++] = length;
            length = 0;
        }
        length++;
    }
    if (c->n > 0) c->lengths[run] = length;
}

weft_status ref_run_length(void *state, const run_length_call *c, weft_error *error) {
    (void)state, (void)error;
    ref_unique(c);
    if (c->lengths) lengths(c);
    return WEFT_OK;
}
