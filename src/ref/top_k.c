/* The definition of weft_top_k (ORDER.md 12.2): sorts all indices stably and takes the first k. */
#include "core/types.h"
#include "ref/common/total_order.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>

static bool is_nan(array x, size_t i) { return type_is_real(x.dtype) && isnan(ref_real(x, i)); }

static bool comes_before(const top_k_call *c, size_t i, size_t j) {
    const array x = {c->dtype, c->x};
    if (is_nan(x, i) || is_nan(x, j)) return !is_nan(x, i) && is_nan(x, j);
    return c->extreme == WEFT_LARGEST ? ref_is_less(x, j, x, i) : ref_is_less(x, i, x, j);
}

/* Merges two adjacent sorted runs of indices, from[0..middle) and from[middle..n). Equal elements of the first run
 * precede those of the second. */
static void merge_runs(const top_k_call *c, const size_t *from, size_t middle, size_t n, size_t *to) {
    size_t i = 0, j = middle;
    for (size_t at = 0; at < n; at++) {
        const bool second = i == middle || (j < n && comes_before(c, from[j], from[i]));
        to[at] = second ? from[j++] : from[i++];
    }
}

weft_status ref_top_k(void *state, const top_k_call *c, weft_error *error) {
    (void)state;
    size_t *indices = calloc(2 * c->n, sizeof *indices);
    RETURN_IF(!indices, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the order of %zu elements", c->n);
    size_t *from = indices, *to = indices + c->n;
    for (size_t i = 0; i < c->n; i++) from[i] = i;
    for (size_t run = 1; run < c->n; run *= 2) {
        for (size_t i = 0; i < c->n; i += 2 * run)
            merge_runs(c, from + i, min_u64(run, c->n - i), min_u64(2 * run, c->n - i), to + i);
        size_t *const sorted = to;
        to = from;
        from = sorted;
    }
    for (size_t i = 0; i < c->k; i++) {
        ref_move((array){c->dtype, c->x}, from[i], c->values, i);
        if (c->indices) c->indices[i] = from[i];
    }
    free(indices);
    return WEFT_OK;
}
