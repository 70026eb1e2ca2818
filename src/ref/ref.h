/* The specification's operations, one file for each. */
#ifndef WEFT_REF_REF_H
#define WEFT_REF_REF_H

#include "core/backend.h"

weft_status ref_reduce(void *state, const reduce_call *call, weft_error *error);
weft_status ref_variance(void *state, const variance_call *call, weft_error *error);
weft_status ref_dot(void *state, const dot_call *call, weft_error *error);
weft_status ref_laplace(void *state, const laplace_call *call, weft_error *error);
weft_status ref_laplace_solve(void *state, const laplace_solve_call *call, weft_error *error);
weft_status ref_matmul(void *state, const matmul_call *call, weft_error *error);
weft_status ref_scan(void *state, const scan_call *call, weft_error *error);
weft_status ref_select(void *state, const select_call *call, weft_error *error);
weft_status ref_run_length(void *state, const run_length_call *call, weft_error *error);
weft_status ref_segmented(void *state, const segmented_call *call, weft_error *error);
weft_status ref_recurrence(void *state, const recurrence_call *call, weft_error *error);
weft_status ref_histogram(void *state, const histogram_call *call, weft_error *error);
weft_status ref_top_k(void *state, const top_k_call *call, weft_error *error);
weft_status ref_merge(void *state, const merge_call *call, weft_error *error);
weft_status ref_search_sorted(void *state, const search_sorted_call *call, weft_error *error);
weft_status ref_fft(void *state, const fft_call *call, weft_error *error);
weft_status ref_convolve(void *state, const convolve_call *call, weft_error *error);
weft_status ref_tridiag(void *state, const tridiag_call *call, weft_error *error);
weft_status ref_heat(void *state, const heat_call *call, weft_error *error);
weft_status ref_sort(void *state, const sort_call *call, weft_error *error);
weft_status ref_argsort(void *state, const argsort_call *call, weft_error *error);
weft_status ref_random(void *state, const random_call *call, weft_error *error);
weft_status ref_sobol(void *state, const sobol_call *call, weft_error *error);
weft_status ref_price(void *state, const price_call *call, weft_error *error);
weft_status ref_match(void *state, const match_call *call, weft_error *error);
weft_status ref_map(void *state, const map_call *call, weft_error *error);
/* Reduces the values of a formula. */
weft_status ref_map_reduce(void *state, const reduce_call *call, weft_error *error);
/* Scans the values of a formula. */
weft_status ref_map_scan(void *state, const scan_call *call, weft_error *error);

#endif
