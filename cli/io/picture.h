/* A plane of numbers as a picture, and a history of numbers as a drawing. */
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include "cli/io/npy.h"

/* Writes `height` rows of `width` f32 or f64 to a PNG file, the first row on top, small ones enlarged: the least
 * finite value dark blue, the greatest yellow, what is not finite grey, and a scale beside it. The file appears whole
 * or not at all. Returns false and leaves a sentence in `error`. */
bool picture_write(const char *path, weft_dtype dtype, size_t width, size_t height, const void *data,
                   npy_error *error);

/* Writes an SVG file: the second number of n pairs over the first, which ascends; the second on a logarithmic axis
 * (what is not above 0 is left out), with the names of both. */
bool drawing_write(const char *path, size_t n, const double *pairs, const char *x_name, const char *y_name,
                   npy_error *error);

/* What so many paths of a simulation give: a price and an interval about it. */
typedef struct convergence_point {
    double paths, price, low, high;
} convergence_point;

/* Writes an SVG file: n prices with their intervals over the number of paths, which ascends, on a logarithmic axis;
 * and a line at the exact price, unless that is NaN. */
bool convergence_write(const char *path, size_t n, const convergence_point *points, double exact, npy_error *error);

/* What of perfect scaling an operation reaches on so many ranks: for each number of them, strong and weak. */
typedef struct scaling_line {
    const char *name;
    double strong[32], weak[32];
} scaling_line;

/* Writes an SVG file: these shares over n numbers of ranks, which ascend, on a logarithmic axis. */
bool scaling_write(const char *path, size_t n, const int *ranks, size_t count, const scaling_line *lines,
                   npy_error *error);

#endif
