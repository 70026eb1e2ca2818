/* The definition of weft_scatter_reduce and weft_scatter_count (ORDER.md 25). The rows of each target are listed in
 * ascending order; each column of the list is copied and reduced as an array of its own. */
#include "core/indices.h"
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const void *element(const void *x, weft_dtype dtype, size_t i) {
    return (const char *)x + i * weft_dtype_size(dtype);
}

/* Returns the target of row i, or m if its index is out of range. */
static size_t target(const scatter_reduce_call *c, size_t i) {
    const uint64_t index = ref_integer((array){c->index_dtype, c->index}, i);
    if (type_is_signed(c->index_dtype) && (int64_t)index < 0) return c->m;
    return index < c->m ? (size_t)index : c->m;
}

static weft_status check(const scatter_reduce_call *c, weft_error *error) {
    if (c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    for (size_t i = 0; i < c->n; i++)
        if (target(c, i) == c->m)
            return indices_fail(error, c->index_dtype, i, ref_integer((array){c->index_dtype, c->index}, i), c->m);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- one result */

/* Stores the result of no elements (25.1, 25.3). */
static void store_empty(const scatter_reduce_call *c, void *out) {
    const uint64_t ones = UINT64_MAX >> (64 - 8 * weft_dtype_size(c->result));
    const bool least = c->op == WEFT_MIN, is_extreme = least || c->op == WEFT_MAX;
    if (c->op == WEFT_MEAN)
        ref_store_real(c->result, NAN, out);
    else if (type_is_float(c->result))
        ref_store_real(c->result, is_extreme ? (least ? INFINITY : -INFINITY) : c->op == WEFT_PROD, out);
    else if (is_extreme && type_is_signed(c->result))
        ref_store_integer(c->result, least ? ones >> 1 : ~(ones >> 1), out);
    else
        ref_store_integer(c->result, least || c->op == WEFT_AND ? ones : c->op == WEFT_PROD, out);
}

/* Replaces *out by combine(*init, *out) (25.2). */
static weft_status combine(const scatter_reduce_call *c, const void *init, void *out, weft_error *error) {
    const array a = {c->result, init}, b = {c->result, out};
    if ((c->op == WEFT_SUM || c->op == WEFT_PROD) && type_is_float(c->result)) {
        const double p = ref_real(a, 0), q = ref_real(b, 0);
        if (c->result == WEFT_F32)
            ref_store_real(WEFT_F32, (double)(c->op == WEFT_SUM ? (float)p + (float)q : (float)p * (float)q), out);
        else
            ref_store_real(WEFT_F64, c->op == WEFT_SUM ? p + q : p * q, out);
        return WEFT_OK;
    }
    if (c->op == WEFT_SUM || c->op == WEFT_PROD) {
        const uint64_t p = ref_integer(a, 0), q = ref_integer(b, 0);
        ref_store_integer(c->result, c->op == WEFT_SUM ? p + q : p * q, out);
        return WEFT_OK;
    }
    char two[2 * sizeof(uint64_t)];
    const size_t size = weft_dtype_size(c->result);
    memcpy(two, init, size);
    memcpy(two + size, out, size);
    return ref_reduce(NULL, &(reduce_call){c->op, c->result, c->result, 2, two, out, NULL}, error);
}

/* Writes the result of column `column` of the rows rows[0..n) to *out. `copy` has capacity for n elements. */
static weft_status reduce_rows(const scatter_reduce_call *c, const size_t *rows, size_t n, size_t column,
                               const void *init, void *copy, void *out, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    if (n == 0 && init) {
        memmove(out, init, weft_dtype_size(c->result));
        return WEFT_OK;
    }
    if (n == 0) {
        store_empty(c, out);
        return WEFT_OK;
    }
    uint64_t result;
    for (size_t k = 0; k < n; k++)
        memcpy((char *)copy + k * size, element(c->x, c->dtype, rows[k] * c->columns + column), size);
    RETURN_IF_ERROR(ref_reduce(NULL, &(reduce_call){c->op, c->dtype, c->result, n, copy, &result, NULL}, error));
    if (init) RETURN_IF_ERROR(combine(c, init, &result, error));
    memcpy(out, &result, weft_dtype_size(c->result));
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------ all results */

/* Writes the rows of each target, ascending, to rows[starts[j]] ... rows[starts[j + 1] - 1]. starts has m + 2
 * numbers; the last list has the rows that are out of range. */
static void list_rows(const scatter_reduce_call *c, size_t *starts, size_t *rows) {
    for (size_t i = 0; i < c->n; i++)
        if (target(c, i) < c->m) starts[target(c, i) + 2]++;
    for (size_t j = 2; j < c->m + 2; j++) starts[j] += starts[j - 1];
    for (size_t i = 0; i < c->n; i++)
        if (target(c, i) < c->m) rows[starts[target(c, i) + 1]++] = i;
}

static weft_status reduce(const scatter_reduce_call *c, size_t *starts, size_t *rows, void *copy, weft_error *error) {
    list_rows(c, starts, rows);
    for (size_t j = 0; j < c->m; j++)
        for (size_t column = 0; column < c->columns; column++) {
            const size_t at = j * c->columns + column;
            RETURN_IF_ERROR(reduce_rows(c, rows + starts[j], starts[j + 1] - starts[j], column,
                                        c->init ? element(c->init, c->result, at) : NULL, copy,
                                        (void *)element(c->out, c->result, at), error));
        }
    return WEFT_OK;
}

weft_status ref_scatter_reduce(void *state, const scatter_reduce_call *c, weft_error *error) {
    (void)state;
    RETURN_IF_ERROR(check(c, error));
    if (c->m == 0 || c->columns == 0) return WEFT_OK;
    if (c->counts) {
        memset(c->counts, 0, c->m * sizeof *c->counts);
        for (size_t i = 0; i < c->n; i++)
            if (target(c, i) < c->m) c->counts[target(c, i)]++;
        return WEFT_OK;
    }
    RETURN_IF(c->m > SIZE_MAX - 2, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for %zu targets", c->m);
    size_t *const starts = calloc(c->m + 2, sizeof *starts), *const rows = calloc(c->n + 1, sizeof *rows);
    void *const copy = calloc(c->n + 1, sizeof(uint64_t));
    weft_status status = starts && rows && copy
                             ? reduce(c, starts, rows, copy, error)
                             : weft_fail(error, WEFT_OUT_OF_MEMORY,
                                         "cannot allocate host memory for %zu rows and %zu targets", c->n, c->m);
    free(copy);
    free(rows);
    free(starts);
    return status;
}
