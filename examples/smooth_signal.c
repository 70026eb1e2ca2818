/* Convolves 50 values with 11 taps in two ways, and compares them: smooth_signal
 * 1. By Fourier transforms of 56 values. The 50 values are followed by 6 zeros, at least half the taps, so that the
 * ends of the circular convolution do not meet. The middle tap is at index 0 and the taps before it at the end.
 * 2. As sums of products, by weft_convolve. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { VALUES = 50, TAPS = 11, PADDED = 56, WAVES = PADDED / 2 + 1 };

static weft_context *ctx;

/* Ends the program if a call failed. */
static void check(weft_status status) {
    if (status == WEFT_OK) return;
    fprintf(stderr, "smooth_signal: %s\n", weft_last_error(ctx));
    exit(1);
}

/* Transforms both arrays, multiplies the transforms, and transforms the product back. */
static void by_transforms(const float *signal, const float *taps, float *smooth) {
    float padded[2][PADDED] = {{0}};
    float complex waves[2][WAVES];
    for (int i = 0; i < VALUES; i++) padded[0][i] = signal[i];
    for (int i = 0; i < TAPS; i++) padded[1][(i + PADDED - TAPS / 2) % PADDED] = taps[i];
    check(weft_fft(ctx, WEFT_R2C, WEFT_F32, 2, PADDED, padded, waves)); /* a batch of two */
    for (int f = 0; f < WAVES; f++) waves[0][f] *= waves[1][f];
    check(weft_fft(ctx, WEFT_C2R, WEFT_F32, 1, PADDED, waves[0], padded[0]));
    for (int i = 0; i < VALUES; i++) smooth[i] = padded[0][i];
}

int main(void) {
    float signal[VALUES], taps[TAPS], smooth[VALUES], sums[VALUES];
    double error = 0, norm = 0;
    check(weft_open(&ctx, "auto"));
    for (int i = 0; i < VALUES; i++) signal[i] = (float)(i * 37 % 50) / 50;
    for (int i = 0; i < TAPS; i++) taps[i] = (float)(TAPS / 2 + 1 - abs(i - TAPS / 2)) / 36; /* their sum is 1 */
    by_transforms(signal, taps, smooth);
    check(weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, VALUES, signal, TAPS, taps, sums));
    for (int i = 0; i < VALUES; i++) {
        error += pow((double)smooth[i] - (double)sums[i], 2);
        norm += pow((double)sums[i], 2);
    }
    printf("%d values, %d taps, transforms of %d values\n", VALUES, TAPS, PADDED);
    for (int i = 0; i < VALUES; i += 7) printf("%2d  %.5f -> %.5f\n", i, (double)signal[i], (double)smooth[i]);
    printf("relative difference from the sums of products: %s 1e-6\n",
           sqrt(error / norm) < 1e-6 ? "less than" : "at least");
    weft_close(ctx);
}
