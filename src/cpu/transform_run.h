/* Passes of a transform on several threads. */
#ifndef WEFT_CPU_TRANSFORM_RUN_H
#define WEFT_CPU_TRANSFORM_RUN_H

#include "cpu/cpu.h"
#include "cpu/transform.h"

/* Who works on one transform: `threads` threads, each with a buffer of `buffer_bytes` of its own. */
typedef struct transform_team {
    int threads;
    char *buffers;
    size_t buffer_bytes;
} transform_team;

/* Bytes that a tile needs in between, a multiple of 64. */
size_t transform_buffer_bytes(const transform_plan *plan, weft_dtype dtype);

/* Runs a pass over all tiles: of columns, or else of rows. */
void transform_run(void (*kernel)(const transform_pass *), const transform_pass *pass, bool columns,
                   const transform_team *team);

/* Runs work(self, part, parts) for each part, on as many threads. */
void transform_share(int parts, void (*work)(void *self, int part, int parts), void *self);

/* How many threads a call takes that reads and writes `bytes`. */
int transform_threads(const cpu_context *ctx, double bytes);

#endif
