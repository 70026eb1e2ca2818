/* Draws the first request of each access of a kernel: which lanes of the warp access which sector of 32 bytes of
 * global memory, or which bank of shared memory. As text, and as an SVG file. */
#include "cli/io/file.h"
#include "cli/ladder/ladder_climb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, SECTOR = 32, BANKS = 32, WORD = 4, KEPT_MAX = 64 };

static ladder_access kept[KEPT_MAX];
static size_t kept_count;

void ladder_accesses_keep(const ladder_row *row) {
    kept_count = row->access_count < KEPT_MAX ? row->access_count : KEPT_MAX;
    if (kept_count) memcpy(kept, row->accesses, kept_count * sizeof *kept);
}

static bool takes_part(const ladder_access *a, unsigned lane) { return a->lanes >> lane & 1; }

/* Returns the sector, or the bank of the first word, that a lane accesses. */
static uint64_t cell_of(const ladder_access *a, unsigned lane) {
    return a->is_shared ? a->offset[lane] / WORD % BANKS : a->offset[lane] / SECTOR;
}

static void describe(FILE *f, const ladder_access *a) {
    fprintf(f, "%s %s%s%s, %u byte%s a lane: %u %s%s", a->is_load ? "load from" : "store to",
            a->is_shared ? "shared memory" : "global memory", *a->line ? " at " : "", a->line, a->bytes,
            a->bytes == 1 ? "" : "s", a->moved, a->is_shared ? "wavefront" : "sector", a->moved == 1 ? "" : "s");
    if (a->moved > a->least) fprintf(f, ", of which %u would be enough", a->least);
}

/* Returns the next larger sector or bank after `last`, or UINT64_MAX. A `last` of UINT64_MAX gives the first. */
static uint64_t next_cell(const ladder_access *a, uint64_t last) {
    uint64_t next = UINT64_MAX;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (takes_part(a, lane) && cell_of(a, lane) < next && (last == UINT64_MAX || cell_of(a, lane) > last))
            next = cell_of(a, lane);
    return next;
}

static void print_access(const ladder_access *a) {
    fputs("  ", stdout);
    describe(stdout, a);
    printf("\n    %8s  lanes%s\n", a->is_shared ? "bank" : "sector", a->is_shared ? " (word)" : "");
    for (uint64_t cell = next_cell(a, UINT64_MAX); cell != UINT64_MAX; cell = next_cell(a, cell)) {
        printf("    %8" PRIu64 " ", cell);
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!takes_part(a, lane) || cell_of(a, lane) != cell) continue;
            printf(" %u", lane);
            if (a->is_shared) printf(" (%" PRIu64 ")", a->offset[lane] / WORD);
        }
        putchar('\n');
    }
    putchar('\n');
}

void ladder_accesses_print(void) {
    puts("The first request (access instruction of a warp) at each line that accesses memory. Sectors are counted "
         "from\n"
         "the start of the array; words of shared memory have 4 bytes.\n");
    for (size_t i = 0; i < kept_count; i++) print_access(&kept[i]);
}

/* -------------------------------------------------------------------------------- drawing */

enum { CELL = 24, LEFT = 20, TOP = 30, LINES = 70, ROW = 150 };

static void write_box(FILE *f, double x, double y, uint64_t number, const char *color) {
    fprintf(f, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"18\" fill=\"%s\" stroke=\"#333\"/>\n", x, y,
            CELL - 2, color);
    fprintf(f, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%" PRIu64 "</text>\n", x + CELL / 2.0 - 1, y + 13,
            number);
}

/* Draws the lanes, below them the sectors or banks, and a line from each lane to its own. */
static void write_access(FILE *f, const ladder_access *a, double y) {
    fprintf(f, "<text x=\"%d\" y=\"%.0f\" font-size=\"13\">", LEFT, y);
    describe(f, a);
    fputs("</text>\n", f);
    unsigned column = 0;
    for (uint64_t cell = next_cell(a, UINT64_MAX); cell != UINT64_MAX; cell = next_cell(a, cell), column++) {
        const double x = LEFT + CELL * (double)(a->is_shared ? cell : column);
        for (unsigned lane = 0; lane < LANES; lane++)
            if (takes_part(a, lane) && cell_of(a, lane) == cell)
                fprintf(f, "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke=\"#2a7f8f\"/>\n",
                        LEFT + CELL * lane + CELL / 2.0, y + 28, x + CELL / 2.0, y + 28 + LINES);
        write_box(f, x, y + 28 + LINES, cell, "#fdd");
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        if (takes_part(a, lane)) write_box(f, LEFT + CELL * (double)lane, y + 10, lane, "#def");
}

static void write_drawing(FILE *f) {
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" font-family=\"sans-serif\" "
            "font-size=\"10\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            2 * LEFT + LANES * CELL, TOP + kept_count * ROW);
    for (size_t i = 0; i < kept_count; i++) write_access(f, &kept[i], TOP + (double)(i * ROW));
    fputs("</svg>\n", f);
}

bool ladder_accesses_write(const char *path, npy_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    if (f) write_drawing(f);
    const bool drawn = f && fclose(f) == 0;
    if (!drawn) snprintf(error->message, sizeof error->message, "cannot allocate memory for the drawing");
    const bool written = drawn && file_write(path, &(const file_part){text, bytes, 1}, 1, error);
    free(text);
    return written;
}
