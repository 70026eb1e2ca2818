/* weft_take_axis on a GPU (ORDER.md 32.6): two kernels.
 *
 *   - take_check_kernel finds the first index out of range.
 *   - In take_kernel threads take the elements of y in the order of its dimensions. Where the index is the same along
 *     the last dimension, and x and y are adjacent there, an element has up to 16 bytes. It reads what the check
 *     found, and writes nothing if an index is out of range: so it starts without waiting for the host, also when a
 *     graph runs.
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

struct take_params {
    uint32_t count;
    bool narrow; /* n < 2^32 */
    take_dimension d[WEFT_DIMENSIONS_MAX];
    uint64_t n, end;
    int64_t stride; /* of x along the axis */
    const char *x, *index;
    char *y;
    const unsigned long long *bad; /* NULL: nothing was checked */
};

/* Adds the distances of element number i from the first one. The last dimension varies fastest. */
template <class Number>
static __device__ __forceinline__ void take_offsets_as(const take_params &p, Number i, int64_t &x, int64_t &index,
                                                       int64_t &y) {
    for (uint32_t k = p.count; k-- > 0;) {
        const Number n = (Number)p.d[k].n, above = k > 0 ? i / n : 0, own = i - above * n;
        x += (int64_t)own * p.d[k].x;
        index += (int64_t)own * p.d[k].index;
        y += (int64_t)own * p.d[k].y;
        i = above;
    }
}

static __device__ __forceinline__ void take_offsets(const take_params &p, uint64_t i, int64_t &x, int64_t &index,
                                                    int64_t &y) {
    if (p.narrow)
        take_offsets_as<uint32_t>(p, (uint32_t)i, x, index, y);
    else
        take_offsets_as<uint64_t>(p, i, x, index, y);
}

template <class Index, class Word>
static __global__ void __launch_bounds__(TAKE_THREADS) take_kernel(const __grid_constant__ take_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * (TAKE_THREADS * TAKE_EACH);
    if (p.bad && *p.bad != TAKE_NONE) return;
    for (uint64_t first = (uint64_t)blockIdx.x * (TAKE_THREADS * TAKE_EACH) + threadIdx.x; first < p.n;
         first += stride) {
        Word word[TAKE_EACH];
        int64_t to[TAKE_EACH];
        bool taken[TAKE_EACH];
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const uint64_t i = first + k * TAKE_THREADS;
            int64_t from = 0, at = to[k] = 0;
            taken[k] = false;
            if (i >= p.n) continue;
            take_offsets(p, i, from, at, to[k]);
            const uint64_t index = *(const Index *)(p.index + at);
            taken[k] = index < p.end;
            if (taken[k]) word[k] = *(const Word *)(p.x + from + (int64_t)index * p.stride);
        }
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++)
            if (taken[k]) *(Word *)(p.y + to[k]) = word[k];
    }
}

#endif
