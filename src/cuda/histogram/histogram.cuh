/* Counting on a GPU (ORDER.md 11): maps from elements to bins, and counters. f16 and bf16 elements are converted to
 * f32, whose maps they have. */
#ifndef WEFT_CUDA_HISTOGRAM_CUH
#define WEFT_CUDA_HISTOGRAM_CUH

#include "arith/even_bins.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/halves.cuh"
#include "cuda/runtime/slots.cuh"

#include <math.h>

enum {
    HISTOGRAM_ROWS = 4,     /* slots, or elements of a short row, that a thread loads before it counts them */
    HISTOGRAM_CELLS = 1024, /* cells of the guide to the edges */
    HISTOGRAM_GUIDE = HISTOGRAM_CELLS + 4, /* words of the guide, rounded up */
    HISTOGRAM_THREADS_FEW = 512            /* threads of a block, if four blocks fit on a multiprocessor */
};

typedef struct histogram_params {
    weft_even_bins even;
    const void *edges;
    uint64_t *counts;
    uint32_t bins;
    uint32_t copies_log2;  /* number of copies of the counters in shared memory */
    uint32_t in_shared;    /* the counters are in shared memory */
    uint32_t edges_shared; /* the edges have a copy in shared memory, after the counters and the guide */
} histogram_params;

/* -------------------------------------------------------------------------- elements to bins */

/* Bins of equal width for integers. find() returns true if x is in a bin, and sets `bin`. */
template <class T> struct even_map {
    typedef T edge;
    weft_even_bins b;
    __device__ even_map(const histogram_params &j, const T *, const uint32_t *) : b(j.even) {}
    __device__ __forceinline__ bool find(T x, uint32_t &bin) const {
        bin = (uint32_t)(sizeof(T) == 8 ? weft_even_bin_of_wide(&b, (uint64_t)x)
                                        : weft_even_bin_of_narrow(&b, (uint32_t)x));
        return bin < (uint32_t)b.bins;
    }
};

template <class T> struct even_map_of_reals {
    typedef T edge;
    T lower, upper;
    double base, scale;
    uint32_t last;
    __device__ explicit even_map_of_reals(const histogram_params &j)
        : lower((T)j.even.lower), upper((T)j.even.upper), base(j.even.lower), scale(j.even.scale), last(j.bins - 1) {}
    __device__ __forceinline__ bool find_in_f64(T x, uint32_t &bin) const {
        bin = min((uint32_t)(((double)x - base) * scale), last); /* below 2^32 if x is in a bin */
        return x >= lower && x <= upper;
    }
};

template <> struct even_map<double> : even_map_of_reals<double> {
    __device__ even_map(const histogram_params &j, const double *, const uint32_t *) : even_map_of_reals<double>(j) {}
    __device__ __forceinline__ bool find(double x, uint32_t &bin) const { return find_in_f64(x, bin); }
};

/* For f32 the position is first computed in f32, with an error of at most `margin`: three roundings of 2^-24 each and
 * those in f64 are less than bins 2^-22. Only if an integer is within `margin`, the position is computed in f64. If
 * the scale is not normal in f32, or there are 2^21 bins or more, all positions are computed in f64. */
template <> struct even_map<float> : even_map_of_reals<float> {
    float rough_scale, margin;
    __device__ even_map(const histogram_params &j, const float *, const uint32_t *)
        : even_map_of_reals<float>(j), rough_scale((float)j.even.scale), margin((float)j.bins * 0x1p-22f) {
        if (!(rough_scale >= 0x1p-126f && rough_scale <= 0x1p126f && margin < 0.5f)) rough_scale = NAN;
    }
    __device__ __forceinline__ bool find(float x, uint32_t &bin) const {
        const float ulp_is_one = 0x1.8p23f; /* added to a position, leaves the nearest integer in the low bits */
        const float position = (x - lower) * rough_scale, raised = position + ulp_is_one,
                    nearest = raised - ulp_is_one;
        if (!(fabsf(position - nearest) > margin)) return find_in_f64(x, bin);
        bin = (__float_as_uint(raised) & 0x3fffff) - (nearest > position);
        return x >= lower && x <= upper;
    }
};

/* An approximate position between the outermost edges, in cells. It must only be monotonic: not decreasing in x. */
template <class T> struct guide_cell {
    T lower;
    float scale;
    uint32_t last;
    __device__ guide_cell(T low, T high, uint32_t cells) : lower(low), last(cells - 1) {
        scale = (float)cells / (float)distance(high);
        if (!(scale <= 0x1p126f)) scale = 0; /* infinite or almost equal edges: one cell */
    }
    __device__ __forceinline__ float distance(T x) const {
        if ((T)0.5 != 0) return (float)(x - lower);
        return sizeof(T) == 8 ? (float)((uint64_t)x - (uint64_t)lower) : (float)((uint32_t)x - (uint32_t)lower);
    }
    __device__ __forceinline__ uint32_t of(T x) const {
        const float position = distance(x) * scale;
        return position < (float)last ? (uint32_t)position : last;
    }
};

/* Finds the last edge that is not greater than x. guide[c] is the first bin that an element of cell c can be in, and
 * guide[c + 1] the last, because edges of lower cells are less than it and edges of higher cells greater. */
template <class T> struct edge_map {
    typedef T edge;
    const T *edges;
    const uint32_t *guide;
    T lower, upper;
    guide_cell<T> position;
    __device__ edge_map(const histogram_params &j, const T *shared_edges, const uint32_t *shared_guide)
        : edges(j.edges_shared ? shared_edges : (const T *)j.edges), guide(shared_guide), lower(edges[0]),
          upper(edges[j.bins]), position(lower, upper, HISTOGRAM_CELLS) {}
    __device__ __forceinline__ bool find(T x, uint32_t &bin) const {
        if (!(x >= lower && x <= upper)) return false;
        const uint32_t cell = position.of(x);
        uint32_t high = guide[cell + 1];
        bin = guide[cell];
        while (bin < high) {
            const uint32_t middle = (bin + high + 1) / 2;
            if (x >= edges[middle])
                bin = middle;
            else
                high = middle - 1;
        }
        return true;
    }
};

/* Sets guide[c] to the last bin whose lower edge is in a cell below c, and guide[0] to 0. Must be called by a whole
 * block. */
template <class T> __device__ void fill_guide(const T *edges, uint32_t bins, uint32_t *guide) {
    const guide_cell<T> position(edges[0], edges[bins], HISTOGRAM_CELLS);
    for (uint32_t c = threadIdx.x; c <= HISTOGRAM_CELLS; c += blockDim.x) {
        uint32_t low = 0, high = bins - 1;
        while (low < high) {
            const uint32_t middle = (low + high + 1) / 2;
            if (position.of(edges[middle]) < c)
                low = middle;
            else
                high = middle - 1;
        }
        guide[c] = low;
    }
}

/* ----------------------------------------------------------------------------------- counters */

/* Returns the shared memory of a block: counters, then the guide to the edges, then the edges. */
static __device__ __forceinline__ uint32_t *histogram_shared() { return (uint32_t *)dynamic_shared(); }

/* Counters in shared memory: 2^copies_log2 copies for each bin. At most 32 >> copies_log2 lanes of a warp share a
 * copy, which reduces contention between equal elements. With 32 copies there are no bank conflicts. */
struct shared_counters {
    uint32_t *counters;
    uint32_t bins, copies_log2, lane;
    __device__ explicit shared_counters(const histogram_params &j)
        : counters(histogram_shared()), bins(j.bins), copies_log2(j.copies_log2),
          lane(threadIdx.x & ((1u << j.copies_log2) - 1)) {
        for (uint32_t i = threadIdx.x; i < bins << copies_log2; i += blockDim.x) counters[i] = 0;
    }
    /* Counts `count` elements of one bin. */
    __device__ __forceinline__ void add(bool found, uint32_t bin, uint32_t count) {
        if (found) atomicAdd(&counters[bin << copies_log2 | lane], count);
    }
    /* Each thread reads the copies in an order of its own, because with 32 copies those of one number are in one
     * bank. */
    __device__ void flush(uint64_t *counts) {
        const uint32_t copies = 1u << copies_log2;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < bins; i += blockDim.x) {
            uint32_t total = 0;
            for (uint32_t c = 0; c < copies; c++) total += counters[i << copies_log2 | ((c + i) & (copies - 1))];
            if (total) atomicAdd((unsigned long long *)&counts[i], (unsigned long long)total);
        }
    }
};

/* Counters in global memory, used if the bins do not fit in shared memory. Equal bins of a warp are added at once.
 * While all elements of a warp are in one bin, it adds nothing but counts them. Every lane must call add, with the
 * same count. */
struct global_counters {
    uint64_t *counts;
    uint32_t bins, run_bin;
    unsigned long long run;
    __device__ explicit global_counters(const histogram_params &j)
        : counts(j.counts), bins(j.bins), run_bin(j.bins), run(0) {}
    __device__ __forceinline__ void put(uint32_t bin, unsigned long long count) {
        if (bin < bins) atomicAdd((unsigned long long *)&counts[bin], count);
    }
    __device__ __forceinline__ void add(bool found, uint32_t some_bin, uint32_t count) {
        const uint32_t bin = found ? some_bin : bins;
        const uint32_t equal = __match_any_sync(0xffffffffu, bin);
        const uint32_t lane = threadIdx.x % 32;
        if (equal != 0xffffffffu) {
            if (lane == __ffs((int)equal) - 1u) put(bin, count * __popc(equal));
        } else if (bin == run_bin) {
            run += 32 * count;
        } else {
            flush_run(lane);
            run_bin = bin;
            run = 32 * count;
        }
    }
    __device__ void flush_run(uint32_t lane) {
        if (lane == 0 && run) put(run_bin, run);
        run = 0;
    }
    __device__ void flush(uint64_t *) { flush_run(threadIdx.x % 32); }
};

/* ------------------------------------------------------------------------------------- kernel */

/* Returns true if each thread of the warp has loaded equal elements only, and none is absent. The others are compared
 * only if the first is equal to the last, so that most other inputs cost one comparison and one vote. */
template <class T, int ROWS, int PER>
static __device__ __forceinline__ bool threads_have_equals(const T (&v)[ROWS][PER], const uint32_t (&present)[ROWS]) {
    bool equal = true;
#pragma unroll
    for (int r = 0; r < ROWS; r++) equal = equal && present[r] == (1u << PER) - 1;
    equal = equal && v[0][0] == v[ROWS - 1][PER - 1];
    if (!__all_sync(0xffffffffu, equal)) return false;
#pragma unroll
    for (int i = 1; i < ROWS * PER - 1; i++) equal = equal && v[0][0] == v[i / PER][i % PER];
    return __all_sync(0xffffffffu, equal);
}

/* Counts the elements that a thread has loaded. Equal elements are in one bin and are counted at once. */
template <class T, class MAP, class COUNTERS, int ROWS, int PER>
static __device__ __forceinline__ void count_elements(const MAP &map, COUNTERS &counters, const T (&v)[ROWS][PER],
                                                      const uint32_t (&present)[ROWS]) {
    uint32_t bin = 0;
    if (threads_have_equals(v, present)) {
        const bool found = map.find(v[0][0], bin);
        counters.add(found, bin, ROWS * PER);
        return;
    }
#pragma unroll
    for (int i = 0; i < ROWS * PER; i++) {
        const bool found = (present[i / PER] >> i % PER & 1) && map.find(v[i / PER][i % PER], bin);
        counters.add(found, bin, 1);
    }
}

/* Returns the map. Copies the edges to shared memory, if they fit, and fills the guide to them. Must be called by a
 * whole block. */
template <class MAP> static __device__ __forceinline__ MAP make_map(const histogram_params &j) {
    typedef typename MAP::edge T;
    uint32_t *const guide = histogram_shared() + (j.in_shared ? ((j.bins << j.copies_log2) + 3) / 4 * 4 : 0);
    T *const edges = (T *)(guide + HISTOGRAM_GUIDE);
    if (j.edges_shared)
        for (uint32_t i = threadIdx.x; i <= j.bins; i += blockDim.x) edges[i] = ((const T *)j.edges)[i];
    __syncthreads();
    if (j.edges) fill_guide(j.edges_shared ? edges : (const T *)j.edges, j.bins, guide);
    __syncthreads();
    return MAP(j, edges, guide);
}

template <class T, class MAP, class COUNTERS>
__global__ void histogram_kernel(slots<T> x, const __grid_constant__ histogram_params j) {
    enum { PER = slots<T>::PER };
    COUNTERS counters(j);
    const MAP map = make_map<MAP>(j);
    const uint64_t rows = (uint64_t)blockDim.x * HISTOGRAM_ROWS;
    take_rows<HISTOGRAM_ROWS>(x, blockIdx.x * rows, x.count(), gridDim.x * rows,
                              [&](uint64_t, T(&v)[HISTOGRAM_ROWS][PER], uint32_t(&present)[HISTOGRAM_ROWS]) {
                                  count_elements(map, counters, v, present);
                              });
    counters.flush(j.counts);
}

/* Rows of n elements. A block counts one row after another. */
template <class T, class MAP>
__global__ void __launch_bounds__(HISTOGRAM_THREADS_FEW)
    histogram_rows_kernel(const T *x, uint64_t rows, uint32_t n, const __grid_constant__ histogram_params j) {
    const MAP map = make_map<MAP>(j);
    for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        shared_counters counters(j);
        const T *const from = x + row * n;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < n; i += HISTOGRAM_ROWS * blockDim.x) {
            T v[HISTOGRAM_ROWS];
            uint32_t present = 0;
#pragma unroll
            for (uint32_t k = 0; k < HISTOGRAM_ROWS; k++)
                if (i + k * blockDim.x < n) {
                    v[k] = from[i + k * blockDim.x];
                    present |= 1u << k;
                }
#pragma unroll
            for (uint32_t k = 0; k < HISTOGRAM_ROWS; k++) {
                uint32_t bin = 0;
                const bool found = (present >> k & 1) && map.find(v[k], bin);
                counters.add(found, bin, 1);
            }
        }
        counters.flush(j.counts + row * j.bins);
        __syncthreads();
    }
}

/* ------------------------------------------------------------------------- elements of a byte */

/* Counters of the 256 values of a byte in shared memory, one copy for each lane of a warp: no bank conflicts. */
struct byte_counters {
    enum { VALUES = 256, COPIES = 32, WORDS = VALUES * COPIES };
    uint32_t lane;
    __device__ byte_counters() : lane(threadIdx.x % COPIES) {
        for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x) histogram_shared()[i] = 0;
    }
    __device__ __forceinline__ void add(uint32_t value) { atomicAdd(&histogram_shared()[value * COPIES | lane], 1u); }
    __device__ __forceinline__ void add_word(uint32_t word) {
        add(word & 0xff);
        add(word >> 8 & 0xff);
        add(word >> 16 & 0xff);
        add(word >> 24);
    }
    /* Counts the bytes of x. Per 4 bytes a thread issues 4 atomic additions to shared memory and about 8 other
     * instructions. Must be called by a whole block. */
    template <class T> __device__ __forceinline__ void add_all(const slots<T> &x) {
        enum { PER = slots<T>::PER };
        const uint64_t rows = (uint64_t)blockDim.x * HISTOGRAM_ROWS;
        __syncthreads();
        take_rows<HISTOGRAM_ROWS>(x, blockIdx.x * rows, x.count(), gridDim.x * rows,
                                  [&](uint64_t, T(&v)[HISTOGRAM_ROWS][PER], uint32_t(&present)[HISTOGRAM_ROWS]) {
#pragma unroll
                                      for (int r = 0; r < HISTOGRAM_ROWS; r++) {
                                          if (present[r] == (1u << PER) - 1) {
#pragma unroll
                                              for (int w = 0; w < 4; w++) add_word(((const uint32_t *)v[r])[w]);
                                              continue;
                                          }
                                          for (int i = 0; i < PER; i++)
                                              if (present[r] >> i & 1) add((uint8_t)v[r][i]);
                                      }
                                  });
        __syncthreads();
    }
    /* Returns the count of one value. Each thread reads the copies in an order of its own, because all copies of one
     * lane are in one bank. */
    static __device__ uint64_t total(uint32_t value) {
        uint64_t sum = 0;
        for (uint32_t c = 0; c < COPIES; c++) sum += histogram_shared()[value * COPIES | ((c + value) % COPIES)];
        return sum;
    }
};

/* Counts the values of bytes without mapping them to bins; then each block maps its 256 totals. */
template <class T, class MAP>
__global__ void __launch_bounds__(HISTOGRAM_THREADS_FEW)
    histogram_bytes_kernel(slots<T> x, const __grid_constant__ histogram_params j) {
    byte_counters counters;
    counters.add_all(x);
    uint32_t *const guide = histogram_shared() + byte_counters::WORDS;
    if (j.edges) fill_guide((const T *)j.edges, j.bins, guide);
    __syncthreads();
    const MAP map(j, NULL, guide);
    for (uint32_t value = threadIdx.x; value < byte_counters::VALUES; value += blockDim.x) {
        const uint64_t total = counters.total(value);
        uint32_t bin = 0;
        if (total && map.find((T)value, bin))
            atomicAdd((unsigned long long *)&j.counts[bin], (unsigned long long)total);
    }
}

#endif
