/* Code that was compiled at run time, on the GPU. */
#ifndef WEFT_CUDA_COMPILED_H
#define WEFT_CUDA_COMPILED_H

#include "cuda/map/map_formula.h"
#include "cuda/runtime/gpu.h"

/* Whether the driver can load such code. */
bool compiled_usable(void);

/* The kernel of that name. *library is to be unloaded once none of its launches is under way. */
weft_status compiled_load(const void *code, const char *name, void **library, void **function, weft_error *error);
void compiled_unload(void *library);

/* Launches it on the context's stream, each block with so much dynamic shared memory. */
weft_status compiled_launch(const gpu *g, const char *operation, void *function, unsigned blocks, unsigned threads,
                            size_t shared_bytes, formula_job *f, weft_error *error);

#endif
