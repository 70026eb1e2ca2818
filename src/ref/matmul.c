/* The definition of weft_matmul (ORDER.md 13). */
#include "ref/array.h"
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

/* Returns the sum of a part that is kept between the calls for pieces of a product. */
static array kept_sum(const matmul_call *c, size_t part, size_t i, size_t j) {
    const size_t at = (part * c->m + i) * c->n + j;
    return (array){c->accumulate, (char *)c->piece->sums + at * weft_dtype_size(c->accumulate)};
}

static double sum_part(const matmul_call *c, size_t item, size_t i, size_t j, size_t part) {
    const size_t begin = part * c->part;
    if (c->piece && c->piece->stage == MATMUL_END) return ref_real(kept_sum(c, part, i, j), 0);
    double s = c->piece && c->piece->stage == MATMUL_GO_ON ? ref_real(kept_sum(c, part, i, j), 0) : 0;
    for (size_t l = begin; l < c->k && l - begin < c->part; l++)
        s = step(c->accumulate, element(c, &c->a, item, i, l), element(c, &c->b, item, l, j), s);
    return s;
}

/* Returns the sum of parts first .. first + count - 1 of element (i, j). Adjacent parts are added in pairs; a part
 * without a partner moves up unchanged. */
static double sum_parts(const matmul_call *c, size_t item, size_t i, size_t j, size_t first, size_t count) {
    if (count > 1) {
        size_t left = 1;
        while (left * 2 < count) left *= 2;
        const double a = sum_parts(c, item, i, j, first, left);
        return combine(c->accumulate, a, sum_parts(c, item, i, j, first + left, count - left));
    }
    return sum_part(c, item, i, j, first);
}

/* Stores the sums unchanged: a NaN keeps its bits. */
static void keep_sums(const matmul_call *c, size_t i, size_t j) {
    for (size_t part = 0; part <= (c->k - 1) / c->part; part++) {
        const double s = sum_part(c, 0, i, j, part);
        const float narrow = (float)s;
        const bool f32 = c->accumulate == WEFT_F32;
        memcpy((void *)(uintptr_t)kept_sum(c, part, i, j).p, f32 ? (const void *)&narrow : &s, f32 ? 4 : 8);
    }
}

static void one_element(const matmul_call *c, size_t item, size_t i, size_t j) {
    void *const at = (char *)c->c + (item * c->stride_c + i * c->ldc + j) * weft_dtype_size(c->dtype);
    const double before = c->beta == 0 ? 0 : times(c->accumulate, c->beta, ref_real((array){c->dtype, at}, 0));
    if (c->k == 0) {
        ref_store_real(c->dtype, before, at);
        return;
    }
    const double s = sum_parts(c, item, i, j, 0, (c->k - 1) / c->part + 1);
    ref_store_real(c->dtype,
                   c->beta == 0 ? times(c->accumulate, c->alpha, s) : step(c->accumulate, c->alpha, s, before), at);
}

weft_status ref_matmul(void *state, const matmul_call *c, weft_error *error) {
    (void)state, (void)error;
    for (size_t item = 0; item < c->batch; item++)
        for (size_t i = 0; i < c->m; i++)
            for (size_t j = 0; j < c->n; j++) {
                if (c->piece && c->piece->stage != MATMUL_END)
                    keep_sums(c, i, j);
                else
                    one_element(c, item, i, j);
            }
    return WEFT_OK;
}
