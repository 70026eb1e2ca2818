/* Multithreaded passes of a transform. */
#ifndef WEFT_CPU_TRANSFORM_RUN_H
#define WEFT_CPU_TRANSFORM_RUN_H

#include "cpu/common/transform.h"
#include "cpu/runtime/cpu.h"

/* The `threads` threads that work on one transform, each with a buffer of `buffer_bytes` bytes. */
typedef struct transform_team {
    int threads;
    char *buffers;
    size_t buffer_bytes;
} transform_team;

/* Returns the bytes of a tile's buffer, a multiple of 64. */
size_t transform_buffer_bytes(const transform_plan *plan, weft_dtype dtype);

/* Runs a pass over all tiles: of columns if `columns`, else of rows. */
void transform_run(void (*kernel)(const transform_pass *), const transform_pass *pass, bool columns,
                   const transform_team *team);

/* Runs work(self, part, parts) for each part, each on a thread of its own if available. */
void transform_share(int parts, void (*work)(void *self, int part, int parts), void *self);

/* Returns the number of threads for a call that reads and writes `bytes` bytes. */
int transform_threads(const cpu_context *ctx, size_t bytes);

/* Writes m taps in reverse order, and conjugated if they are complex, to `to`: h' of ORDER.md 15.1. */
void transform_turn_taps(weft_dtype dtype, bool is_complex, size_t m, const void *h, void *to);

#endif
