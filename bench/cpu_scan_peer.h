/* The C++ standard library's prefix sums: std::inclusive_scan with par_unseq (libstdc++ runs it on TBB),
 * on one thread unseq. They write to y, which is const only because a peer's second array is. */
#ifndef WEFT_BENCH_CPU_SCAN_PEER_H
#define WEFT_BENCH_CPU_SCAN_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

double std_scan_f32(const void *x, const void *y, size_t n, int threads);
double std_scan_f64(const void *x, const void *y, size_t n, int threads);
double std_scan_i32(const void *x, const void *y, size_t n, int threads);
/* The sorted halves of x in y; and the 100 largest of x, in order, in a copy of it. */
double std_merge_f32(const void *x, const void *y, size_t n, int threads);
double std_top_100_f32(const void *x, const void *y, size_t n, int threads);
/* Random elements, each half of them sorted. */
void std_sorted_halves_f32(void *x, size_t n);

#ifdef __cplusplus
}
#endif
#endif
