/* Parameters of the kernels that sort many vectors. */
#ifndef WEFT_CUDA_SORT_AXIS_PARAMS_H
#define WEFT_CUDA_SORT_AXIS_PARAMS_H

#include "arith/sort_code.h"
#include "core/types.h"
#include "cuda/copy_view/device_views.h"

#define SORT_THREADS_LOG2 8
#define SORT_THREADS (1 << SORT_THREADS_LOG2)
#define SORT_EACH 8                          /* items of a thread */
#define SORT_TILE (SORT_THREADS * SORT_EACH) /* items of a block; the longest vector */

/* Longer vectors are sorted in tiles, which are then merged, or if they have more elements than this, one vector at a
 * time. The emulated GPU of the tests uses less, and less scratch memory, so that short inputs reach all ways. */
#ifndef SORT_MERGED
#define SORT_MERGED ((size_t)1 << 20)
#define SORT_MERGE_BYTES ((size_t)512 << 20)
#endif

/* The order of keys. A key of f16 or bf16 is the upper half of a word, whose order is that of 32 bits: keys are
 * shifted to the left by `shift` bits. */
struct sort_axis_rule : weft_sort_rule {
    uint32_t shift;
};

struct sort_axis_params {
    sort_axis_rule rule;
    const char *x;
    char *y;
    uint32_t n, bytes, result_bytes; /* elements of a vector; bytes of a key and of a result */
    uint32_t threads_log2;           /* threads of a vector */
    bool has_nans;                   /* the keys are floats */
    bool across_x, across_y;         /* adjacent threads access adjacent vectors, not adjacent elements */
    /* The vectors are tiles of longer ones, `vector_tiles` of each in turn. Items are stored, with the index in the
     * longer vector, whose first tile begins at first_index. */
    bool stores_items;
    uint32_t vector_tiles, first_index;
    int64_t x_stride, y_stride; /* bytes between adjacent elements of a vector */
    uint64_t vectors, tiles;
    view_dims outer;
};

/* Tuning: blocks per multiprocessor of the kernel that merges. */
#define SORT_MERGE_BLOCKS(item) ((item) == 4 ? 5 : 4)

/* Parameters of a pass that merges pairs of sorted runs of each vector. */
struct sort_merge_params {
    const void *from; /* items of all vectors, without gaps */
    void *to;         /* items, or in the last pass the results */
    uint32_t *splits; /* for each tile, number of items before it that are from the first run of the pair */
    uint64_t tiles;   /* of all vectors */
    uint32_t n, run, vector_tiles; /* elements of a vector and of a run, and tiles of a vector */
    bool last;
    uint32_t result_bytes;
    sort_axis_rule rule;
    view_dims outer; /* distances y of the results; those of a vector are adjacent */
};

static inline sort_axis_rule sort_axis_rule_of(weft_dtype dtype, bool descending) {
    const uint32_t shift = type_is_half(dtype) ? 16 : 0, bits = 8 * (uint32_t)cuda_type_bytes(dtype) + shift;
    sort_axis_rule rule;
    (weft_sort_rule &)rule =
        weft_sort_rule_of(bits, type_infinity(dtype) << shift, type_is_signed(dtype), descending);
    rule.shift = shift;
    return rule;
}

#endif
