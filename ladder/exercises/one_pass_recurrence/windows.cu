/* Exercise windows: the value before a tile, from 32 earlier tiles at once
 *
 * v[i] = s[i] v[i - 1] + u[i], with v[-1] = 0, in one launch. The numbers
 * are unsigned, have 64 bits and wrap at 2^64, so no operation rounds. A
 * block takes the number k of its tile and composes the maps w -> s w + u
 * of its 128 elements. It publishes the map of the whole tile at once. If k
 * is a multiple of 40, it also publishes the value after the tile, as soon
 * as it has it. All this is complete.
 *
 * The first warp of a block looks back to find the value before its tile:
 * it looks at the tiles k - 1 ... k - 32, one for each lane, and composes
 * their maps. If the value after one of them is known, the value before
 * tile k follows. Otherwise the warp goes on with the tiles k - 33 ...
 * k - 64, and so on. Write:
 *
 * 1. `map_of_tile`: return what tile k has published, as a map. A tile
 *    whose value is known is a constant map: it does not depend on what is
 *    before the tile.
 * 2. `value_before`: the loop over the windows of 32 tiles.
 *
 * Hint: A constant map is w -> 0 w + value.
 *
 * Hint: Let lane 0 have the nearest tile: with `end` = k at first, lane j
 * looks at tile end - 1 - j. There is none if j >= end. What is before the
 * first tile has the value 0: it is a constant map too.
 *
 * Hint: The order of two maps matters: `then(f, g)` applies f first. A
 * higher lane has an earlier tile. Lane 0 has the map of the window after
 * five steps with `__shfl_down_sync`, over the distances 1, 2, 4, 8 and 16.
 * Shuffle both numbers of the map.
 *
 * Hint: Begin with `after` = w -> w. The map of each window comes before
 * it: `after = then(window, after)`. The loop ends if a lane has a constant
 * map, which `__any_sync` tells all lanes. Then `after` is constant too.
 *
 * Sizes: 1 2 127 128 129 4096 4097 4225 5120 5121 5249 12001; 1048576 on a
 * GPU
 */
#include <cuda_runtime.h>

typedef unsigned long long number;
const unsigned THREADS = 128, WARP = 32, EVERY = 40;
#define WHOLE_WARP 0xffffffffu

/* The map w -> s w + u. */
struct map {
    number s, u;
};

enum { NOTHING, MAP, VALUE }; /* kinds of what a tile has published */

/* The counter of the tiles, and what they have published. */
struct published {
    unsigned *counter, *kinds;
    map *maps;
    number *values; /* after the tiles whose kind is VALUE */
};

/* Returns the map that first applies f and then g. */
__device__ map then(map f, map g) { return {g.s * f.s, g.s * f.u + g.u}; }

/* Returns the map from the start of the tile to this thread's element. */
__device__ map scan_tile(map mine) {
    __shared__ map of_warps[THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const number s = __shfl_up_sync(WHOLE_WARP, mine.s, d);
        const number u = __shfl_up_sync(WHOLE_WARP, mine.u, d);
        if (lane >= d) mine = then({s, u}, mine);
    }
    if (lane == WARP - 1) of_warps[warp] = mine;
    __syncthreads();
    map before = {1, 0};
    for (unsigned w = 0; w < warp; w++) before = then(before, of_warps[w]);
    return then(before, mine);
}

/* Waits until tile k has published something, and returns it as a map.
 * Sets *constant to true if the map is constant. */
__device__ map map_of_tile(unsigned k, published all, bool *constant) {
    unsigned kind;
    do kind = *(volatile unsigned *)&all.kinds[k];
    while (kind == NOTHING);
    __threadfence();
    /* Blank: set *constant, and return the map */
    *constant = kind == VALUE;
    if (kind == VALUE) return {0, all.values[k]};
    return all.maps[k];
    /* End of blank: return {1, 0}; */
}

/* Returns the value before tile k, in lane 0. A warp calls it. */
__device__ number value_before(unsigned k, published all) {
    const unsigned lane = threadIdx.x % WARP;
    map after = {1, 0}; /* from the tiles that were looked at to tile k */
    /* Blank: look at 32 tiles at a time, and compose their maps */
    for (unsigned end = k;; end -= WARP) {
        bool constant = true;
        map mine = {0, 0};
        if (lane < end) mine = map_of_tile(end - 1 - lane, all, &constant);
        for (unsigned d = 1; d < WARP; d *= 2) {
            const number s = __shfl_down_sync(WHOLE_WARP, mine.s, d);
            const number u = __shfl_down_sync(WHOLE_WARP, mine.u, d);
            mine = then({s, u}, mine);
        }
        after = then(mine, after);
        if (__any_sync(WHOLE_WARP, constant)) break;
    }
    /* End of blank */
    return after.u;
}

__device__ void publish(unsigned *kind, unsigned what) {
    __threadfence();
    atomicExch(kind, what);
}

__global__ void follow(size_t n, const number *s, const number *u,
                       number *v, published all) {
    __shared__ unsigned tile;
    __shared__ map whole;
    __shared__ number before;
    if (threadIdx.x == 0) tile = atomicAdd(all.counter, 1u);
    __syncthreads();
    const unsigned k = tile;
    const size_t i = (size_t)k * THREADS + threadIdx.x;
    map mine = {1, 0};
    if (i < n) mine = {s[i], u[i]};
    mine = scan_tile(mine);
    if (threadIdx.x == THREADS - 1) {
        whole = mine;
        all.maps[k] = mine;
        publish(&all.kinds[k], MAP);
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        const number w = value_before(k, all);
        if (threadIdx.x == 0) before = w;
        if (threadIdx.x == 0 && k % EVERY == 0) {
            all.values[k] = whole.s * w + whole.u;
            publish(&all.kinds[k], VALUE);
        }
    }
    __syncthreads();
    if (i < n) v[i] = mine.s * before + mine.u;
}

void solve(size_t n, const number *s, const number *u, number *v,
           published all) {
    const unsigned tiles = (unsigned)((n + THREADS - 1) / THREADS);
    cudaMemsetAsync(all.counter, 0, sizeof *all.counter);
    cudaMemsetAsync(all.kinds, 0, tiles * sizeof *all.kinds);
    follow<<<tiles, THREADS>>>(n, s, u, v, all);
}

/* Check */
#include "climb.h"

typedef unsigned long long number;
struct map {
    number s, u;
};
struct published {
    unsigned *counter, *kinds;
    map *maps;
    number *values;
};

void solve(size_t n, const number *s, const number *u, number *v,
           published all);

/* Returns numbers of 64 bits. With `odd`, products of them do not lose
 * their upper bits. */
static std::vector<number> wide_numbers(size_t n, unsigned seed, bool odd) {
    std::vector<number> wide;
    for (const unsigned v : ladder_values<unsigned>(n, seed))
        wide.push_back(v * 0x9e3779b97f4a7c15u | odd);
    return wide;
}

/* Returns the bytes of the counter, of what the tiles publish,
 * and of what they look at: as few as if all earlier values
 * that will be published were known. */
static double bytes_of_tiles(size_t tiles) {
    const size_t WARP = 32, EVERY = 40;
    size_t bytes = 0;
    for (size_t k = 0; k < tiles; k++) {
        bytes += 8 + 16 + 8 + (k % EVERY ? 0 : 8 + 8);
        bool is_known = false;
        for (size_t end = k; end > 0 && !is_known;
             end -= std::min(end, WARP)) {
            for (size_t at = end - std::min(end, WARP); at < end; at++) {
                bytes += 4 + (at % EVERY ? 16 : 8);
                is_known = is_known || at % EVERY == 0;
            }
        }
    }
    return (double)bytes;
}

void check_exercise(climb &c) {
    const size_t tiles = blocks_for<size_t>(c.n, 128);
    const std::vector<number> factors = wide_numbers(c.n, c.seed, true);
    const std::vector<number> terms =
        wide_numbers(c.n, c.seed + 100, false);
    std::vector<number> values(c.n);
    for (size_t i = 0; i < c.n; i++)
        values[i] = (i ? factors[i] * values[i - 1] : 0) + terms[i];
    const number *const s = c.input(factors), *const u = c.input(terms);
    number *const v = c.output<number>(c.n);
    const published all = {c.output<unsigned>(1), c.output<unsigned>(tiles),
                           c.output<map>(tiles), c.output<number>(tiles)};
    c.work(24.0 * (double)c.n + bytes_of_tiles(tiles), 0);
    c.rung(
        "windows", [&] { return c.holds(v, values); },
        [&] { solve(c.n, s, u, v, all); });
}
