/* Products of small matrices by a warp (nvcuda::wmma). Element i of a fragment of a lane is element 32 i + lane of
 * the matrix, by rows; a GPU distributes the elements differently. A product adds over k in turn, in the type of the
 * accumulator. Tensor cores add in another order, which NVIDIA does not state and which differs between GPUs. So the
 * results are equal if all sums are exact, for example those of small whole numbers. */
#ifndef WEFT_EXECUTOR_MMA_H
#define WEFT_EXECUTOR_MMA_H

#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

/* Rows and columns of a matrix of a product M x N x K. */
template <class USE, int M, int N, int K> struct shape_of {
    enum { ROWS = M, COLUMNS = N };
};
template <int M, int N, int K> struct shape_of<matrix_a, M, N, K> {
    enum { ROWS = M, COLUMNS = K };
};
template <int M, int N, int K> struct shape_of<matrix_b, M, N, K> {
    enum { ROWS = K, COLUMNS = N };
};

template <class USE, int M, int N, int K, class T, class LAYOUT = void> struct fragment {
    enum { ROWS = shape_of<USE, M, N, K>::ROWS, COLUMNS = shape_of<USE, M, N, K>::COLUMNS };
    static_assert(ROWS * COLUMNS % warpSize == 0, "a shape that CUDA has");
    enum { num_elements = ROWS * COLUMNS / warpSize };
    T x[num_elements];
};

/* Returns the offset of element `i` of this lane in memory whose rows (or columns) are `stride` elements apart. */
template <class F> __forceinline__ size_t offset_of(int i, unsigned stride, bool by_rows) {
    const unsigned element = (unsigned)i * warpSize + (unsigned)emulated::lane();
    const unsigned row = element / F::COLUMNS, column = element % F::COLUMNS;
    return by_rows ? (size_t)row * stride + column : (size_t)column * stride + row;
}

template <class USE, int M, int N, int K, class T, class LAYOUT, class V>
__forceinline__ void fill_fragment(fragment<USE, M, N, K, T, LAYOUT> &f, V v) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = (T)v;
}

template <class USE, int M, int N, int K, class T, class LAYOUT>
__forceinline__ void load_matrix_sync(fragment<USE, M, N, K, T, LAYOUT> &f, const T *from, unsigned stride) {
    const bool by_rows = std::is_same<LAYOUT, row_major>::value;
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = from[offset_of<fragment<USE, M, N, K, T, LAYOUT>>(i, stride, by_rows)];
    __syncwarp();
}

template <int M, int N, int K, class T>
__forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned stride,
                                      layout_t layout) {
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = from[offset_of<fragment<accumulator, M, N, K, T>>(i, stride, layout == mem_row_major)];
    __syncwarp();
}

template <int M, int N, int K, class T>
__forceinline__ void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned stride,
                                       layout_t layout) {
    for (int i = 0; i < f.num_elements; i++)
        to[offset_of<fragment<accumulator, M, N, K, T>>(i, stride, layout == mem_row_major)] = f.x[i];
    __syncwarp();
}

/* d = a b + c. The lanes exchange the addresses of their fragments, and read each other's. */
template <int M, int N, int K, class F, class T, class A, class B>
__forceinline__ void mma_sync(fragment<accumulator, M, N, K, T> &d, const fragment<matrix_a, M, N, K, F, A> &a,
                              const fragment<matrix_b, M, N, K, F, B> &b,
                              const fragment<accumulator, M, N, K, T> &c) {
    const unsigned all = 0xffffffffu;
    const fragment<matrix_a, M, N, K, F, A> *left[warpSize];
    const fragment<matrix_b, M, N, K, F, B> *above[warpSize];
    for (int lane = 0; lane < warpSize; lane++) {
        left[lane] = (decltype(&a))(uintptr_t)emulated::shuffle(all, (uint64_t)(uintptr_t)&a, lane);
        above[lane] = (decltype(&b))(uintptr_t)emulated::shuffle(all, (uint64_t)(uintptr_t)&b, lane);
    }
    T sums[M * N / warpSize];
    for (int i = 0; i < M * N / warpSize; i++) {
        const int element = i * warpSize + emulated::lane(), row = element / N, column = element % N;
        T sum = c.x[i];
        for (int k = 0; k < K; k++) {
            const int p = row * K + k, q = k * N + column;
            sum += (T)left[p % warpSize]->x[p / warpSize] * (T)above[q % warpSize]->x[q / warpSize];
        }
        sums[i] = sum;
    }
    __syncwarp(); /* d can be c or another lane's fragment */
    for (int i = 0; i < M * N / warpSize; i++) d.x[i] = sums[i];
}

} // namespace wmma
} // namespace nvcuda

#endif
