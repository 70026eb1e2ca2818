/* weft_map_views (ORDER.md 32.5): layouts of views, choice of a kernel, launches. Strided arrays are read in place.
 *
 *   - The kernel compiled for the formula (map_views.cuh) takes the layout as parameters. If each array has adjacent
 *     elements in the last dimension, or repeats one, the kernel computes a vector of values at a time.
 *   - The kernel that interprets formulas (map_interpret.cuh) reads the layout from scratch memory. Another kernel
 *     writes it there, because a stream that is being captured does not allow copies from pageable host memory.
 *
 * Both take elements in the order of the values. If an array is adjacent in another dimension than the last one, they
 * take tiles of both dimensions, so that the elements of a block are adjacent in that array too. */
#include "cuda/copy_view/device_views.h"
#include "cuda/copy_view/view_index.cuh"
#include "cuda/map/map_compiled.h"
#include "cuda/map/map_interpret.cuh"
#include "cuda/runtime/compiled.h"

#include <stdlib.h>
#include <string.h>

#ifndef VIEWS_ELEMENTS /* the emulated GPU of the tests uses fewer, so that short inputs need several launches */
#define VIEWS_ELEMENTS ((uint64_t)1 << 31) /* maximum of a launch: indices have 31 bits (map_layout.h) */
#endif

enum {
    PART_WORDS = 480, /* words of a layout that one launch writes */
    TILE = 8,         /* elements of a tile in the last dimension */
    TILE_MOST = 32,   /* maximum in the other dimension */
    SECTOR = 32       /* bytes; elements with smaller distances count as adjacent */
};

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    map_program program;
    char *out;
    size_t count;
    map_dimension d[WEFT_DIMENSIONS_MAX];
    map_layout *layout; /* scratch memory */
} state;

/* Dimensions in the order of a kernel, and their division into launches. */
typedef struct arrangement {
    size_t count;
    map_dimension d[WEFT_DIMENSIONS_MAX];
    view_dimension numbers[WEFT_DIMENSIONS_MAX]; /* x: distances of the values, y: of the numbers of elements */
    view_boxes boxes;
} arrangement;

/* Distance of leaf number `leaf`, or of the values if it is the number of leaves. */
static ptrdiff_t distance_of(const map_dimension *d, uint32_t leaves, uint32_t leaf) {
    return leaf < leaves ? d->x[leaf] : d->out;
}

/* --------------------------------------------------------------------------------------- parts */

/* Returns true if leaves k and k + 1 are arrays of the adjacent parts of complex numbers. */
static bool are_parts(const map_leaf *leaves, size_t count, const map_dimension *d, size_t k) {
    const map_leaf *const re = &leaves[k], *const im = re + 1;
    bool same = re->kind == LEAF_ARRAY && im->kind == LEAF_ARRAY && re->dtype == im->dtype &&
                (const char *)im->p == (const char *)re->p + cuda_type_bytes(re->dtype);
    for (size_t i = 0; i < count; i++) same = same && d[i].x[k] == d[i].x[k + 1];
    return same;
}

/* --------------------------------------------------------------------------------------- packs */

/* Returns the bits that are set in an address or in a distance along the first `count` dimensions. */
static uintptr_t bits_of(const state *s, uint32_t leaf, const void *p, size_t count) {
    uintptr_t bits = (uintptr_t)p;
    for (size_t k = 0; k < count; k++) bits |= (uintptr_t)distance_of(&s->d[k], s->program.leaf_count, leaf);
    return bits;
}

/* Returns true if all packs are aligned whose elements, of `size` bytes, are adjacent in the last dimension. */
static bool are_aligned(const state *s, uint32_t leaf, const void *p, size_t size, uint32_t pack) {
    const size_t last = s->count - 1;
    return s->d[last].n % pack == 0 && bits_of(s, leaf, p, last) % FORMULA_ALIGNMENT(pack * size) == 0 &&
           distance_of(&s->d[last], s->program.leaf_count, leaf) == (ptrdiff_t)size;
}

/* Sets `paired` and `parts_apart`: which parts of complex numbers are loaded and stored together. */
static void pair_parts(const state *s, map_views_shape *shape) {
    const map_program *const p = &s->program;
    for (uint32_t k = 0; k + 1 < p->leaf_count; k++) {
        const size_t size = cuda_type_bytes(p->leaves[k].dtype);
        if ((k > 0 && shape->paired[k - 1]) || !are_parts(p->leaves, s->count, s->d, k)) continue;
        shape->paired[k] = bits_of(s, k, p->leaves[k].p, s->count) % (2 * size) == 0;
    }
    const size_t size = cuda_type_bytes(p->result);
    shape->parts_apart = p->is_complex && (p->imaginary != (int64_t)size ||
                                           bits_of(s, p->leaf_count, s->out, s->count) % (2 * size) != 0);
}

/* Returns true if packs of `pack` values can be computed. */
static bool has_packs(const state *s, uint32_t pack, map_views_shape *shape) {
    const map_program *const p = &s->program;
    const size_t size = cuda_type_bytes(p->result), parts = p->is_complex && !shape->parts_apart ? 2 : 1;
    if (s->count == 0 || !are_aligned(s, p->leaf_count, s->out, size * parts, pack)) return false;
    if (shape->parts_apart && (uintptr_t)p->imaginary % FORMULA_ALIGNMENT(pack * size) != 0) return false;
    for (uint32_t k = 0; k < p->leaf_count; k++) {
        const map_leaf *const leaf = &p->leaves[k];
        const ptrdiff_t distance = s->d[s->count - 1].x[k];
        if (leaf->kind == LEAF_INDEX && distance != 1) return false;
        if (leaf->kind != LEAF_ARRAY) continue;
        const size_t bytes = cuda_type_bytes(leaf->dtype) * (shape->paired[k] ? 2 : 1);
        shape->repeated[k] = distance == 0;
        if (!shape->repeated[k] && !are_aligned(s, k, leaf->p, bytes, pack)) return false;
        if (shape->paired[k]) k++;
    }
    return true;
}

/* Chooses the number of values of a pack, and how its elements are loaded and stored. */
static void choose_packs(const state *s, map_views_shape *shape) {
    memset(shape, 0, sizeof *shape);
    pair_parts(s, shape);
    shape->pack = map_text_vector(s->program.dtype, s->program.result) / (s->program.is_complex ? 2 : 1);
    if (has_packs(s, shape->pack, shape)) return;
    memset(shape->repeated, 0, sizeof shape->repeated);
    shape->pack = 1;
}

/* --------------------------------------------------------------------------------------- tiles */

/* Divides a dimension into an inner one of n elements, which it returns, and an outer one, which replaces it. */
static map_dimension split(map_dimension *d, uint32_t leaves, size_t n) {
    map_dimension inner = *d;
    inner.n = n;
    d->n /= n;
    d->out *= (ptrdiff_t)n;
    for (uint32_t k = 0; k < leaves; k++) d->x[k] *= (ptrdiff_t)n;
    return inner;
}

/* Returns the first dimension, other than the last one, in which an array is adjacent. If none: the last one. */
static size_t adjacent_dimension(const state *s) {
    const size_t last = s->count - 1;
    for (uint32_t leaf = 0; leaf < s->program.leaf_count; leaf++)
        for (size_t k = 0; k < last && s->program.leaves[leaf].kind == LEAF_ARRAY; k++) {
            const long long distance = llabs(s->d[k].x[leaf]);
            if (distance > 0 && distance < SECTOR && distance < llabs(s->d[last].x[leaf])) return k;
        }
    return last;
}

/* Divides the last dimension and the one in which an array is adjacent into tiles, if they have complete tiles. */
static void tile(const state *s, arrangement *a) {
    if (s->count < 2 || s->count + 2 > WEFT_DIMENSIONS_MAX) return;
    const size_t near = adjacent_dimension(s), last = s->count - 1;
    const uint32_t leaves = s->program.leaf_count;
    size_t rows = TILE_MOST;
    while (a->d[near].n % rows != 0) rows /= 2;
    if (near == last || rows < TILE || a->d[last].n % TILE != 0) return;
    const map_dimension inner = split(&a->d[near], leaves, rows), outer = a->d[near];
    memmove(&a->d[near], &a->d[near + 1], (last - near - 1) * sizeof *a->d);
    a->d[last - 1] = outer;
    a->d[last + 1] = inner;
    a->d[last + 2] = split(&a->d[last], leaves, TILE);
    a->count += 2;
}

/* --------------------------------------------------------------------------------- arrangements */

/* Orders the dimensions for kernels that compute packs of `pack` values, and leaves out those of one element. */
static void arrange(const state *s, uint32_t pack, arrangement *a) {
    size_t left = 0;
    a->count = s->count;
    memcpy(a->d, s->d, s->count * sizeof *s->d);
    if (pack > 1)
        (void)split(&a->d[a->count - 1], s->program.leaf_count, pack);
    else
        tile(s, a);
    for (size_t k = 0; k < a->count; k++)
        if (a->d[k].n > 1) a->d[left++] = a->d[k];
    a->count = left;
    for (size_t k = 0; k < left; k++) a->numbers[k] = view_dimension{a->d[k].n, a->d[k].out, 0};
    view_pack(left, a->numbers, 1);
    a->boxes = view_boxes_of(left, a->numbers, VIEWS_ELEMENTS);
}

/* Returns the number of dimensions of a launch. */
static uint32_t launch_dimensions(const arrangement *a) { return (uint32_t)(a->count - a->boxes.split); }

/* Moves the leaves to element number i. */
static void move_leaves(const arrangement *a, uint64_t i, map_program *program) {
    for (size_t k = a->count; k-- > 0; i /= a->d[k].n) {
        const ptrdiff_t index = (ptrdiff_t)(i % a->d[k].n);
        for (uint32_t l = 0; l < program->leaf_count; l++) {
            map_leaf *const leaf = &program->leaves[l];
            if (leaf->kind == LEAF_ARRAY) leaf->p = (const char *)leaf->p + index * a->d[k].x[l];
            if (leaf->kind == LEAF_INDEX) leaf->value.u64 += (uint64_t)(index * a->d[k].x[l]);
        }
    }
}

/* Sets the formula and the first value of launch `number`. Returns its number of elements. */
static uint32_t begin_launch(const state *s, const arrangement *a, uint64_t number, map_program *program,
                             char **out) {
    view_dimension own[WEFT_DIMENSIONS_MAX];
    int64_t to, first;
    const size_t count = view_box(&a->boxes, number, own, &to, &first);
    *program = s->program;
    *out = s->out + to;
    move_leaves(a, (uint64_t)first, program);
    return (uint32_t)view_count(count, own);
}

/* ------------------------------------------------------------------------------------- layouts */

static void write_lengths(const arrangement *a, view_length *lengths) {
    for (size_t k = a->boxes.split + 1; k < a->count; k++) lengths[k - a->boxes.split] = view_length_of(a->d[k].n);
}

static void write_distances(const arrangement *a, uint32_t leaves, int64_t *distances) {
    for (size_t k = a->boxes.split; k < a->count; k++)
        for (uint32_t l = 0; l <= leaves; l++) *distances++ = distance_of(&a->d[k], leaves, l);
}

typedef struct layout_part {
    uint64_t words[PART_WORDS];
} layout_part;

static __global__ void store_part(const __grid_constant__ layout_part p, uint32_t count, uint64_t *to) {
    if (threadIdx.x < count) to[threadIdx.x] = p.words[threadIdx.x];
}

/* Writes the layout to scratch memory. */
static weft_status store_layout(const state *s, const arrangement *a, weft_error *error) {
    map_layout l;
    layout_part p;
    memset(&l, 0, offsetof(map_layout, distances));
    l.count = launch_dimensions(a);
    l.leaves = s->program.leaf_count;
    write_lengths(a, l.lengths);
    write_distances(a, l.leaves, l.distances);
    const uint32_t words = (uint32_t)(offsetof(map_layout, distances) / 8) + l.count * (l.leaves + 1);
    for (uint32_t first = 0; first < words; first += PART_WORDS) {
        const uint32_t count = min_u32(words - first, PART_WORDS);
        memcpy(p.words, (const char *)&l + first * 8, count * 8);
        store_part<<<1, PART_WORDS, 0, s->g->stream>>>(p, count, (uint64_t *)s->layout + first);
        CUDA_TRY(cudaGetLastError(), "map_views");
    }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ launches */

/* Positions in views: distances in bytes. */
struct view_positions {
    const map_layout *layout;
    __device__ uint64_t of_leaf(uint32_t leaf, uint64_t element) const {
        uint32_t i = (uint32_t)element;
        int64_t distance = 0;
        for (uint32_t k = layout->count; k-- > 0;)
            distance += next_index(layout->lengths, k, i) * layout->distances[k * (layout->leaves + 1) + leaf];
        return (uint64_t)distance;
    }
    template <class T> __device__ T *of_value(T *out, uint64_t i) const {
        return (T *)((char *)out + of_leaf(layout->leaves, i));
    }
    template <class T> static __device__ const T *element(const void *array, uint64_t distance) {
        return (const T *)((const char *)array + distance);
    }
};

static weft_status run_interpreted(const state *s, const arrangement *a, weft_error *error) {
    const map_function<view_positions> kernel = map_kernel_of<view_positions>(s->program.dtype, s->program.result);
    map_program program;
    char *out;
    RETURN_IF(!kernel, WEFT_INTERNAL, "map_views: no kernel for dtype %d", (int)s->program.dtype);
    RETURN_IF_ERROR(store_layout(s, a, error));
    for (uint64_t k = 0; k < view_boxes_number(&a->boxes); k++) {
        const uint32_t n = begin_launch(s, a, k, &program, &out);
        kernel<<<map_blocks(s->g, n), THREADS, 0, s->g->stream>>>(program, n, out, view_positions{s->layout});
        CUDA_TRY(cudaGetLastError(), "map_views");
    }
    return WEFT_OK;
}

/* `rows`: packs of a thread. */
static weft_status run_compiled(const state *s, const arrangement *a, void *function, uint32_t rows,
                                weft_error *error) {
    map_program program;
    formula_params f;
    char *out;
    memset(&f.views, 0, sizeof f.views);
    write_lengths(a, f.views.lengths);
    write_distances(a, s->program.leaf_count, f.views.distances);
    for (uint64_t k = 0; k < view_boxes_number(&a->boxes); k++) {
        f.views.n = begin_launch(s, a, k, &program, &out);
        f.views.out = out;
        f.views.imaginary = s->program.imaginary;
        (void)gpu_formula_operands(&program, 0, 1, f.operands);
        RETURN_IF_ERROR(compiled_launch(s->g, "map_views", function, (f.views.n - 1) / (FORMULA_THREADS * rows) + 1,
                                        FORMULA_THREADS, 0, &f, error));
    }
    return WEFT_OK;
}

static weft_status run(const state *s, uint64_t n, weft_error *error) {
    arrangement a;
    map_views_shape shape;
    void *compiled = NULL;
    int rows;
    choose_packs(s, &shape);
    arrange(s, shape.pack, &a);
    shape.dimensions = launch_dimensions(&a);
    if (shape.dimensions * (s->program.leaf_count + 1) <= FORMULA_DISTANCES)
        RETURN_IF_ERROR(gpu_formula_kernel(s->g, &s->program, &shape, NULL, n, &compiled, &rows, error));
    if (compiled) return run_compiled(s, &a, compiled, rows > 0 ? (uint32_t)rows : 1, error);
    if (shape.pack > 1) arrange(s, 1, &a);
    return run_interpreted(s, &a, error);
}

/* ---------------------------------------------------------------------------------------- call */

/* Returns true if leaf number `leaf` and the next one are in one input. */
static bool in_one_input(const map_views_call *v, size_t leaf) {
    return leaf + 1 < v->map->leaf_count && are_parts(v->map->leaves, v->count, v->dimensions, leaf);
}

/* Adds the array of leaf number `leaf` to the inputs. */
static void add_input(view_memory *m, const map_views_call *v, size_t leaf) {
    const map_leaf *const array = &v->map->leaves[leaf];
    const size_t bytes = cuda_type_bytes(array->dtype) * (in_one_input(v, leaf) ? 2 : 1);
    view_dimension d[WEFT_DIMENSIONS_MAX];
    for (size_t k = 0; k < v->count; k++) d[k] = view_dimension{v->dimensions[k].n, v->dimensions[k].x[leaf], 0};
    m->inputs[m->input_count++] =
        view_input{"an array of the formula", array->p, view_extent_of(true, bytes, v->count, d), NULL};
}

/* Sets the dimensions of the output; the parts of complex values are one more. Returns their number. */
static size_t output_dimensions(const map_views_call *v, view_dimension *out) {
    for (size_t k = 0; k < v->count; k++) out[k] = view_dimension{v->dimensions[k].n, 0, v->dimensions[k].out};
    if (v->map->is_complex) out[v->count] = view_dimension{2, 0, v->map->imaginary};
    return v->count + (v->map->is_complex ? 1 : 0);
}

/* Makes the arrays available in device memory. m keeps `out`, the dimensions of the output. */
static weft_status locate(state *s, const map_views_call *v, view_memory *m, view_dimension *out, weft_error *error) {
    const size_t leaves = v->map->leaf_count;
    void *scratch;
    for (size_t k = 0; k < leaves; k++) {
        if (v->map->leaves[k].kind != LEAF_ARRAY) continue;
        add_input(m, v, k);
        if (in_one_input(v, k)) k++;
    }
    m->output_count = 1;
    m->outputs[0].name = "out";
    m->outputs[0].to = v->map->out;
    m->outputs[0].bytes = cuda_type_bytes(v->map->result);
    m->outputs[0].count = output_dimensions(v, out);
    m->outputs[0].d = out;
    RETURN_IF_ERROR(views_locate_all(m, s->g, "map_views", sizeof *s->layout, &scratch, error));
    s->layout = (map_layout *)scratch;
    s->out = m->y;
    s->count = v->count;
    memcpy(s->d, v->dimensions, v->count * sizeof *s->d);
    for (size_t k = 0; k < v->count; k++) s->d[k].out = out[k].y;
    gpu_map_program(v->map, &s->program);
    if (v->map->is_complex) s->program.imaginary = out[v->count].y;
    for (size_t k = 0, input = 0; k < leaves; k++) {
        map_leaf *const leaf = &s->program.leaves[k];
        if (leaf->kind != LEAF_ARRAY) continue;
        leaf->p = m->inputs[input++].x;
        if (!in_one_input(v, k)) continue;
        leaf[1].p = (const char *)leaf->p + cuda_type_bytes(leaf->dtype);
        k++;
    }
    return WEFT_OK;
}

weft_status cuda_map_views(void *context, const map_views_call *v, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    view_dimension out[WEFT_DIMENSIONS_MAX + 1];
    view_memory m;
    state s;
    memset(&m, 0, sizeof m);
    s.g = g;
    RETURN_IF_ERROR(locate(&s, v, &m, out, error));
    RETURN_IF_ERROR(run(&s, v->map->n, error));
    return views_out(&m, error);
}
