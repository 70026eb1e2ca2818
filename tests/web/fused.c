/* Compares fma() and fmaf() of src/wasi/fma.c, which WebAssembly has, with those of this machine: random numbers
 * whose product and addend overlap, ties, subnormal results, zeros of both signs, infinities and NaNs. */
#include <math.h>

double wasi_fma(double x, double y, double z);
float wasi_fmaf(float x, float y, float z);
#define fma wasi_fma
#define fmaf wasi_fmaf
#include "wasi/fma.c"
#undef fma
#undef fmaf

#include <stdio.h>

enum { CASES = 3000000 };

static uint64_t state = 1;

static uint64_t draw(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state ^ state >> 31) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns a number of `exponent` bits above `fraction` bits, whose exponent is next to `near`, with few leading ones.
 */
static uint64_t draw_bits(int fraction, int exponent, int64_t near) {
    const int64_t most = (INT64_C(1) << exponent) - 1, field = near < 0 ? 0 : near > most ? most : near;
    const uint64_t kept = ~UINT64_C(0) << draw() % (uint64_t)fraction;
    return (draw() & kept & ((UINT64_C(1) << fraction) - 1)) | (uint64_t)field << fraction |
           (draw() & 1) << (fraction + exponent);
}

/* Sets the bits of x, y and z. */
static void numbers(int fraction, int exponent, uint64_t n[3]) {
    const int64_t most = INT64_C(1) << exponent, bias = most / 2 - 1;
    const int64_t first = (int64_t)(draw() % (uint64_t)most), range = 3 * fraction;
    const int64_t product = draw() % 4 ? (int64_t)(draw() % (uint64_t)most) : (int64_t)(draw() % 60) - 60;
    n[0] = draw_bits(fraction, exponent, first);
    n[1] = draw_bits(fraction, exponent, product + bias - first);
    n[2] = draw_bits(fraction, exponent, product + (int64_t)(draw() % (uint64_t)range) - range / 2);
    if (draw() % 8 == 0) n[2] &= UINT64_C(1) << (fraction + exponent);
}

static bool same_f64(double x, double y, double z) {
    const double expected = fma(x, y, z), found = wasi_fma(x, y, z);
    if (weft_bits_f64(expected) == weft_bits_f64(found) || (isnan(expected) && isnan(found))) return true;
    printf("fma(%a, %a, %a): expected %a, found %a\n", x, y, z, expected, found);
    return false;
}

static bool same_f32(float x, float y, float z) {
    const float expected = fmaf(x, y, z), found = wasi_fmaf(x, y, z);
    if (weft_bits_f32(expected) == weft_bits_f32(found) || (isnan(expected) && isnan(found))) return true;
    printf("fmaf(%a, %a, %a): expected %a, found %a\n", (double)x, (double)y, (double)z, (double)expected,
           (double)found);
    return false;
}

int main(void) {
    int wrong = 0;
    for (int i = 0; i < CASES && wrong < 10; i++) {
        uint64_t a[3], b[3];
        numbers(52, 11, a);
        numbers(23, 8, b);
        wrong += !same_f64(weft_from_bits_f64(a[0]), weft_from_bits_f64(a[1]), weft_from_bits_f64(a[2]));
        wrong += !same_f32(weft_from_bits_f32((uint32_t)b[0]), weft_from_bits_f32((uint32_t)b[1]),
                           weft_from_bits_f32((uint32_t)b[2]));
    }
    if (!wrong) printf("%d results of fma and fmaf have the bits of this machine's\n", CASES);
    return wrong > 0;
}
