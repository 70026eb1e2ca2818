/* Tunable operations of the CUDA backend, and the context's choice for each. The variants are listed in
 * laplace_f32.def, laplace_f64.def and matmul_tiles.def, which the operations include too. */
#include "cuda/runtime/gpu.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const laplace_f32[] = {
#define VARIANT(warps, rows, pair, one, sweeps) #warps "x" #rows "x" #pair "x" #one "x" #sweeps,
#include "cuda/laplace/laplace_f32.def"
};
static const char *const laplace_f64[] = {
#define VARIANT(warps, rows, pair, one, sweeps) #warps "x" #rows "x" #pair "x" #one "x" #sweeps,
#include "cuda/laplace/laplace_f64.def"
};
static const char *const matmul_f32[] = {
    "by-size",
#define TILE(name, mma, efficiency) #name,
#include "cuda/matmul/matmul_tiles.def"
};

const weft_tunable *cuda_tunables(size_t *count) {
    static const weft_tunable list[] = {
#define TUNABLE(ID, operation, dtype, accumulate, variants) \
    {sizeof(weft_tunable), #operation, WEFT_##dtype, WEFT_##accumulate, variants, COUNT(variants), 0},
#include "cuda/runtime/tune.def"
    };
    *count = COUNT(list);
    return list;
}

size_t cuda_chosen(const void *state, size_t tunable) { return ((const gpu *)state)->chosen[tunable].variant; }

/* Returns the maximum shared memory per block, in bytes. */
static size_t shared_of(size_t tunable, size_t variant) {
    switch (tunable) {
    case TUNE_LAPLACE_F32: return cuda_laplace_shared(WEFT_F32, variant);
    case TUNE_LAPLACE_F64: return cuda_laplace_shared(WEFT_F64, variant);
    default: return variant ? cuda_matmul_f32_shared(variant - 1) : 0;
    }
}

weft_status cuda_choose(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error) {
    gpu *g = (gpu *)state;
    size_t count;
    const weft_tunable *t = &cuda_tunables(&count)[tunable];
    const size_t shared = variant ? shared_of(tunable, variant) : 0;
    RETURN_IF(shared > g->shared_bytes, WEFT_UNSUPPORTED,
              "%s of %s by variant %s requires %zu bytes of shared memory: a block of %s has at most %zu",
              t->operation, t->dtype == WEFT_F32 ? "f32" : "f64", t->variants[variant], shared, g->id,
              g->shared_bytes);
    g->chosen[tunable].variant = variant;
    g->chosen[tunable].everywhere = everywhere;
    return WEFT_OK;
}

void cuda_model(const void *state, char name[128]) {
    cudaDeviceProp properties;
    name[0] = '\0';
    if (cudaGetDeviceProperties(&properties, ((const gpu *)state)->device) == cudaSuccess)
        snprintf(name, 128, "%.127s", properties.name);
    (void)cudaGetLastError();
}
