/* Faults in the device's memory, each next to a right kernel. */
#include "executor_test.h"

enum { THREADS = 64, BLOCKS = 8, N = THREADS * BLOCKS };

/* -------------------------------------------------------------------- races within a block */

enum { STORE_LINE = __LINE__ + 4, LOAD_LINE = __LINE__ + 6 };

template <bool RIGHT> __global__ void reverse(int *y) {
    const unsigned t = threadIdx.x;
    y[t] = (int)t;
    if (RIGHT) __syncthreads();
    const int other = y[THREADS - 1 - t];
    if (RIGHT) __syncthreads();
    y[t] = other;
}

/* ------------------------------------------------------------------- races between blocks */

enum { NEXT_LINE = __LINE__ + 5 };

/* Each element becomes the sum of itself and the next one: wrong in place. */
template <bool RIGHT> __global__ void add_next(const int *x, int *y) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const int next = i + 1 < N ? x[i + 1] : 0, own = x[i];
    __syncthreads();
    (RIGHT ? y : (int *)x)[i] = own + next;
}

enum { ONE_LINE = __LINE__ + 4 };

__global__ void all_store_one(int *y) {
    const unsigned t = threadIdx.x;
    if (t == 0) y[0] = (int)blockIdx.x;
}

enum fences { BOTH, NO_RELEASE, NO_ACQUIRE };
enum { PARTIAL_LINE = __LINE__ + 7, COLLECT_LINE = __LINE__ + 15 };

/* The last block adds the sums of all. */
template <fences FENCES> __global__ void last_block(const int *x, int *partial, unsigned *done, int *sum) {
    __shared__ bool is_last;
    const unsigned t = threadIdx.x;
    if (t == 0) {
        partial[blockIdx.x] = x[blockIdx.x];
        if (FENCES != NO_RELEASE) __threadfence();
        is_last = atomicAdd(done, 1u) == gridDim.x - 1;
        if (FENCES != NO_ACQUIRE) __threadfence();
    }
    __syncthreads();
    if (!is_last || t > 0) return;
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; i++) total += partial[i];
    *sum = total;
}

enum { READ_LINE = __LINE__ + 9, TOTAL_LINE = __LINE__ + 10 };

/* A chain: each block waits for a volatile flag, adds to a volatile total, and sets the flag of the next block. */
template <fences FENCES> __global__ void chain(volatile int *total, volatile unsigned *flag) {
    if (threadIdx.x > 0) return;
    const unsigned block = blockIdx.x;
    while (*flag != block) {
    }
    if (FENCES != NO_ACQUIRE) __threadfence();
    const int before = *total;
    *total = before + 1;
    if (FENCES != NO_RELEASE) __threadfence();
    *flag = block + 1;
}

/* Each block reads what all earlier blocks have written, but only the flag of the previous one. */
__global__ void look_back(int *values, unsigned *flags, int *sums) {
    if (threadIdx.x > 0) return;
    const unsigned block = blockIdx.x;
    int sum = 0;
    if (block > 0)
        while (atomicAdd(&flags[block - 1], 0u) == 0) {
        }
    __threadfence();
    for (unsigned i = 0; i < block; i++) sum += values[i];
    values[block] = (int)block;
    sums[block] = sum;
    __threadfence();
    atomicExch(&flags[block], 1u);
}

/* The threads of a block write and execute a fence, and one of them sets the flag after a barrier. */
__global__ void hand_over(int *values, unsigned *flag, int *sums) {
    const unsigned t = threadIdx.x, block = blockIdx.x;
    if (t == 0)
        while (atomicAdd(flag, 0u) != block) {
        }
    __syncthreads();
    __threadfence();
    sums[block * THREADS + t] = block ? values[(block - 1) * THREADS + (t + 1) % THREADS] : 0;
    values[block * THREADS + t] = (int)t;
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(flag, block + 1);
}

/* Threads of different blocks write neighbouring bytes. */
__global__ void bytes(unsigned char *y) {
    if (threadIdx.x == 0) y[blockIdx.x] = 1;
}

template <class T> static T *zeros(size_t count) {
    T *const p = device_array<T>(count);
    (void)cudaMemset(p, 0, count * sizeof(T));
    return p;
}

static void races_in_block() {
    int *const y = zeros<int>(THREADS);
    reverse<true><<<1, THREADS>>>(y);
    found("reverse", "");
    reverse<false><<<1, THREADS>>>(y);
    found("reverse without barriers",
          "a race in global memory: block 0, thread 32 writes at global.cu:%d a word that block 0, thread 31 read at "
          "global.cu:%d, and no barrier stands between",
          STORE_LINE, LOAD_LINE);
    (void)cudaFree(y);
}

static void races_between_blocks() {
    int *const x = zeros<int>(N), *const y = zeros<int>(N);
    add_next<true><<<BLOCKS, THREADS>>>(x, y);
    add_next<true><<<BLOCKS, THREADS>>>(y, x); /* launches are in order */
    found("add_next", "");
    add_next<false><<<BLOCKS, THREADS>>>(x, y);
    found("add_next in place",
          "a race in global memory: block 1, thread 0 writes at global.cu:%d a word that block 0, thread 63 read at "
          "global.cu:%d, and no __threadfence with a flag puts them in order",
          NEXT_LINE + 2, NEXT_LINE);
    all_store_one<<<1, THREADS>>>(y);
    found("all_store_one", "");
    all_store_one<<<BLOCKS, THREADS>>>(y);
    found("all_store_one, blocks",
          "a race in global memory: block 1, thread 0 writes at global.cu:%d a word that block 0, thread 0 wrote at "
          "global.cu:%d, and no __threadfence with a flag puts them in order",
          ONE_LINE, ONE_LINE);
    bytes<<<BLOCKS, THREADS>>>((unsigned char *)y);
    found("bytes", "");
    (void)cudaFree(x);
    (void)cudaFree(y);
}

template <fences FENCES> static void run_last_block(const char *test, const char *expected) {
    int *const x = zeros<int>(N), *const partial = device_array<int>(BLOCKS), *const sum = device_array<int>(1);
    unsigned *const done = zeros<unsigned>(1);
    last_block<FENCES><<<BLOCKS, THREADS>>>(x, partial, done, sum);
    found(test, expected, COLLECT_LINE, PARTIAL_LINE);
    for (void *p : {(void *)x, (void *)partial, (void *)sum, (void *)done}) (void)cudaFree(p);
}

template <fences FENCES> static void run_chain(const char *test, const char *expected) {
    int *const total = zeros<int>(1);
    unsigned *const flag = zeros<unsigned>(1);
    chain<FENCES><<<BLOCKS, THREADS>>>(total, flag);
    found(test, expected, READ_LINE, TOTAL_LINE);
    (void)cudaFree(total);
    (void)cudaFree(flag);
}

static void fences_and_flags() {
    const char *const last = "a race in global memory: block 7, thread 0 reads at global.cu:%d a word that block 0, "
                             "thread 0 wrote at global.cu:%d, and no __threadfence with a flag puts them in order";
    run_last_block<BOTH>("last_block", "");
    run_last_block<NO_RELEASE>("last_block without the first fence", last);
    run_last_block<NO_ACQUIRE>("last_block without the second fence", last);
    const char *const link = "block 1, thread 0 reads at global.cu:%d a word that block 0, thread 0 wrote at "
                             "global.cu:%d before the flag, and no __threadfence puts them in order";
    run_chain<BOTH>("chain", "");
    run_chain<NO_RELEASE>("chain without the second fence", link);
    run_chain<NO_ACQUIRE>("chain without the first fence", link);
    int *const values = device_array<int>(N), *const sums = device_array<int>(N);
    unsigned *const flags = zeros<unsigned>(BLOCKS);
    look_back<<<BLOCKS, THREADS>>>(values, flags, sums);
    found("look_back", "");
    (void)cudaMemset(flags, 0, sizeof *flags);
    hand_over<<<BLOCKS, THREADS>>>(values, flags, sums);
    found("hand_over", "");
    for (void *p : {(void *)values, (void *)sums, (void *)flags}) (void)cudaFree(p);
}

/* ------------------------------------------------------------------------------- unwritten */

enum { UNWRITTEN_LINE = __LINE__ + 4 };

__global__ void copy(int count, const int *x, int *y) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) y[i] = x[i];
}

static void unwritten() {
    int *const x = device_array<int>(N), *const y = device_array<int>(N);
    const int values[3] = {1, 2, 3};
    (void)cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    copy<<<1, 32>>>(3, x, y);
    copy<<<1, 32>>>(3, y, x);
    found("copy", "");
    const char *const expected = "block 0: thread 3 reads at global.cu:%d global memory that nothing has written";
    copy<<<1, 32>>>(4, x, y);
    found("copy of one too many", expected, UNWRITTEN_LINE);
    (void)cudaMemset(x, 0, N * sizeof *x);
    copy<<<1, 32>>>(32, x, y);
    found("copy of zeros", "");
    emulated::note_unwritten(x + 3, sizeof *x);
    copy<<<1, 32>>>(32, x, y);
    found("copy of one that was made unwritten", expected, UNWRITTEN_LINE);
    (void)cudaFree(x);
    (void)cudaFree(y);
}

/* ------------------------------------------------------------------------------ alignment */

enum { VECTOR_LINE = __LINE__ + 4 };

template <class T> __global__ void copy_as(const char *from, char *to) {
    const unsigned i = threadIdx.x;
    ((T *)to)[i] = ((const T *)from)[i];
}

static void alignment() {
    char *const x = zeros<char>(N), *const y = zeros<char>(N);
    copy_as<float4><<<1, 4>>>(x + 16, y);
    copy_as<double><<<1, 4>>>(x + 8, y);
    copy_as<float><<<1, 4>>>(x + 4, y);
    copy_as<unsigned char><<<1, 4>>>(x + 1, y + 3);
    found("aligned", "");
    const char *const expected = "block 0: thread 0 uses an address that is %d bytes after a multiple of ";
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s16, which its type requires, at global.cu:%%d", expected);
    copy_as<float4><<<1, 4>>>(x + 4, y);
    found("float4", sentence, 4, VECTOR_LINE);
    snprintf(sentence, sizeof sentence, "%s8, which its type requires, at global.cu:%%d", expected);
    copy_as<float2><<<1, 4>>>(x + 4, y);
    found("float2", sentence, 4, VECTOR_LINE);
    copy_as<double><<<1, 4>>>(x, y + 4);
    found("double", sentence, 4, VECTOR_LINE);
    snprintf(sentence, sizeof sentence, "%s4, which its type requires, at global.cu:%%d", expected);
    copy_as<int><<<1, 4>>>(x + 2, y);
    found("int", sentence, 2, VECTOR_LINE);
    (void)cudaFree(x);
    (void)cudaFree(y);
}

/* ---------------------------------------------------------------- calls of the host's code */

/* Checks the error of a call, the last error that it sets, and that cudaGetLastError clears it. */
static void fails(const char *test, cudaError_t got, cudaError_t expected) {
    holds(test, got == expected && cudaPeekAtLastError() == expected && cudaGetLastError() == expected &&
                    cudaGetLastError() == cudaSuccess);
}

static void refused_calls() {
    int *p = (int *)8, *const x = zeros<int>(4), values[8] = {};
    fails("too much memory", cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    holds("the pointer to too much memory", p == nullptr);
    fails("too much pinned memory", cudaMallocHost(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    fails("too much managed memory", cudaMallocManaged(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    found("too much memory", "");
    fails("cudaFree", cudaFree(x + 1), cudaErrorInvalidValue);
    found("cudaFree", "cudaFree at global.cu:%d: the pointer is not the start of an allocation", __LINE__ - 1);
    fails("cudaMemset", cudaMemset(values, 0, sizeof values), cudaErrorInvalidValue);
    found("cudaMemset", "cudaMemset at global.cu:%d: the pointer is not memory of the device", __LINE__ - 1);
    fails("cudaMemset", cudaMemset(x, 0, sizeof values), cudaErrorInvalidValue);
    found("cudaMemset", "cudaMemset at global.cu:%d: the allocation is smaller than this", __LINE__ - 1);
    fails("cudaMemcpy", cudaMemcpy(values, x, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    found("cudaMemcpy",
          "cudaMemcpy at global.cu:%d: the kind of the copy requires memory of the device as its destination",
          __LINE__ - 3);
    fails("cudaMemcpy", cudaMemcpy(x, values, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    found("cudaMemcpy",
          "cudaMemcpy at global.cu:%d: the kind of the copy requires memory of the device as its source",
          __LINE__ - 3);
    fails("cudaMemcpy", cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    found("cudaMemcpy", "cudaMemcpy at global.cu:%d: the destination is smaller than the copy", __LINE__ - 1);
    (void)cudaFree(x);
    found("right calls", "");
}

int main() {
    emulated::unwritten_is_a_fault = emulated::order_is_checked = true;
    races_in_block();
    races_between_blocks();
    fences_and_flags();
    unwritten();
    alignment();
    refused_calls();
    return finish();
}
