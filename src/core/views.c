#include "core/views.h"

#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------- messages */

view_text view_shape_text(size_t dimensions, const size_t *shape) {
    view_text t;
    size_t at = (size_t)snprintf(t.text, sizeof t.text, "(");
    for (size_t k = 0; k < dimensions; k++)
        at += (size_t)snprintf(t.text + at, sizeof t.text - at, k ? ", %zu" : "%zu", shape[k]);
    snprintf(t.text + at, sizeof t.text - at, ")");
    return t;
}

static view_text stride_text(const weft_view *v) {
    view_text t;
    size_t at = (size_t)snprintf(t.text, sizeof t.text, "(");
    for (size_t k = 0; k < v->dimensions; k++)
        at += (size_t)snprintf(t.text + at, sizeof t.text - at, k ? ", %td" : "%td", v->stride[k]);
    snprintf(t.text + at, sizeof t.text - at, ")");
    return t;
}

/* ---------------------------------------------------------------------------------- checks */

static size_t magnitude(ptrdiff_t stride) { return stride < 0 ? -(size_t)stride : (size_t)stride; }

static bool is_empty(const weft_view *v) {
    for (size_t k = 0; k < v->dimensions; k++)
        if (v->shape[k] == 0) return true;
    return false;
}

size_t view_elements(const weft_view *v) {
    size_t elements = 1;
    if (is_empty(v)) return 0;
    for (size_t k = 0; k < v->dimensions; k++) elements *= v->shape[k];
    return elements;
}

/* Returns false if the product of the lengths that are not 0 is too large. */
static bool has_size(const weft_view *v) {
    size_t elements = 1;
    for (size_t k = 0; k < v->dimensions; k++)
        if (v->shape[k] > 0 && __builtin_mul_overflow(elements, v->shape[k], &elements)) return false;
    return true;
}

/* Computes the number of bytes from the first to the last byte of the elements, of which there is at least one, and
 * of those before `data`. Returns false if a number is too large. */
static bool measure(const weft_view *v, size_t *before, size_t *span) {
    *before = 0;
    *span = weft_dtype_size(v->dtype);
    for (size_t k = 0; k < v->dimensions; k++) {
        size_t extent;
        if (__builtin_mul_overflow(v->shape[k] - 1, magnitude(v->stride[k]), &extent) ||
            __builtin_add_overflow(*span, extent, span) || *span > PTRDIFF_MAX)
            return false;
        if (v->stride[k] < 0) *before += extent;
    }
    return (uintptr_t)v->data >= *before && (uintptr_t)v->data - *before <= UINTPTR_MAX - *span;
}

static weft_status check_strides(const char *name, const weft_view *v, weft_error *error) {
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(v->dtype);
    for (size_t k = 0; k < v->dimensions; k++)
        RETURN_IF(v->shape[k] > 1 && v->stride[k] % size != 0, WEFT_INVALID,
                  "%s: the stride of axis %zu, %td bytes, is not a multiple of the %td-byte elements", name, k,
                  v->stride[k], size);
    return WEFT_OK;
}

static weft_status check_buffer(const char *name, const weft_view *v, const range *r, weft_error *error) {
    const size_t offset = (uintptr_t)r->p - (uintptr_t)v->buffer; /* wraps if the elements begin before the buffer */
    RETURN_IF(v->buffer_bytes > 0 && (r->bytes > v->buffer_bytes || offset > v->buffer_bytes - r->bytes),
              WEFT_INVALID, "%s: its elements are bytes %td to %td of its buffer, which has %zu bytes", name,
              (ptrdiff_t)offset, (ptrdiff_t)(offset + r->bytes - 1), v->buffer_bytes);
    return WEFT_OK;
}

weft_status check_view(const weft_context *ctx, const char *name, const weft_view *v, range *r, weft_error *error) {
    size_t before, span;
    *r = (range){name, NULL, 0};
    RETURN_IF(!v, WEFT_INVALID, "%s is NULL", name);
    RETURN_IF(v->size != sizeof *v, WEFT_INVALID, "%s: size is %zu: expected sizeof(weft_view), which is %zu", name,
              v->size, sizeof *v);
    RETURN_IF(weft_dtype_size(v->dtype) == 0, WEFT_INVALID, "%s: invalid dtype %d", name, (int)v->dtype);
    RETURN_IF(v->dimensions > WEFT_DIMENSIONS_MAX, WEFT_INVALID, "%s has %zu dimensions: at most %d are supported",
              name, v->dimensions, WEFT_DIMENSIONS_MAX);
    const bool empty = is_empty(v);
    if (!empty) RETURN_IF_ERROR(check_strides(name, v, error));
    RETURN_IF(!empty && !v->data, WEFT_INVALID, "%s: data is NULL", name);
    RETURN_IF(!has_size(v) || (!empty && !measure(v, &before, &span)), WEFT_INVALID,
              "%s: shape %s with strides %s at %p does not fit in memory", name,
              view_shape_text(v->dimensions, v->shape).text, stride_text(v).text, v->data);
    if (empty) return WEFT_OK;
    RETURN_IF((uintptr_t)v->data % weft_dtype_size(v->dtype) != 0, WEFT_INVALID,
              "%s is at %p, which is not aligned to its %zu-byte elements", name, v->data, weft_dtype_size(v->dtype));
    RETURN_IF_ERROR(check_array(ctx, name, (const char *)v->data - before, span, 1, r, error));
    return check_buffer(name, v, r, error);
}

/* Sorts dimensions by the magnitude of y, the largest first. Keeps the order of equal ones. */
static void sort_by_y(size_t count, view_dimension *d) {
    for (size_t k = 1; k < count; k++) {
        const view_dimension moved = d[k];
        size_t to = k;
        for (; to > 0 && magnitude(d[to - 1].y) < magnitude(moved.y); to--) d[to] = d[to - 1];
        d[to] = moved;
    }
}

weft_status check_output_view(const weft_context *ctx, const char *name, const weft_view *v, range *r,
                              weft_error *error) {
    view_dimension d[WEFT_DIMENSIONS_MAX];
    size_t count = 0;
    RETURN_IF_ERROR(check_view(ctx, name, v, r, error));
    if (is_empty(v)) return WEFT_OK;
    for (size_t k = 0; k < v->dimensions; k++)
        if (v->shape[k] > 1) d[count++] = (view_dimension){v->shape[k], 0, v->stride[k]};
    sort_by_y(count, d);
    size_t reach = weft_dtype_size(v->dtype); /* bytes that the dimensions with smaller strides span */
    while (count-- > 0) {
        const size_t stride = magnitude(d[count].y);
        RETURN_IF(stride < reach, WEFT_INVALID, "%s: elements of shape %s with strides %s overlap", name,
                  view_shape_text(v->dimensions, v->shape).text, stride_text(v).text);
        reach += (d[count].n - 1) * stride;
    }
    return WEFT_OK;
}

weft_status check_axes(const weft_view *v, size_t count, const int *axes, size_t *numbers, weft_error *error) {
    const int dimensions = (int)v->dimensions;
    RETURN_IF(count > v->dimensions, WEFT_INVALID, "%zu %s: the array has %d dimension%s", count,
              count == 1 ? "axis" : "axes", dimensions, dimensions == 1 ? "" : "s");
    RETURN_IF(count > 0 && !axes, WEFT_INVALID, "axes is NULL");
    for (size_t a = 0; a < count; a++) {
        RETURN_IF(axes[a] < -dimensions || axes[a] >= dimensions, WEFT_INVALID,
                  "axis %d is out of range: the array has %d dimension%s", axes[a], dimensions,
                  dimensions == 1 ? "" : "s");
        numbers[a] = (size_t)(axes[a] < 0 ? axes[a] + dimensions : axes[a]);
        for (size_t b = 0; b < a; b++)
            RETURN_IF(numbers[a] == numbers[b], WEFT_INVALID, "axes %d and %d are the same axis", axes[b], axes[a]);
    }
    return WEFT_OK;
}

weft_status check_reduced_axes(const weft_view *v, size_t count, const int *axes, size_t *numbers,
                               bool reduced[WEFT_DIMENSIONS_MAX], weft_error *error) {
    RETURN_IF_ERROR(check_axes(v, count, axes, numbers, error));
    for (size_t k = 0; k < v->dimensions; k++) reduced[k] = false;
    for (size_t a = 0; a < count; a++) reduced[numbers[a]] = true;
    return WEFT_OK;
}

weft_status check_view_type(const char *name, const weft_view *v, weft_dtype dtype, weft_error *error) {
    RETURN_IF(v->dtype != dtype, WEFT_INVALID, "%s has elements of type %s: expected %s", name,
              weft_dtype_name(v->dtype), weft_dtype_name(dtype));
    return WEFT_OK;
}

weft_status check_view_shape(const char *name, const weft_view *y, const weft_view *x, weft_error *error) {
    bool equal = x->dimensions == y->dimensions;
    for (size_t k = 0; equal && k < x->dimensions; k++) equal = x->shape[k] == y->shape[k];
    RETURN_IF(!equal, WEFT_INVALID, "%s has shape %s: expected that of x, %s", name,
              view_shape_text(y->dimensions, y->shape).text, view_shape_text(x->dimensions, x->shape).text);
    return WEFT_OK;
}

weft_status check_view_parts(const char *name, const weft_view *v, weft_error *error) {
    RETURN_IF(v->dimensions == 0 || v->shape[v->dimensions - 1] != 2, WEFT_INVALID,
              "%s has shape %s: the last axis of complex numbers has length 2, for their parts", name,
              view_shape_text(v->dimensions, v->shape).text);
    return WEFT_OK;
}

weft_view view_part(const weft_view *v, size_t part) {
    weft_view of_part = *v;
    of_part.dimensions--;
    if (part && v->data) of_part.data = (char *)v->data + v->stride[of_part.dimensions];
    return of_part;
}

weft_status check_view_length(const char *name, const weft_view *y, const weft_view *x, size_t along, size_t n,
                              weft_error *error) {
    weft_view expected = *x;
    bool same = y->dimensions == x->dimensions;
    expected.shape[along] = n;
    for (size_t k = 0; same && k < x->dimensions; k++) same = y->shape[k] == expected.shape[k];
    RETURN_IF(!same, WEFT_INVALID, "%s has shape %s: expected %s", name,
              view_shape_text(y->dimensions, y->shape).text, view_shape_text(x->dimensions, expected.shape).text);
    return WEFT_OK;
}

weft_status view_broadcast(const char *name_x, const weft_view *x, const char *name_y, const weft_view *y,
                           size_t axes, ptrdiff_t *strides, weft_error *error) {
    RETURN_IF(x->dimensions > y->dimensions, WEFT_INVALID, "%s has %zu dimension%s, more than %s, which has %zu",
              name_x, x->dimensions, x->dimensions == 1 ? "" : "s", name_y, y->dimensions);
    const size_t missing = y->dimensions - x->dimensions;
    for (size_t k = 0; k < axes; k++) {
        const bool repeats = k < missing || (x->shape[k - missing] == 1 && y->shape[k] != 1);
        RETURN_IF(!repeats && x->shape[k - missing] != y->shape[k], WEFT_INVALID,
                  "%s of shape %s cannot be broadcast to %s of shape %s", name_x,
                  view_shape_text(x->dimensions, x->shape).text, name_y,
                  view_shape_text(y->dimensions, y->shape).text);
        strides[k] = repeats ? 0 : x->stride[k - missing];
    }
    return WEFT_OK;
}

weft_status view_broadcast_both(const weft_view *x, const weft_view *y, weft_view *both_x, weft_view *both_y,
                                weft_error *error) {
    weft_view common = {.dimensions = x->dimensions > y->dimensions ? x->dimensions : y->dimensions};
    for (size_t k = 0; k < common.dimensions; k++) { /* from the last axis on */
        const size_t of_x = k < x->dimensions ? x->shape[x->dimensions - 1 - k] : 1;
        const size_t of_y = k < y->dimensions ? y->shape[y->dimensions - 1 - k] : 1;
        RETURN_IF(of_x != of_y && of_x != 1 && of_y != 1, WEFT_INVALID,
                  "x of shape %s and y of shape %s cannot be broadcast to one shape",
                  view_shape_text(x->dimensions, x->shape).text, view_shape_text(y->dimensions, y->shape).text);
        common.shape[common.dimensions - 1 - k] = of_x == 1 ? of_y : of_x;
    }
    RETURN_IF(!has_size(&common), WEFT_INVALID, "the shape of x and y, %s, has too many elements",
              view_shape_text(common.dimensions, common.shape).text);
    *both_x = *x;
    *both_y = *y;
    both_x->dimensions = both_y->dimensions = common.dimensions;
    memcpy(both_x->shape, common.shape, sizeof common.shape);
    memcpy(both_y->shape, common.shape, sizeof common.shape);
    RETURN_IF_ERROR(view_broadcast("x", x, "the result", &common, common.dimensions, both_x->stride, error));
    return view_broadcast("y", y, "the result", &common, common.dimensions, both_y->stride, error);
}

bool view_equal(const weft_view *x, const weft_view *y) {
    const size_t count = x->dimensions;
    return x->data == y->data && x->dtype == y->dtype && count == y->dimensions &&
           memcmp(x->shape, y->shape, count * sizeof *x->shape) == 0 &&
           memcmp(x->stride, y->stride, count * sizeof *x->stride) == 0;
}

/* ------------------------------------------------------------------------------ dimensions */

static size_t *length_of(char *d) { return (size_t *)(void *)d; }
static ptrdiff_t *distances_of(char *d) { return (ptrdiff_t *)(void *)(d + sizeof(size_t)); }

/* Makes distance number `key` of a dimension positive: moves the first elements to its other end. */
static void turn(char *d, size_t arrays, size_t key, ptrdiff_t *moved) {
    const ptrdiff_t last = (ptrdiff_t)*length_of(d) - 1;
    ptrdiff_t *const distances = distances_of(d);
    if (distances[key] >= 0) return;
    for (size_t a = 0; a < arrays; a++) {
        moved[a] += last * distances[a];
        distances[a] = -distances[a];
    }
}

/* Returns true if two dimensions are one in memory, in all arrays. */
static bool are_one(char *outer, char *inner, size_t arrays) {
    bool one = true;
    for (size_t a = 0; a < arrays && one; a++)
        one = (size_t)distances_of(outer)[a] == *length_of(inner) * (size_t)distances_of(inner)[a]; /* modulo 2^64 */
    return one;
}

/* Merges sorted dimensions. */
static size_t merge(size_t count, char *all, size_t bytes, size_t arrays) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        char *const d = all + k * bytes, *const outer = left > 0 ? all + (left - 1) * bytes : NULL;
        const bool merges = outer && are_one(outer, d, arrays);
        const size_t n = merges ? *length_of(outer) * *length_of(d) : *length_of(d);
        char *const to = merges ? outer : all + left++ * bytes;
        if (to != d) memcpy(to, d, bytes);
        *length_of(to) = n;
    }
    return left;
}

size_t view_sort_dimensions(size_t count, void *dimensions, size_t bytes, size_t arrays, size_t key,
                            ptrdiff_t *moved) {
    char *const all = dimensions;
    map_dimension one; /* the largest of the structs */
    size_t sorted = 0;
    memset(moved, 0, arrays * sizeof *moved);
    for (size_t k = 0; k < count; k++) {
        char *const d = all + k * bytes;
        size_t to = sorted;
        if (*length_of(d) == 1) continue;
        turn(d, arrays, key, moved);
        const ptrdiff_t distance = distances_of(d)[key];
        while (to > 0 && distances_of(all + (to - 1) * bytes)[key] < distance) to--;
        memcpy(&one, d, bytes);
        memmove(all + (to + 1) * bytes, all + to * bytes, (sorted - to) * bytes);
        memcpy(all + to * bytes, &one, bytes);
        sorted++;
    }
    return merge(sorted, all, bytes, arrays);
}

/* Returns p + bytes, and NULL for NULL, which is the address of arrays without elements. */
static void *moved_to(const void *p, ptrdiff_t bytes) { return p ? (char *)p + bytes : NULL; }

size_t view_sort_and_merge_with(size_t count, view_dimension *d, ptrdiff_t *factor, const void **x,
                                const void **factor_at, void **y) {
    struct {
        size_t n;
        ptrdiff_t x, y, factor;
    } all[WEFT_DIMENSIONS_MAX + 1];
    ptrdiff_t moved[3];
    for (size_t k = 0; k < count; k++) {
        all[k].n = d[k].n, all[k].x = d[k].x, all[k].y = d[k].y;
        all[k].factor = factor ? factor[k] : 0;
    }
    const size_t left = view_sort_dimensions(count, all, sizeof *all, 3, 1, moved);
    for (size_t k = 0; k < left; k++) {
        d[k] = (view_dimension){all[k].n, all[k].x, all[k].y};
        if (factor) factor[k] = all[k].factor;
    }
    *x = moved_to(*x, moved[0]);
    *y = moved_to(*y, moved[1]);
    if (factor) *factor_at = moved_to(*factor_at, moved[2]);
    return left;
}

size_t view_sort_and_merge(size_t count, view_dimension *d, const void **x, void **y) {
    return view_sort_and_merge_with(count, d, NULL, x, NULL, y);
}

void view_order_copy(copy_view_call *c, size_t count) {
    c->count = view_sort_and_merge(count, c->dimensions, &c->x, &c->y);
    while (c->count > 0) {
        const view_dimension last = c->dimensions[c->count - 1];
        const size_t pair = 2 * c->element;
        uintptr_t low = (uintptr_t)c->x | (uintptr_t)c->y; /* the bits of all addresses and distances */
        for (size_t k = 0; k + 1 < c->count; k++) low |= (uintptr_t)(c->dimensions[k].x | c->dimensions[k].y);
        if (last.n != 2 || last.x != (ptrdiff_t)c->element || last.y != last.x || pair > 8 || low % pair != 0) return;
        c->element = pair;
        c->count--;
    }
}

reduce_axes_call view_dot_of(weft_dtype dtype, weft_dtype result, size_t n, const void *x, const void *y, void *out) {
    reduce_axes_call c = view_reduction_of(dtype, result, n, x, out);
    c.dot = true;
    c.op = WEFT_SUM;
    c.factor.p = y;
    c.factor.inner[0] = c.inner[0].x;
    return c;
}

reduce_axes_call view_reduction_of(weft_dtype dtype, weft_dtype result, size_t n, const void *x, void *out) {
    reduce_axes_call c = {.dtype = dtype, .result = result, .n = n, .vectors = 1, .x = x, .y = out};
    c.inner_count = n > 1;
    c.inner[0] = (view_dimension){n, (ptrdiff_t)weft_dtype_size(dtype), 0};
    return c;
}

view_vectors view_vectors_of(const weft_view *x, size_t along, const weft_view *y) {
    view_vectors v = {.vectors = view_elements(x) / x->shape[along],
                      .inner = {x->shape[along], x->stride[along], y->stride[along]},
                      .x = x->data,
                      .y = y->data};
    for (size_t k = 0; k < x->dimensions; k++)
        if (k != along) v.outer[v.outer_count++] = (view_dimension){x->shape[k], x->stride[k], y->stride[k]};
    v.outer_count = view_sort_and_merge(v.outer_count, v.outer, &v.x, &v.y);
    return v;
}

weft_status weft_view_of(weft_dtype dtype, size_t dimensions, const size_t *shape, const void *data,
                         weft_view *view) {
    weft_error *const error = context_thread_error();
    size_t before, span, stride = weft_dtype_size(dtype);
    weft_view v = {.size = sizeof v, .dtype = dtype, .dimensions = dimensions, .data = (void *)data};
    RETURN_IF(!view, WEFT_INVALID, "view is NULL");
    RETURN_IF(stride == 0, WEFT_INVALID, "invalid dtype %d", (int)dtype);
    RETURN_IF(dimensions > WEFT_DIMENSIONS_MAX, WEFT_INVALID, "%zu dimensions: at most %d are supported", dimensions,
              WEFT_DIMENSIONS_MAX);
    RETURN_IF(dimensions > 0 && !shape, WEFT_INVALID, "shape is NULL");
    for (size_t k = dimensions; k-- > 0;) {
        v.shape[k] = shape[k];
        v.stride[k] = (ptrdiff_t)stride;
        RETURN_IF(shape[k] > 1 && __builtin_mul_overflow(stride, shape[k], &stride), WEFT_INVALID,
                  "shape %s of %s does not fit in memory", view_shape_text(dimensions, shape).text,
                  weft_dtype_name(dtype));
    }
    RETURN_IF(!is_empty(&v) && data && !measure(&v, &before, &span), WEFT_INVALID,
              "shape %s of %s at %p does not fit in memory", view_shape_text(dimensions, shape).text,
              weft_dtype_name(dtype), data);
    *view = v;
    return WEFT_OK;
}
