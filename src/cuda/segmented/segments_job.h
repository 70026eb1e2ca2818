/* What the kernels of segmented operations are told, and their geometry (ORDER.md 8). Nothing here enters a
 * result. */
#ifndef WEFT_CUDA_SEGMENTS_JOB_H
#define WEFT_CUDA_SEGMENTS_JOB_H

#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_job.h"

#define SEGMENT_THREADS 256
#define SEGMENT_WARPS (SEGMENT_THREADS / 32)
/* Folds: rows of a segment that the first kernel does; tiles of one that a warp of the second does; tiles of an
 * item, which a block does. */
#define FOLD_SHORT_ROWS 8
#define FOLD_MIDDLE_TILES 4
#define FOLD_ITEM_TILES (4 * SEGMENT_WARPS)
/* Blocks that a multiprocessor is to hold, by the bytes of what is joined; this bounds the registers. */
#define FOLD_SHORT_BLOCKS(bytes) ((bytes) == 8 ? 4 : 5)
#define SCAN_SHORT_BLOCKS(bytes) ((bytes) == 8 ? 3 : 4)

/* What a look at offsets has found. All zero at first. */
struct segments_found {
    unsigned long long bad;     /* complement of the number of the first segment that is none, or 0 */
    unsigned long long longest; /* elements */
    unsigned long long items;   /* of long scans */
};

/* The lists of segments that the first kernel leaves to the next. All zero at first. */
struct segments_lists {
    unsigned long long middle; /* their number */
    unsigned long long longs;  /* number in the upper half, their items in the lower: both rise at once */
    unsigned long long words;  /* of the published totals of long scans */
};

/* A segment that is cut in items, which are numbered through all such segments. */
struct segments_long {
    uint64_t segment;
    uint64_t words; /* scans: where its totals begin */
    uint32_t item;  /* number of its first item */
    uint32_t done;  /* folds: items that are done */
};

struct segments_job {
    scan_job scan; /* of a scan: x, y and n are of the whole array */
    const void *x;
    void *y;
    uint64_t n;
    const uint64_t *offsets;
    uint64_t segments;
    const uint64_t *count; /* where the number of segments is, when the host does not know it, or NULL */
    segments_lists *lists;
    uint64_t *middle;
    segments_long *longs;
    void *partials; /* folds: a value for each item */
    bool once;      /* long scans: there is a block for each item */
};

/* The kernels of one operator and its types; each takes a segments_job. `scan` has the shared memory of
 * scan_long. */
struct segments_launch {
    const void *fold_short, *fold_long, *scan_short;
    scan_launch scan_long;
    uint32_t fold_short_blocks, scan_short_blocks; /* that a multiprocessor holds */
    uint32_t fold_short_max, fold_middle_max;      /* elements */
};

/* segmented_sums.cu, segmented_products.cu, segmented_free.cu */
segments_launch cuda_segmented_sum_kernels(weft_dtype dtype, weft_dtype result);
segments_launch cuda_segmented_product_kernels(weft_dtype dtype, weft_dtype result);
segments_launch cuda_segmented_extreme_kernels(weft_dtype dtype);
segments_launch cuda_segmented_or_kernels(weft_dtype dtype);
segments_launch cuda_segmented_xor_kernels(weft_dtype dtype);

/* heads.cu: from head flags or keys to offsets. */
struct heads_call {
    gpu *g;
    const segmented_call *c;
    const void *keys; /* on the device, as all that follows */
    void *unique_keys;
    uint64_t *offsets; /* room for n + 1 */
    uint64_t *count;
    void *scratch;
};
size_t heads_scratch_bytes(size_t n);
/* Fills offsets, unique_keys and count. n >= 1. */
weft_status heads_find(const heads_call *h, weft_error *error);

#endif
