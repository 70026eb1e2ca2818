/* One reduction on several threads. The elements are split into chunks of 2^c tiles, so that each chunk is one node
 * of the canonical tree (ORDER.md 2.4). The nodes above the chunks are combined here. The chunk size and the
 * assignment of chunks to threads do not change the results. */
#include "core/order.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

enum {
    CHUNK_BYTES = 1 << 16, /* minimum bytes of a chunk */
    ALONE_CHUNKS = 4,      /* up to this size, one thread reduces the array as one chunk */
    CORE_BYTES = 1 << 20   /* up to this size, the caches of one core contain the array */
};

/* Parameters of one call, shared by its threads. */
typedef struct params {
    const cpu_context *ctx;
    const reduce_chunk *whole;
    size_t size, chunk; /* bytes of an element; elements per chunk */
    kernel *run;
    combiner *combine;
    partial *roots; /* one partial result per chunk */
} params;

static void run_chunk(void *self, size_t i) {
    const params *j = self;
    const reduce_chunk *whole = j->whole;
    reduce_chunk p = *whole;
    p.first = i * j->chunk;
    p.n = whole->n - p.first < j->chunk ? whole->n - p.first : j->chunk;
    p.x = whole->x ? (const char *)whole->x + p.first * j->size : NULL;
    p.y = whole->y ? (const char *)whole->y + p.first * j->size : NULL;
    p.prefetch = !p.map && whole->n * j->size > CORE_BYTES;
    if (p.map)
        cpu_map_reduce_chunk(j->ctx, &p, j->size, j->run, j->combine, &j->roots[i]);
    else
        j->run(&p, &j->roots[i]);
}

/* Reduces the roots to roots[0]: combines adjacent pairs level by level; an odd one at the end goes to the next
 * level unchanged. */
static void combine_roots(partial *roots, size_t count, combiner *combine) {
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i < count / 2; i++) {
            partial pair = roots[2 * i];
            combine(&pair, &roots[2 * i + 1]);
            roots[i] = pair;
        }
        if (count % 2) roots[count / 2] = roots[count - 1];
    }
}

void cpu_run(cpu_context *ctx, weft_dtype dtype, kernel *run, combiner *combine, const reduce_chunk *whole,
             partial *out) {
    const size_t size = weft_dtype_size(dtype);
    params j = {ctx, whole, size, whole->n, run, combine, out};
    const int threads = cpu_threads_for_reading(ctx->threads, saturated_product(whole->n, size));
    cpu_plan_regions(1);
    if (threads == 1 && whole->n < ALONE_CHUNKS * CHUNK_BYTES / size) {
        if (whole->map)
            run_chunk(&j, 0);
        else
            run(whole, out);
        return;
    }
    j.chunk = WEFT_TILE(size);
    j.roots = ctx->roots;
    while (j.chunk * size < CHUNK_BYTES || (whole->n - 1) / j.chunk >= CHUNKS_MAX) j.chunk *= 2;
    const size_t chunks = (whole->n - 1) / j.chunk + 1;
    cpu_parallel_for(threads, chunks, PARALLEL_RANGES, run_chunk, &j);
    combine_roots(ctx->roots, chunks, combine);
    *out = ctx->roots[0];
}
