/* Stream compaction on a GPU in one pass over memory: marked elements are moved together, in their order (single-pass
 * prefix scan with decoupled look-back: D. Merrill, M. Garland, NVIDIA NVR-2016-002).
 *
 * A block takes the next tile by ticket, so that every tile before it belongs to a block that already runs, whatever
 * order blocks start in. It marks the elements, which are in registers, and publishes their number. While marked
 * elements are moved together in shared memory, the first warp adds up what the tiles before have published, back to
 * the nearest tile whose prefix is published. Then all warps write. A block ends with its tile: see scan_tiles.cuh.
 *
 * A partition cannot write the unmarked elements before all marked ones are counted. So it reads the array twice:
 * count_kernel counts the marked elements of each tile, and of all groups of tiles before each group. Then
 * compact_kernel needs no look-back.
 *
 *     warp w of a tile:   row 0   lane 0 .. lane 31       a lane has 16 adjacent bytes of a row
 *                         row 1   lane 0 .. lane 31
 *                         ...
 *
 * Traffic: each element read once (partition: twice), each marked one written once (partition: all), 8 bytes a tile
 * (16 with lengths). */
#ifndef WEFT_CUDA_COMPACT_CUH
#define WEFT_CUDA_COMPACT_CUH

#include "arith/halves.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/resident.h"
#include "cuda/runtime/warp_reduce.cuh"
#include "cuda/select/compact_params.h"

#define FULL_WARP 0xffffffffu

/* Layout of the elements of type T in a tile. */
template <class T> struct shape {
    enum {
        ITEMS = COMPACT_ITEMS(sizeof(T)), /* elements of a thread: at most 32, the bits of its marks */
        VECTOR = 16 / sizeof(T),          /* adjacent elements of a lane */
        ROWS = ITEMS / VECTOR,
        PART = 32 * ITEMS, /* elements of a warp */
        TILE = COMPACT_TILE(sizeof(T)),
        FIELD = VECTOR <= 4 ? 8 : 16, /* bits that hold the number of marked elements of a row */
        WORDS = ROWS * FIELD / 32
    };
    /* Returns the position in the tile of the first of this thread's elements in a row. */
    static __device__ __forceinline__ uint32_t offset(int row) {
        return threadIdx.x / 32 * PART + (row * 32 + threadIdx.x % 32) * VECTOR;
    }
    static __device__ __forceinline__ uint32_t field(const uint32_t (&words)[WORDS], int row) {
        return words[row * FIELD / 32] >> row * FIELD % 32 & ((1u << FIELD) - 1);
    }
};

/* --------------------------------------------------------------------------------- marking */

template <class T> struct compares {
    bool less, equal, greater, others;
    T value, xor_mask;
    __device__ explicit compares(const comparator &c)
        : less(c.less), equal(c.equal), greater(c.greater), others(c.others), xor_mask((T)c.xor_mask) {
        memcpy(&value, &c.value, sizeof value);
    }
    static __device__ float masked(float x, float) { return x; }
    static __device__ double masked(double x, double) { return x; }
    template <class I> static __device__ I masked(I x, I xor_mask) { return (I)(x ^ xor_mask); }
    __device__ bool operator()(T x) const {
        const T v = masked(x, xor_mask);
        return (((v < value) & less) | ((v == value) & equal) | ((v > value) & greater)) != others;
    }
};

/* f16 and bf16. */
template <> struct compares<uint16_t> {
    bool others;
    int16_t first, last;
    __device__ explicit compares(const comparator &c) : others(c.others), first(c.first_key), last(c.last_key) {}
    __device__ bool operator()(uint16_t x) const {
        const int16_t key = weft_key_half(x);
        return ((key >= first) & (key <= last)) != others;
    }
};

template <class T> __device__ __forceinline__ bool differ(T a, T b) { return a != b && (a == a || b == b); }

static __device__ __forceinline__ uint32_t up(uint8_t x) { return x; }
static __device__ __forceinline__ uint32_t up(uint16_t x) { return x; }
static __device__ __forceinline__ int32_t up(int8_t x) { return x; }
static __device__ __forceinline__ int32_t up(int16_t x) { return x; }
template <class T> __device__ __forceinline__ T up(T x) { return x; }

/* Loads V adjacent elements at p + i. Elements from index `left` on are not read but set to 0. */
template <class E, int V>
__device__ __forceinline__ void load(const E *p, uint32_t i, uint32_t left, bool aligned, E (&v)[V]) {
    typedef struct {
        E e[V];
    } __align__(V * sizeof(E)) vector;
    if (aligned && i + V <= left) {
        const vector all = *(const vector *)(p + i);
#pragma unroll
        for (int k = 0; k < V; k++) v[k] = all.e[k];
    } else {
#pragma unroll
        for (int k = 0; k < V; k++) v[k] = i + k < left ? p[i + k] : E(0);
    }
}

/* The elements of a tile that this thread has, and which of them are marked. */
template <class T, compact_by BY, bool MOVED> struct held {
    typedef shape<T> at;
    T x[at::ROWS][at::VECTOR];
    uint8_t flags[at::ROWS][at::VECTOR];
    T above;        /* BY_RUNS: the element before the warp's first, later before a row */
    uint32_t marks; /* bit r VECTOR + v is the mark of x[r][v] */

    /* `first` is the tile's first element; `left` is the number of the tile's elements that are in the array. */
    __device__ __forceinline__ void fetch(const compact_params &a, uint64_t first, uint32_t left) {
        const T *const p = (const T *)a.x + first;
        const uint32_t part = threadIdx.x / 32 * at::PART;
        const bool aligned = (uintptr_t)a.x % (at::VECTOR * sizeof(T)) == 0;
        const bool flags_aligned = (uintptr_t)a.flags % at::VECTOR == 0;
#pragma unroll
        for (int r = 0; r < at::ROWS; r++) {
            if (BY == BY_FLAGS) load(a.flags + first, at::offset(r), left, flags_aligned, flags[r]);
            if (BY != BY_FLAGS || MOVED) load(p, at::offset(r), left, aligned, x[r]);
        }
        if (BY == BY_RUNS) above = first + part == 0 || part >= left ? T(0) : p[(int64_t)part - 1];
    }

    __device__ __forceinline__ void mark(int r, int v, bool marked) {
        marks |= (uint32_t)marked << (r * at::VECTOR + v);
    }

    __device__ __forceinline__ void mark_by_comparison(const compact_params &a) {
        const compares<T> kept(a.compare);
#pragma unroll
        for (int r = 0; r < at::ROWS; r++)
#pragma unroll
            for (int v = 0; v < at::VECTOR; v++) mark(r, v, kept(x[r][v]));
    }

    /* The element before a lane's first is the last of the lane before; for lane 0, that of lane 31 in the row above.
     */
    __device__ __forceinline__ void mark_by_runs() {
        const int lane = threadIdx.x % 32, last = at::VECTOR - 1;
#pragma unroll
        for (int r = 0; r < at::ROWS; r++) {
            T before = (T)__shfl_up_sync(FULL_WARP, up(x[r][last]), 1);
            if (lane == 0) before = above;
            above = (T)__shfl_sync(FULL_WARP, up(x[r][last]), 31);
#pragma unroll
            for (int v = 0; v < at::VECTOR; v++) {
                mark(r, v, differ(before, x[r][v]));
                before = x[r][v];
            }
        }
    }

    __device__ __forceinline__ void vote(const compact_params &a, uint64_t first, uint32_t left) {
        marks = 0;
        if (BY == BY_FLAGS)
#pragma unroll
            for (int r = 0; r < at::ROWS; r++)
#pragma unroll
                for (int v = 0; v < at::VECTOR; v++) mark(r, v, flags[r][v] != 0);
        if (BY == BY_COMPARISON) mark_by_comparison(a);
        if (BY == BY_RUNS) mark_by_runs();
        if (BY == BY_RUNS && first == 0 && threadIdx.x == 0) marks |= 1;
        if (left == at::TILE) return;
#pragma unroll
        for (int r = 0; r < at::ROWS; r++)
#pragma unroll
            for (int v = 0; v < at::VECTOR; v++)
                if (at::offset(r) + v >= left) marks &= ~(1u << (r * at::VECTOR + v));
    }

    __device__ __forceinline__ uint32_t marks_of(int r) const {
        return marks >> r * at::VECTOR & (uint32_t)(((uint64_t)1 << at::VECTOR) - 1);
    }

    /* Stores 1 + the position in the tile of the warp's last marked element, or 0 if there is none, to *warp_last. */
    __device__ __forceinline__ void last_marked(uint32_t *warp_last) const {
        const uint32_t top = marks ? 31 - __clz(marks) : 0;
        uint32_t last = marks ? at::offset(top / at::VECTOR) + top % at::VECTOR + 1 : 0;
#pragma unroll
        for (int distance = 16; distance; distance /= 2) last = max(last, __shfl_xor_sync(FULL_WARP, last, distance));
        if (threadIdx.x % 32 == 0) *warp_last = last;
    }

    /* Counts the marked elements of each row: in the lanes before this one, and in the full warp. Each word sums
     * several rows at once. Stores the number of all rows to *warp_count. */
    __device__ __forceinline__ void count(uint32_t (&before)[at::WORDS], uint32_t (&all)[at::WORDS],
                                          uint32_t *warp_count) const {
#pragma unroll
        for (int w = 0; w < at::WORDS; w++) {
            uint32_t own = 0;
#pragma unroll
            for (int r = 0; r < at::ROWS; r++)
                if (r * at::FIELD / 32 == w) own |= __popc(marks_of(r)) << r * at::FIELD % 32;
            uint32_t sum = own;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const uint32_t theirs = __shfl_up_sync(FULL_WARP, sum, distance);
                if (threadIdx.x % 32 >= distance) sum += theirs;
            }
            before[w] = sum - own;
            all[w] = __shfl_sync(FULL_WARP, sum, 31);
        }
        uint32_t total = 0;
#pragma unroll
        for (int r = 0; r < at::ROWS; r++) total += at::field(all, r);
        if (threadIdx.x % 32 == 0) *warp_count = total;
    }

    /* Calls move(row, v, offset, rank, marked) for each of the thread's elements. `offset` is its position in the
     * tile, `rank` the number of marked elements before it in the tile. */
    template <class Move>
    __device__ __forceinline__ void for_each(uint32_t before_warp, const uint32_t (&before)[at::WORDS],
                                             const uint32_t (&all)[at::WORDS], const Move &move) const {
        uint32_t before_row = before_warp;
#pragma unroll
        for (int r = 0; r < at::ROWS; r++) {
            uint32_t rank = before_row + at::field(before, r);
#pragma unroll
            for (int v = 0; v < at::VECTOR; v++) {
                const bool marked = marks >> (r * at::VECTOR + v) & 1;
                move(r, v, at::offset(r) + v, rank, marked);
                rank += marked;
            }
            before_row += at::field(all, r);
        }
    }
};

/* ------------------------------------------------------------------------------- look-back */

/* A word that a tile publishes: a value in 62 bits, and above it whether it is of the tile alone or of all tiles up
 * to it. */
#define WORD_OWN ((uint64_t)1 << 62)
#define WORD_PREFIX ((uint64_t)2 << 62)
#define WORD_VALUE (WORD_OWN - 1)

/* Number of marked elements, and 1 + the index of the last of them, or 0. Tiles combine by sum and by maximum. */
struct marked_so_far {
    uint64_t count, last;
};

/* The words of a tile. Two words are complete when both have one state. Without LAST there is one, and `last` is 0.
 */
template <bool LAST> struct marked_words {
    static __device__ __forceinline__ void store(uint64_t *words, uint64_t tile, uint64_t state, marked_so_far m) {
        store_relaxed(words + tile * (1 + LAST), state | m.count);
        if (LAST) store_relaxed(words + tile * (1 + LAST) + 1, state | m.last);
    }

    static __device__ __forceinline__ uint64_t load(const uint64_t *words, uint64_t tile, marked_so_far *m) {
        const uint64_t count = load_relaxed(words + tile * (1 + LAST));
        const uint64_t last = LAST ? load_relaxed(words + tile * (1 + LAST) + 1) : 0;
        *m = marked_so_far{count & WORD_VALUE, last & WORD_VALUE};
        return LAST && (count ^ last) & ~WORD_VALUE ? 0 : count & ~WORD_VALUE;
    }
};

static __device__ __forceinline__ marked_so_far combined(marked_so_far a, marked_so_far b) {
    return marked_so_far{a.count + b.count, a.last > b.last ? a.last : b.last};
}

static __device__ __forceinline__ marked_so_far over_warp(marked_so_far m) {
#pragma unroll
    for (int distance = 16; distance; distance /= 2)
        m = combined(m, marked_so_far{__shfl_xor_sync(FULL_WARP, m.count, distance),
                                      __shfl_xor_sync(FULL_WARP, m.last, distance)});
    return m;
}

/* Returns what is marked in all tiles before `tile`. Must be called by one full warp. The lanes load the words of
 * the 32 tiles before, then of the 32 before those and so on, COMPACT_LOOKS times 32 at once, until all are published
 * up to the nearest tile with a prefix. */
template <bool LAST> static __device__ marked_so_far look_back(const uint64_t *words, uint64_t tile) {
    const int lane = threadIdx.x % 32;
    marked_so_far mine = {0, 0};
    int64_t end = (int64_t)tile;
    for (;;) {
        marked_so_far found[COMPACT_LOOKS];
        uint64_t state[COMPACT_LOOKS];
#pragma unroll
        for (int k = 0; k < COMPACT_LOOKS; k++) {
            const int64_t at = end - 1 - (32 * k + lane);
            found[k] = marked_so_far{0, 0};
            state[k] = at >= 0 ? marked_words<LAST>::load(words, at, &found[k]) : WORD_PREFIX;
        }
#pragma unroll
        for (int k = 0; k < COMPACT_LOOKS; k++) {
            const uint32_t absent = __ballot_sync(FULL_WARP, state[k] == 0);
            const uint32_t prefixes = __ballot_sync(FULL_WARP, state[k] == WORD_PREFIX);
            const uint32_t wanted = prefixes ? prefixes ^ (prefixes - 1) : FULL_WARP; /* up to the nearest prefix */
            if (absent & wanted) break;
            if (wanted >> lane & 1) mine = combined(mine, found[k]);
            if (prefixes) return over_warp(mine);
            end -= 32;
        }
    }
}

/* --------------------------------------------------------------------------------- writing */

template <class T, compact_to TO> struct buffers {
    enum { TILE = shape<T>::TILE, MOVED = TO != TO_INDICES, HAS_OFFSETS = TO == TO_INDICES || TO == TO_LENGTHS };
    __align__(sizeof(T) < 4 ? 4 : sizeof(T)) T value[MOVED ? TILE : 1];
    uint16_t offset[HAS_OFFSETS ? TILE : 1];
};

/* Writes `count` elements of the buffer, from its element `at` on, to y. Narrow elements are written four bytes at a
 * time, aligned in y. Such four bytes are in one or two adjacent words of the buffer. */
template <class T>
static __device__ __forceinline__ void write_values(T *y, const T *buffer, uint32_t at, uint32_t count) {
    enum { PACK = sizeof(T) < 4 ? 4 / sizeof(T) : 1 };
    if (PACK == 1) {
        for (uint32_t j = threadIdx.x; j < count; j += COMPACT_THREADS) y[j] = buffer[at + j];
        return;
    }
    const uint32_t skipped = (4 - (uint32_t)(uintptr_t)y % 4) % 4 / sizeof(T);
    const uint32_t head = skipped < count ? skipped : count, packs = (count - head) / PACK;
    const uint32_t *const words = (const uint32_t *)buffer;
    const uint32_t from = (at + head) * sizeof(T), shift = from % 4 * 8;
    for (uint32_t k = threadIdx.x; k < packs; k += COMPACT_THREADS) {
        const uint32_t low = words[from / 4 + k], high = shift ? words[from / 4 + k + 1] : 0;
        ((uint32_t *)(y + head))[k] = __funnelshift_r(low, high, shift);
    }
    const uint32_t tail = head + packs * PACK;
    if (threadIdx.x < head) y[threadIdx.x] = buffer[at + threadIdx.x];
    if (tail + threadIdx.x < count) y[tail + threadIdx.x] = buffer[at + tail + threadIdx.x];
}

/* The length of a run is written by the tile in which the next run begins; that of the last run by the last tile.
 * `rest` is the position in y of the tile's first unmarked element. */
template <class T, compact_to TO>
static __device__ __forceinline__ void write(const compact_params &a, uint64_t first, uint32_t left, uint32_t marked,
                                             marked_so_far before, uint64_t rest, const buffers<T, TO> &from) {
    if (TO != TO_INDICES) write_values((T *)a.y + before.count, from.value, 0, marked);
    for (uint32_t j = threadIdx.x; from.HAS_OFFSETS && j < marked; j += COMPACT_THREADS) {
        if (TO == TO_INDICES) ((uint64_t *)a.y)[before.count + j] = first + from.offset[j];
        if (TO == TO_LENGTHS && before.count + j > 0) {
            const uint64_t begin = j ? first + from.offset[j - 1] : before.last - 1;
            a.lengths[before.count + j - 1] = first + from.offset[j] - begin;
        }
    }
    if (TO == TO_BOTH_SIDES) write_values((T *)a.y + rest, from.value, marked, left - marked);
}

/* Shared memory by which the warps of a block exchange counts. */
struct compact_shared {
    uint32_t warp_count[COMPACT_WARPS], warp_last[COMPACT_WARPS];
    uint64_t warp_before[COMPACT_WARPS]; /* parts of a sum of counts of a partition */
    marked_so_far before;
    unsigned ticket;
};

/* Number of marked elements in the warps before this one and in all, and 1 + the position of the last one, or 0. */
struct compact_counts {
    uint32_t before_warp, marked, last;
};

static __device__ __forceinline__ compact_counts counts_of(const compact_shared &board) {
    compact_counts c = {0, 0, 0};
#pragma unroll
    for (int w = 0; w < COMPACT_WARPS; w++) {
        c.before_warp += w < threadIdx.x / 32 ? board.warp_count[w] : 0;
        c.marked += board.warp_count[w];
        c.last = max(c.last, board.warp_last[w]);
    }
    return c;
}

/* Finds what is marked before the tile, for all warps, and publishes what is marked up to its end. The last tile also
 * writes the count, and the last length, for the caller. Must be called by the first warp. */
template <bool LAST>
static __device__ __forceinline__ void find_before(const compact_params &a, uint64_t tile, bool is_last,
                                                   marked_so_far own, compact_shared &board) {
    if (threadIdx.x == 0 && tile > 0) marked_words<LAST>::store(a.words, tile, WORD_OWN, own);
    const marked_so_far found = look_back<LAST>(a.words, tile);
    if (threadIdx.x != 0) return;
    const marked_so_far all = {found.count + own.count, own.last ? own.last : found.last};
    marked_words<LAST>::store(a.words, tile, WORD_PREFIX, all);
    board.before = found;
    if (!is_last) return;
    *a.count = all.count;
    if (LAST) a.lengths[all.count - 1] = a.n - (all.last - 1);
}

/* Adds up the marked elements before a tile, from what count_kernel has stored. Must be called by all threads. The
 * sum is that of board.warp_before. */
static __device__ __forceinline__ void sum_counts(const compact_params &a, uint64_t tile, compact_shared &board) {
    const uint64_t group = tile / a.group_tiles;
    uint64_t before = threadIdx.x == 0 ? a.groups[group] : 0;
    for (uint64_t t = group * a.group_tiles + threadIdx.x; t < tile; t += COMPACT_THREADS) before += a.words[t];
    before = over_warp(marked_so_far{before, 0}).count;
    if (threadIdx.x % 32 == 0) board.warp_before[threadIdx.x / 32] = before;
}

static __device__ __forceinline__ uint64_t sum_of(const uint64_t (&parts)[COMPACT_WARPS]) {
    uint64_t sum = 0;
#pragma unroll
    for (int w = 0; w < COMPACT_WARPS; w++) sum += parts[w];
    return sum;
}

static __device__ __forceinline__ uint32_t left_of(const compact_params &a, uint64_t first, uint32_t tile) {
    return a.n - first < tile ? (uint32_t)(a.n - first) : tile;
}

/* Returns the number of this block's tile. If tiles have been counted, the last ones are in the L2 cache, so they
 * come first. */
template <bool COUNTED> static __device__ __forceinline__ uint64_t tile_of_block(unsigned *ticket, unsigned *shared) {
    if (COUNTED) return gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) *shared = atomicAdd(ticket, 1u);
    __syncthreads();
    return *shared;
}

/* Prefetches the tile that a block takes a.prefetch_distance blocks later. */
template <class T, compact_by BY, bool MOVED, bool COUNTED>
static __device__ __forceinline__ void prefetch_tile(const compact_params &a, uint64_t tile) {
    const uint64_t size = shape<T>::TILE, next = COUNTED ? tile - a.prefetch_distance : tile + a.prefetch_distance;
    if (next >= a.n / size) return; /* also if it is negative */
    if (threadIdx.x == 0 && (BY != BY_FLAGS || MOVED)) prefetch_l2((const T *)a.x + next * size, size * sizeof(T));
    if (threadIdx.x == 32 && BY == BY_FLAGS) prefetch_l2(a.flags + next * size, size);
}

/* Compacts one tile per block. */
template <class T, compact_by BY, compact_to TO>
static __global__ void __launch_bounds__(COMPACT_THREADS,
                                         RESIDENT_BLOCKS(COMPACT_BLOCKS(BY, TO, sizeof(T)), COMPACT_THREADS))
    compact_kernel(const compact_params a) {
    typedef shape<T> at;
    const bool moved = TO != TO_INDICES, wants_last = TO == TO_LENGTHS, counted = TO == TO_BOTH_SIDES;
    extern __shared__ uint4 dynamic[];
    buffers<T, TO> &to = *(buffers<T, TO> *)dynamic;
    __shared__ compact_shared board;
    const uint64_t tile = tile_of_block<counted>(a.ticket, &board.ticket), first = tile * at::TILE;
    const uint32_t left = left_of(a, first, at::TILE);
    held<T, BY, moved> h;
    h.fetch(a, first, left);
    prefetch_tile<T, BY, moved, counted>(a, tile);
    if (counted) sum_counts(a, tile, board);
    h.vote(a, first, left);
    uint32_t before[at::WORDS], in_row[at::WORDS];
    h.count(before, in_row, &board.warp_count[threadIdx.x / 32]);
    if (wants_last) h.last_marked(&board.warp_last[threadIdx.x / 32]);
    __syncthreads();
    const compact_counts c = counts_of(board);
    if (!counted && threadIdx.x < 32)
        find_before<wants_last>(a, tile, first + left == a.n, marked_so_far{c.marked, c.last ? first + c.last : 0},
                                board);
    h.for_each(c.before_warp, before, in_row, [&](int r, int v, uint32_t offset, uint32_t rank, bool marked) {
        if (marked && to.MOVED) to.value[rank] = h.x[r][v];
        if (marked && to.HAS_OFFSETS) to.offset[rank] = (uint16_t)offset;
        if (!marked && TO == TO_BOTH_SIDES && offset < left) to.value[c.marked + offset - rank] = h.x[r][v];
    });
    __syncthreads();
    const marked_so_far begin = counted ? marked_so_far{sum_of(board.warp_before), 0} : board.before;
    const uint64_t rest = counted ? a.groups[a.group_count] + first - begin.count : 0;
    write<T, TO>(a, first, left, c.marked, begin, rest, to);
}

/* Replaces the counts of groups by the sums of those before them, and stores the sum of all after them and for the
 * caller. Must be called by all threads of one block. */
static __device__ void sum_groups(const compact_params &a, uint64_t (&warp_sums)[COMPACT_WARPS]) {
    enum { EACH = COMPACT_GROUPS / COMPACT_THREADS };
    uint64_t own[EACH], sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < EACH; k++) {
        own[k] = threadIdx.x * EACH + k < a.group_count ? load_relaxed(a.groups + threadIdx.x * EACH + k) : 0;
        sum += own[k];
    }
    uint64_t before = 0 - sum; /* and all sums up to this one */
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const uint64_t theirs = __shfl_up_sync(FULL_WARP, sum, distance);
        if (threadIdx.x % 32 >= distance) sum += theirs;
    }
    before += sum;
    if (threadIdx.x % 32 == 31) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    for (uint32_t w = 0; w < threadIdx.x / 32; w++) before += warp_sums[w];
#pragma unroll
    for (uint32_t k = 0; k < EACH; k++) {
        if (threadIdx.x * EACH + k < a.group_count) a.groups[threadIdx.x * EACH + k] = before;
        before += own[k];
    }
    if (threadIdx.x == COMPACT_THREADS - 1) *a.count = a.groups[a.group_count] = before;
}

/* Counts the marked elements of tiles, a group of them per block. The last block sums the counts of groups. The tiles
 * of the compaction may be smaller than those of T, in which the elements are read, but not smaller than what a warp
 * reads. */
template <class T, compact_by BY>
static __global__ void __launch_bounds__(COMPACT_THREADS) count_kernel(const compact_params a) {
    typedef shape<T> at;
    const uint64_t size = (uint64_t)a.group_tiles * a.tile, begin = blockIdx.x * size, end = begin + size;
    __shared__ uint64_t warp_sums[COMPACT_WARPS];
    __shared__ bool is_last;
    uint64_t all = 0;
    for (uint64_t first = begin; first < end && first < a.n; first += at::TILE) {
        const uint32_t left = left_of(a, first, at::TILE);
        held<T, BY, false> h;
        h.fetch(a, first, left);
        h.vote(a, first, left);
        const uint32_t marked = warp_sum(__popc(h.marks));
        const uint64_t tile = (first + threadIdx.x / 32 * at::PART) / a.tile;
        if (threadIdx.x % 32 == 0 && marked > 0)
            atomicAdd((unsigned long long *)&a.words[tile], (unsigned long long)marked);
        all += marked;
    }
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = all;
    __syncthreads();
    if (threadIdx.x == 0) {
        store_relaxed(a.groups + blockIdx.x, sum_of(warp_sums));
        __threadfence();
        is_last = atomicAdd(a.ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    sum_groups(a, warp_sums);
}

#endif
