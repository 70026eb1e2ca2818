/* A plugin whose GPU cannot be used, for tests on machines without a GPU. WEFT_TEST_GPU is "driver" (the driver is
 * too old, so no GPU is listed), "code" (a GPU is listed but cannot be opened) or "none" (there is no GPU). */
#include "core/backend.h"

#include <stdlib.h>
#include <string.h>

static bool is(const char *what) {
    const char *set = getenv("WEFT_TEST_GPU");
    return set && strcmp(set, what) == 0;
}

static int count(void) { return is("code"); }

static weft_status describe(int index, weft_device_info *info, weft_error *error) {
    (void)error;
    snprintf(info->id, sizeof info->id, "cuda:%d", index);
    snprintf(info->name, sizeof info->name, "an old GPU");
    snprintf(info->isa, sizeof info->isa, "sm_50");
    info->compute_major = 5;
    info->cores = 1;
    return WEFT_OK;
}

static weft_status open_gpu(const char *which, weft_heap *heap, void **state, weft_error *error) {
    (void)which, (void)heap, (void)state;
    RETURN_IF(is("code"), WEFT_UNSUPPORTED, "this build of weft contains no code for cuda:0 (sm_50)");
    RETURN_IF(is("driver"), WEFT_UNSUPPORTED, "the NVIDIA driver is too old: it supports CUDA 10.0");
    return weft_fail(error, WEFT_NO_DEVICE, "an NVIDIA driver is installed on this machine, but there is no GPU");
}

static bool device_only(const void *p) {
    (void)p;
    return false;
}

__attribute__((visibility("default"))) const weft_backend *weft_backend_cuda(void);
const weft_backend *weft_backend_cuda(void) {
    static const weft_backend backend = {.abi = WEFT_BACKEND_ABI,
                                         .name = "cuda",
                                         .count = count,
                                         .describe = describe,
                                         .open = open_gpu,
                                         .device_only = device_only};
    return &backend;
}
