/* Systems that are solved in shared memory, in one pass over device memory (ORDER.md 27.3, 27.4). A block copies its
 * systems to a tile, and x back from it. A thread has a unit of the tile: a chunk (TEAM), or a system of at most
 * BLOCK_BASE rows. Thread t * side + s has chunk t of system s of the block. Each row is replaced by its L, C and D,
 * and those by x. The number of values of a unit is odd, so that threads access different banks.
 */
#include "cuda/block_tridiag/block_tridiag.cuh"

extern __shared__ float4 block_shared[];

/* Positions of the values of a pair of rows. */
enum { PAIR_E = 0, PAIR_A = 2, PAIR_B = 4, PAIR_C = 6, PAIR_F = 8, PAIR_D = 10 };

/* Values of a row in the tile: a, b, c, d, or e, a, b, c, f, d of two elements (PAIRS). */
template <int K, bool PAIRS> struct staged_row { static const uint32_t values = BLOCK_ROW_VALUES(K, PAIRS); };

/* ------------------------------------------------------------------------------ rows of a thread */

/* Rows in shared memory: row i begins at p + i * step. */
template <class T, int K, bool PAIRS> struct staged_rows {
    T *p;
    uint32_t step;

    __device__ __forceinline__ T *at(int i) const { return p + (uint32_t)i * step; }
    __device__ __forceinline__ T *x(int i) const { return at(i) + 2 * K * K; } /* also D */
};

template <class T, int K>
__device__ __forceinline__ void load(const staged_rows<T, K, false> &rows, int i, block_row<T, K> &row) {
    const T *const from = rows.at(i);
    block_copy<K * K>(row.a, from);
    block_copy<K * K>(row.b, from + K * K);
    block_copy<K * K>(row.c, from + 2 * K * K);
    block_copy<K>(row.d, from + 3 * K * K);
}

template <class T>
__device__ __forceinline__ void load(const staged_rows<T, 2, true> &rows, int i, block_row<T, 2> &row) {
    const T *const r = rows.at(i);
    row.a[0] = r[PAIR_E], row.a[1] = r[PAIR_A], row.a[2] = 0, row.a[3] = r[PAIR_E + 1];
    row.b[0] = r[PAIR_B], row.b[1] = r[PAIR_C], row.b[2] = r[PAIR_A + 1], row.b[3] = r[PAIR_B + 1];
    row.c[0] = r[PAIR_F], row.c[1] = 0, row.c[2] = r[PAIR_C + 1], row.c[3] = r[PAIR_F + 1];
    block_copy<2>(row.d, r + PAIR_D);
}

/* Replaces row i by `s`. */
template <bool L, class T, int K, bool PAIRS>
__device__ __forceinline__ void put(const staged_rows<T, K, PAIRS> &rows, int i, const block_solved<T, K> &s) {
    T *const to = rows.at(i);
    if (L) block_copy<K * K>(to, s.l);
    block_copy<K * K>(to + K * K, s.c);
    block_copy<K>(to + 2 * K * K, s.d);
}

template <bool L, class T, int K, bool PAIRS>
__device__ __forceinline__ void take(const staged_rows<T, K, PAIRS> &rows, int i, block_solved<T, K> &s) {
    const T *const from = rows.at(i);
    if (L) block_copy<K * K>(s.l, from);
    block_copy<K * K>(s.c, from + K * K);
    block_copy<K>(s.d, from + 2 * K * K);
}

/* Clears the coefficients outside a system that is not periodic, in rows first .. first + last of the system. */
template <class T, int K>
__device__ __forceinline__ void cut_ends(const block_params &j, const staged_rows<T, K, false> &rows, uint32_t first,
                                         int) {
    if (j.periodic || first) return;
#pragma unroll
    for (int q = 0; q < K * K; q++) rows.p[q] = 0;
}

template <class T>
__device__ __forceinline__ void cut_ends(const block_params &j, const staged_rows<T, 2, true> &rows, uint32_t first,
                                         int last) {
    const int end = (int)((uint32_t)j.n - first) - 1; /* the system's last row */
    const bool odd = j.elements % 2;
    if (j.periodic) return;
    if (first == 0) rows.p[PAIR_E] = rows.p[PAIR_E + 1] = rows.p[PAIR_A] = 0;
    if (odd && end >= 1 && end - 1 <= last) rows.at(end - 1)[PAIR_F + 1] = 0;
    if (end > last) return;
    T *const row = rows.at(last);
    row[PAIR_C + 1] = row[PAIR_F] = row[PAIR_F + 1] = 0;
    if (!odd) return;
    row[PAIR_E + 1] = row[PAIR_A + 1] = row[PAIR_C] = row[PAIR_D + 1] = 0;
    row[PAIR_B + 1] = 1;
}

/* ---------------------------------------------------------------------------------- elimination */

/* Eliminates rows 0 .. last. Rows before `last` are expressed by others in place; `row` becomes the row of `last`,
 * and `b` its original diagonal block. Returns the first row that lost its pivot, or -1. */
template <bool L, class T, int K, bool PAIRS>
__device__ __forceinline__ int eliminate(const staged_rows<T, K, PAIRS> &rows, int last, block_row<T, K> &row, T *b) {
    block_solved<T, K> up;
    int lost = -1;
#pragma unroll 1
    for (int i = 0; i < last; i++) {
        load(rows, i, row);
        block_copy<K * K>(b, row.b);
        if (i) block_eliminate<L>(row, up);
        if (block_express<L>(row, b, up) && lost < 0) lost = i;
        put<L>(rows, i, up);
    }
    load(rows, last, row);
    block_copy<K * K>(b, row.b);
    if (last) block_eliminate<L>(row, up);
    return lost;
}

/* Computes row 0 in terms of separators, after the elimination. `count`: number of rows before the separator. */
template <class T, int K, bool PAIRS>
__device__ __forceinline__ void first_row(const staged_rows<T, K, PAIRS> &rows, int count,
                                          block_solved<T, K> &first) {
    block_solved<T, K> s;
    take<true>(rows, count - 1, first);
#pragma unroll 1
    for (int i = count - 2; i >= 0; i--) {
        take<true>(rows, i, s);
        block_precede(s, first);
    }
}

/* Stores x of row i. Returns true if it is finite. */
template <class T, int K, bool PAIRS>
__device__ __forceinline__ bool put_x(const staged_rows<T, K, PAIRS> &rows, int i, const T *x) {
    T *const to = rows.x(i);
    bool finite = true;
#pragma unroll
    for (int q = 0; q < K; q++) {
        finite = finite && tridiag_type<T>::magnitude(x[q]) < tridiag_type<T>::infinity();
        to[q] = x[q] == x[q] ? x[q] : tridiag_type<T>::nan();
    }
    return finite;
}

/* Computes x of rows last .. 0 from `x` of row `last` and `before`, that of the separator before row 0. Returns the
 * first row whose x is not finite, or -1. */
template <bool L, class T, int K, bool PAIRS>
__device__ __forceinline__ int substitute(const staged_rows<T, K, PAIRS> &rows, int last, const T *before, T *x) {
    block_solved<T, K> s;
    int bad = put_x(rows, last, x) ? -1 : last;
#pragma unroll 1
    for (int i = last - 1; i >= 0; i--) {
        take<L>(rows, i, s);
        if (L) block_subtract<K, 1>(s.d, s.l, before);
        block_subtract<K, 1>(s.d, s.c, x);
        block_copy<K>(x, s.d);
        if (!put_x(rows, i, x)) bad = i;
    }
    return bad;
}

/* Solves a system of last + 1 rows. *bad: the first row whose x is not finite, or -1. Returns the first row that lost
 * its pivot, or -1. */
template <bool PERIODIC, class T, int K, bool PAIRS>
__device__ __forceinline__ int solve_base(const staged_rows<T, K, PAIRS> &rows, int last, int *bad) {
    block_row<T, K> row;
    T b[K * K], x[K];
    int lost = eliminate<PERIODIC>(rows, last, row, b);
    if (PERIODIC) {
        block_solved<T, K> first;
        if (last) {
            first_row(rows, last, first);
            block_complete<T, K>(row.b, row.c, row.d, first.l, first.c, first.d);
        }
#pragma unroll
        for (int q = 0; q < K * K; q++) row.b[q] = (row.a[q] + row.b[q]) + row.c[q];
    }
    if (block_solve<K, false, false>(row.b, b, (T *)NULL, (T *)NULL, row.d) && lost < 0) lost = last;
    block_copy<K>(x, row.d);
    *bad = substitute<PERIODIC>(rows, last, row.d, x);
    return lost;
}

template <class T, int K, bool PAIRS>
__device__ __forceinline__ int solve_rows(bool periodic, const staged_rows<T, K, PAIRS> &rows, int last, int *bad) {
    return periodic ? solve_base<true>(rows, last, bad) : solve_base<false>(rows, last, bad);
}

/* ----------------------------------------------------------------------------------- the tile */

/* Copies a value of a line to the tile, or x from there (OUT). `element`: its index; q: its index in an element. */
template <bool OUT, class T>
__device__ __forceinline__ void copy_value(const block_params &j, const block_lines &l, uint64_t element, uint32_t q,
                                           T *at) {
    if (OUT)
        ((T *)j.x)[element] = *at;
    else if (l.constant)
        *at = ((const T *)l.value)[q];
    else
        __pipeline_memcpy_async(at, (const T *)l.p + element, sizeof(T));
}

/* Copies a line of the block's systems to position `slot` of the rows in the tile, or x from there (OUT). V: values
 * of an element; PER: those of a row. Adjacent threads have adjacent elements of several systems, if these are next
 * to each other, or else of one system. */
template <bool TEAM, bool OUT, int V, int PER, uint32_t ROW, class T>
__device__ __forceinline__ void copy_line(const block_params &j, const block_lines &l, uint32_t elements, T *tile,
                                          uint32_t pitch, uint32_t slot) {
    const uint64_t first = (uint64_t)blockIdx.x * j.side, left = j.systems - first;
    const uint32_t systems = left < j.side ? (uint32_t)left : j.side;
    const bool across = l.line != 0 && l.line < l.step;
    const uint32_t inner = (across ? systems : elements) * V;
    uint32_t lanes = 32; /* adjacent threads */
    while (lanes / 2 >= inner) lanes /= 2;
    const uint32_t lane = threadIdx.x % lanes, group = threadIdx.x / lanes, groups = blockDim.x / lanes;
    const auto at = [=](uint32_t s, uint32_t value) {
        const uint32_t row = value / PER, unit = TEAM ? row / BLOCK_CHUNK * j.side + s : s;
        return tile + (unit * pitch + (TEAM ? row % BLOCK_CHUNK : row) * ROW + slot + value % PER);
    };
    if (across) {
        for (uint32_t i = lane; i < inner; i += lanes) {
            uint64_t element = (first + i / V) * l.line + group * l.step + i % V;
            for (uint32_t e = group; e < elements; e += groups, element += groups * l.step)
                copy_value<OUT>(j, l, element, i % V, at(i / V, e * V + i % V));
        }
        return;
    }
    for (uint32_t s = group; s < systems; s += groups)
        for (uint32_t i = lane; i < inner; i += lanes)
            copy_value<OUT>(j, l, (first + s) * l.line + i / V * l.step + i % V, i % V, at(s, i));
}

/* Copies the systems of the block to the tile, and waits for them. */
template <bool TEAM, class T, int K, bool PAIRS>
__device__ __forceinline__ void copy_in(const block_params &j, T *tile, uint32_t pitch) {
    enum { KK = K * K, V = PAIRS ? 1 : KK, PER = PAIRS ? 2 : KK, V_D = PAIRS ? 1 : K, PER_D = PAIRS ? 2 : K };
    const uint32_t elements = (uint32_t)(PAIRS ? j.elements : j.n), ROW = staged_row<K, PAIRS>::values;
    uint32_t slot = 0;
    const block_lines *const lines[] = {&j.e, &j.a, &j.b, &j.c, &j.f};
#pragma unroll
    for (int i = 0; i < 5; i++) {
        if (!PAIRS && (i == 0 || i == 4)) continue;
        copy_line<TEAM, false, V, PER, ROW>(j, *lines[i], elements, tile, pitch, slot);
        slot += PER;
    }
    copy_line<TEAM, false, V_D, PER_D, ROW>(j, j.d, elements, tile, pitch, slot);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* Copies x from the tile, after all threads have computed it. */
template <bool TEAM, class T, int K, bool PAIRS>
__device__ __forceinline__ void copy_out(const block_params &j, T *tile, uint32_t pitch) {
    __syncthreads();
    copy_line<TEAM, true, PAIRS ? 1 : K, PAIRS ? 2 : K, staged_row<K, PAIRS>::values>(
        j, j.d, (uint32_t)(PAIRS ? j.elements : j.n), tile, pitch, 2 * K * K);
}

/* --------------------------------------------------------------------------------- the kernels */

/* Solves systems of at most BLOCK_BASE rows, one per thread. */
template <class T, int K, bool PAIRS>
static __global__ void __launch_bounds__(BLOCK_STAGED_THREADS) block_short(const __grid_constant__ block_params j) {
    T *const tile = (T *)block_shared;
    const uint32_t ROW = staged_row<K, PAIRS>::values, pitch = BLOCK_PITCH((uint32_t)j.n * ROW);
    const uint64_t system = (uint64_t)blockIdx.x * j.side + threadIdx.x;
    const staged_rows<T, K, PAIRS> rows = {tile + threadIdx.x * pitch, ROW};
    const int last = (int)j.n - 1;
    copy_in<false, T, K, PAIRS>(j, tile, pitch);
    if (system < j.systems) {
        int bad;
        cut_ends(j, rows, 0, last);
        const int lost = solve_rows(j.periodic, rows, last, &bad);
        if (lost >= 0) block_report(j, system, false, (unsigned)lost);
        if (bad >= 0) block_report(j, system, true, (unsigned)bad);
    }
    copy_out<false, T, K, PAIRS>(j, tile, pitch);
}

/* Returns the index of the last row of chunk t in its unit. */
static __device__ __forceinline__ int last_of(const block_params &j, uint32_t t) {
    return t + 1 == (uint32_t)j.chunks ? (int)((uint32_t)j.n - t * BLOCK_CHUNK) - 1 : BLOCK_LAST;
}

/* Solves systems of at most BLOCK_BASE chunks, one chunk per thread. The first thread of a system solves its
 * separators. */
template <class T, int K, bool PAIRS>
static __global__ void __launch_bounds__(BLOCK_TEAM_THREADS) block_team(const __grid_constant__ block_params j) {
    enum { ROW = staged_row<K, PAIRS>::values, PITCH = BLOCK_PITCH(BLOCK_CHUNK * ROW) };
    enum { SEPARATOR = BLOCK_PITCH(BLOCK_ROW_VALUES(K, false)) };
    const uint32_t side = j.side, chunks = (uint32_t)j.chunks, s = threadIdx.x % side, t = threadIdx.x / side;
    const uint64_t system = (uint64_t)blockIdx.x * side + s;
    T *const tile = (T *)block_shared;
    const staged_rows<T, K, PAIRS> rows = {tile + threadIdx.x * PITCH, ROW};
    const staged_rows<T, K, false> separators = {tile + side * chunks * PITCH + s * SEPARATOR, side * SEPARATOR};
    const bool active = t < chunks && system < j.systems;
    const int last = last_of(j, t);
    block_row<T, K> own;
    block_solved<T, K> first;
    copy_in<true, T, K, PAIRS>(j, tile, PITCH);
    if (active) {
        T b[K * K];
        cut_ends(j, rows, t * BLOCK_CHUNK, last);
        const int lost = eliminate<true>(rows, last, own, b);
        if (lost >= 0) block_report(j, system, false, t * BLOCK_CHUNK + (unsigned)lost);
        if (last) {
            first_row(rows, last, first);
            put<true>(rows, last, first); /* for the chunk before */
        }
    }
    __syncthreads();
    if (active) {
        const uint32_t next = t + 1 < chunks ? t + 1 : 0;
        if ((next || j.periodic) && last_of(j, next)) {
            const staged_rows<T, K, PAIRS> after = {tile + (next * side + s) * PITCH, ROW};
            take<true>(after, last_of(j, next), first);
            block_complete<T, K>(own.b, own.c, own.d, first.l, first.c, first.d);
        }
        T *const to = separators.at((int)t);
        block_copy<K * K>(to, own.a);
        block_copy<K * K>(to + K * K, own.b);
        block_copy<K * K>(to + 2 * K * K, own.c);
        block_copy<K>(to + 3 * K * K, own.d);
    }
    __syncthreads();
    if (active && t == 0) {
        int unused;
        const int lost = solve_rows(j.periodic, separators, (int)chunks - 1, &unused);
        const uint64_t end = ((uint64_t)lost + 1) * BLOCK_CHUNK;
        if (lost >= 0) block_report(j, system, false, (end < j.n ? end : j.n) - 1);
    }
    __syncthreads();
    if (active) {
        T before[K], x[K];
#pragma unroll
        for (int q = 0; q < K; q++)
            before[q] = t || j.periodic ? separators.x((int)(t ? t - 1 : chunks - 1))[q] : (T)0;
        block_copy<K>(x, separators.x((int)t));
        const int bad = substitute<true>(rows, last, before, x);
        if (bad >= 0) block_report(j, system, true, t * BLOCK_CHUNK + (unsigned)bad);
    }
    copy_out<true, T, K, PAIRS>(j, tile, PITCH);
}

template <class T, int K, bool PAIRS> static const void *kernel_of(bool team) {
    return team ? (const void *)block_team<T, K, PAIRS> : (const void *)block_short<T, K, PAIRS>;
}

template <class T> static const void *kernel_for(size_t k, bool pairs, bool team) {
    if (pairs) return kernel_of<T, 2, true>(team);
    if (k == 2) return kernel_of<T, 2, false>(team);
    return k == 3 ? kernel_of<T, 3, false>(team) : kernel_of<T, 4, false>(team);
}

const void *block_staged_kernel(bool f32, size_t k, bool pairs, bool team) {
    return f32 ? kernel_for<float>(k, pairs, team) : kernel_for<double>(k, pairs, team);
}
