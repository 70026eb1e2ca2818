/* Views in device memory: the dimensions that kernels loop over, copies between views, and views in host memory. */
#ifndef WEFT_CUDA_DEVICE_VIEWS_H
#define WEFT_CUDA_DEVICE_VIEWS_H

#include "core/view_dimensions.h"
#include "cuda/copy_view/view_length.h"
#include "cuda/runtime/arrays.h"

#ifndef AXES_BYTES /* the emulated GPU of the tests uses a smaller buffer, so that short inputs need several */
#define AXES_BYTES ((size_t)64 << 20)
#endif

/* Dimensions of an array that is read and of one that is written, as a parameter of kernels. Those of length 1 are
 * left out. */
struct view_dims {
    uint32_t count;
    bool narrow; /* all numbers of elements are less than 2^31: `lengths` is used, except of dimension 0 */
    view_length lengths[WEFT_DIMENSIONS_MAX];
    uint64_t n[WEFT_DIMENSIONS_MAX];
    int64_t x[WEFT_DIMENSIONS_MAX], y[WEFT_DIMENSIONS_MAX];
};

view_dims view_dims_of(size_t count, const view_dimension *d);

/* Returns the product of the lengths. */
uint64_t view_count(size_t count, const view_dimension *d);

/* Returns the length n, 2 <= n < 2^31. */
view_length view_length_of(uint64_t n);

/* Returns the number of the dimension with the smallest distance in x, other than 0; the last of several, or `count`
 * if there is none. */
size_t view_nearest(size_t count, const view_dimension *d);

/* Sets *x and *y to the offsets of element number i from the first one. The last dimension varies fastest. */
void view_offset_of(size_t count, const view_dimension *d, uint64_t i, int64_t *x, int64_t *y);

/* Sets the distances y to those of an array without gaps, in the order of the dimensions, of elements of `bytes`
 * bytes. */
void view_pack(size_t count, view_dimension *d, size_t bytes);

/* Copies between views in device memory. Only launches kernels. */
weft_status gpu_copy_view(gpu *g, const copy_view_call *c, weft_error *error);

/* Boxes: parts of an array of several dimensions. A box has all indices of the dimensions after `split`, `n` of
 * dimension `split`, and one of each dimension before it. */
struct view_boxes {
    size_t count, split;
    uint64_t most;  /* indices of dimension `split` in a box */
    uint64_t outer; /* combinations of the indices of the dimensions before it */
    const view_dimension *d;
};

/* Divides dimensions into boxes of at most `capacity` elements, or one. */
view_boxes view_boxes_of(size_t count, const view_dimension *d, uint64_t capacity);
uint64_t view_boxes_number(const view_boxes *b);
/* Sets d to the dimensions of box `number`, and *x and *y to the offsets of its first element. Returns the number of
 * dimensions. */
size_t view_box(const view_boxes *b, uint64_t number, view_dimension *d, int64_t *x, int64_t *y);

/* Returns the least k for which 2^k is at least n. */
static inline uint32_t log2_up(uint64_t n) {
    uint32_t log2 = 0;
    while (log2 < 63 && (uint64_t)1 << log2 < n) log2++;
    return log2;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

enum { VIEW_INPUTS = MAP_LEAVES, VIEW_OUTPUTS = 2 };

/* The memory of a view: the elements are from `base` + `low` on, in `bytes` bytes. */
struct view_extent {
    ptrdiff_t low;
    size_t bytes;
};
view_extent view_extent_of(bool of_x, size_t element, size_t count, const view_dimension *d);

/* An input of a call on views. The caller sets the first members, up to `extent`. */
struct view_input {
    const char *name; /* of the argument, for messages */
    const void *p;    /* the caller's address of the first element */
    view_extent extent;
    char *x; /* first element in device memory */
};

/* An output of a call on views. The caller sets the first members, up to `kept`. */
struct view_output {
    const char *name; /* of the argument, for messages */
    void *to;         /* the caller's address of the first element */
    size_t bytes;     /* of an element */
    size_t count;
    view_dimension *d; /* its `count` dimensions, with distances y */
    bool kept;         /* the kernels need not write all elements: the others keep their values */
    char *y;           /* first element in device memory */
    /* The output is in host memory and has gaps: it is computed in device memory without gaps. Then *d has the
     * distances of that array, and `given` the caller's. */
    bool has_gaps;
    view_dimension given[WEFT_DIMENSIONS_MAX + 1];
    size_t packed_bytes, scratch_at;
};

/* The arrays of a call on views. */
struct view_memory {
    gpu *g;
    const char *name; /* of the operation */
    size_t input_count, output_count;
    view_input inputs[VIEW_INPUTS];
    view_output outputs[VIEW_OUTPUTS];
    gpu_array arrays[VIEW_INPUTS + VIEW_OUTPUTS];
    char *x, *y; /* first elements in device memory: of the first input and of the first output */
};

/* Locates the arrays and copies inputs in host memory to the GPU. m has the inputs and the outputs, with `d`, whose
 * distances may change. Provides `scratch_bytes` bytes of device memory. */
weft_status views_locate_all(view_memory *m, gpu *g, const char *name, size_t scratch_bytes, void **scratch,
                             weft_error *error);
/* views_locate_all for one input, named "x". */
weft_status views_locate(view_memory *m, gpu *g, const char *name, const void *x, view_extent of_x,
                         size_t scratch_bytes, void **scratch, weft_error *error);
/* views_locate for one output, named "y", whose `count` dimensions are `out`. */
weft_status views_in(view_memory *m, gpu *g, const char *name, const void *x, view_extent of_x, void *y,
                     size_t element, size_t count, view_dimension *out, size_t scratch_bytes, void **scratch,
                     weft_error *error);
/* Copies outputs in host memory back. */
weft_status views_out(view_memory *m, weft_error *error);

#endif
