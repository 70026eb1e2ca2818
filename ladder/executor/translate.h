/* Converts a .cu file to C++ for the executor. A launch kernel<<<shape>>>(...) becomes a call, and dynamic shared
 * memory a pointer. __device__ before a variable becomes WEFT_DEVICE_VARIABLE. */
#ifndef WEFT_EXECUTOR_TRANSLATE_H
#define WEFT_EXECUTOR_TRANSLATE_H

#include <stddef.h>

/* Returns the C++ text, which the caller frees. `name` is the file's name in messages of the compiler. Returns NULL
 * and writes a sentence to `error` if there is a launch that it does not understand, or no memory. */
char *executor_translate(const char *name, const char *text, char *error, size_t error_size);

#endif
