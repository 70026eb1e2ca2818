/* Draws what a GPU does while it scans an array in host memory chunk by chunk: timeline PICTURE.svg [DEVICE [N]]
 * Draws each copy and the work on each chunk as the GPU's own clock saw them, and prints how much of the time two of
 * them, or all three, went on at once. */
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { MEMORY = 512 << 20, SPANS = 4096, WIDTH = 900, LEFT = 90, LANE = 46, TOP = 40 };

static int fail(const weft_context *ctx) { return fprintf(stderr, "timeline: %s\n", weft_last_error(ctx)), 1; }

static double x_of(double t, double begin, double end) {
    return LEFT + (t - begin) / (end - begin) * (WIDTH - LEFT - 20);
}

static int draw(const char *path, const weft_timeline *line, double begin, double end) {
    static const char *const names[] = {"copies in", "copies out", "work"}, *const colours[] = {"#2c728e", "#d1495b",
                                                                                                "#5ec962"};
    static const int rows[] = {0, 2, 1};
    FILE *file = fopen(path, "w");
    if (file == NULL) return perror(path), 0;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n"
            "<rect width='100%%' height='100%%' fill='#fff'/>\n",
            WIDTH, TOP + 3 * LANE + 40);
    for (int lane = 0; lane < 3; lane++)
        fprintf(file, "<text x='%d' y='%d' text-anchor='end'>%s</text>\n", LEFT - 10,
                TOP + rows[lane] * LANE + LANE / 2, names[lane]);
    for (size_t i = 0; i < line->count; i++) {
        const weft_span *s = &line->spans[i];
        const double x = x_of(s->begin, begin, end), width = x_of(s->end, begin, end) - x;
        fprintf(file, "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='%s' stroke='#fff' stroke-width='0.4'/>\n",
                x, TOP + rows[s->lane] * LANE, width < 0.6 ? 0.6 : width, LANE - 12, colours[s->lane]);
    }
    for (int i = 0; i <= 5; i++)
        fprintf(file, "<text x='%.1f' y='%d' text-anchor='%s'>%.2f ms</text>\n",
                x_of(begin + (end - begin) * i / 5, begin, end), TOP + 3 * LANE + 20,
                i == 0   ? "start"
                : i == 5 ? "end"
                         : "middle",
                (end - begin) * i / 5 * 1e3);
    fputs("</svg>\n", file);
    return fclose(file) == 0;
}

/* How long at least `wanted` of the three lanes are at work; each of them does one thing at a time. */
static double busy(const weft_timeline *line, double begin, double end, int wanted) {
    enum { STEPS = 20000 };
    double time = 0;
    for (int i = 0; i < STEPS; i++) {
        const double t = begin + (end - begin) * (i + 0.5) / STEPS;
        int lanes = 0;
        for (size_t k = 0; k < line->count; k++)
            lanes |= (line->spans[k].begin <= t && t < line->spans[k].end) << line->spans[k].lane;
        time += ((lanes & 1) + (lanes >> 1 & 1) + (lanes >> 2 & 1) >= wanted) * (end - begin) / STEPS;
    }
    return time;
}

static weft_status scan(weft_context *ctx, size_t n, const float *x, float *y) {
    weft_channel in, out;
    const weft_source source = weft_source_memory(&in, WEFT_F32, n, x);
    const weft_sink sink = weft_sink_memory(&out, n * sizeof *y, y);
    return weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &sink);
}

int main(int argc, char **argv) {
    static weft_span spans[SPANS];
    weft_timeline line = {.size = sizeof line, .capacity = SPANS, .spans = spans};
    const size_t n = argc > 3 ? (size_t)strtod(argv[3], NULL) : (size_t)1 << 28;
    weft_context *ctx;
    float *x, *y;
    if (argc < 2 || n == 0) return fprintf(stderr, "usage: timeline PICTURE.svg [DEVICE [N]]\n"), 2;
    if (weft_open(&ctx, argc > 2 ? argv[2] : "cuda") != WEFT_OK) return fail(NULL);
    if (weft_alloc(ctx, WEFT_PINNED, n * sizeof *x, (void **)&x) != WEFT_OK ||
        weft_alloc(ctx, WEFT_PINNED, n * sizeof *y, (void **)&y) != WEFT_OK)
        return fail(ctx);
    for (size_t i = 0; i < n; i++) x[i] = (float)(i % 1000) / 1000;
    if (weft_set_memory(ctx, MEMORY) != WEFT_OK || scan(ctx, n, x, y) != WEFT_OK ||
        weft_set_timeline(ctx, &line) != WEFT_OK || scan(ctx, n, x, y) != WEFT_OK)
        return fail(ctx);
    if (line.count > SPANS)
        return fprintf(stderr, "timeline: %zu spans, expected at most %d\n", line.count, SPANS), 1;
    double begin = spans[0].begin, end = spans[0].end;
    for (size_t i = 0; i < line.count; i++) {
        if (spans[i].begin < begin) begin = spans[i].begin;
        if (spans[i].end > end) end = spans[i].end;
    }
    printf("%zu chunks, %.3f ms, %.1f GB/s each way\n", line.count / 3, (end - begin) * 1e3,
           n * sizeof *x / (end - begin) / 1e9);
    printf("%.0f %% of the time something goes on, %.0f %% two things or more, %.0f %% all three\n",
           100 * busy(&line, begin, end, 1) / (end - begin), 100 * busy(&line, begin, end, 2) / (end - begin),
           100 * busy(&line, begin, end, 3) / (end - begin));
    const int drawn = draw(argv[1], &line, begin, end);
    weft_free(ctx, WEFT_PINNED, x);
    weft_free(ctx, WEFT_PINNED, y);
    weft_close(ctx);
    return drawn ? 0 : 1;
}
