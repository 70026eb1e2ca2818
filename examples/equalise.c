/* Evens out the greys of a picture (histogram equalisation): equalise IN.png OUT.png
 * The new grey of a pixel is the share of pixels that are not brighter: a histogram and its prefix sum. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static weft_status grey_table(weft_context *ctx, size_t n, const uint8_t *pixels, uint8_t table[256]) {
    const uint8_t black = 0, white = 255;
    uint64_t counts[256], upto[256], first = 0;
    weft_status status = weft_histogram_even(ctx, WEFT_U8, n, pixels, 256, &black, &white, counts);
    if (status == WEFT_OK)
        status = weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_U64, WEFT_DEFAULT, 256, counts, NULL, upto);
    if (status != WEFT_OK) return status;
    for (int i = 255; i >= 0; i--)
        if (counts[i] > 0) first = upto[i]; /* pixels of the darkest grey there is, which becomes black */
    const double rest = n > first ? (double)(n - first) : 1;
    for (int i = 0; i < 256; i++)
        table[i] = upto[i] < first ? 0 : (uint8_t)(255 * ((double)(upto[i] - first) / rest) + 0.5);
    return WEFT_OK;
}

int main(int argc, char **argv) {
    png_image image;
    weft_context *ctx;
    uint8_t table[256], darkest = 255, brightest = 0;
    if (argc != 3) return fprintf(stderr, "usage: equalise IN.png OUT.png\n"), 2;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, argv[1]))
        return fprintf(stderr, "equalise: %s: %s\n", argv[1], image.message), 1;
    image.format = PNG_FORMAT_GRAY;
    const size_t n = (size_t)image.width * image.height;
    uint8_t *pixels = malloc(n);
    if (pixels == NULL || !png_image_finish_read(&image, NULL, pixels, 0, NULL))
        return fprintf(stderr, "equalise: %s: %s\n", argv[1], pixels == NULL ? "no memory" : image.message), 1;

    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "equalise: %s\n", weft_last_error(NULL)), 1;
    if (weft_reduce(ctx, WEFT_MIN, WEFT_U8, WEFT_DEFAULT, n, pixels, &darkest) != WEFT_OK ||
        weft_reduce(ctx, WEFT_MAX, WEFT_U8, WEFT_DEFAULT, n, pixels, &brightest) != WEFT_OK ||
        grey_table(ctx, n, pixels, table) != WEFT_OK)
        return fprintf(stderr, "equalise: %s\n", weft_last_error(ctx)), 1;
    for (size_t i = 0; i < n; i++) pixels[i] = table[pixels[i]];
    if (!png_image_write_to_file(&image, argv[2], 0, pixels, 0, NULL))
        return fprintf(stderr, "equalise: %s: %s\n", argv[2], image.message), 1;
    printf("%u x %u pixels, greys %d to %d become %d to %d\n", (unsigned)image.width, (unsigned)image.height, darkest,
           brightest, table[darkest], table[brightest]);
    weft_close(ctx);
    free(pixels);
}
