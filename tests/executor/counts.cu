/* Sectors of global memory and wavefronts of shared memory, for accesses whose numbers are known. */
#include "executor_test.h"

enum { WARP = 32 };

/* Sectors, and the least number, of one load and one store of a warp. */
static void sectors(const char *test, uint64_t loads, uint64_t least_loads, uint64_t stores, uint64_t least_stores) {
    const emulated::account seen = emulated::take_account();
    holds(test, seen.faults == 0 && seen.loads.requests == 1 && seen.stores.requests == 1 &&
                    seen.loads.moved == loads && seen.loads.least == least_loads && seen.stores.moved == stores &&
                    seen.stores.least == least_stores);
}

template <class T> __global__ void copy(unsigned stride, unsigned shift, const T *x, T *y) {
    y[threadIdx.x] = x[threadIdx.x * stride + shift];
}

__global__ void broadcast(const int *x, int *y) { y[threadIdx.x] = x[7]; }

static void global_memory(void *x, void *y) {
    copy<int><<<1, WARP>>>(1, 0, (int *)x, (int *)y);
    sectors("coalesced", 4, 4, 4, 4);
    copy<int><<<1, WARP>>>(1, 1, (int *)x, (int *)y);
    sectors("shifted by one element", 5, 4, 4, 4);
    copy<int><<<1, WARP>>>(2, 0, (int *)x, (int *)y);
    sectors("every other element", 8, 4, 4, 4);
    copy<int><<<1, WARP>>>(33, 0, (int *)x, (int *)y);
    sectors("a column", 32, 4, 4, 4);
    copy<int><<<1, 5>>>(1, 0, (int *)x, (int *)y);
    sectors("five lanes", 1, 1, 1, 1);
    copy<float4><<<1, WARP>>>(1, 0, (float4 *)x, (float4 *)y);
    sectors("float4", 16, 16, 16, 16);
    copy<double><<<1, WARP>>>(4, 0, (double *)x, (double *)y);
    sectors("strided doubles", 32, 8, 8, 8);
    copy<char><<<1, WARP>>>(1, 0, (char *)x, (char *)y);
    sectors("bytes", 1, 1, 1, 1);
    broadcast<<<1, WARP>>>((int *)x, (int *)y);
    sectors("broadcast", 1, 1, 4, 4);
}

/* A store to shared memory without conflicts, and a load of element `stride` * lane. */
template <class T> __global__ void load_strided(unsigned stride, T *y) {
    __shared__ T values[1024];
    values[threadIdx.x] = T();
    __syncthreads();
    y[threadIdx.x] = values[threadIdx.x * stride % 1024];
}

/* `least`: wavefronts of the store, one for each word of the type. */
template <class T>
static void shared_memory(const char *test, unsigned stride, uint64_t least, uint64_t loads, void *y) {
    load_strided<T><<<1, WARP>>>(stride, (T *)y);
    const emulated::account seen = emulated::take_account();
    holds(test,
          seen.in_shared.requests == 2 && seen.in_shared.moved == least + loads && seen.in_shared.least == 2 * least);
}

/* The k-th accesses of the lanes are one request, however the threads are scheduled. */
__global__ void rounds(int count, const int *x, int *y) {
    for (int i = 0; i < count; i++) {
        y[i * blockDim.x + threadIdx.x] = x[i * blockDim.x + threadIdx.x];
        __syncthreads();
    }
}

int main() {
    int *const x = device_array<int>(8192), *const y = device_array<int>(8192);
    emulated::requests_are_counted = true;
    global_memory(x, y);
    shared_memory<int>("neighbours", 1, 1, 1, y);
    shared_memory<int>("two words apart", 2, 1, 2, y);
    shared_memory<int>("a column", 32, 1, 32, y);
    shared_memory<int>("a padded column", 33, 1, 1, y);
    shared_memory<int>("one word", 0, 1, 1, y);
    shared_memory<char>("bytes of a word", 1, 1, 1, y);
    shared_memory<double>("doubles", 1, 2, 2, y);
    shared_memory<double>("every other double", 2, 2, 4, y);
    shared_memory<float4>("float4", 1, 4, 4, y);
    for (const emulated::schedule order : {emulated::FORWARD, emulated::BACKWARD, emulated::RANDOM}) {
        emulated::set_schedule(order, 1);
        rounds<<<3, 2 * WARP>>>(5, x, y);
        const emulated::account seen = emulated::take_account();
        holds("rounds", seen.loads.requests == 30 && seen.loads.moved == 120 && seen.stores.moved == 120);
    }
    return finish();
}
