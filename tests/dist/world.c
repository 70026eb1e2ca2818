#include <mpi.h>

#include "tests/dist/world.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens the context that computes expected results. It is a CPU for the ranks of a GPU, since both backends must give
 * identical results. */
static void open_alone(world *w) {
    w->alone = w->ctx;
    w->on_gpu = strncmp(weft_device(w->ctx), "cuda", 4) == 0;
    if (w->on_gpu && weft_open(&w->alone, "cpu") != WEFT_OK) abort();
    (void)weft_set_threads(w->ctx, 1);
    (void)weft_set_threads(w->alone, 1);
}

static void close_alone(const world *w) {
    if (w->alone != w->ctx) weft_close(w->alone);
    weft_close(w->ctx);
}

world world_open(int argc, char **argv) {
    world w = {.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    const char *const device = argc > 1 ? argv[1] : "cpu";
    char name[32];
    int gpu = 0;
    MPI_Init(&argc, &argv);
    snprintf(name, sizeof name, "%s", device);
    if (strcmp(device, "cuda") == 0 && weft_dist_local_rank(&gpu) == WEFT_OK && weft_device_count() > 1)
        snprintf(name, sizeof name, "cuda:%d", gpu % (int)(weft_device_count() - 1));
    if (weft_open(&w.ctx, name) != WEFT_OK) {
        fprintf(stderr, "%s\n", weft_last_error(NULL));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    open_alone(&w);
    if (weft_dist_open(&w.d, w.ctx, MPI_COMM_WORLD) != WEFT_OK) {
        fprintf(stderr, "%s\n", weft_dist_last_error(NULL));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    w.rank = weft_dist_rank(w.d);
    w.size = weft_dist_size(w.d);
    return w;
}

static void world_release(world *w);

/* ----------------------------------------------------------------------- ranks as threads */

typedef struct member {
    pthread_t thread;
    world w;
    void (*run)(world *w);
} member;

static void *run_member(void *p) {
    member *const m = p;
    m->run(&m->w);
    return NULL;
}

static void require(bool holds, const char *sentence) {
    if (holds) return;
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

int world_run_threads(int count, const char *device, uint64_t seed, void (*run)(world *w)) {
    static member members[RANKS_MAX];
    weft_context *contexts[RANKS_MAX];
    weft_dist *ranks[RANKS_MAX];
    long checks = 0, failures = 0;
    require(count >= 1 && count <= RANKS_MAX, "1 to 64 threads");
    for (int r = 0; r < count; r++) {
        char name[32];
        const int gpus = (int)weft_device_count() - 1;
        snprintf(name, sizeof name, "%s", device);
        if (strcmp(device, "cuda") == 0 && gpus > 0) snprintf(name, sizeof name, "cuda:%d", r % gpus);
        require(weft_open(&contexts[r], name) == WEFT_OK, weft_last_error(NULL));
    }
    require(weft_dist_open_threads(ranks, contexts, count) == WEFT_OK, weft_dist_last_error(NULL));
    for (int r = 0; r < count; r++) {
        members[r] = (member){.w = {.ctx = contexts[r], .d = ranks[r], .rank = r, .size = count, .state = seed}};
        members[r].run = run;
        open_alone(&members[r].w);
        require(pthread_create(&members[r].thread, NULL, run_member, &members[r]) == 0, "no thread");
    }
    for (int r = 0; r < count; r++) {
        (void)pthread_join(members[r].thread, NULL);
        world_release(&members[r].w);
        checks = members[r].w.checks;
        failures += members[r].w.failures;
        weft_dist_close(ranks[r]);
        close_alone(&members[r].w);
    }
    printf("%d threads: %ld checks on each, %ld failed\n", count, checks, failures);
    return failures > 0;
}

/* --------------------------------------------------------------------- ranks as processes */

int world_close(world *w) {
    long failures = 0;
    MPI_Allreduce(&w->failures, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (w->rank == 0)
        printf("%d ranks, of %s, blocks %s: %ld checks on each, %ld failed\n", w->size, weft_device(w->ctx),
               weft_dist_blocks(w->d), w->checks, failures);
    world_release(w);
    weft_dist_close(w->d);
    close_alone(w);
    MPI_Finalize();
    return failures > 0;
}

/* Returns a random number by SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
uint64_t world_draw(world *w) {
    uint64_t z = w->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void *world_memory(size_t n, size_t size) {
    void *p = malloc(n ? n * size : 1);
    if (!p) abort();
    memset(p, 0xa5, n * size);
    return p;
}

/* Draws a float with random exponent and sign. In one array of four, some elements are infinities, NaNs with all
 * payloads, and zeros of both signs. */
static void draw_float(world *w, bool wide, bool special, void *to) {
    static const uint64_t SPECIALS[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffa00000, 1, 0x7f7fffff};
    const uint64_t r = world_draw(w);
    double v = ((double)(r >> 11) * 0x1p-52 - 1) * (double)(UINT64_C(1) << (r & 31));
    float narrow = (float)v;
    if (special && world_draw(w) % 500 == 0) {
        const uint32_t bits = (uint32_t)SPECIALS[world_draw(w) % 8];
        memcpy(&narrow, &bits, sizeof narrow);
        v = (double)narrow;
    }
    if (wide)
        memcpy(to, &v, sizeof v);
    else
        memcpy(to, &narrow, sizeof narrow);
}

/* Draws an f16 or bf16 of magnitude below 2, with any exponent. `special`: as in draw_float. */
static void draw_half(world *w, weft_dtype dtype, bool special, void *to) {
    const uint16_t infinity = dtype == WEFT_F16 ? 0x7c00 : 0x7f80;
    const uint16_t specials[] = {0, 0x8000, infinity, 0x8000 | infinity, 0x7fff, 0xffff, 1, infinity - 1};
    uint16_t bits = (uint16_t)world_draw(w) & 0xbfff;
    if (special && world_draw(w) % 500 == 0) bits = specials[world_draw(w) % 8];
    memcpy(to, &bits, sizeof bits);
}

void *world_array(world *w, weft_dtype dtype, size_t n) {
    const size_t size = weft_dtype_size(dtype);
    const bool special = world_draw(w) % 4 == 0;
    char *const p = world_memory(n, size);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = world_draw(w);
        if (dtype == WEFT_F32 || dtype == WEFT_F64)
            draw_float(w, dtype == WEFT_F64, special, p + i * size);
        else if (dtype == WEFT_F16 || dtype == WEFT_BF16)
            draw_half(w, dtype, special, p + i * size);
        else
            memcpy(p + i * size, &bits, size);
    }
    return p;
}

static int compare_offsets(const void *a, const void *b) {
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

/* ------------------------------------------------------------------------- parts, results */

static void world_release(world *w) {
    while (w->holds > 0) (void)weft_free(w->ctx, WEFT_DEVICE, w->held[--w->holds]);
}

static void *hold(world *w, size_t bytes) {
    void *p = NULL;
    if (w->holds == HELD_MAX || weft_alloc(w->ctx, WEFT_DEVICE, bytes ? bytes : 1, &p) != WEFT_OK) {
        fprintf(stderr, "rank %d: cannot allocate memory for %zu bytes: %s\n", w->rank, bytes,
                weft_last_error(w->ctx));
        abort();
    }
    return w->held[w->holds++] = p;
}

/* Starts a new check: frees the memory of the previous one and draws a partition. */
cut world_cut(world *w, size_t total) {
    world_release(w);
    return world_cut_in(w, total, w->size);
}

cut world_cut_in(world *w, size_t total, int parts) {
    cut c = {.total = total};
    for (int r = 1; r < parts; r++) {
        const uint64_t kind = world_draw(w) % 4, anywhere = world_draw(w) % (total + 1);
        const size_t before = c.begin[r - 1];
        c.begin[r] = kind == 0 ? before : kind == 1 && before + 3 <= total ? before + 3 : (size_t)anywhere;
    }
    qsort(c.begin + 1, (size_t)parts - 1, sizeof *c.begin, compare_offsets);
    c.begin[parts] = total;
    return c;
}

weft_slice world_slice(const world *w, const cut *c) {
    return (weft_slice){c->begin[w->rank + 1] - c->begin[w->rank], c->begin[w->rank], c->total};
}

void *world_put(world *w, size_t bytes, const void *p) {
    if (!w->on_gpu) return (void *)(uintptr_t)p;
    void *const copy = hold(w, bytes);
    if (bytes && weft_copy(w->ctx, bytes, p, copy) != WEFT_OK) abort();
    return copy;
}

const void *world_part(world *w, const cut *c, weft_dtype dtype, const void *whole) {
    const size_t size = weft_dtype_size(dtype), begin = c->begin[w->rank];
    return world_put(w, (c->begin[w->rank + 1] - begin) * size, (const char *)whole + begin * size);
}

void *world_copy(world *w, const cut *c, weft_dtype dtype, const void *whole) {
    const size_t size = weft_dtype_size(dtype), begin = c->begin[w->rank];
    const size_t bytes = (c->begin[w->rank + 1] - begin) * size;
    void *const copy = hold(w, bytes);
    if (bytes && weft_copy(w->ctx, bytes, (const char *)whole + begin * size, copy) != WEFT_OK) abort();
    return copy;
}

void *world_result(world *w, size_t n, size_t size) {
    void *const pattern = world_memory(n, size), *const result = hold(w, n * size);
    if (n > 0 && weft_copy(w->ctx, n * size, pattern, result) != WEFT_OK) abort();
    free(pattern);
    return result;
}

bool world_same(world *w, size_t bytes, const void *these, const void *result) {
    void *const copy = world_memory(bytes, 1);
    const bool copied = bytes == 0 || weft_copy(w->ctx, bytes, result, copy) == WEFT_OK;
    const bool same = copied && memcmp(these, copy, bytes) == 0;
    free(copy);
    return same;
}

bool world_equal(world *w, const cut *c, weft_dtype dtype, const void *whole, const void *part) {
    const size_t size = weft_dtype_size(dtype), begin = c->begin[w->rank];
    return world_same(w, (c->begin[w->rank + 1] - begin) * size, (const char *)whole + begin * size, part);
}

void world_expect(world *w, bool holds, const char *format, ...) {
    va_list args;
    w->checks++;
    if (holds) return;
    if (w->failures++ > 20) return;
    va_start(args, format);
    printf("rank %d of %d: ", w->rank, w->size);
    vprintf(format, args);
    printf(" (%s)\n", weft_dist_last_error(w->d));
    va_end(args);
}
