/* weft_take_axis on a GPU (ORDER.md 32.6): two kernels.
 *
 *   - take_check_kernel finds the first index out of range.
 *   - take_kernel takes the elements: adjacent threads take elements that are adjacent in the last dimension of y.
 *     Where the index is the same along it, and x and y are adjacent there, an element has up to 16 bytes. It reads
 *     what the check found, and writes nothing if an index is out of range: so it starts without waiting for the
 *     host, also when a graph runs.
 *
 * Traffic: each index is read once by each kernel; each element is read and written once. */
#ifndef WEFT_CUDA_TAKE_AXIS_CUH
#define WEFT_CUDA_TAKE_AXIS_CUH

#include "cuda/copy_view/view_offsets.cuh"

#define TAKE_THREADS 256
#define TAKE_EACH 4 /* elements that a thread has in flight */

static constexpr unsigned long long TAKE_NONE = ~0ull; /* no index is out of range */

struct check_params {
    view_dims d; /* of all indices; y is not used */
    uint64_t n, end;
    const char *index;
    unsigned long long *bad; /* initially TAKE_NONE */
};

/* Finds the number of the first index that, read as an unsigned number, is not less than `end`. */
template <class Index>
static __global__ void __launch_bounds__(TAKE_THREADS) take_check_kernel(const __grid_constant__ check_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * (TAKE_THREADS * TAKE_EACH);
    unsigned long long bad = TAKE_NONE;
    for (uint64_t first = (uint64_t)blockIdx.x * (TAKE_THREADS * TAKE_EACH) + threadIdx.x; first < p.n;
         first += stride) {
        Index index[TAKE_EACH];
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const uint64_t i = first + k * TAKE_THREADS;
            int64_t at = 0, unused = 0;
            if (i >= p.n) continue;
            view_offsets(p.d, i, at, unused);
            index[k] = *(const Index *)(p.index + at);
        }
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const uint64_t i = first + k * TAKE_THREADS;
            if (i < p.n && index[k] >= p.end && bad == TAKE_NONE) bad = i;
        }
    }
    if (bad != TAKE_NONE) atomicMin(p.bad, bad);
}

/* Distances in bytes. */
struct take_offsets {
    int64_t x, index, y;
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
    int64_t stride;     /* of x along the axis */
    const char *x, *index;
    char *y;
    const unsigned long long *bad; /* NULL: nothing was checked */
};

static __device__ __forceinline__ void take_move(take_offsets &at, const take_dimension &d, int64_t by) {
    at.x += by * d.x;
    at.index += by * d.index;
    at.y += by * d.y;
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

template <class Index, class Word>
static __global__ void __launch_bounds__(TAKE_THREADS) take_kernel(const __grid_constant__ take_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * TAKE_THREADS;
    if (p.bad && *p.bad != TAKE_NONE) return;
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
        for (int k = 0; k < TAKE_EACH; k++)
            if (index[k] < p.end)
                word[k] = *(const Word *)(p.x + at.x + k * p.steps.x + (int64_t)index[k] * p.stride);
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++)
            if (index[k] < p.end) *(Word *)(p.y + at.y + k * p.steps.y) = word[k];
    }
}

#endif
