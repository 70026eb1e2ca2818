/* Interface of the matrix product kernels. */
#ifndef WEFT_CPU_MATMUL_CALLS_H
#define WEFT_CPU_MATMUL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accumulates `terms` terms of the chains of a tile, for a panel of the rows' elements and one of the columns'. The
 * sums are stored row by row; if `first`, they start at +0. A kernel may prefetch memory that is read later: the sums
 * after the tile's, and the lines from `next` on. */
typedef void matmul_chains(size_t terms, const void *a, const void *b, bool first, void *sums, const void *next);

/* Maximum terms of a call of a matmul_columns, or of a matmul_rows whose sums are continued by the next call. */
enum { MATMUL_ROW_TERMS = 128 };

/* Accumulates the chains of a matrix-vector product for a group of rows that are ld apart and whose terms are
 * contiguous: `terms` terms for each of `parts` consecutive parts, whose sums are `step` values apart. The vector b
 * is packed. */
typedef void matmul_rows(size_t parts, size_t terms, const void *a, size_t ld, const void *b, bool first, void *sums,
                         size_t step);

/* As matmul_rows for one part, for any number of rows and terms; the elements of a term are contiguous and terms are
 * ld apart. The rows' sums are padded to a multiple of gemv.rows. */
typedef void matmul_columns(size_t rows, size_t terms, const void *a, size_t ld, const void *b, bool first,
                            void *sums);

typedef struct matmul_shape {
    size_t rows, columns;
    matmul_chains *run;
} matmul_shape;

/* Tiles of exact products whose sums are computed together. Packed lanes are in planes: parts of an element that are
 * plane_a or plane_b bytes apart. The tile of row i and column j is number j * column_tiles + i of `sums`. */
typedef struct matmul_group {
    size_t terms, rows, columns;
    const void *a, *b;
    size_t plane_a, plane_b;
    size_t column_tiles;
    bool first; /* the sums start at 0 */
    void *sums;
} matmul_group;

/* Sizes of groups, which have all columns of a block, and the products that the kernel is for. */
typedef struct matmul_group_sizes {
    size_t rows;                     /* maximum of a group, a multiple of the tile's rows */
    size_t terms, columns;           /* as in matmul.def; columns is a multiple of the tile's columns */
    size_t least_lanes, least_terms; /* minimum of m and n, and of k */
    size_t most_terms;               /* maximum of k */
} matmul_group_sizes;

/* Kernels for one element type and one accumulator type. */
typedef struct matmul_kernel {
    size_t bytes;            /* bytes of an accumulator */
    size_t packed;           /* bytes of a packed element */
    size_t slack;            /* bytes that pack may write after its output */
    size_t term_multiple;    /* panels are padded to multiples of this number of terms */
    matmul_shape tile, gemv; /* gemv: matrix-vector product; run_rows or run_columns computes its chains */
    matmul_rows *run_rows;
    matmul_columns *run_columns;
    /* Packs `lanes` rows of A or columns of B into panels of `width` lanes. With `across`, the lanes of a term are
     * contiguous and terms are ld apart; otherwise the terms of a lane are contiguous and lanes are ld apart. */
    void (*pack)(const void *from, size_t ld, bool across, size_t lanes, size_t terms, void *to, size_t width);
    void (*combine)(size_t n, void *sums, const void *others);
    void (*finish)(double alpha, double beta, size_t rows, size_t columns, const void *sums, size_t ld, void *c,
                   size_t ldc);
    void (*scale)(double beta, size_t columns, void *c);
    /* Members of exact products only (ORDER.md 31), instead of pack and finish. Exponents are those of the lanes, of
     * the rows and of the columns. find_exponents may use to[lanes] as it likes. finish_exact writes only elements
     * that are not special; `sums` is a tile. */
    void (*find_exponents)(const void *from, size_t ld, bool across, size_t lanes, size_t terms, uint64_t *magnitudes,
                           int *to);
    void (*pack_exact)(const void *from, size_t ld, bool across, bool of_a, const int *exponents, size_t lanes,
                       size_t terms, void *to, size_t width);
    void (*finish_exact)(double alpha, double beta, const int *row_exponents, const int *column_exponents,
                         size_t rows, size_t columns, const void *sums, void *c, size_t ldc);
    /* Members of kernels of groups, instead of tile.run. */
    void (*run_group)(const matmul_group *group);
    matmul_group_sizes group;
} matmul_kernel;

typedef struct matmul_kernels {
    matmul_kernel f32, f32_in_f64, f64, f16_exact, bf16_exact, f32_exact, f64_exact;
} matmul_kernels;

#endif
