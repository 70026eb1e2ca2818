/* Heat spreads through a block, as a movie of PNG frames: heat_movie DIRECTORY [FRAMES]
 * One face of the block is kept hot, the others cold. The frames show the slice through its middle; as a film:
 *   ffmpeg -i DIRECTORY/heat%03d.png heat.mp4 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { SIDE = 96, SWEEPS = 20 };

/* Black, red, yellow, white for 0 to 1. */
static void colour(float heat, png_byte rgb[3]) {
    for (int i = 0; i < 3; i++) {
        const float part = 3 * heat - (float)i;
        rgb[i] = (png_byte)(255 * (part < 0 ? 0 : part > 1 ? 1 : part) + 0.5f);
    }
}

static int write_frame(const char *path, const float *slice) {
    static png_byte pixels[SIDE * SIDE * 3];
    for (int i = 0; i < SIDE * SIDE; i++) colour(slice[i], pixels + 3 * (size_t)i);
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = SIDE;
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) return 1;
    fprintf(stderr, "heat_movie: %s: %s\n", path, image.message);
    return 0;
}

int main(int argc, char **argv) {
    const int frames = argc > 2 ? atoi(argv[2]) : 100;
    if (argc < 2) return fprintf(stderr, "usage: heat_movie DIRECTORY [FRAMES]\n"), 2;
    float *u = calloc((size_t)SIDE * SIDE * SIDE, sizeof *u);
    weft_context *ctx;
    double change = 0;
    if (u == NULL) return perror("heat_movie"), 1;
    for (int k = 0; k < SIDE; k++) /* the face y = 0 is hot */
        for (int i = 0; i < SIDE; i++) u[i + SIDE * SIDE * k] = 1;
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "heat_movie: %s\n", weft_last_error(NULL)), 1;
    for (int frame = 0; frame < frames; frame++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/heat%03d.png", argv[1], frame);
        if (!write_frame(path, u + SIDE * SIDE * (SIDE / 2))) return 1;
        if (weft_laplace(ctx, WEFT_F32, SIDE, SIDE, SIDE, SWEEPS, u, u, &change) != WEFT_OK)
            return fprintf(stderr, "heat_movie: %s\n", weft_last_error(ctx)), 1;
    }
    printf("%d frames of %d x %d; the last sweep changed %.1e\n", frames, SIDE, SIDE, change);
    weft_close(ctx);
    free(u);
}
