/* The mean of many values, which is the same number whoever computes it: mean [N]
 * A loop's mean depends on the order in which it adds; weft's does not depend on threads or instruction sets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static void fill(float *x, size_t n) {
    uint32_t state = 1; /* xorshift, G. Marsaglia, J. Statistical Software 8, 2003 */
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        x[i] = (float)state / 4294967296.0f * (i % 3 == 0 ? 1000.0f : 1.0f);
    }
}

/* The mean of x on a device with so many threads. */
static float mean_on(const char *device, int threads, const float *x, size_t n) {
    weft_context *ctx;
    float mean = 0;
    weft_status status = weft_open(&ctx, device);
    if (status == WEFT_OK) status = weft_set_threads(ctx, threads);
    if (status == WEFT_OK) status = weft_reduce(ctx, WEFT_MEAN, WEFT_F32, WEFT_DEFAULT, n, x, &mean);
    if (status != WEFT_OK) {
        fprintf(stderr, "mean: %s\n", weft_last_error(ctx));
        exit(1);
    }
    weft_close(ctx);
    return mean;
}

static void print_mean(const char *who, float mean) {
    uint32_t bits;
    memcpy(&bits, &mean, sizeof bits);
    printf("%-22s %.9g, bits 0x%08x\n", who, (double)mean, (unsigned)bits);
}

int main(int argc, char **argv) {
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
    float *x = malloc(n > 0 ? n * sizeof *x : 1), up = 0, down = 0;
    if (x == NULL || n == 0)
        return fprintf(stderr, "mean: n is 0, or cannot allocate memory for n = %zu values\n", n), 1;
    fill(x, n);
    for (size_t i = 0; i < n; i++) up += x[i];
    for (size_t i = n; i-- > 0;) down += x[i];
    print_mean("a loop, upwards:", up / (float)n);
    print_mean("a loop, downwards:", down / (float)n);

    const float best = mean_on("auto", 0, x, n), base = mean_on("cpu:base", 1, x, n), seven = mean_on("cpu", 7, x, n);
    print_mean("weft, best device:", best);
    print_mean("weft, 1 plain thread:", base);
    print_mean("weft, 7 threads:", seven);
    const int same = memcmp(&best, &base, sizeof best) == 0 && memcmp(&best, &seven, sizeof best) == 0;
    printf("weft's bits are the same: %s\n", same ? "yes" : "no");
    free(x);
    return !same;
}
