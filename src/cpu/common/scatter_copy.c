/* Copies of columns of weft_scatter_reduce. */
#include "cpu/common/scatter.h"

#include <string.h>

typedef struct params {
    size_t n, size, from_stride, to_stride;
    const char *from;
    char *to;
} params;

/* Copies elements first ... end - 1. `size` is a constant. */
static inline __attribute__((always_inline)) void copy_elements(const params *j, size_t size, size_t first,
                                                                size_t end) {
    for (size_t i = first; i < end; i++)
        memcpy(j->to + i * j->to_stride * size, j->from + i * j->from_stride * size, size);
}

static void copy_part(void *self, size_t part) {
    const params *j = self;
    const size_t first = part * SCATTER_AT_ONCE, end = scatter_end(first, SCATTER_AT_ONCE, j->n);
    switch (j->size) {
    case 1: copy_elements(j, 1, first, end); break;
    case 2: copy_elements(j, 2, first, end); break;
    case 4: copy_elements(j, 4, first, end); break;
    default: copy_elements(j, 8, first, end); break;
    }
}

void scatter_copy(int threads, size_t n, size_t size, const void *from, size_t from_stride, void *to,
                  size_t to_stride) {
    params j = {n, size, from_stride, to_stride, from, to};
    cpu_parallel_for(threads, ceil_div(n, SCATTER_AT_ONCE), PARALLEL_RANGES, copy_part, &j);
}
