/* Sums of squared deviations by the canonical tree, and weft_variance (docs/ORDER.md 3.3 norm2, 4). */
#include "cuda/gpu.h"
#include "cuda/tree.cuh"

/* (x - m)^2; without a reference m is 0, and x - 0 is x. */
template <class T> struct deviations : summing<double> {
    typedef T element;
    double m;
    __device__ explicit deviations(const job &j) : m(j.reference ? *j.reference : 0.0) {}
    __device__ double step(double lane, T x, T) const {
        const double d = (double)x - m;
        return fma(d, d, lane);
    }
};

struct rescaled_squares : summing<double> {
    typedef double element;
    double scale;
    __device__ explicit rescaled_squares(const job &j) : scale(weft_norm2_scale(*j.reference)) {}
    __device__ bool idle() const { return scale == 1.0; }
    __device__ double step(double lane, double x, double) const {
        const double s = x * scale;
        return fma(s, s, lane);
    }
};

kernel cuda_deviations_kernel(weft_dtype dtype) {
    static const void *const kernels[] = {
        NULL,
#define TYPE(ID, name, ctype, kind, npy) (const void *)tree_kernel<deviations<ctype>>,
#include "core/types.def"
    };
    return kernel{kernels[dtype], false};
}

kernel cuda_rescaled_squares_kernel(void) { return kernel{(const void *)tree_kernel<rescaled_squares>, false}; }

/* Two launches in stream order; the mean stays on the device in between. */
weft_status cuda_variance(void *state, const variance_call *v, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    call c;
    FORWARD(call_begin(&c, g, "variance", v->dtype, v->result, v->n, v->x, NULL, v->out, error));
    if (v->mean) {
        FORWARD(call_refer(&c, v->mean, error));
        FORWARD(call_run(&c, cuda_deviations_kernel(v->dtype), error));
        return call_end(&c, error);
    }
    void *const out = c.j.out;
    c.j.finish = FINISH_MEAN;
    c.j.keep = gpu_keep(g);
    c.j.out = NULL;
    FORWARD(call_run(&c, cuda_sum_kernel(v->dtype, WEFT_F64), error));
    c.j.finish = FINISH_VARIANCE;
    c.j.reference = c.j.keep;
    c.j.keep = NULL;
    c.j.ddof = v->ddof;
    c.j.out = out;
    FORWARD(call_run(&c, cuda_deviations_kernel(v->dtype), error));
    return call_end(&c, error);
}
