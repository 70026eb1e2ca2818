/* Parameters of the kernels of segmented operations, and their geometry (ORDER.md 8). Nothing here affects a
 * result. */
#ifndef WEFT_CUDA_SEGMENTS_PARAMS_H
#define WEFT_CUDA_SEGMENTS_PARAMS_H

#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_params.h"

#define SEGMENT_THREADS 256
#define SEGMENT_WARPS (SEGMENT_THREADS / 32)
/* Reductions: maximum rows of a segment for the first kernel; maximum tiles of a segment for a warp of the second;
 * tiles of an item, which a block reduces. */
#define REDUCE_SHORT_ROWS 8
#define REDUCE_MIDDLE_TILES 4
#define REDUCE_ITEM_TILES (4 * SEGMENT_WARPS)
/* Reductions: number of times that a warp of the second kernel takes segments, if all are of one length. A higher
 * number balances the warps, a lower one loads the offsets of more segments at once. */
#define REDUCE_TAKES 16
/* Blocks that a multiprocessor should hold, by the bytes of a value. This bounds the registers. */
#define REDUCE_SHORT_BLOCKS(bytes) ((bytes) == 8 ? 4 : 5)
#define SCAN_SHORT_BLOCKS(bytes) ((bytes) == 8 ? 3 : 5)
/* Scans of short segments: threads of a block; elements plus segments of a warp. A warp has fewer if the GPU would
 * otherwise not be full. */
#define SCAN_SHORT_THREADS 128
#define SCAN_SHORT_WARPS (SCAN_SHORT_THREADS / 32)
#define SCAN_SHORT_WORK 8192

/* Summary of the offsets. Initially all zero, which it remains if the offsets are not checked on the GPU. */
struct segments_found {
    unsigned long long bad;     /* complement of the number of the first segment with invalid offsets, or 0 */
    unsigned long long longest; /* in elements */
    unsigned long long items;   /* number of items of long scans */
    unsigned long long blocks;  /* number of finished blocks of the check */
};

/* The lists of segments that the first kernel leaves to the next. Initially all zero. */
struct segments_lists {
    unsigned long long middle; /* number of entries */
    unsigned long long taken;  /* entries that warps have taken, apart from the first ones of each warp */
    unsigned long long longs;  /* upper 32 bits: number of entries; lower: of their items; one atomic adds both */
    unsigned long long words;  /* number of published totals that long scans use */
};

/* A segment that is divided into items. Items are numbered through all such segments. */
struct segments_long {
    uint64_t segment;
    uint64_t words; /* scans: index of its first published total */
    uint32_t item;  /* number of its first item */
    uint32_t done;  /* reductions: number of items that are done */
};

struct segments_params {
    scan_params scan; /* parameters common to all scans, without x, y and n; `vectors` is that of x and y */
    const void *x;
    void *y;
    uint64_t n;
    const uint64_t *offsets;
    uint64_t segments;
    const uint64_t *count;       /* number of segments, if it is only in device memory; otherwise NULL */
    const segments_found *found; /* if `bad` is not 0, reductions write nothing. In scans it can differ from 0 only in
                                    a captured stream */
    segments_lists *lists;
    uint64_t *middle;
    segments_long *longs;
    void *partials; /* reductions: a value for each item */
    bool once;      /* long scans: there is a block for each item */
};

/* The kernels of one operator and its types. Each takes a segments_params. `scan_long` includes the shared memory of
 * its kernel. */
struct segments_launch {
    const void *reduce_short, *reduce_long, *scan_short;
    scan_launch scan_long;
    uint32_t reduce_short_blocks, scan_short_blocks; /* blocks per multiprocessor */
    uint32_t reduce_short_max, reduce_middle_max;    /* maximum elements of a segment */
};

/* segmented_sums.cu, segmented_products.cu, segmented_unordered.cu */
segments_launch cuda_segmented_sum_kernels(weft_dtype dtype, weft_dtype result);
segments_launch cuda_segmented_product_kernels(weft_dtype dtype, weft_dtype result);
segments_launch cuda_segmented_extreme_kernels(weft_dtype dtype);
segments_launch cuda_segmented_or_kernels(weft_dtype dtype);
segments_launch cuda_segmented_xor_kernels(weft_dtype dtype);
/* segmented_means.cu: reductions only */
segments_launch cuda_segmented_mean_kernels(weft_dtype dtype);

/* Reduces segments given by valid offsets. All arrays of the call, and `scratch` (gpu_segmented_scratch bytes,
 * aligned to 16), are in device memory. Only launches kernels. The operator WEFT_MEAN gives sums in f64. */
size_t gpu_segmented_scratch(const segmented_call *c);
weft_status gpu_segmented_reduce(gpu *g, const segmented_call *c, void *scratch, weft_error *error);

/* segmented_exact.cu: exact sums, or means, of f32 or f64 elements (ORDER.md 30). Row offsets[s] ... offsets[s + 1] -
 * 1 of a list are the rows of segment s; each of their columns has a sum. All arrays are in device memory. */
struct exact_segments {
    weft_dtype dtype;
    bool mean;
    const void *x;
    uint64_t n, columns, segments; /* of x: n rows; segments >= 1 */
    const void *list;              /* numbers of rows, or NULL: all rows */
    bool wide_list;                /* the numbers have 8 bytes, otherwise 4 */
    const uint64_t *offsets;
    const uint64_t *count; /* number of segments, if it is only in device memory; otherwise NULL */
    const void *init;      /* a further term, and the result of an empty segment, for each result; or NULL */
    void *out;
};
size_t gpu_exact_segments_scratch(const exact_segments *e);
/* Only launches kernels. */
weft_status gpu_exact_segments(gpu *g, const char *name, const exact_segments *e, void *scratch, weft_error *error);

/* heads.cu: converts head flags or keys to offsets. */
struct heads_call {
    gpu *g;
    const segmented_call *c;
    const void *keys; /* in device memory, as are all following arrays */
    void *unique_keys;
    uint64_t *offsets; /* capacity n + 1 */
    uint64_t *count;
    void *scratch;
};
size_t heads_scratch_bytes(size_t n);
/* Fills offsets, unique_keys and count. n must be at least 1. */
weft_status heads_find(const heads_call *h, weft_error *error);

#endif
