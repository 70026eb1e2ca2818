/* weft_sort, weft_sort_pairs, weft_sort_bits and weft_argsort on the CPU (ORDER.md 17): workspace, and insertion
 * sort of few keys. */
#include "core/types.h"
#include "cpu/common/sort_passes.h"

#include <string.h>

enum {
    CHUNK_KEYS = 1 << 14,   /* minimum keys of a chunk */
    FEW = 48,               /* maximum keys for which insertion sort is faster than the passes */
    FEW_FOR_VECTORS = 8,    /* maximum keys for which it is faster than the vectorized sort */
    STREAM_BYTES = 1 << 19, /* minimum bytes of a chunk's keys and values for nontemporal stores */
    VALUE_BYTES_MAX = 16
};

static unsigned width(weft_dtype dtype) { return 8 * (unsigned)weft_dtype_size(dtype); }

static sort_params new_params(const cpu_context *ctx, int threads, weft_dtype dtype, weft_order_of_sort order,
                              size_t n) {
    const weft_sort_rule rule =
        weft_sort_rule_of(width(dtype), type_infinity(dtype), type_is_signed(dtype), order == WEFT_DESCENDING);
    const size_t bytes = n * weft_dtype_size(dtype), chunks = n / CHUNK_KEYS;
    return (sort_params){.kernel = ctx->level->sorts->width[__builtin_ctz(width(dtype) / 8)],
                         .rule = rule,
                         .window = UINT64_MAX,
                         .n = n,
                         .chunks = (size_t)max_u64(1, min_u64(chunks, (size_t)cpu_threads_for(threads, bytes)))};
}

sort_params cpu_sort_params(const cpu_context *ctx, int threads, const sort_call *c) {
    sort_params params = new_params(ctx, threads, c->dtype, c->order, c->n);
    params.window = c->bits ? UINT64_MAX >> (64 - c->bits) << c->first_bit : 0;
    params.keys = (sort_lane){weft_dtype_size(c->dtype), c->keys, c->sorted_keys, NULL};
    params.values = (sort_lane){c->value_bytes, c->values, c->sorted_values, NULL};
    if (c->bits == width(c->dtype) && c->value_bytes == 0)
        params.vectors = ctx->level->sort_vectors->width[__builtin_ctz(width(c->dtype) / 8)];
    return params;
}

sort_params cpu_argsort_params(const cpu_context *ctx, int threads, const argsort_call *c) {
    sort_params params = new_params(ctx, threads, c->dtype, c->order, c->n);
    params.only_values = true;
    params.keys = (sort_lane){weft_dtype_size(c->dtype), c->keys, NULL, NULL};
    params.values = (sort_lane){weft_dtype_size(c->index), NULL, c->indices, NULL};
    return params;
}

/* ------------------------------------------------------------------------------------- few */

static bool are_few(const sort_params *params) { return params->n <= (params->vectors ? FEW_FOR_VECTORS : FEW); }

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

static void write_few(const sort_lane *indices, size_t n, const unsigned char *order) {
    for (size_t i = 0; i < n; i++)
        if (indices->bytes == sizeof(uint32_t))
            ((uint32_t *)indices->to)[i] = order[i];
        else
            ((uint64_t *)indices->to)[i] = order[i];
}

static void sort_few(const sort_params *params) {
    unsigned char order[FEW] = {0};
    order_few(params, order);
    if (params->only_values) {
        write_few(&params->values, params->n, order);
        return;
    }
    move_few(&params->keys, params->n, order);
    move_few(&params->values, params->n, order);
}

/* ------------------------------------------------------------------------------------ many */

/* Returns true if the passes use nontemporal stores: for long chunks, if no value straddles two cache lines. */
static bool streams(const sort_params *params) {
    const bool aligned = params->values.bytes == 0 || (uintptr_t)params->values.to % params->values.bytes == 0;
    return aligned && params->n / params->chunks * (params->keys.bytes + params->values.bytes) >= STREAM_BYTES;
}

/* Sizes of the parts of the workspace of the passes, in this order. */
typedef struct sections {
    size_t keys, more_keys, values, words, next, lines;
} sections;

static sections sections_of(const sort_params *params) {
    const size_t keys = in_lines(params->n * params->keys.bytes);
    return (sections){.keys = keys,
                      .more_keys = params->only_values ? keys : 0,
                      .values = in_lines(params->n * params->values.bytes),
                      .words = in_lines(params->chunks * sizeof(uint64_t)),
                      .next = params->chunks * SORT_BUCKETS_MAX * sizeof *params->next,
                      .lines = streams(params) ? params->chunks * 2 * SORT_LINES_BYTES : 0};
}

/* Assigns the workspace and runs the passes. Order: spare keys; for argsort also the output keys; spare values;
 * tables of the chunks. */
static void sort_many(sort_params *params, void *workspace) {
    const sections s = sections_of(params);
    char *at = workspace;
    params->keys.spare = at;
    if (params->only_values) params->keys.to = at + s.keys;
    params->values.spare = at += s.keys + s.more_keys;
    params->all = (void *)(at += s.values);
    params->any = (void *)(at += s.words);
    params->next = (void *)(at += s.words);
    params->lines = s.lines ? (void *)(at + s.next) : NULL;
    cpu_sort_passes(params);
}

/* ------------------------------------------------------------------------------------ calls */

size_t cpu_sort_bytes(const sort_params *params) {
    if (are_few(params)) return 0;
    if (params->vectors) return cpu_sort_buckets_bytes(params);
    const sections s = sections_of(params);
    return s.keys + s.more_keys + s.values + 2 * s.words + s.next + s.lines;
}

void cpu_sort_run(sort_params *params, void *workspace) {
    if (are_few(params))
        sort_few(params);
    else if (params->vectors)
        cpu_sort_buckets(params, workspace);
    else
        sort_many(params, workspace);
}

static weft_status run(cpu_context *ctx, sort_params *params, weft_error *error) {
    const size_t bytes = cpu_sort_bytes(params);
    void *workspace = NULL;
    if (bytes) RETURN_IF_ERROR(cpu_workspace(ctx, bytes, &workspace, error));
    cpu_sort_run(params, workspace);
    return WEFT_OK;
}

weft_status cpu_sort(void *state, const sort_call *c, weft_error *error) {
    cpu_context *ctx = state;
    sort_params params = cpu_sort_params(ctx, ctx->threads, c);
    return run(ctx, &params, error);
}

weft_status cpu_argsort(void *state, const argsort_call *c, weft_error *error) {
    cpu_context *ctx = state;
    sort_params params = cpu_argsort_params(ctx, ctx->threads, c);
    return run(ctx, &params, error);
}
