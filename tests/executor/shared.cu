/* Faults in shared memory, at barriers, in warps and in copies, each next to a right kernel. */
#include "executor_test.h"

#include <bulk_copies.h>
#include <cuda_pipeline.h>

enum { THREADS = 64 };

/* ---------------------------------------------------------------------------------- races */

enum { STORE_LINE = __LINE__ + 5, LOAD_LINE = __LINE__ + 7 };

template <bool RIGHT> __global__ void reverse(int *y) {
    __shared__ int tile[THREADS];
    const unsigned t = threadIdx.x;
    tile[t] = (int)t;
    if (RIGHT) __syncthreads();
    y[t] = tile[THREADS - 1 - t];
}

enum { ADD_LINE = __LINE__ + 6, PLAIN_LINE = __LINE__ + 8 };

template <bool RIGHT> __global__ void add_to_one(int *y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x > 0) atomicAdd(&sum, 1);
    if (RIGHT) __syncthreads();
    if (threadIdx.x == 0) y[0] = sum;
}

static void races() {
    int *const y = device_array<int>(THREADS);
    emulated::set_schedule(emulated::BACKWARD, 0);
    reverse<true><<<1, THREADS>>>(y);
    found("reverse", "");
    add_to_one<true><<<1, THREADS>>>(y);
    found("add_to_one", "");
    emulated::unwritten_is_a_fault = false;
    reverse<false><<<1, THREADS>>>(y);
    found("reverse without barrier",
          "a race in shared memory, block 0: thread 31 writes at shared.cu:%d a word that thread 32 read at "
          "shared.cu:%d, and no barrier stands between",
          STORE_LINE, LOAD_LINE);
    add_to_one<false><<<1, THREADS>>>(y);
    found("add_to_one without barrier",
          "a race in shared memory, block 0: thread 0 reads at shared.cu:%d a word that thread 1 wrote at "
          "shared.cu:%d, and no barrier stands between",
          PLAIN_LINE, ADD_LINE);
    emulated::unwritten_is_a_fault = true;
    emulated::set_schedule(emulated::FORWARD, 0);
    (void)cudaFree(y);
}

/* ------------------------------------------------------------------------------- barriers */

enum { THEN_LINE = __LINE__ + 5, ELSE_LINE = __LINE__ + 6 };

template <bool RIGHT> __global__ void branches(int *y) {
    if (RIGHT || threadIdx.x < THREADS / 2) {
        y[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
        y[threadIdx.x] = 2;
    }
}

enum { BARRIER_LINE = __LINE__ + 4 };

template <bool RIGHT> __global__ void some_return(int *y) {
    if (!RIGHT && threadIdx.x >= 40) return;
    __syncthreads();
    y[threadIdx.x] = 1;
}

/* The compiler may copy the loop with its barrier. */
__global__ void rounds(int count, int *y) {
    for (int i = 0; i < count; i++) {
        if (i % 2) __syncthreads();
        y[threadIdx.x] = i;
        __syncthreads();
    }
}

static void barriers() {
    int *const y = device_array<int>(THREADS);
    branches<true><<<1, THREADS>>>(y);
    found("branches", "");
    branches<false><<<1, THREADS>>>(y);
    found("barriers in two branches",
          "block 0: thread 0 waits at the barrier at shared.cu:%d, and thread 32 at another one at shared.cu:%d",
          THEN_LINE, ELSE_LINE + 1);
    some_return<true><<<1, THREADS>>>(y);
    found("some_return", "");
    some_return<false><<<1, THREADS>>>(y);
    found(
        "some return before the barrier",
        "block 0 stands still: 40 threads wait at __syncthreads at shared.cu:%d, which 24 threads never reach: they "
        "have returned",
        BARRIER_LINE);
    rounds<<<1, THREADS>>>(5, y);
    found("rounds", "");
    (void)cudaFree(y);
}

/* ------------------------------------------------------------------------------- shuffles */

enum { SHUFFLE_LINE = __LINE__ + 5 };

template <bool RIGHT> __global__ void from_next(int count, int *y) {
    const int i = (int)threadIdx.x;
    if (!RIGHT && i >= count) return;
    const int next = __shfl_down_sync(0xffffffffu, i, 1);
    if (i < count) y[i] = next;
}

enum { MASK_LINE = __LINE__ + 4 };

template <bool RIGHT> __global__ void vote(int *y) {
    const unsigned mask = RIGHT ? 0xffffffffu : 0x0000ffffu;
    const int all = __all_sync(mask, threadIdx.x < 32);
    y[threadIdx.x] = all;
}

static void shuffles() {
    int *const y = device_array<int>(THREADS);
    from_next<true><<<1, THREADS>>>(50, y);
    found("from_next", "");
    from_next<false><<<1, THREADS>>>(50, y);
    found("a shuffle with lanes that have returned",
          "block 0 stands still: 18 threads wait for lanes of their warp that a mask names; 0 wait at __syncthreads, "
          "46 "
          "have returned, and the block has 64; thread 32 waits at shared.cu:%d for lane 18, which has returned",
          SHUFFLE_LINE);
    vote<true><<<1, THREADS>>>(y);
    found("vote", "");
    vote<false><<<1, THREADS>>>(y);
    found("a lane that its mask leaves out",
          "thread 16 calls a function of warps with the mask 0x0000ffff, which leaves its own lane out, at "
          "shared.cu:%d",
          MASK_LINE);
    (void)cudaFree(y);
}

/* -------------------------------------------------------------------- asynchronous copies */

enum copy_fault { AWAITED, NO_WAIT, ONE_LEFT, NOT_COMMITTED, WRITTEN, NO_BARRIER };
enum { COPY_LINE = __LINE__ + 6, SET_LINE = __LINE__ + 10, USE_LINE = __LINE__ + 12 };

/* Copies the elements, and stores those of other threads. */
template <copy_fault FAULT> __global__ void copied(const int *x, int *y) {
    __shared__ int tile[THREADS];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &x[t], sizeof *x);
    if (FAULT != NOT_COMMITTED) __pipeline_commit();
    if (FAULT == AWAITED || FAULT == NOT_COMMITTED || FAULT == NO_BARRIER) __pipeline_wait_prior(0);
    if (FAULT == ONE_LEFT) __pipeline_wait_prior(1);
    if (FAULT == WRITTEN && t == 0) tile[t] = 1;
    if (FAULT != NO_BARRIER) __syncthreads();
    y[t] = tile[t ^ 32];
}

/* Two groups of copies: the second one is on its way while the first one is used. */
__global__ void two_groups(const int *x, int *y) {
    __shared__ int tile[2][THREADS];
    const unsigned t = threadIdx.x;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tile[i][t], &x[t], 4, i ? 4 : 0);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    y[t] = tile[0][t];
    __pipeline_wait_prior(0);
    y[t] += tile[1][t];
}

enum { BYTES_LINE = __LINE__ + 5 };

template <int BYTES> __global__ void part(const int *x, int *y) {
    __shared__ __align__(16) int tile[THREADS];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &x[t], BYTES);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[t] = tile[t];
}

static void copies() {
    int *const x = device_array<int>(THREADS + 4), *const y = device_array<int>(THREADS);
    static int values[THREADS + 4];
    for (int i = 0; i < THREADS + 4; i++) values[i] = i;
    (void)cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    copied<AWAITED><<<1, THREADS>>>(x, y);
    found("copied", "");
    (void)cudaMemcpy(values, y, THREADS * sizeof *y, cudaMemcpyDeviceToHost);
    holds("copied", values[0] == 32 && values[63] == 31);
    two_groups<<<1, THREADS>>>(x, y);
    found("two_groups", "");
    (void)cudaMemcpy(values, y, THREADS * sizeof *y, cudaMemcpyDeviceToHost);
    holds("two_groups", values[0] == 0 && values[63] == 63);
    const char *const reads =
        "block 0: thread 0 reads at shared.cu:%d shared memory before the copy to it at shared.cu:%d was awaited";
    copied<NO_WAIT><<<1, THREADS>>>(x, y);
    found("a copy that no thread waits for", reads, USE_LINE, COPY_LINE);
    copied<ONE_LEFT><<<1, THREADS>>>(x, y);
    found("a wait for all groups but the last", reads, USE_LINE, COPY_LINE);
    copied<NOT_COMMITTED><<<1, THREADS>>>(x, y);
    found("a copy that is in no group", reads, USE_LINE, COPY_LINE);
    copied<WRITTEN><<<1, THREADS>>>(x, y);
    found("a write before the wait",
          "block 0: thread 0 writes at shared.cu:%d shared memory before the copy to it at shared.cu:%d was awaited",
          SET_LINE, COPY_LINE);
    emulated::unwritten_is_a_fault = false;
    copied<NO_BARRIER><<<1, THREADS>>>(x, y);
    found("a copy of another thread without a barrier",
          "a race in shared memory, block 0: thread 32 writes at shared.cu:%d a word that thread 0 read at "
          "shared.cu:%d, and no barrier stands between",
          COPY_LINE, USE_LINE);
    emulated::unwritten_is_a_fault = true;
    part<12><<<1, THREADS>>>(x, y);
    found("a copy of 12 bytes",
          "block 0: thread 0 starts a copy of 12 bytes to shared memory, where 4, 8 or 16 are possible, at "
          "shared.cu:%d",
          BYTES_LINE);
    part<16><<<1, THREADS>>>(x, y);
    found("a copy that is not aligned",
          "block 0: thread 1 starts a copy of 16 bytes whose addresses are not both multiples of 16, at shared.cu:%d",
          BYTES_LINE);
    (void)cudaFree(x);
    (void)cudaFree(y);
}

/* ----------------------------------------------------------------------------- bulk copies */

enum bulk_fault { NONE, ONE_WAITS, WRONG_PARITY, MORE_ANNOUNCED, NO_ARRIVAL, TOO_EARLY, STORE_NOT_AWAITED };
enum { ANNOUNCE_LINE = __LINE__ + 12, LOAD_COPY_LINE = __LINE__ + 13, BULK_WAIT_LINE = __LINE__ + 15 };
enum { BULK_USE_LINE = __LINE__ + 15, STORE_COPY_LINE = __LINE__ + 19, STORE_USE_LINE = __LINE__ + 21 };

/* Adds 1 to each element, in shared memory, in two steps. */
template <bulk_fault FAULT> __global__ void in_bulk(const int *x, int *y) {
    __shared__ __align__(16) int tile[THREADS];
    __shared__ unsigned long long arrived;
    const unsigned t = threadIdx.x, bytes = sizeof tile;
    if (t == 0) emulated::initialize_mbarrier(&arrived, FAULT == NO_ARRIVAL ? 2 : 1);
    __syncthreads();
    for (unsigned step = 0; step < 2; step++) {
        if (t == 0) {
            emulated::arrive_and_expect(&arrived, bytes + (FAULT == MORE_ANNOUNCED ? 16 : 0));
            emulated::start_bulk_load(tile, x + step * THREADS, bytes, &arrived);
        }
        if (FAULT != ONE_WAITS || t == 0) emulated::await_phase(&arrived, FAULT == WRONG_PARITY ? 1 : step);
        tile[t] = tile[t] + 1;
        emulated::fence_proxy_async();
        if (FAULT != TOO_EARLY) __syncthreads();
        if (t == 0) {
            emulated::start_bulk_store(y + step * THREADS, tile, bytes);
            if (FAULT != STORE_NOT_AWAITED) emulated::await_bulk_stores(0);
            tile[0] = 0;
        }
        __syncthreads();
    }
}

static void bulk_copies() {
    int *const x = device_array<int>(2 * THREADS), *const y = device_array<int>(2 * THREADS);
    static int values[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; i++) values[i] = i;
    (void)cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    in_bulk<NONE><<<2, THREADS>>>(x, y);
    found("in_bulk",
          "a race in global memory: block 1, thread 0 writes at shared.cu:%d a word that block 0, thread 0 "
          "wrote at shared.cu:%d, and no __threadfence with a flag puts them in order",
          STORE_COPY_LINE, STORE_COPY_LINE);
    in_bulk<NONE><<<1, THREADS>>>(x, y);
    found("in_bulk", "");
    (void)cudaMemcpy(values, y, sizeof values, cudaMemcpyDeviceToHost);
    holds("in_bulk", values[0] == 1 && values[127] == 128);
    in_bulk<ONE_WAITS><<<1, THREADS>>>(x, y);
    found("a bulk copy for which one thread waits",
          "a race in shared memory, block 0: thread 1 reads at shared.cu:%d a word that thread 0 wrote at "
          "shared.cu:%d, and no barrier stands between",
          BULK_USE_LINE, LOAD_COPY_LINE);
    in_bulk<WRONG_PARITY><<<1, THREADS>>>(x, y);
    found("a wait for another phase",
          "block 0: thread 0 reads at shared.cu:%d shared memory before the copy to it at shared.cu:%d was awaited",
          BULK_USE_LINE, LOAD_COPY_LINE);
    in_bulk<MORE_ANNOUNCED><<<1, THREADS>>>(x, y);
    found("more bytes announced than copied",
          "block 0 stands still: 64 threads wait at shared.cu:%d for an mbarrier: its copies have 16 bytes less than "
          "were announced at shared.cu:%d",
          BULK_WAIT_LINE, ANNOUNCE_LINE);
    in_bulk<NO_ARRIVAL><<<1, THREADS>>>(x, y);
    found("an arrival that is missing",
          "block 0 stands still: 64 threads wait at shared.cu:%d for an mbarrier: 1 of its 2 arrivals are missing",
          BULK_WAIT_LINE);
    in_bulk<TOO_EARLY><<<1, THREADS>>>(x, y);
    found("a bulk copy of words that others still write",
          "a race in shared memory, block 0: thread 1 writes at shared.cu:%d a word that thread 0 read at "
          "shared.cu:%d, and no barrier stands between",
          BULK_USE_LINE, STORE_COPY_LINE);
    in_bulk<STORE_NOT_AWAITED><<<1, THREADS>>>(x, y);
    found(
        "a write to words that a bulk copy still reads",
        "block 0: thread 0 writes at shared.cu:%d shared memory before the copy from it at shared.cu:%d was awaited",
        STORE_USE_LINE, STORE_COPY_LINE);
    (void)cudaFree(x);
    (void)cudaFree(y);
}

/* -------------------------------------------------------------------------------- indices */

enum { INDEX_LINE = __LINE__ + 5, ROW_LINE = __LINE__ + 12, DYNAMIC_LINE = __LINE__ + 19 };

__global__ void next_of(int by, int *y) {
    __shared__ int tile[THREADS];
    const int t = (int)threadIdx.x;
    tile[t + by] = t;
    y[t] = t;
}

__global__ void column_of(unsigned column, int *y) {
    __shared__ int tile[2][THREADS];
    const unsigned t = threadIdx.x;
    tile[1][column + t] = 1;
    y[t] = 1;
}

__global__ void dynamic_next(int *y) {
    extern __shared__ int words[];
    const unsigned t = threadIdx.x;
    words[t + 1] = 1;
    y[t] = 1;
}

static void indices() {
    int *const y = device_array<int>(THREADS);
    next_of<<<1, THREADS>>>(0, y);
    found("next_of", "");
    next_of<<<1, THREADS>>>(1, y);
    found("an index after the end of an array",
          "block 0: thread 63 uses the index 64 of an array of the type 'int [64]' at shared.cu:%d", INDEX_LINE);
    next_of<<<1, THREADS>>>(-2, y);
    holds("the error of the launch", cudaGetLastError() == cudaErrorIllegalAddress);
    found("an index before the start of an array",
          "block 0: thread 0 uses the index -2 of an array of the type 'int [64]' at shared.cu:%d", INDEX_LINE);
    column_of<<<1, THREADS>>>(1, y);
    found("an index after the end of a row",
          "block 0: thread 63 uses the index 64 of an array of the type 'int [64]' at shared.cu:%d", ROW_LINE);
    dynamic_next<<<1, THREADS, THREADS * sizeof(int)>>>(y);
    found("an index after the end of dynamic shared memory",
          "block 0: thread 63 is at byte 256 of the dynamic shared memory, for which the launch asked 256 at "
          "shared.cu:%d",
          DYNAMIC_LINE);
    (void)cudaFree(y);
}

int main() {
    emulated::unwritten_is_a_fault = emulated::order_is_checked = true;
    races();
    barriers();
    shuffles();
    copies();
    bulk_copies();
    indices();
    return finish();
}
