/* Preloaded before libweft.so to show that the command detects failures of the library:
 *   SHIM_FLIP=DEVICE    flips the lowest bit of the results of weft_reduce on that device
 *   SHIM_FLIP_SCAN=DEVICE  flips a bit in the middle of the results of weft_scan on that device
 *   SHIM_CUT=FILE       truncates the file to 0 bytes before weft_reduce or weft_scan reads it
 *   SHIM_FAIL=DEVICE    weft_reduce fails on that device */
#include "weft.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef weft_status reduce_function(weft_context *, weft_op, weft_dtype, weft_dtype, size_t, const void *, void *);
typedef weft_status scan_function(weft_context *, weft_op, weft_scan_kind, weft_dtype, weft_dtype, size_t,
                                  const void *, const void *, void *);

static int is_for(const char *variable, const weft_context *ctx) {
    const char *device = getenv(variable);
    return device && strcmp(device, weft_device(ctx)) == 0;
}

/* Truncates the file of SHIM_CUT. Returns 0 if that failed. */
static int cut_file(void) {
    const char *file = getenv("SHIM_CUT");
    return !file || truncate(file, 0) == 0;
}

weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const void *x, void *out) {
    void *const symbol = dlsym(RTLD_NEXT, "weft_reduce");
    reduce_function *real;
    memcpy(&real, &symbol, sizeof real);
    if (!cut_file() || is_for("SHIM_FAIL", ctx)) return WEFT_INTERNAL;
    const weft_status status = real(ctx, op, dtype, accumulate, n, x, out);
    if (is_for("SHIM_FLIP", ctx)) *(unsigned char *)out ^= 1;
    return status;
}

weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                      size_t n, const void *x, const void *init, void *y) {
    void *const symbol = dlsym(RTLD_NEXT, "weft_scan");
    scan_function *real;
    memcpy(&real, &symbol, sizeof real);
    if (!cut_file()) return WEFT_INTERNAL;
    const weft_status status = real(ctx, op, kind, dtype, accumulate, n, x, init, y);
    if (n && is_for("SHIM_FLIP_SCAN", ctx)) *((unsigned char *)y + (n / 2) * weft_dtype_size(dtype)) ^= 1;
    return status;
}
