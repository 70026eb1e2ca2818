/* Segmented scan on a GPU: two kernels, by the length of a segment.
 *
 *     up to 16^3 elements   a warp scans adjacent segments, in parts of 512 adjacent elements, 16 per lane
 *     longer                blocks take tiles of 16^3 by ticket and publish their totals (scan_tiles.cuh)
 *
 * Groups and tiles are those of ORDER.md 6, counted from the segment's first element. In the first kernel a group
 * begins at any element of a lane and ends in that lane or in the next one. All elements of a part take the steps of
 * ORDER.md 6.2 together; a step that would reach an element before the group is skipped. So the work of a part is
 * nearly the same for all lengths of segments. A lane has the last element of at most one group of 16, so the totals
 * of a segment's groups are in adjacent lanes, one each.
 *
 * Traffic of the first kernel: each element read and written once, each offset read once. */
#ifndef WEFT_CUDA_SEGMENTED_SCAN_CUH
#define WEFT_CUDA_SEGMENTED_SCAN_CUH

#include "cuda/scan/scan.cuh"
#include "cuda/segmented/segments.cuh"

#define GROUP WEFT_SCAN_GROUP

/* ---------------------------------------------------------------------- the segments of a warp */

/* Segments of a warp, in order: `own` contains those from number next - 64 on, `ahead` those from number next - 32
 * on, one in each lane. */
struct segment_queue {
    /* As signed numbers, less and greater than any offset. */
    static constexpr uint64_t EMPTY = (uint64_t)3 << 62, NONE = INT64_MAX;
    uint64_t next, end;
    uint64_t own;         /* first element of the segment; EMPTY: it has none; NONE: number `end` or a later one */
    unsigned longs;       /* lanes whose segment in `own` has more than a tile */
    uint64_t begin, stop; /* offsets of the segment in `ahead` */

    __device__ __forceinline__ segment_queue(const segments_params &a, uint64_t first, uint64_t last)
        : next(first), end(last), begin(NONE), stop(NONE) {
        advance(a);
        advance(a);
    }

    __device__ __forceinline__ void advance(const segments_params &a) {
        const uint64_t s = next + threadIdx.x % 32;
        own = stop > begin ? begin : EMPTY;
        longs = __ballot_sync(ALL_LANES, stop - begin > SCAN_TILE);
        begin = NONE;
        stop = NONE + 1;
        if (s < end) {
            begin = __ldg(a.offsets + s);
            stop = __ldg(a.offsets + s + 1);
        }
        next += 32;
    }
};

/* The 512 elements from `start` on, a multiple of 16. Those from number `from` on and before number `to` belong to
 * adjacent segments of at most one tile. A segment of more than a tile begins at `to` and ends before `after`, or
 * `after` is `to`. */
struct segments_part {
    uint64_t start, from, to, after;
    __device__ __forceinline__ bool is_full(const segments_params &a) const {
        return a.scan.vectors && from <= start && start + SCAN_PART <= to;
    }
    __device__ __forceinline__ int first() const { return from > start ? (int)(from - start) : 0; }
    __device__ __forceinline__ int last() const { return (int)min((uint64_t)SCAN_PART, to - start); }
};

/* Ends a part before segment s, which has more than a tile, and lists that segment. */
static __device__ __forceinline__ void end_before(const segments_params &a, uint64_t s, segments_part &p) {
    p.to = __ldg(a.offsets + s);
    p.after = __ldg(a.offsets + s + 1);
    const uint64_t tiles = (p.after - p.to - 1) / SCAN_TILE + 1;
    if (threadIdx.x % 32 == 0) append_long(a, s, (tiles - 1) / a.scan.block_tiles + 1, 2 * tiles);
}

/* Sets heads[i] to 1 if a segment begins at element i of the part, otherwise to 0. If a segment of more than a tile
 * begins in the part, ends the part there and lists that segment. */
static __device__ __forceinline__ void mark_heads(const segments_params &a, segment_queue &q, segments_part &p,
                                                  uint8_t *heads) {
    ((uint4 *)heads)[threadIdx.x % 32] = uint4{0, 0, 0, 0};
    __syncwarp();
    for (;;) {
        const uint64_t i = q.own - p.start;
        const bool is_here = i < SCAN_PART;
        const unsigned longs = q.longs ? q.longs & __ballot_sync(ALL_LANES, is_here) : 0;
        if (is_here && !(longs >> threadIdx.x % 32 & 1)) heads[i] = 1;
        if (longs) {
            end_before(a, q.next - 64 + __ffs((int)longs) - 1, p);
            return;
        }
        if (!__all_sync(ALL_LANES, (int64_t)i < SCAN_PART)) return;
        q.advance(a);
    }
}

/* Returns the least number s in low ... low + count for which offsets[s] + s is at least `target`, or low + count.
 * Compares 32 numbers at a time, at first those at distances 1, 4, 16, ... from `guess`. Must be called by one full
 * warp. */
static __device__ __forceinline__ uint64_t find_segment(const uint64_t *offsets, uint64_t low, uint64_t count,
                                                        uint64_t target, uint64_t guess) {
    const uint32_t lane = threadIdx.x % 32;
    const int64_t distance = lane < 16 ? -((int64_t)1 << 2 * (15 - lane)) : (int64_t)1 << 2 * (lane - 16);
    uint64_t s = (uint64_t)max((int64_t)low - 1, min((int64_t)guess + distance, (int64_t)(low + count)));
    bool is_less = (int64_t)s < (int64_t)low || (s < low + count && __ldg(offsets + s) + s < target);
    unsigned less = __ballot_sync(ALL_LANES, is_less);
    const uint64_t last_less = shuffle(s, (__popc(less) - 1) & 31), next = shuffle(s, __popc(less) & 31);
    if (~less) count = next - low;
    if (less) {
        count -= last_less + 1 - low;
        low = last_less + 1;
    }
    while (count > 0) {
        const uint64_t step = (count + 31) / 32, index = lane * step;
        s = low + index;
        less = __ballot_sync(ALL_LANES, index < count && __ldg(offsets + s) + s < target);
        if (less == 0) break;
        const uint64_t skipped = (__popc(less) - 1) * step + 1;
        low += skipped;
        count = min(step - 1, count - skipped);
    }
    return low;
}

/* -------------------------------------------------------------------------------- moving parts */

/* Shared memory of a warp. */
template <class Op> struct part_shared {
    alignas(16) uint4 in[32 * sizeof(typename Op::element)];
    alignas(16) uint4 out[32 * sizeof(typename Op::result)];
    alignas(16) uint8_t heads[SCAN_PART];
};

template <class T>
static __device__ __forceinline__ void fetch_part(const segments_params &a, const segments_part &p, uint4 *buffer) {
    const T *x = (const T *)a.x + p.start;
    if (p.is_full(a))
        scan_fetch_chunks(x, buffer);
    else
        scan_fetch_elements(x, p.first(), p.last(), buffer);
    __pipeline_commit();
}

/* Returns the heads of the lane's elements: bit j is set if a segment begins at element j. */
static __device__ __forceinline__ uint32_t heads_of_lane(const uint8_t *heads) {
    const uint4 bytes = ((const uint4 *)heads)[threadIdx.x % 32];
    return bytes.x * 0x10204080u >> 28 | bytes.y * 0x10204080u >> 28 << 4 | bytes.z * 0x10204080u >> 28 << 8 |
           bytes.w * 0x10204080u >> 28 << 12;
}

/* Writes the results v of the part's elements. */
template <class Op>
static __device__ __forceinline__ void write_part(const Op &op, const segments_params &a, const segments_part &p,
                                                  uint32_t heads, uint4 *buffer,
                                                  const typename Op::value (&v)[GROUP]) {
    typedef typename Op::result R;
    R *const y = (R *)a.y + p.start;
    scan_stage(op, buffer, v);
    for (uint32_t left = a.scan.exclusive ? heads : 0; left; left &= left - 1)
        ((R *)buffer)[scan_element_index<R>(threadIdx.x % 32 * GROUP + __ffs((int)left) - 1)] = op.empty();
    __syncwarp();
    if (p.is_full(a))
        scan_store_chunks(buffer, y);
    else
        scan_store_elements(buffer, y, p.first(), p.last());
}

/* ------------------------------------------------------------------------------ scanning a part */

/* Values of a part that the next part needs. */
template <class A> struct part_before {
    A element[GROUP - 1]; /* lane 0: values of the last lane's elements before the steps of ORDER.md 6.2 */
    A group[4];           /* lanes 0 .. 7: totals of the last groups before the steps for groups */
    A groups;             /* lane 0: the scan of the last lane's group */
    A sixteen;            /* lanes r and r + 16: total of groups 16 r ... 16 r + 15 of the open segment */
    A sixteens;           /* the scan of the last total in `sixteen` */
    A result;             /* lane 0: the result of the last element */
    uint32_t starts;      /* lane 0: the elements of the last lane at which a group begins */
    uint32_t open;        /* number of elements of the open segment */
    __device__ explicit part_before(A identity)
        : groups(identity), sixteen(identity), sixteens(identity), result(identity), starts(1), open(0) {
        for (A &v : element) v = identity;
        for (A &v : group) v = identity;
    }
};

/* Returns v of the lane `distance` before this one. The lanes before lane 0 are the last lanes of the previous part,
 * whose values are in `before`. Stores this part's values there. */
template <class V> static __device__ __forceinline__ V from_before(V v, int distance, V &before) {
    const int lane = threadIdx.x % 32;
    const V rotated = shuffle(v, (lane - distance) & 31), left = lane < distance ? before : rotated;
    before = rotated;
    return left;
}

/* Position of a lane's elements. Number 0 is in group number `group` of its segment, and is number `phase` of that
 * group. Bit j of `same` is set if the elements before element j and element j are in the same segment as element 0.
 */
struct lane_position {
    uint32_t group, phase, same;
    /* The group of element 0 is complete, and its last element, number 15 - phase, is in this lane. */
    __device__ __forceinline__ bool completes() const { return same >> (GROUP - 1 - phase) & 1; }
};

/* Returns the position of a lane's elements. `open` is the number of elements of the open segment before the part. It
 * is set to the number after the part. */
static __device__ __forceinline__ lane_position position_of_lane(uint32_t heads, uint32_t &open) {
    const uint32_t lane = threadIdx.x % 32;
    const unsigned begun = __ballot_sync(ALL_LANES, heads != 0), earlier = begun & ((1u << lane) - 1);
    const uint32_t last = lane * GROUP + 31 - __clz((int)heads);
    const uint32_t head = shuffle(last, (31 - __clz((int)earlier)) & 31);
    const uint32_t last_head = shuffle(last, (31 - __clz((int)begun)) & 31), later = heads & ~1u;
    uint32_t number = lane * GROUP + open;
    if (earlier) number = lane * GROUP - head;
    if (heads & 1) number = 0;
    open = begun ? SCAN_PART - last_head : open + SCAN_PART;
    return lane_position{number / GROUP, number % GROUP, (later & (0u - later)) - 1};
}

/* Scans the elements of each group (ORDER.md 6.2). */
template <class Op>
static __device__ __forceinline__ void scan_elements(const Op &op, uint32_t heads, const lane_position &at,
                                                     part_before<typename Op::value> &before,
                                                     typename Op::value (&v)[GROUP]) {
    typedef typename Op::value A;
    const uint32_t starts = heads | (1u << ((GROUP - at.phase) % GROUP) & at.same);
    /* Always 0. With constant shifts ptxas assigns many bits to predicates at once, and it found no assignment for
     * some operators of 8 bytes. */
    const uint32_t zero = sizeof(A) == 8 ? threadIdx.y : 0;
    /* Bit 16 + j: element j - w is in the group of element j. */
    uint32_t reached = ~(starts << GROUP | from_before(starts, 1, before.starts));
#pragma unroll
    for (int w = 1; w < GROUP; w *= 2) {
        A left[GROUP / 2];
#pragma unroll
        for (int j = 0; j < GROUP / 2; j++)
            if (j < w) left[j] = from_before(v[GROUP - w + j], 1, before.element[w - 1 + j]);
#pragma unroll
        for (int j = GROUP - 1; j >= 0; j--)
            if (reached >> (GROUP + j + zero) & 1) v[j] = op.combine(j >= w ? v[(j - w) & 15] : left[j & 7], v[j]);
        reached &= reached << w;
    }
}

/* P_1 of ORDER.md 6.3 for the group of the lane's element 0 and for the group after it. */
template <class A> struct group_prefix { A own, next; };

/* Returns the prefixes of a lane's groups. `total` is the total of the group that the lane completes, or any value if
 * it completes none. */
template <class Op>
static __device__ __forceinline__ group_prefix<typename Op::value>
prefix_of_group(const Op &op, const lane_position &at, typename Op::value total,
                part_before<typename Op::value> &before) {
    typedef typename Op::value A;
    const uint32_t lane = threadIdx.x % 32, digit = at.group % 16, sixteen = at.group / 16;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const A left = from_before(total, 1 << k, before.group[k]);
        if (digit >= 1 << k) total = op.combine(left, total);
    }
    const A groups = from_before(total, 1, before.groups);
    A sixteens = before.sixteens;
    group_prefix<A> p;
    p.next = total;
    for (unsigned left = __ballot_sync(ALL_LANES, at.completes() && digit == 15); left; left &= left - 1) {
        const int owner = __ffs((int)left) - 1;
        const uint32_t r = shuffle(sixteen, owner) % 16;
        const A last = shuffle(total, owner);
        if (lane % 16 == r) before.sixteen = last;
        before.sixteens = shuffle(scan_lanes(op, before.sixteen), r);
        if (lane == owner) p.next = before.sixteens;
        if (lane > owner) sixteens = before.sixteens;
    }
    if (sixteen && digit < 15) p.next = op.combine(sixteens, total);
    p.own = digit == 0 ? (sixteen ? sixteens : op.identity()) : sixteen ? op.combine(sixteens, groups) : groups;
    return p;
}

/* Applies the prefixes of the groups to the elements of element 0's segment. Other segments begin in this lane, and
 * this lane does not have elements of their second group. */
template <class Op>
static __device__ __forceinline__ void apply_prefix(const Op &op, const lane_position &at,
                                                    const group_prefix<typename Op::value> &p,
                                                    typename Op::value (&v)[GROUP]) {
    const int last = GROUP - 1 - (int)at.phase;
#pragma unroll
    for (int j = 0; j < GROUP; j++) {
        const typename Op::value combined = op.combine(j < last ? p.own : p.next, v[j]);
        if (at.same >> j & 1) v[j] = j == last ? p.next : combined;
    }
}

/* Replaces the elements v of a part by their inclusive scans, or exclusive ones, where a segment's first result is
 * left undefined. */
template <class Op>
static __device__ __forceinline__ void scan_part(const Op &op, const segments_params &a, uint32_t heads,
                                                 part_before<typename Op::value> &before,
                                                 typename Op::value (&v)[GROUP]) {
    typedef typename Op::value A;
    const lane_position at = position_of_lane(heads, before.open);
    scan_elements(op, heads, at, before, v);
    if (__any_sync(ALL_LANES, at.group > 0 || at.completes())) {
        A total[GROUP]; /* after the last step total[0] is v[15 - phase] */
#pragma unroll
        for (int j = 0; j < GROUP; j++) total[j] = v[j];
#pragma unroll
        for (int half = GROUP / 2; half >= 1; half /= 2)
#pragma unroll
            for (int j = 0; j < GROUP / 2; j++)
                if (j < half) total[j] = at.phase & half ? total[j] : total[j + half];
        apply_prefix(op, at, prefix_of_group(op, at, total[0], before), v);
    }
    if (!a.scan.exclusive) return;
    const A left = from_before(v[GROUP - 1], 1, before.result);
#pragma unroll
    for (int j = GROUP - 1; j >= 1; j--) v[j] = v[j - 1];
    v[0] = left;
}

/* ---------------------------------------------------------------------------- short segments */

/* Scans adjacent segments of at most a tile, from part p on, whose heads are marked. Sets p to their last part. While
 * a part is scanned, the elements of the next one are copied. */
template <class Op>
static __device__ __forceinline__ void scan_parts(const Op &op, const segments_params &a, segment_queue &q,
                                                  segments_part &p, part_shared<Op> &s) {
    typedef typename Op::value A;
    typedef typename Op::element T;
    part_before<A> before(op.identity());
    fetch_part<T>(a, p, s.in);
    for (;;) {
        A v[GROUP];
        __pipeline_wait_prior(0);
        __syncwarp();
        scan_take(op, s.in, v);
        const uint32_t heads = heads_of_lane(s.heads);
        __syncwarp();
        segments_part next = p;
        next.start += SCAN_PART;
        if (next.start < next.to) mark_heads(a, q, next, s.heads);
        const bool more = next.start < next.to;
        if (more) fetch_part<T>(a, next, s.in);
        scan_part(op, a, heads, before, v);
        write_part(op, a, p, heads, s.out, v);
        p = next;
        if (!more) return;
    }
}

/* Scans the segments first ... end - 1, which must be valid, and lists those of more than a tile. */
template <class Op>
static __device__ __forceinline__ void scan_segments(const Op &op, const segments_params &a, uint64_t first,
                                                     uint64_t end, part_shared<Op> &s) {
    segment_queue q(a, first, end);
    const uint64_t stop = __ldg(a.offsets + end);
    for (uint64_t from = __ldg(a.offsets + first); from < stop;) {
        segments_part p = {from / GROUP * GROUP, from, stop, stop};
        mark_heads(a, q, p, s.heads);
        if (p.from < p.to) scan_parts(op, a, q, p, s);
        from = p.after;
    }
}

/* Scans the short segments and lists the long ones. Each warp works independently. The segments are divided so that
 * all warps have about the same number of elements plus segments. If there are segments with invalid offsets, the
 * warps take the valid ones in turn. */
template <class Op>
static __global__ void __launch_bounds__(SCAN_SHORT_THREADS, SCAN_SHORT_BLOCKS(sizeof(typename Op::value)))
    scan_short_kernel(const __grid_constant__ segments_params a) {
    __shared__ part_shared<Op> shared[SCAN_SHORT_WARPS];
    const Op op(a.scan);
    const uint32_t own = threadIdx.x / 32;
    const uint64_t number = segments_number(a), warps = (uint64_t)gridDim.x * SCAN_SHORT_WARPS;
    const uint64_t warp = (uint64_t)blockIdx.x * SCAN_SHORT_WARPS + own, work = (a.n + number - 1) / warps + 1;
    const bool in_turn = a.found->bad != 0;
    uint64_t first = warp, end = warp + 1;
    if (!in_turn) {
        const double each = (double)number / (double)(a.n + number); /* segments per unit of work, on average */
        const uint64_t begin = warp * work, stop = begin + work;
        first = find_segment(a.offsets, 0, number, begin, (uint64_t)((double)begin * each));
        end = find_segment(a.offsets, first, min(work, number - first), stop, (uint64_t)((double)stop * each));
    }
    while (first < min(end, number)) {
        if (!in_turn || segment_at(a, first, true).present) scan_segments(op, a, first, end, shared[own]);
        if (!in_turn) return;
        first += warps;
        end = first + 1;
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
