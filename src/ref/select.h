/* What the definitions of selections share. */
#ifndef WEFT_REF_SELECT_H
#define WEFT_REF_SELECT_H

#include "core/backend.h"

/* Whether element i is kept. */
bool ref_is_kept(const select_call *c, size_t i);
/* Puts element i, or its index, at y[k]. */
void ref_put(const select_call *c, size_t i, size_t k);

/* partition.c: the kept ones first, then the others; *c->count is set. */
void ref_partition(const select_call *c);
/* unique.c: the first elements of the runs; *c->count is set. */
void ref_unique(const run_length_call *c);
/* run_length.c: whether element i begins a run. */
bool ref_begins_run(const run_length_call *c, size_t i);

#endif
