/* Interface of the kernels of weft_tridiag. They operate on vectors whose lanes are systems, or chunks of one
 * system. */
#ifndef WEFT_CPU_TRIDIAG_KERNEL_H
#define WEFT_CPU_TRIDIAG_KERNEL_H

#include "core/backend.h"
#include "core/order.h"

#include <stdatomic.h>

enum {
    TRIDIAG_ALONE = WEFT_TRIDIAG_CHUNK *
                    WEFT_TRIDIAG_BASE /* rows of the longest system that is solved without reduction to chunks */,
    /* Bytes of a row that are loaded or stored at a time if the lanes of several vectors are adjacent in memory. With
     * less, memory is read by single cache lines of many pages. */
    TRIDIAG_RUN_BYTES = 1 << 10,
    /* Least workspace of a thread: for the four arrays of the longest systems in four vectors of AVX-512. If half of
     * the level 2 cache of a core is more, the workspace is up to twice as large: then longer runs are loaded. */
    TRIDIAG_WORKSPACE_BYTES = 4 * 4 * (TRIDIAG_ALONE + 1) * 64,
    TRIDIAG_FACTORS_BYTES = 1 << 15
};

/* Position of the rows of some lanes in the call, for fault reports: row i of lane l is row first_row + i + l *
 * lane_rows of its level, in system first_system + l * lane_systems. */
typedef struct tridiag_position {
    size_t first_system, lane_systems, first_row, lane_rows;
    size_t scale, n;          /* rows of the system per row of the level; rows of the system */
    _Atomic uint64_t *faults; /* minimum of tridiag_fault so far */
} tridiag_position;

/* Corresponding rows of several lanes: element i of lane l is at p[i * step + l * line]. */
typedef struct tridiag_lanes {
    size_t count; /* number of lanes: at most `width`, or a row of TRIDIAG_RUN_BYTES bytes if all are systems */
    size_t rows;  /* rows per lane */
    weft_lines a, b, c, d;
    /* a of the first row is taken as 0 in lanes below without_a, c of the last row in lanes from with_c on. */
    size_t without_a, with_c;
    bool far;        /* the rows are not in the caches of a core: rows of several vectors are prefetched */
    bool streams;    /* x of several vectors is written with nontemporal stores */
    void *workspace; /* for solve: tridiag_workspace bytes, aligned to 64 bytes */
    tridiag_position position;
    /* Lanes that the thread solves next, if they are to be prefetched; or NULL. */
    const struct tridiag_lanes *next;
} tridiag_lanes;

/* Results of the reduction of chunks, one value per chunk in each array. a, b, c, d: separator row. first_a,
 * first_c, first_d: first row of the chunk in terms of separators. */
typedef struct tridiag_reduced {
    void *a, *b, *c, *d, *first_a, *first_c, *first_d;
} tridiag_reduced;

/* Right-hand side of the systems of a time step of weft_heat (ORDER.md 23.2). */
typedef struct tridiag_side {
    bool neighbours; /* d = ratio fma(centre, u, before + after), with neighbours on the same line; else centre u */
    double centre, ratio;
} tridiag_side;

typedef struct tridiag_kernel {
    size_t width; /* lanes per vector */
    /* Solves systems of at most TRIDIAG_ALONE rows, one per lane. x has the layout of d. */
    void (*solve)(const tridiag_lanes *in, bool periodic, void *x);
    /* Computes the elimination factors that all systems with constant a, b, c, at most TRIDIAG_ALONE rows and open
     * ends share. `factors` has TRIDIAG_FACTORS_BYTES bytes. Returns false if a pivot is lost. solve_factored then
     * solves such systems, with the results of `solve`. */
    bool (*factor)(const void *a, const void *b, const void *c, size_t n, void *factors);
    void (*solve_factored)(const tridiag_lanes *in, const void *factors, void *x);
    /* Makes time steps of the lines u = in->d, without fault reports: computes the right-hand side of each step and
     * solves the systems with these factors. x has the layout of d and may be d. */
    void (*make_steps)(const tridiag_lanes *in, const void *factors, const tridiag_side *side, size_t steps, void *x);
    /* Reduces chunks, one per lane, to `count` adjacent results per array. */
    void (*reduce)(const tridiag_lanes *in, const tridiag_reduced *out);
    /* Completes `count` separators with the first rows of the chunks that follow them. */
    void (*link)(size_t count, const tridiag_reduced *separators, const tridiag_reduced *next);
    /* Solves chunks, given x of the separator before each chunk (`before`) and of its own (`own`). */
    void (*expand)(const tridiag_lanes *in, const void *before, const void *own, void *x);
} tridiag_kernel;

typedef struct tridiag_kernels {
    tridiag_kernel f32, f64;
} tridiag_kernels;

/* Returns the bytes of workspace for `vectors` vectors of systems of n rows. One more row per vector avoids addresses
 * that differ by powers of two, which share few sets of a cache. */
static inline size_t tridiag_workspace(size_t vectors, size_t n, size_t vector_bytes) {
    return 4 * vectors * (n + 1) * vector_bytes;
}

/* Returns the rank of a fault: by system, then lost pivots before values that are not finite, then by row. */
static inline uint64_t tridiag_fault(size_t n, size_t system, bool value, size_t row) {
    return (uint64_t)system * 2 * n + (value ? n : 0) + row;
}

/* Sets *faults to the minimum of it and `fault`. */
static inline void tridiag_keep_first(_Atomic uint64_t *faults, uint64_t fault) {
    uint64_t found = atomic_load(faults);
    while (fault < found && !atomic_compare_exchange_weak(faults, &found, fault)) continue;
}

/* Records a fault of row `row` of a lane. */
static inline void tridiag_report(const tridiag_position *position, size_t lane, bool value, size_t row) {
    const size_t of_level = position->first_row + row + lane * position->lane_rows;
    const size_t last = (of_level + 1) * position->scale, number = (last < position->n ? last : position->n) - 1;
    const size_t system = position->first_system + lane * position->lane_systems;
    tridiag_keep_first(position->faults, tridiag_fault(position->n, system, value, number));
}

/* Returns system * n + row of the first fault of a call, or UINT64_MAX if there is none. */
static inline uint64_t tridiag_singular(uint64_t fault, uint64_t n) {
    return fault == UINT64_MAX ? fault : fault / (2 * n) * n + fault % n;
}

#endif
