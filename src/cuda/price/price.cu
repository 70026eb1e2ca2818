/* weft_price: paths are simulated in registers, and their values are summed by the canonical tree (ORDER.md 21).
 *
 * A block processes one tile of paths at a time. Each of its threads simulates several of them and stores their
 * values in shared memory. From there the first warp adds them to the lanes of the tile. A launch thus has as many
 * equal units of work as tiles, even for a small number of paths. Only the sums of blocks are written to memory. */
#include "arith/price.h"
#include "arith/sobol.h"
#include "cuda/random/fast_normals.cuh"
#include "cuda/random/normal_table.h"
#include "cuda/random/words.cuh"
#include "cuda/reduce/tree.cuh"
#include "cuda/runtime/arrays.h"
#include "cuda/sobol/sobol_tables.h"

#include <string.h>

/* ----------------------------------------------------------------------------- sums in the tree */

static __device__ __forceinline__ weft_price_sums across(weft_price_sums v, int distance) {
    return weft_price_sums{across(v.value, distance), across(v.value_value, distance), across(v.control, distance),
                           across(v.control_control, distance), across(v.value_control, distance)};
}

static __device__ __forceinline__ weft_price_sums from_lane(weft_price_sums v, int lane) {
    return weft_price_sums{from_lane(v.value, lane), from_lane(v.value_value, lane), from_lane(v.control, lane),
                           from_lane(v.control_control, lane), from_lane(v.value_control, lane)};
}

static __device__ void finish(const reduce_params &j, weft_price_sums v) { *(weft_price_sums *)j.out = v; }

/* ----------------------------------------------------------------------------- paths */

static __device__ __forceinline__ float exp_of(float x) { return weft_exp_f32(x); }
static __device__ __forceinline__ double exp_of(double x) { return weft_exp_f64(x); }
static __device__ __forceinline__ float excess(float a, float b) { return weft_excess_f32(a, b); }
static __device__ __forceinline__ double excess(double a, double b) { return weft_excess_f64(a, b); }

template <class R> struct leg_of {
    double weight;
    R start[WEFT_ASSETS_MAX], drift[WEFT_ASSETS_MAX], loading[WEFT_ASSETS_MAX][WEFT_ASSETS_MAX];
};

/* Parameters of a call for its kernel; those that enter a path are rounded to R. If paths are Sobol points,
 * `directions` and `keys` are their tables (cuda/sobol/sobol_tables.h). For f32, `table` is the table of normals. */
template <class R> struct parameters {
    weft_payoff payoff;
    weft_observed observed;
    weft_barrier barrier;
    price_control control;
    bool euler, sobol;
    uint32_t assets, steps, legs, octaves;
    uint64_t first; /* index of the first simulated path */
    R strike, level, weights[WEFT_ASSETS_MAX], centre[WEFT_ASSETS_MAX], width[WEFT_ASSETS_MAX];
    leg_of<R> leg[PRICE_LEGS_MAX];
    round_keys rounds;
    const uint64_t *directions, *keys;
    const normal_part *table;
};

static_assert(sizeof(reduce_params) + sizeof(parameters<double>) <= 4096, "parameters of a kernel are 4 KiB at most");

/* Returns the word of coordinate q of a point. */
template <class R> static __device__ uint32_t word_of_point(const parameters<R> &c, uint64_t point, uint64_t q) {
    const uint64_t dimensions = (uint64_t)c.steps * c.assets, *v = c.directions + q, key = c.keys[q];
    uint64_t word = 0;
    for (uint64_t gray = point ^ point >> 1; gray; gray >>= 1, v += dimensions)
        if (gray & 1) word ^= *v;
    return weft_nested_scramble((uint32_t)(word >> 32), (uint32_t)(key >> 32), (uint32_t)key);
}

/* Returns the words of normals 4 k ... 4 k + 3 of a path; 0 after its last one. SOURCE is the class that converts
 * them to normals. */
template <class SOURCE, class R>
static __device__ __forceinline__ weft_philox_block four_words(const parameters<R> &c, uint64_t path, uint32_t k) {
    if (!SOURCE::POINTS || !c.sobol) return philox_words<SOURCE::PHILOX_ROUNDS>(path, k, c.rounds);
    weft_philox_block w = {{0, 0, 0, 0}};
    for (uint32_t j = 0; j < 4 && 4 * k + j < c.steps * c.assets; j++) w.v[j] = word_of_point(c, path, 4 * k + j);
    return w;
}

/* Computes four normals at a time, in R. All threads of a warp must call it together. POINTS: the words may be those
 * of Sobol points. TABLE: the table of normals is needed. BLOCKS: resident thread blocks per multiprocessor. */
template <class R> struct normals;

template <> struct normals<float> {
    static constexpr bool POINTS = true, TABLE = true;
    static constexpr int PHILOX_ROUNDS = 10, BLOCK_THREADS = 1024, BLOCKS = 1;
    static constexpr size_t QUEUE_BYTES = 0;
    near_normals near;
    __device__ normals(const parameters<float> &c, unsigned char *workspace, double *)
        : near(copy_in_normals(c.table, c.octaves, (normal_part *)workspace)) {}
    __device__ __forceinline__ void make(const weft_philox_block &words, float *z) const {
        four_normals(
            near, words.v, [](double y) { return y; }, z);
    }
};

template <> struct normals<double> {
    static constexpr bool POINTS = true, TABLE = false;
    static constexpr int PHILOX_ROUNDS = 10, BLOCK_THREADS = 512, BLOCKS = 1;
    static constexpr size_t QUEUE_BYTES = NORMALS_QUEUE * sizeof(double); /* per warp */
    double *queue;
    __device__ normals(const parameters<double> &, unsigned char *, double *queue_) : queue(queue_) {}
    __device__ __forceinline__ void make(const weft_philox_block &words, double *z) const {
        double p[4];
#pragma unroll
        for (int j = 0; j < 4; j++) p[j] = middle_of_word(words.v[j]);
        four_quantiles(queue, p, z);
    }
};

/* Normals of normal_fast, in f32. */
struct pairs_of_normals {
    static constexpr bool POINTS = false, TABLE = false;
    static constexpr int PHILOX_ROUNDS = WEFT_FAST_ROUNDS, BLOCK_THREADS = 512, BLOCKS = 2;
    static constexpr size_t QUEUE_BYTES = 0;
    __device__ pairs_of_normals(const parameters<float> &, unsigned char *, double *) {}
    __device__ __forceinline__ void make(const weft_philox_block &words, float *z) const {
#pragma unroll
        for (int j = 0; j < 4; j += 2) {
            const weft_pair p = fast_normals(words.v[j], words.v[j + 1]);
            z[j] = p.first;
            z[j + 1] = p.second;
        }
    }
};

/* State of one leg. `walk` contains prices; with exact steps, the logarithms of prices relative to the start. */
template <class R, int A> struct course { R walk[A], price[A], basket, sum, sum_of_logs, highest, lowest; };

/* Value of a path, and its control variate. */
struct worth_of_path {
    double value, control;
};

/* Paths in R, of at most A assets and K legs, with normals of SOURCE, as an operator of tree.cuh. Loops over assets
 * are unrolled if A is at most 2, which is then the exact number of assets, so that all values are in registers. */
template <class R, int A, int K, class SOURCE> struct pricing : plain_operator {
    typedef double element; /* value of a path */
    typedef weft_price_sums value;
    static constexpr bool FEW = A <= 2;
    static constexpr int UNROLL = FEW ? A : 1, BLOCK_THREADS = SOURCE::BLOCK_THREADS;
    typedef R real;
    typedef SOURCE source_type;
    const parameters<R> &c;
    source_type source;
    worth_of_path *tile; /* values of the block's tile, in shared memory */

    __device__ pricing(const parameters<R> &c_, const source_type &source_, worth_of_path *tile_)
        : c(c_), source(source_), tile(tile_) {}
    __device__ value identity() const { return weft_price_no_sums(); }
    __device__ value combine(value a, value b) const { return weft_price_combine(a, b); }
    __device__ __forceinline__ int assets() const { return FEW ? A : (int)c.assets; }
    __device__ __forceinline__ int legs() const { return K == 1 ? 1 : (int)c.legs; }

    __device__ __forceinline__ R basket(const R *price) const {
        R worth = c.weights[0] * price[0];
#pragma unroll UNROLL
        for (int i = 1; i < A; i++)
            if (i < assets()) worth = fma(c.weights[i], price[i], worth);
        return worth;
    }

    __device__ __forceinline__ void begin(const leg_of<R> &leg, course<R, A> &w) const {
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < assets()) {
                w.price[i] = leg.start[i];
                w.walk[i] = c.euler ? leg.start[i] : (R)0;
            }
        w.basket = w.highest = w.lowest = basket(w.price);
        w.sum = w.sum_of_logs = 0;
    }

    __device__ __forceinline__ void move(const leg_of<R> &leg, const R *z, bool euler, course<R, A> &w) const {
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < assets()) {
                R x = leg.drift[i];
#pragma unroll UNROLL
                for (int k = 0; k < A; k++)
                    if (k <= i) x = fma(leg.loading[i][k], z[k], x);
                w.walk[i] = euler ? fma(w.walk[i], x, w.walk[i]) : w.walk[i] + x;
            }
        w.sum_of_logs = w.sum_of_logs + w.walk[0];
    }

    __device__ __forceinline__ void find_prices(const leg_of<R> &leg, bool euler, course<R, A> &w) const {
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < assets()) w.price[i] = euler ? w.walk[i] : leg.start[i] * exp_of(w.walk[i]);
        w.basket = basket(w.price);
    }

    __device__ __forceinline__ void look(const leg_of<R> &leg, bool euler, course<R, A> &w) const {
        find_prices(leg, euler, w);
        w.sum = w.sum + w.basket;
        w.highest = w.basket > w.highest ? w.basket : w.highest;
        w.lowest = w.basket < w.lowest ? w.basket : w.lowest;
    }

    /* Returns true if the payoff depends on the prices at all dates, not only the last. */
    __device__ __forceinline__ bool looks_on_the_way() const {
        return c.barrier != WEFT_NO_BARRIER ||
               (c.observed != WEFT_OBSERVE_END && c.observed != WEFT_OBSERVE_GEOMETRIC);
    }

    __device__ __forceinline__ void step(const R *z, bool euler, bool looks, course<R, A> *courses) const {
#pragma unroll 1
        for (int k = 0; k < K; k++)
            if (k < legs()) {
                move(c.leg[k], z, euler, courses[k]);
                if (looks) look(c.leg[k], euler, courses[k]);
            }
    }

    /* Walks paths of at most 2 assets. Four normals are enough for 4 / A full steps, so they are computed together.
     * EULER and LOOKS are compile-time constants, so the loop does not branch on them. */
    template <bool EULER, bool LOOKS>
    __device__ __forceinline__ void walk_few(uint64_t path, course<R, A> *courses) const {
        constexpr uint32_t AT_ONCE = 4 / A;
        R z[4];
#pragma unroll 1
        for (uint32_t first = 0; first < c.steps; first += AT_ONCE) {
            source.make(four_words<SOURCE>(c, path, first / AT_ONCE), z);
#pragma unroll
            for (uint32_t i = 0; i < AT_ONCE; i++)
                if (i == 0 || first + i < c.steps) step(z + i * A, EULER, LOOKS, courses);
        }
    }

    __device__ void walk_many(uint64_t path, bool looks, course<R, A> *courses) const {
        uint32_t drawn = 0;
        R z[A], four[4];
#pragma unroll 1
        for (uint32_t i = 0; i < c.steps; i++) {
#pragma unroll 1
            for (int a = 0; a < assets(); a++, drawn++) {
                if (drawn % 4 == 0) source.make(four_words<SOURCE>(c, path, drawn / 4), four);
                z[a] = four[drawn % 4];
            }
            step(z, c.euler, looks, courses);
        }
    }

    __device__ __forceinline__ void walk(uint64_t path, course<R, A> *courses) const {
        const bool looks = looks_on_the_way();
#pragma unroll
        for (int k = 0; k < K; k++)
            if (k < legs()) begin(c.leg[k], courses[k]);
        if constexpr (!FEW)
            walk_many(path, looks, courses);
        else if (c.euler)
            looks ? walk_few<true, true>(path, courses) : walk_few<true, false>(path, courses);
        else
            looks ? walk_few<false, true>(path, courses) : walk_few<false, false>(path, courses);
#pragma unroll 1
        for (int k = 0; k < K; k++)
            if (k < legs() && !looks) find_prices(c.leg[k], c.euler, courses[k]);
    }

    /* ------------------------------------------------------------------------ payoffs */

    __device__ R geometric(const leg_of<R> &leg, const course<R, A> &w) const {
        return leg.start[0] * exp_of(w.sum_of_logs / (R)c.steps);
    }

    __device__ R observed(const leg_of<R> &leg, const course<R, A> &w) const {
        switch (c.observed) {
        case WEFT_OBSERVE_MEAN: return w.sum / (R)c.steps;
        case WEFT_OBSERVE_GEOMETRIC: return geometric(leg, w);
        case WEFT_OBSERVE_HIGHEST: return w.highest;
        case WEFT_OBSERVE_LOWEST: return w.lowest;
        default: return w.basket;
        }
    }

    __device__ bool alive(const course<R, A> &w) const {
        const R level = c.level;
        switch (c.barrier) {
        case WEFT_UP_AND_OUT: return !(w.highest >= level);
        case WEFT_UP_AND_IN: return w.highest >= level;
        case WEFT_DOWN_AND_OUT: return !(w.lowest <= level);
        case WEFT_DOWN_AND_IN: return w.lowest <= level;
        default: return true;
        }
    }

    __device__ bool is_within(const course<R, A> &w) const {
        bool within = true;
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < assets()) {
                const R off = w.price[i] - c.centre[i], width = c.width[i];
                within = within && off < width && -off < width;
            }
        return within;
    }

    __device__ R pays(const leg_of<R> &leg, const course<R, A> &w) const {
        const R a = observed(leg, w), strike = c.strike;
        if (!alive(w)) return 0;
        switch (c.payoff) {
        case WEFT_CALL: return excess(a, strike);
        case WEFT_PUT: return excess(strike, a);
        case WEFT_DIGITAL_CALL: return a > strike ? (R)1 : (R)0;
        case WEFT_DIGITAL_PUT: return a < strike ? (R)1 : (R)0;
        case WEFT_FLOATING_CALL: return excess(w.basket, a);
        case WEFT_FLOATING_PUT: return excess(a, w.basket);
        default: return is_within(w) ? (R)1 : (R)0;
        }
    }

    __device__ R control(const leg_of<R> &leg, const course<R, A> &w) const {
        const R strike = c.strike;
        if (c.control == CONTROL_END) return w.basket;
        return c.payoff == WEFT_CALL ? excess(geometric(leg, w), strike) : excess(strike, geometric(leg, w));
    }

    __device__ __forceinline__ worth_of_path worth(uint64_t path) const {
        course<R, A> courses[K];
        worth_of_path w = {0, 0};
        walk(path, courses);
#pragma unroll 1
        for (int k = 0; k < K; k++)
            if (k < legs()) {
                const leg_of<R> &leg = c.leg[k];
                const double paid = (double)pays(leg, courses[k]);
                w.value = k == 0 ? leg.weight * paid : fma(leg.weight, paid, w.value);
                if (c.control == CONTROL_NONE) continue;
                const double control_value = (double)control(leg, courses[k]);
                w.control = k == 0 ? leg.weight * control_value : fma(leg.weight, control_value, w.control);
            }
        return w;
    }

    __device__ static value take(value lane, worth_of_path w) {
        const double v = w.value, u = w.control;
        lane.value = lane.value + v;
        lane.value_value = fma(v, v, lane.value_value);
        lane.control = lane.control + u;
        lane.control_control = fma(u, u, lane.control_control);
        lane.value_control = fma(v, u, lane.value_control);
        return lane;
    }
};

/* Static shared memory of finish_block, rounded up. */
enum { STATIC_SHARED = 24 << 10 };
static_assert((PARTIALS_MAX / 8 + PARTIALS_MAX / 64) * sizeof(weft_price_sums) < STATIC_SHARED - 256,
              "a block has other arrays in shared memory");

enum { TILE_PATHS = WEFT_TILE(sizeof(double)), TILE_LANES = WEFT_LANES(sizeof(double)) };

/* Sums the `count` paths of the block's tile: thread t of a warp has lanes 2t and 2t + 1 of every row. */
template <class Op> static __device__ __forceinline__ weft_price_sums sum_of_tile(const Op &op, uint64_t count) {
    constexpr int OWN = tile_shape<Op>::OWN;
    const uint32_t column = threadIdx.x % WARP * OWN;
    weft_price_sums lane[OWN];
    for (int l = 0; l < OWN; l++) lane[l] = op.identity();
#pragma unroll 1
    for (uint32_t top = column; top < TILE_PATHS; top += TILE_LANES)
#pragma unroll
        for (int l = 0; l < OWN; l++)
            if (top + l < count) lane[l] = op.take(lane[l], op.tile[top + l]);
    return combine_lanes(op, lane);
}

/* Returns the sums of a tile; they are valid in the first warp only. All threads of the block must call it. The
 * threads of a warp stay together: those without a path simulate the tile's first. */
template <class R, int A, int K, class SOURCE>
static __device__ __forceinline__ weft_price_sums tile_value(const pricing<R, A, K, SOURCE> &op,
                                                             const reduce_params &j, uint64_t tile) {
    const uint64_t first = tile * TILE_PATHS, count = j.n - first;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < TILE_PATHS && i / WARP * WARP < count; i += SOURCE::BLOCK_THREADS)
        op.tile[i] = op.worth(op.c.first + first + (i < count ? i : 0));
    __syncthreads();
    const weft_price_sums sums = threadIdx.x < WARP ? sum_of_tile(op, count) : op.identity();
    __syncthreads();
    return sums;
}

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Layout of shared memory: the values of a tile, the queues of warps, the table of normals. */
template <class Op>
static __global__ void __launch_bounds__(Op::BLOCK_THREADS, Op::source_type::BLOCKS)
    price_kernel(const __grid_constant__ reduce_params j, const __grid_constant__ parameters<typename Op::real> c) {
    worth_of_path *const tile = (worth_of_path *)dynamic_shared;
    typedef typename Op::source_type source;
    double *const queues = (double *)(tile + TILE_PATHS);
    unsigned char *const workspace = (unsigned char *)queues + Op::BLOCK_THREADS / WARP * source::QUEUE_BYTES;
    const Op op(c, source(c, workspace, queues + threadIdx.x / WARP * NORMALS_QUEUE), tile);
    const uint64_t per_block = (uint64_t)1 << j.warp_tiles_log2, begin = blockIdx.x * per_block;
    const warp_tiles s = {begin, j.tiles - begin < per_block ? j.tiles - begin : per_block, 1};
    finish_block(op, j, warp_value(op, j, s), s.present);
}

/* ----------------------------------------------------------------------------- launching */

template <class R> static parameters<R> parameters_of(const price_call *p, uint64_t first) {
    parameters<R> c = {};
    c.payoff = p->payoff;
    c.observed = p->observed;
    c.barrier = p->barrier;
    c.control = p->control;
    c.euler = p->scheme == WEFT_EULER;
    c.sobol = p->sobol;
    c.assets = (uint32_t)p->assets;
    c.steps = (uint32_t)p->steps;
    c.legs = (uint32_t)p->legs;
    c.first = first;
    c.strike = (R)p->strike;
    c.level = (R)p->level;
    c.rounds = round_keys_of(p->seed);
    for (size_t i = 0; i < p->assets; i++) {
        c.weights[i] = (R)p->weights[i];
        c.centre[i] = (R)p->centre[i];
        c.width[i] = (R)p->width[i];
    }
    for (size_t k = 0; k < p->legs; k++) {
        c.leg[k].weight = p->leg[k].weight;
        for (size_t i = 0; i < p->assets; i++) {
            c.leg[k].start[i] = (R)p->leg[k].start[i];
            c.leg[k].drift[i] = (R)p->leg[k].drift[i];
            for (size_t j = 0; j <= i; j++) c.leg[k].loading[i][j] = (R)p->leg[k].loading[i][j];
        }
    }
    return c;
}

/* Addresses of a call's tables in the workspace: first that of normals, then those of Sobol points. */
struct scratch_tables {
    uint64_t *directions, *keys;
    normal_part *normals;
};

template <class R, int A, int K, class SOURCE>
static weft_status launch(const gpu *g, const price_call *p, uint64_t first, reduce_params *j, scratch_tables tables,
                          weft_error *error) {
    typedef pricing<R, A, K, SOURCE> op;
    parameters<R> c = parameters_of<R>(p, first);
    c.directions = tables.directions;
    c.keys = tables.keys;
    size_t shared = TILE_PATHS * sizeof(worth_of_path) + op::BLOCK_THREADS / WARP * op::source_type::QUEUE_BYTES;
    if (SOURCE::TABLE) {
        c.table = tables.normals;
        c.octaves = normal_octaves(g, shared + STATIC_SHARED);
        shared += normal_table_bytes(c.octaves);
        RETURN_IF_ERROR(gpu_normal_table(g, c.octaves, tables.normals, error));
    }
    j->tiles = (j->n - 1) / TILE_PATHS + 1;
    while ((j->tiles - 1) >> j->warp_tiles_log2 >= PARTIALS_MAX) j->warp_tiles_log2++;
    const unsigned blocks = (unsigned)((j->tiles - 1) >> j->warp_tiles_log2) + 1;
    void (*const kernel)(reduce_params, parameters<R>) = price_kernel<op>;
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, "price", error));
    kernel<<<blocks, op::BLOCK_THREADS, shared, g->stream>>>(*j, c);
    CUDA_TRY(cudaGetLastError(), "price");
    return WEFT_OK;
}

template <class R, class SOURCE>
static weft_status launch_type(const gpu *g, const price_call *p, uint64_t first, reduce_params *j,
                               scratch_tables tables, weft_error *error) {
    if (p->legs == 1 && p->assets == 1) return launch<R, 1, 1, SOURCE>(g, p, first, j, tables, error);
    if (p->legs == 1 && p->assets == 2) return launch<R, 2, 1, SOURCE>(g, p, first, j, tables, error);
    return launch<R, WEFT_ASSETS_MAX, PRICE_LEGS_MAX, SOURCE>(g, p, first, j, tables, error);
}

static double worth_of_control(const price_call *c) {
    const price_leg *leg = &c->leg[0];
    switch (c->control) {
    case CONTROL_END:
        return weft_price_end(c->scheme == WEFT_EULER, c->assets, c->weights, leg->start, leg->drift, c->steps,
                              c->rate, c->maturity);
    case CONTROL_GEOMETRIC:
        return weft_price_geometric(c->payoff == WEFT_CALL, leg->start[0], c->strike, c->rate, c->volatility,
                                    c->maturity, (double)c->steps);
    default: return 0;
    }
}

weft_status cuda_price_sums(void *state, const price_sums_call *s, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const price_call *p = s->price;
    weft_price_sums sums = weft_price_no_sums();
    const size_t dimensions = p->steps * p->assets;
    unsigned bits = 0;
    void *scratch;
    call c;
    while ((p->paths - 1) >> bits) bits++;
    RETURN_IF_ERROR(gpu_refuse_capture(g, "price", error));
    const size_t normal_bytes = normal_table_bytes(NORMAL_OCTAVES);
    const size_t sobol_bytes = p->sobol ? sobol_table_bytes(bits, dimensions) : 0;
    RETURN_IF_ERROR(arrays_copy_in(g, "price", NULL, 0, normal_bytes + sobol_bytes, &scratch, error));
    uint64_t *const directions = (uint64_t *)((char *)scratch + normal_bytes);
    const scratch_tables tables = {directions, directions + bits * dimensions, (normal_part *)scratch};
    if (p->sobol) RETURN_IF_ERROR(gpu_sobol_tables(g, p->seed, p->stream, true, dimensions, bits, directions, error));
    RETURN_IF_ERROR(call_begin(&c, g, "price", WEFT_F64, WEFT_F64, s->count, NULL, NULL, &sums, error));
    c.out_bytes = sizeof sums;
    const auto run = p->fast                ? launch_type<float, pairs_of_normals>
                     : p->dtype == WEFT_F32 ? launch_type<float, normals<float>>
                                            : launch_type<double, normals<double>>;
    RETURN_IF_ERROR(run(g, p, s->first, &c.j, tables, error));
    RETURN_IF_ERROR(call_end(&c, error));
    memcpy(s->sums, &sums, sizeof sums);
    return WEFT_OK;
}

weft_status cuda_price_estimate(void *state, const price_estimate_call *e, weft_error *error) {
    const price_call *p = e->price;
    (void)state, (void)error;
    weft_price_estimate(weft_price_given(e->sums), p->paths, worth_of_control(p), p->rate, p->maturity, e->estimate);
    return WEFT_OK;
}
