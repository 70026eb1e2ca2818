/* What the kernels of weft_tridiag work on: vectors whose lanes are systems, or chunks of one system. */
#ifndef WEFT_CPU_TRIDIAG_KERNEL_H
#define WEFT_CPU_TRIDIAG_KERNEL_H

#include "core/backend.h"
#include "core/order.h"

enum {
    TRIDIAG_ALONE = WEFT_TRIDIAG_CHUNK * WEFT_TRIDIAG_BASE /* rows of the longest system that is solved at a time */,
    TRIDIAG_ROOM_VECTORS = 4 * TRIDIAG_ALONE,
    TRIDIAG_FACTORS_BYTES = 1 << 15
};

/* Where the rows of some lanes stand in the whole call, for what is reported: row i of lane l is row
 * first_row + i + l * lane_rows of its level, in system first_system + l * lane_systems. */
typedef struct tridiag_place {
    size_t first_system, lane_systems, first_row, lane_rows;
    size_t scale, n;          /* rows of the system that a row of the level stands for, and all of them */
    _Atomic uint64_t *faults; /* the least of tridiag_fault so far */
} tridiag_place;

/* The same rows of several lanes: element i of lane l is at p[i * step + l * line] of each. */
typedef struct tridiag_lanes {
    size_t count, rows; /* lanes, at most a vector's; rows of each */
    weft_lines a, b, c, d;
    size_t without_a, with_c; /* a of the first row is 0 in lanes below, c of the last row in lanes from here on */
    void *room;               /* for solve: TRIDIAG_ROOM_VECTORS vectors, aligned to 64 bytes */
    tridiag_place place;
} tridiag_lanes;

/* Of chunks: what separators are in terms of their own chunk, and first rows in terms of separators; each is an
 * array with a value for each chunk. */
typedef struct tridiag_pieces {
    void *a, *b, *c, *d, *first_a, *first_c, *first_d;
} tridiag_pieces;

typedef struct tridiag_kernel {
    size_t width; /* lanes of a vector */
    /* Solves systems of at most TRIDIAG_ALONE rows, one a lane. x has the distances of d. */
    void (*solve)(const tridiag_lanes *in, bool periodic, void *x);
    /* What n rows, at most TRIDIAG_ALONE, of constants a, b, c and open ends make of every system alike, in
     * TRIDIAG_FACTORS_BYTES, and what `solve` does, by that. False: a pivot is lost. */
    bool (*factor)(const void *a, const void *b, const void *c, size_t n, void *factors);
    void (*solve_factored)(const tridiag_lanes *in, const void *factors, void *x);
    /* Eliminates chunks, one a lane, to pieces of `count` adjacent values. */
    void (*reduce)(const tridiag_lanes *in, const tridiag_pieces *out);
    /* Completes `count` separators by the first rows of the chunks that follow theirs. */
    void (*link)(size_t count, const tridiag_pieces *separators, const tridiag_pieces *next);
    /* Solves chunks between the separators before them and their own. */
    void (*expand)(const tridiag_lanes *in, const void *before, const void *own, void *x);
} tridiag_kernel;

typedef struct tridiag_kernels {
    tridiag_kernel f32, f64;
} tridiag_kernels;

/* Orders what is reported: by system, lost pivots first, by row. */
static inline uint64_t tridiag_fault(size_t n, size_t system, bool value, size_t row) {
    return (uint64_t)system * 2 * n + (value ? n : 0) + row;
}

#endif
