/* A formula's kernel as text, which the run-time compiler makes a kernel of (nvrtc.h). */
#ifndef WEFT_CUDA_MAP_TEXT_H
#define WEFT_CUDA_MAP_TEXT_H

#include "core/backend.h"
#include "cuda/map/map_formula.h"
#include "cuda/reduce/kernels.h"

/* What a kernel is made from; where the arrays lie and what the values are comes with each launch. */
typedef struct map_shape {
    weft_dtype dtype; /* that the formula is evaluated in */
    uint32_t step_count, leaf_count;
    map_step steps[MAP_STEPS];
    struct {
        map_leaf_kind kind;
        weft_dtype dtype; /* of an array; else 0 */
    } leaves[MAP_LEAVES];
} map_shape;

/* The kernel's name, whatever the formula; it takes a formula_job. */
#define FORMULA_KERNEL "weft_formula"

/* Vectors of 16 bytes of values that a thread of a map has in each block, and one of a scan computes at a time; 0:
 * one value. */
int map_text_rows(const map_shape *shape);

/* The text of the map, or with `consumer` of the reduction or the scan by that kernel's operator; to be freed. NULL:
 * no memory. */
char *map_text(const map_shape *shape, const kernel *consumer);

#endif
