/* Exact products on a GPU: constants of the moduli, blocks, launches (matmul_exact.h). */
#include "cuda/matmul/matmul_exact.h"
#include "cuda/runtime/cublaslt.h"

#include <string.h>

static uint64_t div_up(uint64_t n, uint64_t size) { return (n - 1) / size + 1; }
static uint64_t round_to(uint64_t n, uint64_t size) { return div_up(n, size) * size; }
static uint64_t at_most(uint64_t n, uint64_t most) { return n < most ? n : most; }

/* --------------------------------------------------------------------------------------- moduli */

/* Pairwise coprime. The product of the first 8 is above 2^63, that of all above 2^125. */
static const uint32_t MODULI[EXACT_MODULI_MAX] = {
#define MODULUS(m, weight) m,
#include "arith/exact_moduli.def"
    233, 229, 227, 223, 211, 199, 197, 193};

/* Multiplies a number of EXACT_LIMBS_MAX words. */
static void multiply(uint32_t *number, uint32_t by) {
    uint64_t carry = 0;
    for (int k = 0; k < EXACT_LIMBS_MAX; k++) {
        carry += (uint64_t)number[k] * by;
        number[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Subtracts times * number. */
static void subtract(uint32_t *from, const uint32_t *number, uint32_t times) {
    uint64_t carry = 0;
    for (int k = 0; k < EXACT_LIMBS_MAX; k++) {
        carry += (uint64_t)number[k] * times;
        const uint32_t part = (uint32_t)carry;
        carry = (carry >> 32) + (from[k] < part);
        from[k] -= part;
    }
}

/* Returns the residue of v modulo m in [-m / 2, m / 2]. */
static int32_t residue(uint64_t v, uint32_t m) {
    const int32_t r = (int32_t)(v % m);
    return r > (int32_t)m / 2 ? r - (int32_t)m : r;
}

/* Sets all but `power` of modulus i. */
static void set_weights(exact_moduli *t, int count, int i) {
    const uint32_t m = MODULI[i];
    uint32_t rest = 1, inverse = 1;
    t->share[i][0] = 1;
    for (int k = 0; k < count; k++) {
        if (k == i) continue;
        multiply(t->share[i], MODULI[k]);
        rest = rest * MODULI[k] % m;
    }
    while (rest * inverse % m != 1) inverse++;
    t->weight[i] = residue(inverse, m);
    t->weight_high[i] = residue((uint64_t)inverse << 15, m);
    subtract(t->offset, t->share[i], 128);
}

static void set_moduli(exact_moduli *t, int count) {
    memset(t, 0, sizeof *t);
    t->product[0] = 1;
    for (int i = 0; i < count; i++) {
        t->m[i] = (float)MODULI[i];
        t->inverse[i] = 1 / (float)MODULI[i];
        for (int k = 0; k < 3; k++) t->power[i][k] = (float)residue((uint64_t)1 << 14 * (k + 1), MODULI[i]);
        set_weights(t, count, i);
        multiply(t->product, MODULI[i]);
    }
    subtract(t->offset, t->product, 16);
}

/* --------------------------------------------------------------------------------------- blocks */

static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* Sets the offsets in the workspace, and their end. */
static void lay_out(exact_plan *p, const matmul_call *c) {
    const size_t size = c->dtype == WEFT_F64 ? sizeof(uint64_t) : sizeof(uint32_t); /* of a magnitude */
    const size_t products = p->items * (uint64_t)p->planes;
    const size_t rows = round_to(p->rows, EXACT_PADDING), columns = round_to(p->columns, EXACT_PADDING);
    const size_t terms = round_to(p->terms, EXACT_TERM_PADDING);
    p->magnitudes_a = 0;
    p->magnitudes_b = aligned(c->batch * c->m * size);
    p->planes_a = p->magnitudes_b + aligned(c->batch * c->n * size);
    p->planes_b = p->planes_a + aligned(products * rows * terms);
    p->sums = p->planes_b + aligned(products * columns * terms);
    p->wide = p->sums + aligned(products * rows * columns * sizeof(int32_t));
    p->library = p->wide + (p->terms < c->k ? aligned(p->items * p->rows * p->columns * 3 * sizeof(uint64_t)) : 0);
    p->bytes = p->library + CUBLASLT_WORKSPACE;
}

/* Halves the items, and then the larger dimension of the blocks, until the workspace has at most `limit` bytes. */
exact_plan cuda_matmul_exact_plan(const matmul_call *c, size_t limit) {
    enum { SMALLEST = 128 };
    exact_plan p;
    const bool f32 = c->dtype == WEFT_F32, f64 = c->dtype == WEFT_F64;
    p.planes = f32 ? EXACT_PLANES_F32 : f64 ? EXACT_PLANES_F64 : EXACT_PLANES_HALF;
    p.items = c->batch;
    p.rows = c->m;
    p.columns = c->n;
    p.terms = at_most(c->k, f32 ? EXACT_TERMS_F32 : f64 ? EXACT_TERMS_F64 : EXACT_TERMS_HALF);
    for (;;) {
        lay_out(&p, c);
        if (p.library <= limit) return p;
        if (p.items > 1)
            p.items = div_up(p.items, 2);
        else if (p.rows > SMALLEST && p.rows >= p.columns)
            p.rows = round_to(div_up(p.rows, 2), SMALLEST);
        else if (p.columns > SMALLEST)
            p.columns = round_to(div_up(p.columns, 2), SMALLEST);
        else
            return p;
    }
}

/* Multiplies the planes, with the library if there is one. */
static weft_status multiply_planes(gpu *g, const exact_plan *p, const exact_params *j, char *workspace,
                                   weft_error *error) {
    int8_products products;
    bool done = false;
    products.a = j->planes_a;
    products.b = j->planes_b;
    products.sums = j->sums;
    products.rows = j->padded_rows;
    products.columns = j->padded_columns;
    products.terms = j->padded_terms;
    products.count = j->items * (uint64_t)p->planes;
    products.workspace = workspace + p->library;
    RETURN_IF_ERROR(cublaslt_multiply(g, &products, &done, error));
    if (!done) CUDA_TRY(cuda_exact_sums(g, products.count, j), "matmul");
    return WEFT_OK;
}

/* Computes a block of rows and columns, part of k by part of k. `fresh`: the planes of A are not those of the block
 * before. */
static weft_status run_block(gpu *g, const matmul_call *c, const exact_plan *p, exact_params *j, bool fresh,
                             char *workspace, weft_error *error) {
    j->padded_rows = round_to(j->rows, EXACT_PADDING);
    j->padded_columns = round_to(j->columns, EXACT_PADDING);
    j->small =
        j->items * p->planes * j->padded_rows * j->padded_columns <= EXACT_SMALL_SUMS / (uint64_t)sizeof *j->sums;
    for (j->term = 0; j->term < c->k; j->term += p->terms) {
        j->terms = at_most(p->terms, c->k - j->term);
        j->padded_terms = round_to(j->terms, EXACT_TERM_PADDING);
        j->first = j->term == 0;
        j->last = j->term + j->terms == c->k;
        if (j->whole)
            RETURN_IF_ERROR(cuda_exact_lines(g, c->dtype, j, fresh, error));
        else
            CUDA_TRY(cuda_exact_planes(g, c->dtype, j, fresh || p->terms < c->k), "matmul");
        RETURN_IF_ERROR(multiply_planes(g, p, j, workspace, error));
        CUDA_TRY(cuda_exact_finish(g, c->dtype, j), "matmul");
    }
    return WEFT_OK;
}

weft_status cuda_matmul_exact(gpu *g, const matmul_call *c, const exact_plan *p, const matmul_factor *a,
                              const matmul_factor *b, void *to, void *workspace, weft_error *error) {
    char *const w = (char *)workspace;
    exact_params j;
    memset(&j, 0, sizeof j);
    j.a = *a, j.b = *b, j.c = to, j.ldc = c->ldc, j.stride_c = c->stride_c;
    j.m = c->m, j.n = c->n, j.k = c->k, j.alpha = c->alpha, j.beta = c->beta;
    j.magnitudes_a = w + p->magnitudes_a, j.magnitudes_b = w + p->magnitudes_b;
    j.planes_a = (int8_t *)(w + p->planes_a), j.planes_b = (int8_t *)(w + p->planes_b);
    j.sums = (int32_t *)(w + p->sums), j.wide = (uint64_t *)(w + p->wide);
    if (p->planes > EXACT_PLANES_HALF) set_moduli(&j.moduli, p->planes);
    j.items = c->batch;
    j.whole = p->terms >= c->k && cuda_exact_lines_fit(g, c->dtype, round_to(c->k, EXACT_TERM_PADDING));
    if (!j.whole) {
        CUDA_TRY(cudaMemsetAsync(w, 0, p->planes_a, g->stream), "matmul");
        CUDA_TRY(cuda_exact_magnitudes(g, c->dtype, &j), "matmul");
    }
    for (j.item = 0; j.item < c->batch; j.item += p->items)
        for (j.row = 0; j.row < c->m; j.row += p->rows)
            for (j.column = 0; j.column < c->n; j.column += p->columns) {
                j.items = at_most(p->items, c->batch - j.item);
                j.rows = at_most(p->rows, c->m - j.row);
                j.columns = at_most(p->columns, c->n - j.column);
                RETURN_IF_ERROR(run_block(g, c, p, &j, j.column == 0, w, error));
            }
    return WEFT_OK;
}
