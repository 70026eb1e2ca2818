/* Exercise own: a library for C, with a handle
 *
 * A program in C uses this file as a library. It knows the four functions
 * below, and of `struct vector` only that it exists. A vector has n numbers
 * in the memory of the device. All functions but `vector_close` return 0,
 * or the code of the CUDA call that failed.
 *
 * `vector_open` makes a vector with these values, which are in the memory
 * of the host. If it fails, *v must be NULL and nothing may stay allocated.
 * n = 0 is refused with cudaErrorInvalidValue. `vector_scale` multiplies
 * all numbers by a. `vector_read` copies the numbers to the memory of the
 * host. `vector_close` frees the vector; NULL is permitted. A program may
 * have many vectors at once, of different sizes. After an error was
 * returned, `cudaGetLastError` must not return it a second time: the
 * library clears it.
 *
 * Hint: A vector needs two members: the number of its elements, and the
 * pointer to them. `vector_open` allocates the struct itself with `malloc`,
 * and `vector_close` frees both.
 *
 * Hint: Set *v to NULL first, and to the new vector only when nothing can
 * fail any more.
 *
 * Hint: A variable of the file, outside of the struct, would be shared by
 * all vectors.
 *
 * Hint: cudaGetLastError after the launch returns its error. One more call
 * before `vector_open` returns clears an error of cudaMalloc.
 *
 * Sizes: 1 2 31 255 256 257 1000 10007; 4000003 on a GPU
 */
#include <cuda_runtime.h>
#include <stdlib.h>

struct vector {
    /* Blank: the members */
    size_t n;
    float *x;
    /* End of blank: int unused; */
};

/* Blank: a kernel */
static __global__ void scale(size_t n, float a, float *x) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
/* End of blank */

extern "C" int vector_open(size_t n, const float *values,
                           struct vector **v) {
    /* Blank: make a vector */
    *v = NULL;
    if (n == 0) return cudaErrorInvalidValue;
    struct vector *const made = (struct vector *)malloc(sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->n = n;
    made->x = NULL;
    cudaError_t fault = cudaMalloc(&made->x, n * sizeof(float));
    if (fault == cudaSuccess)
        fault = cudaMemcpy(made->x, values, n * sizeof(float),
                           cudaMemcpyHostToDevice);
    if (fault == cudaSuccess) {
        *v = made;
        return 0;
    }
    cudaFree(made->x);
    free(made);
    cudaGetLastError(); /* clears the error */
    return fault;
    /* End of blank: return *v = NULL, cudaErrorInvalidValue; */
}

extern "C" int vector_scale(struct vector *v, float a) {
    /* Blank: multiply all numbers by a */
    scale<<<(unsigned)((v->n + 255) / 256), 256>>>(v->n, a, v->x);
    return cudaGetLastError();
    /* End of blank: return 0; */
}

extern "C" int vector_read(const struct vector *v, float *values) {
    /* Blank: copy all numbers to values */
    return cudaMemcpy(values, v->x, v->n * sizeof(float),
                      cudaMemcpyDeviceToHost);
    /* End of blank: return 0; */
}

extern "C" void vector_close(struct vector *v) {
    /* Blank: free the vector */
    if (!v) return;
    cudaFree(v->x);
    free(v);
    /* End of blank */
}

/* Check */
#include "climb.h"

struct vector;
extern "C" {
int vector_open(size_t n, const float *values, struct vector **v);
int vector_scale(struct vector *v, float a);
int vector_read(const struct vector *v, float *values);
void vector_close(struct vector *v);
}

static std::string code(const char *call, int is, int expected) {
    if (is == expected) return "";
    return std::string(call) + " returned " + std::to_string(is) +
           " and not " + std::to_string(expected);
}

/* Calls all functions, with two vectors at once. The
 * results are copied to `result`. */
static std::string use(const std::vector<float> &a,
                       const std::vector<float> &b, float *result) {
    vector *none = (vector *)&a, *v = NULL, *w = NULL;
    std::vector<float> got(a.size() + b.size());
    std::string said =
        code("vector_open", vector_open(a.size(), a.data(), &v), 0);
    if (said.empty())
        said = code("vector_open for a second vector",
                    vector_open(b.size(), b.data(), &w), 0);
    if (said.empty())
        said = code("vector_open for n = 0",
                    vector_open(0, a.data(), &none), cudaErrorInvalidValue);
    if (said.empty() && none)
        said = "*v is not NULL after vector_open for n = 0";
    none = (vector *)&a;
    if (said.empty())
        said = code("vector_open for n = 2^48",
                    vector_open((size_t)1 << 48, a.data(), &none),
                    cudaErrorMemoryAllocation);
    if (said.empty() && none)
        said = "*v is not NULL after vector_open for n = 2^48";
    if (said.empty() && (!v || !w))
        said = "vector_open has returned 0, and *v is NULL";
    if (said.empty()) said = code("vector_scale", vector_scale(v, 3), 0);
    if (said.empty()) said = code("vector_scale", vector_scale(w, 0.1f), 0);
    if (said.empty())
        said = code("vector_scale", vector_scale(v, -0.7f), 0);
    if (said.empty())
        said = code("vector_read", vector_read(v, got.data()), 0);
    if (said.empty())
        said =
            code("vector_read", vector_read(w, got.data() + a.size()), 0);
    if (!said.empty()) return said;
    vector_close(w);
    vector_close(v);
    vector_close(NULL);
    CUDA_CHECK(cudaMemcpy(result, got.data(), got.size() * sizeof got[0],
                          cudaMemcpyHostToDevice));
    return "";
}

void check_exercise(climb &c) {
    const std::vector<float> a = ladder_values<float>(c.n, c.seed);
    const std::vector<float> b =
        ladder_values<float>(c.n / 2 + 3, c.seed + 1);
    std::vector<float> expected;
    for (const float x : a) {
        const float thrice = x * 3;
        expected.push_back(thrice * -0.7f);
    }
    for (const float x : b) expected.push_back(x * 0.1f);
    float *const result = c.output<float>(expected.size());
    std::string said;
    c.work(8.0 * (double)(2 * a.size() + b.size()), 0);
    c.rung(
        "own",
        [&] { return said.empty() ? c.holds(result, expected) : said; },
        [&] { said = use(a, b, result); });
}
