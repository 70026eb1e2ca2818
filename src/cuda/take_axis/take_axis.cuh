/* weft_take_axis and weft_put_axis on a GPU (ORDER.md 32.6, 32.7): kernels for checks and moves.
 *
 *   - take_check_kernel finds the first index out of range. For weft_put_axis it also finds out whether two indices
 *     name the same slot, with a bit map of the slots that are named.
 *   - take_kernel moves the elements: adjacent threads move elements that are adjacent in the last dimension of the
 *     list. Where the index is the same along it, and the table and the list are adjacent there, an element has up to
 *     16 bytes. It reads what the checks found, and writes nothing if an index is wrong: so it starts without waiting
 *     for the host, also when a graph runs.
 *   - take_find_kernel finds the first index that names a slot, for a message.
 *
 * Traffic: each index is read once by each kernel; each element is read and written once. */
#ifndef WEFT_CUDA_TAKE_AXIS_CUH
#define WEFT_CUDA_TAKE_AXIS_CUH

#include "cuda/copy_view/view_offsets.cuh"

#define TAKE_THREADS 256
#define TAKE_EACH 4 /* elements that a thread has in flight */

static constexpr unsigned long long TAKE_NONE = ~0ull;

/* Results of the checks. Both members are initially TAKE_NONE. */
struct take_findings {
    unsigned long long bad;   /* number of the first index out of range, or of one that is searched for */
    unsigned long long equal; /* 0: two indices name the same slot */
};

struct check_params {
    view_dims d; /* of all indices; y: of their slots */
    uint64_t n, end;
    bool in_range; /* an index out of range is an error */
    const char *index;
    unsigned *map;   /* one bit for each slot, initially 0; NULL: slots are not checked */
    uint64_t wanted; /* slot of take_find_kernel */
    take_findings *f;
};

/* Finds the number of the first index that, read as an unsigned number, is not less than `end`, if that is an error.
 * Sets the bits of the slots that the others name, and notes if one was set before. */
template <class Index>
static __global__ void __launch_bounds__(TAKE_THREADS) take_check_kernel(const __grid_constant__ check_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * (TAKE_THREADS * TAKE_EACH);
    unsigned long long bad = TAKE_NONE;
    unsigned equal = 0;
    for (uint64_t first = (uint64_t)blockIdx.x * (TAKE_THREADS * TAKE_EACH) + threadIdx.x; first < p.n;
         first += stride) {
        Index index[TAKE_EACH];
        int64_t slot[TAKE_EACH];
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const uint64_t i = first + k * TAKE_THREADS;
            int64_t at = slot[k] = 0;
            if (i >= p.n) continue;
            view_offsets(p.d, i, at, slot[k]);
            index[k] = *(const Index *)(p.index + at);
        }
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const uint64_t i = first + k * TAKE_THREADS;
            if (i >= p.n) continue;
            if (index[k] >= p.end && bad == TAKE_NONE) bad = i;
            if (!p.map || index[k] >= p.end) continue;
            const uint64_t named = (uint64_t)slot[k] + index[k];
            equal |= atomicOr(&p.map[named / 32], 1u << (named % 32)) >> (named % 32) & 1;
        }
    }
    if (p.in_range && bad != TAKE_NONE) atomicMin(&p.f->bad, bad);
    if (equal) atomicMin(&p.f->equal, 0ull);
}

/* Finds the number of the first index in range that names the slot `wanted`. */
template <class Index>
static __global__ void __launch_bounds__(TAKE_THREADS) take_find_kernel(const __grid_constant__ check_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * TAKE_THREADS;
    for (uint64_t i = (uint64_t)blockIdx.x * TAKE_THREADS + threadIdx.x; i < p.n; i += stride) {
        int64_t at = 0, slot = 0;
        view_offsets(p.d, i, at, slot);
        const uint64_t index = *(const Index *)(p.index + at);
        if (index < p.end && (uint64_t)slot + index == p.wanted) atomicMin(&p.f->bad, (unsigned long long)i);
    }
}

/* Distances in bytes. */
struct take_offsets {
    int64_t table, index, list;
};

/* Dimension 0 has `groups` indices for threads. A thread with index g takes the elements g, g + groups, ... of it, at
 * most TAKE_EACH, so that it divides only once for all of them. */
struct take_params {
    uint32_t count; /* >= 1 */
    bool narrow;    /* threads < 2^31 */
    take_dimension d[WEFT_DIMENSIONS_MAX];
    view_length lengths[WEFT_DIMENSIONS_MAX]; /* of dimensions 1, 2, ..., if narrow */
    uint64_t groups, threads, end;
    take_offsets steps; /* from an element of a thread to its next one */
    int64_t stride;     /* of the table along the axis */
    char *table, *list;
    const char *index;
    const take_findings *f; /* NULL: nothing was checked */
};

static __device__ __forceinline__ void take_move(take_offsets &at, const take_dimension &d, int64_t by) {
    at.table += by * d.table;
    at.index += by * d.index;
    at.list += by * d.list;
}

/* Sets `at` for the first element of thread number i. Returns its index in dimension 0. */
static __device__ __forceinline__ uint64_t take_begin(const take_params &p, uint64_t i, take_offsets &at) {
    uint32_t left = (uint32_t)i;
    at = take_offsets{0, 0, 0};
#pragma unroll 1
    for (uint32_t k = p.count - 1; k > 0; k--) {
        uint64_t own;
        if (p.narrow) {
            own = next_index(p.lengths, k, left);
        } else {
            own = i % p.d[k].n;
            i /= p.d[k].n;
        }
        take_move(at, p.d[k], (int64_t)own);
    }
    const uint64_t first = p.narrow ? left : i;
    take_move(at, p.d[0], (int64_t)first);
    return first;
}

template <class Index, class Word, bool PUT>
static __global__ void __launch_bounds__(TAKE_THREADS) take_kernel(const __grid_constant__ take_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * TAKE_THREADS;
    if (p.f && (p.f->bad != TAKE_NONE || p.f->equal != TAKE_NONE)) return;
    for (uint64_t i = (uint64_t)blockIdx.x * TAKE_THREADS + threadIdx.x; i < p.threads; i += stride) {
        Word word[TAKE_EACH];
        uint64_t index[TAKE_EACH];
        take_offsets at;
        const uint64_t first = take_begin(p, i, at);
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            index[k] = p.end;
            if (first + k * p.groups < p.d[0].n) index[k] = *(const Index *)(p.index + at.index + k * p.steps.index);
        }
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const char *const table = p.table + at.table + k * p.steps.table + (int64_t)index[k] * p.stride;
            if (index[k] < p.end) word[k] = *(const Word *)(PUT ? p.list + at.list + k * p.steps.list : table);
        }
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            char *const table = p.table + at.table + k * p.steps.table + (int64_t)index[k] * p.stride;
            if (index[k] < p.end) *(Word *)(PUT ? table : p.list + at.list + k * p.steps.list) = word[k];
        }
    }
}

#endif
