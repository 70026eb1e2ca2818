/* Functions that the definitions of selections share. */
#ifndef WEFT_REF_SELECTED_H
#define WEFT_REF_SELECTED_H

#include "core/backend.h"

/* Returns true if element i is kept. */
bool ref_is_kept(const select_call *c, size_t i);
/* Writes element i, or its index, to y[k]. */
void ref_put(const select_call *c, size_t i, size_t k);

/* Writes the kept elements first, then the others, and sets *c->count (partition.c). */
void ref_partition(const select_call *c);
/* Writes the first element of each run, and sets *c->count (unique.c). */
void ref_unique(const run_length_call *c);
/* Returns true if element i begins a run. */
bool ref_begins_run(const run_length_call *c, size_t i);

#endif
