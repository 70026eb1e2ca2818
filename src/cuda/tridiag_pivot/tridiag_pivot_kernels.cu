/* Kernels of weft_tridiag_pivot (ORDER.md 26). A thread has a chunk in registers, or a run of the level below. */
#include "cuda/tridiag_pivot/tridiag_pivot.cuh"

#include <string.h>

extern __shared__ float4 tridiag_pivot_shared[];

/* Returns the tree of the block, in shared memory from `from` on. Systems whose rows are adjacent have adjacent
 * runs. */
template <class T>
__device__ __forceinline__ pivot_tree<T> tree_of(const tridiag_pivot_params &p, bool adjacent, T *from) {
    pivot_tree<T> t;
    const uint64_t block = blockIdx.x % p.blocks, first = block * p.nodes;
    t.side = p.rows.side;
    t.nodes = p.nodes;
    t.system = blockIdx.x / p.blocks * t.side;
    t.count = p.rows.systems - t.system < t.side ? (uint32_t)(p.rows.systems - t.system) : t.side;
    t.size = p.runs - first < p.nodes ? (uint32_t)(p.runs - first) : p.nodes;
    t.line = adjacent ? p.nodes : 1;
    t.step = adjacent ? 1 : t.side;
    t.stride = t.side * p.nodes;
    t.first_chunk = first * p.chunks;
    t.chunks = p.chunks;
    t.runs = from;
    t.borders = from + TRIDIAG_RUN_VALUES * t.stride;
    return t;
}

/* Stores the run of each system's part. */
template <class T>
__device__ __forceinline__ void store_parts(const tridiag_pivot_params &p, const pivot_tree<T> &t) {
    for (uint32_t i = threadIdx.x; i < t.count * TRIDIAG_RUN_VALUES; i += blockDim.x) {
        const uint32_t s = i / TRIDIAG_RUN_VALUES, v = i % TRIDIAG_RUN_VALUES;
        const uint64_t to = (v * p.rows.systems + t.system + s) * p.blocks + blockIdx.x % p.blocks;
        ((T *)p.out_runs)[to] = t.runs[v * t.stride + t.at(s, 0)];
    }
}

/* Loads the pairs of the outer borders of each system's part. */
template <class T>
__device__ __forceinline__ void load_outer_pairs(const tridiag_pivot_params &p, const pivot_tree<T> &t) {
    const uint32_t level = t.levels();
    __syncthreads(); /* the pairs overwrite runs */
    for (uint32_t i = threadIdx.x; i < t.count * 4; i += blockDim.x) {
        const uint32_t s = i / 4, v = i % 2, k = i / 2 % 2;
        const uint64_t from = (v * p.rows.systems + t.system + s) * (p.blocks + 1) + blockIdx.x % p.blocks + k;
        *t.pair(level, v, s, k) = ((const T *)p.outer_pairs)[from];
    }
}

/* --------------------------------------------------------------------------------- chunks */

/* Starts to copy adjacent rows to a tile, from `position` on, which must be a multiple of 16. */
template <class T>
__device__ __forceinline__ void stage_rows(T *tile, uint32_t position, const T *from, uint32_t rows, uint32_t thread,
                                           uint32_t threads) {
    enum { PER = 16 / sizeof(T) };
    const uint32_t whole = (uintptr_t)from % 16 == 0 ? rows / PER * PER : 0;
    for (uint32_t r = thread * PER; r < whole; r += threads * PER)
        __pipeline_memcpy_async(tridiag_at(tile, position + r), from + r, 16);
    for (uint32_t r = whole + thread; r < rows; r += threads)
        __pipeline_memcpy_async(tridiag_at(tile, position + r), from + r, sizeof(T));
}

template <class T>
__device__ __forceinline__ void unstage_rows(T *tile, uint32_t position, T *to, uint32_t rows, uint32_t thread,
                                             uint32_t threads) {
    typedef typename tridiag_type<T>::vector vector;
    enum { PER = 16 / sizeof(T) };
    const uint32_t whole = (uintptr_t)to % 16 == 0 ? rows / PER * PER : 0;
    for (uint32_t r = thread * PER; r < whole; r += threads * PER)
        *(vector *)(to + r) = *(const vector *)tridiag_at(tile, position + r);
    for (uint32_t r = whole + thread; r < rows; r += threads) to[r] = *tridiag_at(tile, position + r);
}

/* The rows of a block: of each of its systems the rows first .. first + rows - 1. */
struct block_rows {
    uint64_t first;
    uint32_t rows, pitch, tile;              /* pitch: distance of systems in a tile; tile: distance of tiles */
    uint32_t thread, threads, group, groups; /* the threads that copy one system at a time */
};

template <class T>
__device__ __forceinline__ block_rows rows_of(const tridiag_pivot_params &p, const pivot_tree<T> &t) {
    const uint64_t next = t.first_chunk + t.size;
    const uint64_t end = next < p.runs ? pivot_first_row(p.rows.n, next) : p.rows.n;
    const bool by_warps = t.side > 1;
    block_rows b;
    b.first = pivot_first_row(p.rows.n, t.first_chunk);
    b.rows = (uint32_t)(end - b.first);
    b.pitch = t.nodes * TRIDIAG_CHUNK;
    b.tile = TRIDIAG_TILE_ELEMENTS(t.side, t.nodes);
    b.thread = by_warps ? threadIdx.x % 32 : threadIdx.x;
    b.threads = by_warps ? 32 : blockDim.x;
    b.group = by_warps ? threadIdx.x / 32 : 0;
    b.groups = by_warps ? blockDim.x / 32 : 1;
    return b;
}

template <class T>
__device__ __forceinline__ void stage_block(const tridiag_pivot_params &p, const pivot_tree<T> &t,
                                            const block_rows &b, T *tiles) {
    const tridiag_lines *const lines[] = {&p.rows.a, &p.rows.b, &p.rows.c, &p.rows.d};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (lines[i]->constant) continue;
        const T *const from = (const T *)lines[i]->p + t.system * lines[i]->line + b.first;
        for (uint32_t s = b.group; s < t.count; s += b.groups)
            stage_rows(tiles + i * b.tile, s * b.pitch, from + s * lines[i]->line, b.rows, b.thread, b.threads);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* A thread's chunk: its system and number in the block, its rows. */
struct own_chunk {
    uint32_t s, k;
    uint64_t system, start; /* number of its first row */
    int rows;               /* 0: the thread has no chunk */
};

template <class T>
__device__ __forceinline__ own_chunk chunk_of(const tridiag_pivot_params &p, const pivot_tree<T> &t, bool adjacent) {
    own_chunk c;
    c.s = adjacent ? threadIdx.x / t.nodes : threadIdx.x % t.side;
    c.k = adjacent ? threadIdx.x % t.nodes : threadIdx.x / t.side;
    const uint64_t chunk = t.first_chunk + c.k;
    c.system = t.system + c.s;
    c.start = pivot_first_row(p.rows.n, chunk);
    const uint64_t end = chunk + 1 < p.runs ? pivot_first_row(p.rows.n, chunk + 1) : p.rows.n;
    c.rows = c.s < t.count && c.k < t.size ? (int)(end - c.start) : 0;
    return c;
}

/* Loads rows of a line from memory. */
template <class T>
__device__ __forceinline__ void gather_line(const tridiag_lines &l, const own_chunk &c, T v[TRIDIAG_CHUNK]) {
    const T *const p = (const T *)l.p + c.system * l.line + c.start * l.step;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i < c.rows) v[i] = p[i * l.step];
}

/* Copies the thread's rows from a tile, or to a tile. */
template <class T>
__device__ __forceinline__ void take_rows(T *tile, const block_rows &b, const own_chunk &c, T v[TRIDIAG_CHUNK]) {
    const uint32_t position = c.s * b.pitch + (uint32_t)(c.start - b.first);
    if (c.rows == TRIDIAG_CHUNK) {
        tridiag_take(tile, position, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i < c.rows) v[i] = *tridiag_at(tile, position + (uint32_t)i);
}

template <class T>
__device__ __forceinline__ void put_rows(T *tile, const block_rows &b, const own_chunk &c, const T v[TRIDIAG_CHUNK]) {
    const uint32_t position = c.s * b.pitch + (uint32_t)(c.start - b.first);
    if (c.rows == TRIDIAG_CHUNK) {
        tridiag_put(tile, position, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i < c.rows) *tridiag_at(tile, position + (uint32_t)i) = v[i];
}

template <bool ADJACENT, class T>
__device__ __forceinline__ void load_chunk(const tridiag_pivot_params &p, const block_rows &b, const own_chunk &c,
                                           T *tiles, tridiag_chunk<T> &v) {
    const tridiag_lines *const lines[] = {&p.rows.a, &p.rows.b, &p.rows.c, &p.rows.d};
    T *const rows[] = {v.a, v.b, v.c, v.d};
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (lines[i]->constant)
            tridiag_fill(*lines[i], rows[i]);
        else if (ADJACENT)
            take_rows(tiles + i * b.tile, b, c, rows[i]);
        else
            gather_line(*lines[i], c, rows[i]);
    if (c.start == 0 && p.rows.begins) v.a[0] = 0;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i + 1 == c.rows && c.start + (uint64_t)c.rows == p.rows.n && p.rows.ends) v.c[i] = 0;
}

/* Computes the pivot equations of the chunk for known outer unknowns. Those of adjacent rows are in the tiles. */
template <bool ADJACENT, class T>
__device__ __forceinline__ void load_pivots(const tridiag_pivot_params &p, const block_rows &b, const own_chunk &c,
                                            T *tiles, const pivot_factors<T> &factors, const T outer[4],
                                            tridiag_chunk<T> &v) {
    if (!ADJACENT) {
        load_chunk<false>(p, b, c, tiles, v);
        pivot_eliminate_again(v, c.rows, outer);
        return;
    }
    T *const rows[] = {v.a, v.b, v.c, v.d};
#pragma unroll
    for (int i = 0; i < 4; i++) take_rows(tiles + i * b.tile, b, c, rows[i]);
    pivot_apply(v, c.rows, factors, outer);
}

/* Stores x of the chunk, to the tile of d or to memory. */
template <bool ADJACENT, class T>
__device__ __forceinline__ void store_chunk(const tridiag_pivot_params &p, const block_rows &b, const own_chunk &c,
                                            T *tile, const tridiag_chunk<T> &v) {
    if (ADJACENT) {
        put_rows(tile, b, c, v.d);
        return;
    }
    T *const x = (T *)p.rows.x + c.system * p.rows.d.line + c.start * p.rows.d.step;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i < c.rows) x[i * p.rows.d.step] = v.d[i];
}

/* Computes x of a system of one row. */
template <class T>
__device__ __forceinline__ void solve_row(const tridiag_params &j, const own_chunk &c, tridiag_chunk<T> &v) {
    const T p = (v.a[0] + v.b[0]) + v.c[0], quotient = v.d[0] / p;
    v.d[0] = p == 0 ? tridiag_type<T>::nan() : quotient;
    if (p == 0) tridiag_report(j, c.system, false, 0);
}

/* One chunk per thread. ADJACENT: the rows of a system are adjacent in memory, and are copied through tiles. */
template <class T, bool ADJACENT, int STAGE>
__global__ void __launch_bounds__(TRIDIAG_PIVOT_THREADS(sizeof(T)), 2)
    tridiag_pivot_chunks(const __grid_constant__ tridiag_pivot_params p) {
    T *const tiles = (T *)tridiag_pivot_shared;
    const uint32_t tile = TRIDIAG_TILE_ELEMENTS(p.rows.side, p.nodes);
    const pivot_tree<T> t = tree_of(p, ADJACENT, tiles + (ADJACENT ? 4 * tile : 0));
    const block_rows b = rows_of(p, t);
    const own_chunk c = chunk_of(p, t, ADJACENT);
    const bool single = STAGE == PIVOT_SOLVE && p.rows.n == 1;
    tridiag_chunk<T> v;
    pivot_factors<T> factors;
    if (ADJACENT) stage_block(p, t, b, tiles);
    if (c.rows) load_chunk<ADJACENT>(p, b, c, tiles, v);
    if (c.rows && !single) {
        pivot_equation<T> list[2];
        pivot_reduce(v, c.rows, list, &factors);
        if (STAGE != PIVOT_EXPAND && factors.lost)
            tridiag_report(p.rows, c.system, false, c.start + (uint64_t)(__ffs((int)factors.lost) - 1));
        pivot_store_run(t, t.at(c.s, c.k), list);
        if (ADJACENT && STAGE != PIVOT_REDUCE) { /* no other thread reads these rows */
            put_rows(tiles, b, c, v.a);
            put_rows(tiles + b.tile, b, c, v.b);
            put_rows(tiles + 2 * b.tile, b, c, v.c);
        }
    }
    __syncthreads();
    if (!single) pivot_combine<STAGE != PIVOT_EXPAND>(p.rows, t);
    if (STAGE == PIVOT_REDUCE) {
        store_parts(p, t);
        return;
    }
    if (STAGE == PIVOT_EXPAND)
        load_outer_pairs(p, t);
    else if (!single)
        pivot_solve_last(p.rows, t);
    if (!single) pivot_substitute(t);
    if (c.rows && single) solve_row(p.rows, c, v);
    if (c.rows && !single) {
        const T outer[] = {*t.pair(0, 0, c.s, c.k), *t.pair(0, 1, c.s, c.k), *t.pair(0, 0, c.s, c.k + 1),
                           *t.pair(0, 1, c.s, c.k + 1)};
        load_pivots<ADJACENT>(p, b, c, tiles, factors, outer, v);
        pivot_expand(v, c.rows, outer);
    }
    if (c.rows) {
        pivot_finish(p.rows, v, c.rows, c.system, c.start);
        store_chunk<ADJACENT>(p, b, c, tiles + 3 * b.tile, v);
    }
    if (!ADJACENT) return;
    __syncthreads();
    T *const x = (T *)p.rows.x + t.system * p.rows.d.line + b.first;
    for (uint32_t s = b.group; s < t.count; s += b.groups)
        unstage_rows(tiles + 3 * b.tile, s * b.pitch, x + s * p.rows.d.line, b.rows, b.thread, b.threads);
}

/* ----------------------------------------------------------------------------------- runs */

/* One run of the level below per thread. */
template <class T, int STAGE>
__global__ void __launch_bounds__(TRIDIAG_PIVOT_THREADS(sizeof(T)), 2)
    tridiag_pivot_runs(const __grid_constant__ tridiag_pivot_params p) {
    const pivot_tree<T> t = tree_of(p, true, (T *)tridiag_pivot_shared);
    const uint32_t s = threadIdx.x / t.nodes, k = threadIdx.x % t.nodes;
    const uint64_t first = blockIdx.x % p.blocks * p.nodes;
    const bool there = s < t.count && k < t.size;
    for (uint32_t v = 0; there && v < TRIDIAG_RUN_VALUES; v++)
        t.runs[v * t.stride + t.at(s, k)] =
            ((const T *)p.in_runs)[(v * p.rows.systems + t.system + s) * p.runs + first + k];
    __syncthreads();
    pivot_combine<STAGE != PIVOT_EXPAND>(p.rows, t);
    if (STAGE == PIVOT_REDUCE) {
        store_parts(p, t);
        return;
    }
    if (STAGE == PIVOT_EXPAND)
        load_outer_pairs(p, t);
    else
        pivot_solve_last(p.rows, t);
    pivot_substitute(t);
    if (!there) return;
    const bool ends = first + k + 1 == p.runs;
    for (uint32_t v = 0; v < TRIDIAG_PAIR_VALUES; v++) {
        T *const to = (T *)p.pairs + (v * p.rows.systems + t.system + s) * (p.runs + 1) + first + k;
        to[0] = *t.pair(0, v, s, k);
        if (ends) to[1] = *t.pair(0, v, s, k + 1);
    }
}

/* --------------------------------------------------------------------------------- the kernels */

template <class T, bool ADJACENT> static const void *chunks_kernel(pivot_stage stage) {
    if (stage == PIVOT_SOLVE) return (const void *)tridiag_pivot_chunks<T, ADJACENT, PIVOT_SOLVE>;
    if (stage == PIVOT_REDUCE) return (const void *)tridiag_pivot_chunks<T, ADJACENT, PIVOT_REDUCE>;
    return (const void *)tridiag_pivot_chunks<T, ADJACENT, PIVOT_EXPAND>;
}

const void *tridiag_pivot_chunks_kernel(bool f32, bool adjacent, pivot_stage stage) {
    if (f32) return adjacent ? chunks_kernel<float, true>(stage) : chunks_kernel<float, false>(stage);
    return adjacent ? chunks_kernel<double, true>(stage) : chunks_kernel<double, false>(stage);
}

template <class T> static const void *runs_kernel(pivot_stage stage) {
    if (stage == PIVOT_SOLVE) return (const void *)tridiag_pivot_runs<T, PIVOT_SOLVE>;
    if (stage == PIVOT_REDUCE) return (const void *)tridiag_pivot_runs<T, PIVOT_REDUCE>;
    return (const void *)tridiag_pivot_runs<T, PIVOT_EXPAND>;
}

const void *tridiag_pivot_runs_kernel(bool f32, pivot_stage stage) {
    return f32 ? runs_kernel<float>(stage) : runs_kernel<double>(stage);
}
