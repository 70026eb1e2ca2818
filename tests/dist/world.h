/* Shared by the tests of libweft_dist: the state of a rank, arrays that are identical on all ranks, and their
 * partitions. */
#ifndef TESTS_DIST_WORLD_H
#define TESTS_DIST_WORLD_H

#include "weft_dist.h"

#include <stdbool.h>

enum { HELD_MAX = 64 };

typedef struct world {
    weft_context *ctx;
    weft_context *alone; /* computes the expected results: ctx, or a CPU context if ctx is a GPU */
    weft_dist *d;
    int rank, size;
    bool on_gpu;          /* parts and results are in GPU memory */
    void *held[HELD_MAX]; /* parts and results of the current check */
    size_t holds;
    uint64_t state; /* state of the random number generator, identical on all ranks */
    long checks, failures;
} world;

enum { RANKS_MAX = 64 };

/* A partition: rank r has elements begin[r] to begin[r + 1] - 1. */
typedef struct cut {
    size_t total, begin[RANKS_MAX + 1];
} cut;

/* Starts MPI and opens the device argv[1]. With "cuda", the ranks of a machine use its GPUs in turn. argv[2] is the
 * seed (default 1). Ends the program on failure. */
world world_open(int argc, char **argv);
/* Prints the number of checks on rank 0. Returns the exit code, which is 0 if no check failed on any rank. */
int world_close(world *w);
/* Calls `run` without MPI on `count` ranks that are threads of this process. Returns the exit code. */
int world_run_threads(int count, const char *device, uint64_t seed, void (*run)(world *w));

uint64_t world_draw(world *w);
/* Allocates memory for n elements, filled with a pattern. */
void *world_memory(size_t n, size_t size);
/* Returns n elements of all magnitudes and signs; some of the floating-point arrays contain special values. The
 * caller must free it. */
void *world_array(world *w, weft_dtype dtype, size_t n);

/* Starts a check and returns a random partition: some ranks have no elements, some few. */
cut world_cut(world *w, size_t total);
/* Returns a random partition into `parts` parts without starting a new check. */
cut world_cut_in(world *w, size_t total, int parts);
weft_slice world_slice(const world *w, const cut *c);
/* Returns this rank's part of an array, in memory that the device can access. Valid until the next cut. */
const void *world_part(world *w, const cut *c, weft_dtype dtype, const void *whole);
/* Returns a writable copy of this rank's part. Valid until the next cut. */
void *world_copy(world *w, const cut *c, weft_dtype dtype, const void *whole);
/* Returns a writable copy of `bytes` bytes at p, in memory that the device can access. Valid until the next cut. */
void *world_put(world *w, size_t bytes, const void *p);
/* Allocates memory that the device can access for a result of n elements, filled with a pattern. Valid until the next
 * cut. */
void *world_result(world *w, size_t n, size_t size);
/* Returns true if this rank's result equals its part of the whole. */
bool world_equal(world *w, const cut *c, weft_dtype dtype, const void *whole, const void *part);
/* Returns true if `bytes` bytes of a result equal those at `these`. */
bool world_same(world *w, size_t bytes, const void *these, const void *result);

__attribute__((format(printf, 3, 4))) void world_expect(world *w, bool holds, const char *format, ...);

#endif
