/* Reduction of listed rows of several columns by target, and the last step of all results, on a GPU (ORDER.md 25).
 *
 * A group of up to 32 threads reduces a tile of a target (ORDER.md 2.2), each thread its own columns. So a row is
 * read by adjacent threads, and no values are exchanged. A thread has the loads of eight rows in flight.
 *
 * Tile 0 of target j is reduced by group j. The other tiles belong to groups m + q - 1, q = 1, 2, ...: if position
 * q TILE of the list is in the target whose list begins at b, group m + q - 1 reduces its tile q - b / TILE, if there
 * is one. (Tile t begins at b + t TILE, and exactly one multiple of TILE is greater than b + (t - 1) TILE and at most
 * b + t TILE.) The value of tile 0 is stored at number b / TILE of `first`, that of another tile at number q of
 * `rest`. Two targets of more than one tile have different b / TILE.
 *
 * Traffic: each listed row is read once, with its number in the list; each result is written once. */
#ifndef WEFT_CUDA_SCATTER_ROWS_CUH
#define WEFT_CUDA_SCATTER_ROWS_CUH

#include "arith/finish.h"
#include "cuda/reduce/tree.cuh"
#include "cuda/scan/scan_ops.cuh"
#include "cuda/scatter_reduce/scatter_params.h"

/* ------------------------------------------------------------------------------- last step */

/* Sums in f64, of which R are the means. */
template <class T, class A, class R> struct scatter_mean : scan_sum<T, A, A> {
    __device__ explicit scatter_mean(const scan_params &j) : scan_sum<T, A, A>(j) {}
};

template <class Op> struct final_of { typedef typename Op::result type; };
template <class T, class A, class R> struct final_of<scatter_mean<T, A, R>> { typedef R type; };

/* Returns the result of a target from the reduction r of its `count` elements and its initial value. */
template <class Op>
static __device__ __forceinline__ typename Op::result last_step(const Op &op, typename Op::result r, uint64_t count,
                                                                const typename Op::result *init) {
    if (!init) return r;
    return count ? op.store(op.combine(op.enter(*init), op.enter(r))) : *init;
}

template <class T, class A, class R>
static __device__ __forceinline__ R last_step(const scatter_mean<T, A, R> &, A sum, uint64_t count, const R *) {
    return canonical((R)weft_finish_mean(sum, count));
}

template <class Op>
static __device__ __forceinline__ void put_result(const Op &op, const scatter_params &a, uint64_t at,
                                                  typename Op::result r, uint64_t count) {
    typedef typename final_of<Op>::type R;
    ((R *)a.out)[at] = last_step(op, r, count, a.init ? (const R *)a.init + at : NULL);
}

/* Writes the results of a column that has been reduced. */
template <class Op>
static __global__ void __launch_bounds__(SCATTER_THREADS) store_kernel(const __grid_constant__ scatter_params a) {
    const Op op(a.scan);
    const uint64_t stride = (uint64_t)gridDim.x * SCATTER_THREADS;
    for (uint64_t j = (uint64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x; j < a.m; j += stride)
        put_result(op, a, j, ((const typename Op::result *)a.reduced)[j], a.offsets[j + 1] - a.offsets[j]);
}

/* ------------------------------------------------------------------------------------ tiles */

template <class Op> struct scatter_shape {
    typedef typename Op::element T;
    static constexpr uint32_t LANES = WEFT_LANES(sizeof(T)), TILE = LANES * WEFT_TILE_ROWS;
    static constexpr int PACK = sizeof(T) >= 4 ? 16 / sizeof(T) : 4; /* columns that one load can take */
};

/* Returns the target that has position `position` of the list, or m if the list is shorter. */
static __device__ __forceinline__ uint64_t target_at(const scatter_params &a, uint64_t position) {
    uint64_t low = 0, high = a.m; /* offsets[low] <= position < offsets[high] */
    if (position >= a.offsets[a.m]) return a.m;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (a.offsets[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A tile: `count` positions of the list from `begin` on. `length` is that of its target. */
struct scatter_tile {
    uint64_t target, begin, length;
    uint32_t count;
    void *partial; /* where its value is stored if the target has more tiles */
    bool present;
};

template <class Op> static __device__ __forceinline__ scatter_tile tile_of(const scatter_params &a, uint64_t group) {
    constexpr uint64_t TILE = scatter_shape<Op>::TILE;
    typedef typename Op::value A;
    const uint64_t q = group < a.m ? 0 : group - a.m + 1;
    scatter_tile t = {group, 0, 0, 0, NULL, false};
    if (q) t.target = target_at(a, q * TILE);
    if (t.target == a.m) return t;
    const uint64_t start = a.offsets[t.target], number = q ? q - start / TILE : 0;
    t.length = a.offsets[t.target + 1] - start;
    t.begin = start + number * TILE;
    t.present = q ? number > 0 && number * TILE < t.length : true;
    if (!t.present) return t;
    t.count = (uint32_t)min(TILE, t.length - number * TILE);
    t.partial = number ? (A *)a.rest + q * a.columns : (A *)a.first + start / TILE * a.columns;
    return t;
}

/* Loads the numbers at positions first + j apart of the list, j = 0 .. 7. Positions from first + left on are replaced
 * by the one before, so that no load is conditional: all of them are then in flight at the same time. */
static __device__ __forceinline__ void load_numbers(const scatter_params &a, uint64_t first, uint32_t apart,
                                                    uint32_t left, uint64_t (&number)[8]) {
#pragma unroll
    for (uint32_t j = 0; j < 8; j++) number[j] = first + min(j * apart, left - 1);
    if (!a.list) return;
    if (a.wide_list) {
#pragma unroll
        for (int j = 0; j < 8; j++) number[j] = __ldg((const unsigned long long *)a.list + number[j]);
    } else {
#pragma unroll
        for (int j = 0; j < 8; j++) number[j] = __ldg((const uint32_t *)a.list + number[j]);
    }
}

/* Loads V adjacent elements. */
template <class T, int V> static __device__ __forceinline__ pack<T, V> load_columns(const T *p) {
    if (V > 1) return load_pack<T, V>(p);
    pack<T, V> v;
    v.element[0] = __ldg(p);
    return v;
}

/* Eight rows of a tile, at positions at + j apart, j = 0 .. 7. They belong to the k-th eight of lanes. */
struct eight_rows {
    uint32_t k, at;
};

/* Returns the rows that follow `rows`: the next ones of the same lanes, or the first ones of the next eight lanes.
 * The eights are in the order of reversed bits. There are `apart` of them; number `apart` does not exist. */
static __device__ __forceinline__ eight_rows next_rows(eight_rows rows, uint32_t apart, uint32_t count) {
    if (rows.at + 8 * apart < count) return eight_rows{rows.k, rows.at + 8 * apart};
    const uint32_t k = rows.k + 1;
    return eight_rows{k, apart == 1 ? 0 : __brev(k) >> (__clz(apart) + 1)};
}

/* Combines eight lanes by halves (ORDER.md 2.3); the result is v[0]. */
template <class Op, int V>
static __device__ __forceinline__ void combine_eight(const Op &op, typename Op::value (&v)[8][V]) {
#pragma unroll
    for (int half = 4; half >= 1; half /= 2)
#pragma unroll
        for (int j = 0; j < half; j++)
#pragma unroll
            for (int e = 0; e < V; e++) v[j][e] = op.combine(v[j][e], v[j + half][e]);
}

/* Adds value number k to a binary counter: afterwards `value` or held[level] contains it and those before it. Without
 * branches, so that the groups of a warp stay together. */
template <int LEVELS, class Op, int V>
static __device__ __forceinline__ void count_value(const Op &op, uint32_t k, typename Op::value (&held)[LEVELS][V],
                                                   typename Op::value (&value)[V]) {
    bool carries = true;
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
        const bool full = k >> level & 1;
#pragma unroll
        for (int e = 0; e < V; e++) {
            if (carries && full) value[e] = op.combine(held[level][e], value[e]);
            if (carries && !full) held[level][e] = value[e];
        }
        carries = carries && full;
    }
}

/* Reduces V columns of a tile. Lanes combine by halves (ORDER.md 2.3), so eight lanes that are LANES / 8 apart
 * combine first. The results of such eights combine in the order of reversed bits, in which the halves are adjacent,
 * by a binary counter. Lanes without elements are left out in pairs of halves. The numbers of the next eight rows are
 * loaded at the same time as the eight rows before them. Without elements `total` is unchanged. */
template <class Op, int V>
static __device__ __forceinline__ void reduce_tile(const Op &op, const scatter_params &a, const scatter_tile &t,
                                                   uint64_t column, typename Op::value (&total)[V]) {
    typedef typename Op::element T;
    typedef typename Op::value A;
    constexpr int LEVELS = 4;
    static_assert(scatter_shape<Op>::LANES <= 8 << LEVELS, "the counter has a level for each halving");
    A held[LEVELS][V], v[8][V];
    if (t.count == 0) return;
    uint32_t apart = scatter_shape<Op>::LANES / 8;
    while (apart > 1 && apart * 4 >= t.count) apart /= 2;
    eight_rows rows = {0, 0};
    uint64_t number[8];
    load_numbers(a, t.begin, apart, t.count, number);
#pragma unroll 1
    while (rows.k < apart) {
        const uint32_t left = t.count - rows.at;
        const eight_rows next = next_rows(rows, apart, t.count);
        pack<T, V> row[8];
#pragma unroll
        for (int j = 0; j < 8; j++) row[j] = load_columns<T, V>((const T *)a.x + number[j] * a.columns + column);
        if (next.k < apart) load_numbers(a, t.begin + next.at, apart, t.count - next.at, number);
        const bool first = rows.at < apart;
#pragma unroll
        for (uint32_t j = 0; j < 8; j++)
#pragma unroll
            for (int e = 0; e < V; e++) {
                const A before = first ? op.identity() : v[j][e];
                v[j][e] = j * apart < left ? op.combine(before, op.load(row[j].element[e])) : before;
            }
        if (next.k > rows.k) {
            combine_eight(op, v);
            count_value<LEVELS>(op, rows.k, held, v[0]);
        }
        rows = next;
    }
#pragma unroll
    for (int e = 0; e < V; e++) total[e] = v[0][e];
}

template <class Op, int V>
static __global__ void __launch_bounds__(SCATTER_THREADS) rows_kernel(const __grid_constant__ scatter_params a) {
    const Op op(a.scan);
    const uint64_t groups = a.m + a.n / scatter_shape<Op>::TILE;
    const uint64_t stride = (uint64_t)gridDim.x * SCATTER_THREADS >> a.group_log2;
    const uint32_t number = threadIdx.x & ((1u << a.group_log2) - 1);
    const uint64_t columns_apart = (uint64_t)gridDim.y * V << a.group_log2;
    for (uint64_t g = ((uint64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x) >> a.group_log2; g < groups;
         g += stride) {
        const scatter_tile t = tile_of<Op>(a, g);
        if (!t.present) continue;
        for (uint64_t column = (((uint64_t)blockIdx.y << a.group_log2) + number) * V; column < a.columns;
             column += columns_apart) {
            typename Op::value total[V] = {};
            reduce_tile<Op, V>(op, a, t, column, total);
#pragma unroll
            for (int e = 0; e < V; e++)
                if (t.length > scatter_shape<Op>::TILE)
                    ((typename Op::value *)t.partial)[column + e] = total[e];
                else
                    put_result(op, a, t.target * a.columns + column + e, t.count ? op.store(total[e]) : op.empty(),
                               t.count);
        }
    }
}

/* ------------------------------------------------------------------------------------- fold */

/* Thread number q, column c of the list's tiles: combines the tiles of the target that has `first` number q. It has
 * position (q + 1) TILE of the list. */
template <class Op>
static __global__ void __launch_bounds__(SCATTER_THREADS) fold_kernel(const __grid_constant__ scatter_params a) {
    constexpr uint64_t TILE = scatter_shape<Op>::TILE;
    typedef typename Op::value A;
    const Op op(a.scan);
    const uint64_t stride = (uint64_t)gridDim.x * SCATTER_THREADS, items = a.n / TILE * a.columns;
    for (uint64_t i = (uint64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x; i < items; i += stride) {
        const uint64_t q = i / a.columns, column = i % a.columns;
        const uint64_t target = target_at(a, (q + 1) * TILE);
        if (target == a.m) continue;
        const uint64_t start = a.offsets[target], length = a.offsets[target + 1] - start;
        if (start / TILE != q || length <= TILE) continue;
        const A *const first = (const A *)a.first + i, *const rest = (const A *)a.rest + i;
        const A v = fold_values(op, (length - 1) / TILE + 1,
                                [&](uint64_t tile) { return tile ? rest[tile * a.columns] : *first; });
        put_result(op, a, target * a.columns + column, op.store(v), length);
    }
}

template <class Op> struct scatter_of {
    static scatter_launch launch(const char *) {
        typedef scatter_shape<Op> shape;
        scatter_launch l;
        l.rows = (const void *)rows_kernel<Op, 1>;
        l.rows_in_packs = (const void *)rows_kernel<Op, shape::PACK>;
        l.fold = (const void *)fold_kernel<Op>;
        l.store = (const void *)store_kernel<Op>;
        l.pack = shape::PACK;
        l.pack_bytes = shape::PACK * (uint32_t)sizeof(typename Op::element);
        l.tile = shape::TILE;
        return l;
    }
};

#endif
