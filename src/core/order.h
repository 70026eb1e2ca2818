/* The numbers of the canonical order (docs/ORDER.md), shared by the specification and the fast
 * backends. Numbers and index maps only: no arithmetic on data, no tuning. */
#ifndef WEFT_CORE_ORDER_H
#define WEFT_CORE_ORDER_H

/* A row is one 512-byte load by a warp of f32 or f64: its elements are the lanes. Elements
 * narrower than 4 bytes keep 128 lanes. */
#define WEFT_LANES(element_bytes) ((element_bytes) == 8 ? 64 : 128)
#define WEFT_LANES_MAX 128

/* Rows of a tile. */
#define WEFT_TILE_ROWS 32
#define WEFT_TILE(element_bytes) (WEFT_LANES(element_bytes) * WEFT_TILE_ROWS)

/* A sum of squares outside [NORM2_LOW, NORM2_HIGH] is taken again with the elements multiplied by
 * NORM2_UP (too low) or NORM2_DOWN (too high); both are powers of two, each other's inverse. */
#define WEFT_NORM2_LOW 0x1p-900
#define WEFT_NORM2_HIGH 0x1.fffffffffffffp1023
#define WEFT_NORM2_UP 0x1p600
#define WEFT_NORM2_DOWN 0x1p-600

/* Values of a scan's group, and levels enough for any size_t. */
#define WEFT_SCAN_GROUP 16
#define WEFT_SCAN_LEVELS 17

/* Rows of a chunk of a tridiagonal system, rows that are solved by cyclic reduction, and levels of chunks enough
 * for any size_t. */
#define WEFT_TRIDIAG_CHUNK 16
#define WEFT_TRIDIAG_BASE 32
#define WEFT_TRIDIAG_LEVELS 16

/* A pivot p of a row with diagonal b is lost unless EPSILON |b| + LEAST < |p| < GREATEST; then 1/p is normal. */
#define WEFT_TRIDIAG_EPSILON_F32 0x1p-23f
#define WEFT_TRIDIAG_LEAST_F32 0x1p-126f
#define WEFT_TRIDIAG_GREATEST_F32 0x1p126f
#define WEFT_TRIDIAG_EPSILON_F64 0x1p-52
#define WEFT_TRIDIAG_LEAST_F64 0x1p-1022
#define WEFT_TRIDIAG_GREATEST_F64 0x1p1022

/* The NaN that is stored for every NaN result. */
#define WEFT_NAN_F32 UINT32_C(0x7fc00000)
#define WEFT_NAN_F64 UINT64_C(0x7ff8000000000000)

#endif
