/* Shared by weft_fft and weft_convolve: the table of twiddles, the division into passes, launches. */
#ifndef WEFT_CUDA_TRANSFORMS_H
#define WEFT_CUDA_TRANSFORMS_H

#include "cuda/fft/fft_params.h"
#include "cuda/runtime/arrays.h"

/* Sets *table to the scales and the slopes of T[2k] (ORDER.md 14.1) in device memory, long enough for transforms of
 * 2^log values. The table grows when needed and is never shrunk. */
weft_status gpu_twiddles(gpu *g, const char *operation, weft_dtype dtype, int log, const void **table,
                         weft_error *error);

/* Launches a kernel whose only argument is `params`. */
weft_status gpu_launch(const gpu *g, const char *operation, const fft_launch *launch, const void *params,
                       weft_error *error);

/* Returns the maximum number of stages of a pass, at most `most`. Passes of many stages need more shared memory than
 * some GPUs have. */
int gpu_pass_most(const gpu *g, int most);

/* Number of stages of each pass of a transform of 2^log values, at most `most` (FFT_PASS_LOG_...). */
enum { PASSES_MOST = 8 };
typedef struct pass_list {
    int count, log[PASSES_MOST];
} pass_list;
pass_list gpu_passes(const gpu *g, int log, int most);

static inline int gpu_log2(uint64_t n) {
    int log = 0;
    while (n >> log > 1) log++;
    return log;
}

#endif
