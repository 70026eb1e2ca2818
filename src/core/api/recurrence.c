/* weft_recurrence: argument checks. */
#include "core/check.h"
#include "core/parts.h"

/* Computes the number of elements in `rows` rows of n. */
static weft_status count_elements(size_t rows, size_t n, size_t *elements, weft_error *error) {
    RETURN_IF(n > 0 && rows > SIZE_MAX / n, WEFT_INVALID, "%zu rows of %zu elements do not fit in memory", rows, n);
    *elements = rows * n;
    return WEFT_OK;
}

static weft_status recurrence(weft_context *ctx, const recurrence_call *c, weft_direction direction,
                              weft_error *error) {
    size_t elements;
    range factors, terms, first = {0}, to;
    RETURN_IF_ERROR(check_float("recurrence", c->dtype, error));
    RETURN_IF((unsigned)direction > WEFT_REVERSE, WEFT_INVALID, "invalid direction %d", (int)direction);
    RETURN_IF_ERROR(count_elements(c->rows, c->n, &elements, error));
    const size_t size = weft_dtype_size(c->dtype);
    RETURN_IF_ERROR(check_array(ctx, "s", c->s, elements, size, &factors, error));
    RETURN_IF_ERROR(check_array(ctx, "u", c->u, elements, size, &terms, error));
    RETURN_IF_ERROR(check_array(ctx, "v", c->v, elements, size, &to, error));
    if (c->init) RETURN_IF_ERROR(check_array(ctx, "init", c->init, elements ? c->rows : 0, size, &first, error));
    if (c->v != c->s) RETURN_IF_ERROR(check_apart(&to, &factors, error));
    if (c->v != c->u) RETURN_IF_ERROR(check_apart(&to, &terms, error));
    RETURN_IF_ERROR(check_apart(&to, &first, error));
    return elements ? ctx->backend->recurrence(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_recurrence(weft_context *ctx, weft_direction direction, weft_dtype dtype, size_t rows, size_t n,
                            const void *s, const void *u, const void *init, void *v) {
    const recurrence_call call = {.dtype = dtype,
                                  .reverse = direction == WEFT_REVERSE,
                                  .rows = rows,
                                  .n = n,
                                  .s = s,
                                  .u = u,
                                  .init = init,
                                  .v = v};
    RETURN_GUARDED(ctx, recurrence(ctx, &call, direction, error));
}

weft_status weft_part_recurrence(weft_context *ctx, weft_direction direction, weft_dtype dtype, size_t n,
                                 const void *s, const void *u, const void *init, void *v, uint64_t *map) {
    const recurrence_call row = {.dtype = dtype,
                                 .reverse = direction == WEFT_REVERSE,
                                 .rows = 1,
                                 .n = n,
                                 .s = s,
                                 .u = u,
                                 .init = init,
                                 .v = v};
    const recurrence_map_call call = {row, map};
    RETURN_GUARDED(ctx, map ? ctx->backend->recurrence_map(ctx->state, &call, error)
                            : ctx->backend->recurrence(ctx->state, &row, error));
}
