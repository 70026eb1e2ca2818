/* Selections. The parameter selects flags or comparison, and for weft_select also values or indices. The comparison
 * and its value vary with match_case.turn. The bytes of the second array are the flags. The count is stored after
 * y. */
#include "core/byte_order.h"
#include "verify/match.h"

#include <stdlib.h>

enum { COMPARISONS = WEFT_GT + 1 };
enum { BY_FLAGS, BY_COMPARISON, INDICES_BY_FLAGS, INDICES_BY_COMPARISON, PARAMETERS };

static size_t element_bytes(const match_case *c) { return weft_dtype_size(c->dtype); }

static size_t select_bytes(const match_case *c) {
    return c->parameter >= INDICES_BY_FLAGS ? sizeof(uint64_t) : element_bytes(c);
}

/* Returns the size of the output: n elements, and the count with padding for any alignment of the array. */
static size_t values(const match_case *c) {
    const size_t size = c->operation->shape->out_bytes(c);
    return c->n + (2 * sizeof(uint64_t) - 1) / size;
}

static uint64_t *count_after(const match_case *c, const void *y) {
    const uintptr_t end = (uintptr_t)y + c->n * c->operation->shape->out_bytes(c);
    return (uint64_t *)((end + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t));
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const size_t size = c->operation->shape->out_bytes(c);
    const uint64_t *const count = count_after(c, out);
    parts[0] = (match_part){0, size, c->n};
    parts[1] = (match_part){(size_t)((const char *)count - (const char *)out), sizeof *count, 1};
    return 2;
}

static weft_comparison comparison_of(const match_case *c) { return (weft_comparison)(c->turn % COMPARISONS); }

/* Chooses the value. In most cases it equals elements of the array, or is within their range. */
static void make_value(const match_case *c, void *value) {
    static const input_kind kinds[] = {INPUT_TIES, INPUT_ZEROS, INPUT_TIES, INPUT_PATTERNS};
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    const bool like_x = r % 8 >= 6;
    input_fill(like_x ? c->kind : kinds[r % 8 % 4], c->dtype, like_x ? c->seed * MATCH_INPUTS : r >> 8, 1, value);
}

static weft_status by_flags(const match_case *c, weft_context *ctx, const void *x, const void *flags, void *out) {
    uint64_t *count = count_after(c, out);
    if (c->operation->shape == &match_partition) return weft_partition(ctx, c->dtype, c->n, x, flags, out, count);
    if (c->parameter == BY_FLAGS) return weft_select(ctx, c->dtype, c->n, x, flags, out, count);
    return weft_select_indices(ctx, c->n, flags, out, count);
}

/* The flags are the bytes of the second array in little-endian order. */
static weft_status call_by_flags(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    if (!is_big_endian() || c->n == 0) return by_flags(c, ctx, inputs[0], inputs[1], out);
    void *const flags = malloc(c->n * element_bytes(c));
    weft_status status = flags ? weft_copy(ctx, c->n * element_bytes(c), inputs[1], flags) : WEFT_OUT_OF_MEMORY;
    if (status == WEFT_OK) {
        bytes_reverse(flags, c->n, element_bytes(c));
        status = by_flags(c, ctx, inputs[0], flags, out);
    }
    free(flags);
    return status;
}

static weft_status call_select(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    uint64_t value, *count = count_after(c, out);
    make_value(c, &value);
    switch (c->parameter) {
    case BY_FLAGS:
    case INDICES_BY_FLAGS: return call_by_flags(c, ctx, inputs, out);
    case BY_COMPARISON: return weft_select_if(ctx, comparison_of(c), c->dtype, c->n, inputs[0], &value, out, count);
    default: return weft_select_indices_if(ctx, comparison_of(c), c->dtype, c->n, inputs[0], &value, out, count);
    }
}

static weft_status call_partition(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    uint64_t value, *count = count_after(c, out);
    make_value(c, &value);
    if (c->parameter == BY_FLAGS) return call_by_flags(c, ctx, inputs, out);
    return weft_partition_if(ctx, comparison_of(c), c->dtype, c->n, inputs[0], &value, out, count);
}

static void tell(const match_case *c, char text[100]) {
    const bool flags = c->parameter == BY_FLAGS || c->parameter == INDICES_BY_FLAGS;
    uint64_t value = 0;
    make_value(c, &value);
    if (flags)
        snprintf(text, 100, "by flags");
    else
        snprintf(text, 100, "%s 0x%llx", weft_comparison_name(comparison_of(c)),
                 (unsigned long long)bits_load(&value, element_bytes(c)));
}

const match_shape match_select = {.inputs = 2,
                                  .parameters = PARAMETERS,
                                  .accumulates = 1,
                                  .values = values,
                                  .out_bytes = select_bytes,
                                  .parts = parts,
                                  .call = call_select,
                                  .tell = tell};
const match_shape match_partition = {.inputs = 2,
                                     .parameters = 2,
                                     .accumulates = 1,
                                     .values = values,
                                     .out_bytes = element_bytes,
                                     .parts = parts,
                                     .call = call_partition,
                                     .tell = tell};
