/* Kernels that a context has compiled for its formulas.
 *
 * Compiling takes as long as interpreting a very large number of elements. A formula is therefore interpreted until
 * FORMULA_WORK element steps of it were requested in total, including the current call, and compiled then; the
 * results have the same bits. The environment variable WEFT_NVRTC=0 disables compilation, and WEFT_NVRTC=1 compiles
 * at the first call. */
#ifndef WEFT_CUDA_MAP_COMPILED_H
#define WEFT_CUDA_MAP_COMPILED_H

#include "cuda/map/map_params.h"
#include "cuda/map/map_text.h"

#define FORMULA_WORK ((uint64_t)1 << 28)
/* Number of formulas that a context stores; a new one replaces the least recently used. */
#define FORMULAS_MAX 64

/* Sets the policy from WEFT_NVRTC. */
weft_status gpu_formula_policy(gpu *g, weft_error *error);
void gpu_formulas_close(gpu *g);

/* Sets *function to the kernel compiled for a formula, or to NULL if it is to be interpreted. With `consumer`, the
 * kernel applies that kernel's operator to the values instead of storing them. With `views`, the leaves are views;
 * then `consumer` must be NULL. Counts n more elements. */
weft_status gpu_formula_kernel(gpu *g, const map_program *program, const map_views_shape *views,
                               const kernel *consumer, uint64_t n, void **function, int *rows, weft_error *error);

/* Sets the operands of a launch that starts at element `first`. Returns true if all arrays are aligned for loads of
 * `vector` elements each. */
bool gpu_formula_operands(const map_program *program, uint64_t first, size_t vector, formula_operand *operands);

#endif
