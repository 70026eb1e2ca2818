/* weft_price: paths in the registers of threads, their sums by the canonical tree (docs/ORDER.md 21).
 *
 * A warp takes a tile of paths at a time, as it takes one of an array (tree.cuh); only that an element is not loaded
 * but simulated: thread t goes down its two lanes, path after path. Memory is read for the parameters alone, which
 * all threads share, and nothing is written but the sums of blocks. */
#include "arith/price.h"
#include "arith/sobol.h"
#include "cuda/arrays.h"
#include "cuda/sobol_tables.h"
#include "cuda/tree.cuh"

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

static __device__ void finish(const job &j, weft_price_sums v) { *(weft_price_sums *)j.out = v; }

/* ----------------------------------------------------------------------------- paths */

static __device__ __forceinline__ float exp_of(float x) { return weft_exp_f32(x); }
static __device__ __forceinline__ double exp_of(double x) { return weft_exp_f64(x); }
static __device__ __forceinline__ float excess(float a, float b) { return weft_excess_f32(a, b); }
static __device__ __forceinline__ double excess(double a, double b) { return weft_excess_f64(a, b); }

/* A call, and where paths are Sobol points their tables, as in cuda/sobol_tables.h. */
struct parameters : price_call {
    const uint64_t *directions, *keys;
};

/* The normals of a path, one after the other. */
struct normals {
    const parameters *__restrict__ c;
    uint64_t path, drawn;
    weft_philox_block left;
    __device__ normals(const parameters *c_, uint64_t path_) : c(c_), path(path_), drawn(0) {}

    /* That of the point's next coordinate. */
    __device__ uint32_t next_of_point() {
        const uint64_t dimensions = c->steps * c->assets, *v = c->directions + drawn;
        uint64_t word = 0;
        for (uint64_t gray = path ^ path >> 1; gray; gray >>= 1, v += dimensions)
            if (gray & 1) word ^= *v;
        const uint64_t key = c->keys[drawn++];
        return weft_nested_scramble((uint32_t)(word >> 32), (uint32_t)(key >> 32), (uint32_t)key);
    }

    __device__ __forceinline__ double next() {
        if (c->sobol) return weft_price_normal(next_of_point());
        if (drawn % 4 == 0) left = weft_philox(path, drawn / 4, c->seed);
        const uint32_t word = left.v[0];
        left.v[0] = left.v[1];
        left.v[1] = left.v[2];
        left.v[2] = left.v[3];
        drawn++;
        return weft_price_normal(word);
    }
};

/* How far a leg has come. `walk` holds prices, of exact steps their logarithms over the start. */
template <class R, int A> struct course { R walk[A], price[A], basket, sum, sum_of_logs, highest, lowest; };

/* Paths in R, of at most A assets and K legs, as an operator of tree.cuh. Loops over assets and legs are unrolled
 * where there are few, so that all is in registers. */
template <class R, int A, int K> struct pricing : plain_operator {
    typedef double element; /* the value of a path */
    typedef weft_price_sums value;
    static constexpr int UNROLL = A <= 2 ? A : 1;
    const parameters *__restrict__ c;

    __device__ explicit pricing(const job &j) : c((const parameters *)j.x) {}
    __device__ value identity() const { return weft_price_no_sums(); }
    __device__ value join(value a, value b) const { return weft_price_join(a, b); }

    __device__ R basket(const R *price) const {
        R worth = (R)c->weights[0] * price[0];
#pragma unroll UNROLL
        for (int i = 1; i < A; i++)
            if (i < (int)c->assets) worth = fma((R)c->weights[i], price[i], worth);
        return worth;
    }

    __device__ void begin(const price_leg &leg, course<R, A> &w) const {
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < (int)c->assets) {
                w.price[i] = (R)leg.start[i];
                w.walk[i] = c->scheme == WEFT_EULER ? (R)leg.start[i] : (R)0;
            }
        w.basket = w.highest = w.lowest = basket(w.price);
        w.sum = w.sum_of_logs = 0;
    }

    __device__ void move(const price_leg &leg, const R *z, course<R, A> &w) const {
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < (int)c->assets) {
                R x = (R)leg.drift[i];
#pragma unroll UNROLL
                for (int k = 0; k < A; k++)
                    if (k <= i) x = fma((R)leg.loading[i][k], z[k], x);
                w.walk[i] = c->scheme == WEFT_EULER ? fma(w.walk[i], x, w.walk[i]) : w.walk[i] + x;
            }
        w.sum_of_logs = w.sum_of_logs + w.walk[0];
    }

    __device__ void find_prices(const price_leg &leg, course<R, A> &w) const {
#pragma unroll UNROLL
        for (int i = 0; i < A; i++)
            if (i < (int)c->assets)
                w.price[i] = c->scheme == WEFT_EULER ? w.walk[i] : (R)leg.start[i] * exp_of(w.walk[i]);
        w.basket = basket(w.price);
    }

    __device__ void look(const price_leg &leg, course<R, A> &w) const {
        find_prices(leg, w);
        w.sum = w.sum + w.basket;
        w.highest = w.basket > w.highest ? w.basket : w.highest;
        w.lowest = w.basket < w.lowest ? w.basket : w.lowest;
    }

    /* Whether the payoff looks at prices on all dates, rather than at the last. */
    __device__ bool looks_on_the_way() const {
        return c->barrier != WEFT_NO_BARRIER ||
               (c->observed != WEFT_OBSERVE_END && c->observed != WEFT_OBSERVE_GEOMETRIC);
    }

    __device__ void walk(uint64_t path, course<R, A> *courses) const {
        normals source(c, path);
        const bool looks = looks_on_the_way();
        R z[A];
#pragma unroll
        for (int k = 0; k < K; k++)
            if (k < (int)c->legs) begin(c->leg[k], courses[k]);
#pragma unroll 1
        for (uint64_t step = 0; step < c->steps; step++) {
#pragma unroll UNROLL
            for (int i = 0; i < A; i++)
                if (i < (int)c->assets) z[i] = (R)source.next();
#pragma unroll 1
            for (int k = 0; k < K; k++)
                if (k < (int)c->legs) {
                    move(c->leg[k], z, courses[k]);
                    if (looks) look(c->leg[k], courses[k]);
                }
        }
#pragma unroll 1
        for (int k = 0; k < K; k++)
            if (k < (int)c->legs && !looks) find_prices(c->leg[k], courses[k]);
    }

    /* ------------------------------------------------------------------------ payoffs */

    __device__ R geometric(const price_leg &leg, const course<R, A> &w) const {
        return (R)leg.start[0] * exp_of(w.sum_of_logs / (R)c->steps);
    }

    __device__ R observed(const price_leg &leg, const course<R, A> &w) const {
        switch (c->observed) {
        case WEFT_OBSERVE_MEAN: return w.sum / (R)c->steps;
        case WEFT_OBSERVE_GEOMETRIC: return geometric(leg, w);
        case WEFT_OBSERVE_HIGHEST: return w.highest;
        case WEFT_OBSERVE_LOWEST: return w.lowest;
        default: return w.basket;
        }
    }

    __device__ bool alive(const course<R, A> &w) const {
        const R level = (R)c->level;
        switch (c->barrier) {
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
            if (i < (int)c->assets) {
                const R off = w.price[i] - (R)c->centre[i], width = (R)c->width[i];
                within = within && off < width && -off < width;
            }
        return within;
    }

    __device__ R pays(const price_leg &leg, const course<R, A> &w) const {
        const R a = observed(leg, w), strike = (R)c->strike;
        if (!alive(w)) return 0;
        switch (c->payoff) {
        case WEFT_CALL: return excess(a, strike);
        case WEFT_PUT: return excess(strike, a);
        case WEFT_DIGITAL_CALL: return a > strike ? (R)1 : (R)0;
        case WEFT_DIGITAL_PUT: return a < strike ? (R)1 : (R)0;
        case WEFT_FLOATING_CALL: return excess(w.basket, a);
        case WEFT_FLOATING_PUT: return excess(a, w.basket);
        default: return is_within(w) ? (R)1 : (R)0;
        }
    }

    __device__ R control(const price_leg &leg, const course<R, A> &w) const {
        const R strike = (R)c->strike;
        if (c->control == CONTROL_END) return w.basket;
        return c->payoff == WEFT_CALL ? excess(geometric(leg, w), strike) : excess(strike, geometric(leg, w));
    }

    /* Takes path number `path` into a lane. */
    __device__ value step(value lane, uint64_t path) const {
        course<R, A> courses[K];
        double v = 0, u = 0;
        walk(path, courses);
#pragma unroll 1
        for (int k = 0; k < K; k++)
            if (k < (int)c->legs) {
                const price_leg &leg = c->leg[k];
                const double paid = (double)pays(leg, courses[k]);
                v = k == 0 ? leg.weight * paid : fma(leg.weight, paid, v);
                if (c->control == CONTROL_NONE) continue;
                const double beside = (double)control(leg, courses[k]);
                u = k == 0 ? leg.weight * beside : fma(leg.weight, beside, u);
            }
        lane.value = lane.value + v;
        lane.value_value = fma(v, v, lane.value_value);
        lane.control = lane.control + u;
        lane.control_control = fma(u, u, lane.control_control);
        lane.value_control = fma(v, u, lane.value_control);
        return lane;
    }
};

/* A tile of paths: thread t has lanes 2t and 2t + 1 of every row. */
template <class R, int A, int K>
static __device__ __forceinline__ weft_price_sums tile_value(const pricing<R, A, K> &op, const job &j,
                                                             uint64_t tile) {
    typedef tile_shape<pricing<R, A, K>> shape;
    const uint64_t first = tile * shape::ELEMENTS + threadIdx.x % WARP * shape::OWN;
    weft_price_sums lane[shape::OWN];
    for (int l = 0; l < shape::OWN; l++) lane[l] = op.identity();
#pragma unroll 1
    for (int row = 0; row < WEFT_TILE_ROWS; row++)
#pragma unroll
        for (int l = 0; l < shape::OWN; l++) {
            const uint64_t path = first + (uint64_t)row * shape::LANES + l;
            if (path < j.n) lane[l] = op.step(lane[l], op.c->first + path);
        }
    return join_lanes(op, lane);
}

/* ----------------------------------------------------------------------------- launching */

template <class R> static kernel choose(const price_call *c) {
    if (c->legs == 1 && c->assets == 1) return kernel{(const void *)tree_kernel<pricing<R, 1, 1>>, false};
    if (c->legs == 1 && c->assets == 2) return kernel{(const void *)tree_kernel<pricing<R, 2, 1>>, false};
    return kernel{(const void *)tree_kernel<pricing<R, WEFT_ASSETS_MAX, PRICE_LEGS_MAX>>, false};
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

/* The parameters go to scratch memory, where the kernel takes them for its input; behind them come the tables. */
static weft_status simulate(gpu *g, const price_call *p, weft_price_sums *sums, weft_error *error) {
    const size_t dimensions = p->steps * p->assets;
    unsigned bits = 0;
    void *scratch;
    call c;
    while ((p->paths - 1) >> bits) bits++;
    FORWARD(gpu_refuse_capture(g, "price", error));
    const size_t table_bytes = p->sobol ? sobol_table_bytes(bits, dimensions) : 0;
    FORWARD(arrays_bring(g, "price", NULL, 0, sizeof(parameters) + table_bytes, &scratch, error));
    uint64_t *const tables = (uint64_t *)((parameters *)scratch + 1);
    const parameters all = {*p, tables, tables + bits * dimensions};
    CUDA_TRY(cudaMemcpyAsync(scratch, &all, sizeof all, cudaMemcpyHostToDevice, g->stream), "price");
    if (p->sobol) FORWARD(gpu_sobol_tables(g, p->seed, p->stream, true, dimensions, bits, tables, error));
    FORWARD(call_begin(&c, g, "price", WEFT_F64, WEFT_F64, p->count, scratch, NULL, sums, error));
    c.out_bytes = sizeof *sums;
    FORWARD(call_run(&c, p->dtype == WEFT_F32 ? choose<float>(p) : choose<double>(p), error));
    return call_end(&c, error);
}

weft_status cuda_price(void *state, const price_call *p, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    weft_price_sums sums = weft_price_no_sums();
    if (p->given)
        sums = weft_price_given(p->given);
    else
        FORWARD(simulate(g, p, &sums, error));
    if (p->sums)
        memcpy(p->sums, &sums, sizeof sums);
    else
        weft_price_estimate(sums, p->paths, worth_of_control(p), p->rate, p->maturity, p->estimate);
    return WEFT_OK;
}
