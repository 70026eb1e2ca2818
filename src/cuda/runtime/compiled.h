/* Loading and launching code that was compiled at run time. */
#ifndef WEFT_CUDA_COMPILED_H
#define WEFT_CUDA_COMPILED_H

#include "cuda/map/map_formula.h"
#include "cuda/runtime/gpu.h"

/* Returns true if the driver can load such code. */
bool compiled_usable(void);

/* Loads `code` and finds its kernel `name`. The caller must unload *library after all its launches have completed. */
weft_status compiled_load(const void *code, const char *name, void **library, void **function, weft_error *error);
void compiled_unload(void *library);

/* Launches the kernel on the context's stream, with `shared_bytes` of dynamic shared memory per block. */
weft_status compiled_launch(const gpu *g, const char *operation, void *function, unsigned blocks, unsigned threads,
                            size_t shared_bytes, formula_params *f, weft_error *error);

#endif
