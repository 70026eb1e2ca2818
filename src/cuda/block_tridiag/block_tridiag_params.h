/* Parameters of one launch of a kernel of weft_block_tridiag or weft_pentadiag, and the launches. */
#ifndef WEFT_CUDA_BLOCK_TRIDIAG_PARAMS_H
#define WEFT_CUDA_BLOCK_TRIDIAG_PARAMS_H

#include "core/order.h"

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BLOCK_CHUNK = WEFT_BLOCK_TRIDIAG_CHUNK,
    BLOCK_LAST = BLOCK_CHUNK - 1,
    BLOCK_BASE = WEFT_BLOCK_TRIDIAG_BASE,
    BLOCK_THREADS = 128,
    BLOCK_TEAM_THREADS = 256,   /* maximum, where a block solves systems by chunks in shared memory */
    BLOCK_STAGED_THREADS = 128, /* maximum, where a thread solves a system in shared memory */
    BLOCK_CONSTANT_BYTES = WEFT_BLOCK_TRIDIAG_MAX * WEFT_BLOCK_TRIDIAG_MAX * 8
};

/* Values of a row in shared memory, of k x k blocks or a pair of pentadiagonal rows, and of several rows of a thread:
 * an odd number. */
#define BLOCK_ROW_VALUES(k, pairs) ((pairs) ? 12u : (unsigned)(3 * (k) * (k) + (k)))
#define BLOCK_PITCH(values) ((values) | 1u)

/* An array of a call, or of separators. Value v of element i of line s is at p[i * step + s * line + v]. If
 * `constant` is true, all elements have the values in `value`. */
struct block_lines {
    const void *p;
    uint64_t step, line;
    bool constant;
    alignas(8) char value[BLOCK_CONSTANT_BYTES];
};

/* Separators or first rows of chunks: the element of chunk j of system s has index j * step + s * line in each array.
 */
struct block_separators {
    void *a, *b, *c, *d, *first_l, *first_c, *first_d;
    uint64_t step, line;
};

struct block_params {
    block_lines e, a, b, c, f, d;
    void *x; /* has the step and line of d */
    uint64_t systems, n, chunks;
    uint64_t elements; /* pentadiagonal: rows of two elements; number of elements of a system */
    bool pentadiagonal, periodic;
    bool interleaved; /* adjacent threads have adjacent systems */
    uint32_t side;    /* systems per block that are solved in shared memory */
    uint64_t *faults; /* minimum of the faults that block_report encodes */
    uint64_t full_n;  /* rows of the caller's systems */
    uint64_t scale;   /* number of the caller's rows that a row of this level represents */
    block_separators out;
};

typedef enum block_pass { BLOCK_REDUCE, BLOCK_LINK, BLOCK_EXPAND, BLOCK_SOLVE } block_pass;

/* Launches the kernel of a pass for k x k blocks, in blocks of BLOCK_THREADS threads. */
cudaError_t block_launch(block_pass pass, bool f32, size_t k, const block_params &j, unsigned blocks,
                         cudaStream_t stream);

/* Returns the kernel that solves systems in shared memory: by chunks (`team`), or by one thread each. */
const void *block_staged_kernel(bool f32, size_t k, bool pairs, bool team);

/* Launches the kernel that decodes the minimum fault to the index reported to the caller. n: rows per system; row r
 * is element r * per_row of `elements`. */
cudaError_t block_launch_singular(const uint64_t *faults, uint64_t n, uint64_t elements, uint64_t per_row,
                                  uint64_t *singular, cudaStream_t stream);

#endif
