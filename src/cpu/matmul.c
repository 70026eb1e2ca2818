/* weft_matmul on the CPU (ORDER.md 13).
 *
 * C is split into blocks, which threads take in order. For each block, panels of B with at most a few hundred terms
 * are packed, then panels of some rows of A, both in the order in which the kernel reads them. The kernel processes
 * them tile by tile (K. Goto, R. van de Geijn, ACM TOMS 34, 2008; F. Van Zee, R. van de Geijn, ACM TOMS 41, 2015).
 * A tile continues from the sums of the preceding terms, so blocking k for the caches does not change the results.
 * If the canonical order splits k into parts (13.2), each block belongs to one part, and the sums of the parts are
 * combined at the end. A matrix-vector product reads A once and in place. An exact product (ORDER.md 31) has no
 * parts; the exponents of the rows and columns are found first. */
#include "arith/exact_product.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    SLICE_VALUES = 1 << 12, /* values of the parts' sums that are combined at a time */
    SUMS_MAX = 1 << 22,     /* maximum values of parts' sums stored at a time, unless one product has more */
    BLOCK_ROWS = 1152,      /* maximum rows of a block */
    /* Matrix-vector products: maximum terms of the vector that are packed at a time, and maximum rows of a block if a
     * row or a column of A is contiguous. */
    WINDOW_TERMS = 1 << 14,
    ROW_BLOCK_ROWS = 256,
    COLUMN_BLOCK_ROWS = 1 << 12,
    EXPONENT_LANES = 256 /* lanes of an exact product whose exponents are found at a time */
};

/* Block sizes (matmul.def). */
typedef struct variant {
    size_t terms;   /* terms per panel: a panel of B fits in the L1 cache */
    size_t rows;    /* rows of A packed at a time: they fit in the L2 cache */
    size_t columns; /* maximum columns of a block */
} variant;

static const variant SUMS_OF_F32[] = {
#define SUMS_F32
#define VARIANT(terms, rows, columns) {terms, rows, columns},
#include "cpu/matmul.def"
};
static const variant SUMS_OF_F64[] = {
#define SUMS_F64
#define VARIANT(terms, rows, columns) {terms, rows, columns},
#include "cpu/matmul.def"
};

typedef struct plan {
    matmul_call c;           /* the call, transposed to n = 1 if m = 1 */
    const matmul_step *step; /* the stage to compute instead of the whole product, or NULL */
    const matmul_kernel *kernel;
    const matmul_shape *shape;
    variant variant;
    size_t element;                               /* bytes of an element */
    bool exact;                                   /* accumulate = WEFT_EXACT_SUM */
    int *row_exponents, *column_exponents;        /* of an exact product: m and n of each product */
    size_t terms;                                 /* terms processed at a time */
    size_t cache_rows, block_rows, block_columns; /* multiples of the shape's rows or columns */
    size_t row_blocks, column_blocks, parts;
    size_t item_parts, part_blocks; /* consecutive parts that a block contains, and the number of such ranges */
    bool by_rows, by_columns;       /* matrix-vector product, rows or columns of A are contiguous */
    size_t packed_a, packed_b, block_sums, thread; /* bytes of one thread's buffers, and their sum */
    char *workspace;                               /* workspace: the buffers of thread 0, thread 1, ... */
    char *sums;                                    /* sums of the parts: m x n per part, product after product */
    size_t slots;                                  /* products whose sums are stored at a time */
    bool keeps;                                    /* chains end in `sums`, not in C */
    /* resumes: chains start from `sums`. runs: there are chains to compute. ends: `sums` are combined and written
     * to C. */
    bool resumes, runs, ends;
} plan;

/* ----------------------------------------------------------------------------------- the plan */

/* Transposes a product with one row to one with one column: C' = B' A'. */
static void turn_row(matmul_call *c) {
    const matmul_operand a = c->a;
    if (c->m != 1 || c->n == 1) return;
    c->a = (matmul_operand){c->b.p, c->b.ld, c->b.stride, !c->b.transposed};
    c->b = (matmul_operand){a.p, a.ld, a.stride, !a.transposed};
    c->m = c->n;
    c->n = 1;
    c->ldc = 1;
}

/* Transposes an exact product with one column to one with one row, which wastes less of a tile. */
static void turn_column(matmul_call *c) {
    const matmul_operand a = c->a;
    if (c->n != 1 || c->m == 1 || c->ldc != 1) return;
    c->a = (matmul_operand){c->b.p, c->b.ld, c->b.stride, !c->b.transposed};
    c->b = (matmul_operand){a.p, a.ld, a.stride, !a.transposed};
    c->n = c->m;
    c->m = 1;
    c->ldc = c->n;
}

/* Returns the size of equal chunks of n: at most `most`, which is a multiple of `multiple`. */
static size_t even(size_t n, size_t most, size_t multiple) {
    return round_up(ceil_div(n, ceil_div(n, most)), multiple);
}

/* Chooses the block sizes: halves them while there are fewer than two blocks per thread. */
static void cut(plan *p, size_t threads) {
    const matmul_call *c = &p->c;
    const size_t rows = p->shape->rows, columns = p->shape->columns;
    for (;;) {
        p->row_blocks = ceil_div(c->m, p->block_rows);
        p->column_blocks = ceil_div(c->n, p->block_columns);
        const bool enough = threads == 1 || p->row_blocks * p->column_blocks >= 2 * threads ||
                            p->row_blocks * p->column_blocks * p->parts * c->batch >= 2 * threads;
        const size_t half_rows = round_up(ceil_div(min_u64(p->block_rows, c->m), 2), rows);
        const size_t half_columns = round_up(ceil_div(min_u64(p->block_columns, c->n), 2), columns);
        const bool by_rows = half_rows < p->block_rows && p->block_rows >= 8 * rows;
        const bool by_columns = half_columns < p->block_columns && p->block_columns >= 4 * columns;
        if (enough || (!by_rows && !by_columns)) break;
        if (by_rows && (!by_columns || min_u64(p->block_rows, c->m) >= min_u64(p->block_columns, c->n)))
            p->block_rows = half_rows;
        else
            p->block_columns = half_columns;
    }
    p->block_rows = even(c->m, p->block_rows, rows);
    p->block_columns = even(c->n, p->block_columns, columns);
    p->cache_rows = even(p->block_rows, p->cache_rows, rows);
}

/* Chooses the blocks of run_rows: of all parts within WINDOW_TERMS, if that leaves enough blocks for the threads. */
static void cut_rows(plan *p, size_t threads) {
    const matmul_call *c = &p->c;
    p->item_parts = min_u64(c->part < WINDOW_TERMS ? WINDOW_TERMS / c->part : 1, p->parts);
    p->column_blocks = 1;
    for (;;) {
        p->row_blocks = ceil_div(c->m, p->block_rows);
        p->part_blocks = ceil_div(p->parts, p->item_parts);
        if (threads == 1 || p->row_blocks * p->part_blocks * c->batch >= 4 * threads) break;
        if (p->item_parts == 1 && p->block_rows == p->shape->rows) break;
        if (p->item_parts > 1)
            p->item_parts = ceil_div(p->item_parts, 2);
        else
            p->block_rows = round_up(p->block_rows / 2, p->shape->rows);
    }
}

/* Returns the maximum number of rows of a group. */
static size_t rows_of_groups(const plan *p) { return min_u64(p->kernel->group.rows, p->block_rows); }

static void lay_out_thread(plan *p) {
    const size_t packed = p->kernel->packed, slack = p->kernel->slack;
    const size_t packed_terms = p->by_rows ? MATMUL_ROW_TERMS : p->by_columns ? 0 : p->terms;
    p->packed_a = round_up(p->cache_rows * packed_terms * packed + slack, 64);
    p->packed_b = round_up(p->block_columns * p->terms * packed + slack, 64);
    const bool whole = p->terms >= p->c.k; /* all sums of a group are computed at once */
    const size_t rows = p->kernel->run_group && whole ? rows_of_groups(p) : p->block_rows;
    p->block_sums = round_up(rows * p->block_columns * p->kernel->bytes, 64);
    p->thread = p->packed_a + p->packed_b + p->block_sums;
}

/* Returns true if a kernel of groups, or NULL, is usable and suits an exact product of f32. */
static bool suits_groups(const matmul_kernel *k, const matmul_call *c) {
    return k && min_u64(c->m, c->n) >= k->group.least_lanes && c->k >= k->group.least_terms &&
           c->k <= k->group.most_terms && cpu_tiles_permitted();
}

static void choose_kernel(plan *p, const cpu_context *ctx, const matmul_call *c, const matmul_step *step) {
    const matmul_kernels *kernels = ctx->level->matmuls;
    const bool f64 = c->dtype == WEFT_F64, in_f64 = c->accumulate == WEFT_F64;
    const matmul_kernel *of_integers = c->dtype == WEFT_F16    ? &kernels->f16_exact
                                       : c->dtype == WEFT_BF16 ? &kernels->bf16_exact
                                       : f64                   ? &kernels->f64_exact
                                                               : &kernels->f32_exact;
    p->c = *c;
    p->step = step;
    p->exact = c->accumulate == WEFT_EXACT_SUM;
    if (p->exact)
        turn_column(&p->c);
    else
        turn_row(&p->c);
    p->kernel = p->exact || type_is_half(c->dtype) ? of_integers
                : f64                              ? &kernels->f64
                : in_f64                           ? &kernels->f32_in_f64
                                                   : &kernels->f32;
    p->variant = f64      ? SUMS_OF_F64[ctx->chosen[TUNE_MATMUL_F64]]
                 : in_f64 ? SUMS_OF_F64[ctx->chosen[TUNE_MATMUL_F32_IN_F64]]
                          : SUMS_OF_F32[ctx->chosen[TUNE_MATMUL_F32]];
    if (p->exact && !step && c->dtype == WEFT_F32 && suits_groups(ctx->level->grouped, c)) {
        const matmul_group_sizes *g = &ctx->level->grouped->group;
        p->kernel = ctx->level->grouped;
        p->variant = (variant){g->terms, g->rows, g->columns};
    }
    p->element = weft_dtype_size(c->dtype);
}

static void make_plan(plan *p, size_t threads) {
    const bool gemv = p->c.n == 1 && !p->exact, across = gemv && p->c.a.transposed;
    p->shape = gemv ? &p->kernel->gemv : &p->kernel->tile;
    p->by_rows = gemv && !across;
    p->by_columns = across;
    p->terms = min_u64(p->c.k, gemv ? WINDOW_TERMS : min_u64(p->variant.terms, p->c.part));
    p->terms = round_up(p->terms, p->kernel->term_multiple);
    p->cache_rows = round_up(gemv ? 1 : p->variant.rows, p->shape->rows);
    p->block_rows = across ? COLUMN_BLOCK_ROWS : gemv ? ROW_BLOCK_ROWS : BLOCK_ROWS;
    p->block_rows = round_up(min_u64(p->block_rows, p->c.m), p->shape->rows);
    p->block_columns = round_up(min_u64(p->variant.columns, p->c.n), p->shape->columns);
    p->resumes = p->step && p->step->stage == MATMUL_GO_ON;
    p->runs = !p->step || p->step->stage != MATMUL_END;
    p->parts = p->part_blocks = ceil_div(p->c.k, p->c.part);
    p->item_parts = 1;
    if (p->by_rows)
        cut_rows(p, threads);
    else
        cut(p, threads);
    p->keeps = p->step || p->parts != 1;
    p->ends = p->step ? !p->runs : p->parts != 1;
    lay_out_thread(p);
}

/* ----------------------------------------------------------------------------------- a block */

/* A block of C, or of the sums of one part of C. run_rows: of plan.item_parts parts, from `part` on. */
typedef struct block {
    size_t item, slot, part, row, column, rows, columns; /* slot: index of the product in plan.sums */
    char *packed_a, *packed_b, *sums;
} block;

/* Returns the address of row (of A) or column (of B) `lane`, starting at term `term`. */
static const char *find(const plan *p, const matmul_operand *x, size_t item, bool across, size_t lane, size_t term) {
    const size_t at = across ? term * x->ld + lane : lane * x->ld + term;
    return (const char *)x->p + (item * x->stride + at) * p->element;
}

/* Return the number of valid rows and columns of the tile at (row, column). */
static size_t rows_of_tile(const plan *p, const block *b, size_t row) {
    return min_u64(p->shape->rows, b->row + b->rows - row);
}

static size_t columns_of_tile(const plan *p, const block *b, size_t column) {
    return min_u64(p->shape->columns, b->column + b->columns - column);
}

/* Returns the address of the part's sum of element (row, column). */
static char *kept_sum(const plan *p, const block *b, size_t row, size_t column) {
    const matmul_call *c = &p->c;
    return p->sums + ((b->slot * p->parts + b->part) * c->m * c->n + row * c->n + column) * p->kernel->bytes;
}

/* Loads the sums of a tile that an earlier call has stored. */
static void resume_tile(const plan *p, const block *b, size_t row, size_t column, char *sums) {
    const size_t real = p->kernel->bytes, n = p->c.n, ld = p->shape->columns;
    const char *from = kept_sum(p, b, row, column);
    for (size_t i = 0; i < rows_of_tile(p, b, row); i++)
        memcpy(sums + i * ld * real, from + i * n * real, columns_of_tile(p, b, column) * real);
}

/* Stores the complete sums of a tile: to C with alpha and beta, or to the sums of the parts. */
static void end_tile(const plan *p, const block *b, size_t row, size_t column, const char *sums) {
    const matmul_call *c = &p->c;
    const size_t real = p->kernel->bytes, ld = p->shape->columns;
    const size_t rows = rows_of_tile(p, b, row), columns = columns_of_tile(p, b, column);
    if (!p->keeps) {
        char *to = (char *)c->c + (b->item * c->stride_c + row * c->ldc + column) * p->element;
        if (p->exact)
            p->kernel->finish_exact(c->alpha, c->beta, p->row_exponents + b->item * c->m + row,
                                    p->column_exponents + b->item * c->n + column, rows, columns, sums, to, c->ldc);
        else
            p->kernel->finish(c->alpha, c->beta, rows, columns, sums, ld, to, c->ldc);
        return;
    }
    char *to = kept_sum(p, b, row, column);
    for (size_t i = 0; i < rows; i++) memcpy(to + i * c->n * real, sums + i * ld * real, columns * real);
}

/* Prefetch what is written after the chains of a tile: the sums of the next tile, or this tile's elements of C. */
static void prefetch(const char *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i, 1);
}

static void prefetch_c(const plan *p, const block *b, size_t row, size_t column) {
    const matmul_call *c = &p->c;
    const char *to = (const char *)c->c + (b->item * c->stride_c + row * c->ldc + column) * p->element;
    for (size_t i = 0; i < rows_of_tile(p, b, row); i++, to += c->ldc * p->element)
        prefetch(to, columns_of_tile(p, b, column) * p->element);
}

/* Computes `count` terms of the chains of the packed rows, going down the rows under each panel of B. Between
 * calls, the sums of a tile are contiguous and followed by those of the tile below. The tiles of a panel prefetch
 * equal parts of the next panel, which the L2 cache may not contain. */
static void run_tiles(const plan *p, const block *b, size_t first_row, size_t rows, size_t count, bool first,
                      bool last) {
    const matmul_shape *s = p->shape;
    const size_t real = p->kernel->bytes, packed = p->kernel->packed, tiles = p->block_rows / s->rows;
    const size_t panel = s->columns * count * packed, part = round_up(panel / ceil_div(rows, s->rows), 64);
    for (size_t j = 0; j < b->columns; j += s->columns) {
        const char *panel_of_b = b->packed_b + j * count * packed;
        const char *next = j + s->columns < b->columns ? panel_of_b + panel : b->packed_b;
        for (size_t i = first_row; i < first_row + rows; i += s->rows, next += part) {
            const char *a = b->packed_a + (i - first_row) * count * packed;
            const size_t tile = first && last ? 0 : j / s->columns * tiles + i / s->rows;
            char *sums = b->sums + tile * s->rows * s->columns * real;
            if (p->exact && (!last || !first))
                prefetch(sums + s->rows * s->columns * real, s->rows * s->columns * real);
            if (last && !p->keeps) prefetch_c(p, b, b->row + i, b->column + j);
            if (first && p->resumes) resume_tile(p, b, b->row + i, b->column + j, sums);
            s->run(count, a, panel_of_b, first && !p->resumes, sums, next);
            if (last) end_tile(p, b, b->row + i, b->column + j, sums);
        }
    }
}

/* As run_tiles, for a kernel of groups, which computes all packed rows and columns in one call. */
static void run_group(const plan *p, const block *b, size_t first_row, size_t rows, size_t count, bool first,
                      bool last) {
    const matmul_shape *s = p->shape;
    const size_t padded = round_up(count, p->kernel->term_multiple), tile = s->rows * s->columns * p->kernel->bytes;
    matmul_group g = {
        .terms = count, .first = first, .rows = rows, .columns = b->columns, .a = b->packed_a, .b = b->packed_b};
    g.plane_a = round_up(rows, s->rows) * padded;
    g.plane_b = round_up(b->columns, s->columns) * padded;
    g.column_tiles = (first && last ? rows_of_groups(p) : p->block_rows) / s->rows;
    g.sums = b->sums + (first && last ? 0 : first_row / s->rows) * tile;
    p->kernel->run_group(&g);
    for (size_t y = 0; y < g.columns && last; y += s->columns)
        for (size_t x = 0; x < rows; x += s->rows)
            end_tile(p, b, b->row + first_row + x, b->column + y,
                     (char *)g.sums + (y / s->columns * g.column_tiles + x / s->rows) * tile);
}

/* Packs `count` terms, from `term` on, of `lanes` rows of A or columns of B. */
static void pack_lanes(const plan *p, const block *b, bool of_a, size_t lane, size_t lanes, size_t term,
                       size_t count) {
    const matmul_operand *x = of_a ? &p->c.a : &p->c.b;
    const bool across = x->transposed == of_a;
    const char *from = find(p, x, b->item, across, lane, term);
    char *to = of_a ? b->packed_a : b->packed_b;
    const size_t width = of_a ? p->shape->rows : p->shape->columns;
    const int *exponents = of_a ? p->row_exponents + b->item * p->c.m : p->column_exponents + b->item * p->c.n;
    if (p->exact)
        p->kernel->pack_exact(from, x->ld, across, of_a, exponents + lane, lanes, count, to, width);
    else
        p->kernel->pack(from, x->ld, across, lanes, count, to, width);
}

static void run_block(const plan *p, const block *b) {
    const matmul_call *c = &p->c;
    const size_t begin = b->part * c->part, terms = min_u64(c->part, c->k - begin);
    const size_t step = round_up(ceil_div(terms, ceil_div(terms, p->terms)), p->kernel->term_multiple);
    for (size_t t = 0; t < terms && !cpu_cancelled(); t += step) {
        const size_t count = min_u64(step, terms - t), term = begin + t;
        pack_lanes(p, b, false, b->column, b->columns, term, count);
        for (size_t i = 0; i < b->rows; i += p->cache_rows) {
            const size_t rows = min_u64(p->cache_rows, b->rows - i);
            pack_lanes(p, b, true, b->row + i, rows, term, count);
            if (p->kernel->run_group)
                run_group(p, b, i, rows, count, t == 0, t + count == terms);
            else
                run_tiles(p, b, i, rows, count, t == 0, t + count == terms);
        }
    }
}

/* --------------------------------------------------------------------- matrix-vector products */

/* Returns `count` terms of the vector, packed. */
static const char *pack_vector(const plan *p, const block *b, size_t term, size_t count) {
    const matmul_operand *x = &p->c.b;
    const bool contiguous = x->transposed || x->ld == 1;
    if (contiguous && p->element == p->kernel->packed) return find(p, x, b->item, !x->transposed, 0, term);
    pack_lanes(p, b, false, 0, 1, term, count);
    return b->packed_b;
}

/* Computes `count` terms, from `term` on, of the group of rows at `row`. */
static void run_row_group(const plan *p, const block *b, size_t row, size_t term, size_t count, const char *vector) {
    const matmul_call *c = &p->c;
    const size_t begin = b->part * c->part, rows = rows_of_tile(p, b, row);
    const bool first = term == begin, last = term + count == min_u64(begin + c->part, c->k);
    const char *a = find(p, &c->a, b->item, false, row, term);
    char *sums = b->sums + (row - b->row) * p->kernel->bytes;
    if (first && p->resumes) resume_tile(p, b, row, 0, sums);
    size_t ld = c->a.ld;
    if (rows < p->shape->rows) { /* the kernel reads a full group */
        ld = MATMUL_ROW_TERMS;
        for (size_t i = 0; i < rows; i++)
            memcpy(b->packed_a + i * ld * p->element, a + i * c->a.ld * p->element, count * p->element);
        a = b->packed_a;
    }
    p->kernel->run_rows(1, count, a, ld, vector, first && !p->resumes, sums, 0);
    if (last) end_tile(p, b, row, 0, sums);
}

/* Computes whole parts of a group of rows, from term `term` on and at most `count` terms, and stores their sums.
 * Returns the number of terms, or 0 if the group is not full or the sums need other steps. */
static size_t run_whole_parts(const plan *p, const block *b, size_t row, size_t term, size_t count,
                              const char *vector) {
    const matmul_call *c = &p->c;
    const size_t parts = count / c->part;
    if (!p->keeps || p->resumes || rows_of_tile(p, b, row) < p->shape->rows || term % c->part) return 0;
    p->kernel->run_rows(parts, c->part, find(p, &c->a, b->item, false, row, term), c->a.ld, vector, true,
                        kept_sum(p, b, row, 0), c->m);
    return parts * c->part;
}

/* Computes the terms from `from` to `to` of the group of rows at `row`. */
static void run_window(const plan *p, block *b, size_t row, size_t from, size_t to, const char *vector) {
    const matmul_call *c = &p->c;
    for (size_t t = from, count; t < to; t += count, vector += count * p->kernel->packed) {
        b->part = t / c->part;
        count = run_whole_parts(p, b, row, t, to - t, vector);
        if (count) continue;
        count = min_u64(MATMUL_ROW_TERMS, min_u64(to, (b->part + 1) * c->part) - t);
        run_row_group(p, b, row, t, count, vector);
    }
}

/* Computes a block if a row of A is contiguous. */
static void run_rows(const plan *p, const block *of) {
    const matmul_call *c = &p->c;
    const size_t begin = of->part * c->part, end = min_u64(begin + p->item_parts * c->part, c->k);
    block b = *of;
    for (size_t from = begin; from < end && !cpu_cancelled(); from += WINDOW_TERMS) {
        const size_t to = min_u64(from + WINDOW_TERMS, end);
        const char *vector = pack_vector(p, &b, from, to - from);
        for (size_t i = 0; i < b.rows; i += p->shape->rows) run_window(p, &b, b.row + i, from, to, vector);
    }
}

/* Computes a block if a column of A is contiguous. */
static void run_columns(const plan *p, const block *b) {
    const matmul_call *c = &p->c;
    const size_t begin = b->part * c->part, end = min_u64(begin + c->part, c->k), group = p->shape->rows;
    for (size_t i = 0; i < b->rows && p->resumes; i += group)
        resume_tile(p, b, b->row + i, 0, b->sums + i * p->kernel->bytes);
    for (size_t t = begin, count; t < end && !cpu_cancelled(); t += count) {
        count = min_u64(MATMUL_ROW_TERMS, end - t);
        p->kernel->run_columns(b->rows, count, find(p, &c->a, b->item, true, b->row, t), c->a.ld,
                               pack_vector(p, b, t, count), t == begin && !p->resumes, b->sums);
    }
    for (size_t i = 0; i < b->rows; i += group) end_tile(p, b, b->row + i, 0, b->sums + i * p->kernel->bytes);
}

/* ----------------------------------------------------------------------------- exact products */

/* Finds the exponents of group `number` of the rows or columns of all products. */
static void find_exponents(void *self, size_t number) {
    const plan *p = self;
    const matmul_call *c = &p->c;
    const size_t row_groups = ceil_div(c->m, EXPONENT_LANES), groups = row_groups + ceil_div(c->n, EXPONENT_LANES);
    const size_t item = number / groups, group = number % groups;
    const bool of_a = group < row_groups;
    const matmul_operand *x = of_a ? &c->a : &c->b;
    const size_t all = of_a ? c->m : c->n, lane = (of_a ? group : group - row_groups) * EXPONENT_LANES;
    const bool across = x->transposed == of_a;
    uint64_t magnitudes[EXPONENT_LANES];
    p->kernel->find_exponents(find(p, x, item, across, lane, 0), x->ld, across, min_u64(EXPONENT_LANES, all - lane),
                              c->k, magnitudes, (of_a ? p->row_exponents : p->column_exponents) + item * all + lane);
}

static double real_at(const plan *p, const void *x, size_t at) {
    switch (p->c.dtype) {
    case WEFT_F16: return (double)weft_from_bits_f16(((const uint16_t *)x)[at]);
    case WEFT_BF16: return (double)weft_from_bits_bf16(((const uint16_t *)x)[at]);
    case WEFT_F32: return (double)((const float *)x)[at];
    default: return ((const double *)x)[at];
    }
}

/* Stores element `at` of C. */
static void store_real(const plan *p, size_t at, double v) {
    switch (p->c.dtype) {
    case WEFT_F16: ((uint16_t *)p->c.c)[at] = weft_half_bits(v, 11); break;
    case WEFT_BF16: ((uint16_t *)p->c.c)[at] = weft_half_bits(v, 8); break;
    case WEFT_F32: ((float *)p->c.c)[at] = weft_canonical_f32((float)v); break;
    default: ((double *)p->c.c)[at] = weft_canonical_f64(v); break;
    }
}

/* Returns s of a special element (ORDER.md 31.4). */
static double special_sum(const plan *p, size_t item, size_t i, size_t j) {
    const matmul_operand *a = &p->c.a, *b = &p->c.b;
    double sum = 0;
    for (size_t l = 0; l < p->c.k; l++) {
        const double u = real_at(p, a->p, item * a->stride + (a->transposed ? l * a->ld + i : i * a->ld + l));
        const double v = real_at(p, b->p, item * b->stride + (b->transposed ? j * b->ld + l : l * b->ld + j));
        if (!weft_is_finite(u) || !weft_is_finite(v)) sum += u * v;
    }
    return sum;
}

/* Computes the special elements of row `number` of all products. */
static void run_special_row(void *self, size_t number) {
    const plan *p = self;
    const matmul_call *c = &p->c;
    const size_t item = number / c->m, i = number % c->m;
    const bool row = p->row_exponents[number] == WEFT_EXACT_SPECIAL;
    for (size_t j = 0; j < c->n && !cpu_cancelled(); j++) {
        if (!row && p->column_exponents[item * c->n + j] != WEFT_EXACT_SPECIAL) continue;
        const size_t at = item * c->stride_c + i * c->ldc + j;
        const double v = weft_exact_not_finite(c->alpha, special_sum(p, item, i, j), c->beta,
                                               c->beta == 0 ? 0 : real_at(p, c->c, at));
        store_real(p, at, v);
    }
}

/* Returns true if a row or column of a product is special. */
static bool any_special(const plan *p) {
    for (size_t i = 0; i < p->c.batch * (p->c.m + p->c.n); i++)
        if (p->row_exponents[i] == WEFT_EXACT_SPECIAL) return true;
    return false;
}

/* ------------------------------------------------------------------------------------- blocks */

/* A range of products that starts at product `first`. */
typedef struct item_range {
    const plan *plan;
    size_t first;
} item_range;

/* Computes block `number` of a range of products. */
static void run_numbered(void *self, size_t number) {
    const item_range *of = self;
    const plan *p = of->plan;
    block b;
    b.column = number % p->column_blocks * p->block_columns;
    number /= p->column_blocks;
    b.row = number % p->row_blocks * p->block_rows;
    number /= p->row_blocks;
    b.part = number % p->part_blocks * p->item_parts;
    b.slot = number / p->part_blocks;
    b.item = of->first + b.slot;
    b.rows = min_u64(p->block_rows, p->c.m - b.row);
    b.columns = min_u64(p->block_columns, p->c.n - b.column);
    b.packed_a = p->workspace + (size_t)cpu_thread_number() * p->thread;
    b.packed_b = b.packed_a + p->packed_a;
    b.sums = b.packed_b + p->packed_b;
    if (p->by_rows)
        run_rows(p, &b);
    else if (p->by_columns)
        run_columns(p, &b);
    else
        run_block(p, &b);
}

/* ----------------------------------------------------------------------------- parts, threads */

static size_t rows_of_slice(const plan *p) { return ceil_div(SLICE_VALUES, p->c.n); }

/* Combines the parts of some rows of a product by the tree over the parts (ORDER.md 2.4) and writes them to C. */
static void combine_slice(void *self, size_t number) {
    const item_range *of = self;
    const plan *p = of->plan;
    const matmul_call *c = &p->c;
    const size_t slices = ceil_div(c->m, rows_of_slice(p)), slot = number / slices;
    const size_t row = number % slices * rows_of_slice(p), rows = min_u64(rows_of_slice(p), c->m - row);
    const size_t part = c->m * c->n * p->kernel->bytes;
    char *sums = p->sums + slot * p->parts * part + row * c->n * p->kernel->bytes;
    for (size_t w = 1; w < p->parts; w *= 2)
        for (size_t i = 0; i + w < p->parts; i += 2 * w)
            p->kernel->combine(rows * c->n, sums + i * part, sums + (i + w) * part);
    char *to = (char *)c->c + ((of->first + slot) * c->stride_c + row * c->ldc) * p->element;
    p->kernel->finish(c->alpha, c->beta, rows, c->n, sums, c->n, to, c->ldc);
}

/* Computes products [first, first + items). */
static void run_items(const plan *p, size_t first, size_t items, int threads) {
    const size_t blocks = p->runs ? items * p->part_blocks * p->row_blocks * p->column_blocks : 0;
    const size_t slices = p->ends ? items * ceil_div(p->c.m, rows_of_slice(p)) : 0;
    item_range of = {p, first};
    cpu_parallel_for(threads, blocks, PARALLEL_IN_ORDER, run_numbered, &of);
    cpu_parallel_for(threads, slices, PARALLEL_RANGES, combine_slice, &of);
}

/* Allocates the threads' buffers and the sums of the parts, for as many products at a time as SUMS_MAX allows. */
static weft_status make_workspace(plan *p, cpu_context *ctx, int threads, weft_error *error) {
    const size_t values = p->c.m * p->c.n * p->parts, own = (size_t)threads * p->thread;
    void *workspace;
    const bool combines = p->parts != 1 && !p->step;
    p->slots = combines ? min_u64(p->c.batch, ceil_div(SUMS_MAX, values)) : p->c.batch;
    const size_t sums = combines ? p->slots * values * p->kernel->bytes : 0;
    const size_t exponents = p->exact ? p->c.batch * (p->c.m + p->c.n) * sizeof(int) : 0;
    RETURN_IF_ERROR(cpu_workspace(ctx, own + sums + exponents, &workspace, error));
    p->workspace = workspace;
    p->row_exponents = (int *)(p->workspace + own + sums);
    p->column_exponents = p->row_exponents + p->c.batch * p->c.m;
    p->sums = p->step ? p->step->sums : p->workspace + own;
    return WEFT_OK;
}

/* Returns the number of products of two elements, m n k batch. */
static size_t terms_of(const matmul_call *c) {
    return saturated_product(saturated_product(c->m, c->n), saturated_product(c->k, c->batch));
}

static void scale(const plan *p) {
    const matmul_call *c = &p->c;
    for (size_t item = 0; item < c->batch; item++)
        for (size_t i = 0; i < c->m; i++)
            p->kernel->scale(c->beta, c->n, (char *)c->c + (item * c->stride_c + i * c->ldc) * p->element);
}

static weft_status run(cpu_context *ctx, const matmul_call *c, const matmul_step *step, weft_error *error) {
    plan p = {0};
    choose_kernel(&p, ctx, c, step);
    if (c->k == 0) {
        scale(&p);
        return WEFT_OK;
    }
    int threads = cpu_threads_for(ctx->threads, terms_of(c) / 2);
    make_plan(&p, (size_t)threads);
    const size_t blocks = p.row_blocks * p.column_blocks * p.part_blocks;
    if (blocks < (size_t)threads && c->batch < (size_t)threads && blocks * c->batch < (size_t)threads)
        threads = (int)(blocks * c->batch);
    RETURN_IF_ERROR(make_workspace(&p, ctx, threads, error));
    cpu_plan_regions(2 * ceil_div(c->batch, p.slots) + (p.exact ? 2 : 0));
    const size_t groups = ceil_div(p.c.m, EXPONENT_LANES) + ceil_div(p.c.n, EXPONENT_LANES);
    if (p.exact) cpu_parallel_for(threads, c->batch * groups, PARALLEL_IN_ORDER, find_exponents, &p);
    for (size_t first = 0; first < c->batch && !cpu_cancelled(); first += p.slots)
        run_items(&p, first, min_u64(p.slots, c->batch - first), threads);
    if (p.exact && !cpu_cancelled() && any_special(&p))
        cpu_parallel_for(threads, c->batch * p.c.m, PARALLEL_IN_ORDER, run_special_row, &p);
    return WEFT_OK;
}

weft_status cpu_matmul(void *state, const matmul_call *c, weft_error *error) { return run(state, c, NULL, error); }

weft_status cpu_matmul_stage(void *state, const matmul_stage_call *c, weft_error *error) {
    return run(state, &c->product, &c->step, error);
}
