/* Includes BODY once for each element type, with
 *   T          the type
 *   OF(name)   name_i8 ... name_f64
 *   U          the unsigned integer of T's size
 *   IS_SIGNED  1 for i8 ... i64, else 0;  IS_FLOAT  1 for f32 and f64, else 0
 *   INFINITE   the bits of +Inf of a float
 *   LANE       T, or the signed integer of T's size for a float
 *   COUNT      an unsigned integer that counts to 2^15, narrow, so that many fit in a vector
 * and for integers
 *   WIDE       the 64-bit type they are extended to
 *   TOTAL      holds the sum of 2^15 elements, narrow; 64-bit sums wrap, so it is unsigned there */

#define T int8_t
#define OF(name) name##_i8
#define U uint8_t
#define LANE int8_t
#define IS_SIGNED 1
#define IS_FLOAT 0
#define COUNT uint16_t
#define WIDE int64_t
#define TOTAL int32_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T int16_t
#define OF(name) name##_i16
#define U uint16_t
#define LANE int16_t
#define IS_SIGNED 1
#define IS_FLOAT 0
#define COUNT uint16_t
#define WIDE int64_t
#define TOTAL int32_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T int32_t
#define OF(name) name##_i32
#define U uint32_t
#define LANE int32_t
#define IS_SIGNED 1
#define IS_FLOAT 0
#define COUNT uint32_t
#define WIDE int64_t
#define TOTAL uint64_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T int64_t
#define OF(name) name##_i64
#define U uint64_t
#define LANE int64_t
#define IS_SIGNED 1
#define IS_FLOAT 0
#define COUNT uint64_t
#define WIDE int64_t
#define TOTAL uint64_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T uint8_t
#define OF(name) name##_u8
#define U uint8_t
#define LANE uint8_t
#define IS_SIGNED 0
#define IS_FLOAT 0
#define COUNT uint16_t
#define WIDE uint64_t
#define TOTAL uint32_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T uint16_t
#define OF(name) name##_u16
#define U uint16_t
#define LANE uint16_t
#define IS_SIGNED 0
#define IS_FLOAT 0
#define COUNT uint16_t
#define WIDE uint64_t
#define TOTAL uint32_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T uint32_t
#define OF(name) name##_u32
#define U uint32_t
#define LANE uint32_t
#define IS_SIGNED 0
#define IS_FLOAT 0
#define COUNT uint32_t
#define WIDE uint64_t
#define TOTAL uint64_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T uint64_t
#define OF(name) name##_u64
#define U uint64_t
#define LANE uint64_t
#define IS_SIGNED 0
#define IS_FLOAT 0
#define COUNT uint64_t
#define WIDE uint64_t
#define TOTAL uint64_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T float
#define OF(name) name##_f32
#define U uint32_t
#define LANE int32_t
#define IS_SIGNED 0
#define IS_FLOAT 1
#define INFINITE UINT32_C(0x7f800000)
#define COUNT uint32_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T double
#define OF(name) name##_f64
#define U uint64_t
#define LANE int64_t
#define IS_SIGNED 0
#define IS_FLOAT 1
#define INFINITE UINT64_C(0x7ff0000000000000)
#define COUNT uint64_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#undef BODY
