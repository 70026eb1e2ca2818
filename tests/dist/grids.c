#include "tests/dist/grids.h"

#include <stdlib.h>
#include <string.h>

/* A product, and its result on one process. */
typedef struct product {
    weft_dtype dtype, accumulate;
    size_t m, n, k, size;
    const void *alpha, *beta;
    char *a, *b, *before, *after; /* before: C before the product; after: C after it */
} product;

static product make_product(world *w, weft_dtype dtype, weft_dtype accumulate, size_t m, size_t n, size_t k) {
    static const float narrow[] = {-1.5F, 0.25F, 0, 1};
    static const double wide[] = {-1.5, 0.25, 0, 1};
    const char *const scalars = dtype == WEFT_F32 ? (const char *)narrow : (const char *)wide;
    const size_t size = weft_dtype_size(dtype), kind = world_draw(w) % 4;
    product p = {dtype, accumulate, m, n, k, size, NULL, NULL, NULL, NULL, NULL, NULL};
    if (kind > 0) p.alpha = scalars + (kind == 2 && world_draw(w) % 4 == 0 ? 2 * size : 0);
    if (kind > 1) p.beta = scalars + (kind == 3 ? 3 : 1) * size;
    p.a = world_array(w, dtype, m * k);
    p.b = world_array(w, dtype, k * n);
    p.before = world_array(w, dtype, m * n);
    p.after = world_memory(m * n, size);
    memcpy(p.after, p.before, m * n * size);
    (void)weft_matmul(w->alone, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, m, n, k,
                      p.alpha, p.a, k ? k : 1, p.b, n, p.beta, p.after, n);
    return p;
}

static void free_product(const product *p) {
    free(p->a);
    free(p->b);
    free(p->before);
    free(p->after);
}

/* Returns a contiguous copy of some rows and columns of a matrix whose rows are `width` elements. The caller must
 * free it. */
static char *block_of(const char *whole, size_t width, weft_slice rows, weft_slice columns, size_t size) {
    char *const block = world_memory(rows.count * columns.count, size);
    for (size_t i = 0; i < rows.count && columns.count; i++)
        memcpy(block + i * columns.count * size, whole + ((rows.offset + i) * width + columns.offset) * size,
               columns.count * size);
    return block;
}

/* Returns a copy of such a block in memory that the device can access, valid until the next cut. */
static char *put_block(world *w, const product *p, const char *whole, size_t width, weft_slice rows,
                       weft_slice columns) {
    const size_t bytes = rows.count * columns.count * p->size;
    char *const block = block_of(whole, width, rows, columns, p->size), *const at = world_result(w, bytes, 1);
    if (bytes && weft_copy(w->ctx, bytes, block, at) != WEFT_OK) abort();
    free(block);
    return at;
}

static void expect_block(world *w, const product *p, weft_status status, int across, weft_slice rows,
                         weft_slice columns, const char *c) {
    char *const one = block_of(p->after, p->n, rows, columns, p->size);
    const bool same = status == WEFT_OK && world_same(w, rows.count * columns.count * p->size, one, c);
    world_expect(w, same, "matmul in %s, %zu x %zu x %zu, %d ranks in a row of the grid", weft_dtype_name(p->dtype),
                 p->m, p->n, p->k, across);
    free(one);
}

/* Randomly omits the optional members of a slice. */
static weft_slice told(world *w, weft_slice whole) {
    const uint64_t r = world_draw(w);
    if (r & 1) whole.offset = WEFT_NOT_GIVEN;
    if (r & 2) whole.total = WEFT_NOT_GIVEN;
    return whole;
}

static weft_slice part_of(const cut *c, int part) {
    return (weft_slice){c->begin[part + 1] - c->begin[part], c->begin[part], c->total};
}

static void check_blocks(world *w, const product *p, int across) {
    (void)world_cut(w, 0); /* starts the check */
    const cut by_rows = world_cut_in(w, p->m, w->size / across), by_columns = world_cut_in(w, p->n, across);
    const int row = w->rank / across, column = w->rank % across;
    const weft_slice rows = part_of(&by_rows, row), columns = part_of(&by_columns, column);
    const weft_slice a_terms = weft_slice_share(p->k, across, column);
    const weft_slice b_terms = weft_slice_share(p->k, w->size / across, row);
    char *const a = put_block(w, p, p->a, p->k, rows, a_terms);
    char *const b = put_block(w, p, p->b, p->n, b_terms, columns);
    char *const c = put_block(w, p, p->before, p->n, rows, columns);
    expect_block(w, p,
                 weft_dist_matmul_blocks(w->d, p->dtype, p->accumulate, (size_t)across, told(w, rows),
                                         told(w, columns), p->k, p->alpha, a, b, p->beta, c),
                 across, rows, columns, c);
}

static void check_rows(world *w, const product *p) {
    const cut by_rows = world_cut(w, p->m);
    const weft_slice rows = world_slice(w, &by_rows), all = {p->n, 0, p->n}, terms = {p->k, 0, p->k};
    char *const a = put_block(w, p, p->a, p->k, rows, terms);
    char *const b = put_block(w, p, p->b, p->n, weft_dist_share(w->d, p->k), all);
    char *const c = put_block(w, p, p->before, p->n, rows, all);
    expect_block(w, p, weft_dist_matmul(w->d, p->dtype, p->accumulate, rows, p->n, p->k, p->alpha, a, b, p->beta, c),
                 1, rows, all, c);
}

/* Checks a product by rows, and on every grid. */
static void check_product(world *w, weft_dtype dtype, weft_dtype accumulate, size_t m, size_t n, size_t k) {
    const product p = make_product(w, dtype, accumulate, m, n, k);
    check_rows(w, &p);
    for (int across = 1; across <= w->size; across++)
        if (w->size % across == 0) check_blocks(w, &p, across);
    free_product(&p);
}

void check_products(world *w, bool few) {
    for (int i = 0; i < 4; i++) {
        check_product(w, WEFT_F32, WEFT_F64, 37, 5, 2);
        check_product(w, WEFT_F32, WEFT_DEFAULT, 3, 1, 700); /* three parts */
        check_product(w, WEFT_F64, WEFT_DEFAULT, 1, 17, 1000);
        check_product(w, WEFT_F32, WEFT_DEFAULT, 30, 20, 1100); /* two parts */
        check_product(w, WEFT_F64, WEFT_DEFAULT, 9, 40, 17);
        check_product(w, WEFT_F32, WEFT_DEFAULT, 0, 4, 8);
        check_product(w, WEFT_F32, WEFT_DEFAULT, 8, 0, 8);
        check_product(w, WEFT_F32, WEFT_DEFAULT, 8, 4, 0);
        check_product(w, WEFT_F32, WEFT_EXACT_SUM, 30, 20, 70);
        check_product(w, WEFT_F64, WEFT_EXACT_SUM, 2, 33, 19);
        check_product(w, WEFT_F32, WEFT_EXACT_SUM, 7, 1, 2); /* blocks without rows and without terms */
        check_product(w, WEFT_F64, WEFT_EXACT_SUM, 8, 4, 0);
    }
    if (few) return;
    for (int i = 0; i < 3; i++) {
        check_product(w, WEFT_F64, WEFT_DEFAULT, 300, 40, 3000);
        check_product(w, WEFT_F32, WEFT_F64, 100, 130, 5000);
        check_product(w, WEFT_F32, WEFT_DEFAULT, 50, 70, 9000);
        check_product(w, WEFT_F64, WEFT_DEFAULT, 1, 17, 5000);
        check_product(w, WEFT_F32, WEFT_EXACT_SUM, 130, 70, 3001);
        check_product(w, WEFT_F64, WEFT_EXACT_SUM, 67, 41, 1003);
    }
    check_product(w, WEFT_F32, WEFT_DEFAULT, 2049, 2048, 130); /* one part; a rank's block alone has two */
    check_product(w, WEFT_F32, WEFT_DEFAULT, 9000, 500, 1100);
}
