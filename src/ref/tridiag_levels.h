/* Solution of a system by levels, for both types (ORDER.md 16). Included by tridiag.c and parts_tridiag.c. */
#ifndef WEFT_REF_TRIDIAG_LEVELS_H
#define WEFT_REF_TRIDIAG_LEVELS_H

#include "ref/tridiag_system.h"

static size_t chunk_length(size_t n, size_t chunk) {
    const size_t left = n - chunk * WEFT_TRIDIAG_CHUNK;
    return left < WEFT_TRIDIAG_CHUNK ? left : WEFT_TRIDIAG_CHUNK;
}

static size_t chunks_of(size_t n) { return (n - 1) / WEFT_TRIDIAG_CHUNK + 1; }
static size_t last_row(size_t n, size_t chunk) { return chunk * WEFT_TRIDIAG_CHUNK + chunk_length(n, chunk) - 1; }

#define REAL float
#define FMA fmaf
#define EPSILON WEFT_TRIDIAG_EPSILON_F32
#define LEAST WEFT_TRIDIAG_LEAST_F32
#define GREATEST WEFT_TRIDIAG_GREATEST_F32
#define OF(name) name##_f32
#include "ref/bodies/tridiag_body.h"

#define REAL double
#define FMA fma
#define EPSILON WEFT_TRIDIAG_EPSILON_F64
#define LEAST WEFT_TRIDIAG_LEAST_F64
#define GREATEST WEFT_TRIDIAG_GREATEST_F64
#define OF(name) name##_f64
#include "ref/bodies/tridiag_body.h"

#endif
