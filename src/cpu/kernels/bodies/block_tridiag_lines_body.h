/* Body of cpu/kernels/block_tridiag.c for one type: access to memory, and the kernels for each size of block. The
 * includer defines what tridiag_lanes_body.h requires. */
#include "cpu/kernels/bodies/tridiag_lanes_body.h"

#include "cpu/kernels/bodies/tridiag_reciprocal_body.h"

/* Loads `rows` elements of `values` values of `count` lanes, starting at element `first`. Value j of element i goes
 * to v[i * values + j]; missing lanes are 0. Lanes with enough consecutive values are transposed; the last square
 * block may overlap the one before. */
static void OF(load)(weft_lines lines, size_t count, size_t first, size_t rows, size_t values, VECTOR *v) {
    const REAL *p = (const REAL *)lines.p + first * lines.step;
    const size_t all = rows * values;
    if (lines.line == 0) {
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < values; j++) v[i * values + j] = OF(splat)(p[i * lines.step + j]);
    } else if (lines.line == 1 && values == 1 && count == WIDTH) {
        for (size_t i = 0; i < rows; i++) memcpy(&v[i], p + i * lines.step, sizeof *v);
    } else if (lines.step == values && count == WIDTH && all >= WIDTH) {
        for (size_t i = 0; i < all; i += WIDTH) {
            const size_t from = i + WIDTH < all ? i : all - WIDTH;
            VECTOR block[WIDTH];
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) memcpy(&block[l], p + from + l * lines.line, sizeof *block);
            OF(transpose)(block);
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) v[from + l] = block[l];
        }
    } else {
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < values; j++) {
                REAL lane[WIDTH] = {0};
                for (size_t l = 0; l < count; l++) lane[l] = p[i * lines.step + l * lines.line + j];
                memcpy(&v[i * values + j], lane, sizeof *v);
            }
    }
}

/* Stores elements: the inverse of OF(load). */
static void OF(store)(weft_lines lines, void *to, size_t count, size_t first, size_t rows, size_t values,
                      const VECTOR *v) {
    REAL *p = (REAL *)to + first * lines.step;
    const size_t all = rows * values;
    if (lines.line == 1 && values == 1 && count == WIDTH) {
        for (size_t i = 0; i < rows; i++) memcpy(p + i * lines.step, &v[i], sizeof *v);
    } else if (lines.step == values && count == WIDTH && all >= WIDTH) {
        for (size_t i = 0; i < all; i += WIDTH) {
            const size_t from = i + WIDTH < all ? i : all - WIDTH;
            VECTOR block[WIDTH];
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) block[l] = v[from + l];
            OF(transpose)(block);
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) memcpy(p + from + l * lines.line, &block[l], sizeof *block);
        }
    } else {
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < values; j++)
                for (size_t l = 0; l < count; l++) p[i * lines.step + l * lines.line + j] = v[i * values + j][l];
    }
}

/* Returns v in the next lane; 0 in the last one. */
INLINE VECTOR OF(next_lane)(VECTOR v) {
    REAL lane[WIDTH + 1] = {0};
    memcpy(lane, &v, sizeof v);
    memcpy(&v, lane + 1, sizeof v);
    return v;
}

#define K 2
#define IN(name) OF(name##_2)
#include "cpu/kernels/bodies/block_tridiag_kernel_body.h"
#define K 3
#define IN(name) OF(name##_3)
#include "cpu/kernels/bodies/block_tridiag_kernel_body.h"
#define K 4
#define IN(name) OF(name##_4)
#include "cpu/kernels/bodies/block_tridiag_kernel_body.h"
