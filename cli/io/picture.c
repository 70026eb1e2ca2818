/* Draws pictures with libpng (optional): the plane, enlarged by an integer factor, and its colour scale with three
 * labels. */
#include "cli/io/picture.h"
#include "cli/io/file.h"
#include "cli/io/npy/npy_header.h"

#ifdef WEFT_PNG
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 12, BAR = 24, DOT = 2 /* pixels per dot of a letter */, LETTER = 6 * DOT, LABEL = 11 * LETTER };
enum { WANTED = 512 /* minimum pixels of the longer side */, MOST = 16384 /* maximum pixels of a side */ };

typedef struct colour {
    uint8_t red, green, blue;
} colour;

typedef struct canvas {
    size_t width, height;
    colour *pixel;
} canvas;

typedef struct plane {
    weft_dtype dtype;
    size_t width, height;
    const void *data;
    double low, high; /* range of the finite values */
} plane;

/* ------------------------------------------------------------------------------- colours */

/* The colour map "viridis" of S. van der Walt and N. Smith (CC0), at nine points. */
static const colour MAP[] = {{0x44, 0x01, 0x54}, {0x47, 0x2d, 0x7b}, {0x3b, 0x52, 0x8b},
                             {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c}, {0x28, 0xae, 0x80},
                             {0x5e, 0xc9, 0x62}, {0xad, 0xdc, 0x30}, {0xfd, 0xe7, 0x25}};
static const colour GREY = {0x80, 0x80, 0x80}, BLACK = {0, 0, 0}, WHITE = {0xff, 0xff, 0xff};

static uint8_t between(uint8_t a, uint8_t b, double share) { return (uint8_t)(a + (b - a) * share + 0.5); }

/* Returns the colour of a position in [0, 1] on the scale. */
static colour colour_of(double share) {
    const size_t steps = sizeof MAP / sizeof *MAP - 1;
    const double position = share * (double)steps;
    const size_t i = position >= (double)steps ? steps - 1 : (size_t)position;
    const double rest = position - (double)i;
    return (colour){between(MAP[i].red, MAP[i + 1].red, rest), between(MAP[i].green, MAP[i + 1].green, rest),
                    between(MAP[i].blue, MAP[i + 1].blue, rest)};
}

static double value_at(const plane *p, size_t i) {
    return p->dtype == WEFT_F32 ? (double)((const float *)p->data)[i] : ((const double *)p->data)[i];
}

static void find_range(plane *p) {
    p->low = INFINITY, p->high = -INFINITY;
    for (size_t i = 0; i < p->width * p->height; i++) {
        const double v = value_at(p, i);
        if (!isfinite(v)) continue;
        p->low = fmin(p->low, v);
        p->high = fmax(p->high, v);
    }
}

static colour colour_at(const plane *p, size_t i) {
    const double v = value_at(p, i),
                 range = p->high / 2 - p->low / 2; /* halves, because the difference may overflow */
    if (!isfinite(v)) return GREY;
    return colour_of(range > 0 ? (v / 2 - p->low / 2) / range : 0);
}

/* ------------------------------------------------------------------------------- letters */

/* Letters as five columns of seven dots; the lowest bit is the top dot. */
static const struct {
    char letter;
    uint8_t column[5];
} LETTERS[] = {
    {'0', {0x3e, 0x51, 0x49, 0x45, 0x3e}}, {'1', {0x00, 0x42, 0x7f, 0x40, 0x00}},
    {'2', {0x42, 0x61, 0x51, 0x49, 0x46}}, {'3', {0x21, 0x41, 0x45, 0x4b, 0x31}},
    {'4', {0x18, 0x14, 0x12, 0x7f, 0x10}}, {'5', {0x27, 0x45, 0x45, 0x45, 0x39}},
    {'6', {0x3c, 0x4a, 0x49, 0x49, 0x30}}, {'7', {0x01, 0x71, 0x09, 0x05, 0x03}},
    {'8', {0x36, 0x49, 0x49, 0x49, 0x36}}, {'9', {0x06, 0x49, 0x49, 0x29, 0x1e}},
    {'-', {0x08, 0x08, 0x08, 0x08, 0x08}}, {'+', {0x08, 0x08, 0x3e, 0x08, 0x08}},
    {'.', {0x00, 0x60, 0x60, 0x00, 0x00}}, {'e', {0x38, 0x54, 0x54, 0x54, 0x18}},
};

static void fill(canvas *c, size_t x, size_t y, size_t width, size_t height, colour with) {
    for (size_t j = y; j < y + height && j < c->height; j++)
        for (size_t i = x; i < x + width && i < c->width; i++) c->pixel[j * c->width + i] = with;
}

static void write_letter(canvas *c, size_t x, size_t y, char letter) {
    for (size_t l = 0; l < sizeof LETTERS / sizeof *LETTERS; l++)
        for (size_t i = 0; LETTERS[l].letter == letter && i < 5; i++)
            for (size_t j = 0; j < 7; j++)
                if (LETTERS[l].column[i] >> j & 1) fill(c, x + i * DOT, y + j * DOT, DOT, DOT, BLACK);
}

static void write_number(canvas *c, size_t x, size_t y, double v) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", v);
    for (size_t i = 0; text[i]; i++) write_letter(c, x + i * LETTER, y, text[i]);
}

/* ------------------------------------------------------------------------------- drawing */

/* Returns the number of pixels per value along each axis. */
static size_t enlargement(const plane *p) {
    const size_t longer = p->width > p->height ? p->width : p->height;
    return longer >= WANTED ? 1 : (WANTED - 1) / longer + 1;
}

static void draw_plane(canvas *c, const plane *p, size_t scale) {
    for (size_t j = 0; j < p->height; j++)
        for (size_t i = 0; i < p->width; i++)
            fill(c, MARGIN + i * scale, MARGIN + j * scale, scale, scale, colour_at(p, j * p->width + i));
}

/* Draws the scale, with the greatest value on top. */
static void draw_scale(canvas *c, const plane *p, size_t left, size_t height) {
    const double labels[] = {p->high, p->low / 2 + p->high / 2, p->low};
    for (size_t j = 0; j < height; j++)
        fill(c, left, MARGIN + j, BAR, 1, colour_of(1 - (double)j / (double)(height - 1)));
    for (size_t l = 0; l < 3; l++)
        write_number(c, left + BAR + MARGIN / 2, MARGIN + l * (height - 7 * DOT) / 2, labels[l]);
}

static bool encode(const char *path, const canvas *c, npy_error *error) {
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    png_alloc_size_t bytes = 0;
    image.width = (png_uint_32)c->width;
    image.height = (png_uint_32)c->height;
    if (!png_image_write_to_memory(&image, NULL, &bytes, 0, c->pixel, 0, NULL))
        return npy_fail(error, "libpng: %s", image.message);
    void *const file = malloc(bytes);
    bool good = file || npy_fail(error, "cannot allocate %zu bytes for a picture", (size_t)bytes);
    if (good && !png_image_write_to_memory(&image, file, &bytes, 0, c->pixel, 0, NULL))
        good = npy_fail(error, "libpng: %s", image.message);
    good = good && file_write(path, &(const file_part){file, bytes, 1}, 1, error);
    free(file);
    return good;
}

bool picture_write(const char *path, weft_dtype dtype, size_t width, size_t height, const void *data,
                   npy_error *error) {
    plane p = {.dtype = dtype, .width = width, .height = height, .data = data};
    if (width == 0 || height == 0 || width > MOST || height > MOST)
        return npy_fail(error, "%zu x %zu values: a picture must have 1 to %d in each direction", width, height,
                        MOST);
    const size_t scale = enlargement(&p), tall = height * scale > 4 * LETTER ? height * scale : 4 * LETTER;
    const size_t left = 2 * MARGIN + width * scale;
    canvas c = {left + BAR + MARGIN / 2 + LABEL, tall + 2 * MARGIN, NULL};
    c.pixel = malloc(c.width * c.height * sizeof *c.pixel);
    if (!c.pixel)
        return npy_fail(error, "cannot allocate memory for a picture of %zu x %zu pixels", c.width, c.height);
    find_range(&p);
    fill(&c, 0, 0, c.width, c.height, WHITE);
    draw_plane(&c, &p, scale);
    if (p.low <= p.high) draw_scale(&c, &p, left, tall);
    const bool good = encode(path, &c, error);
    free(c.pixel);
    return good;
}

#else

bool picture_write(const char *path, weft_dtype dtype, size_t width, size_t height, const void *data,
                   npy_error *error) {
    (void)path, (void)dtype, (void)width, (void)height, (void)data;
    return npy_fail(error, "this build of weft cannot write pictures: it was built without libpng");
}

#endif
