/* The operations of a formula (ORDER.md 20): weft_map_f32 ... weft_map_u64. */
#ifndef WEFT_ARITH_MAP_H
#define WEFT_ARITH_MAP_H

#include "arith/elementary.h"
#include "formula/formula.h"

#include <math.h>

#define T float
#define OF(name) name##_f32
#define MATH(name) name##f
#include "arith/map_reals.h"

#define T double
#define OF(name) name##_f64
#define MATH(name) name
#include "arith/map_reals.h"

#define T int32_t
#define U uint32_t
#define OF(name) name##_i32
#define IS_SIGNED 1
#include "arith/map_integers.h"

#define T int64_t
#define U uint64_t
#define OF(name) name##_i64
#define IS_SIGNED 1
#include "arith/map_integers.h"

#define T uint32_t
#define U uint32_t
#define OF(name) name##_u32
#define IS_SIGNED 0
#include "arith/map_integers.h"

#define T uint64_t
#define U uint64_t
#define OF(name) name##_u64
#define IS_SIGNED 0
#include "arith/map_integers.h"

#endif
