/* weft_dist_matmul, weft_dist_matmul_blocks: the ranks are a grid, and each has a block of A, B and C. If only the
 * rows of a product are distributed, its grid has one column. Blocks of A are sent along the rows of the grid and
 * rows of B along its columns, a limited number of terms at a time. The chains of C's elements (ORDER.md 13.1)
 * continue from the sums of the earlier terms (R. van de Geijn, J. Watts, Concurrency 9, 1997; here sums are not
 * rounded in between). The division of k into parts (13.2) depends on the size of the whole product only. An exact
 * product (ORDER.md 31) needs the exponents of whole rows and columns: a rank collects those of its block of C. */
#include "core/byte_order.h"
#include "core/parts.h"
#include "core/types.h"
#include "dist/dist.h"

#include <inttypes.h>
#include <string.h>

enum {
    WORKSPACE_OF_A, /* a block of A of another rank */
    WORKSPACE_OF_B, /* a panel of rows of B */
    WORKSPACE_OF_SUMS,
    WORKSPACE_OF_ROWS = WORKSPACE_OF_SUMS, /* whole rows of A, for an exact product, which has no sums */
    WORKSPACE_OF_OWN_A, /* copies of the rank's own blocks in GPU memory, for NCCL, if they are in host memory */
    WORKSPACE_OF_OWN_B,
    LEAST_TERMS =
        1024 /* minimum number of terms per step, if A's blocks have that many: a step reads and writes all sums */
};

typedef struct product {
    weft_dist *d;
    const char *name;
    weft_dtype dtype, accumulate;
    size_t grid_rows, grid_columns; /* size of the grid, in ranks */
    size_t row, column;             /* position of this rank in the grid */
    weft_slice rows, columns;       /* rows and columns of this rank's block of C */
    size_t k, size;                 /* size: bytes of an element */
    const void *alpha, *beta;
    const char *a, *b;
    char *c;
    size_t part; /* terms of a part (ORDER.md 13.2) */
    char *sums;  /* sums of all parts, stored consecutively */
} product;

/* Return the terms, of k, of the blocks of A in a column of the grid, and of the blocks of B in a row of it. */
static weft_slice terms_of_a(const product *p, size_t column) {
    return weft_slice_share(p->k, (int)p->grid_columns, (int)column);
}

static weft_slice terms_of_b(const product *p, size_t row) {
    return weft_slice_share(p->k, (int)p->grid_rows, (int)row);
}

/* Returns the maximum number of rows of B that are fetched at a time. */
static size_t panel_of(const product *p) {
    if (p->accumulate == WEFT_EXACT_SUM) return p->k;
    const size_t share = terms_of_b(p, 0).count, most = terms_of_a(p, 0).count;
    const size_t terms = share > LEAST_TERMS ? share : LEAST_TERMS;
    return terms < most ? terms : most;
}

/* --------------------------------------------------------------------------------- bringing */

static void begin_list(const product *p) {
    memset(p->d->in, 0, (size_t)p->d->size * sizeof *p->d->in);
    memset(p->d->out, 0, (size_t)p->d->size * sizeof *p->d->out);
}

/* Sends the block of A from the ranks of grid column `from` to the other ranks of their grid rows. Sets *at to its
 * address on this rank. */
static weft_status fetch_a(const product *p, size_t from, const char **at) {
    weft_dist *const d = p->d;
    const bool mine = from == p->column;
    const extent all = {0, p->rows.count * terms_of_a(p, from).count * p->size};
    *at = mine ? p->a : d->workspaces[WORKSPACE_OF_A].at;
    if (p->grid_columns == 1) return WEFT_OK;
    begin_list(p);
    for (size_t q = 0; q < p->grid_columns; q++)
        if (mine && q != p->column) d->out[p->row * p->grid_columns + q] = all;
    if (!mine) d->in[p->row * p->grid_columns + from] = all;
    return dist_move(d, p->a, d->workspaces[WORKSPACE_OF_A].at);
}

/* Returns the byte range of rows [first, end) of B that the ranks in grid row `row` have, counted from row
 * `origin`. */
static extent overlap(const product *p, size_t row, uint64_t first, uint64_t end, uint64_t origin) {
    const weft_slice has = terms_of_b(p, row);
    const uint64_t bytes = (uint64_t)p->columns.count * p->size, stop = has.offset + has.count;
    if (first < has.offset) first = has.offset;
    if (end > stop) end = stop;
    return first < end ? (extent){(first - origin) * bytes, (end - origin) * bytes} : (extent){0, 0};
}

/* Fetches rows [first, end) of B, for this rank's columns. Sets *at to their address. */
static weft_status fetch_b(const product *p, uint64_t first, uint64_t end, const char **at) {
    weft_dist *const d = p->d;
    *at = p->grid_rows == 1 ? p->b + first * p->columns.count * p->size : d->workspaces[WORKSPACE_OF_B].at;
    if (p->grid_rows == 1) return WEFT_OK;
    begin_list(p);
    for (size_t row = 0; row < p->grid_rows; row++) {
        d->in[row * p->grid_columns + p->column] = overlap(p, row, first, end, first);
        d->out[row * p->grid_columns + p->column] = overlap(p, p->row, first, end, terms_of_b(p, p->row).offset);
    }
    return dist_move(d, p->b, d->workspaces[WORKSPACE_OF_B].at);
}

/* ---------------------------------------------------------------------------- this rank's block */

static double value_of(const product *p, const void *scalar, double none) {
    double wide = none;
    float narrow;
    if (scalar && p->dtype == WEFT_F64) memcpy(&wide, scalar, sizeof wide);
    if (scalar && p->dtype == WEFT_F32) wide = (double)*(const float *)memcpy(&narrow, scalar, sizeof narrow);
    return wide;
}

static weft_status multiply(const product *p, size_t k, const char *a, size_t lda, const char *b,
                            const matmul_step *step) {
    if (p->rows.count == 0 || p->columns.count == 0) return WEFT_OK;
    return dist_took(p->d,
                     weft_part_matmul(p->d->ctx, p->dtype, p->accumulate, p->part, p->rows.count, p->columns.count, k,
                                      value_of(p, p->alpha, 1), a, lda, b, value_of(p, p->beta, 0), p->c, step));
}

/* Adds terms [first, end) to the chains: first the terms that the current part still lacks, then whole parts. */
static weft_status take_terms(const product *p, uint64_t first, uint64_t end, const char *a, size_t lda,
                              const char *b) {
    const size_t sums = p->rows.count * p->columns.count * weft_dtype_size(p->accumulate);
    const uint64_t inside = first % p->part, left = inside ? p->part - inside : 0, count = end - first;
    const size_t head = (size_t)(left < count ? left : count);
    const matmul_step old = {MATMUL_GO_ON, p->sums + first / p->part * sums};
    const matmul_step new = {MATMUL_BEGIN, p->sums + (first + head) / p->part * sums};
    if (head) RETURN_IF_ERROR(multiply(p, head, a, lda, b, &old));
    if (head == count) return WEFT_OK;
    return multiply(p, (size_t)count - head, a + head * p->size, lda, b + head * p->columns.count * p->size, &new);
}

/* A rank that fails continues to exchange blocks with the others until the end. */
static weft_status take_all_terms(const product *p) {
    const size_t panel = panel_of(p);
    weft_status status = WEFT_OK;
    for (size_t column = 0; column < p->grid_columns; column++) {
        const weft_slice terms = terms_of_a(p, column);
        const char *a, *b;
        RETURN_IF_ERROR(fetch_a(p, column, &a));
        for (uint64_t at = terms.offset, end; at < terms.offset + terms.count; at = end) {
            end = terms.offset + terms.count - at < panel ? terms.offset + terms.count : at + panel;
            RETURN_IF_ERROR(fetch_b(p, at, end, &b));
            if (status == WEFT_OK) status = take_terms(p, at, end, a + (at - terms.offset) * p->size, terms.count, b);
        }
    }
    const matmul_step whole = {MATMUL_END, p->sums};
    if (status == WEFT_OK) status = multiply(p, p->k, NULL, p->k, NULL, &whole);
    return dist_finish(p->d, status);
}

/* --------------------------------------------------------------------------- an exact product */

/* Copies a block of A, with these terms, to its columns of whole rows. */
static weft_status insert_block(const product *p, weft_slice terms, const char *block, char *rows) {
    weft_dist *const d = p->d;
    const size_t width = terms.count * p->size;
    char *const copy = d->workspaces[WORKSPACE_OF_A].at;
    RETURN_IF_ERROR(dist_copy(d, p->rows.count * width, block, copy));
    for (size_t i = 0; i < p->rows.count; i++)
        RETURN_IF_ERROR(dist_took(
            d, weft_copy(d->ctx, width, copy + i * width, rows + (i * p->k + (size_t)terms.offset) * p->size)));
    return WEFT_OK;
}

/* Collects whole rows of A and whole columns of B and multiplies them at once. */
static weft_status multiply_exactly(const product *p) {
    char *const rows = p->d->workspaces[WORKSPACE_OF_ROWS].at;
    const char *a = p->a, *b;
    weft_status status = WEFT_OK;
    for (size_t column = 0; column < p->grid_columns; column++) {
        RETURN_IF_ERROR(fetch_a(p, column, &a));
        if (p->grid_columns > 1 && status == WEFT_OK) status = insert_block(p, terms_of_a(p, column), a, rows);
    }
    RETURN_IF_ERROR(fetch_b(p, 0, p->k, &b));
    if (status == WEFT_OK) status = multiply(p, p->k, p->grid_columns > 1 ? rows : a, p->k, b, NULL);
    return dist_finish(p->d, status);
}

/* ------------------------------------------------------------------------------- the product */

/* Copies a block to GPU memory if it is in host memory and blocks move by NCCL, which reads only device memory. */
static weft_status hold_own(weft_dist *d, size_t number, size_t bytes, const char **own) {
    char *copy;
    if (!d->blocks || bytes == 0 || weft_part_device_only(d->ctx, *own)) return WEFT_OK;
    RETURN_IF_ERROR(dist_workspace(d, number, bytes, &copy));
    RETURN_IF_ERROR(dist_copy(d, bytes, *own, copy));
    *own = copy;
    return WEFT_OK;
}

static weft_status hold_workspaces(product *p) {
    weft_dist *const d = p->d;
    const size_t sum = weft_dtype_size(p->accumulate);
    const size_t parts = ceil_div(p->k, p->part), m = p->rows.count, n = p->columns.count;
    char *at;
    if (p->grid_columns > 1) {
        RETURN_IF_ERROR(dist_workspace(d, WORKSPACE_OF_A, m * terms_of_a(p, 0).count * p->size, &at));
        RETURN_IF_ERROR(hold_own(d, WORKSPACE_OF_OWN_A, m * terms_of_a(p, p->column).count * p->size, &p->a));
    }
    if (p->grid_rows > 1) {
        RETURN_IF_ERROR(dist_workspace(d, WORKSPACE_OF_B, panel_of(p) * n * p->size, &at));
        RETURN_IF_ERROR(hold_own(d, WORKSPACE_OF_OWN_B, terms_of_b(p, p->row).count * n * p->size, &p->b));
    }
    if (p->accumulate == WEFT_EXACT_SUM)
        return dist_workspace(d, WORKSPACE_OF_ROWS, p->grid_columns > 1 ? m * p->k * p->size : 0, &at);
    return dist_workspace(d, WORKSPACE_OF_SUMS, parts * m * n * sum, &p->sums);
}

/* Computes the product. The whole product is m x n. */
static weft_status run_product(product *p, uint64_t m, uint64_t n) {
    weft_dist *const d = p->d;
    if (m == 0 || n == 0) return WEFT_OK;
    if (value_of(p, p->alpha, 1) == 0) p->k = 0;
    if (p->k == 0 && value_of(p, p->beta, 0) == 1) return WEFT_OK;
    const bool exact = p->accumulate == WEFT_EXACT_SUM && p->k;
    if (!p->k && p->accumulate == WEFT_EXACT_SUM) p->accumulate = p->dtype; /* only beta C */
    p->part = !p->k ? 0 : exact ? p->k : weft_matmul_part((size_t)m, (size_t)n, p->k);
    if (p->k == 0 || d->size == 1) return dist_finish(d, multiply(p, p->k, p->a, p->k, p->b, NULL));
    RETURN_IF_ERROR(dist_agree(d, hold_workspaces(p)));
    return exact ? multiply_exactly(p) : take_all_terms(p);
}

/* ---------------------------------------------------------------------------------- the grid */

/* Position and size of a rank's block, sent to all ranks. */
typedef struct part_of_product {
    uint64_t rows, first_row, columns, first_column, all_columns;
} part_of_product;

_Static_assert(sizeof(part_of_product) <= ROOTS_MAX * ROOT_VALUES * sizeof(uint64_t),
               "d->roots is large enough for all ranks");

static bool is_other(uint64_t told, uint64_t is) { return told != WEFT_NOT_GIVEN && told != is; }

/* Checks the blocks of all ranks. Ranks in a row of the grid must have the rows of the first rank of that row. Ranks
 * in a column must have the columns of the first rank of that column. Sets *n to the total number of columns. */
static weft_status check_parts(const product *p, const part_of_product *all, uint64_t *n) {
    weft_error *error = &p->d->error;
    const size_t across = p->grid_columns;
    *n = 0;
    for (size_t q = 0; q < across; q++) {
        RETURN_IF(all[q].columns > (uint64_t)PTRDIFF_MAX - *n, WEFT_INVALID,
                  "%s: the slices up to column %zu of the grid have more than 2^63 - 1 columns", p->name, q);
        for (size_t r = q; r < (size_t)p->d->size; r += across) {
            RETURN_IF(all[r].columns != all[q].columns, WEFT_INVALID,
                      "%s: rank %zu has %" PRIu64 " columns and rank %zu %" PRIu64
                      ": both are in the same column of the grid",
                      p->name, q, all[q].columns, r, all[r].columns);
            RETURN_IF(is_other(all[r].first_column, *n), WEFT_INVALID,
                      "%s: the columns of rank %zu begin at %" PRIu64 ", but those before end at %" PRIu64, p->name,
                      r, all[r].first_column, *n);
        }
        *n += all[q].columns;
    }
    for (size_t r = 0; r < (size_t)p->d->size; r++) {
        const size_t first = r / across * across;
        RETURN_IF(all[r].rows != all[first].rows, WEFT_INVALID,
                  "%s: rank %zu has %" PRIu64 " rows and rank %zu %" PRIu64 ": both are in the same row of the grid",
                  p->name, first, all[first].rows, r, all[r].rows);
        RETURN_IF(is_other(all[r].first_row, p->d->begin[first]), WEFT_INVALID,
                  "%s: the rows of rank %zu begin at %" PRIu64 ", but those before end at %" PRIu64, p->name, r,
                  all[r].first_row, p->d->begin[first]);
        RETURN_IF(is_other(all[r].all_columns, *n), WEFT_INVALID,
                  "%s: the slices have %" PRIu64 " columns in total, but rank %zu specified %" PRIu64, p->name, *n, r,
                  all[r].all_columns);
    }
    return WEFT_OK;
}

static weft_status agree_on_parts(const product *p, uint64_t *n) {
    const part_of_product own = {p->rows.count, p->rows.offset, p->columns.count, p->columns.offset,
                                 p->columns.total};
    RETURN_IF_ERROR(dist_gather(p->d, &own, p->d->roots, sizeof own, "comparing blocks"));
    return check_parts(p, (const part_of_product *)p->d->roots, n);
}

/* ------------------------------------------------------------------------------- the call */

static weft_status check_size(weft_dist *d, const char *name, size_t rows, size_t width, size_t size) {
    weft_error *error = &d->error;
    RETURN_IF(width && rows > SIZE_MAX / 2 / size / width, WEFT_INVALID,
              "%s: %zu x %zu elements do not fit in memory", name, rows, width);
    return WEFT_OK;
}

/* Checks the blocks of this rank. Blocks of other ranks, which it fetches, have at most one row or column more. */
static weft_status check_product(const product *p) {
    weft_dist *const d = p->d;
    weft_error *error = &d->error;
    const size_t size = weft_dtype_size(p->dtype), m = p->rows.count, n = p->columns.count;
    RETURN_IF(type_is_half(p->dtype), WEFT_UNSUPPORTED, "products over ranks require f32 or f64 elements, not %s",
              weft_dtype_name(p->dtype));
    RETURN_IF_ERROR(dist_took(d, weft_matmul(d->ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, p->dtype,
                                             p->accumulate, 0, 1, 1, p->alpha, NULL, 1, NULL, 1, p->beta, NULL, 1)));
    RETURN_IF_ERROR(check_size(d, "A", m, p->accumulate == WEFT_EXACT_SUM ? p->k : terms_of_a(p, 0).count, size));
    RETURN_IF_ERROR(
        check_size(d, "B", terms_of_b(p, 0).count > panel_of(p) ? terms_of_b(p, 0).count : panel_of(p), n, size));
    RETURN_IF_ERROR(check_size(d, "C", m, n, sizeof(double)));
    const size_t a = m * terms_of_a(p, p->column).count, b = terms_of_b(p, p->row).count * n, c = m * n;
    RETURN_IF_ERROR(dist_check_array(d, "A", p->a, a, size));
    RETURN_IF_ERROR(dist_check_array(d, "B", p->b, b, size));
    RETURN_IF_ERROR(dist_check_array(d, "C", p->c, c, size));
    RETURN_IF_ERROR(dist_check_apart(d, "C", p->c, c * size, "A", p->a, a * size));
    return dist_check_apart(d, "C", p->c, c * size, "B", p->b, b * size);
}

static uint64_t bits_of(weft_status checked, const void *scalar, size_t size) {
    return checked == WEFT_OK && scalar ? bits_load(scalar, size) : 0;
}

/* n: number of columns passed by every rank, or 0 if each passed its own. status: result of lay_grid. */
static weft_status run_call(product *p, size_t n, weft_status status) {
    weft_slice rows = p->rows;
    uint64_t columns;
    if (status == WEFT_OK) status = check_product(p);
    const agreed list[] = {
        {"dtype", AS_TYPE, p->dtype},
        {"accumulate", AS_TYPE, p->accumulate},
        {"the number of ranks in a row of the grid", AS_NUMBER, p->grid_columns},
        {"n", AS_NUMBER, n},
        {"k", AS_NUMBER, p->k},
        {"the number of scalars", AS_NUMBER, (uint64_t)((p->alpha != NULL) + 2 * (p->beta != NULL))},
        {"alpha", AS_BITS, bits_of(status, p->alpha, p->size)},
        {"beta", AS_BITS, bits_of(status, p->beta, p->size)}};
    if (p->column > 0) rows = (weft_slice){0, WEFT_NOT_GIVEN, p->rows.total};
    RETURN_IF_ERROR(dist_begin(p->d, p->name, list, 8, rows, status));
    RETURN_IF_ERROR(agree_on_parts(p, &columns));
    if (p->accumulate == WEFT_DEFAULT) p->accumulate = p->dtype;
    return run_product(p, dist_total(p->d), columns);
}

/* Lays out the ranks as a grid with `across` ranks per row. If `across` is invalid, the grid has one column. */
static weft_status lay_grid(product *p, size_t across) {
    const weft_status status = dist_check_grid(p->d, across);
    if (status != WEFT_OK) across = 1;
    p->grid_columns = across;
    p->grid_rows = (size_t)p->d->size / across;
    p->row = (size_t)p->d->rank / across;
    p->column = (size_t)p->d->rank % across;
    return status;
}

weft_status weft_dist_matmul_blocks(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, size_t across,
                                    weft_slice rows, weft_slice columns, size_t k, const void *alpha, const void *a,
                                    const void *b, const void *beta, void *c) {
    if (!d) return WEFT_INVALID;
    product p = {.d = d,
                 .name = "matmul_blocks",
                 .dtype = dtype,
                 .accumulate = accumulate,
                 .rows = rows,
                 .columns = columns,
                 .k = k,
                 .size = weft_dtype_size(dtype),
                 .alpha = alpha,
                 .beta = beta,
                 .a = a,
                 .b = b,
                 .c = c};
    return run_call(&p, 0, lay_grid(&p, across));
}

weft_status weft_dist_matmul(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice rows, size_t n,
                             size_t k, const void *alpha, const void *a, const void *b, const void *beta, void *c) {
    if (!d) return WEFT_INVALID;
    product p = {.d = d,
                 .name = "matmul",
                 .dtype = dtype,
                 .accumulate = accumulate,
                 .rows = rows,
                 .columns = {n, 0, n},
                 .k = k,
                 .size = weft_dtype_size(dtype),
                 .alpha = alpha,
                 .beta = beta,
                 .a = a,
                 .b = b,
                 .c = c};
    return run_call(&p, n, lay_grid(&p, 1));
}
