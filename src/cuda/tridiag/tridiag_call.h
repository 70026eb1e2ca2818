/* Host code that the calls of weft_tridiag and weft_tridiag_pivot share. */
#ifndef WEFT_CUDA_TRIDIAG_CALL_H
#define WEFT_CUDA_TRIDIAG_CALL_H

#include "cuda/runtime/gpu.h"
#include "cuda/tridiag/tridiag_params.h"

#define TRIDIAG_FAULT_BYTES 256 /* of the scratch memory, for the minimum of the faults */

bool tridiag_is_constant(weft_lines l);
tridiag_lines tridiag_lines_of(const tridiag_call *c, weft_lines l, bool may_be_constant);

/* Returns the parameters common to all launches of a call with at least one row. */
tridiag_params tridiag_params_of(const tridiag_call *c);

/* Returns true if consecutive rows of every array are adjacent in memory. */
bool tridiag_all_adjacent(const tridiag_params *j);

/* Launches a kernel with the argument at `params`. `name`: the operation. */
weft_status tridiag_launch(gpu *g, const char *name, const void *kernel, const void *params, const tridiag_params *j,
                           uint64_t blocks, uint32_t threads, size_t shared, weft_error *error);

/* Converts the minimum of the faults to the index that the caller gets. */
weft_status tridiag_report_first(gpu *g, const char *name, uint64_t *faults, uint64_t n, void *singular,
                                 weft_error *error);

/* Solves a call whose arrays are in device memory, by launches only. */
typedef weft_status tridiag_solver(gpu *g, const tridiag_call *c, void *scratch, weft_error *error);

/* Runs a call: copies arrays that are not in device memory, and solves. */
weft_status tridiag_run(gpu *g, const char *name, const tridiag_call *c, size_t scratch_bytes, tridiag_solver *solve,
                        weft_error *error);

#endif
