/* weft_sort, weft_sort_pairs, weft_sort_bits and weft_argsort: argument checks. */
#include "core/check.h"

/* Checks the key type and the order. */
static weft_status check_keys(weft_dtype dtype, weft_order_of_sort order, weft_error *error) {
    RETURN_IF_ERROR(check_type(dtype, error));
    RETURN_IF((unsigned)order > WEFT_DESCENDING, WEFT_INVALID, "invalid sort order %d", (int)order);
    return WEFT_OK;
}

static weft_status check_value_bytes(size_t bytes, weft_error *error) {
    RETURN_IF(bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16, WEFT_INVALID,
              "invalid size of a value %zu: expected 1, 2, 4, 8 or 16 bytes", bytes);
    return WEFT_OK;
}

/* Checks an array of n values. Values of 16 bytes need only 8-byte alignment, as pairs of f64 do. */
static weft_status check_values(const weft_context *ctx, const char *name, const void *p, size_t n, size_t bytes,
                                range *r, weft_error *error) {
    RETURN_IF(n > SIZE_MAX / bytes, WEFT_INVALID, "%s: %zu elements of %zu bytes do not fit in memory", name, n,
              bytes);
    return bytes == 16 ? check_array(ctx, name, p, 2 * n, 8, r, error)
                       : check_array(ctx, name, p, n, bytes, r, error);
}

/* Checks the four arrays of a call: each output may be equal to its input and must not overlap any other array. */
static weft_status check_arrays(const weft_context *ctx, const sort_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    range keys, sorted, values = {"values", NULL, 0}, moved = {"sorted_values", NULL, 0};
    RETURN_IF_ERROR(check_array(ctx, "keys", c->keys, c->n, size, &keys, error));
    RETURN_IF_ERROR(
        check_array(ctx, c->value_bytes ? "sorted_keys" : "sorted", c->sorted_keys, c->n, size, &sorted, error));
    if (c->value_bytes) {
        RETURN_IF_ERROR(check_values(ctx, "values", c->values, c->n, c->value_bytes, &values, error));
        RETURN_IF_ERROR(check_values(ctx, "sorted_values", c->sorted_values, c->n, c->value_bytes, &moved, error));
    }
    if (c->sorted_keys != c->keys) RETURN_IF_ERROR(check_apart(&sorted, &keys, error));
    if (c->sorted_values != c->values) RETURN_IF_ERROR(check_apart(&moved, &values, error));
    RETURN_IF_ERROR(check_apart(&sorted, &values, error));
    RETURN_IF_ERROR(check_apart(&moved, &keys, error));
    return check_apart(&sorted, &moved, error);
}

static unsigned all_bits(weft_dtype dtype) { return 8 * (unsigned)weft_dtype_size(dtype); }

/* Checks the arrays, and sorts. */
static weft_status run_sort(weft_context *ctx, const sort_call *c, weft_error *error) {
    RETURN_IF_ERROR(check_arrays(ctx, c, error));
    return c->n ? ctx->backend->sort(ctx->state, c, error) : WEFT_OK;
}

static weft_status sort(weft_context *ctx, const sort_call *c, weft_error *error) {
    RETURN_IF_ERROR(check_keys(c->dtype, c->order, error));
    return run_sort(ctx, c, error);
}

weft_status weft_sort(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, size_t n, const void *keys,
                      void *sorted) {
    const sort_call call = {
        .dtype = dtype, .order = order, .bits = all_bits(dtype), .n = n, .keys = keys, .sorted_keys = sorted};
    RETURN_GUARDED(ctx, sort(ctx, &call, error));
}

static weft_status sort_pairs(weft_context *ctx, const sort_call *c, weft_error *error) {
    RETURN_IF_ERROR(check_keys(c->dtype, c->order, error));
    RETURN_IF_ERROR(check_value_bytes(c->value_bytes, error));
    return run_sort(ctx, c, error);
}

weft_status weft_sort_pairs(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, size_t n, const void *keys,
                            size_t value_bytes, const void *values, void *sorted_keys, void *sorted_values) {
    const sort_call call = {.dtype = dtype,
                            .order = order,
                            .bits = all_bits(dtype),
                            .n = n,
                            .keys = keys,
                            .sorted_keys = sorted_keys,
                            .value_bytes = value_bytes,
                            .values = values,
                            .sorted_values = sorted_values};
    RETURN_GUARDED(ctx, sort_pairs(ctx, &call, error));
}

static weft_status sort_bits(weft_context *ctx, const sort_call *c, weft_error *error) {
    RETURN_IF_ERROR(check_keys(c->dtype, c->order, error));
    const unsigned all = all_bits(c->dtype);
    RETURN_IF(type_is_real(c->dtype), WEFT_UNSUPPORTED, "a sort by some bits requires integer keys, not %s",
              weft_dtype_name(c->dtype));
    RETURN_IF(c->first_bit > all || c->bits > all - c->first_bit, WEFT_INVALID,
              "%u bits starting at bit %u: keys of %s have only bits 0 to %u", c->bits, c->first_bit,
              weft_dtype_name(c->dtype), all - 1);
    if (c->value_bytes) RETURN_IF_ERROR(check_value_bytes(c->value_bytes, error));
    return run_sort(ctx, c, error);
}

weft_status weft_sort_bits(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, unsigned first_bit,
                           unsigned bits, size_t n, const void *keys, size_t value_bytes, const void *values,
                           void *sorted_keys, void *sorted_values) {
    const sort_call call = {.dtype = dtype,
                            .order = order,
                            .first_bit = first_bit,
                            .bits = bits,
                            .n = n,
                            .keys = keys,
                            .sorted_keys = sorted_keys,
                            .value_bytes = value_bytes,
                            .values = value_bytes ? values : NULL,
                            .sorted_values = value_bytes ? sorted_values : NULL};
    RETURN_GUARDED(ctx, sort_bits(ctx, &call, error));
}

static weft_status argsort(weft_context *ctx, const argsort_call *c, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_keys(c->dtype, c->order, error));
    RETURN_IF(c->index != WEFT_U32 && c->index != WEFT_U64, WEFT_UNSUPPORTED,
              "indices must have type u32 or u64, not %s", weft_dtype_name(c->index));
    RETURN_IF(c->index == WEFT_U32 && (uint64_t)c->n > (uint64_t)UINT32_MAX + 1, WEFT_INVALID,
              "the indices of %zu keys do not fit in u32", c->n);
    RETURN_IF_ERROR(check_array(ctx, "keys", c->keys, c->n, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "indices", c->indices, c->n, weft_dtype_size(c->index), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    return c->n ? ctx->backend->argsort(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_argsort(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, weft_dtype index, size_t n,
                         const void *keys, void *indices) {
    const argsort_call call = {
        .dtype = dtype, .order = order, .index = index, .n = n, .keys = keys, .indices = indices};
    RETURN_GUARDED(ctx, argsort(ctx, &call, error));
}
