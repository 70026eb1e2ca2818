/* Kernels that reduce the columns of rows (ORDER.md 8, 25, 32); compiled once per instruction set level. A vector
 * contains adjacent columns of a row. Each lane of the order is a row of values in the first cache. */
#include "cpu/common/columns.h"
#include "cpu/kernels/vectors.h"

enum {
    ROWS_LANE_BYTES = 1 << 15, /* all lanes of the columns that are reduced together */
    ROWS_AHEAD = 16,           /* rows that are prefetched */
    ROWS_WIDE_BYTES = 512,     /* least bytes of rows of which a whole lane is read before the next one */
    ROWS_TOGETHER = 4,         /* rows of a lane that are added together */
    ROWS_PART_BYTES = 256,     /* bytes of such rows between which others are prefetched */
    ROWS_STACK = 8             /* most values that wait for others in the tree of lanes: log2(WEFT_LANES_MAX) + 1 */
};

/* GCC would unroll short loops completely before it vectorizes loops. */
#define NO_UNROLL _Pragma("GCC unroll 1")

/* The "operator" of sums of the products of two operands. */
#define PRODUCTS ((weft_op)-1)

/* Rows: row r is at x[r], the row of a second operand at y[r]. `repeats`: that row has one element, which is that of
 * each column. y is NULL if there is no second operand. */
typedef struct column_rows {
    const char *const *x, *const *y;
    bool repeats;
} column_rows;

/* Returns the rows from number r on. */
INLINE column_rows column_rows_from(column_rows rows, size_t r) {
    return (column_rows){rows.x + r, rows.y ? rows.y + r : NULL, rows.repeats};
}

/* Defines a kernel, named OF(name). */
#define ROWS_KERNEL(OF, op, name)                                                                   \
    static void OF(name##_tile)(const char *const *rows, size_t n, size_t columns, void *out) {     \
        OF(tile)(op, (column_rows){rows, NULL, false}, n, columns, out);                            \
    }                                                                                               \
    static void OF(name##_combine)(void *values, size_t count, size_t columns) {                    \
        OF(pairs)(op, values, count, columns);                                                      \
    }                                                                                               \
    static void OF(name##_finish)(void *tiles, size_t count, size_t columns, size_t n, void *out) { \
        OF(finish)(op, tiles, count, columns, n, out);                                              \
    }                                                                                               \
    static const column_kernel OF(name) = {OF(name##_tile), OF(name##_combine), OF(name##_finish), OF(value_bytes)};

#define BODY "cpu/kernels/bodies/columns_unordered_body.h"
#include "cpu/kernels/bodies/each_type.h"

#define T float
#define IS_FLOAT 1
#define MEANS 0
#define REAL float
#define REAL_OF(name) name##_f32
#define TREE(name) own_##name
#include "cpu/kernels/bodies/columns_tree_body.h"
#undef T
#undef IS_FLOAT
#undef MEANS
#undef REAL
#undef REAL_OF
#undef TREE

#define MEANS 1
#define REAL double
#define REAL_OF(name) name##_f64
#define TREE(name) OF(wide_##name)
#define BODY "cpu/kernels/bodies/columns_tree_body.h"
#include "cpu/kernels/bodies/each_type.h"

#define OF_INTEGERS(kernel)                                                                                       \
    [WEFT_I8] = &kernel##_i8, [WEFT_I16] = &kernel##_i16, [WEFT_I32] = &kernel##_i32, [WEFT_I64] = &kernel##_i64, \
    [WEFT_U8] = &kernel##_u8, [WEFT_U16] = &kernel##_u16, [WEFT_U32] = &kernel##_u32, [WEFT_U64] = &kernel##_u64
#define OF_ALL(kernel) OF_INTEGERS(kernel), [WEFT_F32] = &kernel##_f32, [WEFT_F64] = &kernel##_f64

const column_kernels LEVELED(cpu_columns) = {
    .reduce =
        {
            [WEFT_SUM] = {OF_INTEGERS(free_sums), [WEFT_F32] = &own_sums, [WEFT_F64] = &wide_sums_f64},
            [WEFT_PROD] = {OF_INTEGERS(free_products), [WEFT_F32] = &own_products, [WEFT_F64] = &wide_products_f64},
            [WEFT_MIN] = {OF_ALL(free_minima)},
            [WEFT_MAX] = {OF_ALL(free_maxima)},
            [WEFT_AND] = {OF_INTEGERS(free_ands)},
            [WEFT_OR] = {OF_INTEGERS(free_ors)},
            [WEFT_XOR] = {OF_INTEGERS(free_xors)},
        },
    .sum_f32_in_f64 = &wide_sums_f32,
    .prod_f32_in_f64 = &wide_products_f32,
    .mean = {OF_ALL(wide_means)},
    .dot_f32 = own_dots,
    .dot_f64 = {[WEFT_F32] = wide_dots_f32, [WEFT_F64] = wide_dots_f64},
};
