/* A low-pass filter for sound: audio_filter BEFORE.wav AFTER.wav
 * Makes a second of a deep tone with a shrill one on top, writes it, filters it with 255 taps (the sinc function
 * under a Hamming window; A. Oppenheim, R. Schafer, Discrete-Time Signal Processing) and writes what is left. */
#include <math.h>
#include <stdio.h>
#include <weft.h>

enum { RATE = 44100, TAPS = 255, DEEP = 440, SHRILL = 9000, CUTOFF = 2000 };
static const double pi = 3.14159265358979323846;

static void put(FILE *file, unsigned value, int bytes) {
    for (int i = 0; i < bytes; i++) putc((int)(value >> 8 * i & 255), file);
}

/* One channel of 16 bits. */
static int write_wav(const char *path, const float *x) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return perror(path), 0;
    fputs("RIFF", file);
    put(file, 36 + 2 * RATE, 4);
    fputs("WAVEfmt ", file);
    put(file, 16, 4);       /* bytes of this part */
    put(file, 1, 2);        /* plain samples */
    put(file, 1, 2);        /* channels */
    put(file, RATE, 4);     /* samples a second */
    put(file, 2 * RATE, 4); /* bytes a second */
    put(file, 2, 2);        /* bytes of a sample of all channels */
    put(file, 16, 2);       /* bits of one */
    fputs("data", file);
    put(file, 2 * RATE, 4);
    for (int i = 0; i < RATE; i++) put(file, (unsigned)lrintf(x[i] * 32767), 2);
    return fclose(file) == 0;
}

static void make_taps(float *taps) {
    for (int i = 0; i < TAPS; i++) {
        const double t = i - TAPS / 2, x = 2.0 * CUTOFF / RATE;
        const double sinc = i == TAPS / 2 ? x : sin(pi * x * t) / (pi * t);
        taps[i] = (float)(sinc * (0.54 + 0.46 * cos(2 * pi * t / (TAPS - 1))));
    }
}

/* How strong a tone is in the sound: the size of one Fourier coefficient. */
static double strength(weft_context *ctx, const float *x, int frequency) {
    static float wave[2][RATE];
    double part[2] = {0, 0};
    for (int i = 0; i < RATE; i++) {
        wave[0][i] = (float)cos(2 * pi * frequency * i / RATE);
        wave[1][i] = (float)sin(2 * pi * frequency * i / RATE);
    }
    for (int i = 0; i < 2; i++)
        if (weft_dot(ctx, WEFT_F32, WEFT_F64, RATE, x, wave[i], &part[i]) != WEFT_OK)
            fprintf(stderr, "audio_filter: %s\n", weft_last_error(ctx));
    return 2 * hypot(part[0], part[1]) / RATE;
}

int main(int argc, char **argv) {
    static float before[RATE], after[RATE], taps[TAPS];
    weft_context *ctx;
    if (argc != 3) return fprintf(stderr, "usage: audio_filter BEFORE.wav AFTER.wav\n"), 2;
    for (int i = 0; i < RATE; i++)
        before[i] = (float)(0.4 * sin(2 * pi * DEEP * i / RATE) + 0.4 * sin(2 * pi * SHRILL * i / RATE));
    make_taps(taps);
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "audio_filter: %s\n", weft_last_error(NULL)), 1;
    if (weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, RATE, before, TAPS, taps, after) != WEFT_OK)
        return fprintf(stderr, "audio_filter: %s\n", weft_last_error(ctx)), 1;
    printf("%5d Hz: %.3f before, %.3f after\n", DEEP, strength(ctx, before, DEEP), strength(ctx, after, DEEP));
    printf("%5d Hz: %.3f before, %.3f after\n", SHRILL, strength(ctx, before, SHRILL), strength(ctx, after, SHRILL));
    weft_close(ctx);
    return !(write_wav(argv[1], before) && write_wav(argv[2], after));
}
