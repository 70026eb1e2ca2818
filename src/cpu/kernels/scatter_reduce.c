/* Kernels of weft_scatter_reduce: a stable distribution of values by a digit of their keys; compiled once per
 * instruction set level.
 *
 * The values of a bucket are collected in a line of SCATTER_LINE values, which is written with nontemporal stores.
 * The branch that tests if a line is full is mispredicted once per line. With lines of 64 bytes, this would take half
 * of the time. */
#include "cpu/kernels/stream.h"

enum { BLOCK = 1 << 11 }; /* keys that stay in the first cache */

/* Writes the elements of a bucket's line from that of position `next` to element `end` of the line. */
INLINE void put_line(size_t size, const char *lines, size_t bucket, size_t next, size_t end, void *to) {
    const size_t bytes = SCATTER_LINE * size, begin = next % SCATTER_LINE;
    const unsigned char *const line = (const unsigned char *)lines + bucket * bytes;
    unsigned char *const out = (unsigned char *)to + (next - begin) * size;
    if (end - begin == SCATTER_LINE)
        for (size_t i = 0; i < bytes; i += VECTOR_BYTES) stream_vector(out + i, line + i);
    else
        memcpy(out + begin * size, line + begin * size, (end - begin) * size);
}

#define KEY uint16_t
#define OF(name) name##_16
#include "cpu/kernels/bodies/scatter_reduce_body.h"

#define KEY uint32_t
#define OF(name) name##_32
#include "cpu/kernels/bodies/scatter_reduce_body.h"

#define KEY uint64_t
#define OF(name) name##_64
#include "cpu/kernels/bodies/scatter_reduce_body.h"

const scatter_kernels LEVELED(cpu_scatters) = {{&KERNEL_16, &KERNEL_32, &KERNEL_64}};
