/* The moving average of a column of numbers by a prefix sum: moving_average WINDOW < numbers.txt
 * With P[i] the sum of the numbers before i, the average of a window is (P[i + w] - P[i]) / w: one pass, whatever the
 * window. The numbers are taken as whole thousandths, so that the differences are exact. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

/* Reads numbers up to the end of file; *x is malloc'ed, with one element more for the last prefix sum. */
static size_t read_thousandths(FILE *file, int64_t **x) {
    size_t n = 0, capacity = 0;
    double value;
    *x = NULL;
    while (fscanf(file, "%lf", &value) == 1) {
        if (n + 2 > capacity) {
            capacity = capacity > 0 ? 2 * capacity : 1024;
            *x = realloc(*x, capacity * sizeof **x);
            if (*x == NULL) return 0;
        }
        (*x)[n++] = llround(value * 1000);
    }
    if (n > 0) (*x)[n] = 0;
    return n;
}

int main(int argc, char **argv) {
    const size_t window = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    int64_t *x;
    const size_t n = read_thousandths(stdin, &x);
    if (window == 0 || n < window)
        return fprintf(stderr, "moving_average: a window of %zu, and %zu numbers\n", window, n), 2;
    int64_t *before = malloc((n + 1) * sizeof *before);
    weft_context *ctx;
    if (before == NULL) return perror("moving_average"), 1;
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "moving_average: %s\n", weft_last_error(NULL)), 1;
    if (weft_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_I64, WEFT_DEFAULT, n + 1, x, NULL, before) != WEFT_OK)
        return fprintf(stderr, "moving_average: %s\n", weft_last_error(ctx)), 1;
    for (size_t i = 0; i + window <= n; i++)
        printf("%.10g\n", (double)(before[i + window] - before[i]) / 1000.0 / (double)window);
    weft_close(ctx);
    free(before);
    free(x);
}
