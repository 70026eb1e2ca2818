/* Prefix scan of an array on a GPU with bulk copies (sm_90 and later), at the speed of a copy (ORDER.md 6). The
 * results are those of scan_tiles.cuh, bit for bit.
 *
 * One block on each multiprocessor stays until the scan ends. Its warps have roles, and tiles of 16^3 elements pass
 * from role to role in a ring of STAGES tiles in shared memory:
 *
 *     loader      takes the next tile by ticket once a stage is free, and starts one bulk copy
 *     totals      a warp per tile: the tree of adjacent pairs over the tile; publishes its total
 *     levels      publishes the totals of 256 tiles and more
 *     look back   a warp per tile: loads published totals; the prefix before the tile (scan_bulk_look_back.cuh)
 *     scan        8 warps: a thread scans a group of 16, combines it with its prefix, writes the results in place
 *     storer      starts one bulk copy back, and frees the stage when the copy has read it
 *
 * While totals are awaited, the other stages keep memory busy with loads and stores, and no thread holds an element.
 *
 * Progress: a tile waits only for totals of tiles with smaller tickets. Their blocks run, and publish a tile's total
 * after waiting for nothing but a free stage, which tiles with smaller tickets free. So neither the number of blocks
 * that run at once nor their order matters.
 *
 * Work: a warp has to issue about 2300 instructions for a tile of f32, of the 8000 that a multiprocessor can issue in
 * the time in which memory moves a tile (1.08 us at 4000 GB/s and 132 multiprocessors).
 * Traffic: n elements read, n written; of totals, 8 or 16 bytes a tile written and up to 255 times that read, all in
 * the L2 cache. */
#ifndef WEFT_CUDA_SCAN_BULK_CUH
#define WEFT_CUDA_SCAN_BULK_CUH

#include "cuda/scan/scan_bulk_look_back.cuh"
#include "cuda/scan/scan_tiles.cuh"

#define BULK_END UINT32_MAX /* in place of a tile's number: no tile is left */

/* Tuning: shared memory for tiles; maximum number of warps that alternate for the totals, and number of warps that
 * alternate for looking back. Blocks of fewer tiles than BULK_EARLY take no ticket early. */
#define BULK_BYTES (14 * 16384)
#define BULK_TURNS 2
#define BULK_EARLY 16

/* Roles of the warps; the first SCAN_WARPS warps scan. */
enum {
    BULK_LOADER = SCAN_WARPS,
    BULK_STORER,
    BULK_LEVELS,
    BULK_TOTALS,
    BULK_LOOKBACK = BULK_TOTALS + BULK_TURNS,
    BULK_THREADS = 32 * (BULK_LOOKBACK + BULK_TURNS)
};

/* Shared memory of a block. TURNS warps alternate for the totals. Each stage has five barriers: its tile was loaded,
 * its total was published, its prefixes were found, its results were written, its memory is free. */
template <class Op, int TURNS> struct bulk_shared {
    typedef typename Op::value A;
    typedef typename Op::element T;
    static_assert(sizeof(T) == sizeof(typename Op::result) && sizeof(T) >= 4, "results overwrite elements");
    enum { TILE_BYTES = SCAN_TILE * sizeof(T), STAGES = BULK_BYTES / TILE_BYTES / TURNS * TURNS };
    /* Otherwise a warp for totals could wait for a phase of a barrier while the phase before it, of another warp's
     * tile, has not ended. A warp that looks back cannot: before its next tile, all tiles of the block before its
     * last tile have been totalled. */
    static_assert(STAGES % TURNS == 0 && TURNS <= BULK_TURNS && BULK_TURNS < STAGES,
                  "a stage's totals belong to one of the warps");
    alignas(128) uint4 tile[STAGES][TILE_BYTES / 16];
    A halves[STAGES][16]; /* scan of the totals of half warps' parts: 256 elements each */
    bulk_carry<A> carry[STAGES];
    uint64_t loaded[STAGES], totalled[STAGES], carried[STAGES], written[STAGES], freed[STAGES];
    uint32_t number[STAGES]; /* of the tile, or BULK_END */
};

#if WEFT_BULK

/* Returns the bytes of a tile that bulk copies move: all except the array's last bytes, fewer than 16. */
template <class T> static __device__ __forceinline__ uint32_t bulk_bytes(const scan_params &a, uint32_t tile) {
    const uint64_t left = (a.n - (uint64_t)tile * SCAN_TILE) * sizeof(T);
    return left < SCAN_TILE * sizeof(T) ? (uint32_t)left & ~15u : SCAN_TILE * (uint32_t)sizeof(T);
}

/* Returns the number of the tile's elements that are in the array. */
static __device__ __forceinline__ uint32_t bulk_elements(const scan_params &a, uint32_t tile) {
    return (uint32_t)min((uint64_t)SCAN_TILE, a.n - (uint64_t)tile * SCAN_TILE);
}

/* ------------------------------------------------------------------------ loader and storer */

static __device__ __forceinline__ uint32_t bulk_ticket(const scan_params &a) {
    return atomicAdd(&a.totals.control->ticket, 1);
}

/* Starts to load a tile to a free stage. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_fill(const scan_params &a, bulk_shared<Op, TURNS> &s, uint32_t stage,
                                                 uint32_t tile) {
    typedef typename Op::element T;
    const uint32_t bytes = bulk_bytes<T>(a, tile);
    s.number[stage] = tile;
    barrier_expect(&s.loaded[stage], bytes);
    if (bytes) bulk_load(s.tile[stage], (const T *)a.x + (uint64_t)tile * SCAN_TILE, bytes, &s.loaded[stage]);
}

/* Loads tiles until the tickets are used up. Called by one thread. A block with many tiles takes a ticket before a
 * stage is free, which hides the latency of the ticket. With few tiles, that costs more than it saves. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_loader(const scan_params &a, bulk_shared<Op, TURNS> &s) {
    const uint32_t tiles = (uint32_t)((a.n + SCAN_TILE - 1) / SCAN_TILE);
    const bool early = tiles / gridDim.x >= BULK_EARLY;
    bulk_ring<bulk_shared<Op, TURNS>::STAGES> at(0);
    uint32_t next = early ? bulk_ticket(a) : 0;
    for (int ends = 0; ends < BULK_TURNS; at.advance(1)) {
        barrier_wait(&s.freed[at.stage], at.parity ^ 1); /* returns at once if the stage was never filled */
        const uint32_t tile = ends ? BULK_END : early ? next : bulk_ticket(a);
        if (tile < tiles) {
            bulk_fill(a, s, at.stage, tile);
            if (early) next = bulk_ticket(a);
        } else {
            s.number[at.stage] = BULK_END;
            barrier_arrive(&s.loaded[at.stage]);
            ends++;
        }
    }
}

/* Stores the results of all tiles. Called by one thread. It writes the array's last elements, fewer than 16 bytes,
 * itself. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_storer(const scan_params &a, bulk_shared<Op, TURNS> &s) {
    typedef typename Op::result R;
    for (bulk_ring<bulk_shared<Op, TURNS>::STAGES> at(0);; at.advance(1)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        const uint32_t tile = s.number[at.stage];
        if (tile == BULK_END) break;
        barrier_wait(&s.written[at.stage], at.parity);
        R *y = (R *)a.y + (uint64_t)tile * SCAN_TILE;
        const uint32_t bytes = bulk_bytes<R>(a, tile), elements = bulk_elements(a, tile);
        if (bytes) bulk_store(y, s.tile[at.stage], bytes);
        for (uint32_t i = bytes / sizeof(R); i < elements; i++) y[i] = ((const R *)s.tile[at.stage])[i];
        bulk_wait_read();
        barrier_arrive(&s.freed[at.stage]);
    }
    bulk_wait_written();
}

/* ------------------------------------------------------------------------------------ totals */

/* Returns the tree of adjacent pairs over the elements of a 16-byte chunk. */
template <class Op> static __device__ __forceinline__ typename Op::value bulk_chunk_total(const Op &op, uint4 bits) {
    const scan_chunk<typename Op::element> chunk(bits);
    typename Op::value v[chunk.COUNT];
#pragma unroll
    for (int e = 0; e < chunk.COUNT; e++) v[e] = op.load(chunk.element[e]);
#pragma unroll
    for (int w = 1; w < chunk.COUNT; w *= 2)
#pragma unroll
        for (int e = 0; e + w < chunk.COUNT; e += 2 * w) v[e] = op.combine(v[e], v[e + w]);
    return v[0];
}

/* Lanes i and i + 16 return the total of the i-th 256 elements of a tile. */
template <class Op>
static __device__ __forceinline__ typename Op::value bulk_half_total(const Op &op, const uint4 *tile) {
    typedef typename Op::value A;
    constexpr int ROWS = sizeof(typename Op::element) * SCAN_TILE / 512; /* of 512 bytes */
    constexpr int IN_HALF = ROWS / 16;
    const int lane = threadIdx.x % 32;
    A half = op.identity();
#pragma unroll 1
    for (int b = 0; b < ROWS / 32; b++) {
        A v[32];
#pragma unroll
        for (int r = 0; r < 32; r++) v[r] = bulk_chunk_total(op, tile[(b * 32 + r) * 32 + lane]);
        A row = bulk_transposed_total(op, v);
#pragma unroll
        for (int w = 1; w < IN_HALF; w *= 2) row = op.combine(row, __shfl_xor_sync(0xffffffffu, row, w));
        row = shuffle(row, lane * IN_HALF % 32);
        if (lane % 16 * IN_HALF / 32 == b) half = row;
    }
    return half;
}

/* Loads the array's last elements, which bulk copies cannot move. */
template <class T>
static __device__ __forceinline__ void bulk_load_rest(const scan_params &a, uint32_t tile, uint4 *buffer) {
    const uint32_t i = bulk_bytes<T>(a, tile) / sizeof(T) + threadIdx.x % 32;
    if (i < bulk_elements(a, tile)) ((T *)buffer)[i] = ((const T *)a.x)[(uint64_t)tile * SCAN_TILE + i];
    __syncwarp();
}

/* Computes and publishes the totals of every TURNS-th tile. Called by one of the TURNS warps that alternate. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_totals(const Op &op, const scan_params &a, bulk_shared<Op, TURNS> &s,
                                                   unsigned epoch, int turn) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32;
    for (bulk_ring<bulk_shared<Op, TURNS>::STAGES> at(turn); turn < TURNS; at.advance(TURNS)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        const uint32_t tile = s.number[at.stage];
        if (tile == BULK_END) break;
        bulk_load_rest<typename Op::element>(a, tile, s.tile[at.stage]);
        const A halves = scan_lanes(op, bulk_half_total(op, s.tile[at.stage]));
        if (lane == 15) scan_words<A>::pack(halves, epoch).store(a.totals.words, tile, a.totals.stride);
        if (lane < 16) s.halves[at.stage][lane] = halves;
        barrier_arrive(&s.totalled[at.stage]);
    }
}

/* Finds the prefixes of every BULK_TURNS-th tile. Called by one of the BULK_TURNS warps that alternate. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_lookback_tiles(const Op &op, const scan_params &a,
                                                           bulk_shared<Op, TURNS> &s, unsigned epoch, int turn) {
    typedef typename Op::value A;
    const A init = scan_init(op, a);
    for (bulk_ring<bulk_shared<Op, TURNS>::STAGES> at(turn);; at.advance(BULK_TURNS)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        const uint32_t tile = s.number[at.stage];
        if (tile == BULK_END) break;
        bulk_lookback<Op> lookback(op, a.totals, tile, epoch);
        lookback.wait(scan_digit(tile, 1), true);
        barrier_wait(&s.totalled[at.stage], at.parity);
        const bulk_carry<A> carry = lookback.carry(init, s.halves[at.stage][15]);
        if (threadIdx.x % 32 == 0) s.carry[at.stage] = carry;
        barrier_arrive(&s.carried[at.stage]);
    }
}

/* Publishes the totals of 256 tiles and more. Called by one warp. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_levels(const Op &op, const scan_params &a, bulk_shared<Op, TURNS> &s,
                                                   unsigned epoch) {
    for (bulk_ring<bulk_shared<Op, TURNS>::STAGES> at(0);; at.advance(1)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        const uint32_t tile = s.number[at.stage];
        if (tile == BULK_END) break;
        if (tile % 256 == 255) bulk_lookback<Op>(op, a.totals, tile, epoch).publish_levels();
        barrier_arrive(&s.freed[at.stage]);
    }
}

/* -------------------------------------------------------------------------------------- scan */

/* A thread accesses the CHUNKS = sizeof(element) chunks of its group in an order of its own (bulk_exchange). */
template <int CHUNKS> static __device__ __forceinline__ int bulk_turn() {
    return threadIdx.x * CHUNKS / 8 & (CHUNKS - 1);
}

template <class Op>
static __device__ __forceinline__ void bulk_take(const Op &op, const uint4 *tile,
                                                 typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::element T;
    constexpr int CHUNKS = sizeof(T);
    const int turn = bulk_turn<CHUNKS>();
    uint4 bits[CHUNKS];
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) bits[j] = tile[threadIdx.x * CHUNKS + (j ^ turn)];
    bulk_exchange(bits, turn);
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        const scan_chunk<T> chunk(bits[j]);
#pragma unroll
        for (int e = 0; e < chunk.COUNT; e++) v[j * chunk.COUNT + e] = op.load(chunk.element[e]);
    }
}

template <class Op>
static __device__ __forceinline__ void bulk_put(const Op &op, uint4 *tile,
                                                const typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::result R;
    constexpr int CHUNKS = sizeof(R);
    const int turn = bulk_turn<CHUNKS>();
    uint4 bits[CHUNKS];
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        scan_chunk<R> chunk;
#pragma unroll
        for (int e = 0; e < chunk.COUNT; e++) chunk.element[e] = op.store(v[j * chunk.COUNT + e]);
        bits[j] = chunk.bits();
    }
    bulk_exchange(bits, turn);
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) tile[threadIdx.x * CHUNKS + (j ^ turn)] = bits[j];
}

/* Scans all tiles. Called by the first SCAN_THREADS threads, each with one group of a tile. */
template <class Op, int TURNS>
static __device__ __forceinline__ void bulk_scan(const Op &op, const scan_params &a, bulk_shared<Op, TURNS> &s) {
    typedef typename Op::value A;
    for (bulk_ring<bulk_shared<Op, TURNS>::STAGES> at(0);; at.advance(1)) {
        barrier_wait(&s.loaded[at.stage], at.parity);
        const uint32_t tile = s.number[at.stage];
        if (tile == BULK_END) break;
        barrier_wait(&s.totalled[at.stage], at.parity);
        A v[WEFT_SCAN_GROUP];
        bulk_take(op, s.tile[at.stage], v);
        scan_registers(op, v);
        const A groups = scan_lanes(op, v[WEFT_SCAN_GROUP - 1]);
        const A halves = s.halves[at.stage][threadIdx.x % 16];
        barrier_wait(&s.carried[at.stage], at.parity);
        const bulk_carry<A> carry = s.carry[at.stage];
        scan_results(op, a, carry.before, carry.after, groups, halves, v);
        bulk_put(op, s.tile[at.stage], v);
        if (a.exclusive && !a.has_init && tile == 0 && threadIdx.x == 0)
            *(typename Op::result *)s.tile[at.stage] = op.empty();
        bulk_fence();
        barrier_arrive(&s.written[at.stage]);
    }
}

/* -------------------------------------------------------------------------------- the kernel */

template <class Op, int TURNS> static __device__ __forceinline__ void bulk_begin(bulk_shared<Op, TURNS> &s) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < bulk_shared<Op, TURNS>::STAGES; i++) {
            barrier_init(&s.loaded[i], 1);
            barrier_init(&s.totalled[i], 32);
            barrier_init(&s.carried[i], 32);
            barrier_init(&s.written[i], SCAN_THREADS);
            barrier_init(&s.freed[i], 32 + 1);
        }
        barrier_init_done();
    }
    __syncthreads();
}

#endif

/* The kernel of the scan by bulk copies. Empty in code for GPUs before sm_90. */
template <class Op, int TURNS>
static __global__ void __launch_bounds__(BULK_THREADS, 1) scan_bulk_kernel(const __grid_constant__ scan_params a) {
#if WEFT_BULK
    bulk_shared<Op, TURNS> &s = *(bulk_shared<Op, TURNS> *)dynamic_shared();
    const int warp = threadIdx.x / 32;
    const bool leader = threadIdx.x % 32 == 0;
    const Op op(a);
    const unsigned epoch = *(volatile unsigned *)&a.totals.control->epoch + 1;
    bulk_begin(s);
    if (warp < SCAN_WARPS)
        bulk_scan(op, a, s);
    else if (warp >= BULK_LOOKBACK)
        bulk_lookback_tiles(op, a, s, epoch, warp - BULK_LOOKBACK);
    else if (warp >= BULK_TOTALS)
        bulk_totals(op, a, s, epoch, warp - BULK_TOTALS);
    else if (warp == BULK_LEVELS)
        bulk_levels(op, a, s, epoch);
    else if (leader && warp == BULK_LOADER)
        bulk_loader(a, s);
    else if (leader)
        bulk_storer(a, s);
    __syncthreads();
    if (threadIdx.x == 0) scan_finish_launch(a.totals, a.last);
#endif
}

#endif
