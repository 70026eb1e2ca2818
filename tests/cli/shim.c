/* Preloaded before libweft.so to show that the command notices what goes wrong behind it:
 *   SHIM_FLIP=DEVICE    results of weft_reduce on that device have their lowest bit flipped
 *   SHIM_CUT=FILE       the file is cut to nothing before weft_reduce reads it
 *   SHIM_FAIL=DEVICE    weft_reduce fails on that device */
#include "weft.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef weft_status reduce_function(weft_context *, weft_op, weft_dtype, weft_dtype, size_t, const void *, void *);

static int is_for(const char *variable, const weft_context *ctx) {
    const char *device = getenv(variable);
    return device && strcmp(device, weft_device(ctx)) == 0;
}

weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const void *x, void *out) {
    void *const symbol = dlsym(RTLD_NEXT, "weft_reduce");
    reduce_function *real;
    memcpy(&real, &symbol, sizeof real);
    const char *file = getenv("SHIM_CUT");
    if (file && truncate(file, 0) != 0) return WEFT_INTERNAL;
    if (is_for("SHIM_FAIL", ctx)) return WEFT_INTERNAL;
    const weft_status status = real(ctx, op, dtype, accumulate, n, x, out);
    if (is_for("SHIM_FLIP", ctx)) *(unsigned char *)out ^= 1;
    return status;
}
