/* Source text of a formula's kernel, for the run-time compiler (nvrtc.h). */
#ifndef WEFT_CUDA_MAP_TEXT_H
#define WEFT_CUDA_MAP_TEXT_H

#include "core/backend.h"
#include "cuda/map/map_formula.h"
#include "cuda/reduce/kernels.h"

/* Properties of a call on views that determine its kernel. The kernel computes `pack` adjacent values at a time. */
typedef struct map_views_shape {
    uint32_t dimensions, pack;
    bool repeated[MAP_LEAVES]; /* arrays of which one element is used for all of them */
    bool paired[MAP_LEAVES];   /* this leaf and the next one are the adjacent parts of complex numbers */
    bool parts_apart;          /* the parts of complex values are not adjacent */
} map_views_shape;

/* Properties of a formula that determine its kernel. The addresses of arrays and the values of constants are
 * parameters of each launch. */
typedef struct map_shape {
    weft_dtype dtype, result; /* types of the evaluation and of the values: those of map_call */
    uint32_t step_count, leaf_count;
    map_step steps[MAP_STEPS];
    struct {
        map_leaf_kind kind;
        weft_dtype dtype; /* element type of an array; 0 for other leaves */
    } leaves[MAP_LEAVES];
    map_views_shape views; /* zero for arrays */
    bool is_complex;
    uint8_t results[2]; /* of complex values, those of map_call */
} map_shape;

/* Name of the kernel, for every formula; it takes a formula_params. */
#define FORMULA_KERNEL "weft_formula"

/* Returns the number of values in a vector: those of 16 bytes in the type of the evaluation, or in that of the result
 * if it is f16 or bf16. */
uint32_t map_text_vector(weft_dtype dtype, weft_dtype result);
/* Returns the number of vectors that a thread of a map has in each block, and that a thread of a scan computes at a
 * time. 0 means one value instead. */
int map_text_rows(const map_shape *shape);

/* Returns the text of the map's kernel, or with `consumer` that of a reduction or scan with the consumer's operator.
 * The caller must free it. NULL if there is not enough memory. */
char *map_text(const map_shape *shape, const kernel *consumer);

#endif
