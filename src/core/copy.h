/* Copies of host memory by several threads, for src/stream. */
#ifndef WEFT_CORE_COPY_H
#define WEFT_CORE_COPY_H

#include <stddef.h>

/* memcpy by the threads of the backend "cpu" (cpu/parallel.c). */
void weft_copy_on_threads(void *to, const void *from, size_t bytes);

#endif
