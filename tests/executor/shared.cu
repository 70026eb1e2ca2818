/* Faults in shared memory, at barriers and in warps, each next to a right kernel. */
#include "executor_test.h"

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

int main() {
    emulated::unwritten_is_a_fault = emulated::order_is_checked = true;
    races();
    barriers();
    shuffles();
    return finish();
}
