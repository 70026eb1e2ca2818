/* What is compared with the specification: a device in one way of using it. */
#ifndef WEFT_TESTS_TARGETS_H
#define WEFT_TESTS_TARGETS_H

#include "verify/match.h"
#include "verify/memory.h"

enum { MOST_TARGETS = 64 };

typedef struct target {
    weft_context *ctx;
    int column;      /* of the report */
    int threads;     /* 0 on a GPU */
    int turn;        /* targets of a column are numbered from 0 */
    bool own_memory; /* inputs and output lie in the device's memory */
    void *inputs[MATCH_INPUTS], *out;
    size_t capacity, out_capacity; /* bytes of each input, of the output */
} target;

typedef struct targets {
    target list[MOST_TARGETS];
    size_t count;
} targets;

/* Opens what the options ask for and names the columns. False with a sentence when something that
 * was asked for cannot be opened. */
bool targets_open(targets *t, const match_options *options, match_report *report, char problem[512]);
void targets_close(targets *t);

/* Brings new arrays to the device, when the target works in the device's memory. */
weft_status target_load(target *t, const match_case *c, const void *const *inputs);

/* Runs a case; the answer arrives in `out`, which has been poisoned, also when it was computed in
 * device memory. */
weft_status target_call(target *t, const match_case *c, const void *const *inputs, memory_out *out);

#endif
