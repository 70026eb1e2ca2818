/* The kernels that a context has compiled its formulas to.
 *
 * To compile takes as long as to interpret a great many elements. So a formula is interpreted until it has been asked
 * for FORMULA_WORK steps of elements in all, the call at hand included, and compiled then; the bits are the same. The
 * environment can forbid it, WEFT_NVRTC=0, or ask for it at once, WEFT_NVRTC=1. */
#ifndef WEFT_CUDA_MAP_COMPILED_H
#define WEFT_CUDA_MAP_COMPILED_H

#include "cuda/map/map_job.h"
#include "cuda/map/map_text.h"

#define FORMULA_WORK ((uint64_t)1 << 28)
/* Formulas that a context remembers; the one that was not used for longest makes room for a new one. */
#define FORMULAS_MAX 64

/* What WEFT_NVRTC asks for. */
weft_status gpu_formula_policy(gpu *g, weft_error *error);
void gpu_formulas_close(gpu *g);

/* The kernel of a formula's values, or with `consumer` one that does with them what that kernel does with an array,
 * at n more elements; NULL: it is to be interpreted. */
weft_status gpu_formula_kernel(gpu *g, const map_program *program, const kernel *consumer, uint64_t n,
                               void **function, int *rows, weft_error *error);

/* The operands of a launch from element `first` on. Returns whether all arrays are aligned for loads of `vector`
 * elements of each. */
bool gpu_formula_operands(const map_program *program, uint64_t first, size_t vector, formula_operand *operands);

#endif
