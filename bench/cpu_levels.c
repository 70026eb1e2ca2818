/* build/bench_cpu_levels [--threads N] [--only TEXT]: the same calls with the instruction sets x86-64-v2 (SSE4.2), v3
 * (AVX2 and FMA) and v4 (AVX-512) of one machine, on N threads (1 by default). --only runs the rows whose names
 * contain TEXT. In each round every set takes its turn. Prints the medians of the time of a call, and the speed of v2
 * and v3 divided by that of v4. Arrays of 2^14 elements are in the caches of one core. */
#include "cpu_calls.h"

enum { LEVELS = 3, ROUNDS_MOST = 201, ROUNDS_LEAST = 5 };
static const double BUDGET_SECONDS = 0.5, ROUND_SECONDS = 1e-4;
static const char *const LEVEL_NAMES[LEVELS] = {"v2", "v3", "v4"};

/* ------------------------------------------------------------------------------------- rounds */

static weft_context *levels[LEVELS]; /* NULL: this machine or this build does not have the set */

static double seconds(call *run, weft_context *ctx, size_t n, int calls) {
    const double start = now();
    for (int i = 0; i < calls; i++)
        if (run(ctx, n) != WEFT_OK) stop("weft", weft_last_error(ctx));
    return (now() - start) / calls;
}

/* Sets median to the medians of the seconds of a call with each instruction set, or to 0. */
static void measure(call *run, size_t n, double median[LEVELS]) {
    static double taken[LEVELS][ROUNDS_MOST];
    int calls = 1, rounds = 0;
    for (int i = 0; i < LEVELS; i++)
        if (levels[i])
            while (seconds(run, levels[i], n, calls) * calls < ROUND_SECONDS) calls *= 2;
    for (const double start = now(); rounds < ROUNDS_LEAST || now() - start < BUDGET_SECONDS; rounds++) {
        if (rounds == ROUNDS_MOST) break;
        for (int i = 0; i < LEVELS; i++) taken[i][rounds] = levels[i] ? seconds(run, levels[i], n, calls) : 0;
    }
    for (int i = 0; i < LEVELS; i++) median[i] = median_of(taken[i], rounds);
}

static void print(const char *name, size_t n, int threads, const double *median) {
    const double last = median[LEVELS - 1];
    const double scale = last < 1e-6 ? 1e9 : last < 1e-3 ? 1e6 : 1e3;
    printf("%-46s %9zu %2d ", name, n, threads);
    for (int i = 0; i < LEVELS; i++)
        if (levels[i])
            printf(" %s %9.3f", LEVEL_NAMES[i], scale * median[i]);
        else
            printf(" %s %9s", LEVEL_NAMES[i], "-");
    printf(" %s", last < 1e-6 ? "ns" : last < 1e-3 ? "us" : "ms");
    for (int i = 0; i < LEVELS - 1; i++)
        if (levels[i])
            printf(" %6.2fx", last / median[i]);
        else
            printf(" %7s", "-");
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    int threads = 1;
    const char *only = "";
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--threads") == 0)
            threads = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
    for (int i = 0; i < LEVELS; i++) {
        char device[16];
        snprintf(device, sizeof device, "cpu:%s", LEVEL_NAMES[i]);
        if (weft_open(&levels[i], device) != WEFT_OK)
            levels[i] = NULL;
        else if (weft_set_threads(levels[i], threads) != WEFT_OK)
            stop("weft", weft_last_error(levels[i]));
    }
    if (!levels[LEVELS - 1]) {
        printf("this machine or this build does not have the instruction set %s\n", LEVEL_NAMES[LEVELS - 1]);
        return 0;
    }
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
        double median[LEVELS];
        if (!strstr(ROWS[r].name, only)) continue;
        fill(levels[LEVELS - 1], ROWS[r].dtype, ROWS[r].dtype == WEFT_F64 ? LONGEST / 2 : LONGEST);
        measure(ROWS[r].run, ROWS[r].n, median);
        print(ROWS[r].name, ROWS[r].n, threads, median);
    }
    for (int i = 0; i < LEVELS; i++) weft_close(levels[i]);
    free(x);
    free(y);
    free(z);
    free(diagonal);
    return 0;
}
