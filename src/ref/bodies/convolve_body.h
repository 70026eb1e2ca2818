/* The body of ref/convolve.c for REAL; see ref/bodies/butterflies_body.h. */

/* A convolution of a signal with taps, the shorter of the two arrays, as complex numbers. */
typedef struct OF(work) {
    const convolve_call *call;
    size_t n, m; /* lengths of the signal and of the taps; m <= n */
    OF(number) * signal, *taps;
} OF(work);

/* Returns value i of an array of the call. A real value gets the imaginary part 0. */
static OF(number) OF(element)(const convolve_call *c, const void *p, size_t i) {
    const REAL *x = p;
    return c->is_complex ? (OF(number)){x[2 * i], x[2 * i + 1]} : (OF(number)){x[i], 0};
}

/* Returns tap j of h, or of h' if the call is a correlation. */
static OF(number) OF(filter_element)(const convolve_call *c, size_t j) {
    if (!c->correlate) return OF(element)(c, c->h, j);
    const OF(number) v = OF(element)(c, c->h, c->m - 1 - j);
    return (OF(number)){v.re, c->is_complex ? -v.im : v.im};
}

/* Stores value i of the full convolution, if the call requests it. */
static void OF(store)(const convolve_call *c, size_t i, REAL re, REAL im) {
    if (i < c->first || i - c->first >= c->count) return;
    REAL *y = (REAL *)c->y + (c->is_complex ? 2 : 1) * (i - c->first);
    ref_store_real(DTYPE, re, y);
    if (c->is_complex) ref_store_real(DTYPE, im, y + 1);
}

static void OF(direct)(const OF(work) * k) {
    for (size_t i = k->call->first; i < k->call->first + k->call->count; i++) {
        OF(number) c = {0, 0};
        for (size_t j = i < k->n ? 0 : i - k->n + 1; j < k->m && j <= i; j++) {
            const OF(number) x = k->signal[i - j], h = k->taps[j];
            c.re = FMA(x.re, h.re, c.re);
            c.im = FMA(x.im, h.re, c.im);
            if (!k->call->is_complex) continue;
            c.re = FMA(-x.im, h.im, c.re);
            c.im = FMA(x.re, h.im, c.im);
        }
        OF(store)(k->call, i, c.re, c.im);
    }
}

/* Returns number j of block q, which is zero outside the signal. */
static OF(number) OF(of_block)(const OF(work) * k, size_t q, size_t step, size_t j) {
    const size_t at = q * step + j;
    if (at < k->m - 1 || at - (k->m - 1) >= k->n) return (OF(number)){0, 0};
    return k->signal[at - (k->m - 1)];
}

static void OF(block)(const OF(work) * k, size_t q, size_t size, const OF(factor) * w, const OF(number) * filter,
                      OF(number) * z) {
    const size_t step = size - k->m + 1;
    const bool is_complex = k->call->is_complex;
    for (size_t j = 0; j < size; j++) {
        z[j] = OF(of_block)(k, q, step, j);
        if (!is_complex) z[j].im = OF(of_block)(k, q + 1, step, j).re;
    }
    OF(forward)(size, w, z);
    for (size_t p = 0; p < size; p++) {
        const OF(number) a = z[p], h = filter[p];
        z[p] = (OF(number)){FMA(a.re, h.re, -(a.im * h.im)), FMA(a.im, h.re, a.re * h.im)};
    }
    OF(backward)(size, w, z);
    for (size_t i = 0; i < step; i++) {
        const OF(number) v = z[k->m - 1 + i];
        OF(store)(k->call, q * step + i, v.re, v.im);
        if (!is_complex) OF(store)(k->call, (q + 1) * step + i, v.im, 0);
    }
}

static void OF(in_blocks)(const OF(work) * k, size_t size, const OF(factor) * w, OF(number) * filter,
                          OF(number) * z) {
    const size_t outputs = k->n + k->m - 1, step = size - k->m + 1;
    for (size_t j = 0; j < size; j++) filter[j] = j < k->m ? k->taps[j] : (OF(number)){0, 0};
    OF(forward)(size, w, filter);
    for (size_t p = 0; p < size; p++) {
        filter[p].re *= (REAL)1 / (REAL)size;
        filter[p].im *= (REAL)1 / (REAL)size;
    }
    for (size_t q = 0; q * step < outputs; q += k->call->is_complex ? 1 : 2) OF(block)(k, q, size, w, filter, z);
}

static weft_status OF(by_transform)(const OF(work) * k, weft_error *error) {
    const size_t size = weft_convolve_block(k->n + k->m - 1, k->m, sizeof(REAL));
    OF(factor) *w = OF(make_twiddles)(size, false);
    OF(number) *filter = malloc(size * sizeof *filter), *z = malloc(size * sizeof *z);
    const bool done = w && filter && z;
    if (done) OF(in_blocks)(k, size, w, filter, z);
    free(w);
    free(filter);
    free(z);
    RETURN_IF(!done, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for blocks of %zu values", size);
    return WEFT_OK;
}

static weft_status OF(convolve)(const convolve_call *c, weft_error *error) {
    OF(number) *x = calloc(c->n, sizeof *x), *h = calloc(c->m, sizeof *h);
    weft_status status = WEFT_OK;
    if (x && h) {
        for (size_t i = 0; i < c->n; i++) x[i] = OF(element)(c, c->x, i);
        for (size_t j = 0; j < c->m; j++) h[j] = OF(filter_element)(c, j);
        const bool swapped = c->n < c->m;
        const OF(work) k = swapped ? (OF(work)){c, c->m, c->n, h, x} : (OF(work)){c, c->n, c->m, x, h};
        if (k.m <= WEFT_CONVOLVE_DIRECT)
            OF(direct)(&k);
        else
            status = OF(by_transform)(&k, error);
    } else {
        status =
            weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for %zu and %zu values", c->n, c->m);
    }
    free(x);
    free(h);
    return status;
}
