/* Topic one-pass-recurrence: a recurrence that reads
 * and writes each element once
 *
 * Topic recurrence solves v[i] = s[i] v[i - 1] + u[i] by combining maps w
 * -> s w + u. Its fastest rung, `runs`, reads s and u once and writes v
 * once, 3 n elements. But each block waits for the value of the block
 * before it, one after another. Topic one-pass-scan shows how a block can
 * look back over 32 earlier blocks at once. Here this is done with maps.
 * There is one difference: the order of two maps matters. So the lanes of a
 * warp must combine the maps of earlier blocks in the order of the blocks.
 *
 * On the executor, blocks run one after another, and all values before a
 * tile are known when it starts. Only a GPU tests the waiting.
 */
#include "climb.h"

#include <type_traits>

namespace {

constexpr unsigned WARP = 32, THREADS = 256, WARPS = THREADS / WARP;
constexpr unsigned ROWS = 4;
#define WHOLE_WARP 0xffffffffu

/* The map w -> s w + u. */
template <class T> struct affine { T s, u; };

template <class T> __host__ __device__ T apply(affine<T> f, T w) {
    return f.s * w + f.u;
}

/* Returns the composition: first f, then g. */
template <class T>
__host__ __device__ affine<T> then(affine<T> f, affine<T> g) {
    return {g.s * f.s, g.s * f.u + g.u};
}

/* Returns the tile that the block must process. */
__device__ unsigned take_ticket(unsigned *ticket) {
    __shared__ unsigned mine;
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
    __syncthreads();
    return mine;
}

template <class T>
static std::vector<T> order_of_loop(const std::vector<T> &s,
                                    const std::vector<T> &u) {
    std::vector<T> v(s.size());
    T w = 0;
    for (size_t i = 0; i < v.size(); i++) v[i] = w = s[i] * w + u[i];
    return v;
}

/* Rung look-back: a tile combines the maps of up to
 * 32 earlier tiles at once
 *
 * `runs` of topic recurrence publishes values, and a block needs the value
 * of the block before it. Here each tile first publishes its map, and later
 * the value after it. One warp looks at the 32 tiles before its own. A tile
 * whose value is known is a constant map, w -> 0 w + value. So is what lies
 * before the first tile, with the value 0. The warp combines the 32 maps.
 * If one of them is constant, so is the result, and its u is the value
 * before the tile. Otherwise the warp continues with the 32 tiles before
 * these (see `look-back` of topic one-pass-scan).
 *
 * A thread reads four rows of 16 bytes of s and of u, and keeps them in
 * registers until it writes v.
 *
 * Order: it depends on timing which maps are combined. So s is -1, 0 or 1,
 * and u is a small whole number. Then no operation rounds, and the result
 * is that of the loop.
 */
template <class T> constexpr unsigned PARTS = 16 / sizeof(T);
template <class T> constexpr unsigned WIDE_TILE = THREADS *ROWS *PARTS<T>;
template <class T> struct alignas(16) sixteen { T part[16 / sizeof(T)]; };

enum { NOTHING, MAP, VALUE }; /* kinds of what a tile has published */

template <class T> struct published {
    unsigned *ticket, *kinds;
    affine<T> *maps;
    T *values;
};

template <class T>
__device__ sixteen<T> load_sixteen(size_t n, const T *x, size_t i,
                                   T missing) {
    if (i + PARTS<T> <= n) return *(const sixteen<T> *)(x + i);
    sixteen<T> v;
    for (unsigned k = 0; k < PARTS<T>; k++)
        v.part[k] = i + k < n ? x[i + k] : missing;
    return v;
}

template <class T>
__device__ affine<T> of_lane(affine<T> f, unsigned lane) {
    return {__shfl_sync(WHOLE_WARP, f.s, (int)lane),
            __shfl_sync(WHOLE_WARP, f.u, (int)lane)};
}

/* Returns the map from the start of the warp to the lane before this one,
 * and changes f to that up to this one. */
template <class T> __device__ affine<T> scan_lanes(affine<T> *f) {
    const unsigned lane = threadIdx.x % WARP;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const affine<T> before = {__shfl_up_sync(WHOLE_WARP, f->s, d),
                                  __shfl_up_sync(WHOLE_WARP, f->u, d)};
        if (lane >= d) *f = then(before, *f);
    }
    const affine<T> before = {__shfl_up_sync(WHOLE_WARP, f->s, 1),
                              __shfl_up_sync(WHOLE_WARP, f->u, 1)};
    return lane > 0 ? before : affine<T>{1, 0};
}

/* Returns what the tile has published, as a map. Waits
 * until there is something. */
template <class T>
__device__ affine<T> map_of_tile(size_t k, const published<T> &all,
                                 unsigned *kind) {
    while ((*kind = *(volatile unsigned *)&all.kinds[k]) == NOTHING) {
    }
    __threadfence();
    if (*kind == VALUE) return {0, *(volatile T *)&all.values[k]};
    return {*(volatile T *)&all.maps[k].s, *(volatile T *)&all.maps[k].u};
}

/* Returns the value before tile k, whose map is f, and publishes f and the
 * value after the tile. */
template <bool SWAPPED, class T>
__device__ T value_before(size_t k, affine<T> f, const published<T> &all) {
    const unsigned lane = threadIdx.x % WARP;
    /* map from the tiles that were looked at to tile k */
    affine<T> after = {1, 0};
    if (lane == 0) {
        all.maps[k] = f;
        __threadfence();
        atomicExch(&all.kinds[k], MAP);
    }
    for (size_t end = k;; end -= WARP) {
        unsigned kind = VALUE;
        affine<T> mine = {0, 0};
        if (lane < end) mine = map_of_tile(end - 1 - lane, all, &kind);
        /* A higher lane has an earlier tile */
        for (unsigned d = 1; d < WARP; d *= 2) {
            const affine<T> earlier = {
                __shfl_down_sync(WHOLE_WARP, mine.s, d),
                __shfl_down_sync(WHOLE_WARP, mine.u, d)};
            mine = SWAPPED ? then(mine, earlier) : then(earlier, mine);
        }
        after = then(of_lane(mine, 0), after);
        if (__any_sync(WHOLE_WARP, kind == VALUE)) break;
    }
    if (lane == 0) {
        all.values[k] = apply(f, after.u);
        __threadfence();
        atomicExch(&all.kinds[k], VALUE);
    }
    return after.u;
}

template <class T, bool SWAPPED>
__global__ void follow_looking_back(size_t n, const T *s, const T *u, T *v,
                                    published<T> all) {
    __shared__ T of_warp_s[WARPS], of_warp_u[WARPS];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const size_t k = take_ticket(all.ticket);
    const size_t first =
        k * WIDE_TILE<T> + (warp * ROWS * WARP + lane) * PARTS<T>;
    sixteen<T> factor[ROWS], term[ROWS];
    affine<T> before[ROWS], carry = {1, 0};
    for (unsigned r = 0; r < ROWS; r++) {
        factor[r] = load_sixteen(n, s, first + r * WARP * PARTS<T>, (T)1);
        term[r] = load_sixteen(n, u, first + r * WARP * PARTS<T>, (T)0);
        affine<T> f = {factor[r].part[0], term[r].part[0]};
        for (unsigned i = 1; i < PARTS<T>; i++)
            f = then(f, {factor[r].part[i], term[r].part[i]});
        before[r] = then(carry, scan_lanes(&f));
        carry = then(carry, of_lane(f, WARP - 1));
    }
    if (lane == 0) of_warp_s[warp] = carry.s, of_warp_u[warp] = carry.u;
    __syncthreads();
    if (warp == 0) {
        affine<T> f = {1, 0};
        if (lane < WARPS) f = {of_warp_s[lane], of_warp_u[lane]};
        const affine<T> before_warp = scan_lanes(&f);
        const T w = value_before<SWAPPED>(k, of_lane(f, WARP - 1), all);
        /* Replaces the map by the value before the warp */
        if (lane < WARPS) of_warp_u[lane] = apply(before_warp, w);
    }
    __syncthreads();
    const T before_warp = of_warp_u[warp];
    for (unsigned r = 0; r < ROWS; r++) {
        T w = apply(before[r], before_warp);
        const size_t i = first + r * WARP * PARTS<T>;
        for (unsigned p = 0; p < PARTS<T>; p++)
            term[r].part[p] = w = factor[r].part[p] * w + term[r].part[p];
        if (i + PARTS<T> <= n)
            *(sixteen<T> *)(v + i) = term[r];
        else
            for (unsigned p = 0; p < PARTS<T> && i + p < n; p++)
                v[i + p] = term[r].part[p];
    }
}

template <bool SWAPPED, class T>
static void look_back(size_t n, const T *s, const T *u, T *v,
                      published<T> all) {
    const size_t tiles = blocks_for<size_t>(n, WIDE_TILE<T>);
    CUDA_CHECK(
        cudaMemsetAsync(all.ticket, 0, (tiles + 1) * sizeof *all.ticket));
    follow_looking_back<T, SWAPPED>
        <<<(unsigned)tiles, THREADS>>>(n, s, u, v, all);
}

/* Faulty rung swapped: the maps of the tiles in the wrong order
 *
 * Lane j has the tile j + 1 before its own, so a higher lane has an earlier
 * tile. This rung combines the map of the lower lane first. If the values
 * of all tiles are known, each map is constant, and the result is the value
 * of the earliest tile instead of the nearest. For sums, the same exchange
 * changes nothing.
 */

/* Rung weft: weft_recurrence, an operation of this library
 *
 * weft also combines tiles by look-back, in groups of 16 whose order is
 * fixed (ORDER.md 9). So its bits do not depend on timing, and s and u may
 * be any numbers. `weft_recurrence` supports f32 and f64, and many rows.
 */
static weft_status weft_follow(weft_context *ctx, weft_dtype dtype,
                               size_t n, const void *s, const void *u,
                               void *v) {
    return weft_recurrence(ctx, WEFT_FORWARD, dtype, 1, n, s, u, NULL, v);
}

/* Exercises
 *
 * 1. Let s be 0 for one element of each tile. Which maps are constant then,
 *    and how many tiles must a warp look at?
 * 2. Why is the order of the rows of a warp fixed, although that of the
 *    tiles depends on timing?
 * 3. Replace look-back by the fixed groups of `groups` of topic
 *    one-pass-scan. How many maps does the last tile of a group combine?
 */

/* Climbing the rungs. */
template <class T> static std::vector<T> values(size_t n, unsigned seed) {
    if constexpr (!std::is_same_v<T, uint64_t>)
        return ladder_values<T>(n, seed);
    std::vector<T> v;
    for (const int x : ladder_values<int>(n, seed))
        v.push_back((T)x * (T)0x9e3779b97f4a7c15u);
    return v;
}

template <class T> static void climb_as(climb &c) {
    const size_t n = c.n, tiles = blocks_for<size_t>(n, WIDE_TILE<T>);
    const size_t two_tiles = WIDE_TILE<T> + 1;
    std::vector<T> signs, whole;
    for (const int x : ladder_values<int>(n, 3))
        signs.push_back((T)(x % 2));
    for (const int x : ladder_values<int>(n, 4))
        whole.push_back((T)(x % 8));
    const T *const s = c.input(signs), *const u = c.input(whole);
    T *const v = c.output<T>(n);
    unsigned *const kinds = c.output<unsigned>(tiles + 1);
    const published<T> all = {kinds, kinds + 1, c.output<affine<T>>(tiles),
                              c.output<T>(tiles)};
    c.work(3.0 * (double)(n * sizeof(T)), 2 * (double)n);

    const ladder_claim by_loop = [&] {
        return c.holds(v, order_of_loop(signs, whole));
    };
    c.rung("look-back", by_loop,
           [=] { look_back<false>(n, s, u, v, all); });
    c.faulty("swapped", by_loop, [=] { look_back<true>(n, s, u, v, all); },
             {.least = 3 * two_tiles});
    if constexpr (std::is_floating_point_v<T>) {
        const std::vector<T> factors = values<T>(n, 1);
        const std::vector<T> terms = values<T>(n, 2);
        const T *const any_s = c.input(factors);
        const T *const any_u = c.input(terms);
        const ladder_claim as_specified = [&] {
            std::vector<T> expected(n);
            c.specified(weft_follow(c.ref(), c.dtype, n, factors.data(),
                                    terms.data(), expected.data()));
            return c.holds(v, expected);
        };
        c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
            return weft_follow(ctx, c.dtype, n, any_s, any_u, v);
        });
    }
}

} // namespace

void climb_one_pass_recurrence(climb &c) {
    if (c.dtype == WEFT_F32) return climb_as<float>(c);
    if (c.dtype == WEFT_U64) return climb_as<uint64_t>(c);
    climb_as<double>(c);
}
