/* weft_map, and the values of a formula that a reduction reads (ORDER.md 20). They are computed by the kernel that
 * was compiled for the formula (map_compiled.h), or by a kernel that interprets its steps. All threads execute the
 * same step for AT_ONCE elements each, so there is no divergence. Steps are read from constant memory; the formula's
 * registers are in local memory, which the L1 cache holds. */
#include "arith/map.h"
#include "cuda/map/map_compiled.h"
#include "cuda/runtime/canonical.cuh"
#include "cuda/runtime/compiled.h"

#include <string.h>

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

/* Returns a leaf at each element i, converted to T. Floating-point leaves occur only if T is a floating-point type.
 */
template <class T> static __device__ batch<T> leaf_at(const map_leaf &leaf, const batch<uint64_t> &i) {
    batch<T> v;
    if (leaf.kind == LEAF_INDEX)
        for (int e = 0; e < AT_ONCE; e++) v.of[e] = (T)(leaf.value.u64 + i.of[e]);
    if (leaf.kind == LEAF_VALUE)
        for (int e = 0; e < AT_ONCE; e++) read_value(leaf, v.of[e]);
#define TYPE(ID, name, ctype, kind_, npy)                   \
    if (leaf.kind == LEAF_ARRAY && leaf.dtype == WEFT_##ID) \
        for (int e = 0; e < AT_ONCE; e++) v.of[e] = (T)((const ctype *)leaf.p)[i.of[e]];
#include "core/types.def"
    return v;
}

/* ---------------------------------------------------------------------------------- a kernel */

/* Thread t computes elements t, t + THREADS, ... of a block's. It reads all their operands before it writes its
 * results, so that `out` may be one of the formula's arrays. */
template <class T>
static __global__ void map_kernel(const __grid_constant__ map_program p, uint64_t first, uint64_t n, T *out) {
    const uint64_t stride = (uint64_t)gridDim.x * THREADS * AT_ONCE;
    batch<T> registers[MAP_REGISTERS];
    for (uint64_t own = (uint64_t)blockIdx.x * THREADS * AT_ONCE + threadIdx.x; own < n; own += stride) {
        batch<uint64_t> at;
        batch<T> result;
        for (int e = 0; e < AT_ONCE; e++) at.of[e] = first + (own + e * THREADS < n ? own + e * THREADS : own);
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
                    operands[k] = leaf_at<T>(p.leaves[numbers[k] - MAP_REGISTERS], at);
            }
            result = steps_of((map_op)step.op, operands[0], operands[1], operands[2]);
            registers[step.to] = result;
        }
        for (int e = 0; e < AT_ONCE; e++)
            if (own + e * THREADS < n) out[own + e * THREADS] = canonical(result.of[e]);
    }
}

/* --------------------------------------------------------------------------------- launching */

template <class T>
static weft_status interpret(const gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                             weft_error *error) {
    const uint64_t most = (uint64_t)g->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    const uint64_t blocks = (n - 1) / (THREADS * AT_ONCE) + 1;
    map_kernel<T><<<(unsigned)(blocks < most ? blocks : most), THREADS, 0, g->stream>>>(*program, first, n, (T *)out);
    CUDA_TRY(cudaGetLastError(), "map");
    return WEFT_OK;
}

/* Launches the compiled kernel once. A thread computes `rows` vectors of 16 bytes, or one value if `rows` is 0. */
static weft_status launch_compiled(const gpu *g, const map_program *program, void *function, int rows, uint64_t first,
                                   uint64_t n, void *out, weft_error *error) {
    const size_t vector = rows ? 16 / cuda_type_bytes(program->dtype) : 1;
    const uint64_t block = FORMULA_THREADS * vector * (rows ? rows : 1), blocks = (n - 1) / block + 1;
    formula_params f;
    memset(&f.j, 0, sizeof f.j);
    f.j.vectors = gpu_formula_operands(program, first, vector, f.operands) &&
                  (uintptr_t)out % FORMULA_ALIGNMENT(vector * cuda_type_bytes(program->dtype)) == 0;
    f.j.n = n;
    f.j.out = out;
    return compiled_launch(g, "map", function, (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), FORMULA_THREADS,
                           0, &f, error);
}

weft_status gpu_map_part(gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                         weft_error *error) {
    void *compiled;
    int rows;
    RETURN_IF_ERROR(gpu_formula_kernel(g, program, NULL, n, &compiled, &rows, error));
    if (compiled) return launch_compiled(g, program, compiled, rows, first, n, out, error);
    switch (program->dtype) {
    case WEFT_I32: return interpret<int32_t>(g, program, first, n, out, error);
    case WEFT_I64: return interpret<int64_t>(g, program, first, n, out, error);
    case WEFT_U32: return interpret<uint32_t>(g, program, first, n, out, error);
    case WEFT_U64: return interpret<uint64_t>(g, program, first, n, out, error);
    case WEFT_F32: return interpret<float>(g, program, first, n, out, error);
    case WEFT_F64: return interpret<double>(g, program, first, n, out, error);
    default: return weft_fail(error, WEFT_INTERNAL, "map: no kernel for dtype %d", (int)program->dtype);
    }
}

weft_status gpu_map_copy_in(gpu *g, const map_call *c, size_t out_bytes, size_t scratch_bytes, map_arrays *arrays,
                            map_program *program, weft_error *error) {
    int array_of[MAP_LEAVES];
    arrays->count = 0;
    for (size_t k = 0; k < c->leaf_count; k++) {
        if (c->leaves[k].kind != LEAF_ARRAY) continue;
        array_of[k] = arrays->count;
        arrays->list[arrays->count++] = gpu_array{"an array of the formula",
                                                  c->leaves[k].p,
                                                  c->n * cuda_type_bytes(c->leaves[k].dtype),
                                                  ARRAY_IN,
                                                  false,
                                                  NULL};
    }
    if (c->out) arrays->list[arrays->count++] = gpu_array{"out", c->out, out_bytes, ARRAY_OUT, false, NULL};
    RETURN_IF_ERROR(arrays_copy_in(g, "map", arrays->list, arrays->count, scratch_bytes, &arrays->scratch, error));
    program->dtype = c->dtype;
    program->step_count = (uint32_t)c->step_count;
    program->leaf_count = (uint32_t)c->leaf_count;
    for (size_t s = 0; s < c->step_count; s++) program->steps[s] = c->steps[s];
    for (size_t k = 0; k < c->leaf_count; k++) {
        program->leaves[k] = c->leaves[k];
        if (c->leaves[k].kind == LEAF_ARRAY) program->leaves[k].p = arrays->list[array_of[k]].at;
    }
    return WEFT_OK;
}

weft_status cuda_map(void *state, const map_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    map_program program;
    map_arrays arrays;
    RETURN_IF_ERROR(gpu_map_copy_in(g, c, c->n * cuda_type_bytes(c->dtype), 0, &arrays, &program, error));
    RETURN_IF_ERROR(gpu_map_part(g, &program, 0, c->n, arrays.list[arrays.count - 1].at, error));
    return arrays_copy_out(g, "map", arrays.list, arrays.count, error);
}
