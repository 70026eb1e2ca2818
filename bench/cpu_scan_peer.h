/* Prefix sums of the C++ standard library: std::inclusive_scan with par_unseq (libstdc++ runs it on TBB); on one
 * thread, unseq. They write to y, which is const only because it is an input of other peers. */
#ifndef WEFT_BENCH_CPU_SCAN_PEER_H
#define WEFT_BENCH_CPU_SCAN_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

double std_scan_f32(const void *x, const void *y, size_t n, int threads);
double std_scan_f64(const void *x, const void *y, size_t n, int threads);
double std_scan_i32(const void *x, const void *y, size_t n, int threads);
/* Merges the sorted halves of x into y. The other function writes the 100 largest elements of x, in order, to a copy
 * of x. */
double std_merge_f32(const void *x, const void *y, size_t n, int threads);
double std_top_100_f32(const void *x, const void *y, size_t n, int threads);
/* Fills x with random elements whose two halves are each sorted. */
void std_sorted_halves_f32(void *x, size_t n);

#ifdef __cplusplus
}
#endif
#endif
