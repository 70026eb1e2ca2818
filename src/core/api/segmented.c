/* Segmented reduction and scan, and reduction by key: checks all arguments except the values of the offsets, which
 * the backend checks. */
#include "core/check.h"
#include "core/half_arrays.h"

/* Memory ranges of a call's arguments. */
typedef struct ranges {
    range x, y, offsets, keys, unique_keys, count;
} ranges;

/* Checks that no output overlaps an input or another output. Exception: y may be equal to x. */
static weft_status check_ranges(const segmented_call *c, const ranges *r, weft_error *error) {
    const range *const outputs[] = {&r->y, &r->unique_keys, &r->count};
    const range *const inputs[] = {&r->x, &r->offsets, &r->keys};
    const bool in_place = c->scan && c->x == c->y && c->dtype == c->result;
    for (int o = 0; o < 3; o++) {
        for (int i = 0; i < 3; i++)
            if (!(in_place && o == 0 && i == 0)) RETURN_IF_ERROR(check_apart(outputs[o], inputs[i], error));
        for (int other = 0; other < o; other++) RETURN_IF_ERROR(check_apart(outputs[o], outputs[other], error));
    }
    return WEFT_OK;
}

static weft_status check_types(segmented_call *c, weft_dtype accumulate, weft_error *error) {
    type_kind ignored;
    RETURN_IF_ERROR(check_kind(c->key_dtype, &ignored, error));
    if (c->scan) {
        RETURN_IF((unsigned)c->kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)c->kind);
        return check_array_scan_type(c->name, c->op, c->dtype, accumulate, &c->result, error);
    }
    RETURN_IF_ERROR(check_combines(c->name, c->op, error));
    c->exact = accumulate == WEFT_EXACT_SUM;
    return check_reduction_type(c->op, c->dtype, accumulate, &c->result, error);
}

/* Checks and runs a call; `c` contains the caller's arguments. */
static weft_status segmented(weft_context *ctx, segmented_call *c, weft_dtype accumulate, weft_error *error) {
    const bool by_offsets = c->source == SEGMENTS_BY_OFFSETS;
    const size_t key_size = weft_dtype_size(c->key_dtype);
    ranges r = {.keys = {0}};
    RETURN_IF_ERROR(check_types(c, accumulate, error));
    const size_t values = by_offsets && !c->scan ? c->segments : c->n;
    const char *const keys = c->source == SEGMENTS_BY_KEYS ? "keys" : "heads", *const out = c->scan ? "y" : "out";
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &r.x, error));
    if (by_offsets) {
        RETURN_IF(c->segments == SIZE_MAX, WEFT_INVALID, "%zu segments: their offsets do not fit in memory",
                  c->segments);
        RETURN_IF_ERROR(check_array(ctx, "offsets", c->offsets, c->segments ? c->segments + 1 : 0, sizeof *c->offsets,
                                    &r.offsets, error));
    } else {
        RETURN_IF_ERROR(check_array(ctx, keys, c->keys, c->n, key_size, &r.keys, error));
    }
    if (c->source == SEGMENTS_BY_KEYS)
        RETURN_IF_ERROR(check_array(ctx, "unique_keys", c->unique_keys, c->n, key_size, &r.unique_keys, error));
    RETURN_IF_ERROR(check_array(ctx, out, c->y, values, weft_dtype_size(c->result), &r.y, error));
    if (!by_offsets && !c->scan)
        RETURN_IF_ERROR(check_array(ctx, "count", c->count, 1, sizeof *c->count, &r.count, error));
    RETURN_IF_ERROR(check_ranges(c, &r, error));
    if (by_offsets ? c->segments == 0 : c->scan && c->n == 0) return WEFT_OK;
    return type_is_half(c->dtype) ? half_segmented(ctx, c, error) : ctx->backend->segmented(ctx->state, c, error);
}

weft_status weft_segmented_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                                  const void *x, size_t segments, const uint64_t *offsets, void *out) {
    segmented_call c = {.name = "segmented_reduce",
                        .op = op,
                        .dtype = dtype,
                        .n = n,
                        .x = x,
                        .y = out,
                        .source = SEGMENTS_BY_OFFSETS,
                        .segments = segments,
                        .offsets = offsets,
                        .key_dtype = WEFT_U8};
    RETURN_GUARDED(ctx, segmented(ctx, &c, accumulate, error));
}

weft_status weft_segmented_reduce_heads(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                        size_t n, const void *x, const uint8_t *heads, void *out, uint64_t *count) {
    segmented_call c = {.name = "segmented_reduce",
                        .op = op,
                        .dtype = dtype,
                        .n = n,
                        .x = x,
                        .y = out,
                        .source = SEGMENTS_BY_HEADS,
                        .keys = heads,
                        .key_dtype = WEFT_U8,
                        .count = count};
    RETURN_GUARDED(ctx, segmented(ctx, &c, accumulate, error));
}

weft_status weft_segmented_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                weft_dtype accumulate, size_t n, const void *x, size_t segments,
                                const uint64_t *offsets, void *y) {
    segmented_call c = {.name = "segmented_scan",
                        .op = op,
                        .scan = true,
                        .kind = kind,
                        .dtype = dtype,
                        .n = n,
                        .x = x,
                        .y = y,
                        .source = SEGMENTS_BY_OFFSETS,
                        .segments = segments,
                        .offsets = offsets,
                        .key_dtype = WEFT_U8};
    RETURN_GUARDED(ctx, segmented(ctx, &c, accumulate, error));
}

weft_status weft_segmented_scan_heads(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                      weft_dtype accumulate, size_t n, const void *x, const uint8_t *heads, void *y) {
    segmented_call c = {.name = "segmented_scan",
                        .op = op,
                        .scan = true,
                        .kind = kind,
                        .dtype = dtype,
                        .n = n,
                        .x = x,
                        .y = y,
                        .source = SEGMENTS_BY_HEADS,
                        .keys = heads,
                        .key_dtype = WEFT_U8};
    RETURN_GUARDED(ctx, segmented(ctx, &c, accumulate, error));
}

weft_status weft_reduce_by_key(weft_context *ctx, weft_op op, weft_dtype key_dtype, weft_dtype dtype,
                               weft_dtype accumulate, size_t n, const void *keys, const void *x, void *unique_keys,
                               void *out, uint64_t *count) {
    segmented_call c = {.name = "reduce_by_key",
                        .op = op,
                        .dtype = dtype,
                        .n = n,
                        .x = x,
                        .y = out,
                        .source = SEGMENTS_BY_KEYS,
                        .keys = keys,
                        .key_dtype = key_dtype,
                        .unique_keys = unique_keys,
                        .count = count};
    RETURN_GUARDED(ctx, segmented(ctx, &c, accumulate, error));
}
