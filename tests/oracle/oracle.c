#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

weft_context *oracle_open(int argc, char **argv) {
    weft_context *ctx;
    const char *device = argc > 1 ? argv[1] : "ref";
    if (weft_open(&ctx, device) == WEFT_OK) return ctx;
    printf("%s: %s\n", device, weft_last_error(NULL));
    exit(1);
}

wide oracle_element(weft_dtype dtype, const void *x, size_t i) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return (wide)((const ctype *)x)[i];
#include "core/types.def"
    return 0;
}

double oracle_factor(size_t n, double epsilon) { return (39 + log2((double)n / 4096)) * epsilon / 2; }
