/* Backend functions of operations that are not emulated (cmake/tests_emulated.cmake). The functions are weak, so that
 * the definition of an operation that is emulated replaces the one in this file. */
#include "cuda/runtime/cublaslt.h"

#define BACKEND(stem)                                                                               \
    __attribute__((weak)) weft_status cuda_##stem(void *, const stem##_call *, weft_error *error) { \
        return weft_fail(error, WEFT_UNSUPPORTED, "the emulated GPU has no " #stem);                \
    }
#include "core/ops.def"

/* No library: the plugin's own kernels compute integer products. */
weft_status cublaslt_multiply(gpu *, const int8_products *, bool *done, weft_error *) {
    *done = false;
    return WEFT_OK;
}
void cublaslt_close(gpu *) {}
