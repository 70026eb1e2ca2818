/* Exercise equal-parts: eight chunks on eight streams
 *
 * n numbers in the memory of the host are copied to the device, computed by
 * the kernel `iterate`, and copied back, in eight chunks, so that one chunk
 * is copied while another one is computed. x and y have n elements in the
 * memory of the device. Write `begin_of`, which returns the first element
 * of chunk k = 0 ... parts, where chunk k ends before the first element of
 * chunk k + 1: chunk 0 begins at 0, chunk `parts` at n, and no two chunks
 * differ by more than one element. Then write the three commands of a
 * chunk, all on its stream. A chunk may be empty if n is less than 8.
 *
 * Hint: n / parts * k is less than n for k = parts, unless n is a multiple.
 * Let the first n % parts chunks have one element more.
 *
 * Hint: With k chunks before it, a chunk begins after k (n / parts)
 * elements and one more for each of the longer chunks among them, which are
 * k or n % parts, whichever is less.
 *
 * Hint: Copies and kernel use the same first element and the same number of
 * elements, for x and y too.
 *
 * Hint: The stream is the last argument of `cudaMemcpyAsync`, and the
 * fourth one in the brackets of a launch, after the bytes of dynamic shared
 * memory: `iterate<<<blocks, threads, 0, stream[k]>>>`. A launch of 0
 * blocks is an error.
 *
 * Sizes: 1 7 8 9 31 255 2047 2048 2049 10007; 4000003 on a GPU
 */
#include <cuda_runtime.h>

const unsigned PARTS = 8, THREADS = 256;

__global__ void iterate(size_t n, const unsigned *x, unsigned *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    unsigned v = x[i];
    for (unsigned k = 0; k < 20; k++) v = v * v + k;
    y[i] = v;
}

/* Returns the first element of chunk k, if n elements are divided into
 * `parts` chunks. */
size_t begin_of(size_t n, size_t parts, size_t k) {
    /* Blank: the first element */
    return n / parts * k + (k < n % parts ? k : n % parts);
    /* End of blank: return 0; */
}

/* from and to are in the memory of the host. */
void solve(size_t n, const unsigned *from, unsigned *to, unsigned *x,
           unsigned *y) {
    cudaStream_t stream[PARTS];
    for (unsigned k = 0; k < PARTS; k++) cudaStreamCreate(&stream[k]);
    for (unsigned k = 0; k < PARTS; k++) {
        /* Blank: copy chunk k in, compute, and copy it
         * out, on stream[k] */
        const size_t first = begin_of(n, PARTS, k);
        const size_t count = begin_of(n, PARTS, k + 1) - first;
        if (count == 0) continue;
        cudaMemcpyAsync(x + first, from + first, count * sizeof *x,
                        cudaMemcpyHostToDevice, stream[k]);
        const unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
        iterate<<<blocks, THREADS, 0, stream[k]>>>(count, x + first,
                                                   y + first);
        cudaMemcpyAsync(to + first, y + first, count * sizeof *y,
                        cudaMemcpyDeviceToHost, stream[k]);
        /* End of blank */
    }
    for (unsigned k = 0; k < PARTS; k++) {
        cudaStreamSynchronize(stream[k]);
        cudaStreamDestroy(stream[k]);
    }
}

/* Check */
#include "climb.h"

size_t begin_of(size_t n, size_t parts, size_t k);
void solve(size_t n, const unsigned *from, unsigned *to, unsigned *x,
           unsigned *y);

/* Returns "" if the chunks of n elements are as the task says. */
static std::string are_chunks(size_t n, size_t parts) {
    const std::string where = " if " + std::to_string(n) +
                              " elements are divided into " +
                              std::to_string(parts) + " chunks";
    if (begin_of(n, parts, 0) != 0)
        return "chunk 0 does not begin at 0" + where;
    for (size_t k = 0; k < parts; k++) {
        const size_t count =
            begin_of(n, parts, k + 1) - begin_of(n, parts, k);
        if (count < n / parts || count > (n + parts - 1) / parts)
            return "chunk " + std::to_string(k) + " has " +
                   std::to_string(count) + " elements" + where;
    }
    return begin_of(n, parts, parts) == n
               ? ""
               : "the last chunk does not end at the last element" + where;
}

void check_exercise(climb &c) {
    const size_t n = c.n;
    const std::vector<unsigned> values = ladder_values<unsigned>(n, c.seed);
    std::vector<unsigned> expected(values);
    for (unsigned &v : expected)
        for (unsigned k = 0; k < 20; k++) v = v * v + k;
    unsigned *const x = c.output<unsigned>(n);
    unsigned *const y = c.output<unsigned>(n);
    unsigned *const result = c.output<unsigned>(n);
    unsigned *from, *to; /* pinned memory */
    CUDA_CHECK(cudaMallocHost(&from, n * sizeof *from));
    CUDA_CHECK(cudaMallocHost(&to, n * sizeof *to));
    memcpy(from, values.data(), n * sizeof *from);
    c.work(8.0 * (double)n, 0);
    const ladder_claim right = [&] {
        for (const size_t parts : {1, 3, 8, 100}) {
            const std::string said = are_chunks(n, parts);
            if (!said.empty()) return said;
        }
        return c.holds(result, expected);
    };
    c.rung("equal-parts", right, [&] {
        memset(to, 0xc7, n * sizeof *to);
        solve(n, from, to, x, y);
        CUDA_CHECK(
            cudaMemcpy(result, to, n * sizeof *to, cudaMemcpyHostToDevice));
    });
    CUDA_CHECK(cudaFreeHost(from));
    CUDA_CHECK(cudaFreeHost(to));
}
