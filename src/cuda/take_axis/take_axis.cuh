/* weft_take_axis and weft_put_axis on a GPU (ORDER.md 32.6, 32.7): kernels for checks and moves.
 *
 *   - take_check_kernel finds the first index out of range. For weft_put_axis it also finds out whether two indices
 *     name the same slot, with a bit map of the slots that are named.
 *   - In take_kernel threads move the elements of the list in the order of its dimensions. Where the index is the
 * same along the last dimension, and the table and the list are adjacent there, an element has up to 16 bytes. It
 * reads what the check found, and writes nothing if an index is wrong: so it starts without waiting for the host,
 * also when a graph runs.
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

struct take_params {
    uint32_t count;
    bool narrow; /* n < 2^32 */
    take_dimension d[WEFT_DIMENSIONS_MAX];
    uint64_t n, end;
    int64_t stride; /* of the table along the axis */
    char *table, *list;
    const char *index;
    const take_findings *f; /* NULL: nothing was checked */
};

/* Adds the distances of element number i from the first one. The last dimension varies fastest. */
template <class Number>
static __device__ __forceinline__ void take_offsets_as(const take_params &p, Number i, int64_t &table, int64_t &index,
                                                       int64_t &list) {
    for (uint32_t k = p.count; k-- > 0;) {
        const Number n = (Number)p.d[k].n, above = k > 0 ? i / n : 0, own = i - above * n;
        table += (int64_t)own * p.d[k].table;
        index += (int64_t)own * p.d[k].index;
        list += (int64_t)own * p.d[k].list;
        i = above;
    }
}

static __device__ __forceinline__ void take_offsets(const take_params &p, uint64_t i, int64_t &table, int64_t &index,
                                                    int64_t &list) {
    if (p.narrow)
        take_offsets_as<uint32_t>(p, (uint32_t)i, table, index, list);
    else
        take_offsets_as<uint64_t>(p, i, table, index, list);
}

template <class Index, class Word, bool PUT>
static __global__ void __launch_bounds__(TAKE_THREADS) take_kernel(const __grid_constant__ take_params p) {
    const uint64_t stride = (uint64_t)gridDim.x * (TAKE_THREADS * TAKE_EACH);
    if (p.f && (p.f->bad != TAKE_NONE || p.f->equal != TAKE_NONE)) return;
    for (uint64_t first = (uint64_t)blockIdx.x * (TAKE_THREADS * TAKE_EACH) + threadIdx.x; first < p.n;
         first += stride) {
        Word word[TAKE_EACH];
        char *to[TAKE_EACH]; /* NULL: nothing is moved */
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++) {
            const uint64_t i = first + k * TAKE_THREADS;
            int64_t in_table = 0, at = 0, in_list = 0;
            to[k] = NULL;
            if (i >= p.n) continue;
            take_offsets(p, i, in_table, at, in_list);
            const uint64_t index = *(const Index *)(p.index + at);
            if (index >= p.end) continue;
            char *const table = p.table + in_table + (int64_t)index * p.stride, *const list = p.list + in_list;
            to[k] = PUT ? table : list;
            word[k] = *(const Word *)(PUT ? list : table);
        }
#pragma unroll
        for (int k = 0; k < TAKE_EACH; k++)
            if (to[k]) *(Word *)to[k] = word[k];
    }
}

#endif
