/* Exercise stated-order: a dot product whose order is given, bit for bit
 *
 * The elements are floats whose products and sums must be rounded. So the
 * result depends on the order of the additions, and on the rounding of the
 * products. The order is:
 *
 * 1. There are 16 blocks of 128 threads. Thread g of all 2048 starts with 0
 *    and computes s = fmaf(a[i], b[i], s) for i = g, g + 2048, g + 4096,
 *    ...
 * 2. Each warp adds the values of lanes 16 apart, then 8, 4, 2 and 1 apart:
 *    v of lane k becomes v of lane k + v of lane k + d.
 * 3. Thread 0 of the block adds the sums of its four warps:
 *    ((w0 + w1) + w2) + w3, and stores the result in sums[blockIdx.x].
 * 4. One thread starts with 0 and adds sums[0], sums[1], ..., sums[15] in
 *    turn, and stores the result in *dot.
 *
 * Write steps 1 to 3. The second kernel and the launches are complete.
 *
 * Hint: a[i] * b[i] + s rounds twice, and fmaf(a[i], b[i], s) once. The
 * results differ in the last bits.
 *
 * Hint: `__shfl_down_sync(0xffffffff, v, d)` returns the v of the lane d
 * above. The distances are 16, 8, 4, 2 and 1, in this order.
 *
 * Hint: Lane 0 of a warp stores its sum in `of_warps`. Thread 0 reads all
 * four words after a barrier.
 *
 * Sizes: 1 2 31 33 127 129 2047 2048 2049 10007 50021; 4194304 on a GPU
 */
#include <cuda_runtime.h>
#include <math.h>

const unsigned BLOCKS = 16, THREADS = 128, WARPS = THREADS / 32;

__global__ void dot_of_blocks(size_t n, const float *a, const float *b,
                              float *sums) {
    __shared__ float of_warps[WARPS];
    float s = 0;
    /* Blank: step 1, the products of this thread */
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < n; i += BLOCKS * THREADS) s = fmaf(a[i], b[i], s);
    /* End of blank */
    /* Blank: steps 2 and 3, the sum of the warp and of the block */
    for (unsigned d = 16; d > 0; d /= 2)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < WARPS; w++) s += of_warps[w];
        sums[blockIdx.x] = s;
    }
    /* End of blank */
}

__global__ void add_blocks(const float *sums, float *dot) {
    float s = 0;
    for (unsigned k = 0; k < BLOCKS; k++) s += sums[k];
    *dot = s;
}

void solve(size_t n, const float *a, const float *b, float *sums,
           float *dot) {
    dot_of_blocks<<<BLOCKS, THREADS>>>(n, a, b, sums);
    add_blocks<<<1, 1>>>(sums, dot);
}

/* Check */
#include "climb.h"

#include <math.h>

void solve(size_t n, const float *a, const float *b, float *sums,
           float *dot);

/* Computes the 16 sums of the blocks from those of the 2048 threads. */
static std::vector<float> sums_of_blocks(std::vector<float> v) {
    std::vector<float> sums;
    for (size_t block = 0; block < v.size(); block += 128) {
        float total = 0;
        for (size_t warp = block; warp < block + 128; warp += 32) {
            for (size_t d = 16; d > 0; d /= 2)
                for (size_t k = 0; k < d; k++)
                    v[warp + k] += v[warp + k + d];
            total = warp == block ? v[warp] : total + v[warp];
        }
        sums.push_back(total);
    }
    return sums;
}

void check_exercise(climb &c) {
    const std::vector<float> left = ladder_values<float>(c.n, c.seed);
    const std::vector<float> right =
        ladder_values<float>(c.n, c.seed + 100);
    std::vector<float> v(2048);
    for (size_t i = 0; i < c.n; i++)
        v[i % v.size()] = fmaf(left[i], right[i], v[i % v.size()]);
    const std::vector<float> by_block = sums_of_blocks(v);
    float total = 0;
    for (const float sum : by_block) total += sum;
    const float *const a = c.input(left), *const b = c.input(right);
    float *const sums = c.output<float>(16);
    float *const dot = c.output<float>(1);
    c.work(8.0 * (double)c.n + 4 * 33, 2.0 * (double)c.n);
    c.rung(
        "stated-order",
        [&] {
            const std::string said = c.holds(sums, by_block);
            return said.empty() ? c.holds(dot, std::vector<float>{total})
                                : "sums: " + said;
        },
        [&] { solve(c.n, a, b, sums, dot); });
}
