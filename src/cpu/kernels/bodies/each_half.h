/* Includes BODY once for f16 and once for bf16, with the macros of cpu/kernels/bodies/each_type.h, which may follow.
 * T is uint16_t, the type of their bits. */

#define T uint16_t
#define OF(name) name##_f16
#define U uint16_t
#define LANE int16_t
#define IS_SIGNED 0
#define IS_FLOAT 1
#define INFINITE 0x7c00
#define COUNT uint16_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"

#define T uint16_t
#define OF(name) name##_bf16
#define U uint16_t
#define LANE int16_t
#define IS_SIGNED 0
#define IS_FLOAT 1
#define INFINITE 0x7f80
#define COUNT uint16_t
#include BODY
#include "cpu/kernels/bodies/end_of_type.h"
