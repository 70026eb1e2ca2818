/* Section on the classic filter: 50 values and 11 taps, computed term by term and by Fourier transforms. */
#include "cli/tour/gnu_rand.h"
#include "cli/tour/tour.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUES = 50, TAPS = 11, POINTS = 64, HALF = POINTS / 2 + 1 };

typedef struct filter {
    float signal[VALUES], taps[TAPS];
    double exact[VALUES]; /* by a plain loop in f64 */
} filter;

static void make(filter *f) {
    gnu_rand r = gnu_rand_start();
    for (int i = 0; i < VALUES; i++) f->signal[i] = (float)gnu_rand_next(&r) / 2147483648.0f;
    for (int j = 0; j < TAPS; j++) f->taps[j] = (float)gnu_rand_next(&r) / 2147483648.0f;
    for (int i = 0; i < VALUES; i++) {
        f->exact[i] = 0;
        for (int j = -TAPS / 2; j <= TAPS / 2; j++)
            if (i + j >= 0 && i + j < VALUES) f->exact[i] += (double)f->signal[i + j] * (double)f->taps[TAPS / 2 - j];
    }
}

/* ----------------------------------------------------------------------------- the two ways */

static weft_status term_by_term(weft_context *ctx, const filter *f, float y[VALUES]) {
    return weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, VALUES, f->signal, TAPS, f->taps, y);
}

/* Transforms both arrays in one call, padded with zeros to 64 points. The complete convolution has 60. */
static weft_status by_transforms(weft_context *ctx, const filter *f, float y[VALUES]) {
    float both[2][POINTS] = {{0}}, spectra[2][2 * HALF], whole[POINTS];
    memcpy(both[0], f->signal, sizeof f->signal);
    memcpy(both[1], f->taps, sizeof f->taps);
    weft_status status = weft_fft(ctx, WEFT_R2C, WEFT_F32, 2, POINTS, both, spectra);
    if (status != WEFT_OK) return status;
    for (int k = 0; k < 2 * HALF; k += 2) {
        const float *a = &spectra[0][k], *b = &spectra[1][k];
        const float product[] = {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
        memcpy(&spectra[0][k], product, sizeof product);
    }
    status = weft_fft(ctx, WEFT_C2R, WEFT_F32, 1, POINTS, spectra[0], whole);
    memcpy(y, whole + TAPS / 2, VALUES * sizeof *y);
    return status;
}

/* --------------------------------------------------------------------------- on every machine */

static double distance(const filter *f, const float y[VALUES]) {
    double difference = 0, norm = 0;
    for (int i = 0; i < VALUES; i++) {
        difference += ((double)y[i] - f->exact[i]) * ((double)y[i] - f->exact[i]);
        norm += f->exact[i] * f->exact[i];
    }
    return sqrt(difference / norm);
}

static bool row(tour *t, const filter *f, const char *what,
                weft_status (*run)(weft_context *ctx, const filter *f, float y[VALUES])) {
    float found[VALUES] = {0}, other[VALUES] = {0};
    const void *const first = found, *const next = other; /* for comparing their bits */
    bool same = true;
    char value[60];
    for (int i = 0; i < t->count; i++) {
        if (run(t->machines[i].ctx, f, i ? other : found) != WEFT_OK) return tour_machine_failed(&t->machines[i]);
        if (i) same = tour_expect(t, memcmp(first, next, sizeof found) == 0) && same;
    }
    const double error = distance(f, found);
    snprintf(value, sizeof value, "y[25] %.9f, error %.1e", (double)found[25], error);
    tour_known(t, what, value, tour_expect(t, error < 1e-5), same);
    return true;
}

bool tour_filter(tour *t) {
    filter f;
    double sum = 0;
    make(&f);
    for (int i = 0; i < VALUES; i++) sum += f.exact[i];
    tour_heading(t, "6  The classic filter: 50 values rand() / RAND_MAX, 11 taps, f32");
    printf("\n  The plain sum in f64: y[0] %.9f, y[25] %.9f, y[49] %.9f, in all %.9f.\n"
           "  Right: its relative Euclidean distance is below 1e-5.\n\n",
           f.exact[0], f.exact[25], f.exact[VALUES - 1], sum);
    printf("    %-48s %-30s %5s  %s\n", "", "", "right", "same");
    return row(t, &f, "weft_convolve, term by term", term_by_term) &&
           row(t, &f, "weft_fft there and back, 64 points", by_transforms);
}
