/* Body of cpu/kernels/copies.c for elements of one size. The includer defines LANE (an unsigned integer of the size),
 * SQUARE_BYTES (bytes of a vector) and OF(name). Row r of the result starts at y + r y_row; its element c is the
 * element at x + c x_column + r sizeof(LANE). */
#define WIDTH (SQUARE_BYTES / sizeof(LANE))
#define VECTOR OF(vector)
#define LANES OF(vector)

typedef LANE VECTOR __attribute__((vector_size(SQUARE_BYTES)));

#include "cpu/kernels/bodies/transpose_body.h"

/* Copies elements one by one. */
INLINE void OF(copy_each)(size_t rows, size_t columns, const char *x, ptrdiff_t x_column, char *y, ptrdiff_t y_row) {
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            memcpy(y + (ptrdiff_t)r * y_row + c * sizeof(LANE), x + r * sizeof(LANE) + (ptrdiff_t)c * x_column,
                   sizeof(LANE));
}

/* Copies WIDTH rows and columns. Prefetches the next rows of the same columns. */
INLINE void OF(copy_square)(const char *x, ptrdiff_t x_column, char *y, ptrdiff_t y_row, bool streams) {
    VECTOR v[WIDTH];
#pragma GCC unroll 16
    for (size_t c = 0; c < WIDTH; c++) {
        memcpy(&v[c], x + (ptrdiff_t)c * x_column, sizeof v[c]);
        __builtin_prefetch(x + (ptrdiff_t)c * x_column + PREFETCHED_BYTES);
    }
    OF(transpose)(v);
#pragma GCC unroll 16
    for (size_t r = 0; r < WIDTH; r++) {
        if (streams && SQUARE_BYTES == VECTOR_BYTES)
            stream_vector((unsigned char *)y + (ptrdiff_t)r * y_row, (const unsigned char *)&v[r]);
        else
            memcpy(y + (ptrdiff_t)r * y_row, &v[r], sizeof v[r]);
    }
}

/* Copies squares: STRIP_BYTES of each of WIDTH rows of the result, then the next rows. */
INLINE void OF(copy_squares)(size_t rows, size_t columns, const char *x, ptrdiff_t x_column, char *y, ptrdiff_t y_row,
                             bool streams) {
    const size_t strip = STRIP_BYTES / sizeof(LANE);
    for (size_t first = 0; first < columns; first += strip) {
        const size_t end = columns - first < strip ? columns : first + strip;
        for (size_t r = 0; r + WIDTH <= rows; r += WIDTH)
            for (size_t c = first; c + WIDTH <= end; c += WIDTH) {
                const char *from = x + r * sizeof(LANE) + (ptrdiff_t)c * x_column;
                char *to = y + (ptrdiff_t)r * y_row + c * sizeof(LANE);
                OF(copy_square)(from, x_column, to, y_row, streams);
            }
    }
}

/* Copies at most PANEL_BYTES of each column of the source: the part before the first aligned vector of the result,
 * the squares, and what is left. */
NOINLINE void OF(copy_panel)(size_t rows, size_t columns, const char *x, ptrdiff_t x_column, char *y, ptrdiff_t y_row,
                             bool streams) {
    const size_t foreign = streams ? (uintptr_t)y / sizeof(LANE) % WIDTH : 0, ahead = foreign ? WIDTH - foreign : 0;
    const size_t first = ahead < columns ? ahead : columns, squares = (columns - first) / WIDTH * WIDTH;
    const size_t whole = rows / WIDTH * WIDTH, done = first + squares;
    OF(copy_each)(rows, first, x, x_column, y, y_row);
    x += (ptrdiff_t)first * x_column;
    y += first * sizeof(LANE);
    if (streams)
        OF(copy_squares)(rows, squares, x, x_column, y, y_row, true);
    else
        OF(copy_squares)(rows, squares, x, x_column, y, y_row, false);
    OF(copy_each)(rows - whole, squares, x + whole * sizeof(LANE), x_column, y + (ptrdiff_t)whole * y_row, y_row);
    OF(copy_each)
    (rows, columns - done, x + (ptrdiff_t)squares * x_column, x_column, y + squares * sizeof(LANE), y_row);
}

static void OF(transpose_plane)(const view_dimension *rows, const view_dimension *columns, const char *x, char *y,
                                bool streams) {
    const size_t panel = PANEL_BYTES / sizeof(LANE);
    const bool aligned = (uintptr_t)rows->y % VECTOR_BYTES == 0;
    for (size_t r = 0; r < rows->n; r += panel) OF(copy_panel)
    (rows->n - r < panel ? rows->n - r : panel, columns->n, x + r * sizeof(LANE), columns->x,
     y + (ptrdiff_t)r * rows->y, rows->y, streams && aligned);
}

#undef LANE
#undef SQUARE_BYTES
#undef WIDTH
#undef VECTOR
#undef LANES
#undef OF
