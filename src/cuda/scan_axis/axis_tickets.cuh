/* Scans of few vectors that are adjacent in memory. Blocks scan tiles of the same columns at the same time, and
 * publish the totals of tiles, of groups of 16 tiles, and so on. */
#ifndef WEFT_CUDA_AXIS_TICKETS_CUH
#define WEFT_CUDA_AXIS_TICKETS_CUH

#include "cuda/scan_axis/axis_columns.cuh"

/* Returns total number `index` of a level of a column, for which it waits. */
template <class A>
static __device__ __forceinline__ A published_total(const axis_params &a, uint32_t level, uint64_t index,
                                                    uint64_t column, unsigned epoch) {
    const uint64_t at = (a.scan.totals.level_start[level] + index) * a.columns + column;
    scan_words<A> w = scan_words<A>::load(a.scan.totals.words, at, a.scan.totals.stride);
    while (!w.holds(epoch)) w = scan_words<A>::load(a.scan.totals.words, at, a.scan.totals.stride);
    return w.value();
}

template <class A>
static __device__ __forceinline__ void publish_total(const axis_params &a, uint32_t level, uint64_t index,
                                                     uint64_t column, unsigned epoch, A total) {
    const uint64_t at = (a.scan.totals.level_start[level] + index) * a.columns + column;
    scan_words<A>::pack(total, epoch).store(a.scan.totals.words, at, a.scan.totals.stride);
}

template <class A> struct ticket_shared {
    column_shared<A> groups;
    A before[SCAN_GRID_LEVELS][AXIS_GROUP - 1][32]; /* for each level the totals before the tile in its group */
    unsigned later;                                 /* the ticket after the current one */
};

/* The part of a thread of the tile that a ticket stands for: the first `left` elements of a group of `column`. */
struct ticket_part {
    unsigned tile, column;
    uint32_t left;
    /* Number of the first element of the group. */
    __device__ __forceinline__ uint64_t first() const {
        return (uint64_t)tile * COLUMNS_TILE + threadIdx.x / 32 * AXIS_GROUP;
    }
    __device__ __forceinline__ bool exists(const axis_params &a) const { return (uint64_t)tile * COLUMNS_TILE < a.n; }
};

static __device__ __forceinline__ ticket_part part_of(const axis_params &a, unsigned ticket) {
    const unsigned blocks = (unsigned)a.column_blocks;
    ticket_part p = {ticket / blocks, ticket % blocks * 32 + threadIdx.x % 32, 0};
    if (p.column < a.vectors) p.left = group_length(a, p.first());
    return p;
}

static __device__ __forceinline__ unsigned take_ticket(const axis_params &a) {
    return atomicAdd(&a.scan.totals.control->ticket, 1u);
}

template <class T>
static __device__ __forceinline__ void load_part(const axis_params &a, const ticket_part &p,
                                                 T (&element)[AXIS_GROUP]) {
    int64_t from = 0, to = 0;
    if (p.left > 0) view_offsets(a.outer, p.column, from, to);
    load_group(a, a.x + from + (int64_t)p.first() * a.x_stride, p.left, element);
}

/* Scans the totals of the groups of a tile. Publishes and returns the total of the tile. Called by a warp. */
template <class Op>
static __device__ __forceinline__ typename Op::value publish_tile(const Op &op, const axis_params &a,
                                                                  const ticket_part &p, unsigned epoch,
                                                                  typename Op::value (*total)[32]) {
    const uint32_t lane = threadIdx.x % 32;
    typename Op::value v[AXIS_GROUP];
#pragma unroll
    for (uint32_t k = 0; k < AXIS_GROUP; k++) v[k] = total[k][lane];
    scan_registers(op, v);
    publish_total(a, 0, p.tile, p.column, epoch, v[AXIS_GROUP - 1]);
#pragma unroll
    for (uint32_t k = 1; k < AXIS_GROUP; k++) total[k][lane] = v[k];
    return v[AXIS_GROUP - 1];
}

/* Warps 1 to 15 wait for the published totals before a tile, of levels `first` to `end` - 1: warp j + 1 for total j
 * of each level. */
template <class A>
static __device__ __forceinline__ void find_totals(const axis_params &a, const ticket_part &p, unsigned epoch,
                                                   uint32_t first, uint32_t end, A (*found)[AXIS_GROUP - 1][32]) {
    const uint32_t j = threadIdx.x / 32 - 1, lane = threadIdx.x % 32;
#pragma unroll 1
    for (uint32_t level = first; level < end; level++) {
        const uint64_t number = p.tile >> 4 * level;
        const uint32_t digit = number & (AXIS_GROUP - 1);
        if (j < digit) found[level][j][lane] = published_total<A>(a, level, number - digit + j, p.column, epoch);
    }
}

/* Publishes the total of level `level` + 1 that ends with a tile. `total`: of level `level`. */
template <class Op>
static __device__ __forceinline__ typename Op::value
publish_level(const Op &op, const axis_params &a, const ticket_part &p, unsigned epoch, uint32_t level,
              typename Op::value total, const typename Op::value (*found)[AXIS_GROUP - 1][32]) {
    typename Op::value v[AXIS_GROUP];
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP - 1; j++) v[j] = found[level][j][threadIdx.x % 32];
    v[AXIS_GROUP - 1] = total;
    scan_registers(op, v);
    publish_total(a, level + 1, p.tile >> 4 * (level + 1), p.column, epoch, v[AXIS_GROUP - 1]);
    return v[AXIS_GROUP - 1];
}

/* Returns the prefix of a tile from the totals before it, and sets `next` to the one of the tile after it. `total` is
 * the total of level `open` that ends with the tile; the tile does not complete a group of that level. */
template <class Op>
static __device__ __forceinline__ typename Op::value
prefix_of_tile(const Op &op, const axis_params &a, const ticket_part &p, uint32_t open, typename Op::value total,
               const typename Op::value (*found)[AXIS_GROUP - 1][32], typename Op::value &next) {
    typedef typename Op::value A;
    A before = initial(op, a);
#pragma unroll 1
    for (uint32_t level = (uint32_t)a.scan.totals.levels; level-- > 0;) {
        const uint32_t digit = p.tile >> 4 * level & (AXIS_GROUP - 1);
        A v[AXIS_GROUP], own = total, group = total;
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++) {
            v[j] = total;
            if (j < digit) v[j] = found[level][j][threadIdx.x % 32];
        }
        scan_registers(op, v);
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++) {
            if (j + 1 == digit) group = v[j];
            if (j == digit) own = v[j];
        }
        if (level == open) next = op.combine(before, own);
        if (digit > 0) before = op.combine(before, group);
    }
    return before;
}

/* Computes the prefix of each group of a tile, and the one after the last group. Called by all threads of the block.
 * `total`, of warp 0: of the tile; s.groups.total: the scan of the totals of its groups. */
template <class Op>
static __device__ __forceinline__ void ticket_prefixes(const Op &op, const axis_params &a, const ticket_part &p,
                                                       unsigned epoch, typename Op::value total,
                                                       ticket_shared<typename Op::value> &s) {
    typedef typename Op::value A;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, levels = (uint32_t)a.scan.totals.levels;
    uint32_t open = 0;
    A next = op.identity();
    /* Totals of higher levels that the tile completes are published before others of that level are waited for. */
    for (uint32_t number = p.tile; (number & (AXIS_GROUP - 1)) == AXIS_GROUP - 1; number >>= 4, open++) {
        if (warp > 0) find_totals(a, p, epoch, open, open + 1, s.before);
        __syncthreads();
        if (warp == 0) total = publish_level(op, a, p, epoch, open, total, s.before);
    }
    if (warp > 0) find_totals(a, p, epoch, open, levels, s.before);
    __syncthreads();
    if (warp > 0) return;
    const A before = prefix_of_tile(op, a, p, open, total, s.before, next);
    s.groups.prefix[0][lane] = before;
#pragma unroll
    for (uint32_t k = 1; k < AXIS_GROUP; k++)
        s.groups.prefix[k][lane] = op.combine(before, s.groups.total[k - 1][lane]);
    s.groups.prefix[AXIS_GROUP][lane] = next;
}

/* Blocks take the tiles by ticket, in the order of the elements, and publish their totals. A block processes its
 * tickets in their order, so that a tile waits only for tiles of blocks that run. While it waits, it loads the tile
 * of its next ticket, and takes the one after that. */
template <class Op>
static __global__ void __launch_bounds__(COLUMNS_THREADS, sizeof(typename Op::value) == 8 ? 1 : 2)
    axis_tickets_kernel(const __grid_constant__ axis_params a) {
    typedef typename Op::value A;
    __shared__ ticket_shared<A> s;
    const Op op(a.scan);
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned epoch = *(volatile unsigned *)&a.scan.totals.control->epoch + 1;
    typename Op::element element[AXIS_GROUP];
    if (threadIdx.x == 0) s.later = take_ticket(a);
    __syncthreads();
    ticket_part p = part_of(a, s.later);
    load_part(a, p, element);
    __syncthreads();
    if (threadIdx.x == 0) s.later = take_ticket(a);
    while (p.exists(a)) {
        unsigned after_next = 0;
        A v[AXIS_GROUP], total = op.identity();
        scan_elements(op, element, p.left, v);
        s.groups.total[warp][lane] = v[AXIS_GROUP - 1];
        __syncthreads();
        const ticket_part next = part_of(a, s.later);
        if (warp == 0) total = publish_tile(op, a, p, epoch, s.groups.total);
        if (threadIdx.x == 0) after_next = take_ticket(a);
        load_part(a, next, element);
        ticket_prefixes(op, a, p, epoch, total, s);
        if (threadIdx.x == 0) s.later = after_next;
        __syncthreads();
        int64_t from = 0, to = 0;
        if (p.left > 0) view_offsets(a.outer, p.column, from, to);
        store_group(op, a, a.y + to + (int64_t)p.first() * a.y_stride, p.first(), p.left, v,
                    s.groups.prefix[warp][lane], s.groups.prefix[warp + 1][lane]);
        p = next;
    }
    if (threadIdx.x == 0) scan_finish_launch(a.scan.totals, true);
}

#endif
