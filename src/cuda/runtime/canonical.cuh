/* Returns a value as it is stored: every NaN becomes the canonical one (ORDER.md 1.3). */
#ifndef WEFT_CUDA_CANONICAL_CUH
#define WEFT_CUDA_CANONICAL_CUH

#include "arith/bits.h"

static __device__ __forceinline__ float canonical(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double canonical(double v) { return weft_canonical_f64(v); }
template <class T> static __device__ __forceinline__ T canonical(T v) { return v; }

#endif
