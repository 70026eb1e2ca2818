/* Dot products by the canonical tree (ORDER.md 5). Integers use it too, although their order does not matter. */
#include "cuda/reduce/tree.cuh"
#include "cuda/runtime/gpu.h"

/* The conversion to A sign-extends signed integers to 64 bits. */
template <class T, class A> struct products : sum_operator<A> {
    static constexpr int INPUTS = 2;
    typedef T element;
    __device__ explicit products(const reduce_params &) {}
    __device__ A step(A lane, T x, T y) const { return fused((A)x, (A)y, lane); }
};

template <class T, class A> static kernel dot_kernel() {
    return kernel{(const void *)tree_kernel<products<T, A>>, KERNEL_TREE};
}

static kernel choose(weft_dtype dtype, weft_dtype result) {
    switch (dtype) {
    case WEFT_I8: return dot_kernel<int8_t, uint64_t>();
    case WEFT_I16: return dot_kernel<int16_t, uint64_t>();
    case WEFT_I32: return dot_kernel<int32_t, uint64_t>();
    case WEFT_U8: return dot_kernel<uint8_t, uint64_t>();
    case WEFT_U16: return dot_kernel<uint16_t, uint64_t>();
    case WEFT_U32: return dot_kernel<uint32_t, uint64_t>();
    case WEFT_F32: return result == WEFT_F64 ? dot_kernel<float, double>() : dot_kernel<float, float>();
    case WEFT_F64: return dot_kernel<double, double>();
    default: return dot_kernel<uint64_t, uint64_t>();
    }
}

weft_status cuda_dot(void *state, const dot_call *d, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    call c;
    RETURN_IF_ERROR(call_begin(&c, g, "dot", d->dtype, d->result, d->n, d->x, d->y, d->out, error));
    if (d->n == 0) return call_store(&c, 0, error);
    RETURN_IF_ERROR(call_run(&c, choose(d->dtype, d->result), error));
    return call_end(&c, error);
}
