/* A configuration of a device that is compared with the specification. */
#ifndef WEFT_TESTS_TARGETS_H
#define WEFT_TESTS_TARGETS_H

#include "verify/match.h"
#include "verify/memory.h"

enum { MOST_TARGETS = 64 };

typedef struct target {
    weft_context *ctx;
    int column;      /* column of the report */
    int threads;     /* number of threads; 0 on a GPU */
    int turn;        /* index among the targets of a column, from 0 */
    bool own_memory; /* inputs and output are in device memory */
    void *inputs[MATCH_INPUTS], *out;
    size_t capacity, out_capacity; /* bytes of each input, and of the output */
} target;

typedef struct targets {
    target list[MOST_TARGETS];
    size_t count;
} targets;

/* Opens the targets that the options select and names the columns. Returns false with an error message if one of
 * them cannot be opened. */
bool targets_open(targets *t, const match_options *options, match_report *report, char problem[512]);
void targets_close(targets *t);

/* Copies new arrays to device memory, if the target uses it. */
weft_status target_load(target *t, const match_case *c, const void *const *inputs);

/* Runs a case. Poisons `out` and stores the result there, also if it was computed in device memory. */
weft_status target_call(target *t, const match_case *c, const void *const *inputs, memory_out *out);

#endif
