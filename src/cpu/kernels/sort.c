/* Kernels of weft_sort, weft_sort_pairs, weft_sort_bits and weft_argsort; compiled once per instruction set level.
 * Digits are computed by vector code, a block of keys at a time; counting and scattering process key by key. */
#include "cpu/kernels/sort_lines.h"
#include "cpu/kernels/sort_ranks.h"

enum {
    BLOCK = 256,               /* keys whose digits are computed at a time */
    TABLES = 4,                /* used in turn, because consecutive increments of one counter depend on each other */
    COUNTED_AT_ONCE = 1 << 30, /* maximum keys counted in 32-bit counters, so that they cannot overflow */
};

/* Returns `workspace` filled with the indices of a block's keys, which are the values if there are no others. */
INLINE const void *indices_of(size_t value_bytes, size_t first, size_t n, void *workspace) {
    uint32_t *const narrow = workspace;
    uint64_t *const wide = workspace;
    for (size_t j = 0; j < n && value_bytes == sizeof *narrow; j++) narrow[j] = (uint32_t)(first + j);
    for (size_t j = 0; j < n && value_bytes == sizeof *wide; j++) wide[j] = first + j;
    return workspace;
}

#define KEY uint8_t
#define OF(name) name##_8
#include "cpu/kernels/bodies/sort_kernel_body.h"

#define KEY uint16_t
#define OF(name) name##_16
#include "cpu/kernels/bodies/sort_kernel_body.h"

#define KEY uint32_t
#define OF(name) name##_32
#include "cpu/kernels/bodies/sort_kernel_body.h"

#define KEY uint64_t
#define OF(name) name##_64
#include "cpu/kernels/bodies/sort_kernel_body.h"

const sort_kernels LEVELED(cpu_sorts) = {{&KERNEL_8, &KERNEL_16, &KERNEL_32, &KERNEL_64}};
