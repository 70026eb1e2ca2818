/* weft_dist_matmul: rows of C are made of the same rows of A and of all of B, which every rank brings together. How k
 * is cut (docs/ORDER.md 13.2) is asked of the whole product. */
#include "core/parts.h"
#include "dist/dist.h"

#include <string.h>

typedef struct product {
    weft_dist *d;
    weft_dtype dtype, accumulate;
    size_t rows, n, k, size; /* rows: of this rank */
    const void *alpha, *beta;
    const void *a, *b;
    void *c;
} product;

/* Bytes of B that rank r has, as weft_dist_share deals out its rows. */
static extent share_of(const product *p, int rank) {
    const uint64_t ranks = (uint64_t)p->d->size, r = (uint64_t)rank, more = p->k % ranks, row = p->n * p->size;
    const uint64_t first = p->k / ranks * r + (r < more ? r : more);
    return (extent){first * row, (first + p->k / ranks + (r < more)) * row};
}

/* All of B in a room; this rank's share goes to all others. */
static weft_status gather_b(const product *p, char **whole) {
    weft_dist *const d = p->d;
    const extent own = share_of(p, d->rank);
    weft_status status = dist_room(d, 0, p->k * p->n * p->size, whole);
    if (status == WEFT_OK) status = dist_copy(d, (size_t)(own.end - own.first), p->b, *whole + own.first);
    FORWARD(dist_agree(d, status));
    for (int r = 0; r < d->size; r++) {
        d->in[r] = share_of(p, r);
        d->out[r] = own;
    }
    d->in[d->rank] = d->out[d->rank] = (extent){0, 0};
    return dist_move(d, *whole, *whole);
}

static weft_status run_product(const product *p) {
    weft_dist *const d = p->d;
    char *b;
    FORWARD(gather_b(p, &b));
    return dist_finish(d, dist_took(d, weft_part_matmul(d->ctx, p->dtype, p->accumulate, (size_t)dist_total(d),
                                                        p->rows, p->n, p->k, p->alpha, p->a, b, p->beta, p->c)));
}

/* ------------------------------------------------------------------------------- the call */

static weft_status check_size(weft_dist *d, const char *name, size_t rows, size_t width, size_t size) {
    weft_error *error = &d->error;
    RETURN_IF(width && rows > SIZE_MAX / 2 / size / width, WEFT_INVALID,
              "%s: %zu x %zu elements do not fit in memory", name, rows, width);
    return WEFT_OK;
}

static weft_status check_product(const product *p) {
    weft_dist *const d = p->d;
    const size_t size = weft_dtype_size(p->dtype);
    FORWARD(dist_took(d, weft_matmul(d->ctx, p->dtype, p->accumulate, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE,
                                     WEFT_NO_TRANSPOSE, 0, 1, 1, p->alpha, NULL, 1, NULL, 1, p->beta, NULL, 1)));
    FORWARD(check_size(d, "A", p->rows, p->k, size));
    FORWARD(check_size(d, "B", p->k, p->n, size));
    FORWARD(check_size(d, "C", p->rows, p->n, size));
    const extent own = share_of(p, d->rank);
    const size_t a = p->rows * p->k, b = (size_t)(own.end - own.first) / size, c = p->rows * p->n;
    FORWARD(dist_check_array(d, "A", p->a, a, size));
    FORWARD(dist_check_array(d, "B", p->b, b, size));
    FORWARD(dist_check_array(d, "C", p->c, c, size));
    FORWARD(dist_check_apart(d, "C", p->c, c * size, "A", p->a, a * size));
    return dist_check_apart(d, "C", p->c, c * size, "B", p->b, b * size);
}

static uint64_t bits_of(weft_status checked, const void *scalar, size_t size) {
    uint64_t bits = 0;
    if (checked == WEFT_OK && scalar) memcpy(&bits, scalar, size);
    return bits;
}

weft_status weft_dist_matmul(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice rows, size_t n,
                             size_t k, const void *alpha, const void *a, const void *b, const void *beta, void *c) {
    if (!d) return WEFT_INVALID;
    const product p = {.d = d,
                       .dtype = dtype,
                       .accumulate = accumulate,
                       .rows = rows.count,
                       .n = n,
                       .k = k,
                       .size = weft_dtype_size(dtype),
                       .alpha = alpha,
                       .beta = beta,
                       .a = a,
                       .b = b,
                       .c = c};
    const weft_status status = check_product(&p);
    const agreed list[] = {{"the type", AS_TYPE, dtype},
                           {"the accumulate type", AS_TYPE, accumulate},
                           {"n", AS_NUMBER, n},
                           {"k", AS_NUMBER, k},
                           {"the number of scalars", AS_NUMBER, (uint64_t)((alpha != NULL) + 2 * (beta != NULL))},
                           {"alpha", AS_BITS, bits_of(status, alpha, p.size)},
                           {"beta", AS_BITS, bits_of(status, beta, p.size)}};
    FORWARD(dist_begin(d, "matmul", list, 7, rows, status));
    return dist_total(d) == 0 || n == 0 ? WEFT_OK : run_product(&p);
}
