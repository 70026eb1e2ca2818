/* Topic bulk-copies: memory is copied to shared memory while the threads
 * compute (the tensor memory accelerator)
 *
 * A thread that reads memory waits for its data, about a microsecond. A GPU
 * hides this time by other warps: while some wait, others compute. There
 * must be enough bytes in flight: speed times latency, about 40 KB per
 * multiprocessor of an H200. Reads through registers need many threads for
 * this.
 *
 * Asynchronous copies do not use registers. Since compute capability 8.0, a
 * thread can start a copy of 16 bytes from global to shared memory and go
 * on (`async`). Since 9.0, a unit of the multiprocessor, the tensor memory
 * accelerator, copies whole arrays. One thread starts a copy of many
 * kilobytes (`bulk`), or of a tile of a matrix (`tensor-map`).
 *
 * The computation is small: y[i] = 2 x[i] + 1. The minimum traffic is one
 * read and one write per element. Rungs for the accelerator need a GPU with
 * compute capability 9.0 or later, and code that was compiled for it. The
 * executor emulates it: it makes each copy as late as possible, when the
 * threads wait for it.
 */
#include "climb.h"

#include <algorithm>
#include <cuda.h>
#include <cuda_pipeline.h>
#include <math.h>
#ifdef WEFT_EXECUTOR
#include <bulk_copies.h>
#define BULK_COPIES 1
#else
#define BULK_COPIES (__CUDA_ARCH__ >= 900)
#endif

namespace {

/* TILE: elements of an array per tile */
constexpr unsigned THREADS = 256, PARTS = 4, TILE = THREADS * PARTS;
constexpr unsigned BLOCKS = 528, STAGES = 4;

__host__ __device__ float changed(float x) { return fmaf(2, x, 1); }

/* Rung one-element: a thread for each element, through a register
 *
 * The usual kernel. Each thread has one read in flight and nothing to do
 * until it arrives. 2048 threads per multiprocessor have 8 KB in flight.
 */
static __global__ void change_one_element(size_t n, const float *x,
                                          float *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) y[i] = changed(x[i]);
}

/* Rung async: the next tile is copied while this one is used
 *
 * Two buffers in shared memory are used alternately.
 * `__pipeline_memcpy_async` starts a copy of 16 bytes to shared memory, and
 * `__pipeline_commit` ends a group of copies. `__pipeline_wait_prior(1)`
 * waits until all groups of the thread except the last one have arrived. So
 * the copy of the next tile is in flight while this one is used.
 *
 * A thread waits only for its own copies. Here it also reads words that
 * other threads have copied, so a barrier must follow (see `no-barrier`). A
 * second barrier is needed before the buffer is filled again (see
 * `too-early`).
 *
 * The last tile may be incomplete. Its elements are read in the usual way.
 */
__device__ void start_tile(const float *x, float *tile) {
    const unsigned at = threadIdx.x * PARTS;
    __pipeline_memcpy_async(tile + at, x + at, PARTS * sizeof(float));
}

/* Computes a tile. Adjacent threads access adjacent elements. */
__device__ void change_tile(const float *x, float *y) {
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        y[i] = changed(x[i]);
}

/* Computes the elements of the last tile, if it is incomplete. One block
 * does this. */
__device__ void change_rest(size_t n, const float *x, float *y) {
    if (blockIdx.x > 0) return;
    for (size_t i = n / TILE * TILE + threadIdx.x; i < n; i += THREADS)
        y[i] = changed(x[i]);
}

/* Barriers around the use of a buffer, and NO_WAIT: both, without the wait
 */
enum barriers { BOTH, ONLY_BEFORE, ONLY_AFTER, NO_WAIT };

template <barriers KEPT>
__global__ void change_async(size_t n, const float *x, float *y) {
    __shared__ __align__(16) float buffer[2][TILE];
    const size_t tiles = n / TILE;
    unsigned now = 0;
    if (blockIdx.x < tiles) start_tile(x + blockIdx.x * TILE, buffer[now]);
    __pipeline_commit();
    for (size_t tile = blockIdx.x; tile < tiles;
         tile += gridDim.x, now = !now) {
        const size_t next = tile + gridDim.x;
        if (next < tiles) start_tile(x + next * TILE, buffer[!now]);
        __pipeline_commit(); /* an empty group after the last tile */
        if (KEPT != NO_WAIT) __pipeline_wait_prior(1);
        if (KEPT != ONLY_AFTER) __syncthreads();
        change_tile(buffer[now], y + tile * TILE);
        if (KEPT != ONLY_BEFORE) __syncthreads();
    }
    change_rest(n, x, y);
}

/* Launches a kernel whose blocks process several tiles of x. */
template <class KERNEL>
static void by_tiles(KERNEL kernel, size_t n, const float *x, float *y) {
    const size_t blocks = std::min<size_t>(n / (TILE * STAGES) + 1, BLOCKS);
    kernel<<<(unsigned)blocks, THREADS>>>(n, x, y);
}

/* Faulty rung no-wait: a tile is used while it is on its way
 *
 * The barrier lets the threads continue when all of them have started their
 * copies. It does not wait for the copies. A GPU often gives the right
 * result, because the copy of this tile was started one step earlier and
 * has arrived. The executor makes a copy when the thread waits for it, and
 * reports each earlier access.
 */

/* Faulty rung no-barrier: each thread waits for its own copies only
 *
 * A thread copies 4 adjacent words and reads 4 words that are 256 apart, so
 * others have copied most of them. Their copies may not have arrived. The
 * executor reports the race.
 */

/* Faulty rung too-early: the buffer is filled while
 * other warps still read it
 *
 * Without the barrier after the use, a fast warp starts the copy of the
 * tile after the next one into the buffer that a slow warp is reading.
 */

/* Rung bulk: one thread copies a tile by one instruction
 *
 * `cp.async.bulk` copies 4096 bytes. The address and the number of bytes
 * must be multiples of 16. Its end is signalled by a barrier in shared
 * memory, an mbarrier. A phase of the mbarrier is complete when a given
 * number of threads has arrived, here one, and when the announced number of
 * bytes has arrived. All threads wait for the phase by its parity: 0 for
 * the first phase, 1 for the second, 0 for the third.
 *
 * The mbarrier must be initialized before the copy, and the copy engine
 * must see it: a fence and a barrier of the block do this. If the announced
 * number of bytes is wrong, the threads wait forever.
 *
 * In this rung, a block waits for its tile and then uses it. Other blocks
 * use the memory meanwhile.
 */
typedef unsigned long long mbarrier;

#if !defined WEFT_EXECUTOR && BULK_COPIES
__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Initializes barriers for one arrival per phase. */
__device__ void initialize(mbarrier *b, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        const unsigned at = shared_address(b + k);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at)
                     : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and announces the bytes of the copies of this phase. */
__device__ void announce(mbarrier *b, unsigned bytes) {
    const unsigned at = shared_address(b);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(at), "r"(bytes)
                 : "memory");
}

/* Waits for the end of the phase with this parity. */
__device__ void wait(mbarrier *b, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(shared_address(b)), "r"(parity)
            : "memory");
}

/* Starts a copy to shared memory, and announces it. */
__device__ void start_bulk(float *to, const float *from, unsigned bytes,
                           mbarrier *b) {
    announce(b, bytes);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];"
        :
        : "r"(shared_address(to)), "l"(__cvta_generic_to_global(from)),
          "r"(bytes), "r"(shared_address(b))
        : "memory");
}
#elif BULK_COPIES
/* The executor has functions instead of these instructions. */
__device__ void initialize(mbarrier *b, unsigned count) {
    for (unsigned k = 0; k < count; k++)
        emulated::initialize_mbarrier(b + k, 1);
}
__device__ void announce(mbarrier *b, unsigned bytes) {
    emulated::arrive_and_expect(b, bytes);
}
__device__ void wait(mbarrier *b, unsigned parity) {
    emulated::await_phase(b, parity);
}
__device__ void start_bulk(float *to, const float *from, unsigned bytes,
                           mbarrier *b) {
    announce(b, bytes);
    emulated::start_bulk_load(to, from, bytes, b);
}
#endif

template <bool ALL_WAIT>
static __global__ void change_bulk(size_t n, const float *x, float *y) {
#if BULK_COPIES
    __shared__ __align__(128) float buffer[TILE];
    __shared__ mbarrier arrived;
    if (threadIdx.x == 0) initialize(&arrived, 1);
    __syncthreads();
    unsigned parity = 0;
    for (size_t tile = blockIdx.x; tile < n / TILE;
         tile += gridDim.x, parity ^= 1) {
        if (threadIdx.x == 0)
            start_bulk(buffer, x + tile * TILE, sizeof buffer, &arrived);
        if (ALL_WAIT || threadIdx.x == 0) wait(&arrived, parity);
        change_tile(buffer, y + tile * TILE);
        __syncthreads(); /* all threads have read the buffer */
    }
    change_rest(n, x, y);
#endif
    (void)n, (void)x, (void)y;
}

/* Faulty rung one-waits: only the thread that starts the copy waits for it
 *
 * The other threads read the buffer before the copy has arrived. Each
 * thread that reads must wait for the mbarrier, or come after a barrier of
 * the block that follows the wait.
 */

/* Rung ring: four tiles in flight
 *
 * The block has four buffers, each with an mbarrier. At the start, one
 * thread starts four copies. Then the block waits for the first one, uses
 * it, and the thread starts the copy of the fifth tile into the same
 * buffer. So three copies are in flight while a tile is used. Step k uses
 * buffer k % 4 in its phase k / 4, whose parity is k / 4 % 2.
 *
 * The bytes in flight no longer depend on the number of threads: 4 blocks
 * of 256 threads have 64 KB in flight.
 */
#if BULK_COPIES
/* Starts the copy of the tile that a block uses in
 * step k, if there is one. */
__device__ void start_step(size_t k, size_t n, const float *x,
                           float buffer[][TILE], mbarrier *arrived) {
    const size_t tile = blockIdx.x + k * gridDim.x;
    const unsigned stage = k % STAGES;
    if (tile < n / TILE)
        start_bulk(buffer[stage], x + tile * TILE, sizeof buffer[0],
                   &arrived[stage]);
}
#endif

static __global__ void change_in_ring(size_t n, const float *x, float *y) {
#if BULK_COPIES
    __shared__ __align__(128) float buffer[STAGES][TILE];
    __shared__ mbarrier arrived[STAGES];
    if (threadIdx.x == 0) {
        initialize(arrived, STAGES);
        for (size_t k = 0; k < STAGES; k++)
            start_step(k, n, x, buffer, arrived);
    }
    __syncthreads(); /* the mbarriers are initialized */
    size_t k = 0;
    for (size_t tile = blockIdx.x; tile < n / TILE;
         tile += gridDim.x, k++) {
        wait(&arrived[k % STAGES], k / STAGES % 2);
        change_tile(buffer[k % STAGES], y + tile * TILE);
        __syncthreads(); /* all threads have read the buffer */
        if (threadIdx.x == 0) start_step(k + STAGES, n, x, buffer, arrived);
    }
    change_rest(n, x, y);
#endif
    (void)n, (void)x, (void)y;
}

/* Rung both-ways: the results are copied by the accelerator too
 *
 * The threads write the results to the buffer of their elements, and one
 * thread starts the copy of the buffer to y. Threads and the accelerator
 * access shared memory in different ways, so a fence must separate the
 * writes of the threads from the copy. The barrier of the block then tells
 * the thread that all others have passed their fence.
 *
 * A buffer may be filled again when the copy to y has read it. The thread
 * waits until all its copies except the last one have read their buffers,
 * and then fills the buffer of the step before.
 */
#if !defined WEFT_EXECUTOR && BULK_COPIES
/* Puts the thread's writes to shared memory before
 * copies that start after it. */
__device__ void fence_for_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Starts a copy from shared memory, and waits until all copies of the
 * thread except the last one have read it. */
__device__ void start_store(float *to, const float *from, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
        "cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 1;" ::"l"(
            __cvta_generic_to_global(to)),
        "r"(shared_address(from)), "r"(bytes)
        : "memory");
}

/* Waits until all copies of the thread are complete. */
__device__ void wait_for_stores() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#elif BULK_COPIES
__device__ void fence_for_copies() { emulated::fence_proxy_async(); }
__device__ void start_store(float *to, const float *from, unsigned bytes) {
    emulated::start_bulk_store(to, from, bytes);
    emulated::await_bulk_stores(1);
}
__device__ void wait_for_stores() { emulated::await_bulk_stores(0); }
#endif

template <bool FENCED>
static __global__ void change_both_ways(size_t n, const float *x,
                                        float *y) {
#if BULK_COPIES
    __shared__ __align__(128) float buffer[STAGES][TILE];
    __shared__ mbarrier arrived[STAGES];
    if (threadIdx.x == 0) {
        initialize(arrived, STAGES);
        for (size_t k = 0; k < STAGES; k++)
            start_step(k, n, x, buffer, arrived);
    }
    __syncthreads();
    size_t k = 0;
    for (size_t tile = blockIdx.x; tile < n / TILE;
         tile += gridDim.x, k++) {
        float *const own = buffer[k % STAGES];
        wait(&arrived[k % STAGES], k / STAGES % 2);
        change_tile(own, own);
        if (FENCED) fence_for_copies();
        __syncthreads();
        if (threadIdx.x > 0) continue;
        start_store(y + tile * TILE, own, TILE * sizeof(float));
        if (k > 0) start_step(k - 1 + STAGES, n, x, buffer, arrived);
    }
    if (threadIdx.x == 0) wait_for_stores();
    change_rest(n, x, y);
#endif
    (void)n, (void)x, (void)y;
}

#ifndef WEFT_EXECUTOR
/* Ends the rung with a sentence if the kernel was not compiled for compute
 * capability 9.0. */
template <class KERNEL> static void need_accelerator(KERNEL kernel) {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    if (attributes.ptxVersion < 90)
        throw ladder_absent("it needs a GPU with compute capability 9.0 "
                            "and code that was compiled for it");
}
#else
template <class KERNEL> static void need_accelerator(KERNEL) {}
#endif

/* Launches a kernel that uses the accelerator. */
static void accelerated(void (*kernel)(size_t, const float *, float *),
                        size_t n, const float *x, float *y) {
    need_accelerator(kernel);
    by_tiles(kernel, n, x, y);
}

/* Faulty rung no-fence: the copy to y starts without a fence
 *
 * The barrier of the block puts the writes of the threads before accesses
 * by threads. The accelerator may still read what was in the buffer before.
 * A GPU often gives the right result. The executor reports a copy of words
 * that a thread has written if no fence comes between.
 */

/* Rung tensor-map: tiles of a matrix, without conditions at its edges
 *
 * Here the array is a matrix with 1000 columns, and a tile has 16 rows of
 * 64 elements. `cp.async.bulk.tensor` copies it by one instruction. It
 * needs a tensor map: 128 bytes with the address of the matrix, its size,
 * the distance of two rows, and the size of a tile (the box). The host
 * makes the map by `cuTensorMapEncodeTiled`, a function of the driver. The
 * accelerator reads the map from memory, so it is passed to the kernel as
 * `const __grid_constant__`, which threads do not copy.
 *
 * The instruction contains the column and the row of the tile's first
 * element. Elements outside the matrix become zeros in shared memory, and
 * are not stored. So incomplete tiles at the right and lower edge need no
 * conditions. The bytes that arrive are those of a whole tile, with the
 * zeros (see `bytes-inside`).
 *
 * The address of the matrix, the distance of two rows and a row of the box
 * must be multiples of 16 bytes, and the box has at most 256 rows and
 * columns; otherwise the driver refuses the map. The address in shared
 * memory must be a multiple of 128. The elements after the last whole row
 * are computed in the usual way.
 */
constexpr unsigned COLUMNS = 1000, TILE_COLUMNS = 64, TILE_ROWS = 16;
constexpr unsigned ACROSS = blocks_for(COLUMNS, TILE_COLUMNS); /* tiles */
static_assert(TILE_COLUMNS * TILE_ROWS == TILE, "the tile of `both-ways`");

#if !defined WEFT_EXECUTOR && BULK_COPIES
/* Starts the copy of a tile to shared memory. */
__device__ void start_matrix_load(float *to, const CUtensorMap *map,
                                  int column, int row, mbarrier *b) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(shared_address(to)), "l"(map), "r"(column), "r"(row),
                   "r"(shared_address(b))
                 : "memory");
}

/* Starts the copy of a tile from shared memory, and waits until all copies
 * of the thread except the last one have read it. */
__device__ void start_matrix_store(const CUtensorMap *map, int column,
                                   int row, const float *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                 "[%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group.read 1;"
                 :
                 : "l"(map), "r"(column), "r"(row),
                   "r"(shared_address(from))
                 : "memory");
}
#elif BULK_COPIES
__device__ void start_matrix_load(float *to, const CUtensorMap *map,
                                  int column, int row, mbarrier *b) {
    emulated::start_tensor_load(to, map, column, row, b);
}
__device__ void start_matrix_store(const CUtensorMap *map, int column,
                                   int row, const float *from) {
    emulated::start_tensor_store(map, column, row, from);
    emulated::await_bulk_stores(1);
}
#endif

__host__ __device__ size_t tiles_of(size_t rows) {
    return (rows + TILE_ROWS - 1) / TILE_ROWS * ACROSS;
}

#if BULK_COPIES
__device__ int column_of(size_t tile) {
    return (int)(tile % ACROSS * TILE_COLUMNS);
}
__device__ int row_of(size_t tile) {
    return (int)(tile / ACROSS * TILE_ROWS);
}

/* WHOLE: announces the bytes of a whole tile. */
template <bool WHOLE>
__device__ void start_matrix_step(size_t k, size_t rows,
                                  const CUtensorMap *map,
                                  float buffer[][TILE], mbarrier *arrived) {
    const size_t tile = blockIdx.x + k * gridDim.x;
    if (tile >= tiles_of(rows)) return;
    const unsigned inside = min(TILE_COLUMNS, COLUMNS - column_of(tile));
    const unsigned row_bytes = (WHOLE ? TILE_COLUMNS : inside) * 4;
    announce(&arrived[k % STAGES], row_bytes * TILE_ROWS);
    start_matrix_load(buffer[k % STAGES], map, column_of(tile),
                      row_of(tile), &arrived[k % STAGES]);
}
#endif

template <bool WHOLE>
__global__ void change_matrix(const __grid_constant__ CUtensorMap from,
                              const __grid_constant__ CUtensorMap to,
                              size_t rows) {
#if BULK_COPIES
    __shared__ __align__(128) float buffer[STAGES][TILE];
    __shared__ mbarrier arrived[STAGES];
    if (threadIdx.x == 0) {
        initialize(arrived, STAGES);
        for (size_t k = 0; k < STAGES; k++)
            start_matrix_step<WHOLE>(k, rows, &from, buffer, arrived);
    }
    __syncthreads();
    size_t k = 0;
    for (size_t tile = blockIdx.x; tile < tiles_of(rows);
         tile += gridDim.x, k++) {
        float *const own = buffer[k % STAGES];
        wait(&arrived[k % STAGES], k / STAGES % 2);
        change_tile(own, own);
        fence_for_copies();
        __syncthreads();
        if (threadIdx.x > 0) continue;
        start_matrix_store(&to, column_of(tile), row_of(tile), own);
        if (k > 0)
            start_matrix_step<WHOLE>(k - 1 + STAGES, rows, &from, buffer,
                                     arrived);
    }
    if (threadIdx.x == 0) wait_for_stores();
#endif
    (void)rows;
}

/* Finds the function of the driver that makes maps. */
static decltype(&cuTensorMapEncodeTiled) find_encoder() {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    const char *const name = "cuTensorMapEncodeTiled";
#if CUDART_VERSION >= 12050
    CUDA_CHECK(cudaGetDriverEntryPointByVersion(
        name, &found, 12000, cudaEnableDefault, &result));
#else
    CUDA_CHECK(
        cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result));
#endif
    if (result != cudaDriverEntryPointSuccess)
        throw ladder_absent("it needs a driver of CUDA 12 or later");
    return (decltype(&cuTensorMapEncodeTiled))found;
}

/* Returns the map of the first rows of an array, for boxes of this size. */
static CUtensorMap map_of(const float *array, size_t rows,
                          unsigned box_columns = TILE_COLUMNS,
                          unsigned box_rows = TILE_ROWS) {
    static const auto encode = find_encoder();
    const cuuint64_t size[] = {COLUMNS, rows};
    const cuuint64_t row_bytes[] = {COLUMNS * sizeof(float)};
    const cuuint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
    CUtensorMap map;
    const CUresult error =
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)array,
               size, row_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS)
        throw std::runtime_error("the driver refuses the tensor map");
    return map;
}

static unsigned matrix_blocks(size_t rows) {
    return (unsigned)std::min<size_t>(tiles_of(rows) / STAGES + 1, BLOCKS);
}

template <bool WHOLE>
static void by_matrix(size_t n, const float *x, float *y) {
    need_accelerator(change_matrix<WHOLE>);
    const size_t rows = n / COLUMNS, done = rows * COLUMNS, rest = n - done;
    change_matrix<WHOLE><<<matrix_blocks(rows), THREADS>>>(
        map_of(x, rows), map_of(y, rows), rows);
    if (rest > 0)
        change_one_element<<<blocks_for<size_t>(rest, THREADS), THREADS>>>(
            rest, x + done, y + done);
}

/* Faulty rung bytes-inside: only the bytes inside
 * the matrix are announced
 *
 * A tile at the edge arrives as a whole, with zeros. The bytes of the phase
 * never become those that were announced, and the threads wait forever.
 */

/* Rung border: the sum of an element and its four neighbours
 *
 * A tile with a border of one element on each side begins one row above
 * the results, at row -1 for the first tile. The elements outside the
 * matrix are zeros, so no thread compares an index. The column at which a
 * box begins, and the length of its rows, must be multiples of 16 bytes. So
 * the box begins 4 columns to the left and has 72 columns, of which 66 are
 * used. The box of the results has no border, so it needs a map of its own.
 *
 * Two buffers are filled alternately. The sums have a third one, which is
 * free when the copy of the tile before has read it.
 *
 * Order: the element, then left, right, above, below.
 */
constexpr unsigned MARGIN = 4; /* columns: 16 bytes */
constexpr unsigned BOX_COLUMNS = TILE_COLUMNS + 2 * MARGIN;
constexpr unsigned BOX_ROWS = TILE_ROWS + 2;

struct __align__(128) bordered_tile {
    float at[BOX_ROWS][BOX_COLUMNS];
};

#if BULK_COPIES
/* Starts the copy of the tile that a block uses in step k, with its border,
 * if there is one. */
__device__ void start_bordered_step(size_t k, size_t rows,
                                    const CUtensorMap *map,
                                    bordered_tile *buffer,
                                    mbarrier *arrived) {
    const size_t tile = blockIdx.x + k * gridDim.x;
    if (tile >= tiles_of(rows)) return;
    announce(&arrived[k % 2], BOX_ROWS * BOX_COLUMNS * sizeof(float));
    start_matrix_load(buffer[k % 2].at[0], map,
                      column_of(tile) - (int)MARGIN, row_of(tile) - 1,
                      &arrived[k % 2]);
}

__device__ void add_in_tile(const bordered_tile &x, float *y) {
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS) {
        const unsigned row = i / TILE_COLUMNS + 1;
        const unsigned column = i % TILE_COLUMNS + MARGIN;
        y[i] = x.at[row][column] + x.at[row][column - 1] +
               x.at[row][column + 1] + x.at[row - 1][column] +
               x.at[row + 1][column];
    }
}
#endif

static __global__ void
add_neighbours(const __grid_constant__ CUtensorMap from,
               const __grid_constant__ CUtensorMap to, size_t rows) {
#if BULK_COPIES
    __shared__ bordered_tile buffer[2];
    __shared__ __align__(128) float sums[TILE];
    __shared__ mbarrier arrived[2];
    if (threadIdx.x == 0) {
        initialize(arrived, 2);
        for (size_t k = 0; k < 2; k++)
            start_bordered_step(k, rows, &from, buffer, arrived);
    }
    __syncthreads();
    size_t k = 0;
    for (size_t tile = blockIdx.x; tile < tiles_of(rows);
         tile += gridDim.x, k++) {
        if (threadIdx.x == 0) wait_for_stores();
        __syncthreads(); /* the sums of the tile before are copied */
        wait(&arrived[k % 2], k / 2 % 2);
        add_in_tile(buffer[k % 2], sums);
        fence_for_copies();
        __syncthreads();
        if (threadIdx.x > 0) continue;
        start_matrix_store(&to, column_of(tile), row_of(tile), sums);
        start_bordered_step(k + 2, rows, &from, buffer, arrived);
    }
    if (threadIdx.x == 0) wait_for_stores();
#endif
    (void)rows;
}

static void by_neighbours(size_t n, const float *x, float *y) {
    need_accelerator(add_neighbours);
    const size_t rows = n / COLUMNS;
    add_neighbours<<<matrix_blocks(rows), THREADS>>>(
        map_of(x, rows, BOX_COLUMNS, BOX_ROWS), map_of(y, rows), rows);
}

static std::vector<float> sums_of_neighbours(const std::vector<float> &x) {
    const long rows = (long)(x.size() / COLUMNS), columns = COLUMNS;
    const auto at = [&](long row, long column) {
        const bool inside =
            row >= 0 && row < rows && column >= 0 && column < columns;
        return inside ? x[(size_t)(row * columns + column)] : 0.0f;
    };
    std::vector<float> y((size_t)(rows * columns));
    ladder_in_parts(y.size(), [&](size_t first, size_t end) {
        for (size_t i = first; i < end; i++) {
            const long row = (long)i / columns, column = (long)i % columns;
            y[i] = at(row, column) + at(row, column - 1) +
                   at(row, column + 1) + at(row - 1, column) +
                   at(row + 1, column);
        }
    });
    return y;
}

/* Exercises
 *
 * 1. How many bytes per multiprocessor must be in flight at 4.8 TB/s and a
 *    latency of one microsecond? How many threads of `one-element` would
 *    that be?
 * 2. In `ring`, what happens if a thread waits for parity 0 in all phases?
 *    Draw the phases of one buffer.
 * 3. Give `async` four buffers. Which numbers change, and is the second
 *    barrier still needed?
 * 4. In `both-ways`, remove the fence. Which data may the copy to y then
 *    read?
 * 5. How many bytes does `tensor-map` announce for the last tile of a row?
 *    How many of them are read from memory?
 * 6. A block of `border` reads 72 x 18 elements for 64 x 16 sums. Which
 *    size of the tile needs the fewest bytes if shared memory has 20 KB
 *    for the three buffers?
 */

} // namespace

/* Climbing the rungs. */
void climb_bulk_copies(climb &c) {
    const size_t n = c.n;
    const std::vector<float> values = ladder_values<float>(n, 1);
    std::vector<float> expected(n);
    for (size_t i = 0; i < n; i++) expected[i] = changed(values[i]);
    const float *const x = c.input(values);
    float *const y = c.output<float>(n);
    c.work(8.0 * (double)n, 2.0 * (double)n);

    const ladder_claim right = [&] { return c.holds(y, expected); };
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    c.rung("one-element", right,
           [=] { change_one_element<<<blocks, THREADS>>>(n, x, y); });
    c.rung("async", right, [=] { by_tiles(change_async<BOTH>, n, x, y); });
    c.faulty("no-wait", right,
             [=] { by_tiles(change_async<NO_WAIT>, n, x, y); },
             {.least = TILE, .executor_only = true});
    c.faulty("no-barrier", right,
             [=] { by_tiles(change_async<ONLY_AFTER>, n, x, y); },
             {.least = TILE, .executor_only = true});
    c.faulty("too-early", right,
             [=] { by_tiles(change_async<ONLY_BEFORE>, n, x, y); },
             {.least = 2 * STAGES * TILE, .executor_only = true});
    c.rung("bulk", right, [=] { accelerated(change_bulk<true>, n, x, y); });
    c.faulty("one-waits", right,
             [=] { accelerated(change_bulk<false>, n, x, y); },
             {.least = TILE});
    c.rung("ring", right, [=] { accelerated(change_in_ring, n, x, y); });
    c.rung("both-ways", right,
           [=] { accelerated(change_both_ways<true>, n, x, y); });
    c.faulty("no-fence", right,
             [=] { accelerated(change_both_ways<false>, n, x, y); },
             {.least = TILE, .executor_only = true});
    c.rung("tensor-map", right, [=] { by_matrix<true>(n, x, y); },
           {.least = COLUMNS});
    c.faulty("bytes-inside", right, [=] { by_matrix<false>(n, x, y); },
             {.least = COLUMNS, .executor_only = true});

    const std::vector<float> sums = sums_of_neighbours(values);
    c.work(8.0 * (double)sums.size(), 4.0 * (double)sums.size());
    c.rung(
        "border", [&] { return c.holds(y, sums); },
        [=] { by_neighbours(n, x, y); }, {.least = COLUMNS});
}
