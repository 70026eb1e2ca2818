/* Kernels that reduce the columns of rows, for weft_scatter_reduce and weft_reduce_axes. */
#ifndef WEFT_CPU_COLUMNS_H
#define WEFT_CPU_COLUMNS_H

#include "cpu/runtime/cpu.h"

/* `tile` reduces columns 0 ... columns - 1 of 1 <= n <= WEFT_TILE rows to one value each, of value_bytes <= 8 bytes.
 * `combine` combines the values of `tiles` >= 1 adjacent tiles, or nodes of equal height, in place: those of all
 * columns, then the next tile. `finish` does the same and writes the results of the n rows; 0 tiles if n is 0. */
typedef struct column_kernel {
    void (*tile)(const char *const *rows, size_t n, size_t columns, void *values);
    void (*combine)(void *values, size_t tiles, size_t columns);
    void (*finish)(void *values, size_t tiles, size_t columns, size_t n, void *out);
    size_t value_bytes;
} column_kernel;

/* Reduces the products of columns 0 ... columns - 1 of the rows at x and at y, as `tile` of the kernel of sums. With
 * `repeats`, the rows at y have one element, which is that of each column. */
typedef void column_products(const char *const *x, const char *const *y, bool repeats, size_t n, size_t columns,
                             void *values);

/* Indexed as segment_kernels. */
struct column_kernels {
    const column_kernel *reduce[WEFT_XOR + 1][DTYPES];
    const column_kernel *sum_f32_in_f64, *prod_f32_in_f64;
    const column_kernel *mean[DTYPES];          /* f64 */
    column_products *dot_f32, *dot_f64[DTYPES]; /* f32 and f64 elements only */
};

/* Returns the kernel of a sum, a product, a minimum, a maximum, a bitwise operator or a mean in f64; NULL for other
 * operators. */
const column_kernel *cpu_column_kernel(const cpu_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result);

/* Returns the kernel of products whose values are those of the kernel of sums, or NULL for integers. */
column_products *cpu_column_products(const cpu_context *ctx, weft_dtype dtype, weft_dtype result);

#endif
