#include <mpi.h>

#include "tests/dist/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

world world_open(int argc, char **argv) {
    world w = {.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    MPI_Init(&argc, &argv);
    if (weft_open(&w.ctx, argc > 1 ? argv[1] : "cpu") != WEFT_OK) {
        fprintf(stderr, "%s\n", weft_last_error(NULL));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    (void)weft_set_threads(w.ctx, 1);
    if (weft_dist_open(&w.d, w.ctx, MPI_COMM_WORLD) != WEFT_OK) {
        fprintf(stderr, "%s\n", weft_dist_last_error(NULL));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    w.rank = weft_dist_rank(w.d);
    w.size = weft_dist_size(w.d);
    return w;
}

int world_close(world *w) {
    long failures = 0;
    MPI_Allreduce(&w->failures, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (w->rank == 0) printf("%d ranks: %ld checks on each, %ld failed\n", w->size, w->checks, failures);
    weft_dist_close(w->d);
    weft_close(w->ctx);
    MPI_Finalize();
    return failures > 0;
}

/* G. Steele, D. Lea, C. Flood's SplitMix64 (OOPSLA 2014). */
uint64_t world_draw(world *w) {
    uint64_t z = w->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void *world_room(size_t n, size_t size) {
    void *p = malloc(n ? n * size : 1);
    if (!p) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(p, 0xa5, n * size);
    return p;
}

/* Mixed exponents and signs; in one array of four some infinities, NaNs of all payloads, zeros of both signs. */
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

void *world_array(world *w, weft_dtype dtype, size_t n) {
    const size_t size = weft_dtype_size(dtype);
    const bool special = world_draw(w) % 4 == 0;
    char *const p = world_room(n, size);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = world_draw(w);
        if (dtype == WEFT_F32 || dtype == WEFT_F64)
            draw_float(w, dtype == WEFT_F64, special, p + i * size);
        else
            memcpy(p + i * size, &bits, size);
    }
    return p;
}

static int compare_places(const void *a, const void *b) {
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

cut world_cut(world *w, size_t total) {
    cut c = {.total = total};
    for (int r = 1; r < w->size; r++) {
        const uint64_t kind = world_draw(w) % 4, anywhere = world_draw(w) % (total + 1);
        const size_t before = c.begin[r - 1];
        c.begin[r] = kind == 0 ? before : kind == 1 && before + 3 <= total ? before + 3 : (size_t)anywhere;
    }
    qsort(c.begin + 1, (size_t)w->size - 1, sizeof *c.begin, compare_places);
    c.begin[w->size] = total;
    return c;
}

weft_slice world_slice(const world *w, const cut *c) {
    return (weft_slice){c->begin[w->rank + 1] - c->begin[w->rank], c->begin[w->rank], c->total};
}

const void *world_part(const world *w, const cut *c, weft_dtype dtype, const void *whole) {
    return (const char *)whole + c->begin[w->rank] * weft_dtype_size(dtype);
}

bool world_equal(const world *w, const cut *c, weft_dtype dtype, const void *whole, const void *part) {
    return memcmp(world_part(w, c, dtype, whole), part,
                  (c->begin[w->rank + 1] - c->begin[w->rank]) * weft_dtype_size(dtype)) == 0;
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
