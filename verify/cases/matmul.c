/* weft_matmul. The inputs are the factors; only as many elements as the shape requires are used. The parameter
 * selects the kind of shape: tiles and their edges, a vector, a k that is divided into parts, a batch. The shape and
 * all other arguments vary with match_case.turn. The output is C with its padding. It contains NaNs before a call
 * that must not read it. */
#include "core/types.h"
#include "verify/match.h"

#include <stdlib.h>
#include <string.h>

enum { TILES, VECTOR, PARTS, BATCH, PARAMETERS };
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct product {
    weft_layout layout;
    weft_transpose transpose_a, transpose_b;
    size_t m, n, k, lda, ldb, ldc, batch, stride_a, stride_b, stride_c;
    size_t values; /* elements of C, from the first to the last */
    double alpha, beta;
    bool same; /* B is A */
} product;

/* Sequence of random numbers for a case. */
typedef struct draws {
    uint64_t seed, count;
} draws;

static uint64_t draw(draws *d, uint64_t below) { return input_random(d->seed, d->count++) % below; }

/* Returns the maximum number of products, which limits the cost of the specification. */
static size_t most_terms(const match_case *c) {
    const size_t most = 4000 + 8 * c->n;
    return most < 4000000 ? most : 4000000;
}

static size_t dimension(draws *d) {
    static const size_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,  24,  25,  31,  32, 33,
                                   47, 48, 49, 63, 64, 65, 96, 100, 127, 128, 129, 191, 193, 255, 257};
    return sizes[draw(d, COUNT(sizes))];
}

static size_t depth(draws *d) {
    static const size_t sizes[] = {1024, 1025, 2047, 2048, 2049, 3072, 3073, 5000, 9 * 1024, 65537, 1000003};
    return sizes[draw(d, COUNT(sizes))];
}

static void draw_shape(product *p, const match_case *c, draws *d) {
    p->batch = c->parameter == BATCH ? 2 + draw(d, 4) : 1;
    p->m = c->parameter == PARTS ? 1 + draw(d, 5) : dimension(d);
    p->n = c->parameter == PARTS ? 1 + draw(d, 5) : dimension(d);
    p->k = c->parameter == PARTS ? depth(d) : dimension(d);
    if (c->parameter == VECTOR) {
        if (draw(d, 2)) p->k = dimension(d) * dimension(d);
        p->m = draw(d, 3) ? dimension(d) * (1 + draw(d, 20)) : 1;
        p->n = 1;
        if (draw(d, 2)) p->n = p->m, p->m = 1;
    }
    /* Reduces the largest dimension until the factors fit in the inputs. */
    while (p->k * max_u64(p->m, p->n) * p->batch > c->n || p->m * p->n * p->k * p->batch > most_terms(c)) {
        size_t *const largest = p->k >= max_u64(p->m, p->n) ? &p->k : p->m >= p->n ? &p->m : &p->n;
        *largest -= (*largest + 3) / 4;
        if (*largest == 0) break;
    }
}

/* Returns the number of contiguous rows of a matrix as stored. */
static size_t rows_of(const product *p, size_t rows, size_t columns, weft_transpose transpose) {
    return (p->layout == WEFT_ROW_MAJOR) == (transpose == WEFT_NO_TRANSPOSE) ? rows : columns;
}

/* Returns a leading dimension for rows of `width` elements with which the matrices have at most n elements. */
static size_t draw_ld(draws *d, size_t rows, size_t width, size_t batch, size_t n) {
    const size_t ld = width + (draw(d, 2) ? 0 : draw(d, 9));
    return rows * ld * batch <= n ? ld : width;
}

static void draw_memory(product *p, const match_case *c, draws *d) {
    const size_t rows_a = rows_of(p, p->m, p->k, p->transpose_a), rows_b = rows_of(p, p->k, p->n, p->transpose_b);
    const size_t rows_c = rows_of(p, p->m, p->n, WEFT_NO_TRANSPOSE);
    const size_t width_a = p->m + p->k - rows_a, width_b = p->k + p->n - rows_b, width_c = p->m + p->n - rows_c;
    p->lda = draw_ld(d, rows_a, width_a, p->batch, c->n);
    p->ldb = draw_ld(d, rows_b, width_b, p->batch, c->n);
    p->ldc = draw_ld(d, rows_c, width_c, 1, SIZE_MAX / 2);
    p->stride_a = draw(d, 4) ? rows_a * p->lda : 0;
    p->stride_b = draw(d, 4) ? rows_b * p->ldb : 0;
    p->stride_c = rows_c * p->ldc + draw(d, 2) * draw(d, 5);
    if (draw(d, 3) == 0) { /* matrices next to each other */
        p->stride_c = width_c + draw(d, 2);
        p->ldc = (p->batch - 1) * p->stride_c + width_c + draw(d, 2);
    }
    p->values = rows_c && width_c ? (p->batch - 1) * p->stride_c + (rows_c - 1) * p->ldc + width_c : 0;
}

static product product_of(const match_case *c) {
    static const double alphas[] = {1, 1, 1, -1, 0.5, 0, 1.7}, betas[] = {0, 0, 1, -1, 0.5, 0.3};
    draws d = {c->turn * 64 + (uint64_t)c->parameter * 2 + (c->accumulate == WEFT_F64), 0};
    product p = {.layout = (weft_layout)draw(&d, 2)};
    p.transpose_a = (weft_transpose)draw(&d, 2);
    p.transpose_b = (weft_transpose)draw(&d, 2);
    draw_shape(&p, c, &d);
    draw_memory(&p, c, &d);
    p.same = draw(&d, 8) == 0;
    p.alpha = alphas[draw(&d, COUNT(alphas))];
    p.beta = betas[draw(&d, COUNT(betas))];
    if (c->dtype != WEFT_F64) p.alpha = (float)p.alpha, p.beta = (float)p.beta;
    return p;
}

/* ----------------------------------------------------------------------------------- the shape */

static size_t values(const match_case *c) { return product_of(c).values; }

static size_t out_bytes(const match_case *c) {
    const bool offered = c->accumulate == WEFT_DEFAULT || c->accumulate == WEFT_EXACT_SUM; /* f32 is the default */
    if (type_is_half(c->dtype)) return offered ? sizeof(uint16_t) : 0;
    return type_is_float(c->dtype) ? weft_dtype_size(c->dtype) : 0; /* in f64: only f32, see walk.c */
}

/* Fills C before the call: with part of an input if beta requires reading it, else with NaN. */
static weft_status fill_c(const match_case *c, const product *p, weft_context *ctx, void *out) {
    const size_t size = weft_dtype_size(c->dtype);
    void *before = malloc(p->values * size + 1);
    if (!before) return WEFT_OUT_OF_MEMORY;
    if (p->beta == 0)
        memset(before, 0xff, p->values * size);
    else
        input_fill(c->kind, c->dtype, c->seed + 1000, p->values, before);
    const weft_status status = weft_copy(ctx, p->values * size, before, out);
    free(before);
    return status;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const product p = product_of(c);
    const float narrow_alpha = (float)p.alpha, narrow_beta = (float)p.beta;
    const bool narrow = c->dtype != WEFT_F64, scalars = p.alpha != 1 || p.beta != 0;
    const void *const alpha = narrow ? (const void *)&narrow_alpha : &p.alpha;
    const void *const beta = narrow ? (const void *)&narrow_beta : &p.beta;
    const weft_status status = fill_c(c, &p, ctx, out);
    if (status != WEFT_OK) return status;
    return weft_matmul_batched(ctx, p.layout, p.transpose_a, p.transpose_b, c->dtype, c->accumulate, p.m, p.n, p.k,
                               scalars ? alpha : NULL, inputs[0], p.lda, p.stride_a, inputs[p.same ? 0 : 1], p.ldb,
                               p.stride_b, scalars ? beta : NULL, out, p.ldc, p.stride_c, p.batch);
}

static void tell(const match_case *c, char text[100]) {
    const product p = product_of(c);
    snprintf(text, 100, "%zu x %zu x %zu, %zu times, %s %c%c, ld %zu %zu %zu, alpha %g, beta %g", p.m, p.n, p.k,
             p.batch, p.layout == WEFT_ROW_MAJOR ? "rows" : "columns", p.transpose_a ? 'T' : 'N',
             p.transpose_b ? 'T' : 'N', p.lda, p.ldb, p.ldc, p.alpha, p.beta);
}

const match_shape match_matmul = {.inputs = 2,
                                  .parameters = PARAMETERS,
                                  .accumulates = 3,
                                  .halves = true,
                                  .values = values,
                                  .out_bytes = out_bytes,
                                  .call = call,
                                  .tell = tell};
