/* Times of libweft_dist on the ranks started by mpirun, on arrays in device memory, compared with a single device:
 * with the whole array (strong scaling), and with one rank's share of it (weak scaling). Each time is the best of
 * several calls, each as slow as its slowest rank. Results are compared bit for bit with those of one device. Usage:
 * mpirun -n RANKS bench_ranks [DEVICE [LOG2_ELEMENTS [THREADS]]]; DEVICE is cpu or cuda, with one GPU per rank. */
#include <mpi.h>

#include "bench/gpu_ranks_peer.h"
#include "weft_dist.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 7, SWEEPS = 24 };
static const double LEAST_SECONDS =
    0.2; /* minimum total time of the calls: an idle GPU takes some time to reach its full clock */

/* Some ranks together, or one process alone if `d` is NULL. */
typedef struct setting {
    weft_context *ctx;
    weft_dist *d;
    weft_slice slice;
    size_t edge; /* edge of the planes of a grid */
    void *x, *y;
    uint64_t result; /* of the last call: the bits of the value, or a hash of the array */
} setting;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "bench_ranks: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void require(const setting *s, const char *what, weft_status status) {
    if (status != WEFT_OK) stop(what, s->d ? weft_dist_last_error(s->d) : weft_last_error(s->ctx));
}

/* --------------------------------------------------------------------------------- calls */

static weft_status nothing(setting *s) {
    return s->d ? weft_dist_reduce(s->d, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, weft_slice_of(0), NULL, &s->result)
                : weft_reduce(s->ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 0, NULL, &s->result);
}

static weft_status sum(setting *s) {
    return s->d ? weft_dist_reduce(s->d, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, s->slice, s->x, &s->result)
                : weft_reduce(s->ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, s->slice.count, s->x, &s->result);
}

static weft_status variance(setting *s) {
    return s->d ? weft_dist_variance(s->d, WEFT_F32, WEFT_DEFAULT, s->slice, 0, s->x, &s->result)
                : weft_variance(s->ctx, WEFT_F32, WEFT_DEFAULT, s->slice.count, 0, s->x, &s->result);
}

static weft_status dot(setting *s) {
    return s->d ? weft_dist_dot(s->d, WEFT_F32, WEFT_DEFAULT, s->slice, s->x, s->y, &s->result)
                : weft_dot(s->ctx, WEFT_F32, WEFT_DEFAULT, s->slice.count, s->x, s->y, &s->result);
}

static weft_status scan(setting *s) {
    if (s->d)
        return weft_dist_scan(s->d, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, s->slice, s->x, NULL, s->y);
    const weft_status status =
        weft_scan(s->ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, s->slice.count, s->x, NULL, s->y);
    return status == WEFT_OK ? weft_synchronize(s->ctx) : status;
}

static weft_status sort(setting *s) {
    if (s->d) return weft_dist_sort(s->d, WEFT_ASCENDING, WEFT_U32, s->slice, s->x, s->y);
    const weft_status status = weft_sort(s->ctx, WEFT_ASCENDING, WEFT_U32, s->slice.count, s->x, s->y);
    return status == WEFT_OK ? weft_synchronize(s->ctx) : status;
}

/* Runs sweeps on planes of edge x edge points. One rank has approximately a cube. */
static weft_status laplace(setting *s) {
    const size_t planes = s->slice.count / (s->edge * s->edge);
    if (s->d) return weft_dist_laplace(s->d, WEFT_F32, s->edge, s->edge, weft_slice_of(planes), SWEEPS, s->x, s->y);
    const weft_status status = weft_laplace(s->ctx, WEFT_F32, s->edge, s->edge, planes, SWEEPS, s->x, s->y, NULL);
    return status == WEFT_OK ? weft_synchronize(s->ctx) : status;
}

/* Transforms planes of edge x edge / 2 complex numbers along all three axes. */
static weft_status transform(setting *s) {
    const size_t planes = s->slice.count / (s->edge * s->edge), all = (size_t)s->slice.total / (s->edge * s->edge);
    const size_t shape[] = {s->d ? all : planes, s->edge, s->edge / 2, 2};
    weft_view x, y;
    if (s->edge < 2) return WEFT_OK;
    if (s->d) return weft_dist_fft_axes(s->d, WEFT_C2C, WEFT_SPECTRUM_NATURAL, WEFT_F32, 1, 1, 3, shape, s->x, s->y);
    if (weft_view_of(WEFT_F32, 4, shape, s->x, &x) != WEFT_OK ||
        weft_view_of(WEFT_F32, 4, shape, s->y, &y) != WEFT_OK)
        return WEFT_INVALID;
    const weft_status status = weft_fft_axes(s->ctx, WEFT_C2C, &x, 3, (int[]){0, 1, 2}, &y);
    return status == WEFT_OK ? weft_synchronize(s->ctx) : status;
}

/* Prices an Asian option, with one path of 50 steps for 64 elements of the other rows. */
static weft_status price(setting *s) {
    static const double start = 1, volatility = 0.2;
    const weft_option option = {.size = sizeof option,
                                .payoff = WEFT_CALL,
                                .observed = WEFT_OBSERVE_MEAN,
                                .strike = 1,
                                .rate = 0.05,
                                .maturity = 1,
                                .assets = 1,
                                .start = &start,
                                .volatility = &volatility};
    const uint64_t elements = s->d ? s->slice.total : s->slice.count;
    const weft_simulation simulation = {.size = sizeof simulation,
                                        .dtype = WEFT_F32,
                                        .steps = 50,
                                        .paths = elements < 128 ? 2 : elements / 64,
                                        .seed = 1};
    weft_valuation v = {.size = sizeof v};
    const weft_status status =
        s->d ? weft_dist_price(s->d, &option, &simulation, &v) : weft_price(s->ctx, &option, &simulation, &v);
    if (status == WEFT_OK) memcpy(&s->result, &v.price, sizeof s->result);
    return status;
}

typedef struct row {
    const char *name;
    weft_status (*call)(setting *s);
    bool array, keys, planes; /* array: the result is y; keys: x has integers; planes: slices are whole planes */
} row;

static const row ROWS[] = {{"no elements", nothing, false, false, false},
                           {"sum", sum, false, false, false},
                           {"variance", variance, false, false, false},
                           {"dot", dot, false, false, false},
                           {"scan", scan, true, false, false},
                           {"sort u32", sort, true, true, false},
                           {"price", price, false, false, false},
                           {"laplace", laplace, true, false, true},
                           {"fft 3-D", transform, true, false, true}};

/* ----------------------------------------------------------------------------- measuring */

static double best_of(const row *r, setting *s) {
    double best = 1e9, all = 0;
    for (int i = 0; i < CALLS || all < LEAST_SECONDS; i++) {
        double seconds, slowest;
        if (s->d) MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        require(s, r->name, r->call(s));
        slowest = seconds = MPI_Wtime() - start;
        if (s->d) MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        all += slowest;
        if (slowest < best) best = slowest;
    }
    return best;
}

/* Returns a hash of every element of y and its index. */
static uint64_t hash(const setting *s, size_t count) {
    static const char formula[] = "a * (i + 1)";
    const weft_binding y = {"a", WEFT_U32, s->y, NULL};
    uint64_t value = 0;
    weft_expr *expr = NULL;
    if (s->d) {
        require(s, "hash",
                weft_dist_map_reduce(s->d, WEFT_SUM, formula, WEFT_U64, WEFT_DEFAULT, weft_slice_of(count), &y, 1,
                                     &value));
        return value;
    }
    require(s, "hash", weft_expr_compile(s->ctx, formula, &expr));
    require(s, "hash", weft_map_reduce(s->ctx, WEFT_SUM, expr, WEFT_U64, WEFT_DEFAULT, count, &y, 1, &value));
    weft_expr_free(expr);
    return value;
}

static void fill(const setting *s, const row *r) {
    const uint32_t lower = 0, upper = UINT32_MAX;
    const size_t n = s->slice.count;
    require(s, "x",
            r->keys ? weft_random_integers(s->ctx, WEFT_U32, 1, 0, s->slice.offset, n, &lower, &upper, s->x)
                    : weft_random(s->ctx, WEFT_NORMAL, WEFT_F32, 1, 0, s->slice.offset, n, 0, 1, s->x));
    require(s, "y", weft_random(s->ctx, WEFT_NORMAL, WEFT_F32, 2, 0, s->slice.offset, n, 0, 1, s->y));
}

/* Allocates and fills the arrays and measures the row. The result is left in s->result. */
static double measure(const row *r, setting *s) {
    const size_t bytes = (s->slice.count + 1) * sizeof(float);
    s->result = 0;
    if (weft_alloc(s->ctx, WEFT_DEVICE, bytes, &s->x) != WEFT_OK ||
        weft_alloc(s->ctx, WEFT_DEVICE, bytes, &s->y) != WEFT_OK)
        stop(r->name, weft_last_error(s->ctx));
    fill(s, r);
    const double seconds = best_of(r, s);
    if (r->array) s->result = hash(s, s->slice.count);
    (void)weft_free(s->ctx, WEFT_DEVICE, s->x);
    (void)weft_free(s->ctx, WEFT_DEVICE, s->y);
    return seconds;
}

/* Measures rank 0 alone with `count` elements, while the other ranks wait. */
static double measure_alone(const row *r, const setting *together, uint64_t count, uint64_t *result) {
    setting s = *together;
    double seconds = 0;
    s.d = NULL;
    s.slice = (weft_slice){(size_t)count, 0, count};
    if (weft_dist_rank(together->d) == 0) seconds = measure(r, &s);
    *result = s.result;
    MPI_Barrier(MPI_COMM_WORLD);
    return seconds;
}

/* Returns this rank's slice of n elements, in multiples of `run` elements (1, or a plane of a grid). */
static weft_slice share_of(const setting *s, uint64_t n, size_t run) {
    const weft_slice runs = weft_dist_share(s->d, n / run);
    return (weft_slice){runs.count * run, runs.offset * run, runs.total * run};
}

static bool report(const row *r, const setting *all) {
    const uint64_t ranks = (uint64_t)weft_dist_size(all->d);
    const size_t plane = all->edge * all->edge;
    uint64_t one, share;
    setting s = *all;
    if (r->planes) s.slice = share_of(all, all->slice.total, plane);
    const uint64_t n = s.slice.total;
    const double together = measure(r, &s), alone = measure_alone(r, &s, n, &one);
    const double part = measure_alone(r, &s, r->planes ? n / plane / ranks * plane : n / ranks, &share);
    if (weft_dist_rank(s.d) != 0) return true;
    printf("%-12s %12.3f %12.3f %12.3f %9.2f %9.1f %%   %s\n", r->name, 1e3 * alone, 1e3 * part, 1e3 * together,
           alone / together, 100 * part / together, one == s.result ? "yes" : "NO");
    fflush(stdout);
    return one == s.result;
}

/* Compares weft's sum of data on GPUs with one written with CUB and NCCL. */
static void report_peer(setting *s, int device) {
    const row *const r = &ROWS[1];
    setting peer = *s;
    const size_t bytes = (s->slice.count + 1) * sizeof(float);
    if (weft_alloc(s->ctx, WEFT_DEVICE, bytes, &peer.x) != WEFT_OK ||
        weft_alloc(s->ctx, WEFT_DEVICE, bytes, &peer.y) != WEFT_OK)
        stop("sum", weft_last_error(s->ctx));
    fill(&peer, r);
    const double own = best_of(r, &peer);
    const double seconds = peer_sum_seconds(device, peer.x, s->slice.count, CALLS);
    if (weft_dist_rank(s->d) == 0)
        printf("sum of f32 on all ranks: weft %.3f ms, CUB's reduce and ncclAllReduce %.3f ms: %.2fx\n", 1e3 * own,
               1e3 * seconds, seconds / own);
    (void)weft_free(s->ctx, WEFT_DEVICE, peer.x);
    (void)weft_free(s->ctx, WEFT_DEVICE, peer.y);
}

/* ----------------------------------------------------------------------------------- main */

/* Opens the context of this rank. On cuda, the ranks of a machine are assigned its GPUs in turn. */
static weft_context *open_rank(const char *device, int threads, int *gpu) {
    char name[32];
    weft_context *ctx = NULL;
    const int gpus = (int)weft_device_count() - 1;
    *gpu = -1;
    snprintf(name, sizeof name, "%s", device);
    if (strcmp(device, "cuda") == 0 && gpus > 0) {
        if (weft_dist_local_rank(gpu) != WEFT_OK) stop("open", weft_dist_last_error(NULL));
        *gpu %= gpus;
        snprintf(name, sizeof name, "cuda:%d", *gpu);
    }
    if (weft_open(&ctx, name) != WEFT_OK) stop("open", weft_last_error(NULL));
    (void)weft_set_threads(ctx, threads);
    return ctx;
}

int main(int argc, char **argv) {
    setting s = {.edge = 1};
    bool same = true;
    int gpu;
    MPI_Init(&argc, &argv);
    const int log2 = argc > 2 ? atoi(argv[2]) : 22;
    if (log2 < 6 || log2 > 40) stop(argv[2], "2^6 to 2^40 elements");
    s.ctx = open_rank(argc > 1 ? argv[1] : "cpu", argc > 3 ? atoi(argv[3]) : 1, &gpu);
    if (weft_dist_open(&s.d, s.ctx, MPI_COMM_WORLD) != WEFT_OK) stop("open", weft_dist_last_error(NULL));
    const uint64_t n = UINT64_C(1) << log2, ranks = (uint64_t)weft_dist_size(s.d);
    s.slice = share_of(&s, n, 1);
    while (8 * (uint64_t)(s.edge * s.edge * s.edge) <= n / ranks) s.edge *= 2;
    if (weft_dist_rank(s.d) == 0)
        printf("2^%d elements, %d ranks of %s, blocks %s; ms\n%-12s %12s %12s %12s %9s %11s   same bits\n", log2,
               (int)ranks, weft_device(s.ctx), weft_dist_blocks(s.d), "", "one: all", "one: a share", "all ranks",
               "strong", "weak");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) same = report(&ROWS[i], &s) && same;
    if (PEER_SUM && gpu >= 0) report_peer(&s, gpu);
    weft_dist_close(s.d);
    weft_close(s.ctx);
    MPI_Finalize();
    return same ? 0 : 1;
}
