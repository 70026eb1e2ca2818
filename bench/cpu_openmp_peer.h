/* Baseline loops that a programmer would write without weft: `omp simd reduction`, compiled with -O3 -march=native
 * -fopenmp. They are fast, but their bits differ between machines. Each returns its result as f64. */
#ifndef WEFT_BENCH_CPU_OPENMP_PEER_H
#define WEFT_BENCH_CPU_OPENMP_PEER_H

#include <stddef.h>

/* A call on n elements at x, and at y if there are two arrays, with the given number of threads. */
typedef double peer(const void *x, const void *y, size_t n, int threads);

peer openmp_sum_f32, openmp_sum_f64, openmp_sum_i32, openmp_sum_u8;
peer openmp_min_f32, openmp_max_f32, openmp_max_i32;
peer openmp_mean_f32, openmp_variance_f64, openmp_squares_f64;
peer openmp_histogram_f32; /* 256 bins from -1 to 1 */

/* Counts the occurrences of four words by the C library's memmem; each thread searches a part of the text. */
#define PEER_WORDS \
    { "data", "text", "warp", "weft" }
peer memmem_match_u8;

/* Write the elements above 0 to y, on one thread: the position of each element depends on all earlier ones. */
peer branching_select_f32, branchless_select_f32;

/* Compute v[i] = s[i] v[i - 1] + u[i]. x contains the n elements of s followed by the n elements of u; y receives v.
 * Either one loop, or one for each row of PEER_ROW elements, with the rows divided among the threads. */
enum { PEER_ROW = 1000 };
peer loop_recurrence_f32, loop_recurrence_f64, openmp_recurrences_f64;

/* Measures the ceiling: reads n bytes at x, and n bytes at y unless it is NULL, with almost no computation. */
peer openmp_read;

/* Measures the ceiling of operations that write as much as they read. */
void openmp_copy(const void *x, void *y, size_t bytes, int threads);

/* Writes elements so that each page is first touched by the thread that will read it. */
void openmp_fill_f32(float *x, size_t n, int threads);
void openmp_fill_f64(double *x, size_t n, int threads);
void openmp_fill_i32(int *x, size_t n, int threads);

#endif
