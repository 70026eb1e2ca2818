/* Finds NVIDIA's libraries at run time, so that the plugin does not link to them. */
#ifndef WEFT_CUDA_LIBRARY_H
#define WEFT_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Loads the first library that is found under one of the names and of which `take` returns true; the others are
 * unloaded. Searches, in this order: the plugin's directory, $CUDA_PATH/lib64, the search path of the system's
 * loader, and /usr/local/cuda/lib64. Returns false if there is none. */
bool library_find(const char *const *names, size_t count, bool (*take)(void *library));

#endif
