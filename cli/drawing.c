/* A line over two axes as SVG, the vertical one logarithmic with a line for each power of ten. */
#include "cli/file.h"
#include "cli/npy_header.h"
#include "cli/picture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 90, RIGHT = 20, TOP = 20, BOTTOM = 60 };

/* Text that grows. */
typedef struct text {
    char *at;
    size_t length;
    FILE *stream;
} text;

typedef struct axes {
    double x_low, x_high;
    int low, high; /* powers of ten */
} axes;

static double x_of(const axes *a, double x) {
    const double range = a->x_high - a->x_low;
    return LEFT + (range > 0 ? (x - a->x_low) / range : 0.5) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const axes *a, double y) {
    return TOP + (a->high - log10(y)) / (a->high - a->low) * (HEIGHT - TOP - BOTTOM);
}

static bool is_shown(double y) { return y > 0 && isfinite(y); }

static axes find_axes(size_t n, const double *pairs) {
    axes a = {pairs[0], pairs[2 * n - 2], 0, 1};
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < n; i++) {
        const double y = pairs[2 * i + 1];
        if (!is_shown(y)) continue;
        low = fmin(low, y);
        high = fmax(high, y);
    }
    if (high == 0) return a;
    a.low = (int)floor(log10(low));
    a.high = (int)ceil(log10(high));
    if (a.high == a.low) a.high++;
    return a;
}

static void draw_axes(FILE *out, const axes *a, const char *x_name, const char *y_name) {
    const int step = (a->high - a->low + 9) / 10;
    for (int p = a->low; p <= a->high; p += step) {
        const double y = y_of(a, pow(10, p));
        fprintf(out, "<path d='M%d %.1fH%d' stroke='#ccc'/><text x='%d' y='%.1f' text-anchor='end'>1e%d</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, p);
    }
    for (int i = 0; i <= 4; i++) {
        const double x = a->x_low + (a->x_high - a->x_low) * i / 4;
        fprintf(out, "<text x='%.1f' y='%d' text-anchor='middle'>%.4g</text>\n", x_of(a, x), HEIGHT - BOTTOM + 20, x);
    }
    fprintf(out, "<path d='M%d %dV%dH%d' fill='none' stroke='#000'/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 15,
            x_name);
    fprintf(out, "<text transform='translate(22 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, y_name);
}

static void draw(FILE *out, size_t n, const double *pairs, const char *x_name, const char *y_name) {
    const axes a = find_axes(n, pairs);
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n",
            WIDTH, HEIGHT);
    fputs("<rect width='100%' height='100%' fill='#fff'/>\n", out);
    draw_axes(out, &a, x_name, y_name);
    fputs("<polyline fill='none' stroke='#2c728e' stroke-width='2' points='", out);
    for (size_t i = 0; i < n; i++)
        if (is_shown(pairs[2 * i + 1]))
            fprintf(out, "%.2f,%.2f ", x_of(&a, pairs[2 * i]), y_of(&a, pairs[2 * i + 1]));
    fputs("'/>\n</svg>\n", out);
}

bool drawing_write(const char *path, size_t n, const double *pairs, const char *x_name, const char *y_name,
                   npy_error *error) {
    text t = {0};
    if (n == 0) return npy_fail(error, "there is nothing to draw");
    t.stream = open_memstream(&t.at, &t.length);
    if (!t.stream) return npy_fail(error, "no memory for a drawing");
    draw(t.stream, n, pairs, x_name, y_name);
    bool good = fclose(t.stream) == 0 || npy_fail(error, "no memory for a drawing");
    good = good && file_write(path, &(const file_part){t.at, t.length}, 1, error);
    free(t.at);
    return good;
}
