/* Kernels of weft_fft and weft_convolve (ORDER.md 14, 15); compiled once per instruction set level. */
#include "cpu/common/transform.h"
#include "cpu/kernels/fft_registers.h"
#include "cpu/kernels/fft_single.h"
#include "cpu/kernels/stream.h"

#define REAL float
#define REAL_BYTES 4
#define LANE uint32_t
#define FUSED fma_f32
#define FUSED_LANES fma_lanes_f32
#define CANONICAL weft_canonical_f32
#define NAN_BITS WEFT_NAN_F32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/transform_body.h"

#include "cpu/kernels/bodies/whole_body.h"

#include "cpu/kernels/bodies/plain_body.h"

#include "cpu/kernels/bodies/points_body.h"

#include "cpu/kernels/bodies/radix_body.h"

#include "cpu/kernels/bodies/slots_body.h"

#include "cpu/kernels/bodies/slots_across_body.h"

#include "cpu/kernels/bodies/slots_along_body.h"

#include "cpu/kernels/bodies/convolve_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

#define REAL double
#define REAL_BYTES 8
#define LANE uint64_t
#define FUSED fma_f64
#define FUSED_LANES fma_lanes_f64
#define CANONICAL weft_canonical_f64
#define NAN_BITS WEFT_NAN_F64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/transform_body.h"

#include "cpu/kernels/bodies/whole_body.h"

#include "cpu/kernels/bodies/plain_body.h"

#include "cpu/kernels/bodies/points_body.h"

#include "cpu/kernels/bodies/radix_body.h"

#include "cpu/kernels/bodies/slots_body.h"

#include "cpu/kernels/bodies/slots_across_body.h"

#include "cpu/kernels/bodies/slots_along_body.h"

#include "cpu/kernels/bodies/convolve_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

const level_transforms LEVELED(cpu_transforms) = {&kernels_f32, &kernels_f64};
