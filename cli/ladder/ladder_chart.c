/* Bar chart of a topic: for each rung a bar whose height is the fraction of the ceiling, on a linear axis. */
#include "cli/io/file.h"
#include "cli/ladder/ladder_climb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BAR = 64, LEFT = 70, TOP = 60, HEIGHT = 320, BOTTOM = 110 };

/* Draws a line for every quarter of the ceiling, up to `most`, the end of the axis. */
static void write_axis(FILE *f, double width, double most) {
    for (int quarter = 0; quarter <= 4 * most; quarter++) {
        const double y = TOP + HEIGHT * (1 - quarter / (4 * most));
        fprintf(f, "<line x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, width, y, y,
                quarter == 4 ? "#b00" : "#ddd");
        fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n", LEFT - 8, y + 4, 25 * quarter);
    }
}

static void write_bar(FILE *f, const ladder_result *r, size_t i, double x, double most) {
    const double share = ladder_share(r, i), height = HEIGHT * share / most, foot = TOP + HEIGHT;
    fprintf(f, "<rect x=\"%.0f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#2a7f8f\"/>\n", x + 8, foot - height,
            BAR - 16, height);
    fprintf(f, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"middle\">%.3g %%</text>\n", x + BAR / 2.0,
            foot - height - 5, 100 * share);
    fprintf(f, "<text transform=\"translate(%.0f,%.0f) rotate(35)\">%s</text>\n", x + BAR / 2.0 - 6, foot + 16,
            r->rungs[i].text->name);
}

/* Returns true for rungs that are right and whose fraction of the ceiling was measured. */
static bool has_bar(const ladder_result *r, size_t i) {
    return r->rungs[i].row.verdict == LADDER_RIGHT && ladder_share(r, i) > 0;
}

static void write_chart(FILE *f, const ladder_result *r) {
    size_t bars = 0;
    double most = 1; /* a share can be more than 1 if data are in a cache */
    for (size_t i = 0; i < r->count; i++) {
        if (!has_bar(r, i)) continue;
        bars++;
        most = fmax(most, ladder_share(r, i));
    }
    const double width = LEFT + BAR * (double)bars + 100;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, TOP + HEIGHT + BOTTOM);
    fprintf(f, "<text x=\"%d\" y=\"22\" font-size=\"15\">%s: %s, n = %zu, %s</text>\n", LEFT, r->topic->name,
            r->topic->title, r->n, r->dtype);
    fprintf(f, "<text x=\"%d\" y=\"42\">%s; %s</text>\n", LEFT, r->machine->name,
            r->machine->gpu ? "share of the roofline" : "bytes needed, as a share of the bytes moved");
    write_axis(f, width, most);
    double x = LEFT;
    for (size_t i = 0; i < r->count; i++) {
        if (!has_bar(r, i)) continue;
        write_bar(f, r, i, x, most);
        x += BAR;
    }
    fputs("</svg>\n", f);
}

bool ladder_chart_write(const char *path, const ladder_result *r, npy_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    if (f) write_chart(f, r);
    const bool drawn = f && fclose(f) == 0;
    if (!drawn) snprintf(error->message, sizeof error->message, "cannot allocate memory for the drawing");
    const bool written = drawn && file_write(path, &(const file_part){text, bytes, 1}, 1, error);
    free(text);
    return written;
}
