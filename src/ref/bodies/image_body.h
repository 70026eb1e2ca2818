/* The body of ref/convolve2d.c for REAL: one matrix. FMA is the fused multiply-add, DTYPE the type, and OF(name)
 * makes the names of this type. */

typedef struct OF(number) {
    REAL re, im;
} OF(number);

/* Returns value i of an array of the call. A real value gets the imaginary part 0. */
static OF(number) OF(element)(const convolve2d_call *c, const void *p, size_t i) {
    const REAL *x = p;
    return c->is_complex ? (OF(number)){x[2 * i], x[2 * i + 1]} : (OF(number)){x[i], 0};
}

/* Returns e[i1, i2]. */
static OF(number) OF(extended)(const convolve2d_call *c, ptrdiff_t i1, ptrdiff_t i2) {
    const size_t row = inside(c->border, i1, c->n[0]), column = inside(c->border, i2, c->n[1]);
    if (row == c->n[0] || column == c->n[1]) return OF(element)(c, c->fill, 0);
    return OF(element)(c, c->x, row * c->x_row + column);
}

/* Returns h[j1, j2], or h'[j1, j2] if the call is a correlation. */
static OF(number) OF(tap)(const convolve2d_call *c, size_t j1, size_t j2) {
    if (!c->correlate) return OF(element)(c, c->h, j1 * c->m[1] + j2);
    const OF(number) v = OF(element)(c, c->h, (c->m[0] - 1 - j1) * c->m[1] + (c->m[1] - 1 - j2));
    return (OF(number)){v.re, c->is_complex ? -v.im : v.im};
}

/* Stores c[i1, i2], if the call requests it. */
static void OF(store)(const convolve2d_call *c, ptrdiff_t i1, ptrdiff_t i2, OF(number) v) {
    const ptrdiff_t row = i1 - c->first[0], column = i2 - c->first[1];
    if (row < 0 || row >= (ptrdiff_t)c->count[0] || column < 0 || column >= (ptrdiff_t)c->count[1]) return;
    REAL *y = (REAL *)c->y + (c->is_complex ? 2 : 1) * ((size_t)row * c->count[1] + (size_t)column);
    ref_store_real(DTYPE, v.re, y);
    if (c->is_complex) ref_store_real(DTYPE, v.im, y + 1);
}

static OF(number) OF(sum_of_taps)(const convolve2d_call *k, ptrdiff_t i1, ptrdiff_t i2) {
    OF(number) c = {0, 0};
    for (size_t j1 = 0; j1 < k->m[0]; j1++)
        for (size_t j2 = 0; j2 < k->m[1]; j2++) {
            const OF(number) x = OF(extended)(k, i1 - (ptrdiff_t)j1, i2 - (ptrdiff_t)j2), h = OF(tap)(k, j1, j2);
            c.re = FMA(x.re, h.re, c.re);
            c.im = FMA(x.im, h.re, c.im);
            if (!k->is_complex) continue;
            c.re = FMA(-x.im, h.im, c.re);
            c.im = FMA(x.re, h.im, c.im);
        }
    return c;
}

static void OF(direct)(const convolve2d_call *c) {
    for (size_t r = 0; r < c->count[0]; r++)
        for (size_t q = 0; q < c->count[1]; q++) {
            const ptrdiff_t i1 = c->first[0] + (ptrdiff_t)r, i2 = c->first[1] + (ptrdiff_t)q;
            OF(store)(c, i1, i2, OF(sum_of_taps)(c, i1, i2));
        }
}

/* ---------------------------------------------------------------------------- by transforms */

/* Memory of the transforms of a block of size[0] x size[1] values, which are complex numbers if the call has them.
 * columns: the columns of the transform one after another, then their transforms. */
typedef struct OF(block) {
    size_t size[2], numbers; /* numbers: of a row of the transform */
    REAL *values;
    OF(number) * transform, *filter, *columns;
} OF(block);

/* Transforms each column of the complex numbers of a block. */
static weft_status OF(transform_columns)(void *state, const OF(block) * b, weft_fft_kind kind, weft_error *error) {
    const size_t rows = b->size[0], all = rows * b->numbers;
    const fft_call call = {
        .dtype = DTYPE, .kind = kind, .batch = b->numbers, .n = rows, .x = b->columns, .y = b->columns + all};
    for (size_t i = 0; i < all; i++) b->columns[i] = b->transform[i % rows * b->numbers + i / rows];
    RETURN_IF_ERROR(ref_fft(state, &call, error));
    for (size_t i = 0; i < all; i++) b->transform[i % rows * b->numbers + i / rows] = b->columns[all + i];
    return WEFT_OK;
}

static weft_status OF(forward)(void *state, bool is_complex, const OF(block) * b, weft_error *error) {
    const fft_call rows = {.dtype = DTYPE,
                           .kind = is_complex ? WEFT_C2C : WEFT_R2C,
                           .batch = b->size[0],
                           .n = b->size[1],
                           .x = b->values,
                           .y = b->transform};
    RETURN_IF_ERROR(ref_fft(state, &rows, error));
    return OF(transform_columns)(state, b, WEFT_C2C, error);
}

static weft_status OF(backward)(void *state, bool is_complex, const OF(block) * b, weft_error *error) {
    const fft_call rows = {.dtype = DTYPE,
                           .kind = is_complex ? WEFT_C2C_INVERSE : WEFT_C2R,
                           .batch = b->size[0],
                           .n = b->size[1],
                           .x = b->transform,
                           .y = b->values};
    RETURN_IF_ERROR(OF(transform_columns)(state, b, WEFT_C2C_INVERSE, error));
    return ref_fft(state, &rows, error);
}

/* Sets value [j1, j2] of a block. */
static void OF(set_value)(const convolve2d_call *c, const OF(block) * b, size_t j1, size_t j2, OF(number) v) {
    REAL *const p = b->values + (c->is_complex ? 2 : 1) * (j1 * b->size[1] + j2);
    p[0] = v.re;
    if (c->is_complex) p[1] = v.im;
}

static weft_status OF(transform_filter)(void *state, const convolve2d_call *c, const OF(block) * b,
                                        weft_error *error) {
    for (size_t j1 = 0; j1 < b->size[0]; j1++)
        for (size_t j2 = 0; j2 < b->size[1]; j2++) {
            const bool is_tap = j1 < c->m[0] && j2 < c->m[1];
            OF(set_value)(c, b, j1, j2, is_tap ? OF(element)(c, c->h, j1 * c->m[1] + j2) : (OF(number)){0, 0});
        }
    RETURN_IF_ERROR(OF(forward)(state, c->is_complex, b, error));
    memcpy(b->filter, b->transform, b->size[0] * b->numbers * sizeof *b->filter);
    return WEFT_OK;
}

/* Computes P of ORDER.md 15.6. */
static void OF(multiply)(const convolve2d_call *c, const OF(block) * b) {
    for (size_t p = 0; p < b->size[0] * b->numbers; p++) {
        const OF(number) a = b->transform[p],
                         h = {b->filter[p].re, c->correlate ? -b->filter[p].im : b->filter[p].im};
        b->transform[p] = (OF(number)){FMA(a.re, h.re, -(a.im * h.im)), FMA(a.im, h.re, a.re * h.im)};
    }
}

/* Computes the values of c that block (q1, q2) gives. */
static weft_status OF(convolve_block)(void *state, const convolve2d_call *c, const OF(block) * b, size_t q1,
                                      size_t q2, weft_error *error) {
    const size_t step[] = {b->size[0] - c->m[0] + 1, b->size[1] - c->m[1] + 1};
    const ptrdiff_t i1 = (ptrdiff_t)(q1 * step[0]), i2 = (ptrdiff_t)(q2 * step[1]);
    const ptrdiff_t before[] = {(ptrdiff_t)c->m[0] - 1, (ptrdiff_t)c->m[1] - 1};
    for (size_t j1 = 0; j1 < b->size[0]; j1++)
        for (size_t j2 = 0; j2 < b->size[1]; j2++) {
            const ptrdiff_t from[] = {i1 - before[0] + (ptrdiff_t)j1, i2 - before[1] + (ptrdiff_t)j2};
            OF(set_value)(c, b, j1, j2, OF(extended)(c, from[0], from[1]));
        }
    RETURN_IF_ERROR(OF(forward)(state, c->is_complex, b, error));
    OF(multiply)(c, b);
    RETURN_IF_ERROR(OF(backward)(state, c->is_complex, b, error));
    for (size_t r = 0; r < step[0]; r++)
        for (size_t q = 0; q < step[1]; q++) {
            const size_t row = r + (c->correlate ? 0 : c->m[0] - 1), column = q + (c->correlate ? 0 : c->m[1] - 1);
            const OF(number) v = OF(element)(c, b->values, row * b->size[1] + column);
            OF(store)(c, i1 + (ptrdiff_t)r, i2 + (ptrdiff_t)q, v);
        }
    return WEFT_OK;
}

static weft_status OF(in_blocks)(void *state, const convolve2d_call *c, const OF(block) * b, weft_error *error) {
    RETURN_IF_ERROR(OF(transform_filter)(state, c, b, error));
    for (size_t q1 = 0; q1 * (b->size[0] - c->m[0] + 1) < c->n[0] + c->m[0] - 1; q1++)
        for (size_t q2 = 0; q2 * (b->size[1] - c->m[1] + 1) < c->n[1] + c->m[1] - 1; q2++)
            RETURN_IF_ERROR(OF(convolve_block)(state, c, b, q1, q2, error));
    return WEFT_OK;
}

static weft_status OF(by_transform)(void *state, const convolve2d_call *c, weft_error *error) {
    OF(block) b = {.values = NULL};
    for (int k = 0; k < 2; k++) b.size[k] = weft_convolve2d_block(c->n[k] + 2 * (c->m[k] - 1), c->m[k]);
    b.numbers = c->is_complex ? b.size[1] : b.size[1] / 2 + 1;
    b.values = malloc(b.size[0] * b.size[1] * 2 * sizeof *b.values);
    b.transform = malloc(b.size[0] * b.numbers * sizeof *b.transform);
    b.filter = malloc(b.size[0] * b.numbers * sizeof *b.filter);
    b.columns = malloc(2 * b.size[0] * b.numbers * sizeof *b.columns);
    const weft_status status =
        b.values && b.transform && b.filter && b.columns
            ? OF(in_blocks)(state, c, &b, error)
            : weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for blocks of %zu x %zu values",
                        b.size[0], b.size[1]);
    free(b.values);
    free(b.transform);
    free(b.filter);
    free(b.columns);
    return status;
}

static weft_status OF(convolve2d)(void *state, const convolve2d_call *c, weft_error *error) {
    if (c->m[0] * c->m[1] > WEFT_CONVOLVE2D_DIRECT) return OF(by_transform)(state, c, error);
    OF(direct)(c);
    return WEFT_OK;
}
