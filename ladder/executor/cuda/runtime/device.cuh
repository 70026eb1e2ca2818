/* Replaces src/cuda/runtime/device.cuh for the executor, whose blocks run one after another. */
#ifndef WEFT_EXECUTOR_CUDA_DEVICE_CUH
#define WEFT_EXECUTOR_CUDA_DEVICE_CUH

#include "cuda_runtime.h"

static inline void prefetch_l2(const void *, uint32_t) {}
static __attribute__((noinline, no_sanitize("thread"))) void store_relaxed(uint64_t *word, uint64_t v) {
    emulated::touch_relaxed(word, sizeof *word, true, __builtin_return_address(0));
    *word = v;
}
static __attribute__((noinline, no_sanitize("thread"))) uint64_t load_relaxed(const uint64_t *word) {
    emulated::touch_relaxed(word, sizeof *word, false, __builtin_return_address(0));
    return *word;
}
static inline uint4 *dynamic_shared() { return (uint4 *)emulated::dynamic_shared(); }

#endif
