/* The kernels of block-tridiagonal and pentadiagonal systems (ORDER.md 27, 28), and their launches. */
#include "cuda/block_tridiag/block_tridiag.cuh"

/* Reduces each chunk to its separator and its first row. */
template <class T, int K>
static __global__ void __launch_bounds__(BLOCK_THREADS) block_reduce(const __grid_constant__ block_params j) {
    uint64_t system, t;
    if (!block_chunk_of(j, &system, &t)) return;
    const int absent = block_absent(j, t);
    const uint64_t to = t * j.out.step + system * j.out.line;
    block_solved<T, K> s[BLOCK_LAST], first;
    block_row<T, K> separator;
    const int lost = block_eliminate_chunk(j, system, t, absent, s, separator);
    if (lost < BLOCK_CHUNK) block_report(j, system, false, t * BLOCK_CHUNK + (unsigned)(lost - absent));
    block_copy<K * K>((T *)j.out.a + to * K * K, separator.a);
    block_copy<K * K>((T *)j.out.b + to * K * K, separator.b);
    block_copy<K * K>((T *)j.out.c + to * K * K, separator.c);
    block_copy<K>((T *)j.out.d + to * K, separator.d);
    if (absent == BLOCK_LAST) return;
    block_first_row<block_unrolled<K>::rows>(s, absent, BLOCK_LAST, first);
    block_copy<K * K>((T *)j.out.first_l + to * K * K, first.l);
    block_copy<K * K>((T *)j.out.first_c + to * K * K, first.c);
    block_copy<K>((T *)j.out.first_d + to * K, first.d);
}

/* Completes each separator with the first row of the next chunk. */
template <class T, int K>
static __global__ void __launch_bounds__(BLOCK_THREADS) block_link(const __grid_constant__ block_params j) {
    uint64_t system, t;
    if (!block_chunk_of(j, &system, &t)) return;
    const uint64_t next = t + 1 < j.chunks ? t + 1 : 0;
    if ((next == 0 && !j.periodic) || block_absent(j, next) == BLOCK_LAST) return;
    const uint64_t own = t * j.out.step + system * j.out.line, from = next * j.out.step + system * j.out.line;
    block_complete<T, K>((T *)j.out.b + own * K * K, (T *)j.out.c + own * K * K, (T *)j.out.d + own * K,
                         (const T *)j.out.first_l + from * K * K, (const T *)j.out.first_c + from * K * K,
                         (const T *)j.out.first_d + from * K);
}

/* Computes x of each chunk from x of the separators, which is in out.d. */
template <class T, int K>
static __global__ void __launch_bounds__(BLOCK_THREADS) block_expand(const __grid_constant__ block_params j) {
    uint64_t system, t;
    if (!block_chunk_of(j, &system, &t)) return;
    const int absent = block_absent(j, t);
    block_solved<T, K> s[BLOCK_LAST];
    block_row<T, K> separator;
    T before[K], x[K];
    block_eliminate_chunk(j, system, t, absent, s, separator);
    const T *const values = (const T *)j.out.d + system * j.out.line * K;
    const uint64_t previous = t ? t - 1 : j.chunks - 1;
#pragma unroll
    for (int q = 0; q < K; q++) {
        before[q] = t || j.periodic ? values[previous * j.out.step * K + (unsigned)q] : (T)0;
        x[q] = values[t * j.out.step * K + (unsigned)q];
    }
    uint64_t bad = UINT64_MAX;
    const uint64_t row = t * BLOCK_CHUNK - (unsigned)absent;
    if (!block_store<T, K>(j, system, row + BLOCK_LAST, x)) bad = row + BLOCK_LAST;
#pragma unroll(block_unrolled <K>::rows)
    for (int i = BLOCK_LAST - 1; i >= 0; i--) {
        if (i < absent) continue;
        block_subtract<K, 1>(s[i].d, s[i].l, before);
        block_subtract<K, 1>(s[i].d, s[i].c, x);
        block_copy<K>(x, s[i].d);
        if (!block_store<T, K>(j, system, row + (unsigned)i, x)) bad = row + (unsigned)i;
    }
    if (bad != UINT64_MAX) block_report(j, system, true, bad);
}

/* Solves systems of at most BLOCK_BASE rows, one per thread. */
template <class T, int K, bool PERIODIC>
static __global__ void __launch_bounds__(BLOCK_THREADS) block_base(const __grid_constant__ block_params j) {
    const uint64_t system = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (system >= j.systems) return;
    const int last = (int)j.n - 1;
    block_solved<T, K> s[BLOCK_BASE], first;
    block_row<T, K> row;
    T b[K * K], x[K], before[K];
    int lost = BLOCK_BASE, bad = BLOCK_BASE;
    for (int i = 0; i <= last; i++) {
        block_load(j, system, (unsigned)i, row);
        block_copy<K * K>(b, row.b);
        if (i) block_eliminate<PERIODIC>(row, s[i - 1]);
        if (i < last && block_express<PERIODIC>(row, b, s[i]) && lost == BLOCK_BASE) lost = i;
    }
    if (PERIODIC) {
        if (last) {
            block_first_row<1>(s, 0, last, first);
            block_complete<T, K>(row.b, row.c, row.d, first.l, first.c, first.d);
        }
#pragma unroll
        for (int q = 0; q < K * K; q++) row.b[q] = (row.a[q] + row.b[q]) + row.c[q];
    }
    if (block_solve<K, false, false>(row.b, b, (T *)NULL, (T *)NULL, row.d) && lost == BLOCK_BASE) lost = last;
    block_copy<K>(x, row.d);
    block_copy<K>(before, row.d);
    if (!block_store<T, K>(j, system, (unsigned)last, x)) bad = last;
    for (int i = last - 1; i >= 0; i--) {
        if (PERIODIC) block_subtract<K, 1>(s[i].d, s[i].l, before);
        block_subtract<K, 1>(s[i].d, s[i].c, x);
        block_copy<K>(x, s[i].d);
        if (!block_store<T, K>(j, system, (unsigned)i, x)) bad = i;
    }
    if (lost < BLOCK_BASE) block_report(j, system, false, (unsigned)lost);
    if (bad < BLOCK_BASE) block_report(j, system, true, (unsigned)bad);
}

/* Decodes the minimum fault. */
static __global__ void block_singular(const uint64_t *faults, uint64_t n, uint64_t elements, uint64_t per_row,
                                      uint64_t *singular) {
    const uint64_t fault = *faults;
    *singular = fault == UINT64_MAX ? fault : fault / (2 * n) * elements + fault % n * per_row;
}

/* --------------------------------------------------------------------------------- launches */

template <class T, int K>
static cudaError_t launch(block_pass pass, const block_params &j, unsigned blocks, cudaStream_t stream) {
    switch (pass) {
    case BLOCK_REDUCE: block_reduce<T, K><<<blocks, BLOCK_THREADS, 0, stream>>>(j); break;
    case BLOCK_LINK: block_link<T, K><<<blocks, BLOCK_THREADS, 0, stream>>>(j); break;
    case BLOCK_EXPAND: block_expand<T, K><<<blocks, BLOCK_THREADS, 0, stream>>>(j); break;
    case BLOCK_SOLVE:
        if (j.periodic)
            block_base<T, K, true><<<blocks, BLOCK_THREADS, 0, stream>>>(j);
        else
            block_base<T, K, false><<<blocks, BLOCK_THREADS, 0, stream>>>(j);
        break;
    }
    return cudaPeekAtLastError();
}

template <class T>
static cudaError_t launch_blocks(block_pass pass, size_t k, const block_params &j, unsigned blocks,
                                 cudaStream_t stream) {
    if (k == 2) return launch<T, 2>(pass, j, blocks, stream);
    return k == 3 ? launch<T, 3>(pass, j, blocks, stream) : launch<T, 4>(pass, j, blocks, stream);
}

cudaError_t block_launch(block_pass pass, bool f32, size_t k, const block_params &j, unsigned blocks,
                         cudaStream_t stream) {
    return f32 ? launch_blocks<float>(pass, k, j, blocks, stream) : launch_blocks<double>(pass, k, j, blocks, stream);
}

cudaError_t block_launch_singular(const uint64_t *faults, uint64_t n, uint64_t elements, uint64_t per_row,
                                  uint64_t *singular, cudaStream_t stream) {
    block_singular<<<1, 1, 0, stream>>>(faults, n, elements, per_row, singular);
    return cudaPeekAtLastError();
}
