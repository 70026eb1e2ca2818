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

/* Replaces *out by combine(*init, *out) (25.2): the reduction of these two values. */
static weft_status combine(const scatter_reduce_call *c, const void *init, void *out, weft_error *error) {
    char two[2 * sizeof(uint64_t)];
    const size_t size = weft_dtype_size(c->result);
    memcpy(two, init, size);
    memcpy(two + size, out, size);
    return ref_reduce(NULL, &(reduce_call){c->op, c->result, c->result, 2, two, out, NULL}, error);
}

/* Stores the exact sum of x[0..n), n >= 1, or their mean (30.2). */
static weft_status sum_exactly(const scatter_reduce_call *c, const void *x, size_t n, void *out, weft_error *error) {
    const exact_finish finish = c->op == WEFT_MEAN ? EXACT_MEAN : EXACT_TOTAL;
    return ref_exact(NULL, &(exact_call){.finish = finish, .dtype = c->dtype, .n = n, .x = x, .out = out}, error);
}

/* Reduces the elements x[0..n) of a target to *out (25.1, 25.3). */
static weft_status reduce_elements(const scatter_reduce_call *c, const void *x, size_t n, void *out,
                                   weft_error *error) {
    const uint64_t offsets[] = {0, n};
    const segmented_call segment = {.op = c->op,
                                    .dtype = c->dtype,
                                    .result = c->result,
                                    .n = n,
                                    .x = x,
                                    .y = out,
                                    .source = SEGMENTS_BY_OFFSETS,
                                    .segments = 1,
                                    .offsets = offsets};
    if (c->op != WEFT_MEAN) return ref_segmented(NULL, &segment, error);
    if (n > 0) return ref_reduce(NULL, &(reduce_call){c->op, c->dtype, c->result, n, x, out, NULL}, error);
    ref_store_real(c->result, NAN, out);
    return WEFT_OK;
}

/* Writes the result of column `column` of the rows rows[0..n) to *out. `copy` has capacity for n elements. */
static weft_status reduce_rows(const scatter_reduce_call *c, const size_t *rows, size_t n, size_t column,
                               const void *init, void *copy, void *out, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    if (n == 0 && init) {
        memmove(out, init, weft_dtype_size(c->result));
        return WEFT_OK;
    }
    uint64_t result;
    for (size_t k = 0; k < n; k++)
        memcpy((char *)copy + k * size, element(c->x, c->dtype, rows[k] * c->columns + column), size);
    if (c->exact && n > 0) {
        if (init) memcpy((char *)copy + n * size, init, size);
        return sum_exactly(c, copy, init ? n + 1 : n, out, error);
    }
    RETURN_IF_ERROR(reduce_elements(c, copy, n, &result, error));
    if (init) RETURN_IF_ERROR(combine(c, init, &result, error));
    memcpy(out, &result, weft_dtype_size(c->result));
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------ all results */

/* Writes the rows of each target, ascending, to rows[starts[j]] ... rows[starts[j + 1] - 1]. Rows out of range are in
 * no list. starts has m + 2 numbers, initially 0; the last one is used while the lists are written. */
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
