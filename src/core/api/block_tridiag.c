/* weft_block_tridiag and weft_pentadiag: argument checks. */
#include "core/check.h"
#include "core/order.h"

enum { COEFFICIENTS = 5, LINES = 7 };

static weft_status check_arrays(const weft_context *ctx, const block_tridiag_call *c, weft_error *error) {
    static const char *const names[LINES] = {"e", "a", "b", "c", "f", "d", "x"};
    const weft_lines lines[LINES] = {c->e, c->a, c->b, c->c, c->f, c->d, {c->x, c->d.step, c->d.line}};
    const size_t matrix = c->pentadiagonal ? 1 : c->block * c->block, vector = c->pentadiagonal ? 1 : c->block;
    const size_t size = weft_dtype_size(c->dtype);
    range ranges[LINES], singular;
    const bool empty = c->systems == 0 || c->n == 0;
    for (int i = 0; i < LINES; i++) {
        const bool coefficients = i < COEFFICIENTS, unused = !c->pentadiagonal && (i == 0 || i == COEFFICIENTS - 1);
        const weft_lines l = lines[i];
        ranges[i] = (range){names[i], NULL, 0};
        if (unused) continue;
        RETURN_IF_ERROR(
            check_lines(ctx, names[i], l, c->systems, c->n, coefficients ? matrix : vector, size, &ranges[i], error));
        if (coefficients && l.step == 0 && l.line == 0 && !empty)
            RETURN_IF_ERROR(check_host_value(names[i], l.p, error));
    }
    if (!empty) RETURN_IF_ERROR(check_distinct(c->d, c->systems, c->n, error));
    RETURN_IF_ERROR(check_array(ctx, "singular", c->singular, 1, sizeof *c->singular, &singular, error));
    for (int i = 0; i < LINES; i++) {
        RETURN_IF_ERROR(check_apart(&singular, &ranges[i], error));
        const bool in_place = lines[i].p == c->x && i >= COEFFICIENTS;
        if (!in_place) RETURN_IF_ERROR(check_apart(&ranges[LINES - 1], &ranges[i], error));
    }
    return WEFT_OK;
}

static weft_status block_tridiag(weft_context *ctx, const block_tridiag_call *c, weft_boundary boundary,
                                 weft_error *error) {
    RETURN_IF_ERROR(check_float(c->pentadiagonal ? "pentadiag" : "block_tridiag", c->dtype, error));
    RETURN_IF((unsigned)boundary > WEFT_PERIODIC, WEFT_INVALID, "invalid boundary %d", (int)boundary);
    RETURN_IF(c->block < 2 || c->block > WEFT_BLOCK_TRIDIAG_MAX, WEFT_UNSUPPORTED,
              "block_tridiag: blocks have 2, 3 or 4 rows, not %zu", c->block);
    RETURN_IF(c->pentadiagonal && c->periodic && c->n % 2 == 1, WEFT_UNSUPPORTED,
              "pentadiag: a periodic system must have an even number of rows, not %zu", c->n);
    RETURN_IF_ERROR(check_arrays(ctx, c, error));
    return ctx->backend->block_tridiag(ctx->state, c, error);
}

weft_status weft_block_tridiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t block,
                               size_t systems, size_t n, weft_lines a, weft_lines b, weft_lines c, weft_lines d,
                               void *x, uint64_t *singular) {
    const block_tridiag_call call = {.dtype = dtype,
                                     .periodic = boundary == WEFT_PERIODIC,
                                     .block = block,
                                     .systems = systems,
                                     .n = n,
                                     .a = a,
                                     .b = b,
                                     .c = c,
                                     .d = d,
                                     .x = x,
                                     .singular = singular};
    RETURN_GUARDED(ctx, block_tridiag(ctx, &call, boundary, error));
}

weft_status weft_pentadiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n,
                           weft_lines e, weft_lines a, weft_lines b, weft_lines c, weft_lines f, weft_lines d,
                           void *x, uint64_t *singular) {
    const block_tridiag_call call = {.dtype = dtype,
                                     .periodic = boundary == WEFT_PERIODIC,
                                     .pentadiagonal = true,
                                     .block = 2,
                                     .systems = systems,
                                     .n = n,
                                     .e = e,
                                     .a = a,
                                     .b = b,
                                     .c = c,
                                     .f = f,
                                     .d = d,
                                     .x = x,
                                     .singular = singular};
    RETURN_GUARDED(ctx, block_tridiag(ctx, &call, boundary, error));
}
