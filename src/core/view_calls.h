/* Calls of the operations on views. The API (core/views.h) removes dimensions of one element and merges dimensions
 * that are one in memory, so that an array without gaps has one dimension. All lengths are at least 2 unless stated
 * otherwise. */
#ifndef WEFT_CORE_VIEW_CALLS_H
#define WEFT_CORE_VIEW_CALLS_H

#include "core/map_call.h"
#include "weft.h"

#include <stdbool.h>

/* A dimension of an array that is read and of one that is written, with the distances of adjacent elements. */
typedef struct view_dimension {
    size_t n;
    ptrdiff_t x, y; /* in bytes */
} view_dimension;

/* One call of weft_copy_view. The dimensions are sorted by y, the largest first, and y > 0. */
typedef struct copy_view_call {
    size_t element; /* bytes: 1, 2, 4 or 8 */
    size_t count;
    view_dimension dimensions[WEFT_DIMENSIONS_MAX];
    const void *x;
    void *y;
} copy_view_call;

/* A dimension of the values of a formula: the distances of adjacent elements. */
typedef struct map_dimension {
    size_t n;
    ptrdiff_t out;           /* in bytes */
    ptrdiff_t x[MAP_LEAVES]; /* of an array in bytes, of the index in numbers, of a value 0 */
} map_dimension;

/* One call of weft_map_views that is not one of weft_map. The dimensions are sorted by `out`, the largest first, and
 * out > 0. */
typedef struct map_views_call {
    /* Its arrays, its index and `out` are those of the first element. `out` may be equal to an array of the type
     * dtype that has the same distances; of complex values, to two arrays that are as distant as their parts. */
    const map_call *map;
    size_t count; /* >= 1, unless there is one element. One complex element: one dimension of length 1 */
    const map_dimension *dimensions;
} map_views_call;

/* The second operand of dot products: its first element, and the distances in bytes of its elements along the
 * dimensions of a reduce_axes_call. */
typedef struct view_factor {
    const void *p;
    ptrdiff_t inner[WEFT_DIMENSIONS_MAX], outer[WEFT_DIMENSIONS_MAX];
} view_factor;

/* One call of weft_reduce_axes, weft_variance_axes or weft_dot_axes: one value for each combination of indices of
 * `outer`. The elements of a vector are numbered by `inner`, whose last dimension varies fastest. Also a call of
 * weft_reduce, weft_variance or weft_dot on f16 or bf16. */
typedef struct reduce_axes_call {
    bool variance; /* else op */
    bool dot;      /* sums of products of the elements of x and of `factor`; then op is WEFT_SUM */
    bool exact;    /* exact sums of f32 or f64 (ORDER.md 30) */
    weft_op op;
    weft_dtype dtype, result;
    size_t ddof;
    size_t n;       /* elements of a vector; 0 only if op has a value for it */
    size_t vectors; /* >= 1 */
    size_t inner_count, outer_count;
    view_dimension inner[WEFT_DIMENSIONS_MAX]; /* y is 0; no dimensions if n <= 1 */
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* sorted by y, the largest first, and y > 0 */
    const void *x;
    view_factor factor; /* used only with `dot` */
    void *y;
} reduce_axes_call;

/* One call of weft_scan_axis: a scan along `inner` for each combination of indices of `outer`. */
typedef struct scan_axis_call {
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, result;
    size_t vectors; /* >= 1 */
    size_t outer_count;
    view_dimension inner;                      /* n >= 1 */
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* sorted by y, the largest first, and y > 0 */
    const void *x;
    const void *init; /* one value of the result type in host memory, or NULL */
    void *y;          /* == x with equal distances, or does not overlap x */
} scan_axis_call;

/* One call of weft_sort_axis or weft_argsort_axis: a sort along `inner` for each combination of `outer` indices. */
typedef struct sort_axis_call {
    bool indices; /* argsort */
    weft_order_of_sort order;
    weft_dtype dtype, result; /* result: of the indices, or dtype */
    size_t vectors;           /* >= 1 */
    size_t outer_count;
    view_dimension inner;                      /* n >= 1 */
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* sorted by y, the largest first, and y > 0 */
    const void *x;
    void *y; /* == x with equal distances, but not with `indices`, or does not overlap x */
} sort_axis_call;

/* An output of weft_top_k_axis. */
typedef struct top_k_output {
    void *y;
    ptrdiff_t stride;                          /* between the k elements of a vector */
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* x: of the vectors in the array that is read */
} top_k_output;

/* One call of weft_top_k_axis: a selection for each combination of the indices of the outer dimensions. */
typedef struct top_k_axis_call {
    weft_dtype dtype, index; /* index: WEFT_U32 or WEFT_U64 */
    weft_extreme extreme;
    size_t n, k;        /* elements of a vector; 1 <= k <= n */
    size_t vectors;     /* >= 1 */
    size_t outer_count; /* outer dimensions, sorted by x, the largest first */
    const void *x;
    ptrdiff_t x_stride;           /* between the elements of a vector */
    top_k_output values, indices; /* indices.y: NULL if not wanted */
} top_k_axis_call;

/* One call of weft_quantile_axis: `count` results for each combination of `outer` indices. */
typedef struct quantile_axis_call {
    weft_quantile_method method;
    weft_dtype dtype, result; /* result: dtype, or f64 for weighted means of integers */
    size_t count;             /* >= 1 */
    const double *q;          /* `count` numbers from 0 to 1, in host memory */
    size_t vectors;           /* >= 1 */
    size_t outer_count;
    view_dimension inner;                      /* n >= 1 elements; y is the distance of the results */
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* sorted by y, the largest first, and y > 0 */
    const void *x;
    void *y; /* does not overlap x */
} quantile_axis_call;

/* A dimension of the elements that weft_take_axis or weft_put_axis moves: the distances of adjacent elements in
 * bytes. */
typedef struct take_dimension {
    size_t n;
    ptrdiff_t table; /* 0 along the axis */
    ptrdiff_t index, list;
} take_dimension;

/* One call of weft_take_axis, which copies elements of a table, x, to a list, y, or of weft_put_axis, which copies
 * those of a list, x, to a table, y. An index chooses an element of the table along the axis. The backend checks the
 * values of the indices (core/indices.h). */
typedef struct take_axis_call {
    bool put;
    weft_range range;
    weft_dtype index_dtype;
    size_t element;   /* bytes: 1, 2, 4 or 8 */
    size_t m;         /* length of the table along the axis; indices from 0 to m - 1 are in range */
    ptrdiff_t stride; /* of the table along the axis; 0 if m is 1 */
    size_t count;
    /* Sorted by `list`, the largest first. list > 0, or >= 0 for weft_put_axis. */
    take_dimension dimensions[WEFT_DIMENSIONS_MAX];
    void *table, *list; /* addresses of the first element of the dimensions; of the table with index 0 */
    const void *index;
    /* All indices, in the order of their numbers in messages: `indices` from the first dimension to the last. Their
     * distances are x. For weft_put_axis, y are distances of slots: an index in range names slot y + index, and two
     * that name the same slot are an error. Else y is 0. */
    size_t indices_count;
    view_dimension indices[WEFT_DIMENSIONS_MAX];
    const void *first_index;
    size_t slots; /* number of slots; 0 if no slot can be named twice */
} take_axis_call;

#endif
