/* Elements of views: offsets, copies of planes, and vectors that are gathered into rows. */
#ifndef WEFT_CPU_PLANES_H
#define WEFT_CPU_PLANES_H

#include "core/order.h"
#include "cpu/runtime/cpu.h"

/* Results above this size are written with nontemporal stores. */
enum { VIEWS_STREAM_BYTES = 1 << 25 };

/* Return the distance in bytes, in the array that is read or written, of the element with number `index` from the
 * first one. The last dimension varies fastest. */
static inline ptrdiff_t views_x(size_t count, const view_dimension *d, size_t index) {
    ptrdiff_t offset = 0;
    for (; count-- > 0; index /= d[count].n) offset += (ptrdiff_t)(index % d[count].n) * d[count].x;
    return offset;
}
static inline ptrdiff_t views_y(size_t count, const view_dimension *d, size_t index) {
    ptrdiff_t offset = 0;
    for (; count-- > 0; index /= d[count].n) offset += (ptrdiff_t)(index % d[count].n) * d[count].y;
    return offset;
}

/* Returns p + bytes; p may be NULL if bytes is 0. */
static inline char *views_at(const void *p, ptrdiff_t bytes) { return bytes ? (char *)p + bytes : (char *)p; }

/* Removes dimension k from a list. Returns it. */
static inline view_dimension views_take(size_t *count, view_dimension *d, size_t k) {
    const view_dimension taken = d[k];
    for (--*count; k < *count; k++) d[k] = d[k + 1];
    return taken;
}

/* Returns the number of the dimension, of count >= 1, along which elements are closest in x. Dimensions that repeat
 * elements (distance 0) are the last choice. Among equal ones, returns the last. */
size_t cpu_closest_dimension(size_t count, const view_dimension *d);

/* Kernels of copies. With `streams`, they may use nontemporal stores, which `end` orders before all later stores. */
struct copy_kernels {
    /* Copies rows of `bytes` bytes. */
    void (*rows)(size_t bytes, const view_dimension *rows, const char *x, char *y, bool streams);
    /* Copies elements of 1, 2, 4, 8 and 16 bytes that are adjacent in the rows of x and in the columns of y:
     * rows->x == columns->y == bytes. */
    void (*transpose[5])(const view_dimension *rows, const view_dimension *columns, const char *x, char *y,
                         bool streams);
    /* Convert n elements of f16 and of bf16 to f32. x may be the last n elements of the memory of y. */
    void (*widen_f16)(size_t n, const char *x, float *y);
    void (*widen_bf16)(size_t n, const char *x, float *y);
    void (*end)(void);
};

/* Copies the elements of two dimensions on the calling thread. With `streams`, may use nontemporal stores, which
 * cpu_copies_end orders before all later stores. */
void cpu_copy_plane(const cpu_context *ctx, size_t element, view_dimension rows, view_dimension columns,
                    const void *x, void *y, bool streams);
void cpu_copies_end(const cpu_context *ctx);

/* Copies the elements of one dimension on at most `threads` threads. */
void cpu_copy_vector(const cpu_context *ctx, int threads, size_t element, view_dimension d, const void *x, void *y);

/* Vectors of an array. Vector v consists of the elements of `inner` at the v-th combination of indices of `outer`;
 * y of `outer` is the position of its result. */
typedef struct vectors {
    size_t element; /* bytes */
    size_t inner_count, outer_count;
    const view_dimension *inner, *outer;
    const void *x;
} vectors;

/* Copies elements [first, first + n) of vectors v ... v + count - 1 to rows of `row` bytes at `to`. */
void cpu_gather_vectors(const cpu_context *ctx, const vectors *s, size_t v, size_t count, size_t first, size_t n,
                        char *to, size_t row);

/* cpu_gather_vectors for elements of the type `half`, f16 or bf16: converts them to f32. */
void cpu_gather_halves(const cpu_context *ctx, weft_dtype half, const vectors *s, size_t v, size_t count,
                       size_t first, size_t n, char *to, size_t row);

/* The elements of vectors in the array that is written, and `outer` of `vectors`. */
typedef struct vector_results {
    size_t element; /* bytes */
    size_t outer_count;
    const view_dimension *outer;
    ptrdiff_t stride; /* of the elements of a vector */
    void *y;
    bool streams; /* may use nontemporal stores */
} vector_results;

/* Copies rows of n results, `row` bytes apart, to elements [first, first + n) of vectors v ... v + count - 1. */
void cpu_scatter_vectors(const cpu_context *ctx, const vector_results *s, size_t v, size_t count, size_t first,
                         size_t n, const char *rows, size_t row);

/* Rows of adjacent columns that are scanned: the element of row i and column k is at x + i x_row + k elements. */
typedef struct scan_columns {
    const char *x;
    char *y; /* may be x */
    ptrdiff_t x_row, y_row;
    size_t n, columns;
    bool streams; /* nontemporal stores; y and y_row must be multiples of VIEWS_LINE */
} scan_columns;
enum { VIEWS_LINE = 64 };

/* Kernels of one kind of scan. A column may be scanned in parts; the length of all but the last is a multiple of
 * WEFT_SCAN_GROUP. */
typedef struct scan_column_kernel {
    size_t width; /* columns of a vector */
    size_t bytes; /* of a vector */
    /* state: scan_columns_state bytes for columns of n elements in all */
    void (*begin)(const scan_params *params, size_t n, size_t columns, void *state);
    void (*scan)(const scan_params *params, const scan_columns *c, void *state);
} scan_column_kernel;

/* Members as those of scan_kernels. */
struct scan_column_kernels {
    scan_column_kernel sum[ALL_DTYPES], prod[ALL_DTYPES], wide_sum[ALL_DTYPES], wide_prod[ALL_DTYPES];
    scan_column_kernel single_sum[ALL_DTYPES], single_prod[ALL_DTYPES];
    scan_column_kernel highest[ALL_DTYPES], bits_or[DTYPES], bits_xor[DTYPES];
};

/* Returns the kernel for columns of the scan that `kernel` is for. */
const scan_column_kernel *cpu_scan_column_kernel(const cpu_context *ctx, const scan_kernel *kernel);

/* State of the scan of columns: the levels in use, their digits (cpu/common/scan_state.h), and for each vector
 * of columns and each level SCAN_RING values, followed by its prefix. */
enum { SCAN_RING = 15 };
typedef struct scan_columns_state {
    size_t levels;
    unsigned digit[WEFT_SCAN_LEVELS];
} scan_columns_state;

/* Returns the number of levels for columns of n elements: at least 2, since the total of a group, also of the only
 * one, is combined with the prefix of level 2. */
static inline size_t scan_columns_levels(size_t n) {
    size_t levels = 2;
    while ((n /= WEFT_SCAN_GROUP) >= WEFT_SCAN_GROUP) levels++;
    return levels;
}

static inline size_t scan_columns_bytes(const scan_column_kernel *k, size_t n, size_t columns) {
    const size_t vectors = (columns + k->width - 1) / k->width, head = (sizeof(scan_columns_state) + 63) / 64 * 64;
    return head + vectors * (scan_columns_levels(n) + 1) * (SCAN_RING + 1) * k->bytes;
}

#endif
