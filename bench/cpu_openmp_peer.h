/* What a good programmer writes without weft: loops with `omp simd reduction`, compiled with -O3
 * -march=native -fopenmp. Fast, and of other bits on every machine. Each gives its result as f64. */
#ifndef WEFT_BENCH_CPU_OPENMP_PEER_H
#define WEFT_BENCH_CPU_OPENMP_PEER_H

#include <stddef.h>

/* A call: n elements at x, and at y where there are two arrays, on so many threads. */
typedef double peer(const void *x, const void *y, size_t n, int threads);

peer openmp_sum_f32, openmp_sum_f64, openmp_sum_i32, openmp_sum_u8;
peer openmp_min_f32, openmp_max_f32, openmp_max_i32;
peer openmp_mean_f32, openmp_variance_f64;
peer openmp_histogram_f32; /* 256 bins from -1 to 1 */

/* How often each of four words occurs, by the C library's memmem, each thread in a part of the text. */
#define PEER_WORDS \
    { "data", "text", "warp", "weft" }
peer memmem_match_u8;

/* Loops that write the elements above 0 to y, on one thread: each element's place depends on all before it. */
peer branching_select_f32, branchless_select_f32;

/* v[i] = s[i] v[i - 1] + u[i], s and u of n elements each one behind the other at x, v at y: one loop, or one for
 * each row of PEER_ROW elements, the rows shared among the threads. */
enum { PEER_ROW = 1000 };
peer loop_recurrence_f32, loop_recurrence_f64, openmp_recurrences_f64;

/* The ceiling: reads n bytes at x and n bytes at y (if there), and does next to nothing with them. */
peer openmp_read;

/* The ceiling of what writes as much as it reads. */
void openmp_copy(const void *x, void *y, size_t bytes, int threads);

/* Writes elements so that each page is first touched by the thread that will read it. */
void openmp_fill_f32(float *x, size_t n, int threads);
void openmp_fill_f64(double *x, size_t n, int threads);
void openmp_fill_i32(int *x, size_t n, int threads);

#endif
