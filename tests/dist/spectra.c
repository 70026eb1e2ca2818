#include "tests/dist/spectra.h"

#include <stdlib.h>
#include <string.h>

typedef struct transform {
    weft_fft_kind kind;
    weft_dtype dtype;
    size_t n, width; /* width: columns of the transposed spectrum */
    char *x, *y;     /* the whole arrays */
} transform;

/* Draws x and computes y on one process. */
static transform make_transform(world *w, weft_fft_kind kind, weft_dtype dtype, int log) {
    const size_t n = (size_t)1 << log;
    transform t = {.kind = kind, .dtype = dtype, .n = n, .width = (size_t)1 << log / 2};
    t.x = world_array(w, dtype, 2 * n);
    t.y = world_memory(2 * n, weft_dtype_size(dtype));
    const weft_status status = weft_fft(w->alone, kind, dtype, 1, n, t.x, t.y);
    world_expect(w, status == WEFT_OK, "fft alone: %s", weft_last_error(w->alone));
    return t;
}

/* Returns a contiguous copy of this rank's part of an array: its slice, or its columns of the spectrum. Sets *bytes.
 * The caller must free it. */
static char *copy_part(const world *w, const transform *t, const cut *c, bool turned, const char *whole,
                       size_t *bytes) {
    const size_t number = 2 * weft_dtype_size(t->dtype), width = turned ? t->width : t->n;
    const weft_slice columns = turned ? weft_slice_share(width, w->size, w->rank) : world_slice(w, c);
    const size_t first = turned ? columns.offset : c->begin[w->rank];
    char *const part = world_memory(t->n / width * columns.count, number);
    for (size_t row = 0; row < t->n / width && columns.count; row++)
        memcpy(part + row * columns.count * number, whole + (row * width + first) * number, columns.count * number);
    *bytes = t->n / width * columns.count * number;
    return part;
}

/* Transforms this rank's part, in place or in host memory at random, and compares the result with that of one
 * process. */
static void check_parts(world *w, const transform *t, weft_spectrum spectrum) {
    const bool inverse = t->kind == WEFT_C2C_INVERSE, turned = spectrum;
    const cut c = world_cut(w, t->n);
    size_t in, out;
    char *const part = copy_part(w, t, &c, inverse && turned, t->x, &in);
    char *const one = copy_part(w, t, &c, !inverse && turned, t->y, &out);
    const bool in_place = world_draw(w) % 2, on_host = world_draw(w) % 4 == 0;
    char *const device = world_result(w, in_place && out > in ? out : in, 1), *const host = world_memory(out, 1);
    char *const x = on_host && !in_place ? part : device;
    char *const y = in_place ? x : on_host ? host : world_result(w, out, 1);
    if (in && x == device && weft_copy(w->ctx, in, part, x) != WEFT_OK) abort();
    const weft_status status = weft_dist_fft_values(w->d, t->kind, spectrum, t->dtype, world_slice(w, &c), x, y);
    world_expect(w, status == WEFT_OK && world_same(w, out, one, y),
                 "fft_values of kind %d in %s, %zu values, spectrum %d: %s", (int)t->kind, weft_dtype_name(t->dtype),
                 t->n, (int)spectrum, status == WEFT_OK ? "other bits" : weft_dist_last_error(w->d));
    free(part);
    free(one);
    free(host);
}

static void check_length(world *w, weft_dtype dtype, int log) {
    for (int kind = WEFT_C2C; kind <= WEFT_C2C_INVERSE; kind++) {
        const transform t = make_transform(w, (weft_fft_kind)kind, dtype, log);
        check_parts(w, &t, WEFT_SPECTRUM_NATURAL);
        check_parts(w, &t, WEFT_SPECTRUM_TRANSPOSED);
        free(t.x);
        free(t.y);
    }
}

void check_spectra(world *w, bool few) {
    for (int log = 0; log <= (few ? 11 : 17); log++) {
        check_length(w, WEFT_F64, log);
        check_length(w, WEFT_F32, log);
    }
}
