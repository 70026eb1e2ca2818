/* Sums of squared deviations by the canonical tree, and weft_variance (ORDER.md 3.3 norm2, 4). */
#include "cuda/reduce/variance.cuh"
#include "cuda/runtime/gpu.h"

kernel cuda_deviations_kernel(weft_dtype dtype) {
    static const kernel kernels[] = {
        {NULL, KERNEL_TREE},
#define TYPE(ID, name, ctype, kind, npy) TREE_KERNEL(deviations<ctype>),
#include "core/types.def"
    };
    return kernels[dtype];
}

kernel cuda_rescaled_squares_kernel(void) { return TREE_KERNEL(rescaled_squares); }

/* Two launches in stream order; the mean stays in device memory between them. */
weft_status cuda_variance(void *state, const variance_call *v, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    call c;
    RETURN_IF_ERROR(call_begin(&c, g, "variance", v->dtype, v->result, v->n, v->x, NULL, v->out, error));
    void *const out = c.j.out;
    c.j.finish = FINISH_MEAN;
    c.j.keep = gpu_keep(g);
    c.j.out = NULL;
    RETURN_IF_ERROR(call_run(&c, cuda_sum_kernel(v->dtype, WEFT_F64), error));
    c.j.finish = FINISH_VARIANCE;
    c.j.reference = c.j.keep;
    c.j.keep = NULL;
    c.j.ddof = v->ddof;
    c.j.out = out;
    RETURN_IF_ERROR(call_run(&c, cuda_deviations_kernel(v->dtype), error));
    return call_end(&c, error);
}
