/* Scans whose elements are a formula's values (map_values.cuh). They use the tiles of scan_tiles.cuh. Elements are
 * computed in shared memory instead of being copied there, so that values are never stored in global memory.
 *
 * A lane computes full chunks of 16 bytes: in each row those that it would copy in the scan of an array. The loads of
 * ROWS rows are in flight at the same time. If ROWS is 0, if arrays are not aligned, or at the end of the input, it
 * computes element by element, several at once for a short formula. */
#ifndef WEFT_CUDA_MAP_SCAN_CUH
#define WEFT_CUDA_MAP_SCAN_CUH

#include "cuda/map/map_values.cuh"
#include "cuda/scan/scan_ops.cuh"
#include "cuda/scan/scan_tiles.cuh"

/* Computes the warp's 512 values from element `start` on. */
template <class F, int ROWS>
static __device__ __forceinline__ void compute_chunks(const formula_operand *o, uint64_t start, uint4 *buffer) {
    typedef typename F::value value;
    constexpr int CHUNKS = sizeof(value), OWN = 16 / sizeof(value);
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int top = 0; top < CHUNKS; top += ROWS) {
        typename F::template loads<OWN> l[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) l[r] = F::template load<OWN>(o, start + ((top + r) * 32 + lane) * OWN);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int c = (top + r) * 32 + lane;
            const packed<value, OWN> values = values_of<F, OWN>(l[r], o, start + c * OWN);
            memcpy(&buffer[scan_chunk_index<CHUNKS>(c / CHUNKS, c % CHUNKS)], &values, sizeof values);
        }
    }
}

/* Computes the warp's 512 values element by element, AT_ONCE at a time. Positions from element n on are set to zero.
 */
template <class F, int AT_ONCE>
static __device__ __forceinline__ void compute_elements(const formula_operand *o, uint64_t start, uint64_t n,
                                                        uint4 *buffer) {
    typedef typename F::value value;
    constexpr int CHUNKS = sizeof(value);
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int top = 0; top < SCAN_PART; top += 32 * AT_ONCE) {
        typename F::template loads<1> l[AT_ONCE];
#pragma unroll
        for (int r = 0; r < AT_ONCE; r++) {
            const uint64_t i = start + top + r * 32 + lane;
            if (i < n) l[r] = F::template load<1>(o, i);
        }
#pragma unroll
        for (int r = 0; r < AT_ONCE; r++) {
            const int e = top + r * 32 + lane, bytes = e % WEFT_SCAN_GROUP * (int)sizeof(value);
            const int chunk = scan_chunk_index<CHUNKS>(e / WEFT_SCAN_GROUP, bytes / 16);
            const value v = start + e < n ? F::at(l[r], o, start + e, 0) : value(0);
            memcpy((char *)&buffer[chunk] + bytes % 16, &v, sizeof v);
        }
    }
}

/* A formula's values as the source of a scan. Other blocks run while this one computes, so one thread first
 * prefetches the input of a later block. */
template <class F, int ROWS> struct scan_values {
    const formula_operand *o;
    template <class Part>
    __device__ __forceinline__ void fill(const scan_params &a, uint64_t start, int tiles,
                                         Part (*buffer)[SCAN_WARPS]) const {
        const uint64_t prefetch = threadIdx.x == 0 ? scan_prefetch_start(a, start) : 0;
        if (prefetch) F::prefetch(o, prefetch, a.block_tiles * SCAN_TILE);
        const int warp = threadIdx.x / 32;
#pragma unroll 1
        for (int t = 0; t < tiles; t++) {
            const uint64_t from = start + t * SCAN_TILE + warp * SCAN_PART;
            if (ROWS > 0 && scan_in_chunks(a, from))
                compute_chunks<F, ROWS ? ROWS : 1>(o, from, buffer[t][warp]);
            else
                compute_elements<F, ROWS ? 4 : 1>(o, from, a.n, buffer[t][warp]);
        }
    }
};

template <class Op, class F, int ROWS> static __device__ __forceinline__ void scan_formula(const formula_params &f) {
    scan_from<Op>(scan_values<F, ROWS>{f.operands}, f.scan);
}

#endif
