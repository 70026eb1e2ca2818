/* weft_recurrence: argument checks. */
#include "core/check.h"
#include "core/parts.h"

/* Computes the number of elements in `rows` rows of n. */
static weft_status count_elements(size_t rows, size_t n, size_t *elements, weft_error *error) {
    RETURN_IF(n > 0 && rows > SIZE_MAX / n, WEFT_INVALID, "%zu rows of %zu elements do not fit in memory", rows, n);
    *elements = rows * n;
    return WEFT_OK;
}

static weft_status recurrence(weft_context *ctx, weft_dtype dtype, weft_direction direction, size_t rows, size_t n,
                              const void *s, const void *u, const void *init, void *v, weft_error *error) {
    type_kind kind;
    size_t elements;
    range factors, terms, first = {0}, to;
    FORWARD(check_kind(dtype, &kind, error));
    RETURN_IF(kind != KIND_FLOAT, WEFT_UNSUPPORTED, "recurrence requires f32 or f64 elements, not %s",
              weft_dtype_name(dtype));
    RETURN_IF((unsigned)direction > WEFT_REVERSE, WEFT_INVALID, "invalid direction %d", (int)direction);
    FORWARD(count_elements(rows, n, &elements, error));
    const size_t size = weft_dtype_size(dtype);
    FORWARD(check_array(ctx, "s", s, elements, size, &factors, error));
    FORWARD(check_array(ctx, "u", u, elements, size, &terms, error));
    FORWARD(check_array(ctx, "v", v, elements, size, &to, error));
    if (init) FORWARD(check_array(ctx, "init", init, elements ? rows : 0, size, &first, error));
    if (v != s) FORWARD(check_apart(&to, &factors, error));
    if (v != u) FORWARD(check_apart(&to, &terms, error));
    FORWARD(check_apart(&to, &first, error));
    if (elements == 0) return WEFT_OK;
    const recurrence_call call = {dtype, direction == WEFT_REVERSE, rows, n, s, u, init, v, NULL};
    return ctx->backend->recurrence(ctx->state, &call, error);
}

weft_status weft_recurrence(weft_context *ctx, weft_dtype dtype, weft_direction direction, size_t rows, size_t n,
                            const void *s, const void *u, const void *init, void *v) {
    GUARDED(ctx, recurrence(ctx, dtype, direction, rows, n, s, u, init, v, error));
}

weft_status weft_part_recurrence(weft_context *ctx, weft_dtype dtype, weft_direction direction, size_t n,
                                 const void *s, const void *u, const void *init, void *v, uint64_t *map) {
    const recurrence_call call = {dtype, direction == WEFT_REVERSE, 1, n, s, u, init, v, map};
    GUARDED(ctx, ctx->backend->recurrence(ctx->state, &call, error));
}
