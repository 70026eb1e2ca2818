/* Replacement for stddef.h, stdint.h, stdbool.h, string.h and math.h in NVRTC, which has none of these headers: the
 * declarations that src/arith and src/cuda use. The functions of <math.h> and memcpy are built into NVRTC. */
#ifndef WEFT_CUDA_NVRTC_STD_H
#define WEFT_CUDA_NVRTC_STD_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;

#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807ll
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ull
#define UINT16_C(x) x
#define UINT32_C(x) x##u
#define UINT64_C(x) x##ull
#define INT64_C(x) x##ll
#define INFINITY __int_as_float(0x7f800000)

#ifndef NULL
#define NULL 0
#endif

#endif
