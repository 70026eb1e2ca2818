/* weft_dist_tridiag: each rank solves its own systems. */
#include "dist/dist.h"

weft_status weft_dist_tridiag(weft_dist *d, weft_dtype dtype, weft_boundary boundary, weft_slice systems, size_t n,
                              weft_lines a, weft_lines b, weft_lines c, weft_lines rhs, void *x, uint64_t *singular) {
    if (!d) return WEFT_INVALID;
    weft_error *error = &d->error;
    const agreed list[] = {
        {"dtype", AS_TYPE, dtype}, {"periodic", AS_NUMBER, boundary}, {"the number of rows", AS_NUMBER, n}};
    weft_status status = WEFT_OK;
    uint64_t own = UINT64_MAX, first = UINT64_MAX;
    if (!singular) status = weft_fail(error, WEFT_INVALID, "singular is NULL");
    RETURN_IF_ERROR(dist_begin(d, "tridiag", list, 3, systems, status));
    RETURN_IF_ERROR(
        dist_finish(d, dist_took(d, weft_tridiag(d->ctx, dtype, boundary, systems.count, n, a, b, c, rhs, x, &own))));
    if (own != UINT64_MAX) own += dist_first(d) * n;
    RETURN_IF_ERROR(dist_gather(d, &own, d->roots, sizeof own, "exchanging the first singular row"));
    for (int r = 0; r < d->size; r++)
        if (d->roots[r] < first) first = d->roots[r];
    if (singular) *singular = first; /* dist_begin has already failed if singular is NULL */
    return WEFT_OK;
}
