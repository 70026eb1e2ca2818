/* Recurrences over long rows with bulk copies (sm_90 and later), at nearly the speed of a copy (ORDER.md 9). The
 * results are those of long_rows (recurrence_kernels.cu), bit for bit.
 *
 * One block on each multiprocessor stays until the recurrence ends. Its warps have roles, and tiles of 16^3 elements
 * of s and u pass from role to role in a ring of STAGES stages in shared memory:
 *
 *     loader      takes the next tile by ticket once a stage is free, and starts its bulk copies
 *     maps        8 warps: a thread computes the map of a group of 16, then the scan of maps within half a warp
 *     look back   a warp for each stage: publishes the tile's map, and computes the value before the tile from the
 *                 maps that others have published
 *     run         8 warps: a thread computes the 16 values of its group, which overwrite u
 *     storer      starts a bulk copy back, and frees the stage when the copy has read it
 *
 * Progress: a tile waits only for maps of tiles with smaller tickets. Their blocks run, and publish a tile's map
 * after waiting for nothing but a free stage, which tiles with smaller tickets free.
 *
 * The digits of a tile's number in base 16 give the maps it needs: d0 of tiles, d1 of 16 tiles, d2 of 256 tiles, and
 * so on, at most 15 of each level. The last tile of 16 publishes their map, the last one of 256 theirs, and so on.
 *
 * Traffic: 2 n elements read, n written; of maps, 16 or 32 bytes a tile written and up to 30 times that read, all in
 * the L2 cache. */
#include "cuda/recurrence/recurrence_maps.cuh"
#include "cuda/runtime/bulk.cuh"
#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_bulk_look_back.cuh"

/* Tuning: shared memory for tiles. */
#define RING_BYTES (12 * 16384)

#define RING_END UINT32_MAX /* in place of a tile's ticket: no tile is left */

/* Shared memory of a block. Each stage has five barriers: its elements were loaded, its maps were computed, the value
 * before it was found, its values were computed, its memory is free. */
template <class T> struct ring_shared {
    enum { TILE_BYTES = SCAN_TILE * sizeof(T), STAGES = RING_BYTES / (2 * TILE_BYTES) };
    alignas(128) uint4 s[STAGES][TILE_BYTES / 16];
    uint4 u[STAGES][TILE_BYTES / 16];
    affine<T> groups[STAGES][SCAN_THREADS]; /* maps of groups, scanned in groups of 16 */
    affine<T> halves[STAGES][16];           /* maps of half warps */
    T before[STAGES];                       /* value before the tile */
    uint64_t loaded[STAGES], mapped[STAGES], carried[STAGES], written[STAGES], freed[STAGES];
    uint32_t ticket[STAGES]; /* of the tile, or RING_END */
};

/* Threads of the roles. */
enum {
    RING_RUN = SCAN_THREADS,
    RING_LOADER = 2 * SCAN_THREADS,
    RING_STORER = RING_LOADER + 32,
    RING_LOOKBACK = RING_STORER + 32
};
template <class T> static constexpr int RING_THREADS = RING_LOOKBACK + 32 * ring_shared<T>::STAGES;

#if WEFT_BULK

/* A tile of a row: `count` elements in the arrays from `first`, in memory order, in a stage from byte `offset`. Bulk
 * copies move `bytes` of them: all but the last bytes, fewer than 16, of a row that is not reversed. */
template <class T, bool REVERSE> struct ring_tile {
    uint64_t row, first;
    uint32_t number, count, bytes, offset;
    __device__ ring_tile(const recurrence_params &a, uint32_t ticket) {
        row = ticket / a.row_blocks;
        number = ticket % a.row_blocks;
        const uint64_t start = (uint64_t)number * SCAN_TILE;
        count = (uint32_t)min((uint64_t)SCAN_TILE, a.n - start);
        first = row * a.n + (REVERSE ? a.n - start - count : start);
        bytes = count * (uint32_t)sizeof(T) & ~15u;
        offset = REVERSE ? SCAN_TILE * (uint32_t)sizeof(T) - bytes : 0;
    }
};

/* ------------------------------------------------------------------------ loader and storer */

/* Starts to prefetch the tile with ticket `ticket` to L2, if it is full. A load from L2 takes less time, and less
 * varied time, for which other tiles would have to wait. */
template <class T, bool REVERSE>
static __device__ __forceinline__ void prefetch_tile(const recurrence_params &a, uint64_t ticket) {
    if (!a.prefetch_distance || ticket >= a.rows * a.row_blocks) return;
    const ring_tile<T, REVERSE> tile(a, (uint32_t)ticket);
    if (tile.count < SCAN_TILE) return;
    prefetch_l2((const T *)a.s + tile.first, tile.bytes);
    prefetch_l2((const T *)a.u + tile.first, tile.bytes);
}

/* Starts to load a tile to a free stage. */
template <class T, bool REVERSE>
static __device__ __forceinline__ void ring_fill(const recurrence_params &a, ring_shared<T> &s, uint32_t stage,
                                                 uint32_t ticket) {
    const ring_tile<T, REVERSE> tile(a, ticket);
    s.ticket[stage] = ticket;
    barrier_expect(&s.loaded[stage], 2 * tile.bytes);
    if (!tile.bytes) return;
    bulk_load((char *)s.s[stage] + tile.offset, (const T *)a.s + tile.first, tile.bytes, &s.loaded[stage]);
    bulk_load((char *)s.u[stage] + tile.offset, (const T *)a.u + tile.first, tile.bytes, &s.loaded[stage]);
    prefetch_tile<T, REVERSE>(a, (uint64_t)ticket + a.prefetch_distance);
}

/* Loads tiles until the tickets are used up. Called by one thread. It takes a ticket when a stage is free: a tile
 * with a ticket that was not loaded would keep others waiting. */
template <class T, bool REVERSE>
static __device__ __forceinline__ void ring_loader(const recurrence_params &a, ring_shared<T> &s) {
    const uint32_t tiles = (uint32_t)a.rows * a.row_blocks;
    bulk_ring<ring_shared<T>::STAGES> at(0);
    for (uint32_t ends = 0; ends < ring_shared<T>::STAGES; at.advance(1)) {
        barrier_wait(&s.freed[at.stage], at.parity ^ 1); /* returns at once if the stage was never filled */
        const uint32_t ticket = ends ? RING_END : atomicAdd(&a.totals.control->ticket, 1);
        if (ticket < tiles) {
            ring_fill<T, REVERSE>(a, s, at.stage, ticket);
        } else {
            s.ticket[at.stage] = RING_END;
            barrier_arrive(&s.loaded[at.stage]);
            ends++;
        }
    }
}

/* Stores the values of all tiles. Called by one thread. It writes a row's last elements, fewer than 16 bytes, itself.
 */
template <class T, bool REVERSE>
static __device__ __forceinline__ void ring_storer(const recurrence_params &a, ring_shared<T> &s) {
    for (bulk_ring<ring_shared<T>::STAGES> at(0);; at.advance(1)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        if (s.ticket[at.stage] == RING_END) break;
        const ring_tile<T, REVERSE> tile(a, s.ticket[at.stage]);
        T *v = (T *)a.v + tile.first;
        barrier_wait(&s.written[at.stage], at.parity);
        if (tile.bytes) bulk_store(v, (const char *)s.u[at.stage] + tile.offset, tile.bytes);
        for (uint32_t i = tile.bytes / sizeof(T); i < tile.count; i++) v[i] = ((const T *)s.u[at.stage])[i];
        bulk_wait_read();
        barrier_arrive(&s.freed[at.stage]);
    }
    bulk_wait_written();
}

/* ------------------------------------------------------------------------------------- groups */

/* Four chunks of 16 bytes of a thread's group, in the direction of the recurrence. Threads take them in different
 * orders (bulk_exchange): those of a quarter of a warp access all banks if elements have 4 bytes, half of them if
 * they have 8. */
template <class T, bool REVERSE> struct ring_chunks {
    static constexpr int PER_GROUP = sizeof(T) / 4; /* sets of four */
    uint4 bits[4];

    static __device__ int turn() { return threadIdx.x / (8 / sizeof(T)) & 3; }
    /* Index of the set's first chunk in a stage. */
    static __device__ int first(int group, int set) {
        return 4 * (REVERSE ? (SCAN_THREADS - group) * PER_GROUP - 1 - set : group * PER_GROUP + set);
    }
    __device__ void load(const uint4 *stage, int group, int set) {
        const uint4 *from = stage + first(group, set);
#pragma unroll
        for (int j = 0; j < 4; j++) bits[j] = from[j ^ turn()];
        bulk_exchange(bits, turn());
    }
    __device__ void store(uint4 *stage, int group, int set) {
        uint4 *to = stage + first(group, set);
        bulk_exchange(bits, turn());
#pragma unroll
        for (int j = 0; j < 4; j++) to[j ^ turn()] = bits[j];
    }
    __device__ uint4 &chunk(int c) { return bits[REVERSE ? 3 - c : c]; }
};

/* Returns the map of a group. */
template <class T, bool REVERSE>
static __device__ __forceinline__ affine<T> ring_map(const uint4 *s, const uint4 *u, int group) {
    affine<T> m = {1, 0};
#pragma unroll
    for (int set = 0; set < ring_chunks<T, REVERSE>::PER_GROUP; set++) {
        ring_chunks<T, REVERSE> of_s, of_u;
        of_s.load(s, group, set);
        of_u.load(u, group, set);
#pragma unroll
        for (int c = 0; c < 4; c++) extend_map<T, REVERSE>(m, of_s.chunk(c), of_u.chunk(c));
    }
    m.s = zero_if_nan(m.s);
    return m;
}

/* Computes v of a set of a group from the value before it, stores it in place of u, and returns its last element. A
 * NaN persists, so that element shows whether there are NaNs to be made canonical. */
template <class T, bool REVERSE>
static __device__ __forceinline__ T ring_run_set(ring_chunks<T, REVERSE> &of_s, ring_chunks<T, REVERSE> &of_u,
                                                 uint4 *u, int group, int set, T value) {
    chunk_of<T, REVERSE> v[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        chunk_of<T, REVERSE> factors(of_s.chunk(c)), terms(of_u.chunk(c));
#pragma unroll
        for (int e = 0; e < terms.COUNT; e++) v[c][e] = value = fused(factors[e], value, terms[e]);
    }
    if (value != value)
#pragma unroll
        for (int c = 0; c < 4; c++)
            for (int e = 0; e < v[c].COUNT; e++) v[c][e] = canonical(v[c][e]);
#pragma unroll
    for (int c = 0; c < 4; c++) of_u.chunk(c) = v[c].bits();
    of_u.store(u, group, set);
    return value;
}

/* Loads a row's last elements, which bulk copies cannot move, for the warp that has their group. */
template <class T>
static __device__ __forceinline__ void ring_load_rest(const recurrence_params &a, const ring_tile<T, false> &tile,
                                                      ring_shared<T> &s, uint32_t stage) {
    const uint32_t i = tile.bytes / sizeof(T) + threadIdx.x % 32;
    if (i < tile.count) {
        ((T *)s.s[stage])[i] = ((const T *)a.s)[tile.first + i];
        ((T *)s.u[stage])[i] = ((const T *)a.u)[tile.first + i];
    }
    __syncwarp();
}

/* --------------------------------------------------------------------------------- other roles */

/* Computes the maps of all groups. Called by SCAN_THREADS threads; `group` is the thread's number among them. What
 * they read of an incomplete tile, and what they write, was used for the tile before in this stage: its values were
 * written, or the stage would not have been loaded. Waiting for that too orders the accesses for compute-sanitizer.
 */
template <class T, bool REVERSE>
static __device__ __forceinline__ void ring_maps(const recurrence_params &a, ring_shared<T> &s, int group) {
    const recurring<T> op;
    for (bulk_ring<ring_shared<T>::STAGES> at(0);; at.advance(1)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        if (s.ticket[at.stage] == RING_END) break;
        barrier_wait(&s.written[at.stage], at.parity ^ 1);
        if constexpr (!REVERSE) {
            const ring_tile<T, false> tile(a, s.ticket[at.stage]);
            const uint32_t bulk = tile.bytes / (uint32_t)sizeof(T);
            if (bulk < tile.count && bulk / SCAN_PART == (uint32_t)group / 32) ring_load_rest(a, tile, s, at.stage);
        }
        const affine<T> m = ring_map<T, REVERSE>(s.s[at.stage], s.u[at.stage], group);
        const affine<T> groups = scan_lanes(op, m);
        s.groups[at.stage][group] = groups;
        if (group % 16 == 15) s.halves[at.stage][group / 16] = groups;
        barrier_arrive(&s.mapped[at.stage]);
    }
}

/* Computes the values of all groups. Called by SCAN_THREADS threads; `group` is the thread's number among them. */
template <class T, bool REVERSE> static __device__ __forceinline__ void ring_run(ring_shared<T> &s, int group) {
    const recurring<T> op;
    const int half = group / 16;
    for (bulk_ring<ring_shared<T>::STAGES> at(0);; at.advance(1)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        if (s.ticket[at.stage] == RING_END) break;
        barrier_wait(&s.mapped[at.stage], at.parity);
        const affine<T> halves = scan_lanes(op, s.halves[at.stage][group % 16]);
        const affine<T> of_halves = shuffle(halves, half ? half - 1 : 0);
        const affine<T> of_groups = s.groups[at.stage][group % 16 ? group - 1 : group];
        ring_chunks<T, REVERSE> of_s, of_u;
        of_s.load(s.s[at.stage], group, 0);
        of_u.load(s.u[at.stage], group, 0);
        barrier_wait(&s.carried[at.stage], at.parity);
        T value = s.before[at.stage];
        if (half) value = op.apply(of_halves, value);
        if (group % 16) value = op.apply(of_groups, value);
        value = ring_run_set(of_s, of_u, s.u[at.stage], group, 0, value);
#pragma unroll
        for (int set = 1; set < of_s.PER_GROUP; set++) {
            of_s.load(s.s[at.stage], group, set);
            of_u.load(s.u[at.stage], group, set);
            value = ring_run_set(of_s, of_u, s.u[at.stage], group, set, value);
        }
        bulk_fence();
        barrier_arrive(&s.written[at.stage]);
    }
}

/* ----------------------------------------------------------------------------------- look back */

/* Loads a published map into `m`, by 16 bytes at a time. Returns true if it was complete. */
template <class T>
static __device__ __forceinline__ bool ring_load_map(const uint64_t *words, unsigned epoch, affine<T> &m) {
    scan_words<affine<T>> w;
#pragma unroll
    for (int i = 0; i < w.COUNT; i += 2) load_two_relaxed(words + i, w.word[i], w.word[i + 1]);
    m = w.value();
    return w.holds(epoch);
}

/* The look back of one warp for a tile. Each half of the warp has the maps of one level: of levels 2 m and 2 m + 1 in
 * pair m. */
template <class T> struct ring_look_back {
    enum { PAIRS = SCAN_GRID_LEVELS / 2, WORDS = scan_words<affine<T>>::COUNT };
    typedef affine<T> map;
    const published &p;
    uint64_t *row; /* the published maps of the tile's row */
    uint32_t tile; /* number of the tile in its row */
    unsigned epoch;
    map before[PAIRS];
    uint32_t has; /* a bit for each of them: it is complete */

    __device__ ring_look_back(const published &p, uint64_t *row, uint32_t tile, unsigned epoch)
        : p(p), row(row), tile(tile), epoch(epoch), has(0) {}

    static __device__ int lane() { return threadIdx.x % 32; }
    __device__ int digit(int k) const { return k < p.levels ? scan_digit(tile, k) : 0; }
    __device__ bool used(int m) const { return 2 * m < p.levels; }

    /* Loads the maps of pair m that are needed and not complete. Returns true if this lane lacks its map. */
    __device__ __forceinline__ bool load_missing(int m) {
        const int k = 2 * m + lane() / 16;
        if (!used(m) || has >> m & 1 || lane() % 16 >= digit(k)) return false;
        const uint64_t total = p.level_start[k] + (tile >> 4 * k & ~15u) + lane() % 16;
        const bool complete = ring_load_map(row + total * WORDS, epoch, before[m]);
        has |= (uint32_t)complete << m;
        return !complete;
    }

    /* Publishes the maps of 1, 16, 256, ... tiles that end with this tile, which has the map `own`. */
    __device__ __forceinline__ void publish(map own) const {
        for (int k = 0;; k++) {
            const uint64_t at = p.level_start[k] + (tile >> 4 * k);
            if (lane() == 0) scan_words<map>::pack(own, epoch).store(row, at, WORDS);
            if (digit(k) < 15) return;
            scan_words<map> word = scan_words<map>::pack(own, epoch - 1);
            scan_lookback_wait(word, row, at - 15 + lane() % 16, WORDS, lane() < 15, epoch);
            own = shuffle(scan_lanes(recurring<T>(), lane() == 15 ? own : word.value()), 15);
        }
    }

    /* Returns the value before the tile, from that before the row. Higher levels are complete earlier. */
    __device__ __forceinline__ T value(T value) {
        const recurring<T> op;
#pragma unroll
        for (int m = PAIRS - 1; m >= 0; m--) {
            if (!used(m)) continue;
            while (__any_sync(0xffffffffu, load_missing(m))) {
            }
            const int lower = digit(2 * m), upper = digit(2 * m + 1);
            const map v = scan_lanes(op, before[m]);
            const map of_upper = shuffle(v, upper ? 15 + upper : 0), of_lower = shuffle(v, lower ? lower - 1 : 0);
            if (upper) value = op.apply(of_upper, value);
            if (lower) value = op.apply(of_lower, value);
        }
        return value;
    }
};

/* Publishes the maps of a stage's tiles, and computes the values before them. Called by one warp. */
template <class T, bool REVERSE>
static __device__ __forceinline__ void ring_look_back_stage(const recurrence_params &a, ring_shared<T> &s,
                                                            uint32_t stage, unsigned epoch) {
    for (uint32_t parity = 0;; parity ^= 1) {
        barrier_wait(&s.loaded[stage], parity);
        if (s.ticket[stage] == RING_END) break;
        const ring_tile<T, REVERSE> tile(a, s.ticket[stage]);
        const T init = init_of<T>(a, tile.row);
        uint64_t *const row = a.totals.words + tile.row * a.totals.row_words;
        ring_look_back<T> look_back(a.totals, row, tile.number, epoch);
        barrier_wait(&s.mapped[stage], parity);
        const affine<T> halves = scan_lanes(recurring<T>(), s.halves[stage][threadIdx.x % 16]);
        look_back.publish(shuffle(halves, 15));
#pragma unroll
        for (int m = 0; m < look_back.PAIRS; m++) (void)look_back.load_missing(m);
        const T before = look_back.value(init);
        if (threadIdx.x % 32 == 0) s.before[stage] = before;
        barrier_arrive(&s.carried[stage]);
    }
}

template <class T> static __device__ __forceinline__ void ring_begin(ring_shared<T> &s) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < ring_shared<T>::STAGES; i++) {
            barrier_init(&s.loaded[i], 1);
            barrier_init(&s.mapped[i], SCAN_THREADS);
            barrier_init(&s.carried[i], 32);
            barrier_init(&s.written[i], SCAN_THREADS);
            barrier_init(&s.freed[i], 1);
        }
        barrier_init_done();
    }
    __syncthreads();
}

#endif

/* ---------------------------------------------------------------------------------- the kernel */

/* Empty in code for GPUs before sm_90. a.row_blocks is the number of tiles of a row. */
template <class T, bool REVERSE>
static __global__ void __launch_bounds__(RING_THREADS<T>, 1) ring_rows(const __grid_constant__ recurrence_params a) {
#if WEFT_BULK
    ring_shared<T> &s = *(ring_shared<T> *)dynamic_shared();
    const int thread = threadIdx.x;
    const unsigned epoch = *(volatile unsigned *)&a.totals.control->epoch + 1;
    ring_begin(s);
    if (thread < RING_RUN)
        ring_maps<T, REVERSE>(a, s, thread);
    else if (thread < RING_LOADER)
        ring_run<T, REVERSE>(s, thread - RING_RUN);
    else if (thread >= RING_LOOKBACK)
        ring_look_back_stage<T, REVERSE>(a, s, (thread - RING_LOOKBACK) / 32, epoch);
    else if (thread == RING_LOADER)
        ring_loader<T, REVERSE>(a, s);
    else if (thread == RING_STORER)
        ring_storer<T, REVERSE>(a, s);
    __syncthreads();
    if (thread == 0) scan_finish_launch(a.totals, true);
#endif
}

template <class T, bool REVERSE> static recurrence_bulk bulk_of() {
    return recurrence_bulk{(const void *)ring_rows<T, REVERSE>, sizeof(ring_shared<T>), RING_THREADS<T>,
                           sizeof(affine<T>) / 4, INT32_MAX};
}

recurrence_bulk cuda_recurrence_bulk(weft_dtype dtype, bool reverse) {
    if (dtype == WEFT_F32) return reverse ? bulk_of<float, true>() : bulk_of<float, false>();
    return reverse ? bulk_of<double, true>() : bulk_of<double, false>();
}
