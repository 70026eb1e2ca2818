/* The definition of weft_matmul (ORDER.md 13). */
#include "ref/matmul.h"
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns element (i, j) of a factor of product number `item`. */
static double element(const matmul_call *c, const matmul_operand *x, size_t item, size_t i, size_t j) {
    const size_t at = x->transposed ? j * x->ld + i : i * x->ld + j;
    return ref_real((array){c->dtype, x->p}, item * x->stride + at);
}

/* The step of a chain, the sum of two chains, and a product: in f32 or in f64. */
static double step(weft_dtype type, double a, double b, double s) {
    return type == WEFT_F32 ? (double)fmaf((float)a, (float)b, (float)s) : fma(a, b, s);
}

static double combine(weft_dtype type, double a, double b) {
    return type == WEFT_F32 ? (double)((float)a + (float)b) : a + b;
}

static double times(weft_dtype type, double a, double b) {
    return type == WEFT_F32 ? (double)((float)a * (float)b) : a * b;
}

double ref_matmul_chain(const matmul_call *c, size_t item, size_t i, size_t j, size_t part, double s) {
    const size_t begin = part * c->part;
    for (size_t l = begin; l < c->k && l - begin < c->part; l++)
        s = step(c->accumulate, element(c, &c->a, item, i, l), element(c, &c->b, item, l, j), s);
    return s;
}

/* Returns the sum of parts first .. first + count - 1. */
static double sum_parts(const matmul_call *c, sum_of_part sum, const void *from, size_t first, size_t count) {
    if (count > 1) {
        size_t left = 1;
        while (left * 2 < count) left *= 2;
        const double a = sum_parts(c, sum, from, first, left);
        return combine(c->accumulate, a, sum_parts(c, sum, from, first + left, count - left));
    }
    return sum(from, first);
}

/* An element of C. */
typedef struct position {
    const matmul_call *call;
    size_t item, i, j;
} position;

static double sum_part(const void *of, size_t part) {
    const position *p = of;
    return ref_matmul_chain(p->call, p->item, p->i, p->j, part, 0);
}

void ref_matmul_store(const matmul_call *c, size_t item, size_t i, size_t j, sum_of_part sum, const void *from) {
    void *const at = (char *)c->c + (item * c->stride_c + i * c->ldc + j) * weft_dtype_size(c->dtype);
    const double before = c->beta == 0 ? 0 : times(c->accumulate, c->beta, ref_real((array){c->dtype, at}, 0));
    if (c->k == 0) {
        ref_store_real(c->dtype, before, at);
        return;
    }
    const double s = sum_parts(c, sum, from, 0, (c->k - 1) / c->part + 1);
    ref_store_real(c->dtype,
                   c->beta == 0 ? times(c->accumulate, c->alpha, s) : step(c->accumulate, c->alpha, s, before), at);
}

weft_status ref_matmul(void *state, const matmul_call *c, weft_error *error) {
    (void)state;
    if (c->accumulate == WEFT_EXACT_SUM) return ref_matmul_exact(c, error);
    for (size_t item = 0; item < c->batch; item++)
        for (size_t i = 0; i < c->m; i++)
            for (size_t j = 0; j < c->n; j++) ref_matmul_store(c, item, i, j, sum_part, &(position){c, item, i, j});
    return WEFT_OK;
}
