/* Parts of weft_scatter_reduce (cpu/scatter_reduce.c). */
#ifndef WEFT_CPU_SCATTER_H
#define WEFT_CPU_SCATTER_H

#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <stdatomic.h>

enum {
    SCATTER_AT_ONCE = 1 << 16 /* indices or elements that a thread processes between two checks for cancellation */
};

static inline size_t scatter_end(size_t first, size_t step, size_t n) { return n - first < step ? n : first + step; }

/* Returns p + bytes; p may be NULL if bytes is 0. */
static inline const void *scatter_at(const void *p, size_t bytes) { return bytes ? (const char *)p + bytes : p; }

/* ------------------------------------------------------------------------------ scatter_keys.c */

/* The indices, or a copy in which m is written for indices out of range. */
typedef struct scatter_keys {
    const cpu_context *ctx;
    int threads;
    uint64_t m;
    const void *keys;
    size_t bytes, n;
    uint64_t last;     /* greatest index in range; 0 if there is none */
    bool none;         /* m is 0 */
    atomic_size_t bad; /* least position of an index out of range; n: none was found */
    atomic_bool falls; /* an index is less than the one before it */
    bool surveyed;     /* all indices have been checked, not only those before the first that is less */
} scatter_keys;

static inline uint64_t scatter_key(size_t bytes, const void *keys, size_t i) {
    return bytes == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

/* Finds out if the indices ascend. Also checks all of them if `all` is true or they ascend. */
void scatter_survey(scatter_keys *k, bool all);

/* Replaces the keys by a copy at `to` of 4 or 8 bytes each, with m for indices out of range, and finds out if they
 * ascend. */
void scatter_normalize(scatter_keys *k, size_t bytes, void *to);

/* Writes the m + 1 offsets of the targets in a list whose keys ascend. */
void scatter_find_offsets(const scatter_keys *k, uint64_t *offsets);

/* ----------------------------------------------------------------------------- scatter_count.c */

weft_status scatter_count(cpu_context *ctx, const scatter_keys *k, uint64_t *counts, weft_error *error);

/* ------------------------------------------------------------------------ scatter_distribute.c */

/* A stable distribution of elements by a digit of their keys. */
typedef struct scatter_list {
    const cpu_context *ctx;
    int threads;
    const void *keys;
    size_t key_bytes, value_bytes, n;
    uint64_t last;      /* greatest key in range */
    const void *values; /* NULL: the numbers of the elements, of 4 or 8 bytes */
    sort_digit digit;
    size_t *next;      /* SCATTER_BUCKETS_MAX for each thread */
    char *lines;       /* line_bytes for each thread */
    size_t line_bytes; /* at least scatter_line_bytes */
    void *to_values;
    uint16_t *to_keys; /* or NULL */
    size_t chunks;
    atomic_bool above; /* result: a key is out of range. The elements have not been moved then. */
} scatter_list;

static inline size_t scatter_line_bytes(size_t value_bytes, bool keys, unsigned bits) {
    return SCATTER_LINE * (value_bytes + (keys ? sizeof(uint16_t) : 0)) << bits;
}

/* Returns the number of chunks that n elements are divided into. */
static inline size_t scatter_chunks(size_t n, int threads) {
    enum { CHUNK = 1 << 14 }; /* minimum elements of a chunk */
    return (size_t)max_u64(1, min_u64(n / CHUNK, (uint64_t)threads));
}

/* Writes the starts of the first `count` buckets; a bucket after the last one starts at its end. */
void scatter_distribute(scatter_list *l, uint64_t *starts, size_t count);

/* ------------------------------------------------- scatter_rows.c, scatter_copy.c, scatter_store.c */

/* A reduction. The rows of target j are elements offsets[j] .. offsets[j + 1] - 1 of a list. */
typedef struct scatter {
    cpu_context *ctx;
    const scatter_reduce_call *c;
    int threads;
    weft_dtype type;         /* of `reduced`: f64 for a mean, else the result type */
    const uint64_t *offsets; /* m + 1 */
    void *reduced;           /* m * columns results before the last step; c->out if there is none */
} scatter;

/* Reduces the columns of the listed rows, if x has several, to s->reduced. `list` has numbers of `bytes` bytes; NULL:
 * the numbers from 0. `workspace` has scatter_rows_workspace bytes. */
size_t scatter_rows_workspace(const scatter *s);
void scatter_reduce_rows(const scatter *s, const void *list, size_t bytes, void *workspace);

/* Copies n elements of `size` bytes. The strides are numbers of elements. */
void scatter_copy(int threads, size_t n, size_t size, const void *from, size_t from_stride, void *to,
                  size_t to_stride);

/* Writes the results: combines s->reduced with the initial values, or converts means to f32. Does nothing if
 * s->reduced is c->out. */
void scatter_store(const scatter *s);

#endif
