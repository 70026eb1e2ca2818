/* Matrix product kernels (ORDER.md 13); compiled once per instruction set level. */
#include "arith/exact_product.h"
#include "cpu/common/matmul_calls.h"
#include "cpu/kernels/vectors.h"

/* Shape of a tile. It leaves registers for a row's vectors and one element of A. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { TILE_ROWS = 8, TILE_VECTORS = 3 }; /* 32 registers */
#else
enum { TILE_ROWS = 4, TILE_VECTORS = 3 }; /* 16 registers */
#endif
/* Terms of a tile between prefetches. */
enum { TILE_TERMS = 8 };
/* If the lanes of a term are contiguous: panels packed at a time, and distance in terms of what is prefetched. */
enum { PACKED_PANELS = 8, PACKED_AHEAD = 8 };

/* Matrix-vector products: vectors of rows of a group, columns of A read at a time, and distance in bytes of what is
 * prefetched in each row. More than 16 rows are more streams than hardware prefetchers follow well. */
#define GEMV_VECTORS(real) (VECTOR_BYTES / sizeof(real) < 16 ? 2 : 1)
enum { GEMV_COLUMNS = 4, GEMV_AHEAD = 512 };

/* The quiet NaN of ORDER.md 1.3; it converts to the f64 NaN of that clause. */
#define CANONICAL_NAN weft_from_bits_f32(WEFT_NAN_F32)

/* The product of two f32 is exact in f64, so a separate addition rounds once, as fma does. */
INLINE double fma_of_f32(double x, double y, double z) { return FMA_INSTRUCTION ? fma_f64(x, y, z) : z + x * y; }

typedef uint32_t lanes_u32 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t lanes_u64 __attribute__((vector_size(VECTOR_BYTES)));

#define REAL float
#define ELEMENT float
#define VECTOR vector_f32
#define LANE uint32_t
#define LANES lanes_u32
#define FUSED fma_f32
#define FUSED_TERM fma_f32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/matmul_kernel_body.h"
#undef REAL
#undef VECTOR
#undef LANE
#undef LANES
#undef FUSED
#undef FUSED_TERM
#undef OF

#define REAL double
#define VECTOR vector_f64
#define LANE uint64_t
#define LANES lanes_u64
#define FUSED fma_f64
#define FUSED_TERM fma_of_f32
#define OF(name) name##_f32_in_f64
#include "cpu/kernels/bodies/matmul_kernel_body.h"
#undef ELEMENT
#undef FUSED_TERM
#undef OF

#define ELEMENT double
#define FUSED_TERM fma_f64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/matmul_kernel_body.h"

#include "cpu/kernels/bodies/matmul_exact_body.h"

#define VECTORED(real) (VECTOR_BYTES / sizeof(real))
#define KERNEL(name, real)                                                                                       \
    {                                                                                                            \
        .bytes = sizeof(real), .packed = sizeof(real), .slack = VECTOR_BYTES, .term_multiple = 1,                \
        .tile = {TILE_ROWS, TILE_VECTORS * VECTORED(real), matmul_tile_##name},                                  \
        .gemv = {GEMV_VECTORS(real) * VECTORED(real), 1, NULL}, .run_rows = matmul_gemv_rows_##name,             \
        .run_columns = matmul_gemv_columns_##name, .pack = matmul_pack_##name, .combine = matmul_combine_##name, \
        .finish = matmul_finish_##name, .scale = matmul_scale_##name                                             \
    }
#define EXACT_KERNEL(name, sums, digits, tile_rows, tile_columns, run)                                \
    {                                                                                                 \
        .bytes = (sums) * sizeof(double), .packed = (digits) * sizeof(double), .slack = VECTOR_BYTES, \
        .term_multiple = 1, .tile = {tile_rows, tile_columns, matmul_exact_tile_##run},               \
        .scale = matmul_scale_##name, .find_exponents = matmul_find_exponents_##name,                 \
        .pack_exact = matmul_pack_exact_##name, .finish_exact = matmul_finish_exact_##name            \
    }

const matmul_kernels LEVELED(cpu_matmuls) = {
    .f32 = KERNEL(f32, float),
    .f32_in_f64 = KERNEL(f32_in_f64, double),
    .f64 = KERNEL(f64, double),
    .f16_exact = EXACT_KERNEL(f16, EXACT_SUMS_F32, 1, TILE_ROWS, TILE_COLUMNS, f32),
    .bf16_exact = EXACT_KERNEL(bf16, EXACT_SUMS_F32, 1, TILE_ROWS, TILE_COLUMNS, f32),
    .f32_exact = EXACT_KERNEL(f32, EXACT_SUMS_F32, 1, TILE_ROWS, TILE_COLUMNS, f32),
    .f64_exact = EXACT_KERNEL(f64, EXACT_SUMS_F64, EXACT_DIGITS, EXACT_ROWS, EXACT_WIDTH, f64),
};
