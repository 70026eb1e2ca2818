/* The program, in C, compiled and linked by gcc without CUDA. Usage:
 * program [N] */
#include "squares.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const float x[] = {0, 1, 2, 3, 1.5f, -4};
    float y[sizeof x / sizeof *x];
    const size_t n =
        argc > 1 ? strtoull(argv[1], NULL, 10) : sizeof x / sizeof *x;
    const int code = squares(n, x, y);
    if (code != 0) {
        fprintf(stderr, "program: squares of %zu numbers: %s\n", n,
                squares_error(code));
        return 1;
    }
    for (size_t i = 0; i < n; i++) printf("%g ", (double)y[i]);
    printf("\n");
    return 0;
}
