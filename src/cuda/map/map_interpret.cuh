/* The kernel that interprets the steps of a formula (ORDER.md 20). All threads execute the same step for AT_ONCE
 * elements each, so there is no divergence. Steps are read from constant memory; the formula's registers are in local
 * memory, which the L1 cache holds.
 *
 * The class Positions finds the operands and the value of element i:
 *     of_leaf(k, i)           position in leaf k, of the index the number to add
 *     element(array, at)      address of the element at a position
 *     of_value(out, i)        address of the value */
#ifndef WEFT_CUDA_MAP_INTERPRET_CUH
#define WEFT_CUDA_MAP_INTERPRET_CUH

#include "arith/halves.h"
#include "arith/map.h"
#include "cuda/map/map_params.h"
#include "cuda/runtime/canonical.cuh"

enum { THREADS = 256, AT_ONCE = 4, BLOCKS_A_MULTIPROCESSOR = 16 };

/* ------------------------------------------------------------------------------------ a step */

static __device__ float step_of(map_op op, float a, float b, float c) { return weft_map_f32(op, a, b, c); }
static __device__ double step_of(map_op op, double a, double b, double c) { return weft_map_f64(op, a, b, c); }
static __device__ int32_t step_of(map_op op, int32_t a, int32_t b, int32_t c) { return weft_map_i32(op, a, b, c); }
static __device__ int64_t step_of(map_op op, int64_t a, int64_t b, int64_t c) { return weft_map_i64(op, a, b, c); }
static __device__ uint32_t step_of(map_op op, uint32_t a, uint32_t b, uint32_t c) {
    return weft_map_u32(op, a, b, c);
}
static __device__ uint64_t step_of(map_op op, uint64_t a, uint64_t b, uint64_t c) {
    return weft_map_u64(op, a, b, c);
}

/* Values of a thread's AT_ONCE elements at one step. Elements past the end are replaced by the thread's first. */
template <class T> struct batch { T of[AT_ONCE]; };

template <class T>
static __device__ __forceinline__ batch<T> steps_of(map_op op, const batch<T> &a, const batch<T> &b,
                                                    const batch<T> &c) {
    batch<T> r;
    switch (op) {
#define STEP(ID)                                                                                  \
    case MAP_##ID:                                                                                \
        for (int e = 0; e < AT_ONCE; e++) r.of[e] = step_of(MAP_##ID, a.of[e], b.of[e], c.of[e]); \
        break;
#define OPERATOR(ID, text, operands, domain) STEP(ID)
#define FUNCTION(ID, name, operands, domain) STEP(ID)
#include "formula/formula.def"
    default: r = a;
    }
    return r;
}

static __device__ void read_value(const map_leaf &leaf, float &v) { v = leaf.value.f32; }
static __device__ void read_value(const map_leaf &leaf, double &v) { v = leaf.value.f64; }
template <class T> static __device__ void read_value(const map_leaf &leaf, T &v) { v = (T)leaf.value.u64; }

/* True for the types of the evaluation that operands of f16 and bf16 may have. */
template <class T> static constexpr bool takes_halves = T(0.5) != T(0);

/* Returns leaf k at each element i, converted to T. Floating-point leaves occur only if T is a floating-point type.
 */
template <class T, class Positions>
static __device__ batch<T> leaf_at(const map_leaf &leaf, uint32_t k, const Positions &positions,
                                   const batch<uint64_t> &i) {
    batch<T> v;
    batch<uint64_t> at;
    for (int e = 0; e < AT_ONCE; e++) at.of[e] = positions.of_leaf(k, i.of[e]);
    if (leaf.kind == LEAF_INDEX)
        for (int e = 0; e < AT_ONCE; e++) v.of[e] = (T)(leaf.value.u64 + at.of[e]);
    if (leaf.kind == LEAF_VALUE)
        for (int e = 0; e < AT_ONCE; e++) read_value(leaf, v.of[e]);
#define TYPE(ID, name, ctype, kind_, npy)                   \
    if (leaf.kind == LEAF_ARRAY && leaf.dtype == WEFT_##ID) \
        for (int e = 0; e < AT_ONCE; e++) v.of[e] = (T)*Positions::template element<ctype>(leaf.p, at.of[e]);
#include "core/types.def"
#define HALF(ID, name, npy)                                 \
    if (leaf.kind == LEAF_ARRAY && leaf.dtype == WEFT_##ID) \
        for (int e = 0; e < AT_ONCE; e++)                   \
            v.of[e] = (T)weft_from_bits_##name(*Positions::template element<uint16_t>(leaf.p, at.of[e]));
    if constexpr (takes_halves<T>) {
#include "core/halves.def"
    }
    return v;
}

/* ------------------------------------------------------------------------------------ results */

/* Classes of stored values: their type, and the value of a result. */
template <class T> struct as_evaluated {
    typedef T type;
    static __device__ T of(T v) { return canonical(v); }
};
#define HALF(ID, name, npy)                                                     \
    struct as_##name {                                                          \
        typedef uint16_t type;                                                  \
        static __device__ uint16_t of(float v) { return weft_round_##name(v); } \
    };
#include "core/halves.def"

/* ---------------------------------------------------------------------------------- a kernel */

/* Stores the results at elements own, own + THREADS, ... of n. */
template <class Stored, class T, class Positions>
static __device__ __forceinline__ void store_batch(const Positions &positions, void *out, uint64_t own, uint64_t n,
                                                   const batch<T> &results) {
    for (int e = 0; e < AT_ONCE; e++)
        if (own + e * THREADS < n)
            *positions.of_value((typename Stored::type *)out, own + e * THREADS) = Stored::of(results.of[e]);
}

/* Thread t computes elements t, t + THREADS, ... of a block's. It reads all their operands before it writes its
 * results, so that `out` may be one of the formula's arrays. */
template <class T, class Stored, class Positions>
static __global__ void map_kernel(const __grid_constant__ map_program p, uint64_t n, void *out,
                                  const Positions positions) {
    const uint64_t stride = (uint64_t)gridDim.x * THREADS * AT_ONCE;
    batch<T> registers[MAP_REGISTERS];
    for (uint64_t own = (uint64_t)blockIdx.x * THREADS * AT_ONCE + threadIdx.x; own < n; own += stride) {
        batch<uint64_t> i;
        batch<T> result;
        for (int e = 0; e < AT_ONCE; e++) i.of[e] = own + e * THREADS < n ? own + e * THREADS : own;
        for (uint32_t s = 0; s < p.step_count; s++) {
            const map_step step = p.steps[s];
            batch<T> operands[3];
            const uint8_t numbers[] = {step.a, step.b, step.c};
#pragma unroll
            for (int k = 0; k < 3; k++) {
                if (k > 0 && numbers[k] == numbers[0])
                    operands[k] = operands[0];
                else if (numbers[k] < MAP_REGISTERS)
                    operands[k] = registers[numbers[k]];
                else
                    operands[k] =
                        leaf_at<T>(p.leaves[numbers[k] - MAP_REGISTERS], numbers[k] - MAP_REGISTERS, positions, i);
            }
            result = steps_of((map_op)step.op, operands[0], operands[1], operands[2]);
            registers[step.to] = result;
        }
        if (p.is_complex) {
            store_batch<Stored>(positions, out, own, n, registers[p.results[0]]);
            store_batch<Stored>(positions, (char *)out + p.imaginary, own, n, registers[p.results[1]]);
        } else {
            store_batch<Stored>(positions, out, own, n, result);
        }
    }
}

/* --------------------------------------------------------------------------------- launching */

template <class Positions> using map_function = void (*)(map_program, uint64_t, void *, Positions);

/* Returns the kernel of formulas that are evaluated in `dtype` and whose values are of type `result`; NULL for other
 * types. */
template <class Positions> static map_function<Positions> map_kernel_of(weft_dtype dtype, weft_dtype result) {
    if (dtype == WEFT_F32 && result == WEFT_F16) return map_kernel<float, as_f16, Positions>;
    if (dtype == WEFT_F32 && result == WEFT_BF16) return map_kernel<float, as_bf16, Positions>;
    switch (dtype) {
    case WEFT_I32: return map_kernel<int32_t, as_evaluated<int32_t>, Positions>;
    case WEFT_I64: return map_kernel<int64_t, as_evaluated<int64_t>, Positions>;
    case WEFT_U32: return map_kernel<uint32_t, as_evaluated<uint32_t>, Positions>;
    case WEFT_U64: return map_kernel<uint64_t, as_evaluated<uint64_t>, Positions>;
    case WEFT_F32: return map_kernel<float, as_evaluated<float>, Positions>;
    case WEFT_F64: return map_kernel<double, as_evaluated<double>, Positions>;
    default: return NULL;
    }
}

/* Returns the number of blocks for n elements. */
static inline unsigned map_blocks(const gpu *g, uint64_t n) {
    const uint64_t most = (uint64_t)g->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    const uint64_t blocks = (n - 1) / (THREADS * AT_ONCE) + 1;
    return (unsigned)(blocks < most ? blocks : most);
}

#endif
