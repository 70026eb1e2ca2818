/* Functions of BLAS and LAPACK, computed by weft. run.sh preloads them into Netlib's test programs. At exit, prints
 * the number of calls of each function to standard error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static weft_context *ctx;
static struct {
    const char *name;
    size_t calls;
} counts[16];

static void report(void) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts && counts[i].name; i++)
        fprintf(stderr, "weft: %s: %zu calls\n", counts[i].name, counts[i].calls);
    weft_close(ctx);
}

/* Counts a call of the function `name`. The first call opens the context. */
static void count_call(const char *name) {
    size_t i = 0;
    if (!ctx) {
        const char *device = getenv("WEFT_NETLIB_DEVICE");
        if (weft_open(&ctx, device ? device : "cpu") != WEFT_OK) {
            fprintf(stderr, "weft: %s\n", weft_last_error(NULL));
            exit(1);
        }
        atexit(report);
    }
    while (counts[i].name && strcmp(counts[i].name, name) != 0) i++;
    counts[i].name = name;
    counts[i].calls++;
}

static void require(weft_status status) {
    if (status == WEFT_OK) return;
    fprintf(stderr, "weft: %s\n", weft_last_error(ctx));
    exit(1);
}

static void *allocate(size_t n, size_t bytes) {
    void *p = calloc(n ? n : 1, bytes);
    if (!p) exit(1);
    return p;
}

static weft_transpose transpose_of(const char *letter) {
    return *letter == 'N' || *letter == 'n' ? WEFT_NO_TRANSPOSE : WEFT_TRANSPOSE;
}

#define REAL float
#define DTYPE WEFT_F32
#define FORTRAN(name) s##name##_
#define OF(name) name##_f32
#include "netlib_body.h"

#define REAL double
#define DTYPE WEFT_F64
#define FORTRAN(name) d##name##_
#define OF(name) name##_f64
#include "netlib_body.h"
