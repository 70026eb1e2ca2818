/* Multithreaded copies of host memory, for src/stream. */
#ifndef WEFT_CORE_COPY_H
#define WEFT_CORE_COPY_H

#include <stddef.h>

/* Performs memcpy on the threads of the backend "cpu" (cpu/runtime/parallel.c). to and from must not overlap. */
void weft_copy_on_threads(void *to, const void *from, size_t bytes);

#endif
