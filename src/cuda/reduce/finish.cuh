/* Computes the stored result from the reduced value; run by one thread (ORDER.md 1.3, 3.2, 3.3, 4). */
#ifndef WEFT_CUDA_FINISH_CUH
#define WEFT_CUDA_FINISH_CUH

#include "arith/finish.h"
#include "cuda/reduce/reduce_params.h"

/* The least key so far, and the index of the vector, or finally of the element, where it first occurs. */
struct located {
    uint64_t key, where;
};

static __device__ void store_real(const reduce_params &j, double v) {
    if (j.result == WEFT_F32)
        *(float *)j.out = weft_canonical_f32(__double2float_rn(v));
    else
        *(double *)j.out = weft_canonical_f64(v);
}

static __device__ void store_low_bytes(const reduce_params &j, uint64_t v) {
    switch (j.result_bytes) {
    case 1: *(uint8_t *)j.out = (uint8_t)v; break;
    case 2: *(uint16_t *)j.out = (uint16_t)v; break;
    case 4: *(uint32_t *)j.out = (uint32_t)v; break;
    default: *(uint64_t *)j.out = v; break;
    }
}

static __device__ void finish(const reduce_params &j, float v) { *(float *)j.out = weft_canonical_f32(v); }

/* FINISH_ROOT stores a root even if the sum of squares is out of range; the launch with FINISH_RESCALE that follows
 * replaces it. */
static __device__ void finish(const reduce_params &j, double v) {
    const double squares = v;
    switch (j.finish) {
    case FINISH_MEAN: v = weft_finish_mean(v, j.total); break;
    case FINISH_VARIANCE: v = weft_finish_variance(v, j.total, j.ddof); break;
    case FINISH_ROOT: v = __dsqrt_rn(v); break;
    case FINISH_ROOT_MEAN: v = __dsqrt_rn(weft_finish_mean(v, j.total)); break;
    case FINISH_RESCALE: v = weft_finish_norm2(__dsqrt_rn(v), weft_norm2_scale(*j.reference)); break;
    default: break;
    }
    if (j.keep) *j.keep = j.finish == FINISH_ROOT ? squares : v;
    if (j.out) store_real(j, v);
}

/* Stores the element or magnitude represented by `bits`, which is its key after undoing the XOR with `xor_mask`. */
static __device__ void finish_key(const reduce_params &j, uint64_t bits) {
    if (j.finish == FINISH_MAGNITUDE && j.dtype == WEFT_F32)
        store_real(j, weft_from_bits_f32((uint32_t)bits));
    else if (j.finish == FINISH_MAGNITUDE && j.dtype == WEFT_F64)
        store_real(j, weft_from_bits_f64(bits));
    else if (j.finish == FINISH_MAGNITUDE)
        store_real(j, (double)bits);
    else if (j.dtype == WEFT_F32)
        *(float *)j.out = weft_from_key_f32((uint32_t)bits);
    else if (j.dtype == WEFT_F64)
        *(double *)j.out = weft_from_key_f64(bits);
    else
        store_low_bytes(j, bits);
}

static __device__ void finish(const reduce_params &j, uint64_t v) {
    for (uint32_t width = 32; width >= 8 * j.result_bytes; width /= 2) {
        if (j.finish == FINISH_AND) v &= v >> width;
        if (j.finish == FINISH_OR) v |= v >> width;
        if (j.finish == FINISH_XOR) v ^= v >> width;
    }
    if (j.finish == FINISH_ANY) v = v > 0;
    if (j.finish == FINISH_ALL) v = v == j.total;
    if (j.finish == FINISH_KEY || j.finish == FINISH_MAGNITUDE)
        finish_key(j, v ^ j.xor_mask);
    else
        store_low_bytes(j, v);
}

static __device__ void finish(const reduce_params &j, uint32_t key) { finish_key(j, key ^ (uint32_t)j.xor_mask); }

static __device__ void finish(const reduce_params &j, located v) { store_low_bytes(j, v.where); }

#endif
