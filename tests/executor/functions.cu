/* Functions of the device whose results are known. */
#include "executor_test.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

enum { THREADS = 64 };

template <class T> static T first_of(const T *p) {
    T v;
    (void)cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}

/* ---------------------------------------------------------------------- cooperative groups */

__global__ void groups(int *y) {
    __shared__ int sums[THREADS / 8];
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int i = (int)block.thread_rank();
    int sum = i;
    for (unsigned by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
    block.sync();
    const int most = cg::reduce(tile, i, cg::greater<int>()), all = cg::reduce(tile, i, cg::plus<int>());
    const bool is_right = most == i / 8 * 8 + 7 && all == sums[i / 8] && tile.shfl(i, 3) == i / 8 * 8 + 3 &&
                          tile.ballot(i % 2) == 0xaa && tile.any(i == 9) == (i / 8 == 1) &&
                          tile.all(i < 8) == (i < 8);
    if (is_right) atomicAdd(y, 1);
}

/* -------------------------------------------------------------------- warps, atomics, copies */

__global__ void warps(int *y) {
    const unsigned all = 0xffffffffu, i = threadIdx.x % 32;
    const bool is_right = __reduce_add_sync(all, (int)i) == 496 && __reduce_min_sync(all, i) == 0 &&
                          __reduce_max_sync(all, i) == 31 && __reduce_or_sync(all, 1u << i) == all &&
                          __reduce_and_sync(all, i | 64) == 64 && __reduce_xor_sync(all, i) == 0 &&
                          __shfl_sync(all, 1ull << i, 31) == 1ull << 31 &&
                          __shfl_xor_sync(all, (double)i, 1) == (i ^ 1);
    if (is_right) atomicAdd(y, 1);
}

struct numbers {
    unsigned and_, or_, xor_, sub, down;
    unsigned long long add;
    double add_real;
};

__global__ void atomics(numbers *y) {
    const unsigned i = threadIdx.x;
    atomicAnd(&y->and_, ~(1u << i % 16));
    atomicOr(&y->or_, 1u << i % 8);
    atomicXor(&y->xor_, i);
    atomicSub(&y->sub, 2);
    atomicDec(&y->down, 9);
    atomicAdd(&y->add, 1ull << 40);
    atomicAdd(&y->add_real, 0.5);
}

__global__ void copies(const float4 *x, int *y) {
    __shared__ float4 tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], sizeof *x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const float4 v = tile[THREADS - 1 - threadIdx.x];
    const long long now = clock64();
    if (v.x == 1 && v.w == 1 && clock64() >= now) atomicAdd(y, 1);
}

static void warps_and_atomics() {
    int *const y = device_array<int>(1);
    (void)cudaMemset(y, 0, sizeof *y);
    groups<<<1, THREADS>>>(y);
    found("groups", "");
    holds("groups", first_of(y) == THREADS);
    warps<<<1, THREADS>>>(y);
    found("warps", "");
    holds("warps", first_of(y) == 2 * THREADS);
    numbers *const n = device_array<numbers>(1);
    const numbers before = {~0u, 0, 0, 1000, 3, 0, 0};
    (void)cudaMemcpy(n, &before, sizeof before, cudaMemcpyHostToDevice);
    atomics<<<1, THREADS>>>(n);
    found("atomics", "");
    const numbers after = first_of(n);
    holds("atomics", after.and_ == 0xffff0000u && after.or_ == 0xff && after.xor_ == 0 && after.sub == 1000 - 128 &&
                         after.down == 9 && after.add == 64ull << 40 && after.add_real == 32);
    float4 *const x = device_array<float4>(THREADS), one = make_float4(1, 1, 1, 1);
    for (int i = 0; i < THREADS; i++) (void)cudaMemcpy(x + i, &one, sizeof one, cudaMemcpyHostToDevice);
    copies<<<1, THREADS>>>(x, y);
    found("copies", "");
    holds("copies", first_of(y) == 3 * THREADS);
    for (void *p : {(void *)y, (void *)n, (void *)x}) (void)cudaFree(p);
}

/* ----------------------------------------------------------------------------------- half */

/* All values of 16 bits are the nearest to themselves, and the values between two are rounded to the even one. */
static void halves() {
    bool are_exact = true, are_nearest = true;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        __half h, next;
        h.bits = (unsigned short)bits;
        next.bits = (unsigned short)(bits + 1);
        const float v = __half2float(h), w = bits + 1 == 0x7c00 ? 65536 : __half2float(next), middle = v / 2 + w / 2;
        are_exact = are_exact && __float2half(v).bits == bits && __float2half(-v).bits == (bits | 0x8000);
        are_nearest = are_nearest && __float2half(middle).bits == bits + bits % 2 &&
                      __float2half(nextafterf(middle, 0)).bits == bits &&
                      __float2half(nextafterf(middle, 1e9f)).bits == bits + 1;
    }
    holds("halves are exact", are_exact);
    holds("floats are rounded to halves", are_nearest);
    holds("one half", __half2float(__float2half(0.5f)) == 0.5f && __float2half(1e9f).bits == 0x7c00 &&
                          __float2half(NAN).bits == 0x7fff);
    holds("2049 is a tie", __half2float(__float2half(2048) + __float2half(1)) == 2048);
}

/* ------------------------------------------------------------------------- matrices of a warp */

template <class S, class T, int M, int N, int K, class A, class B>
__global__ void multiply(const S *a, const S *b, T *c) {
    wmma::fragment<wmma::matrix_a, M, N, K, S, A> left;
    wmma::fragment<wmma::matrix_b, M, N, K, S, B> above;
    wmma::fragment<wmma::accumulator, M, N, K, T> sum;
    wmma::fill_fragment(sum, 1);
    wmma::load_matrix_sync(left, a, std::is_same<A, wmma::row_major>::value ? K : M);
    wmma::load_matrix_sync(above, b, std::is_same<B, wmma::row_major>::value ? N : K);
    wmma::mma_sync(sum, left, above, sum);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

template <class S, class T, int M, int N, int K, class A, class B> static void product(const char *test) {
    static S a[M * K], b[K * N];
    static T c[M * N];
    const bool a_by_rows = std::is_same<A, wmma::row_major>::value,
               b_by_rows = std::is_same<B, wmma::row_major>::value;
    for (int i = 0; i < M * K; i++) a[i] = (S)(float)(i * 7 % 11 - 5);
    for (int i = 0; i < K * N; i++) b[i] = (S)(float)(i * 5 % 13 - 6);
    S *const x = device_array<S>(M * K), *const y = device_array<S>(K * N);
    T *const z = device_array<T>(M * N);
    (void)cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    (void)cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    multiply<S, T, M, N, K, A, B><<<1, 32>>>(x, y, z);
    found(test, "");
    (void)cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    bool are_right = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            T sum = 1;
            for (int k = 0; k < K; k++)
                sum += (T)a[a_by_rows ? i * K + k : k * M + i] * (T)b[b_by_rows ? k * N + j : j * K + k];
            are_right = are_right && c[i * N + j] == 2 * sum;
        }
    holds(test, are_right);
    for (void *p : {(void *)x, (void *)y, (void *)z}) (void)cudaFree(p);
}

int main() {
    emulated::unwritten_is_a_fault = emulated::order_is_checked = true;
    warps_and_atomics();
    halves();
    product<__half, float, 16, 16, 16, wmma::row_major, wmma::row_major>("half 16x16x16");
    product<__half, float, 16, 16, 16, wmma::col_major, wmma::col_major>("half 16x16x16, by columns");
    product<__half, float, 32, 8, 16, wmma::row_major, wmma::col_major>("half 32x8x16");
    product<double, double, 8, 8, 4, wmma::row_major, wmma::row_major>("double 8x8x4");
    product<signed char, int, 16, 16, 16, wmma::row_major, wmma::col_major>("signed char 16x16x16");
    return finish();
}
