/* weft_reduce_lanes. A row contains one element of each lane. The rows are split into chunks of 2^c rows. Threads
 * reduce each chunk to one row; the rows of the chunks are then reduced in the same way, and the lanes of the last
 * row are combined.
 *
 * This is the tree of ORDER.md 3.4. After k levels, value j of a lane is the reduction of its elements
 * j 2^k ... (j + 1) 2^k - 1, as far as they exist: by induction, the next level combines the values 2j and 2j + 1,
 * which are adjacent halves of such a range, and a value without a partner is the whole of the range that it becomes.
 * So a chunk is value j of level c, and the levels above c are the same tree over the values of the chunks. */
#include "core/reals.h"
#include "core/types.h"
#include "cpu/common/lane_rows.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    CHUNK_BYTES = 1 << 16, /* minimum bytes of a chunk */
    CORE_BYTES = 1 << 20   /* up to this size, the caches of one core contain the array */
};

typedef struct params {
    const reduce_lanes_call *call;
    lane_kernel *run;
    size_t rows, chunk, chunks; /* complete rows of the call, rows of a chunk, and number of chunks */
    size_t row, result;         /* bytes of a row of elements, and of a row of results */
    char *held;                 /* binary counter of each thread */
    char *roots;                /* result of each chunk */
    const void *tail;           /* the incomplete row, completed with the identity; NULL if there is none */
} params;

static lane_kernel *choose(const cpu_context *ctx, const reduce_lanes_call *c, weft_dtype dtype) {
    const lane_kernels *const k = ctx->level->lanes;
    const bool product = c->op == WEFT_PROD;
    if (c->result == WEFT_F32) return product ? k->prod_f32 : k->sum_f32;
    return product ? k->prod_f64[dtype] : k->sum_f64[dtype];
}

static void run_chunk(void *self, size_t i) {
    const params *const p = self;
    const size_t first = i * p->chunk, left = p->rows - first;
    p->run(&(lane_rows){.x = (const char *)p->call->x + first * p->row,
                        .rows = left < p->chunk ? left : p->chunk,
                        .lanes = p->call->lanes,
                        .prefetch = p->call->n * weft_dtype_size(p->call->dtype) > CORE_BYTES,
                        .tail = i == p->chunks - 1 ? p->tail : NULL,
                        .held = p->held + (size_t)cpu_thread_number() * LANE_LEVELS * p->result,
                        .to = p->roots + i * p->result});
}

/* Sets the size and the number of the chunks. One thread reduces the array as one chunk. */
static void choose_chunks(params *p, int threads) {
    const size_t all = p->rows + (p->call->n % p->call->lanes != 0);
    p->chunk = 1;
    while (threads > 1 ? p->chunk * p->row < CHUNK_BYTES || (all - 1) / p->chunk >= CHUNKS_MAX : p->chunk < all)
        p->chunk *= 2;
    p->chunks = (all - 1) / p->chunk + 1;
}

/* Writes the incomplete row, completed with the identity, to `to`. */
static const void *complete_row(const params *p, void *to) {
    const reduce_lanes_call *const c = p->call;
    const size_t size = weft_dtype_size(c->dtype), present = c->n % c->lanes;
    if (present == 0) return NULL;
    memcpy(to, (const char *)c->x + p->rows * p->row, present * size);
    for (size_t l = present; l < c->lanes; l++)
        store_real(c->dtype, c->op == WEFT_PROD ? 1.0 : -0.0, (char *)to + l * size);
    return to;
}

/* Reduces the rows of the chunks, then the lanes of the row that is left, which are rows of one lane. */
static void finish(const cpu_context *ctx, const params *p, char *row) {
    const reduce_lanes_call *const c = p->call;
    lane_kernel *const run = choose(ctx, c, c->result);
    double value;
    float narrow;
    run(&(lane_rows){.x = p->roots, .rows = p->chunks, .lanes = c->lanes, .held = p->held, .to = row});
    run(&(lane_rows){.x = row, .rows = c->lanes, .lanes = 1, .held = p->held, .to = p->roots});
    if (c->result == WEFT_F32) {
        memcpy(&narrow, p->roots, sizeof narrow);
        value = narrow;
    } else {
        memcpy(&value, p->roots, sizeof value);
    }
    store_real(c->result, value, c->out);
}

weft_status cpu_reduce_lanes(void *state, const reduce_lanes_call *c, weft_error *error) {
    cpu_context *const ctx = state;
    const size_t size = weft_dtype_size(c->dtype);
    const int threads = cpu_threads_for_reading(ctx->threads, c->n * size);
    params p = {.call = c,
                .run = choose(ctx, c, c->dtype),
                .rows = c->n / c->lanes,
                .row = c->lanes * size,
                .result = c->lanes * weft_dtype_size(c->result)};
    void *workspace;
    cpu_plan_regions(1);
    if (c->n == 0) {
        store_real(c->result, c->op == WEFT_PROD ? 1.0 : 0.0, c->out);
        return WEFT_OK;
    }
    choose_chunks(&p, threads);
    RETURN_IF_ERROR(cpu_workspace(ctx, ((size_t)threads * LANE_LEVELS + p.chunks + 2) * p.result, &workspace, error));
    p.held = workspace;
    p.roots = p.held + (size_t)threads * LANE_LEVELS * p.result;
    char *const row = p.roots + p.chunks * p.result;
    p.tail = complete_row(&p, row + p.result);
    cpu_parallel_for(threads, p.chunks, PARALLEL_RANGES, run_chunk, &p);
    finish(ctx, &p, row);
    return WEFT_OK;
}
