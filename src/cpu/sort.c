/* weft_sort, weft_sort_pairs, weft_sort_bits and weft_argsort on the CPU (ORDER.md 17): workspace, and insertion
 * sort of few keys. */
#include "core/types.h"
#include "cpu/sort_passes.h"

#include <string.h>

enum {
    ALONE_BYTES = 1 << 17,  /* below this size, starting threads costs more than it gains */
    CHUNK_KEYS = 1 << 14,   /* minimum keys of a chunk */
    FEW = 48,               /* maximum keys for which insertion sort is faster than the passes */
    STREAM_BYTES = 1 << 19, /* minimum bytes of a chunk's keys and values for nontemporal stores */
    VALUE_BYTES_MAX = 16
};

static unsigned width(weft_dtype dtype) { return 8 * (unsigned)weft_dtype_size(dtype); }

static sort_job new_job(const cpu_context *ctx, weft_dtype dtype, weft_order_of_sort order, size_t n) {
    const bool is_float = type_is_float(dtype);
    const weft_sort_rule rule =
        weft_sort_rule_of(width(dtype), is_float, type_is_signed(dtype), order == WEFT_DESCENDING);
    const size_t bytes = n * weft_dtype_size(dtype), chunks = n / CHUNK_KEYS;
    const bool alone = ctx->threads == 1 || bytes < ALONE_BYTES || chunks <= 1;
    return (sort_job){.kernel = ctx->level->sorts->width[__builtin_ctz(width(dtype) / 8)],
                      .rule = rule,
                      .window = UINT64_MAX,
                      .n = n,
                      .chunks = alone                           ? 1
                                : chunks < (size_t)ctx->threads ? chunks
                                                                : (size_t)ctx->threads};
}

/* ------------------------------------------------------------------------------------- few */

/* Sorts the indices of n <= FEW keys by insertion. */
static void order_few(const sort_job *job, unsigned char *order) {
    uint64_t codes[FEW];
    job->kernel->codes(&job->rule, job->keys.from, job->n, codes);
    for (size_t i = 0; i < job->n; i++) {
        const uint64_t code = codes[i] & job->window;
        size_t at = i;
        for (; at > 0 && (codes[order[at - 1]] & job->window) > code; at--) order[at] = order[at - 1];
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
static bool streams(const sort_job *job) {
    const bool aligned = job->values.bytes == 0 || (uintptr_t)job->values.to % job->values.bytes == 0;
    return aligned && job->n / job->chunks * (job->keys.bytes + job->values.bytes) >= STREAM_BYTES;
}

/* Assigns the workspace and runs the passes. Order: spare keys; for argsort also the output keys; spare values;
 * tables of the chunks. */
static weft_status sort_many(cpu_context *ctx, sort_job *job, weft_error *error) {
    const size_t keys = in_lines(job->n * job->keys.bytes), values = in_lines(job->n * job->values.bytes);
    const size_t more_keys = job->only_values ? keys : 0;
    const size_t words = in_lines(job->chunks * sizeof(uint64_t));
    const size_t next = job->chunks * SORT_BUCKETS_MAX * sizeof *job->next;
    const size_t lines = streams(job) ? job->chunks * 2 * SORT_LINES_BYTES : 0;
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(ctx, keys + more_keys + values + 2 * words + next + lines, &workspace, error));
    char *at = workspace;
    job->keys.spare = at;
    if (job->only_values) job->keys.to = at + keys;
    job->values.spare = at += keys + more_keys;
    job->all = (void *)(at += values);
    job->any = (void *)(at += words);
    job->next = (void *)(at += words);
    if (lines) job->lines = (void *)(at + next);
    cpu_sort_passes(job);
    return WEFT_OK;
}

weft_status cpu_sort(void *state, const sort_call *c, weft_error *error) {
    cpu_context *ctx = state;
    sort_job job = new_job(ctx, c->dtype, c->order, c->n);
    job.window = c->bits ? UINT64_MAX >> (64 - c->bits) << c->first_bit : 0;
    job.keys = (sort_lane){weft_dtype_size(c->dtype), c->keys, c->sorted_keys, NULL};
    job.values = (sort_lane){c->value_bytes, c->values, c->sorted_values, NULL};
    if (c->bits == width(c->dtype) && c->value_bytes == 0)
        job.vectors = ctx->level->sort_vectors->width[__builtin_ctz(width(c->dtype) / 8)];
    if (c->n > FEW) return job.vectors ? cpu_sort_buckets(ctx, &job, error) : sort_many(ctx, &job, error);
    unsigned char order[FEW] = {0};
    order_few(&job, order);
    move_few(&job.keys, c->n, order);
    move_few(&job.values, c->n, order);
    return WEFT_OK;
}

weft_status cpu_argsort(void *state, const argsort_call *c, weft_error *error) {
    cpu_context *ctx = state;
    sort_job job = new_job(ctx, c->dtype, c->order, c->n);
    job.only_values = true;
    job.keys = (sort_lane){weft_dtype_size(c->dtype), c->keys, NULL, NULL};
    job.values = (sort_lane){weft_dtype_size(c->index), NULL, c->indices, NULL};
    if (c->n > FEW) return sort_many(ctx, &job, error);
    unsigned char order[FEW] = {0};
    order_few(&job, order);
    write_few(c, order);
    return WEFT_OK;
}
