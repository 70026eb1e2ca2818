/* Asynchronous copies to shared memory. They are made when the thread waits for them (pipeline.cc). */
#ifndef WEFT_EXECUTOR_CUDA_PIPELINE_H
#define WEFT_EXECUTOR_CUDA_PIPELINE_H

#include "cuda_runtime.h"

namespace emulated {
void start_copy(void *to, const void *from, size_t bytes, size_t zeros);
void commit_copies();
void await_copies(size_t groups_left);
} // namespace emulated

/* The last `zeros` bytes are set to 0. */
static __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    emulated::start_copy(to, from, bytes, zeros);
}
static __forceinline__ void __pipeline_commit() { emulated::commit_copies(); }
static __forceinline__ void __pipeline_wait_prior(size_t groups_left) { emulated::await_copies(groups_left); }

#endif
