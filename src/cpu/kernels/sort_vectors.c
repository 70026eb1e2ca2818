/* Kernels for vectorized sorting of keys without values; only for instruction set levels with compress
 * instructions: AVX-512. */
#include "cpu/kernels/sort_ranks.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)

#include <immintrin.h>

enum { ROWS_MAX = 16 }; /* maximum registers of a leaf sort */

/* Batcher's merge exchange (Sorting networks and their applications, 1968) for 8 and 16 rows, one step per line. */
/* clang-format off */
#define NETWORK_8(X) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) \
    X(0, 2) X(1, 3) X(4, 6) X(5, 7) \
    X(1, 2) X(5, 6) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) \
    X(2, 4) X(3, 5) \
    X(1, 2) X(3, 4) X(5, 6)
#define NETWORK_16(X) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) \
    X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(8, 10) X(9, 11) X(12, 14) X(13, 15) \
    X(1, 2) X(5, 6) X(9, 10) X(13, 14) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(8, 12) X(9, 13) X(10, 14) X(11, 15) \
    X(2, 4) X(3, 5) X(10, 12) X(11, 13) \
    X(1, 2) X(3, 4) X(5, 6) X(9, 10) X(11, 12) X(13, 14) \
    X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15) \
    X(4, 8) X(5, 9) X(6, 10) X(7, 11) \
    X(2, 4) X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13) \
    X(1, 2) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)
/* clang-format on */

#define KEY uint32_t
#define OF(name) name##_32
#define LANES_LOG2 4
#define MASK __mmask16
#define EACH(name) _mm512_##name##_epi32
#define UNSIGNED(name) _mm512_##name##_epu32
#define BELOW _mm512_cmplt_epu32_mask
#include "cpu/kernels/bodies/sort_vectors_body.h"

#define KEY uint64_t
#define OF(name) name##_64
#define LANES_LOG2 3
#define MASK __mmask8
#define EACH(name) _mm512_##name##_epi64
#define UNSIGNED(name) _mm512_##name##_epu64
#define BELOW _mm512_cmplt_epu64_mask
#include "cpu/kernels/bodies/sort_vectors_body.h"

const sort_vector_kernels LEVELED(cpu_sort_vectors) = {{NULL, NULL, &KERNEL_32, &KERNEL_64}};

#else

const sort_vector_kernels LEVELED(cpu_sort_vectors) = {{NULL}};

#endif
