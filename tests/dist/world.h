/* What the tests of libweft_dist share: a rank's world, arrays that are the same on all ranks, and how they are cut.
 */
#ifndef TESTS_DIST_WORLD_H
#define TESTS_DIST_WORLD_H

#include "weft_dist.h"

#include <stdbool.h>

enum { HELD_MAX = 64 };

typedef struct world {
    weft_context *ctx;
    weft_context *alone; /* what one process computes: ctx, or where that is of a GPU a CPU's */
    weft_dist *d;
    int rank, size;
    bool on_gpu;          /* parts and results are in its memory */
    void *held[HELD_MAX]; /* parts and results of the check that runs */
    size_t holds;
    uint64_t state; /* of the random numbers, which are the same on all ranks */
    long checks, failures;
} world;

enum { RANKS_MAX = 64 };

/* Rank r has elements begin[r] to begin[r + 1] - 1. */
typedef struct cut {
    size_t total, begin[RANKS_MAX + 1];
} cut;

/* Starts MPI and opens argv[1], of "cuda" the GPUs of a machine in turn, with the seed argv[2] or 1. Ends the program
 * when it cannot. */
world world_open(int argc, char **argv);
/* Says on rank 0 how many checks there were; the exit code, which is 0 when none failed on any rank. */
int world_close(world *w);
/* The same without MPI: `run` on so many ranks that are threads of this process; the exit code. */
int world_run_threads(int count, const char *device, uint64_t seed, void (*run)(world *w));

uint64_t world_draw(world *w);
/* Room for n elements, filled with a pattern. */
void *world_room(size_t n, size_t size);
/* n elements of all sizes and signs, for floats with special values in some of the arrays. To be freed. */
void *world_array(world *w, weft_dtype dtype, size_t n);

/* A random partition: some ranks have nothing, some little. */
cut world_cut(world *w, size_t total);
/* The same in so many parts, within a check. */
cut world_cut_in(world *w, size_t total, int parts);
weft_slice world_slice(const world *w, const cut *c);
/* This rank's part of an array, where its device finds it: until the next cut. */
const void *world_part(world *w, const cut *c, weft_dtype dtype, const void *whole);
/* A copy of it, which may be written to. */
void *world_copy(world *w, const cut *c, weft_dtype dtype, const void *whole);
/* The same of `bytes` at p. */
void *world_place(world *w, size_t bytes, const void *p);
/* Room for a result of n elements, filled with a pattern, where the device finds it: until the next cut. */
void *world_result(world *w, size_t n, size_t size);
/* Whether this rank's result is its part of the whole. */
bool world_equal(world *w, const cut *c, weft_dtype dtype, const void *whole, const void *part);
/* Whether `bytes` of a result are these. */
bool world_same(world *w, size_t bytes, const void *these, const void *result);

__attribute__((format(printf, 3, 4))) void world_expect(world *w, bool holds, const char *format, ...);

#endif
