/* Line drawings as SVG. A history has a logarithmic axis with a line for each power of ten. Other drawings show the
 * convergence of a simulation's prices and the scaling of operations with ranks. */
#include "cli/io/file.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/picture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 90, RIGHT = 20, TOP = 20, BOTTOM = 60 };

/* A text buffer that grows. */
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

/* Draws the two axes and their names. */
static void draw_frame(FILE *out, const char *x_name, const char *y_name) {
    fprintf(out, "<path d='M%d %dV%dH%d' fill='none' stroke='#000'/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 15,
            x_name);
    fprintf(out, "<text transform='translate(22 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, y_name);
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
    draw_frame(out, x_name, y_name);
}

static void begin_drawing(FILE *out) {
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n",
            WIDTH, HEIGHT);
    fputs("<rect width='100%' height='100%' fill='#fff'/>\n", out);
}

static void draw(FILE *out, size_t n, const double *pairs, const char *x_name, const char *y_name) {
    const axes a = find_axes(n, pairs);
    begin_drawing(out);
    draw_axes(out, &a, x_name, y_name);
    fputs("<polyline fill='none' stroke='#2c728e' stroke-width='2' points='", out);
    for (size_t i = 0; i < n; i++)
        if (is_shown(pairs[2 * i + 1]))
            fprintf(out, "%.2f,%.2f ", x_of(&a, pairs[2 * i]), y_of(&a, pairs[2 * i + 1]));
    fputs("'/>\n</svg>\n", out);
}

/* Writes the text to the file, if the stream was opened. */
static bool finish(text *t, const char *path, npy_error *error) {
    bool good = fclose(t->stream) == 0 || npy_fail(error, "cannot allocate memory for a drawing");
    good = good && file_write(path, &(const file_part){t->at, t->length, 1}, 1, error);
    free(t->at);
    return good;
}

bool drawing_write(const char *path, size_t n, const double *pairs, const char *x_name, const char *y_name,
                   npy_error *error) {
    text t = {0};
    if (n == 0) return npy_fail(error, "the drawing has no points");
    t.stream = open_memstream(&t.at, &t.length);
    if (!t.stream) return npy_fail(error, "cannot allocate memory for a drawing");
    draw(t.stream, n, pairs, x_name, y_name);
    return finish(&t, path, error);
}

/* ----------------------------------------------------------------------------- convergence */

/* Ranges of the axes: logarithms of the numbers of paths, and prices. */
typedef struct window {
    double first, last, low, high;
} window;

static double x_in(const window *w, double paths) {
    const double range = log(w->last / w->first);
    return LEFT + (range > 0 ? log(paths / w->first) / range : 0.5) * (WIDTH - LEFT - RIGHT);
}

static double y_in(const window *w, double price) {
    return TOP + (w->high - price) / (w->high - w->low) * (HEIGHT - TOP - BOTTOM);
}

/* Returns the range of all points, with a margin. */
static window find_window(size_t n, const convergence_point *points, double exact) {
    window w = {points[0].paths, points[n - 1].paths, points[0].price, points[0].price};
    for (size_t i = 0; i < n; i++) {
        w.low = fmin(w.low, fmin(points[i].low, exact)); /* fmin and fmax ignore a NaN */
        w.high = fmax(w.high, fmax(points[i].high, exact));
    }
    const double margin = w.high > w.low ? (w.high - w.low) / 20 : 1;
    w.low -= margin;
    w.high += margin;
    return w;
}

/* Returns the least number of the form 1, 2 or 5 times a power of ten that divides the range into at most six parts.
 */
static double round_step(double range) {
    const double power = pow(10, floor(log10(range / 6)));
    for (int i = 1; i < 10; i += i == 2 ? 3 : i == 5 ? 5 : 1)
        if (i * power * 6 >= range) return i * power;
    return 10 * power;
}

/* Draws horizontal lines labelled with their values times `scale`. */
static void draw_levels(FILE *out, const window *w, double scale) {
    const double step = round_step(w->high - w->low);
    for (double i = ceil(w->low / step); i * step <= w->high; i++) {
        const double y = y_in(w, i * step);
        fprintf(out, "<path d='M%d %.1fH%d' stroke='#ccc'/><text x='%d' y='%.1f' text-anchor='end'>%.7g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, i * step * scale);
    }
}

static void draw_scales(FILE *out, const window *w) {
    draw_levels(out, w, 1);
    for (int power = (int)ceil(log10(w->first)); pow(10, power) <= w->last; power++) {
        const double x = x_in(w, pow(10, power));
        fprintf(out, "<path d='M%.1f %dV%d' stroke='#ccc'/><text x='%.1f' y='%d' text-anchor='middle'>1e%d</text>\n",
                x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 20, power);
    }
    draw_frame(out, "paths", "price and 95 % interval");
}

static void draw_convergence(FILE *out, size_t n, const convergence_point *points, double exact) {
    const window w = find_window(n, points, exact);
    begin_drawing(out);
    fputs("<polygon fill='#cfe3ea' points='", out);
    for (size_t i = 0; i < n; i++) fprintf(out, "%.2f,%.2f ", x_in(&w, points[i].paths), y_in(&w, points[i].high));
    for (size_t i = n; i-- > 0;) fprintf(out, "%.2f,%.2f ", x_in(&w, points[i].paths), y_in(&w, points[i].low));
    fputs("'/>\n", out);
    draw_scales(out, &w);
    if (!isnan(exact))
        fprintf(out,
                "<path d='M%d %.2fH%d' stroke='#d1495b' stroke-width='1.5' stroke-dasharray='6 4'/>"
                "<text x='%d' y='%d' text-anchor='end' fill='#d1495b'>exact %.9g</text>\n",
                LEFT, y_in(&w, exact), WIDTH - RIGHT, WIDTH - RIGHT - 8, TOP + 18, exact);
    fputs("<polyline fill='none' stroke='#2c728e' stroke-width='2' points='", out);
    for (size_t i = 0; i < n; i++) fprintf(out, "%.2f,%.2f ", x_in(&w, points[i].paths), y_in(&w, points[i].price));
    fputs("'/>\n</svg>\n", out);
}

bool convergence_write(const char *path, size_t n, const convergence_point *points, double exact, npy_error *error) {
    text t = {0};
    for (size_t i = 0; i < n; i++)
        if (!isfinite(points[i].low) || !isfinite(points[i].high))
            return npy_fail(error, "the price of %.0f paths is not finite and cannot be drawn", points[i].paths);
    t.stream = open_memstream(&t.at, &t.length);
    if (!t.stream) return npy_fail(error, "cannot allocate memory for a drawing");
    draw_convergence(t.stream, n, points, exact);
    return finish(&t, path, error);
}

/* --------------------------------------------------------------------------------- scaling */

static const char *const COLOURS[] = {"#2c728e", "#d1495b", "#66a182", "#edae49", "#6f4e7c", "#444444"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

static void draw_shares(FILE *out, const window *w, size_t n, const int *ranks, const double *shares,
                        const char *style) {
    fprintf(out, "<polyline fill='none' stroke-width='2' %s points='", style);
    for (size_t i = 0; i < n; i++) fprintf(out, "%.2f,%.2f ", x_in(w, ranks[i]), y_in(w, shares[i]));
    fputs("'/>\n", out);
}

/* Draws strong scaling as a solid line and weak scaling as a dashed line, and adds the operation's name to the
 * legend.
 */
static void draw_scaling_line(FILE *out, const window *w, size_t n, const int *ranks, const scaling_line *line,
                              size_t number) {
    const char *const colour = COLOURS[number % COLOUR_COUNT];
    char style[80];
    snprintf(style, sizeof style, "stroke='%s'", colour);
    draw_shares(out, w, n, ranks, line->strong, style);
    snprintf(style, sizeof style, "stroke='%s' stroke-dasharray='6 4'", colour);
    draw_shares(out, w, n, ranks, line->weak, style);
    fprintf(out, "<text x='%d' y='%zu' fill='%s'>%s</text>\n", LEFT + 12,
            (size_t)(HEIGHT - BOTTOM - 12) - 16 * number, colour, line->name);
}

static void draw_scaling(FILE *out, size_t n, const int *ranks, size_t count, const scaling_line *lines) {
    window w = {ranks[0], ranks[n - 1], 0, 1.1};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) w.high = fmax(w.high, 1.05 * fmax(lines[i].strong[k], lines[i].weak[k]));
    begin_drawing(out);
    draw_levels(out, &w, 100);
    for (size_t k = 0; k < n; k++)
        fprintf(out, "<text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n", x_in(&w, ranks[k]),
                HEIGHT - BOTTOM + 20, ranks[k]);
    draw_frame(out, "ranks", "% of perfect scaling: strong, and dashed weak");
    for (size_t i = 0; i < count; i++) draw_scaling_line(out, &w, n, ranks, &lines[i], i);
    fputs("</svg>\n", out);
}

bool scaling_write(const char *path, size_t n, const int *ranks, size_t count, const scaling_line *lines,
                   npy_error *error) {
    text t = {0};
    t.stream = open_memstream(&t.at, &t.length);
    if (!t.stream) return npy_fail(error, "cannot allocate memory for a drawing");
    draw_scaling(t.stream, n, ranks, count, lines);
    return finish(&t, path, error);
}
