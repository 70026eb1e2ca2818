/* Asynchronous copies to shared memory. Here they are made immediately. */
#ifndef WEFT_EXECUTOR_CUDA_PIPELINE_H
#define WEFT_EXECUTOR_CUDA_PIPELINE_H

#include "cuda_runtime.h"

/* Copies without accesses that the compiler reports, since touch_copy has reported them. */
__attribute__((no_sanitize("thread"))) static void copy_unwatched(void *to, const void *from, size_t bytes,
                                                                  size_t zeros) {
    memcpy(to, from, bytes - zeros);
    memset((char *)to + bytes - zeros, 0, zeros);
}

/* The last `zeros` bytes are set to 0. */
static __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    if ((bytes != 4 && bytes != 8 && bytes != 16) || ((uintptr_t)to | (uintptr_t)from) % bytes != 0)
        emulated::stop("a copy to shared memory of a size, or at an address, that a GPU does not take");
    emulated::touch_copy(to, zeros < bytes ? from : nullptr, bytes);
    copy_unwatched(to, from, bytes, zeros);
}
static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(int) {}

#endif
