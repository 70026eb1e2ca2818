/* One call on several threads. The elements are cut in chunks of 2^c tiles, so that each chunk is one
 * node of the canonical tree (docs/ORDER.md 2.4) and the nodes above are joined here. How large chunks
 * are and which thread takes which is free: it changes no bit. */
#include "core/fpmode.h"
#include "core/order.h"
#include "cpu/cpu.h"

#include <stdatomic.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum {
    ALONE_BYTES = 1 << 18, /* so little is done sooner by the calling thread than by waking others */
    CHUNK_BYTES = 1 << 16  /* a chunk has at least about so many */
};

/* OpenMP does not survive fork(): its threads are gone in the child, where the next parallel region
 * would wait for them for ever. Remembers the process that used it first; any other one is a child of
 * that and works on one thread. */
bool cpu_may_use_threads(void) {
    static _Atomic pid_t first_user;
    pid_t found = 0;
    const pid_t self = getpid();
    return atomic_compare_exchange_strong(&first_user, &found, self) || found == self;
}

int cpu_thread_number(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* One call, as its threads see it. */
typedef struct job {
    const cpu_context *ctx;
    const piece *whole;
    size_t size, chunk; /* bytes of an element, elements of a chunk */
    kernel *run;
    joiner *join;
} job;

static void run_chunk(const job *j, size_t i, partial *root) {
    const piece *whole = j->whole;
    piece p = *whole;
    p.first = i * j->chunk;
    p.n = whole->n - p.first < j->chunk ? whole->n - p.first : j->chunk;
    p.x = whole->x ? (const char *)whole->x + p.first * j->size : NULL;
    p.y = whole->y ? (const char *)whole->y + p.first * j->size : NULL;
    if (p.map)
        cpu_map_fold(j->ctx, &p, j->size, j->run, j->join, root);
    else
        j->run(&p, root);
}

static void run_chunks(const job *j, size_t chunks, int threads, partial *roots) {
    (void)threads; /* unless compiled with OpenMP */
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const weft_fpmode mode = weft_fpmode_enter();
#pragma omp for schedule(static)
        for (size_t i = 0; i < chunks; i++) run_chunk(j, i, &roots[i]);
        weft_fpmode_leave(mode);
    }
}

/* roots[0] becomes the tree over all: adjacent pairs, level by level, an odd one rides up. */
static void join_roots(partial *roots, size_t count, joiner *join) {
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i < count / 2; i++) {
            partial pair = roots[2 * i];
            join(&pair, &roots[2 * i + 1]);
            roots[i] = pair;
        }
        if (count % 2) roots[count / 2] = roots[count - 1];
    }
}

void cpu_run(cpu_context *ctx, weft_dtype dtype, kernel *run, joiner *join, const piece *whole, partial *out) {
    const size_t size = weft_dtype_size(dtype);
    int threads = ctx->threads;
    job j = {ctx, whole, size, whole->n, run, join};
    if (threads == 1 || whole->n * size < ALONE_BYTES || !cpu_may_use_threads()) {
        run_chunk(&j, 0, out);
        return;
    }
    j.chunk = WEFT_TILE(size);
    while (j.chunk * size < CHUNK_BYTES || (whole->n - 1) / j.chunk >= CHUNKS_MAX) j.chunk *= 2;
    const size_t chunks = (whole->n - 1) / j.chunk + 1;
    if ((size_t)threads > chunks) threads = (int)chunks;
    run_chunks(&j, chunks, threads, ctx->roots);
    join_roots(ctx->roots, chunks, join);
    *out = ctx->roots[0];
}
