/* The kernels of weft_recurrence (ORDER.md 9).
 *
 *     thread   16 elements, a group, one after another               digit 0 of the element's number
 *     16 lanes the maps of 16 groups, by shuffles                    digit 1
 *     block    those of 16 half warps, by shuffles                   digit 2
 *     grid     those of tiles, by all warps                          digits 3, 4, ... (scan_look_back.cuh)
 *
 * Elements are kept in shared memory, in the order in which the recurrence takes them; a group's v overwrites its u.
 * Rows longer than a tile are scanned in one pass over memory, as by scan_tiles.cuh: a block takes tiles by ticket,
 * publishes their maps, and computes the value before them. A block takes as many shorter rows as it has threads for.
 *
 * Traffic: 2 n elements read, n written; of maps, 32 bytes a tile written and up to 255 times that read, all
 * in the L2 cache. */
#include "cuda/recurrence/recurrence_maps.cuh"

#include <cuda_pipeline.h>

/* Scans the maps of adjacent lanes, `width` lanes (a power of two up to 16) for each row. */
template <class T> static __device__ __forceinline__ affine<T> scan_width(affine<T> m, int width) {
    const recurring<T> op;
    for (int w = 1; w < width; w *= 2) {
        const affine<T> left = shuffle_up(m, w, 16);
        if (threadIdx.x % width >= w) m = op.combine(left, m);
    }
    return m;
}

/* -------------------------------------------------------------------------------- the elements */

/* Returns the index of chunk `chunk` of a group in the buffer. A group has CHUNKS chunks of 16 bytes of each array.
 * With this order, loading by chunks and iterating over a group both access all banks. */
template <class T> static __device__ __forceinline__ int chunk_index(int group, int chunk) {
    constexpr int CHUNKS = sizeof(T);
    return group * CHUNKS + ((chunk + group * CHUNKS / 8) & (CHUNKS - 1));
}

/* Returns the address of element i, in the direction of the recurrence, of a row whose first group is `group`. Chunks
 * of reversed rows are copied as they are in memory, so the elements within a chunk are in reverse order. */
template <class T, bool REVERSE>
static __device__ __forceinline__ T *element_address(uint4 *buffer, int group, int i) {
    constexpr int COUNT = 16 / sizeof(T);
    const int chunk = i % WEFT_SCAN_GROUP / COUNT, e = i % COUNT;
    return (T *)&buffer[chunk_index<T>(group + i / WEFT_SCAN_GROUP, chunk)] + (REVERSE ? COUNT - 1 - e : e);
}

/* Starts to copy an element, or stores 0 if there is none. */
template <class T> static __device__ __forceinline__ void fetch_element(T *to, const T *from, bool present) {
    if (present)
        __pipeline_memcpy_async(to, from, sizeof(T));
    else
        *to = 0;
}

/* Returns the map of a group. */
template <class T, bool REVERSE>
static __device__ __forceinline__ affine<T> map_of_group(const uint4 *s, const uint4 *u, int group) {
    affine<T> m = {1, 0};
#pragma unroll
    for (int c = 0; c < (int)sizeof(T); c++) {
        const int index = chunk_index<T>(group, c);
        extend_map<T, REVERSE>(m, s[index], u[index]);
    }
    m.s = zero_if_nan(m.s);
    return m;
}

/* Computes v of a group from the value before it, and overwrites u. A NaN persists to the end of the group, so the
 * last value shows whether there are NaNs to be made canonical. */
template <class T, bool REVERSE>
static __device__ __forceinline__ void run_group(const uint4 *s, uint4 *u, int group, T value) {
#pragma unroll
    for (int c = 0; c < (int)sizeof(T); c++) {
        const int index = chunk_index<T>(group, c);
        chunk_of<T, REVERSE> factors(s[index]), terms(u[index]);
#pragma unroll
        for (int e = 0; e < factors.COUNT; e++) terms[e] = value = fused(factors[e], value, terms[e]);
        u[index] = terms.bits();
    }
    if (value == value) return;
    for (int c = 0; c < (int)sizeof(T); c++) {
        chunk_of<T, REVERSE> values(u[chunk_index<T>(group, c)]);
        for (int e = 0; e < values.COUNT; e++) values[e] = canonical(values[e]);
        u[chunk_index<T>(group, c)] = values.bits();
    }
}

/* ---------------------------------------------------------------------------------- long rows */

/* Shared memory of a block. */
template <class T> struct long_shared {
    typedef uint4 part[32 * sizeof(T)]; /* a warp's part of a tile: 512 elements */
    struct tile {
        part s[SCAN_WARPS], u[SCAN_WARPS];
    };
    static constexpr int TILES = SCAN_BUFFER_BYTES / sizeof(tile); /* maximum number of tiles of a block */
    affine<T> groups[TILES][SCAN_THREADS];                         /* maps of groups, scanned in groups of 16 */
    affine<T> halves[TILES][16];                                   /* maps of half warps */
    scan_lookback_shared<affine<T>> lookback;
    uint32_t ticket;
    alignas(128) tile tiles[1]; /* one for each tile of the block */
};

/* The warp's 512 elements of a row from `start` on, in the direction of the recurrence. */
template <class T, bool REVERSE> struct warp_part {
    enum { CHUNKS = 32 * sizeof(T) };
    uint64_t first; /* index in the arrays of the first of them in the direction */
    uint64_t left;  /* elements of the row from here */
    bool full;      /* the elements can be moved in 16-byte chunks */

    __device__ warp_part(const recurrence_params &a, uint64_t row, uint64_t start) {
        first = row * a.n + (REVERSE ? a.n - 1 - start : start);
        left = start < a.n ? a.n - start : 0;
        full = a.chunks && left >= SCAN_PART;
    }
    /* Index of chunk c of them, counted in memory order, in the array; and its index in the buffer. */
    __device__ uint64_t chunk_at(int c) const {
        constexpr int COUNT = 16 / sizeof(T);
        return REVERSE ? (first + 1 - SCAN_PART) / COUNT + c : first / COUNT + c;
    }
    __device__ int chunk_buffer_index(int c) const {
        const int i = REVERSE ? CHUNKS - 1 - c : c;
        return chunk_index<T>(i / (int)sizeof(T), i % (int)sizeof(T));
    }
    __device__ uint64_t at(int i) const { return REVERSE ? first - i : first + i; }
};

template <class T, bool REVERSE>
static __device__ __forceinline__ void fetch_part(const warp_part<T, REVERSE> &part, const void *from,
                                                  uint4 *buffer) {
    const int lane = threadIdx.x % 32;
    if (part.full) {
#pragma unroll
        for (int r = 0; r < (int)sizeof(T); r++)
            __pipeline_memcpy_async(&buffer[part.chunk_buffer_index(r * 32 + lane)],
                                    (const uint4 *)from + part.chunk_at(r * 32 + lane), sizeof(uint4));
        return;
    }
    for (int i = lane; i < SCAN_PART; i += 32)
        fetch_element(element_address<T, REVERSE>(buffer, 0, i), (const T *)from + part.at(i), i < part.left);
}

template <class T, bool REVERSE>
static __device__ __forceinline__ void write_part(const warp_part<T, REVERSE> &part, uint4 *buffer, void *to) {
    const int lane = threadIdx.x % 32;
    if (part.full) {
#pragma unroll
        for (int r = 0; r < (int)sizeof(T); r++)
            ((uint4 *)to)[part.chunk_at(r * 32 + lane)] = buffer[part.chunk_buffer_index(r * 32 + lane)];
        return;
    }
    for (int i = lane; i < SCAN_PART && i < part.left; i += 32)
        ((T *)to)[part.at(i)] = *element_address<T, REVERSE>(buffer, 0, i);
}

/* Starts to prefetch to L2 the input of the block with ticket `ticket`, if all its tiles are full. */
template <class T, bool REVERSE> static __device__ void prefetch_block(const recurrence_params &a, uint64_t ticket) {
    const uint64_t row = ticket / a.row_blocks, block = (uint64_t)a.block_tiles * SCAN_TILE;
    const uint64_t start = ticket % a.row_blocks * block;
    if (row >= a.rows || start + block > a.n) return;
    const uint64_t first = row * a.n + (REVERSE ? a.n - start - block : start);
    prefetch_l2((const T *)a.s + first, (uint32_t)(block * sizeof(T)));
    prefetch_l2((const T *)a.u + first, (uint32_t)(block * sizeof(T)));
}

/* Returns the value before this thread's group, from the value before its tile. Must be called by a full warp. */
template <class T>
static __device__ __forceinline__ T value_before(const affine<T> *groups, const affine<T> *halves, T carry) {
    const recurring<T> op;
    const int half = threadIdx.x / 16;
    const affine<T> left = shuffle(scan_lanes(op, halves[threadIdx.x % 16]), half ? half - 1 : 0);
    const T to_half = half ? op.apply(left, carry) : carry;
    return threadIdx.x % 16 ? op.apply(groups[threadIdx.x - 1], to_half) : to_half;
}

/* Scans the tiles of one block, which then ends; then the next block starts (see scan_tiles.cuh). */
template <class T, bool REVERSE>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS)
    long_rows(const __grid_constant__ recurrence_params a) {
    extern __shared__ uint4 dynamic[];
    long_shared<T> &s = *(long_shared<T> *)dynamic;
    const recurring<T> op;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned epoch = *(volatile unsigned *)&a.totals.control->epoch + 1;
    if (threadIdx.x == 0) s.ticket = atomicAdd(&a.totals.control->ticket, 1);
    __syncthreads();
    const uint64_t row = s.ticket / a.row_blocks;
    const uint32_t tile = s.ticket % a.row_blocks * a.block_tiles; /* the first one's number in its row */
    const uint64_t start = (uint64_t)tile * SCAN_TILE + warp * SCAN_PART;
    const int tiles = (int)min((uint64_t)a.block_tiles, (a.n - 1) / SCAN_TILE + 1 - tile);

    for (int t = 0; t < tiles; t++) {
        const warp_part<T, REVERSE> part(a, row, start + t * SCAN_TILE);
        fetch_part(part, a.s, s.tiles[t].s[warp]);
        fetch_part(part, a.u, s.tiles[t].u[warp]);
    }
    __pipeline_commit();
    if (threadIdx.x == 0) prefetch_block<T, REVERSE>(a, s.ticket + (uint64_t)a.prefetch_distance);
    __pipeline_wait_prior(0);
    __syncwarp();
    for (int t = 0; t < tiles; t++) {
        const affine<T> m = map_of_group<T, REVERSE>(s.tiles[t].s[warp], s.tiles[t].u[warp], lane);
        const affine<T> groups = scan_lanes(op, m);
        s.groups[t][threadIdx.x] = groups;
        if (lane % 16 == 15) s.halves[t][threadIdx.x / 16] = groups;
    }
    __syncthreads();
    const scan_carry<T> carry = scan_lookback(op, a.totals, a.totals.words + row * a.totals.row_words,
                                              init_of<T>(a, row), tile, tiles, epoch, s.halves, s.lookback);
    for (int t = 0; t < tiles; t++) {
        const T before = value_before(s.groups[t], s.halves[t], carry.before(t));
        run_group<T, REVERSE>(s.tiles[t].s[warp], s.tiles[t].u[warp], lane, before);
        __syncwarp();
        write_part(warp_part<T, REVERSE>(a, row, start + t * SCAN_TILE), s.tiles[t].u[warp], a.v);
    }
    if (threadIdx.x == 0) scan_finish_launch(a.totals, true);
}

/* Combines `count` published maps, at most 16, to the map of all elements and writes it to host memory. One warp. */
template <class T>
static __global__ void map_of_row(const uint64_t *words, uint32_t stride, int count, uint64_t *to) {
    const int lane = threadIdx.x % 16;
    const affine<T> one = scan_words<affine<T>>::load(words, lane < count ? lane : 0, stride).value();
    const affine<T> m = scan_lanes(recurring<T>(), one);
    if (threadIdx.x != count - 1) return;
    to[0] = to[1] = 0;
    memcpy(&to[0], &m.s, sizeof m.s);
    memcpy(&to[1], &m.u, sizeof m.u);
}

/* --------------------------------------------------------------------------------- short rows */

template <class T> struct short_shared {
    alignas(128) uint4 s[SCAN_THREADS * sizeof(T)], u[SCAN_THREADS * sizeof(T)];
    affine<T> halves[16]; /* maps of half warps, if a row has more than one */
};

/* Row, and position in the row, of unit number i (a chunk or an element) of adjacent rows of `length` units. i starts
 * at the thread's number and is advanced by the number of threads. */
struct row_walk {
    uint32_t length, row, offset, row_step, offset_step;
    __device__ row_walk(uint32_t units) : length(units) {
        row = threadIdx.x / length, offset = threadIdx.x % length;
        row_step = SCAN_THREADS / length, offset_step = SCAN_THREADS % length;
    }
    __device__ void next() {
        row += row_step;
        offset += offset_step;
        if (offset >= length) row++, offset -= length;
    }
};

/* Moves the rows of a block, contiguous in memory from element `first`, to their groups in `buffer`, or back.
 * move_chunk(i, p) and move_element(i, p) move chunk or element i of the array to or from buffer address p. */
template <class T, bool REVERSE, class Chunk, class Element>
static __device__ __forceinline__ void move_rows(const recurrence_params &a, uint64_t first, uint32_t rows,
                                                 uint4 *buffer, Chunk move_chunk, Element move_element) {
    constexpr int COUNT = 16 / sizeof(T), CHUNKS = sizeof(T);
    const uint32_t n = (uint32_t)a.n;
    if (a.chunks) {
        row_walk w(n / COUNT);
        for (uint32_t c = threadIdx.x; c < rows * w.length; c += SCAN_THREADS, w.next()) {
            const int i = (int)(REVERSE ? w.length - 1 - w.offset : w.offset);
            const int group = (int)(w.row * a.row_threads) + i / CHUNKS;
            move_chunk(first / COUNT + c, &buffer[chunk_index<T>(group, i % CHUNKS)]);
        }
    } else {
        row_walk w(n);
        for (uint32_t c = threadIdx.x; c < rows * n; c += SCAN_THREADS, w.next()) {
            const int i = (int)(REVERSE ? n - 1 - w.offset : w.offset);
            move_element(first + c, element_address<T, REVERSE>(buffer, (int)(w.row * a.row_threads), i));
        }
    }
}

template <class T, bool REVERSE>
static __device__ __forceinline__ void fetch_rows(const recurrence_params &a, uint64_t first, uint32_t rows,
                                                  const void *from, uint4 *buffer) {
    move_rows<T, REVERSE>(
        a, first, rows, buffer,
        [=](uint64_t i, uint4 *to) { __pipeline_memcpy_async(to, (const uint4 *)from + i, sizeof *to); },
        [=](uint64_t i, T *to) { __pipeline_memcpy_async(to, (const T *)from + i, sizeof *to); });
}

template <class T, bool REVERSE>
static __device__ __forceinline__ void write_rows(const recurrence_params &a, uint64_t first, uint32_t rows, void *to,
                                                  uint4 *buffer) {
    move_rows<T, REVERSE>(
        a, first, rows, buffer, [=](uint64_t i, const uint4 *from) { ((uint4 *)to)[i] = *from; },
        [=](uint64_t i, const T *from) { ((T *)to)[i] = *from; });
}

/* Thread t has group t % row_threads of row t / row_threads of the block. Maps of groups after the end of a row are
 * never used. */
template <class T, bool REVERSE>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS)
    short_rows(const __grid_constant__ recurrence_params a) {
    extern __shared__ uint4 dynamic[];
    short_shared<T> &s = *(short_shared<T> *)dynamic;
    const recurring<T> op;
    const int width = (int)min(a.row_threads, 16u), group = threadIdx.x % width;
    const uint32_t block_rows = SCAN_THREADS / a.row_threads;
    const uint64_t first_row = (uint64_t)blockIdx.x * block_rows;
    const uint32_t rows = (uint32_t)min((uint64_t)block_rows, a.rows - first_row);
    fetch_rows<T, REVERSE>(a, first_row * a.n, rows, a.s, s.s);
    fetch_rows<T, REVERSE>(a, first_row * a.n, rows, a.u, s.u);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    const uint32_t row = threadIdx.x / a.row_threads;
    const bool has_elements = row < rows && threadIdx.x % a.row_threads * WEFT_SCAN_GROUP < a.n;
    T before = row < rows ? init_of<T>(a, first_row + row) : T(0);
    if (width > 1) {
        affine<T> m = {0, 0};
        if (has_elements) m = map_of_group<T, REVERSE>(s.s, s.u, threadIdx.x);
        m = scan_width(m, width);
        if (a.row_threads > 16) {
            const int row_halves = (int)a.row_threads / 16, half = threadIdx.x / 16;
            if (threadIdx.x % 16 == 15) s.halves[half] = m;
            __syncthreads();
            const affine<T> halves = scan_width(s.halves[threadIdx.x % 16], row_halves);
            const affine<T> left = shuffle(halves, half ? half - 1 : 0);
            if (half % row_halves) before = op.apply(left, before);
        }
        const affine<T> left = shuffle_up(m, 1, 16);
        if (group) before = op.apply(left, before);
    }
    if (has_elements) run_group<T, REVERSE>(s.s, s.u, threadIdx.x, before);
    __syncthreads();
    write_rows<T, REVERSE>(a, first_row * a.n, rows, a.v, s.u);
}

template <class T, bool REVERSE> static recurrence_launch kernels() {
    return recurrence_launch{(const void *)short_rows<T, REVERSE>,
                             (const void *)long_rows<T, REVERSE>,
                             (const void *)map_of_row<T>,
                             sizeof(short_shared<T>),
                             sizeof(long_shared<T>),
                             sizeof(typename long_shared<T>::tile)};
}

recurrence_launch cuda_recurrence_kernels(weft_dtype dtype, bool reverse) {
    if (dtype == WEFT_F32) return reverse ? kernels<float, true>() : kernels<float, false>();
    return reverse ? kernels<double, true>() : kernels<double, false>();
}
