/* Draws a plane of numbers as a picture, and sequences of numbers as line drawings. */
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include "cli/io/npy/npy.h"

/* Writes `height` rows of `width` f32 or f64 values to a PNG file, with the first row on top. Small planes are
 * enlarged. The least finite value is dark blue, the greatest is yellow, values that are not finite are grey. A
 * colour scale is drawn at the right. The file appears complete or not at all. Returns false and writes a sentence to
 * `error` on failure. */
bool picture_write(const char *path, weft_dtype dtype, size_t width, size_t height, const void *data,
                   npy_error *error);

/* Writes an SVG file: plots the second number of n pairs over the first, which must ascend. The second number has a
 * logarithmic axis; values that are not above 0 are omitted. The arguments x_name and y_name label the axes. */
bool drawing_write(const char *path, size_t n, const double *pairs, const char *x_name, const char *y_name,
                   npy_error *error);

/* Result of a simulation with `paths` paths: a price and its confidence interval. */
typedef struct convergence_point {
    double paths, price, low, high;
} convergence_point;

/* Writes an SVG file: plots n prices with their intervals over the number of paths, which must ascend, on a
 * logarithmic axis. Draws a line at the exact price unless `exact` is NaN. */
bool convergence_write(const char *path, size_t n, const convergence_point *points, double exact, npy_error *error);

/* Efficiency of an operation for each number of ranks, as a fraction of perfect strong and weak scaling. */
typedef struct scaling_line {
    const char *name;
    double strong[32], weak[32];
} scaling_line;

/* Writes an SVG file: plots these fractions over n numbers of ranks, which must ascend, on a logarithmic axis. */
bool scaling_write(const char *path, size_t n, const int *ranks, size_t count, const scaling_line *lines,
                   npy_error *error);

#endif
