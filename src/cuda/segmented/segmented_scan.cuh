/* Segmented scan on a GPU: two kernels, by the length of a segment.
 *
 *     up to 16^3 elements   a thread for each group of 16; a warp takes as many complete segments at a time as have
 * no more groups than it has threads, or a segment of more groups in slices longer                tiles of 16^3 by
 * ticket, with published totals (scan_tiles.cuh), separately for each segment
 *
 * Groups and tiles are those of ORDER.md 6, counted from the segment's first element. */
#ifndef WEFT_CUDA_SEGMENTED_SCAN_CUH
#define WEFT_CUDA_SEGMENTED_SCAN_CUH

#include "cuda/runtime/warp_reduce.cuh"
#include "cuda/scan/scan.cuh"
#include "cuda/segmented/segments.cuh"

/* Distance in the buffer, in elements, from the start of one group to the next, for groups that are not contiguous.
 * It is odd, so that loading by rows and storing by groups both access all banks. */
#define GROUP_PITCH (WEFT_SCAN_GROUP + 1)

/* ---------------------------------------------------------------------------- short segments */

/* The group of one thread. */
struct group_of_thread {
    uint64_t start;  /* index of its first element in the array */
    int count;       /* number of elements; 0: the thread has no group */
    uint32_t number; /* number of the group in its segment */
};

/* Layout of the elements of a warp's groups in its buffer. */
struct group_layout {
    uint64_t from, to; /* range of the elements, if they are contiguous */
    bool together;     /* the groups' elements are contiguous in the array */
};

static __device__ __forceinline__ group_layout layout_of(const group_of_thread &g, int groups) {
    group_layout l;
    l.from = __shfl_sync(ALL_LANES, g.start, 0);
    l.to = __shfl_sync(ALL_LANES, g.start + g.count, groups - 1);
    l.together = l.to - l.from == warp_sum((uint32_t)g.count);
    return l;
}

/* Returns the buffer index of element i of contiguous groups. One element is skipped after every 128 bytes, so that
 * loading by rows and storing by groups both access all banks. */
template <class T> static __device__ __forceinline__ uint32_t buffer_index(uint32_t i) {
    return i + i / (128 / sizeof(T));
}

/* Returns the buffer index of element j of the thread's group. Groups that are not contiguous are an odd number of
 * elements apart, so that loading by rows and storing by groups both access all banks. */
template <class T>
static __device__ __forceinline__ uint32_t group_buffer_index(const group_of_thread &g, const group_layout &l,
                                                              int j) {
    return l.together ? buffer_index<T>((uint32_t)(g.start - l.from) + j) : threadIdx.x % 32 * GROUP_PITCH + j;
}

/* Sets the element that the thread moves in step k of 16, and its buffer index. Returns false if there is none. If
 * the groups are contiguous, the warp moves a row of 32 elements per step; otherwise each half warp moves a group. */
template <class T>
static __device__ __forceinline__ bool element_of_step(const group_of_thread &g, const group_layout &l, int k,
                                                       uint64_t *element, uint32_t *index) {
    const uint32_t lane = threadIdx.x % 32;
    if (l.together) {
        *element = l.from + k * 32 + lane;
        *index = buffer_index<T>(k * 32 + lane);
        return *element < l.to;
    }
    const uint32_t owner = 2 * k + lane / 16, j = lane % 16;
    *element = __shfl_sync(ALL_LANES, g.start, owner) + j;
    *index = owner * GROUP_PITCH + j;
    return (int)j < __shfl_sync(ALL_LANES, g.count, owner);
}

/* Loads a warp's groups to its buffer, and from there to the threads. Elements of 4 bytes or more are copied to the
 * buffer asynchronously. */
template <class Op>
static __device__ __forceinline__ void fetch_groups(const Op &op, const segments_params &a, const group_of_thread &g,
                                                    const group_layout &l, char *buffer,
                                                    typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::element T;
    T *const to = (T *)buffer;
    const T *const x = (const T *)a.x;
    uint64_t element;
    uint32_t index;
    __syncwarp(); /* what was there has been written */
#pragma unroll
    for (int k = 0; k < 16; k++) {
        if (!element_of_step<T>(g, l, k, &element, &index)) continue;
        if constexpr (sizeof(T) >= 4)
            __pipeline_memcpy_async(to + index, x + element, sizeof(T));
        else
            to[index] = x[element];
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < WEFT_SCAN_GROUP; j++)
        v[j] = j < g.count ? op.load(to[group_buffer_index<T>(g, l, j)]) : op.identity();
    __syncwarp();
}

/* P_1 of ORDER.md 6.3 for a group and for the group after it. */
template <class A> struct group_prefix { A own, next; };

/* Stores the results of each group, from its inclusive scan v and its prefixes p. */
template <class Op>
static __device__ __forceinline__ void
write_groups(const Op &op, const segments_params &a, const group_of_thread &g, const group_layout &l, char *buffer,
             const typename Op::value (&v)[WEFT_SCAN_GROUP], const group_prefix<typename Op::value> &p) {
    typedef typename Op::result R;
    R *const from = (R *)buffer;
    R *const y = (R *)a.y;
    uint64_t element;
    uint32_t index;
#pragma unroll
    for (int j = 0; j < WEFT_SCAN_GROUP; j++) {
        const typename Op::value inclusive = j < WEFT_SCAN_GROUP - 1 ? op.combine(p.own, v[j]) : p.next;
        const typename Op::value exclusive = j > 0 ? op.combine(p.own, v[j > 0 ? j - 1 : 0]) : p.own;
        if (j < g.count) from[group_buffer_index<R>(g, l, j)] = op.store(a.scan.exclusive ? exclusive : inclusive);
    }
    if (a.scan.exclusive && g.count && g.number == 0) from[group_buffer_index<R>(g, l, 0)] = op.empty();
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 16; k++)
        if (element_of_step<R>(g, l, k, &element, &index)) y[element] = from[index];
}

/* Returns the prefixes of the groups of complete segments, at most 32 groups each, which may begin at any lane. */
template <class Op>
static __device__ __forceinline__ group_prefix<typename Op::value>
prefix_of_group(const Op &op, const group_of_thread &g, typename Op::value total) {
    typedef typename Op::value A;
    const uint32_t lane = threadIdx.x % 32, digit = g.number % 16;
    const uint32_t most = warp_max(g.number);
    group_prefix<A> p = {op.identity(), total};
    if (most == 0) return p;
    for (uint32_t w = 1; w < 16 && w <= most; w *= 2) {
        const A left = __shfl_up_sync(ALL_LANES, total, w);
        if (digit >= w) total = op.combine(left, total);
    }
    const A before = __shfl_up_sync(ALL_LANES, total, 1);
    p.own = digit ? before : op.identity();
    p.next = total;
    if (most < 16) return p;
    const A sixteen = __shfl_sync(ALL_LANES, total, g.number >= 16 ? lane - digit - 1 : lane);
    if (g.number < 16) return p;
    p.own = digit ? op.combine(sixteen, before) : sixteen;
    p.next = op.combine(sixteen, total);
    return p;
}

/* Numbers of groups of a warp's segments: in the segments of the lanes before this one, and in all. */
struct group_numbers {
    uint32_t before, all;
};

static __device__ __forceinline__ group_numbers number_groups(uint32_t groups) {
    const int lane = threadIdx.x % 32;
    uint32_t sum = groups;
#pragma unroll
    for (int w = 1; w < 32; w *= 2) {
        const uint32_t left = __shfl_up_sync(ALL_LANES, sum, w);
        if (lane >= w) sum += left;
    }
    return group_numbers{sum - groups, __shfl_sync(ALL_LANES, sum, 31)};
}

/* Scans the groups from number `base` on that belong to complete segments, at most 32. Returns the number of the next
 * group. */
template <class Op>
static __device__ __forceinline__ uint32_t scan_groups(const Op &op, const segments_params &a, segment own,
                                                       group_numbers numbers, uint32_t base, char *buffer) {
    const uint32_t lane = threadIdx.x % 32, slot = base + lane;
    /* The segments whose first group has at most number base + 32. If there are groups from there on, the last of
     * these segments is the first of the next call. */
    const unsigned begun = __ballot_sync(ALL_LANES, numbers.before <= base + 32);
    const int last = 31 - __clz((int)begun);
    const uint32_t end = numbers.all <= base + 32 ? numbers.all : __shfl_sync(ALL_LANES, numbers.before, last);
    int i = 0; /* the last segment that begins at this slot or before */
#pragma unroll
    for (int step = 16; step >= 1; step /= 2)
        if (__shfl_sync(ALL_LANES, numbers.before, i + step) <= slot) i += step;
    group_of_thread g;
    const uint64_t begin = __shfl_sync(ALL_LANES, own.begin, i);
    const int length = __shfl_sync(ALL_LANES, (int)own.length, i);
    g.number = slot - __shfl_sync(ALL_LANES, numbers.before, i);
    g.start = begin + g.number * WEFT_SCAN_GROUP;
    g.count = min(WEFT_SCAN_GROUP, length - (int)g.number * WEFT_SCAN_GROUP);
    if (slot >= end) g = group_of_thread{0, 0, 0};
    const group_layout l = layout_of(g, (int)(end - base));
    typename Op::value v[WEFT_SCAN_GROUP];
    fetch_groups(op, a, g, l, buffer, v);
    scan_registers(op, v);
    write_groups(op, a, g, l, buffer, v, prefix_of_group(op, g, v[WEFT_SCAN_GROUP - 1]));
    return end;
}

/* Scans a segment of more than 32 and at most 16 * 16 groups, 32 groups at a time. Lanes q and q + 16 hold the total
 * of groups 16 q .. 16 q + 15. */
template <class Op>
static __device__ __forceinline__ void scan_slices(const Op &op, const segments_params &a, uint64_t begin, int length,
                                                   char *buffer) {
    typedef typename Op::value A;
    const uint32_t lane = threadIdx.x % 32, digit = lane % 16;
    A sixteens = op.identity();
    for (uint32_t first = 0; first * WEFT_SCAN_GROUP < (uint32_t)length; first += 32) {
        group_of_thread g;
        g.number = first + lane;
        g.start = begin + g.number * WEFT_SCAN_GROUP;
        g.count = max(0, min(WEFT_SCAN_GROUP, length - (int)g.number * WEFT_SCAN_GROUP));
        group_layout l;
        l.from = begin + first * WEFT_SCAN_GROUP;
        l.to = min(begin + length, l.from + 32 * WEFT_SCAN_GROUP);
        l.together = true;
        A v[WEFT_SCAN_GROUP];
        fetch_groups(op, a, g, l, buffer, v);
        scan_registers(op, v);
        const A groups = scan_lanes(op, v[WEFT_SCAN_GROUP - 1]);
        const uint32_t sixteen = g.number / 16;
        const A total = __shfl_sync(ALL_LANES, groups, (digit - first / 16) * 16 % 32 + 15);
        if (digit == first / 16 || digit == first / 16 + 1) sixteens = total;
        const A scanned = scan_lanes(op, sixteens);
        const A before_16 = __shfl_sync(ALL_LANES, scanned, sixteen ? sixteen - 1 : 0);
        const A with_16 = __shfl_sync(ALL_LANES, scanned, sixteen & 15);
        const A before = __shfl_up_sync(ALL_LANES, groups, 1, 16);
        group_prefix<A> p;
        p.own = digit == 0 ? (sixteen ? before_16 : op.identity()) : sixteen ? op.combine(before_16, before) : before;
        p.next = digit == 15 ? with_16 : sixteen ? op.combine(before_16, groups) : groups;
        write_groups(op, a, g, l, buffer, v, p);
    }
}

/* Scans the segments of one warp. Lane t has segment number first + t. */
template <class Op>
static __device__ __forceinline__ void scan_segments(const Op &op, const segments_params &a, uint64_t first,
                                                     segment own, char *buffer) {
    const uint64_t tiles = (own.length + SCAN_TILE - 1) / SCAN_TILE;
    if (tiles > 1) append_long(a, first + threadIdx.x % 32, (tiles - 1) / a.scan.block_tiles + 1, 2 * tiles);
    const bool is_short = own.length <= 32 * WEFT_SCAN_GROUP;
    const group_numbers numbers =
        number_groups(is_short ? (uint32_t)((own.length + WEFT_SCAN_GROUP - 1) / WEFT_SCAN_GROUP) : 0);
    for (uint32_t base = 0; base < numbers.all;) base = scan_groups(op, a, own, numbers, base, buffer);
    for (unsigned left = __ballot_sync(ALL_LANES, !is_short && tiles == 1); left; left &= left - 1) {
        const int owner = __ffs((int)left) - 1;
        scan_slices(op, a, __shfl_sync(ALL_LANES, own.begin, owner), __shfl_sync(ALL_LANES, (int)own.length, owner),
                    buffer);
    }
}

/* Scans the short segments and lists the long ones. Each warp works independently. The next offsets are loaded while
 * the present segments are scanned. */
template <class Op>
static __global__ void __launch_bounds__(SEGMENT_THREADS, SCAN_SHORT_BLOCKS(sizeof(typename Op::value)))
    scan_short_kernel(const __grid_constant__ segments_params a) {
    typedef typename Op::element T;
    typedef typename Op::result R;
    constexpr int WIDEST = sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R);
    alignas(16) __shared__ char buffer[SEGMENT_WARPS][32 * GROUP_PITCH * WIDEST];
    const Op op(a.scan);
    const uint64_t number = segments_number(a), warps = (uint64_t)gridDim.x * SEGMENT_WARPS;
    const uint64_t many = min((uint64_t)32, (number + warps - 1) / warps);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t first = ((uint64_t)blockIdx.x * SEGMENT_WARPS + warp) * many;
    segment own = segment_at(a, first + lane, lane < many && first + lane < number);
    while (first < number) {
        const uint64_t next = first + warps * many;
        const segment of_next = segment_at(a, next + lane, lane < many && next + lane < number);
        scan_segments(op, a, first, own, buffer[warp]);
        first = next;
        own = of_next;
    }
}

/* ----------------------------------------------------------------------------- long segments */

/* Sets *j to the scan of the long segment that contains item `item`, and *start to the item's first element in the
 * segment. Must be called by one full warp. */
static __device__ __forceinline__ void scan_params_of_item(const segments_params &a, uint32_t longs, uint32_t item,
                                                           size_t element_bytes, size_t result_bytes, scan_params *j,
                                                           uint64_t *start) {
    const uint32_t index = find_long(a, longs, item);
    if (threadIdx.x != 0) return;
    const segment own = segment_at(a, a.longs[index].segment, true);
    *j = a.scan;
    j->x = (const char *)a.x + own.begin * element_bytes;
    j->y = (char *)a.y + own.begin * result_bytes;
    j->n = own.length;
    j->vectors = ((uintptr_t)j->x | (uintptr_t)j->y) % 16 == 0;
    uint64_t words = a.longs[index].words;
    j->totals.levels = 0;
    for (uint64_t tiles = (own.length - 1) / SCAN_TILE + 1; tiles > 0; tiles /= 16) {
        j->totals.level_start[j->totals.levels++] = words;
        words += tiles;
    }
    *start = (uint64_t)(item - a.longs[index].item) * a.scan.block_tiles * SCAN_TILE;
}

/* Scans the long segments by items. If the number of items is only in device memory (!a.once), blocks take one item
 * after the other. */
template <class Op>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS)
    scan_long_kernel(const __grid_constant__ segments_params a) {
    scan_shared<Op> &s = *(scan_shared<Op> *)dynamic_shared();
    __shared__ scan_params j;
    __shared__ uint64_t start;
    const Op op(a.scan);
    const unsigned epoch = *(volatile unsigned *)&a.scan.totals.control->epoch + 1;
    const uint32_t longs = (uint32_t)(a.lists->longs >> 32), items = (uint32_t)a.lists->longs;
    do {
        if (threadIdx.x == 0) s.ticket = atomicAdd(&a.scan.totals.control->ticket, 1);
        __syncthreads();
        const uint32_t item = s.ticket;
        if (item >= items) break;
        if (threadIdx.x < 32)
            scan_params_of_item(a, longs, item, sizeof(typename Op::element), sizeof(typename Op::result), &j,
                                &start);
        __syncthreads();
        scan_block(op, scan_array<typename Op::element>(), j, s, start, epoch);
        __syncthreads();
    } while (!a.once);
    if (threadIdx.x == 0) scan_finish_launch(a.scan.totals, a.scan.last);
}

#endif
