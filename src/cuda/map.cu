/* weft_map, and the values of a formula that a reduction reads (docs/ORDER.md 20): a kernel that interprets the
 * formula's steps. All threads are at the same step, so nothing diverges; steps come from constant memory, registers
 * lie in local memory, which the first cache holds. */
#include "arith/map.h"
#include "cuda/map_job.h"

enum { THREADS = 256, BLOCKS_A_MULTIPROCESSOR = 16 };

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

static __device__ float stored(float v) { return weft_canonical_f32(v); }
static __device__ double stored(double v) { return weft_canonical_f64(v); }
template <class T> static __device__ T stored(T v) { return v; }

static __device__ void read_value(const map_leaf &leaf, float &v) { v = leaf.value.f32; }
static __device__ void read_value(const map_leaf &leaf, double &v) { v = leaf.value.f64; }
template <class T> static __device__ void read_value(const map_leaf &leaf, T &v) { v = (T)leaf.value.u64; }

/* A leaf at element i, converted; floats come only where T is one. */
template <class T> static __device__ T leaf_at(const map_leaf &leaf, uint64_t i) {
    T v = 0;
    if (leaf.kind == LEAF_INDEX) return (T)(leaf.value.u64 + i);
    if (leaf.kind == LEAF_VALUE) {
        read_value(leaf, v);
        return v;
    }
#define TYPE(ID, name, ctype, kind, npy) \
    if (leaf.dtype == WEFT_##ID) return (T)((const ctype *)leaf.p)[i];
#include "core/types.def"
    return v;
}

/* ---------------------------------------------------------------------------------- a kernel */

/* Thread t has elements t, t + threads, ...; it reads all of an element's operands before it writes its result, which
 * may take the place of one. */
template <class T>
static __global__ void map_kernel(const __grid_constant__ map_program p, uint64_t first, uint64_t n, T *out) {
    const uint64_t threads = (uint64_t)gridDim.x * THREADS;
    T registers[MAP_REGISTERS];
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += threads) {
        T result = 0;
        for (uint32_t s = 0; s < p.step_count; s++) {
            const map_step step = p.steps[s];
            T operands[3];
            const uint8_t numbers[] = {step.a, step.b, step.c};
#pragma unroll
            for (int k = 0; k < 3; k++) {
                if (k > 0 && numbers[k] == numbers[0])
                    operands[k] = operands[0];
                else if (numbers[k] < MAP_REGISTERS)
                    operands[k] = registers[numbers[k]];
                else
                    operands[k] = leaf_at<T>(p.leaves[numbers[k] - MAP_REGISTERS], first + i);
            }
            result = step_of((map_op)step.op, operands[0], operands[1], operands[2]);
            registers[step.to] = result;
        }
        out[i] = stored(result);
    }
}

/* --------------------------------------------------------------------------------- launching */

template <class T>
static weft_status launch(const gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                          weft_error *error) {
    const uint64_t most = (uint64_t)g->multiprocessors * BLOCKS_A_MULTIPROCESSOR, blocks = (n - 1) / THREADS + 1;
    map_kernel<T><<<(unsigned)(blocks < most ? blocks : most), THREADS, 0, g->stream>>>(*program, first, n, (T *)out);
    CUDA_TRY(cudaGetLastError(), "map");
    return WEFT_OK;
}

weft_status gpu_map_part(const gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                         weft_error *error) {
    switch (program->dtype) {
    case WEFT_I32: return launch<int32_t>(g, program, first, n, out, error);
    case WEFT_I64: return launch<int64_t>(g, program, first, n, out, error);
    case WEFT_U32: return launch<uint32_t>(g, program, first, n, out, error);
    case WEFT_U64: return launch<uint64_t>(g, program, first, n, out, error);
    case WEFT_F32: return launch<float>(g, program, first, n, out, error);
    case WEFT_F64: return launch<double>(g, program, first, n, out, error);
    default: return weft_fail(error, WEFT_INTERNAL, "map: there is no kernel for type %d", (int)program->dtype);
    }
}

weft_status gpu_map_bring(gpu *g, const map_call *c, size_t out_bytes, size_t scratch_bytes, map_arrays *arrays,
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
    FORWARD(arrays_bring(g, "map", arrays->list, arrays->count, scratch_bytes, &arrays->scratch, error));
    program->dtype = c->dtype;
    program->step_count = (uint32_t)c->step_count;
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
    FORWARD(gpu_map_bring(g, c, c->n * cuda_type_bytes(c->dtype), 0, &arrays, &program, error));
    FORWARD(gpu_map_part(g, &program, 0, c->n, arrays.list[arrays.count - 1].at, error));
    return arrays_return(g, "map", arrays.list, arrays.count, error);
}
