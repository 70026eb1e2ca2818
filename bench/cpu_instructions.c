/* bench_cpu_instructions DEVICE ROW CALLS: makes the calls of a row of cpu_calls.h, with one thread and at most SHORT
 * elements or matrices of order 256, and prints its name and the elements of a call (of the result, for a product).
 * bench/instructions.sh counts the instructions under qemu. Prints nothing if the row before is
 * the same call with fewer elements. Exits with 3 if there is no such row. */
#include "cpu_calls.h"

enum { ORDER = 256, NO_ROW = 3 };

int main(int argc, char **argv) {
    weft_context *ctx;
    if (argc != 4) stop("bench_cpu_instructions", "expected DEVICE ROW CALLS");
    const size_t row = strtoul(argv[2], NULL, 10);
    const long calls = strtol(argv[3], NULL, 10);
    if (row >= sizeof ROWS / sizeof *ROWS) return NO_ROW;
    if (row > 0 && strcmp(ROWS[row].name, ROWS[row - 1].name) == 0) return 0; // the same call with more elements
    const bool is_product = strstr(ROWS[row].name, "matmul") != NULL;
    const size_t most = is_product ? ORDER : SHORT, n = ROWS[row].n < most ? ROWS[row].n : most;
    if (weft_open(&ctx, argv[1]) != WEFT_OK) stop(argv[1], "cannot be opened");
    if (weft_set_threads(ctx, 1) != WEFT_OK) stop("weft", weft_last_error(ctx));
    fill(ctx, ROWS[row].dtype, is_product ? n * n : 2 * n); // 2 n: a transform is of complex numbers
    for (long i = 0; i < calls; i++)
        if (ROWS[row].run(ctx, n) != WEFT_OK) stop("weft", weft_last_error(ctx));
    printf("%zu %s\n", is_product ? n * n : n, ROWS[row].name);
    weft_close(ctx);
    return 0;
}
