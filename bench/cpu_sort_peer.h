/* Sort of the C++ standard library: std::sort with par_unseq (libstdc++ runs it on TBB); on one thread, unseq. Sorts
 * a copy at y, which is const only because it is an input of other peers. */
#ifndef WEFT_BENCH_CPU_SORT_PEER_H
#define WEFT_BENCH_CPU_SORT_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

double std_sort_u32(const void *x, const void *y, size_t n, int threads);
double std_sort_f64(const void *x, const void *y, size_t n, int threads);

#ifdef __cplusplus
}
#endif
#endif
