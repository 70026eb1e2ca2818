#include "tests/dist/pencils.h"

#include <stdlib.h>
#include <string.h>

/* x or y of a transform: a batch of whole arrays. Arrays of two axes have a third one of length 1. */
typedef struct side {
    size_t n[3], width; /* width: bytes of a value */
    char *p;
} side;

typedef struct transform {
    weft_fft_kind kind;
    weft_dtype dtype;
    size_t batch, axes, shape[3];
    side x, y;
} transform;

static size_t values_of(const transform *t, const size_t n[3]) { return t->batch * n[0] * n[1] * n[2]; }

static side make_side(const transform *t, bool real) {
    const size_t last = t->axes - 1;
    side s = {{t->shape[0], t->shape[1], t->shape[2]}, weft_dtype_size(t->dtype) * (real ? 1 : 2), NULL};
    if (!real && t->kind >= WEFT_R2C) s.n[last] = s.n[last] / 2 + 1;
    return s;
}

static weft_view view_of(const transform *t, const side *s) {
    const size_t shape[] = {t->batch, s->n[0], s->n[1], s->n[2], 2}, real = s->width == weft_dtype_size(t->dtype);
    weft_view v;
    if (weft_view_of(t->dtype, 5 - real, shape, s->p, &v) != WEFT_OK) abort();
    return v;
}

/* Draws x and computes y on one process. */
static transform make_transform(world *w, weft_fft_kind kind, weft_dtype dtype, size_t batch, const size_t *n) {
    transform t = {.kind = kind, .dtype = dtype, .batch = batch, .axes = n[2] ? 3 : 2, .shape = {n[0], n[1], n[2]}};
    if (t.axes == 2) t.shape[2] = 1;
    t.x = make_side(&t, kind == WEFT_R2C);
    t.y = make_side(&t, kind == WEFT_C2R);
    t.x.p = world_array(w, dtype, values_of(&t, t.x.n) * t.x.width / weft_dtype_size(dtype));
    t.y.p = world_memory(values_of(&t, t.y.n), t.y.width);
    const weft_view x = view_of(&t, &t.x), y = view_of(&t, &t.y);
    const weft_status status = weft_fft_axes(w->alone, kind, &x, t.axes, (const int[]){1, 2, 3}, &y);
    world_expect(w, status == WEFT_OK, "fft_axes alone: %s", weft_last_error(w->alone));
    return t;
}

/* Sets part[k] to this rank's part of axis k. */
static void divide(const world *w, const side *s, int across, int transposed, weft_slice part[3]) {
    for (int k = 0; k < 3; k++) {
        part[k] = weft_slice_share(s->n[k], 1, 0);
        if (k == transposed) part[k] = weft_slice_share(s->n[k], w->size / across, w->rank / across);
        if (k == transposed + 1 && across > 1) part[k] = weft_slice_share(s->n[k], across, w->rank % across);
    }
}

static size_t bytes_of(const transform *t, const side *s, const weft_slice part[3]) {
    return values_of(t, (const size_t[]){part[0].count, part[1].count, part[2].count}) * s->width;
}

/* Returns a contiguous copy of this rank's block. The caller must free it. */
static char *copy_block(const transform *t, const side *s, const weft_slice part[3]) {
    char *const block = world_memory(bytes_of(t, s, part), 1), *to = block;
    const size_t row = part[2].count * s->width;
    for (size_t b = 0; b < t->batch; b++)
        for (size_t i = 0; i < part[0].count; i++)
            for (size_t j = 0; j < part[1].count && row; j++, to += row) {
                const size_t line = (b * s->n[0] + part[0].offset + i) * s->n[1] + part[1].offset + j;
                memcpy(to, s->p + (line * s->n[2] + part[2].offset) * s->width, row);
            }
    return block;
}

/* Transforms this rank's block, in place or in host memory at random, and compares the result with that of one
 * process.
 */
static void check_blocks(world *w, const transform *t, int across, weft_spectrum spectrum) {
    const bool inverse = t->kind == WEFT_C2C_INVERSE || t->kind == WEFT_C2R, turned = spectrum;
    weft_slice from[3], to[3];
    divide(w, &t->x, across, inverse && turned, from);
    divide(w, &t->y, across, !inverse && turned, to);
    (void)world_cut(w, 0); /* starts the check */
    const size_t in = bytes_of(t, &t->x, from), out = bytes_of(t, &t->y, to);
    char *const block = copy_block(t, &t->x, from), *const one = copy_block(t, &t->y, to);
    const bool in_place = t->kind <= WEFT_C2C_INVERSE && world_draw(w) % 2, on_host = world_draw(w) % 4 == 0;
    char *const device = world_result(w, in_place && out > in ? out : in, 1), *const host = world_memory(out, 1);
    char *const x = on_host && !in_place ? block : device;
    char *const y = in_place ? x : on_host ? host : world_result(w, out, 1);
    if (in && x == device && weft_copy(w->ctx, in, block, x) != WEFT_OK) abort();
    const weft_status status =
        weft_dist_fft_axes(w->d, t->kind, spectrum, t->dtype, (size_t)across, t->batch, t->axes, t->shape, x, y);
    world_expect(
        w, status == WEFT_OK && world_same(w, out, one, y),
        "fft_axes of kind %d in %s, %zu arrays of %zu x %zu x %zu, %d ranks in a row of the grid, spectrum %d",
        (int)t->kind, weft_dtype_name(t->dtype), t->batch, t->shape[0], t->shape[1], t->shape[2], across,
        (int)spectrum);
    free(block);
    free(one);
    free(host);
}

/* Checks all kinds on every grid. n[2] == 0: two axes, of which one is divided. */
static void check_shape(world *w, weft_dtype dtype, size_t batch, const size_t *n) {
    for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++) {
        const transform t = make_transform(w, (weft_fft_kind)kind, dtype, batch, n);
        for (int across = 1; across <= (t.axes == 3 ? w->size : 1); across++) {
            if (w->size % across != 0) continue;
            check_blocks(w, &t, across, WEFT_SPECTRUM_NATURAL);
            check_blocks(w, &t, across, WEFT_SPECTRUM_TRANSPOSED);
        }
        free(t.x.p);
        free(t.y.p);
    }
}

void check_pencils(world *w, bool few) {
    static const size_t shapes[][3] = {{1, 1, 0},  {7, 5, 0},  {16, 33, 0}, {3, 20, 0}, {1, 1, 1},  {2, 3, 4},
                                       {5, 7, 6},  {3, 1, 9},  {1, 5, 2},   {4, 9, 1},  {6, 2, 13}, {8, 16, 4},
                                       {64, 1, 0}, {1, 90, 0}, {16, 8, 32}, {13, 2, 3}, {9, 25, 21}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (few && i >= 12) return;
        check_shape(w, WEFT_F64, 1, shapes[i]);
        check_shape(w, WEFT_F32, 1 + i % 3, shapes[i]);
    }
    check_shape(w, WEFT_F32, 0, shapes[5]);
    check_shape(w, WEFT_F32, 1, (const size_t[]){33, 202, 20});
}
