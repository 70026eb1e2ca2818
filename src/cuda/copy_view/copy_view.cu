/* weft_copy_view: choice of a kernel, launches. */
#include "core/types.h"
#include "cuda/copy_view/copy_view.cuh"

enum {
    TILE_LEAST = 16, /* shorter dimensions are not worth a tile */
    WIDEST = 16      /* bytes */
};

/* Returns the number of elements, a power of two, that a wider one can contain: rows are contiguous in x and in y,
 * and all addresses are multiples of its size. */
static size_t widening(const copy_view_call *c) {
    if (c->count == 0) return 1;
    const view_dimension *const last = &c->dimensions[c->count - 1];
    if (last->x != (ptrdiff_t)c->element || last->y != (ptrdiff_t)c->element) return 1;
    uintptr_t all = (uintptr_t)c->x | (uintptr_t)c->y | last->n * c->element | WIDEST;
    for (size_t k = 0; k + 1 < c->count; k++) all |= (uintptr_t)c->dimensions[k].x | (uintptr_t)c->dimensions[k].y;
    return (all & (0 - all)) / c->element;
}

/* ------------------------------------------------------------------------------------- launches */

template <class Params>
static weft_status launch(const gpu *g, void (*kernel)(Params), uint64_t blocks, const Params &params,
                          weft_error *error) {
    kernel<<<(unsigned)min_u64(blocks, INT32_MAX), COPY_THREADS, 0, g->stream>>>(params);
    CUDA_TRY(cudaGetLastError(), "copy_view");
    return WEFT_OK;
}

/* Dimensions in any order. */
static weft_status copy_list(const gpu *g, size_t element, const copy_view_call *c, weft_error *error) {
    copy_list_params a;
    a.d = view_dims_of(c->count, c->dimensions);
    a.n = view_count(c->count, c->dimensions);
    a.x = (const char *)c->x;
    a.y = (char *)c->y;
    void (*const kernel)(copy_list_params) = element == 1   ? copy_list_kernel<uint8_t>
                                             : element == 2 ? copy_list_kernel<uint16_t>
                                             : element == 4 ? copy_list_kernel<uint32_t>
                                             : element == 8 ? copy_list_kernel<uint64_t>
                                                            : copy_list_kernel<uint4>;
    return launch(g, kernel, (a.n - 1) / (COPY_THREADS * COPY_EACH) + 1, a, error);
}

typedef void (*tiles_function)(copy_tiles_params);

/* A kernel and the sides of its tiles, in elements. */
typedef struct tiles_choice {
    tiles_function kernel;
    uint32_t a, b;
} tiles_choice;

template <class Element> static tiles_choice choose_tiles(const copy_tiles_params *p) {
    constexpr uint32_t SIDE = sizeof(Element) == 8 ? COPY_SIDE_8 : COPY_SIDE;
    if (p->a_n <= SIDE / 2) return {copy_tiles_kernel<Element, COPY_SHORT, COPY_LONG>, COPY_SHORT, COPY_LONG};
    if (p->b_n <= SIDE / 2) return {copy_tiles_kernel<Element, COPY_LONG, COPY_SHORT>, COPY_LONG, COPY_SHORT};
    return {copy_tiles_kernel<Element, SIDE, SIDE>, SIDE, SIDE};
}

template <class Element, class Word> static tiles_choice choose_squares(const copy_tiles_params *p) {
    constexpr uint32_t R = sizeof(Word) / sizeof(Element), SIDE = COPY_WORDS, SHORT = COPY_SHORT / R,
                       LONG = COPY_LONG_BYTES / sizeof(Word);
    if (p->a_n <= SIDE * R / 2) return {copy_squares_kernel<Element, Word, SHORT, LONG>, SHORT * R, LONG * R};
    if (p->b_n <= SIDE * R / 2) return {copy_squares_kernel<Element, Word, LONG, SHORT>, LONG * R, SHORT * R};
    return {copy_squares_kernel<Element, Word, SIDE, SIDE>, SIDE * R, SIDE * R};
}

/* Returns true if words of `bytes` bytes contain whole elements of dimension a in x and of dimension b in y. */
static bool squares_fit(const copy_tiles_params *p, size_t element, size_t bytes) {
    uintptr_t x = (uintptr_t)p->x | (uintptr_t)p->b_x, y = (uintptr_t)p->y | (uintptr_t)p->a_y;
    if (p->a_x != (int64_t)element || p->b_y != (int64_t)element) return false;
    for (uint32_t k = 0; k < p->d.count; k++) x |= (uintptr_t)p->d.x[k], y |= (uintptr_t)p->d.y[k];
    return ((x | y | p->a_n * element | p->b_n * element) & (bytes - 1)) == 0;
}

static tiles_choice choose_kernel(const copy_tiles_params *p, size_t element) {
    switch (element) {
    case 1: return squares_fit(p, 1, 4) ? choose_squares<uint8_t, uint32_t>(p) : choose_tiles<uint8_t>(p);
    case 2: return squares_fit(p, 2, 8) ? choose_squares<uint16_t, uint64_t>(p) : choose_tiles<uint16_t>(p);
    case 4: return squares_fit(p, 4, 8) ? choose_squares<uint32_t, uint64_t>(p) : choose_tiles<uint32_t>(p);
    default: return choose_tiles<uint64_t>(p);
    }
}

/* Dimension `near` has the smallest distance in x. The last dimension has the smallest one in y. */
static weft_status copy_tiles(const gpu *g, const copy_view_call *c, size_t near, weft_error *error) {
    const view_dimension a = c->dimensions[near], b = c->dimensions[c->count - 1];
    view_dimension others[WEFT_DIMENSIONS_MAX];
    size_t count = 0;
    for (size_t k = 0; k + 1 < c->count; k++)
        if (k != near) others[count++] = c->dimensions[k];
    copy_tiles_params p;
    p.d = view_dims_of(count, others);
    p.a_n = a.n, p.a_x = a.x, p.a_y = a.y;
    p.b_n = b.n, p.b_x = b.x, p.b_y = b.y;
    p.x = (const char *)c->x;
    p.y = (char *)c->y;
    const tiles_choice chosen = choose_kernel(&p, c->element);
    p.a_tiles = (a.n - 1) / chosen.a + 1;
    p.b_tiles = (b.n - 1) / chosen.b + 1;
    p.tiles = p.a_tiles * p.b_tiles * view_count(count, others);
    return launch(g, chosen.kernel, p.tiles, p, error);
}

weft_status gpu_copy_view(gpu *g, const copy_view_call *c, weft_error *error) {
    copy_view_call wide = *c;
    const size_t near = view_nearest(c->count, c->dimensions), last = c->count - 1, by = widening(c);
    if (by > 1) {
        wide.dimensions[last].n /= by;
        wide.dimensions[last].x *= (ptrdiff_t)by;
        wide.dimensions[last].y *= (ptrdiff_t)by;
        return copy_list(g, c->element * by, &wide, error);
    }
    if (near >= last || c->count == 0) return copy_list(g, c->element, c, error);
    if (c->dimensions[near].n >= TILE_LEAST && c->dimensions[last].n >= TILE_LEAST)
        return copy_tiles(g, c, near, error);
    /* Adjacent threads take the short dimension: adjacent elements of x, or a row of y, which is in one cache line
     * with the rows after it. */
    if (c->dimensions[near].n < TILE_LEAST) {
        wide.dimensions[last] = c->dimensions[near];
        wide.dimensions[near] = c->dimensions[last];
    }
    return copy_list(g, c->element, &wide, error);
}

weft_status cuda_copy_view(void *state, const copy_view_call *c, weft_error *error) {
    gpu *const g = (gpu *)state;
    const current_device scope(g->device);
    copy_view_call moved = *c;
    const view_extent from = view_extent_of(true, c->element, c->count, c->dimensions);
    view_memory m;
    void *scratch;
    RETURN_IF_ERROR(
        views_in(&m, g, "copy_view", c->x, from, c->y, c->element, c->count, moved.dimensions, 0, &scratch, error));
    moved.x = m.x;
    moved.y = m.y;
    RETURN_IF_ERROR(gpu_copy_view(g, &moved, error));
    return views_out(&m, error);
}
