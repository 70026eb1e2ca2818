/* What the tests of libweft_dist share: a rank's world, arrays that are the same on all ranks, and how they are cut.
 */
#ifndef TESTS_DIST_WORLD_H
#define TESTS_DIST_WORLD_H

#include "weft_dist.h"

#include <stdbool.h>

typedef struct world {
    weft_context *ctx;
    weft_dist *d;
    int rank, size;
    uint64_t state; /* of the random numbers, which are the same on all ranks */
    long checks, failures;
} world;

enum { RANKS_MAX = 64 };

/* Rank r has elements begin[r] to begin[r + 1] - 1. */
typedef struct cut {
    size_t total, begin[RANKS_MAX + 1];
} cut;

/* Starts MPI and opens argv[1], with the seed argv[2] or 1. Ends the program when it cannot. */
world world_open(int argc, char **argv);
/* Says on rank 0 how many checks there were; the exit code, which is 0 when none failed on any rank. */
int world_close(world *w);

uint64_t world_draw(world *w);
/* Room for n elements, filled with a pattern. */
void *world_room(size_t n, size_t size);
/* n elements of all sizes and signs, for floats with special values in some of the arrays. To be freed. */
void *world_array(world *w, weft_dtype dtype, size_t n);

/* A random partition: some ranks have nothing, some little. */
cut world_cut(world *w, size_t total);
weft_slice world_slice(const world *w, const cut *c);
/* This rank's part of an array. */
const void *world_part(const world *w, const cut *c, weft_dtype dtype, const void *whole);
/* Whether this rank's result is its part of the whole. */
bool world_equal(const world *w, const cut *c, weft_dtype dtype, const void *whole, const void *part);

__attribute__((format(printf, 3, 4))) void world_expect(world *w, bool holds, const char *format, ...);

#endif
