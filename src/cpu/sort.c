/* weft_sort, weft_sort_pairs, weft_sort_bits and weft_argsort on the CPU (ORDER.md 17): workspace, and insertion
 * sort of few keys. */
#include "core/types.h"
#include "cpu/common/sort_passes.h"

#include <string.h>

enum {
    CHUNK_KEYS = 1 << 14,   /* minimum keys of a chunk */
    FEW = 48,               /* maximum keys for which insertion sort is faster than the passes */
    STREAM_BYTES = 1 << 19, /* minimum bytes of a chunk's keys and values for nontemporal stores */
    VALUE_BYTES_MAX = 16
};

static unsigned width(weft_dtype dtype) { return 8 * (unsigned)weft_dtype_size(dtype); }

static sort_params new_params(const cpu_context *ctx, weft_dtype dtype, weft_order_of_sort order, size_t n) {
    const bool is_float = type_is_float(dtype);
    const weft_sort_rule rule =
        weft_sort_rule_of(width(dtype), is_float, type_is_signed(dtype), order == WEFT_DESCENDING);
    const size_t bytes = n * weft_dtype_size(dtype), chunks = n / CHUNK_KEYS;
    const size_t threads = (size_t)cpu_threads_for(ctx->threads, bytes);
    return (sort_params){.kernel = ctx->level->sorts->width[__builtin_ctz(width(dtype) / 8)],
                         .rule = rule,
                         .window = UINT64_MAX,
                         .n = n,
                         .chunks = chunks < 1 ? 1 : min_u64(chunks, threads)};
}

/* ------------------------------------------------------------------------------------- few */

/* Sorts the indices of n <= FEW keys by insertion. */
static void order_few(const sort_params *params, unsigned char *order) {
    uint64_t codes[FEW];
    params->kernel->codes(&params->rule, params->keys.from, params->n, codes);
    for (size_t i = 0; i < params->n; i++) {
        const uint64_t code = codes[i] & params->window;
        size_t at = i;
        for (; at > 0 && (codes[order[at - 1]] & params->window) > code; at--) order[at] = order[at - 1];
        order[at] = (unsigned char)i;
    }
}

static void move_few(const sort_lane *lane, size_t n, const unsigned char *order) {
    char copy[FEW * VALUE_BYTES_MAX];
    if (lane->bytes == 0) return;
    for (size_t i = 0; i < n; i++)
        memcpy(copy + i * lane->bytes, (const char *)lane->from + order[i] * lane->bytes, lane->bytes);
    memcpy(lane->to, copy, n * lane->bytes);
}

static void write_few(const argsort_call *c, const unsigned char *order) {
    for (size_t i = 0; i < c->n; i++)
        if (c->index == WEFT_U32)
            ((uint32_t *)c->indices)[i] = order[i];
        else
            ((uint64_t *)c->indices)[i] = order[i];
}

/* ------------------------------------------------------------------------------------ many */

/* Returns true if the passes use nontemporal stores: for long chunks, if no value straddles two cache lines. */
static bool streams(const sort_params *params) {
    const bool aligned = params->values.bytes == 0 || (uintptr_t)params->values.to % params->values.bytes == 0;
    return aligned && params->n / params->chunks * (params->keys.bytes + params->values.bytes) >= STREAM_BYTES;
}

/* Assigns the workspace and runs the passes. Order: spare keys; for argsort also the output keys; spare values;
 * tables of the chunks. */
static weft_status sort_many(cpu_context *ctx, sort_params *params, weft_error *error) {
    const size_t keys = in_lines(params->n * params->keys.bytes), values = in_lines(params->n * params->values.bytes);
    const size_t more_keys = params->only_values ? keys : 0;
    const size_t words = in_lines(params->chunks * sizeof(uint64_t));
    const size_t next = params->chunks * SORT_BUCKETS_MAX * sizeof *params->next;
    const size_t lines = streams(params) ? params->chunks * 2 * SORT_LINES_BYTES : 0;
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(ctx, keys + more_keys + values + 2 * words + next + lines, &workspace, error));
    char *at = workspace;
    params->keys.spare = at;
    if (params->only_values) params->keys.to = at + keys;
    params->values.spare = at += keys + more_keys;
    params->all = (void *)(at += values);
    params->any = (void *)(at += words);
    params->next = (void *)(at += words);
    if (lines) params->lines = (void *)(at + next);
    cpu_sort_passes(params);
    return WEFT_OK;
}

weft_status cpu_sort(void *state, const sort_call *c, weft_error *error) {
    cpu_context *ctx = state;
    sort_params params = new_params(ctx, c->dtype, c->order, c->n);
    params.window = c->bits ? UINT64_MAX >> (64 - c->bits) << c->first_bit : 0;
    params.keys = (sort_lane){weft_dtype_size(c->dtype), c->keys, c->sorted_keys, NULL};
    params.values = (sort_lane){c->value_bytes, c->values, c->sorted_values, NULL};
    if (c->bits == width(c->dtype) && c->value_bytes == 0)
        params.vectors = ctx->level->sort_vectors->width[__builtin_ctz(width(c->dtype) / 8)];
    if (c->n > FEW) return params.vectors ? cpu_sort_buckets(ctx, &params, error) : sort_many(ctx, &params, error);
    unsigned char order[FEW] = {0};
    order_few(&params, order);
    move_few(&params.keys, c->n, order);
    move_few(&params.values, c->n, order);
    return WEFT_OK;
}

weft_status cpu_argsort(void *state, const argsort_call *c, weft_error *error) {
    cpu_context *ctx = state;
    sort_params params = new_params(ctx, c->dtype, c->order, c->n);
    params.only_values = true;
    params.keys = (sort_lane){weft_dtype_size(c->dtype), c->keys, NULL, NULL};
    params.values = (sort_lane){weft_dtype_size(c->index), NULL, c->indices, NULL};
    if (c->n > FEW) return sort_many(ctx, &params, error);
    unsigned char order[FEW] = {0};
    order_few(&params, order);
    write_few(c, order);
    return WEFT_OK;
}
