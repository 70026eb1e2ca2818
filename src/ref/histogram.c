/* The definition of weft_histogram and weft_histogram_even (ORDER.md 11). */
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Returns true if x[i] <= y[j] by value: -0 = +0, and a comparison with a NaN is false. */
static bool at_most(array x, size_t i, array y, size_t j) {
    if (type_is_real(x.dtype)) return ref_real(x, i) <= ref_real(y, j);
    const uint64_t p = ref_integer(x, i), q = ref_integer(y, j);
    return type_is_signed(x.dtype) ? (int64_t)p <= (int64_t)q : p <= q;
}

/* Returns the bin between the edges, or c->bins if there is none. */
static size_t bin_by_edges(const histogram_call *c, array x, size_t i) {
    const array edges = {type_widened(c->dtype), c->edges};
    if (!at_most(edges, 0, x, i) || !at_most(x, i, edges, c->bins)) return c->bins;
    size_t below = 0, above = c->bins; /* edges[below] <= x[i] <= edges[above] */
    while (above - below > 1) {
        const size_t middle = below + (above - below) / 2;
        if (at_most(edges, middle, x, i))
            below = middle;
        else
            above = middle;
    }
    return below;
}

static size_t even_bin_of_real(const histogram_call *c, double x) {
    if (!(c->lower_real <= x && x <= c->upper_real)) return c->bins;
    const double scale = (double)c->bins / (c->upper_real - c->lower_real);
    const double position = floor((x - c->lower_real) * scale);
    return position < (double)c->bins ? (size_t)position : c->bins - 1;
}

static size_t even_bin_of_integer(const histogram_call *c, uint64_t x) {
    const bool is_signed = type_is_signed(c->dtype);
    const bool below = is_signed ? (int64_t)x < (int64_t)c->lower_integer : x < c->lower_integer;
    const bool above = is_signed ? (int64_t)x > (int64_t)c->upper_integer : x > c->upper_integer;
    if (below || above) return c->bins;
    const wide position = (wide)(x - c->lower_integer) * c->bins / (c->upper_integer - c->lower_integer);
    return position < c->bins ? (size_t)position : c->bins - 1;
}

weft_status ref_histogram(void *state, const histogram_call *c, weft_error *error) {
    const array x = {c->dtype, c->x};
    (void)state, (void)error;
    memset(c->counts, 0, c->bins * sizeof *c->counts);
    for (size_t i = 0; i < c->n; i++) {
        const size_t bin = c->edges                 ? bin_by_edges(c, x, i)
                           : type_is_real(c->dtype) ? even_bin_of_real(c, ref_real(x, i))
                                                    : even_bin_of_integer(c, ref_integer(x, i));
        if (bin < c->bins) c->counts[bin]++;
    }
    return WEFT_OK;
}
