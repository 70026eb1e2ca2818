/* Backend functions of operations that are not emulated (cmake/tests_emulated.cmake). The functions are weak, so that
 * the definition of an operation that is emulated replaces the one in this file. */
#include "cuda/runtime/gpu.h"

#define BACKEND(stem)                                                                               \
    __attribute__((weak)) weft_status cuda_##stem(void *, const stem##_call *, weft_error *error) { \
        return weft_fail(error, WEFT_UNSUPPORTED, "the emulated GPU has no " #stem);                \
    }
#include "core/ops.def"
